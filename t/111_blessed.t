use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Blessed things of every kind, many classes, long and wide names.

my %make = (
    hash     => sub { {a => 1} },
    array    => sub { [1, 2] },
    scalar   => sub { \(my $x = 5) },
    undef    => sub { \my $x },
    string   => sub { \(my $x = 'text') },
    ref      => sub { \(my $x = [1]) },
    'ref to object' => sub { \(my $x = bless [], 'Inner::Class') },
    regexp   => sub { qr/abc/i },
    vstring  => sub { \(my $x = v1.2.3) },
    empty    => sub { {} },
    'empty array' => sub { [] },
    'UTF-8 hash'  => sub { {"\x{100}" => 1} },
    tied     => sub { tie my %h, 'Blessed::Tie'; \%h },
);
{ package Blessed::Tie; sub TIEHASH { bless {a => 1} } sub FETCH { 1 } sub FIRSTKEY { } }
my $upgraded = "Class\xe9";
utf8::upgrade($upgraded);
my @class = ('A', 'Some::Class', 'main', '0', 'L' x 126, 'L' x 127, 'L' x 128, 'L' x 129, 'L' x 255, 'L' x 256, 'L' x 300,
    "Class\xe9", $upgraded, "Class\x{263a}", "\x{263a}" x 60, "with space", "a'b", '::', 'main::X', '1');
for my $kind (sort keys %make) {
    for my $class (@class) {
        my $shown = length $class > 40 ? 'long ' . length $class : join '', map { ord > 126 ? sprintf '\\x{%x}', ord : $_ } split //, $class;
        my $object = bless $make{$kind}->(), $class;
        same_everywhere("$kind in $shown", $object);
        same_everywhere("$kind in $shown, twice", [$object, bless($make{$kind}->(), $class), $object]);
    }
}
for my $count (1, 2, 127, 128, 129, 255, 256, 300, 1000) {
    same_everywhere("$count classes", [map { bless [$_], "Class::Number$_" } 1 .. $count]);
    same_everywhere("$count classes, each again", [map { bless [$_], "Class::Number" . ($_ % $count) } 1 .. 2 * $count]);
}
same_everywhere('object in object', bless {a => bless([bless \(my $x = 1), 'C'], 'B')}, 'A');
same_everywhere('same class inside', bless [bless [bless [], 'A'], 'A'], 'A');
{
    my $self = bless {}, 'Self';
    $self->{self} = $self;
    same_everywhere('circular object', $self);
    my @list = (1, 2);
    bless \$list[0], 'Item';
    same_everywhere('blessed item', \@list);
    my %h = (a => 1);
    bless \$h{a}, 'Value';
    same_everywhere('blessed value', \%h);
    # Stock Storable 3.26 ends with SIGSEGV here.
    my $x = bless [], 'Gone::Class';
    undef %Gone::Class::;
    my $answer = is_stock() ? 'answer' : in_child(sub { eval { pf->{dclone}->($x); pf->{thaw}->(pf->{freeze}->($x)) }; 'answer' });
    is($answer, 'answer', 'class whose stash was emptied');
}
SKIP: {
    skip "Storable ends a class's name at a NUL", 3 if is_stock();
    my $object = bless [bless {}, 'Nul'], "Nul\0Tail";
    is(ref $_, "Nul\0Tail", 'class with a NUL') for pf->{dclone}->($object), map { pf->{thaw}->(pf->{$_}->($object)) } qw(freeze nfreeze);
}

for my $flags (0 .. 7) {
    local $Storable::flags = $flags;
    my $image = st->{freeze}->([bless({}, 'A'), bless([1], 'B'), bless(\(my $x = 1), 'A')]);
    same_thaw("flags $flags", $image);
    same_outcome("flags $flags as argument", sub { $_[0]{thaw}->($image, $flags) });
}

same_thaw('BLESS with long form of a short name', "\x05\x0b\x11\x80\0\0\0\x01A\x02\0\0\0\0");
same_thaw('IX_BLESS with long form', "\x05\x0b\x02\0\0\0\x02\x04\x11\x01A\x02\0\0\0\0\x04\x12\x80\0\0\0\0\x02\0\0\0\0");
same_thaw('IX_BLESS of a class not given', "\x05\x0b\x12\x00\x02\0\0\0\0");
same_thaw('BLESS twice', "\x05\x0b\x11\x01A\x11\x01B\x02\0\0\0\0");
same_thaw('BLESS of an item', "\x05\x0b\x02\0\0\0\x01\x11\x01A\x08\x81");

done_testing;
