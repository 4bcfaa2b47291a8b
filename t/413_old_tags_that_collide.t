# The oldest format gives each object a number of the image's own choice. No choice of them may
# make reading slow: here are those that once fell into one slot of a table (their product with
# 0x9E3779B97F4A7C15 is small), beside as many ordinary ones.
use strict;
use warnings;
use Config;
use lib 't/lib';
use Test::More;
use PermafrostTest;
no warnings 'portable';

plan skip_all => 'stock Storable reads them in its own way' if is_stock();
plan skip_all => 'needs integers of 8 bytes' if $Config{ivsize} < 8;

my $COUNT = 60_000;

# Little-endian, with longs of 8 bytes; items are UNDEF, then each once more by its number.
sub image {
    my $tags = shift;
    return "\0\x0812345678\x04\x08\x08" . pack('q<', 1) . "\x02" . pack('V', 2 * @$tags)
        . join('', (map { 'i' . pack('q<', $_) . "\x05X" } @$tags), map { 'i' . pack('q<', $_) . "\0" } @$tags) . 'X';
}

sub seconds {
    my $image = shift;
    my $start = (times)[0];
    my $data  = pf->{thaw}->($image);
    my $took  = (times)[0] - $start;
    is(scalar @$data, 2 * $COUNT, 'all items are there');
    is(\$data->[$COUNT + 1], \$data->[1], '... the numbers are told apart');
    return $took;
}

my $inverse = do { use integer; my $x = 1; $x *= 2 - 0x9E3779B97F4A7C15 * $x for 1 .. 6; $x };
is(do { use integer; $inverse * 0x9E3779B97F4A7C15 }, 1, 'the inverse is one');
my $plain = seconds(image([2 .. $COUNT + 1]));
my $bad   = seconds(image([map { use integer; $_ * $inverse } 2 .. $COUNT + 1]));
cmp_ok($bad, '<', 10 * $plain + 1, 'as fast as with ordinary numbers') or diag "$bad s, $plain s";

done_testing;
