#!/usr/bin/perl
# The house rules that a program can check: no long functions, files or XSUBs, and no macro
# that changes the flow of control behind the reader's back.
use strict;
use warnings;
use FindBin;
use Test::More;

my $FUNCTION_LINES = 100;   # but for a flat switch, which says so in a comment
my $FILE_LINES     = 700;   # of a .c file
my $XSUB_LINES     = 15;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";

my @files = grep { my $xs = $_; !($xs =~ s/\.c\z/.xs/ && -e $xs) } glob 'csrc/*.[ch] xs/*.[ch]';
ok(scalar @files, 'there are sources') or do { done_testing; exit 1 };

sub slurp {
    my $file = shift;
    open my $in, '<', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

# RETURNS: the text with the insides of comments, strings and characters blanked; every line
# stays where it is.
sub blanked {
    my $text = shift;
    $text =~ s{ (/\*.*?\*/) | (//[^\n]*) | ("(?:[^"\\\n]|\\.)*") | ('(?:[^'\\\n]|\\.)*') }
              { my $found = $&; $found =~ s/[^\n]/ /g; $found }gsex;
    return $text;
}

# RETURNS: a list of [name, lines, text with comments], one for each function defined in it,
# the text beginning at the comment that stands before it.
sub functions {
    my $source = shift;
    my @original = split /\n/, $source, -1;
    my $code = blanked($source);
    # Preprocessor lines, with their continuations, have braces of their own.
    $code =~ s{^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*}{ my $found = $&; $found =~ s/[^\n]//g; $found }gmsex;
    # Its string is blank by now; the braces of extern "C" enclose functions.
    $code =~ s/\bextern\s*\{/extern  /g;
    my ($depth, $line, $start, $name, $head) = (0, 1, 1, undef, '');
    my @found;
    for my $char (split //, $code) {
        $line++ if $char eq "\n";
        if ($depth == 0) {
            if ($char eq '{') {
                # A body follows the parameters; a struct, an enum or a table does not.
                ($name) = $head =~ /\b(\w+)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*(?:\w+\s*)*\z/;
                $name = undef if $head =~ /=\s*\z/;
                $start = $line - (($head =~ s/\A\s+//r) =~ tr/\n//);
                $depth = 1;
            }
            elsif ($char eq ';' || $char eq '}') { $head = '' }
            else { $head .= $char }
            next;
        }
        $depth++ if $char eq '{';
        next unless $char eq '}';
        next if --$depth;
        if (defined $name) {
            my $first = $start - 1;
            $first-- while $first > 0 && $original[$first - 1] =~ m{^\s*(?:/?\*|//)};
            push @found, [$name, $line - $start + 1, join "\n", @original[$first .. $line - 1]];
        }
        ($head, $name) = ('', undef);
    }
    return @found;
}

my @lengths;
for my $file (@files) {
    my $source = slurp($file);
    my @too_long;
    for my $function (functions($source)) {
        my ($name, $lines, $text) = @$function;
        push @lengths, $lines;
        push @too_long, "$name ($lines lines)"
            if $lines > $FUNCTION_LINES && $text !~ m{(?:/\*|//|^\s*\*).*\bflat\s+switch\b}mi;
    }
    is("@too_long", '', "$file: no function over $FUNCTION_LINES lines");

    if ($file =~ /\.c\z/) {
        my $lines = $source =~ tr/\n//;
        cmp_ok($lines, '<=', $FILE_LINES, "$file: lines");
    }

    my @jumps;
    my $code = blanked($source);
    while ($code =~ /^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\n\\]|\\.|\\\n)*)/mgs) {
        my ($name, $body) = ($1, $2);
        push @jumps, $name if $body =~ /\b(?:return|goto|break)\b/;
    }
    is("@jumps", '', "$file: no macro returns, breaks or jumps");
}

@lengths = sort { $a <=> $b } @lengths;
note sprintf '%d functions: median %d lines, 9 of 10 up to %d, longest %d',
    scalar @lengths, $lengths[@lengths / 2], $lengths[@lengths * 0.9], $lengths[-1] if @lengths;

# XSUBs: what follows the first MODULE line, in pieces that begin in the first column after an
# empty line.
for my $file (glob 'xs/*.xs') {
    my (undef, $rest) = split /^MODULE\b[^\n]*\n/m, slurp($file), 2;
    $rest = '' unless defined $rest;
    $rest =~ s/^=\w.*?^=cut\n//gms;
    $rest =~ s{/\*.*?\*/}{}gs;
    my @too_long;
    for my $piece (split /\n\s*\n(?=\S)/, $rest) {
        my @lines = grep { /\S/ && !/^\s*#/ && !/^(?:MODULE|PROTOTYPES|VERSIONCHECK|TYPEMAP)\b/ } split /\n/, $piece;
        next if @lines <= $XSUB_LINES;
        my ($name) = grep { /^\w+\s*(?:\(|:)/ } @lines;
        push @too_long, ($name || $lines[0]) . ' [' . @lines . ' lines]';
    }
    is("@too_long", '', "$file: no XSUB over $XSUB_LINES lines");
}

done_testing;
