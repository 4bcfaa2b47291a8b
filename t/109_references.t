use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# References: to references, shared, circular.

my ($x, $y) = (1, 'two');
my @list = (1, 2, 3);
my %hash = (a => 1, b => [2]);

same_everywhere('reference to reference', \\1);
same_everywhere('five levels', \\\\\'deep');
same_everywhere('shared scalar', [\$x, \$x, \$x]);
same_everywhere('shared scalar at several levels', [\$x, {x => \$x}, \\$x, [[\$x]]]);
same_everywhere('shared reference', do { my $r = [1]; [\$r, \$r, $r] });
same_everywhere('shared array and hash', [\@list, \%hash, {l => \@list, h => \%hash}]);
same_everywhere('references to items', [\@list, \$list[0], \$list[2], \$list[0]]);
same_everywhere('references to items, first', [\$list[1], \@list]);
same_everywhere('references to values', [\$hash{a}, \%hash, \$hash{b}, $hash{b}]);
same_everywhere('two roads', do { my $shared = {s => 1}; {a => [$shared], b => {c => $shared}} });
same_everywhere('same text, other scalars', ['same', 'same', \'same', \'same']);

{
    my @circle = (1);
    push @circle, \@circle;
    same_everywhere('circular array', \@circle);
    my %circle = (a => 1);
    $circle{self} = \%circle;
    same_everywhere('circular hash', \%circle);
    my $self;
    $self = \$self;
    same_everywhere('reference to itself', \$self);
    same_everywhere('reference to itself, inside', [$self, \$self]);
    my ($p, $q);
    $p = \$q;
    $q = \$p;
    same_everywhere('two references', \$p);
    my $a = {name => 'a'};
    my $b = {name => 'b', friend => $a};
    $a->{friend} = $b;
    same_everywhere('friends', [$a, $b]);
    my $item = [undef];
    $item->[0] = \$item->[0];
    same_everywhere('item that refers to itself', $item);
    my @ring = map { {n => $_} } 1 .. 50;
    $ring[$_]{next} = $ring[($_ + 1) % 50] for 0 .. 49;
    $ring[$_]{before} = $ring[$_ - 1] for 0 .. 49;
    same_everywhere('ring', $ring[0]);
    my $tree = {children => []};
    push @{$tree->{children}}, {parent => $tree, n => $_} for 1 .. 10;
    same_everywhere('tree with parents', $tree);
    same_everywhere('tree from inside', $tree->{children}[3]);
}
{
    my $many = [];
    push @$many, $many->[int $_ / 3] || [$_] for 0 .. 500;
    same_everywhere('many shared', $many);
    my $object = bless {}, 'Some::Object';
    same_everywhere('shared object', [$object, [$object], {o => $object}]);
    same_everywhere('object referred to', \$object);
    my @matrix = map { [1 .. 5] } 1 .. 5;
    same_everywhere('references into rows', [\@matrix, map { \$matrix[$_][$_] } 0 .. 4]);
}

# The kinds of public report perl5 18409: what follows a thing must keep its number.
{
    my %kind = (
        regexp => qr/abc/, code_free => sub { \@_ }->(undef), array => [1], hash => {1, 2}, scalar => \1,
        vstring => \v1.2, object => bless([], 'K'), undef => \undef, true => \!!1, holes => do { my @h; $h[2] = 1; \@h },
        utf8 => {"\x{100}" => 1}, long => \('x' x 300), number => \1e40, tied => do { tie my @t, 'TieArray'; \@t },
        element => do { tie my @t, 'TieArray'; \$t[2] }, key => do { tie my %t, 'TieHash'; \$t{k} },
    );
    { package TieArray; sub TIEARRAY { bless [] } sub FETCH { 1 } sub FETCHSIZE { 2 }
      package TieHash; sub TIEHASH { bless {} } sub FETCH { 1 } sub FIRSTKEY { } }
    for my $name (sort keys %kind) {
        my $shared = {};
        same_everywhere("shared after $name", [$kind{$name}, $shared, $shared, $kind{$name}]);
        same_everywhere("shared after $name in a hash", {a => $kind{$name}, b => $shared, c => $shared});
    }
}

same_thaw('tag of the root',     "\x05\x0b\x02\0\0\0\x01\x04\0\0\0\0\0");
same_thaw('tag not yet given',   "\x05\x0b\x02\0\0\0\x01\0\0\0\0\x09");
same_thaw('tag of itself',       "\x05\x0b\x02\0\0\0\x01\x04\0\0\0\0\x01");
same_thaw('OBJECT as item',      "\x05\x0b\x02\0\0\0\x02\x08\x81\0\0\0\0\x01");
same_thaw('OBJECT as root',      "\x05\x0b\0\0\0\0\0");

done_testing;
