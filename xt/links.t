#!/usr/bin/perl
# What the documentation points to is there: relative links and their anchors in *.md, files of
# this tree that are named in *.md and in POD, links in POD.
use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Find qw(find);
use File::Spec;
use FindBin;
use Pod::Simple::SimpleTree;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";

sub slurp {
    my $file = shift;
    open my $in, '<:encoding(UTF-8)', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

my (@markdown, @pod, %base, %known);
find({ no_chdir => 1, wanted => sub {
    s{\A\./}{};
    if (-d && m{(?:\A|/)(?:\.git|blib|build|results)\z}) {
        $File::Find::prune = 1;
        return;
    }
    return if !-f;
    $base{basename($_)} = 1;
    push @markdown, $_ if /\.md\z/;
    push @pod, $_ if m{\A(?:lib/.*\.(?:pod|pm)|script/\w+)\z};
} }, '.');
ok(@markdown > 5 && @pod > 5, 'there is documentation') or do { done_testing; exit 1 };

# ---- Markdown --------------------------------------------------------------------------------------

# RETURNS: the anchors of a page, as they are usually made of its headings.
sub anchors {
    my ($text) = @_;
    return map { my $anchor = lc; $anchor =~ s/[`*]//g; $anchor =~ s/[^\w\- ]//g; $anchor =~ tr/ /-/; ($anchor => 1) }
        $text =~ /^#+ +(.+?) *$/mg;
}

# Files of this tree that a text names: with a directory of it in front, or in backticks with a
# suffix that only our files have.
my $TOP = qr{(?:bench|csrc|dev|doc|examples|lib|script|t|xs|xt)};
sub named {
    my ($text) = @_;
    my @names = $text =~ m{(?<![\w/.~\-\$])($TOP/[\w./\-]*\w)(?![\w*/\[]|\.\.)}g;
    push @names, $text =~ m{`((?:pst|pstx)_\w+\.[ch])`}g;
    return @names;
}
# Made by the build or by commands of these pages, or examples.
my $MADE = qr{\A(?:csrc/build|bench/build|t/data|lib/(?:My|Bad|Good)\b.*|lib/perl5.*|lib/(?:libpst|pkgconfig)\S*|bench/results/.*|t/xxx.*|.*NAME.*)\z};

for my $file (sort @markdown) {
    my $text = slurp($file);
    (my $prose = $text) =~ s/^```.*?^```//gms;
    my @bad;
    while ($prose =~ /\[[^\]]*\]\(([^)\s]+)\)/g) {
        my ($target, $anchor) = split /#/, $1, 2;
        next if $target =~ m{\A\w+://};
        my $path = length $target ? File::Spec->canonpath(dirname($file) . "/$target") : $file;
        1 while $path =~ s{[^/]+/\.\./}{};
        push @bad, $1 if !-e $path;
        push @bad, "$target#$anchor" if defined $anchor && -f $path && !{ anchors(slurp($path)) }->{$anchor};
    }
    is("@bad", '', "$file: links");
    @bad = grep { !-e && !-e dirname($file) . "/$_" && !@{ [glob "$_*"] } && !$base{basename($_)} && !/$MADE/ } named($prose);
    is("@bad", '', "$file: names of files");
}

# ---- POD ---------------------------------------------------------------------------------------------

# RETURNS: [name or undef, section or undef] of each L<>, and the headings and items.
sub pod_links {
    my $file = shift;
    my (@links, %sections);
    my $walk;
    $walk = sub {
        my ($name, $attributes, @parts) = @_;
        if ($name eq 'L' && $attributes->{type} eq 'pod') {
            push @links, [map { defined $attributes->{$_} ? "$attributes->{$_}" : undef } qw(to section)];
        }
        if ($name =~ /\A(?:head\d|item-text)\z/) {
            my $text = text_of(@parts);
            $sections{$text} = 1;
            $sections{$_} = 1 for split /\s*[,;]\s*/, $text;
        }
        ref && $walk->(@$_) for @parts;
    };
    my $tree = Pod::Simple::SimpleTree->new->parse_file($file)->root;
    $walk->(@$tree);
    return (\@links, \%sections);
}

sub text_of { return join '', map { ref ? text_of(@{$_}[2 .. $#$_]) : $_ } @_ }

my (%links, %sections);
for my $file (@pod) {
    (my $module = $file) =~ s{\A(?:lib|script)/|\.(?:pm|pod)\z}{}g;
    $module =~ s{/}{::}g;
    my ($links, $sections) = pod_links($file);
    next if !@$links && !%$sections;
    $links{$module} = $links;
    $sections{$module} = $sections;
}
# What comes with perl or Debian, and need not be installed here.
my %ELSEWHERE = map { ($_ => 1) } qw(Storable B::Deparse PPI Perl::Critic perlrun);
for my $module (sort keys %links) {
    my @bad;
    for my $link (@{ $links{$module} }) {
        my ($to, $section) = @$link;
        next if defined $to && $ELSEWHERE{$to};
        my $there = $sections{ defined $to ? $to : $module };
        push @bad, defined $to ? $to : '', defined $section ? "/$section" : ''
            if !$there || defined $section && !$there->{$section};
    }
    is(join(' ', @bad), '', "$module: links");
}

# ---- MANIFEST ------------------------------------------------------------------------------------------

my @listed = map { (split)[0] } grep { /\S/ } split /\n/, slurp('MANIFEST');
is(join(' ', grep { !-f } @listed), '', 'MANIFEST: files are there');
done_testing;
