# A container, or code, where only a scalar can stand: as an item, a value, a key, or behind a
# tie. Some writer has left out the REF, or a tag names something unfinished. Stock puts the
# thing itself there, and perl chokes on it ("Bizarre copy of ARRAY") or crashes. Permafrost
# puts a reference there, so that $data->[0][1] works in both; what makes no sense is refused.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'stock puts containers into scalars\' places' if is_stock();

sub n { return pack 'N', $_[0] }
sub thaw { return pf->{thaw}->("\x05\x0b$_[0]") }
my ($array, $hash, $code) = ("\x02" . n(1) . "\x08\x81", "\x03" . n(1) . "\x08\x81" . n(1) . 'k', "\x1a\x0a\x05{ 1 }");

is_deeply(thaw("\x02" . n(3) . "\x08\x80$array$hash"), [0, [1], {k => 1}], 'containers as items');
is_deeply(thaw("\x03" . n(2) . $array . n(1) . 'a' . $hash . n(1) . 'h'), {a => [1], h => {k => 1}}, 'containers as values');
is_deeply(thaw("\x19\0" . n(1) . "$array\0" . n(1) . 'a'), {a => [1]}, '... of hashes with flags');
is_deeply(pf->{thaw}->("\3\x02" . n(1) . "\x02" . n(0) . 'XX'), [[]], '... of old formats');
{
    my $data = thaw("\x02" . n(3) . $array . "\0" . n(1) . "\x04\0" . n(1));
    is_deeply($data, [[1], [1], [1]], 'tags of such a container');
    push @{$data->[0]}, 'new';
    is_deeply($data, [([1, 'new']) x 3], '... are one array');
    $data->[0] = 'scalar';
    is_deeply($data, ['scalar', ([1, 'new']) x 2], '... and each place is a scalar');
}
{
    my $data = thaw("\x02" . n(2) . "\x08\x81\0" . n(0));
    is($data->[1], $data, 'a tag that names the array around it: a reference to it');
    is(length pf->{nfreeze}->($data), 15, '... which can be frozen');
    @$data = ();
}
{
    local $Storable::Eval = 1;
    is(ref thaw("\x02" . n(1) . $code)->[0], 'CODE', 'code as an item');
}
{
    package Place::Attach;
    sub STORABLE_attach { return bless {attached => 1}, $_[0] }
}
is(ref thaw("\x02" . n(1) . "\x13\x00\x0dPlace::Attach\0")->[0], 'Place::Attach',
    'a hook record of a scalar whose class attaches a hash');

# A million of them
{
    my $data = thaw(("\x02" . n(1)) x 100_000 . "\x05");
    my $depth = 0;
    for (my $at = $data; ref $at; $at = $at->[0]) { $depth++ }
    is($depth, 100_000, 'arrays in arrays without REF, 100,000 deep');
}

# Keys
for my $key ([$array, 'an array'], [$hash, 'a hash'], ["\x04\x05", 'a reference'], ["\0" . n(0), 'the hash itself']) {
    is(eval { thaw("\x19\0" . n(1) . "\x05\x08" . $key->[0]); 1 }, undef, "$key->[1] as a key is refused");
}

# Ties
{
    package Place::Tie;
    sub FETCH { return "fetched from @{$_[0]}" }
    sub FETCHSIZE { return 1 }
}
is(thaw("\x0b\x11\x0aPlace::Tie$array")->[0], 'fetched from 1', 'a tie to an object itself');
{
    my $ref = thaw("\x16\x11\x0aPlace::Tie$array" . n(0));
    is($$ref, 'fetched from 1', 'an item of a tie to an object itself');
}
my %refused = (
    'an array tied to itself'  => "\x0b\0" . n(0),
    'a hash tied to itself'    => "\x0c\0" . n(0),
    'a scalar tied to itself'  => "\x04\x0d\0" . n(1),
    'an item of itself'        => "\x04\x16\0" . n(1) . n(0),
    'a value of itself'        => "\x04\x15\0" . n(1) . "\x05",
    'a scalar tied to a tied one' => "\x04\x0d\x0d\x0a\1a",
    'two scalars tied to each other' => "\x04\x0d\x0d\0" . n(1),
    'a tied value whose key is an array' => "\x04\x15\x0a\1a$array",
    'a tied value whose key is tied'     => "\x04\x15\x0a\1a\x0d\x0a\1a",
);
for my $name (sort keys %refused) {
    my $got = in_child(sub {
        my $data = eval { thaw($refused{$name}) };
        return clean_message($@) if !defined $data;
        eval { my $value = ref $data eq 'ARRAY' ? $data->[0] : ref $data eq 'HASH' ? $data->{a} : $$data };
        return 'data';
    });
    is($got, 'Corrupted storable string (binary v2.11)', "$name is refused");
}

done_testing();
