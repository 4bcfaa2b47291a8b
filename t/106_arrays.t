use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Arrays: sizes, holes, &PL_sv_undef as an item, aliases.

same_everywhere("$_ items", [1 .. $_]) for 0 .. 5, 255, 256, 1000;
same_everywhere("$_ undefs", [(undef) x $_]) for 1 .. 3;

my @holes;
$holes[5] = 1;
same_everywhere('holes before', \@holes);
$#holes = 10;
same_everywhere('holes after', \@holes);
my @only;
$#only = 3;
same_everywhere('only holes', \@only);
my @deleted = (1 .. 6);
delete $deleted[2];
delete $deleted[5];
same_everywhere('deleted items', \@deleted);
my @shifted = (1 .. 10);
shift @shifted for 1 .. 4;
same_everywhere('shifted', \@shifted);
unshift @shifted, 'a', 'b';
same_everywhere('unshifted', \@shifted);
my @emptied = (1, 2);
@emptied = ();
same_everywhere('emptied', \@emptied);
my @touched;
my $there = defined $touched[3];
my $ref = \$touched[4];
same_everywhere('autovivified', \@touched);
my @preset;
$#preset = 100;
$#preset = -1;
same_everywhere('preset', \@preset);

my $args = sub { \@_ };
same_everywhere('undef as argument', $args->(undef));
same_everywhere('undefs as arguments', $args->(undef, 1, undef, undef));
same_everywhere('immortals as arguments', $args->(!!1, !!0, undef, !!1, !!0));
same_everywhere('references to immortals', [\undef, \undef, \!!1, \!!1, \!!0]);
{
    my ($x, $y) = (1, 'y');
    my @list = (5, 6);
    same_everywhere('same argument twice', $args->($x, $x));
    same_everywhere('same arguments', $args->($x, $y, $x, $y, 1, 1));
    same_everywhere('items as arguments', $args->(@list, @list, $list[0]));
    same_everywhere('arguments and their owner', [\@list, $args->(@list), \$list[1]]);
    same_everywhere('literals', $args->(1, 'a', 1.5, "\x{263a}"));
    my %h = (a => 1, b => 2);
    same_everywhere('hash values as arguments', [$args->(@h{qw(a b)}, $h{a}), \%h]);
    same_everywhere('missing hash value as argument', $args->($h{c}, $list[9]));
}

# An array that does not own its items.
sub { same_bytes('@_ itself', *_{ARRAY}); same_clone('@_ itself', *_{ARRAY}) }->(1, 'a', [2]);
{
    my $x = 'x';
    my @list = ([1], 2);
    sub { same_bytes('@_ with one item twice', *_{ARRAY}); same_clone('@_ with one item twice', *_{ARRAY}) }->($x, $x, "$x");
    sub { same_bytes('@_ with items of an array inside', *_{ARRAY}) }->(@list, \@list, @list);
    sub { same_bytes('@_ with undef', *_{ARRAY}) }->(undef, $x, undef, !!1, !!1);
}

same_everywhere('nested', [[], [[]], [[[]]], [1, [2, [3]]]]);
same_everywhere('aliases by foreach', do { my @a = (1, 2); my @r; push @r, \$_ for @a, @a; [\@a, \@r] });
{
    my @readonly = (1, 2);
    Internals::SvREADONLY(@readonly, 1);
    same_everywhere('read-only array', \@readonly);
    my @big = (1) x 20000;
    same_everywhere('20000 items', \@big);
}

# What other writers may do.
same_thaw('SV_UNDEF items',   "\x05\x0b\x02\0\0\0\x02\x0e\x0e");
same_thaw('SVUNDEF_ELEM',     "\x05\x0b\x02\0\0\0\x02\x1f\x1f");

# Elsewhere than in arrays stock leaves its placeholder in the data; any undef will do.
my $thawed = outcome(sub { pf->{thaw}->("\x05\x0b\x03\0\0\0\x01\x1f\0\0\0\x01a") })->{value};
is($thawed ? $thawed->{a} : undef, undef, 'SVUNDEF_ELEM as hash value');
$thawed = outcome(sub { pf->{thaw}->("\x05\x0b\x1f") })->{value};
is($thawed ? $$thawed : undef, undef, 'SVUNDEF_ELEM as root');
$thawed = outcome(sub { pf->{thaw}->("\x05\x0b\x04\x1f") })->{value};
is($thawed ? $$$thawed : undef, undef, 'SVUNDEF_ELEM referred to');
same_thaw('YES and NO items', "\x05\x0b\x02\0\0\0\x02\x0f\x10");
same_thaw('UNDEF referred to by tag', "\x05\x0b\x02\0\0\0\x02\x0e\0\0\0\0\x01");

done_testing;
