# perl5 15238: strings of 2**31 - 1, 2**31 and 2**31 + 1 bytes. Needs 24 GiB of memory and some
# minutes, so it runs only if PERMAFROST_TEST_MEMORY says how many GiB there are.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'set PERMAFROST_TEST_MEMORY to 24 (GiB) to run it' if ($ENV{PERMAFROST_TEST_MEMORY} || 0) < 24;

for my $length (2**31 - 1, 2**31, 2**31 + 1) {
    is(in_child(sub {
        my $string = 'x' x $length;
        substr($string, -3) = 'end';
        my $image = pf->{nfreeze}->(\$string);
        my $marker = unpack 'H*', substr $image, 2, 2;
        undef $string;
        my $back = pf->{thaw}->($image);
        return join ' ', $marker, length $$back, substr $$back, -4;
    }), ($length < 2**31 ? '017f' : '2101') . " $length xend", "$length bytes");
}

done_testing();
