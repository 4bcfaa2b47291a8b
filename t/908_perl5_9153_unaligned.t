# perl5 9153, 7126: images at odd addresses (strict machines died of a bus error). The
# numbers of a native image come at every offset, in images at every alignment.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my @numbers = (1 << 20, 2.5, 1 << 31, -1e300, 300, -70000);
for my $pad (0 .. 16) {
    my $data = ['x' x $pad, @numbers, {'k' x $pad => [@numbers]}];
    for my $function (qw(freeze nfreeze)) {
        my $image = st->{$function}->($data);
        my $expected = tagged(st->{thaw}->($image));
        for my $shift (0 .. 8) {
            my $buffer = ('-' x $shift) . $image;
            substr $buffer, 0, $shift, '';    # perl moves the start, not the bytes
            is(tagged(pf->{thaw}->($buffer)), $expected, "$function, padding $pad, shifted by $shift")
              if $shift < 3 || $pad == 5;
        }
        is(unpack('H*', pf->{$function}->($data)), unpack('H*', $image), "$function, padding $pad");
    }
}

done_testing();
