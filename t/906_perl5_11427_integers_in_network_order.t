# perl5 11427: which integers nfreeze writes as numbers, and which as text.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my %wire = (
    0 => '0880', 127 => '08ff', -128 => '0800',
    128 => '0900000080', -129 => '09ffffff7f',
    2**31 - 1 => '097fffffff', -(2**31) => '0980000000',
    2**31 => '0a0a' . unpack('H*', '2147483648'), 2**32 => '0a0a' . unpack('H*', '4294967296'),
    -(2**31) - 1 => '0a0b' . unpack('H*', '-2147483649'),
);
for my $number (sort { $a <=> $b } keys %wire) {
    my $integer = int $number;
    is(unpack('H*', pf->{nfreeze}->([$integer])), '050b0200000001' . $wire{$number}, "nfreeze of $number");
    is(pf->{thaw}->(pf->{nfreeze}->([$integer]))->[0], $integer, '... comes back');
}
for my $power (1 .. 63) {
    same_bytes("around 2**$power", [map { my $p = 1 << $power; ($p + $_, -$p - $_) } -2 .. 2]);
}

done_testing();
