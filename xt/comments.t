#!/usr/bin/perl
# What comments must be there: each file says what it is, each header its layer; a function that
# others may call is declared under a comment, alone or as one of a group without empty lines
# (_init and _release aside, which are the same everywhere).
# In the glue, who owns what comes back and whether perl may run code are said where it matters,
# which no program can judge; nor can it judge whether a comment is any good.
use strict;
use warnings;
use File::Basename qw(basename);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";

sub slurp {
    my $file = shift;
    open my $in, '<', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

# RETURNS: lines of comments, lines with something in them.
sub share {
    my $text = shift;
    my $comment = 0;
    $comment += 1 + $& =~ tr/\n// while $text =~ m{/\*.*?\*/}gs;
    return ($comment, scalar(() = $text =~ /\S[^\n]*/g));
}

my @files = grep { my $xs = $_; !($xs =~ s/\.c\z/.xs/ && -e $xs) } glob 'csrc/*.[ch] xs/*.[ch] xs/*.xs';
ok(@files > 50, 'there are sources') or do { done_testing; exit 1 };

my (@nameless, @no_layer, %bare, $comments, $lines);
for my $file (@files) {
    my $text = slurp($file);
    my $name = basename($file);
    push @nameless, $file if $text !~ m{\A/\* \Q$name\E - \S};
    if ($file =~ /\.[cx]s?\z/) {
        my ($c, $l) = share($text);
        $comments += $c;
        $lines += $l;
        next;
    }
    my ($first) = $text =~ m{\A(/\*.*?\*/)}s;
    push @no_layer, $file if $name ne 'pst.h' && ($first // '') !~ /^ \* Layer: (?:core|glue|program)\b/m;
    # Groups of lines. A prototype, or the head of an inline function, begins in the first column.
    for my $group (split /\n(?:[ \t]*\n)+/, $text) {
        my $commented = 0;
        for my $line (split /\n/, $group) {
            $commented = 1 if $line =~ m{/\*|^ \*};
            next if $commented || $line !~ /^(?!typedef|#|return|static const)[A-Za-z_][\w *]*?\b(pstx?_\w+|\w+)\(/;
            push @{ $bare{$file} }, $1 if $line !~ /^PST_EXTERN|^\w+\(/ && $1 !~ /_(?:init|release)\z/;
        }
    }
}
is(join(' ', @nameless), '', 'each file begins with its name and what it is');
is(join(' ', @no_layer), '', 'each header says its layer');
is(join("\n", map { "$_: @{ $bare{$_} }" } sort keys %bare), '', 'functions in headers are declared under a comment');
note sprintf '%.1f %% of the lines of .c files are comments', 100 * $comments / $lines;
done_testing;
