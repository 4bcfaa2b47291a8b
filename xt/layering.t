#!/usr/bin/perl
# The layers of the source are real: csrc/ is C99 without Perl and without stdio, xs/ stands on
# top of it, and a file's name tells where it belongs.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Find qw(find);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";

# The headers of C99, without those that a core has no use for (stdio.h: only the program).
my %C99 = map { ("$_.h" => 1) } qw(
    assert ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdarg
    stdbool stddef stdint stdlib string tgmath time wchar wctype
);
my @NOT_IN_CORE = qw(locale.h setjmp.h signal.h time.h);
delete @C99{@NOT_IN_CORE};
my %PERL = map { ($_ => 1) } qw(EXTERN.h perl.h XSUB.h ppport.h);
# Instructions of one machine, each with something portable beside it.
my %MACHINE = (emmintrin => 'pst_digits.h');
my %IS_PROGRAM = map { ($_ => 1) } qw(pst_main.c pst_host.c);

sub slurp {
    my $file = shift;
    open my $in, '<', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

# RETURNS: the text of a C file without its comments.
sub code {
    return slurp(shift) =~ s{/\*.*?\*/}{ }gsr;
}

# RETURNS: what the file includes, with its <> or "".
sub includes {
    return code(shift) =~ /^[ \t]*#[ \t]*include[ \t]*(<[^>]+>|"[^"]+"|\w+)/mg;
}

my @core = glob 'csrc/*.[ch]';
# What xsubpp made of an .xs file is no source.
my @glue = grep { my $xs = $_; !($xs =~ s/\.c\z/.xs/ && -e $xs) } glob 'xs/*.[ch] xs/*.xs';
my %is_core = map { (basename($_) => 1) } grep { /\.h\z/ } @core;
my %is_glue = map { (basename($_) => 1) } grep { /\.h\z/ } @glue;
ok(@core && @glue, 'there are sources in csrc/ and xs/') or do { done_testing; exit 1 };

for my $file (@core) {
    my @bad;
    for my $include (includes($file)) {
        my ($name) = $include =~ /([^<>"]+)/;
        my $fine = $include =~ /\A</
            ? $C99{$name} || ($MACHINE{$name =~ s/\.h\z//r} // '') eq basename($file) || $IS_PROGRAM{basename($file)}
            : $include =~ /\A"/ && $is_core{$name};
        push @bad, $include unless $fine;
    }
    # The program stands above the core: it may use the system, but still not Perl.
    @bad = grep { /perl/i } includes($file) if !@bad && $IS_PROGRAM{basename($file)};
    is("@bad", '', "$file includes only csrc/ and C99");
    unlike(code($file), qr/\b(?:pTHX_?|aTHX_?|pstx_\w+|[SAH]V \*)/, "$file knows nothing of Perl");
}

for my $file (@glue) {
    my @bad = grep {
        my ($name) = /\A"([^"]+)"/;
        defined $name && !$is_core{$name} && !$is_glue{$name} && !$PERL{$name};
    } includes($file);
    is("@bad", '', "$file includes only csrc/, xs/ and perl's headers");
}

# perl's versions are the business of one file.
for my $file (grep { basename($_) ne 'pstx_compat.h' } @glue) {
    unlike(code($file), qr/^[ \t]*#.*\bPERL_(?:SUB)?VERSION\w*/m, "$file has no test of perl's version");
}

# Names.
for my $file (@core) {
    like(basename($file), qr{\A(?:pst_[a-z0-9_]+\.[ch]|pst\.h)\z}, "$file: prefix pst_, snake_case");
}
for my $file (@glue) {
    like(basename($file), qr/\A(?:pstx(?:_[a-z0-9_]+)?\.[ch]|Permafrost\.xs)\z/, "$file: prefix pstx_, snake_case");
}

# A name found anywhere (in a message, in a backtrace) is the name of one file.
my %places;
find({ no_chdir => 1, wanted => sub {
    if (-d && /(?:\A|\/)(?:\.git|blib|build|results|corpus|golden)\z/) {
        $File::Find::prune = 1;
        return;
    }
    push @{ $places{basename($_)} }, $_ if -f && /\.(?:[ch]|xs|t|pl|sh|inc)\z/;
} }, grep { -d } qw(csrc xs lib script t xt bench dev));
is("@{ $places{$_} }", $places{$_}[0], "$_ exists once")
    for grep { @{ $places{$_} } > 1 } sort keys %places;
pass('file names are unique') unless grep { @$_ > 1 } values %places;

done_testing;
