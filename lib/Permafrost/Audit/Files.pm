package Permafrost::Audit::Files;

use 5.016;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(find_files read_file looks_like_perl head_of display_name readable_name);

# Folders with nothing of the project's own.
my %SKIP = map { ($_ => 1) } qw(.git .svn .hg .bzr CVS RCS blib node_modules _build .build .prove .cache);
my $PERL = qr/\.(?:pm|pl|t|psgi|cgi|PL|plx|fcgi|al|pm\.in|pl\.in|PL\.in|perl)\z/;
# Files that are never Perl, whatever they begin with.
my $OTHER = qr/\.(?:html?|js|css|png|jpe?g|gif|svg|gz|bz2|xz|zip|pdf|so|a|o|c|h|xs|pod|md|txt|json|ya?ml|xml|po|mo|sh|py|rb)\z/i;

use constant HEAD_BYTES => 512;

# All files under the PATHS, sorted; what is named itself is taken as it is. EXCLUDE: patterns,
# for names with PREFIX in front: this folder, as it is called where the patterns come from.
# RETURNS: (list of names, list of [name, error]).
sub find_files {
    my ($paths, $exclude, $prefix) = @_;
    my @exclude = @{$exclude || []};
    $prefix = defined $prefix && length $prefix ? "$prefix/" : '';
    my $is_excluded = sub { my $name = $prefix . $_[0]; return scalar grep { $name =~ $_ } @exclude };
    my (@files, @errors, %seen);
    for my $path (@$paths) {
        if (-d $path) { _walk($path, $is_excluded, \@files, \@errors) }
        elsif ($path eq '-' || -e $path) { push @files, $path }
        else { push @errors, [$path, "$!"] }
    }
    return ([grep { !$seen{$_}++ } @files], \@errors);
}

sub _walk {
    my ($dir, $is_excluded, $files, $errors) = @_;
    my @dirs = $dir;
    while (defined(my $in = shift @dirs)) {
        opendir my $handle, $in or do { push @$errors, [$in, "$!"]; next };
        my @deeper;
        for my $name (sort readdir $handle) {
            next if $name eq '.' || $name eq '..' || $SKIP{$name};
            my $path = $in eq '.' ? $name : "$in/$name";
            next if $is_excluded->($path);
            next if -l $path && -d $path;
            if    (-d $path) { push @deeper, $path }
            elsif (-f _)     { push @$files, $path }
        }
        unshift @dirs, @deeper;
    }
    return;
}

# The first bytes of a file; undef if it cannot be read.
sub head_of {
    my ($file) = @_;
    open my $in, '<:raw', $file or return undef;
    defined read $in, my $bytes, HEAD_BYTES or return undef;
    return $bytes;
}

# Is a file Perl, by its name or by how it begins?
sub looks_like_perl {
    my ($file, $head) = @_;
    return 1 if $file eq '-' || $file =~ $PERL;
    return 0 if $file =~ $OTHER;
    return 0 unless $head =~ /\A(?:\xEF\xBB\xBF)?#!/;
    return 1 if $head =~ /\A(?:\xEF\xBB\xBF)?#![^\n]*\bperl/;
    return $head =~ /\A#![^\n]*\n(?:\s*#[^\n]*\n|\s*\n)*\s*eval\s+['"]\(?\s*exec\s[^\n]*perl/ ? 1 : 0;
}

# The bytes of a file, of the standard input for "-". Dies with a reason.
sub read_file {
    my ($file) = @_;
    local $/;
    if ($file eq '-') {
        binmode STDIN;
        return scalar(<STDIN>) // '';
    }
    open my $in, '<:raw', $file or die "$!\n";
    my $bytes = <$in>;
    return $bytes // '';
}

# The same as characters, for messages.
sub readable_name {
    my ($file) = @_;
    $file = display_name($file);
    utf8::decode($file) unless utf8::is_utf8($file);
    return $file;
}

# A file's name for reports, as bytes.
sub display_name {
    my ($file) = @_;
    $file =~ s{\A(?:\./)+}{};
    return $file;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Files - find the files to audit, and tell which are Perl

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
