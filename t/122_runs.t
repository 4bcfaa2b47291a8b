#!/usr/bin/perl
# Runs of plain scalars, wherever the image's room ends: each kind of value as the first that no
# longer fits, in arrays and in hashes, and each kind of neighbour that a run must leave to others.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my $shared = 'shared';
my @values = (
    0, -128, 127, 128, -129, 70000, 2**31 - 1, -2**31, 2**31, 2**40, ~0, -1 - (~0 >> 1),
    1.5, -0.0, 1e15, 1e16, 1e300, 9**9**9, 0.1 + 0.2, 1 / 3, -2.5e-7,
    '', 'a', 'abc', 'a' x 7, 'b' x 8, 'c' x 15, 'd' x 16, 'e' x 17, 'f' x 32, 'g' x 33, 'h' x 255, 'i' x 256,
    "\x{263a}", "\x{e9}\x{263a}" x 8, undef, !!1, !!0,
);
my $both = '12';
{ no warnings 'void'; $both + 0 }
push @values, $both;

# Bytes of both modules, in both orders, are the same. RETURNS: the first kind that differs.
sub differing {
    my $data = shift;
    for my $function (qw(freeze nfreeze)) {
        return $function if pf->{$function}->($data) ne st->{$function}->($data);
    }
    return '';
}

# The room begins with some 240 bytes and grows by half: paddings around the first steps.
for my $index (0 .. $#values) {
    my @different;
    for my $padding (0, 1, 150 .. 255, 480 .. 500) {
        my @pad = ('p' x 200) x ($padding / 200);
        push @pad, 'q' x ($padding % 200);
        my $difference = differing([@pad, (map { my $v = $_; $v } (@values[$index .. $#values], @values[0 .. $index])), 'end'])
            || differing({ pad => $pad[0], pad2 => 'r' x ($padding % 200), value => $values[$index], key => 1 });
        push @different, "$difference at $padding" if $difference;
    }
    is("@different", '', "value $index");
}

# What interrupts a run.
my @rows = map { my $i = $_; [1, 'text', \$shared, 2.5, $shared, { a => 1, b => [], c => 'x', d => \$shared, e => $i }] } 1 .. 50;
is(differing(\@rows), '', 'references among scalars');
my @holes = (1, 2);
@holes[5, 9] = (3, 4);
is(differing([\@holes, @holes[0 .. 1]]), '', 'holes');
is(differing([map { \$_ } @values]), '', 'references to scalars');
is(differing([(\@values) x 2, map { [$_] } @values]), '', 'met twice');
for my $count (0 .. 5, 63 .. 66, 200) {
    my %hash = map { ("k$_" => $_ % 3 ? $_ : $_ % 2 ? [$_] : "v$_") } 1 .. $count;
    is(differing([\%hash, { %hash, "\x{263a}" => 1 }, bless({ %hash }, 'A'), 1]), '', "hash of $count keys");
    local ($Storable::canonical, $Permafrost::canonical) = (1, 1);
    is(differing([\%hash, { %hash, "\x{263a}" => 1 }, bless({ %hash }, 'A'), 1]), '', '... sorted');
}

# Large hashes are listed by pieces: references at all distances.
for my $every (1 .. 5, 30 .. 35, 70, 500) {
    my %hash = map { ("key$_" => $_ % $every ? $_ % 7 ? $_ : "text $_" : $_ % 2 ? \$shared : { $_ => [$_] }) } 1 .. 1000;
    is(differing([\%hash, 1]), '', "1000 keys, each ${every}th with a reference");
}

done_testing;
