#!/usr/bin/perl
# Perls back to 5.16: what is there to be tested without having one. The Perl code has no newer
# syntax; the glue uses no newer name of perl's API but those that pstx_compat.h has a substitute
# for (so says Devel::PPPort's list of all of them); and it compiles with nothing but substitutes.
# How all that works is the business of the cell "oldest" of dev/matrix.
use strict;
use warnings;
use Config;
use File::Find qw(find);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
my $OLDEST = '5.016';
my $dir = tempdir(CLEANUP => 1);

sub slurp {
    my $file = shift;
    open my $in, '<', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

SKIP: {
    eval { require Perl::MinimumVersion; 1 }
        or skip 'no Perl::MinimumVersion (Debian: libperl-minimumversion-perl)', 1;
    my @files = ('Makefile.PL', 'script/permafrost');
    find({ no_chdir => 1, wanted => sub { push @files, $_ if /\.(?:pm|t|pl)\z/ } }, 'lib', 't');
    for my $file (sort @files) {
        my $needs = Perl::MinimumVersion->new($file);
        my $version = $needs && $needs->minimum_version;
        ok($version && $version <= version->parse($OLDEST), "$file is for perl $OLDEST")
            or diag $version ? "it needs $version: " . ($needs->minimum_syntax_reason // 'no reason known')
                             : 'cannot be judged';
    }
    # Would it be noticed?
    my $new = "use 5.020;\nprint 1;\n";
    ok(Perl::MinimumVersion->new(\$new)->minimum_version > version->parse($OLDEST), 'newer syntax is noticed');
}

# RETURNS: names that came after the oldest perl, used in the files.
sub newer_names {
    my @files = @_;
    my $output = qx{$^X $dir/ppport.h --compat-version=$OLDEST.0 --nochanges @files 2>&1};
    $output =~ /^Scanning /m or die "ppport.h: $output";
    my %names = map { ($_ => 1) } $output =~ /Uses (\w+), which may not be portable below perl/g;
    return sort keys %names;
}

SKIP: {
    eval { require Devel::PPPort; 1 } or skip 'no Devel::PPPort', 1;
    Devel::PPPort::WriteFile("$dir/ppport.h");
    my @glue = grep { my $xs = $_; !($xs =~ s/\.c\z/.xs/ && -e $xs) } glob 'xs/*.[ch] xs/*.xs';
    my $compat = slurp('xs/pstx_compat.h');
    my %C99 = (UINT64_C => 1);
    for my $name (grep { !$C99{$_} } newer_names(@glue)) {
        like($compat, qr/^[ \t]*#[ \t]*ifn?def $name\b/m, "$name has a substitute");
    }
    open my $out, '>', "$dir/new.c" or die "new.c: $!";
    print {$out} "void set(pTHX_ SV *sv) { sv_setbool(sv, 1); }\n";
    close $out or die "new.c: $!";
    is(join(' ', newer_names("$dir/new.c")), 'sv_setbool', 'newer names are noticed');
}

SKIP: {
    my $cc = $Config{cc};
    skip 'no gcc or clang', 1 if !$Config{gccversion};
    my @flags = ($Config{ccflags}, '-Wall -Wextra -Werror -O1 -fsyntax-only -Icsrc -Ixs',
        "-I$Config{archlibexp}/CORE");
    for my $file (grep { $_ ne 'xs/Permafrost.c' } glob 'xs/*.c') {
        my $output = qx{$cc @flags -DPSTX_OLDEST_PERL $file 2>&1 </dev/null};
        is($? ? $output : '', '', "$file compiles with substitutes only");
    }
    my $output = qx{$cc @flags -DPSTX_OLDEST_PERL -E -dM xs/pstx_clone.c 2>&1 </dev/null};
    like($output, qr/^#define PSTX_MAY_USE\(\w+\) 0$/m, 'they were in effect');
}

done_testing;
