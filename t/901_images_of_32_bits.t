# mojo 151, pgbadger 429, pipe-viewer 75, openfoodfacts 94: a native image written on a machine
# of 32 bits, read on one of 64, or back: "Byte order is not compatible". Right: it is read; who
# wants it strict is told both sides.
use strict;
use warnings;
use lib 't/lib';
use Config;
use Test::More;
use PermafrostTest;

plan skip_all => 'stock refuses them' if is_stock();

sub image { my ($order, $int, $long, $ptr, $body) = @_; return "\x04\x0b" . chr(length $order) . $order . join '', map({ chr } $int, $long, $ptr, 8), $body }
my %little = (hash => "\x03\2\0\0\0\x06\xfe\xff\xff\xff\1\0\0\0a\x07" . pack('d<', 0.5) . "\1\0\0\0b");
my %image = (
    '32 bits, little-endian' => image('1234', 4, 4, 4, $little{hash}),
    '32 bits, big-endian'    => image('4321', 4, 4, 4, "\x03\0\0\0\2\x06\xff\xff\xff\xfe\0\0\0\1a\x07" . pack('d>', 0.5) . "\0\0\0\1b"),
    '64-bit integers on 32'  => image('12345678', 4, 4, 4, "\x03\2\0\0\0\x06" . scalar(reverse be64(-2)) . "\1\0\0\0a\x07" . pack('d<', 0.5) . "\1\0\0\0b"),
    '64 bits, big-endian'    => image('87654321', 4, 8, 8, "\x03\0\0\0\2\x06" . be64(-2) . "\0\0\0\1a\x07" . pack('d>', 0.5) . "\0\0\0\1b"),
);
for my $name (sort keys %image) {
    is_deeply(pf->{thaw}->($image{$name}), {a => -2, b => 0.5}, "$name: read");
    my ($order) = $image{$name} =~ /(\d{4,8})/;
    next if $order eq $Config{byteorder} && substr($image{$name}, 3 + length $order, 4) eq pack 'C4', @Config{qw(intsize longsize ptrsize nvsize)};
    no warnings 'once';
    local $Permafrost::accept_foreign = 0;
    is(eval { pf->{thaw}->($image{$name}); 1 }, undef, '... refused where it shall be');
    like($@, qr/^(?:Byte order|Long integer size) is not compatible/, '... as Storable says it');
    like($@, qr/$order.*$Config{byteorder}|$Config{byteorder}.*$order/, '... with both sides');
}

done_testing();
