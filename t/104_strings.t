use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Strings: lengths around each limit, bytes and UTF-8.

my @length = (0 .. 3, 126 .. 129, 253 .. 258, 511, 512, 513, 1000, 65535, 65536, 70000);
for my $length (@length) {
    my $bytes = "\xe9" x $length;
    my $upgraded = $bytes;
    utf8::upgrade($upgraded);
    my %string = (
        ascii    => 'a' x $length,
        bytes    => $bytes,
        upgraded => $upgraded,
        wide     => "\x{263a}" x $length,
        'ascii, flag on' => do { my $s = 'a' x $length; utf8::upgrade($s); $s },
    );
    same_everywhere("$_ x $length", \$string{$_}) for sort keys %string;
    same_everywhere("all x $length", [map { $string{$_} } sort keys %string]);
}
for my $octets (250 .. 260) {
    my $text = "\x{263a}" x ($octets / 3);
    $text .= 'x' while do { use bytes; length $text } < $octets;
    same_everywhere("UTF-8 of $octets octets", [$text]);
}
same_everywhere('every byte', [join('', map { chr } 0 .. 255), map { chr } 0 .. 255]);
same_everywhere('code points', [map { no warnings; chr } 0x100, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdfff, 0xfffd, 0xfffe,
    0xffff, 0x10000, 0x10ffff, 0x110000, 0x7fffffff]);
same_everywhere('zero bytes', ["\0", "a\0b", "\0\0\0", "\x{100}\0"]);
{
    my $text = "\x{263a}abc";
    my $n = length $text;
    my $at = index $text, 'b';
    chop(my $chopped = "abc\x{263a}");
    same_everywhere('UTF-8 with caches', [$text, $chopped]);
    my $long = 'x' x 100_000;
    my $copy = $long;
    same_everywhere('copy-on-write', [$long, $copy, \$copy]);
    my %h = (key => 1);
    my ($key) = keys %h;
    same_everywhere('shared key as value', [$key, \$key]);
}

# Lengths that writers need not use.
same_thaw('LSCALAR short',  "\x05\x0b\x01\0\0\0\x03abc");
same_thaw('LUTF8STR short', "\x05\x0b\x18\0\0\0\x03\xe2\x98\xba");
same_thaw('UTF8STR empty',  "\x05\x0b\x17\x00");
same_thaw('SCALAR empty',   "\x05\x0b\x0a\x00");
same_thaw('UTF8STR ascii',  "\x05\x0b\x17\x03abc");

for my $image (map { pf->{nfreeze}->($_) } [1, 'a'], {"\xe9" => "\x{263a}"}) {
    my $upgraded = $image;
    utf8::upgrade($upgraded);
    same_thaw('image with UTF-8 flag', $upgraded);
}
same_thaw('image with wide characters', "\x05\x0b\x0a\x01\x{263a}");

done_testing;
