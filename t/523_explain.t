#!/usr/bin/perl
# permafrost explain: every byte belongs to one row, with its meaning and its path.
use strict;
use warnings;
use Config;
use FindBin;
use lib "$FindBin::Bin/lib";
use ImageCommands qw(permafrost);
use Permafrost qw(freeze nfreeze);
use Permafrost::Image;
use Test::More;

{ package Hooked; sub STORABLE_freeze { return ('text', [1]) } }

my $shared = [1];
my $data = [$shared, $shared, { k => -1.5, 'k k' => \\'x' }, 1000, 2**40, 0.1, undef, "\x{263a}", qr/a/i, \v1.2,
    bless({}, 'Hooked'), bless([], 'A'), bless([], 'A'), 'long ' x 100];

# The one beyond 32 bits is a double where integers have no more.
my $texts = $Config{ivsize} == 8 ? [1, 2] : [0, 3];

my $header = 5 + $Config{ivsize};
my ($native, $more) = map { $_, $_ - 26 } length freeze([1000, { a => 'b' }]);
is((permafrost(['explain', '-'], nfreeze([1000, { a => 'b' }])))[0], <<"TEXT", 'rows');
00000000  05                         header       network order, format 2
00000001  0b                         header       minor version 11
00000002  02 00000002                ARRAY        2 items                                 \$
00000007  09 000003e8                NETINT       1000 (native: INTEGER)                  \$->[0]
0000000c  04                         REF          a reference                             \$->[1]
0000000d  03 00000001                HASH         1 key                                   \$->[1]
00000012  0a 0162                    SCALAR       1 byte: "b"                             \$->[1]{a}
00000015  00 00000161                key          "a"                                     \$->[1]

In this machine's native order: $native bytes, +$more; the header +$header
  1 x NETINT becomes INTEGER
TEXT

for my $way (['native', freeze($data)], ['network', nfreeze($data)], ['in a file', 'pst0' . freeze($data)], ['more behind it', nfreeze($data) . 'more']) {
    my ($name, $image) = @$way;
    # The bytes of all rows, one behind the other, are the image.
    my ($bytes, $next) = ('', 0);
    for (split /\n/, Permafrost::Image->new($image)->explain) {
        last if !length;
        my ($offset, $hex) = /\A([0-9a-f]{8})  ((?:[0-9a-f]{2})(?: ?[0-9a-f]+)?)/ or fail("a row: $_");
        is(hex $offset, length $bytes, "$name: offset $offset") if hex $offset != length $bytes;
        $bytes .= pack 'H*', $hex =~ tr/ //dr;
    }
    is(unpack('H*', $bytes), unpack('H*', $image), "$name: every byte once");

    SKIP: {
        eval { require JSON::PP; 1 } or skip 'no JSON::PP', 3;
        my $rows = JSON::PP->new->utf8->decode((permafrost(['explain', '--json', '-'], $image))[0]);
        is(join('', map { $_->{bytes} } @$rows), unpack('H*', $image), "$name: --json has them, too");
        my $sum = JSON::PP->new->utf8->decode((permafrost(['explain', '--json', '--summary', '-'], $image))[0]);
        my ($bytes, $count) = (0, 0);
        $bytes += $_->{bytes} for values %{ $sum->{markers} };
        is($bytes, length $image, "$name: --summary counts all bytes");
        my $other = $sum->{other_order};
        my $expected = $name eq 'native' ? nfreeze($data) : $name eq 'in a file' ? 'pst0' . nfreeze($data) : Permafrost::Image->convert(nfreeze($data), order => 'native');
        is($other->{bytes}, length $expected, "$name: the size in the other order");
        is_deeply([@$other{qw(integers_to_strings doubles_to_strings)}], $name =~ /native|file/ ? $texts : [0, 0], "$name: what becomes text");
    }
}

# Which doubles lose digits.
SKIP: {
    skip 'floats of another size', 3 if $Config{nvsize} != 8;
    my $doubles = freeze([0.1, 1.5, 1 / 3, 0.1 + 0.2, 1e300, 2**0.5]);
    my $text = Permafrost::Image->new($doubles)->explain;
    is(() = $text =~ /loses digits/g, 3, 'doubles that 15 digits do not give back');
    like($text, qr/DOUBLE       0\.3 \(network: "0\.3", loses digits\) +\$->\[3\]/, '0.1 + 0.2');
    like($text, qr/^  6 x DOUBLE becomes a decimal string\n  3 of these lose digits$/m, 'and their number');
}

# Damage: what comes before it is explained.
my ($output, $errors, $status) = permafrost(['explain', '-'], "\5\13\2\0\0\0\2\10\201\143");
like($output, qr/BYTE         1 +\$->\[0\]/, 'up to the damage');
is($errors, "-: unknown marker 99 (byte 9, at \$->[1])\n", 'what and where');
is($status, 1, 'exit status');

done_testing;
