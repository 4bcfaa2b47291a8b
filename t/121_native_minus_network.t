# By how much freeze's image is longer than nfreeze's, where the data themselves take the same
# bytes in both: by the description of the machine. 13 bytes where integers have 8 bytes, 9 where
# they have 4. Measured, with Permafrost and with Storable.
use strict;
use warnings;
use Config;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my %difference = (8 => 13, 4 => 9);     # by the bytes of an integer
my @data = (
    ['a hash of strings', {name => 'Permafrost', language => 'Perl'}],
    ['small integers',    [-128 .. 127]],
    ['an empty array',    []],
    ['an object',         bless {list => [1, 2, 3], text => "\x{263a}"}, 'Some::Class'],
);
for my $data (@data) {
    my ($name, $ref) = @$data;
    for my $module (is_stock() ? st : (pf, st)) {
        my ($native, $network) = map { $module->{$_}->($ref) } qw(freeze nfreeze);
        is(length($native) - length($network), $difference{$Config{ivsize}},
            "$name, $module->{name}: the length differs");
    }
}

done_testing;
