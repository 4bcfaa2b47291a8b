#!/usr/bin/perl
# The words of the documentation, POD and *.md, are in aspell's dictionaries (British or American)
# or in xt/spelling.txt. Code, names of files and what stands in backticks are no words.
use strict;
use warnings;
use File::Find qw(find);
use File::Temp ();
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
eval { require Pod::Spell; 1 } or plan skip_all => 'no Pod::Spell on this machine (dev/setup test installs it)';
my @DICTIONARIES = qw(en_GB en_US);
for my $dictionary (@DICTIONARIES) {
    plan skip_all => "no aspell with $dictionary on this machine (dev/setup test installs it)"
        if qx{echo wrod | aspell --lang=$dictionary list 2>/dev/null} ne "wrod\n";
}

sub slurp {
    my $file = shift;
    open my $in, '<:encoding(UTF-8)', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

my $LIST = 'xt/spelling.txt';
my %known = map { ($_ => 1) } grep { !/^#/ } split /\n/, slurp($LIST);
my %seen;

# RETURNS: words of the text that no dictionary has, each once.
sub unknown_words {
    my ($text) = @_;
    my $file = File::Temp->new;
    binmode $file, ':encoding(UTF-8)';
    print {$file} $text;
    close $file;
    my %count;
    for my $dictionary (@DICTIONARIES) {
        my %missed = map { ($_ => 1) } split /\n/, qx{aspell --lang=$dictionary --encoding=utf-8 list <$file};
        $count{$_}++ for keys %missed;
    }
    # Two capitals make a name.
    my @unknown = grep { !/[A-Z].*[A-Z]/ } map { utf8::decode(my $word = $_); $word =~ s/'s\z//r }
        grep { $count{$_} == @DICTIONARIES } sort keys %count;
    $seen{$_} = 1 for @unknown;
    return grep { !$known{$_} && !$known{lc $_} } @unknown;
}

sub pod_text {
    my ($file) = @_;
    my $text = slurp($file);
    $text =~ s/[CFLX]<<+ .*? >>+/ /gs;
    my $out = '';
    open my $to, '>:encoding(UTF-8)', \$out or die "cannot write to memory: $!";
    open my $from, '<:encoding(UTF-8)', \do { utf8::encode(my $bytes = $text); $bytes } or die $!;
    Pod::Spell->new->parse_from_filehandle($from, $to);
    close $to;
    utf8::decode($out);
    return $out;
}

sub markdown_text {
    my ($file) = @_;
    my $text = slurp($file);
    $text =~ s/^\|.*//gm if $file eq 'doc/APPLICATIONS.md';     # tables of names
    $text =~ s/^```.*?^```//gms;
    $text =~ s/^ {4}.*//gm;
    $text =~ s/``.*?``|`[^`]*`/ /gs;
    $text =~ s/\]\([^)]*\)/ /g;
    $text =~ s{\b(?:lib[a-z0-9-]+-perl)\b|\w+://\S+}{ }g;      # Debian packages, addresses
    return $text;
}

my (@pod, @markdown);
find({ no_chdir => 1, wanted => sub {
    s{\A\./}{};
    if (-d && m{(?:\A|/)(?:\.git|blib|build|results)\z}) { $File::Find::prune = 1; return }
    push @markdown, $_ if /\.md\z/ || $_ eq 'Changes';
    push @pod, $_ if m{\A(?:lib/.*\.(?:pod|pm)|script/\w+)\z} && slurp($_) =~ /^=head1/m;
} }, '.');

is(join(' ', unknown_words(pod_text($_))), '', $_) for sort @pod;
is(join(' ', unknown_words(markdown_text($_))), '', $_) for sort @markdown;
my %lower = map { (lc, 1) } keys %seen;
note "$LIST has, and nothing needs: $_" for grep { !$seen{$_} && !$lower{$_} } sort keys %known;
done_testing;
