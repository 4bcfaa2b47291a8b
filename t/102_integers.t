use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Integers: small ones and those around each power of two, in both orders.

same_everywhere('-300..300 as items', [-300 .. 300]);
my @small;
for my $i (-300 .. 300) {
    my $ref = \$i;
    for my $function (qw(freeze nfreeze)) {
        my $image = pf->{$function}->($ref);
        push @small, "$function $i" if $image ne st->{$function}->(\(my $copy = $i));
        push @small, "thaw $i" if ${pf->{thaw}->($image)} ne $i || ${st->{thaw}->($image)} ne $i;
    }
    push @small, "dclone $i" if ${pf->{dclone}->($ref)} ne $i;
}
is("@small", '', '-300..300 as roots');

for my $k (0 .. 63) {
    my $power = 1 << $k;
    my @near  = map { $power + $_ } -3 .. 3;
    push @near, map { -$_ } @near;
    same_everywhere("around 2**$k", \@near);
    same_everywhere("around 2**$k, each as root", $_) for map { \$_ } @near;
}
same_everywhere('around 2**64', [18446744073709551615, 18446744073709551614, 18446744073709551616,
    -18446744073709551615, 9223372036854775807, 9223372036854775808, -9223372036854775808,
    -9223372036854775809, ~0, ~0 - 1, ~0 >> 1, -(~0 >> 1), -(~0 >> 1) - 1]);

{
    # An unsigned flag on a value that fits a signed one, and the reverse.
    my $unsigned = ~0;
    $unsigned &= 5;
    my $large = ~0;
    $large -= 1;
    { use integer; $large |= 0 }
    same_everywhere('unsigned flag', [$unsigned, $large, 5 & ~0, ~5 & 0xff, 1 << 63]);
}

{
    my $string = '123';
    my $sum = $string + 1;
    my $number = 456;
    my $shown = "$number";
    my $big = 4294967296;
    my $big_shown = "$big";
    my $uv = 18446744073709551615;
    my $uv_shown = "$uv";
    same_everywhere('numbers and strings used as the other', [$string, $number, $big, $uv]);
    same_everywhere('a number used as a string', \$number);
    same_everywhere('a string used as a number', \$string);
}

# Integers in the images of other writers.
same_thaw('BYTE ' . ord($_), "\x05\x0b\x08$_") for "\x00", "\x7f", "\x80", "\x81", "\xff";
same_thaw('NETINT ' . unpack('H*', $_), "\x05\x0b\x09$_")
  for map { pack 'N', $_ } 0, 1, 127, 128, 255, 256, 0x7fffffff, 0x80000000, 0xffffffff;
my ($native) = pf->{freeze}->(\1) =~ /\A(.*)..\z/s;
same_thaw("INTEGER $_", $native . "\x06" . pack 'j', $_) for 0, 1, -1, 127, -129, ~0 >> 1, -(~0 >> 1) - 1;

# Storable leaves marks in the scalars that it writes, so these are new in each call: floats that
# are integers, around the bounds of integers of 4 and 8 bytes.
for my $power (31, 32, 53, 63, 64) {
    for my $number (2**$power, 2**$power - 1, -2**$power, -2**$power - 1) {
        my $new = sub { return [map { unpack 'F', pack 'F', $_ } $number] };
        same_outcome("$number as a float, $_", sub { $_[0]{$_}->($new->()) }) for qw(freeze nfreeze dclone);
    }
}

done_testing;
