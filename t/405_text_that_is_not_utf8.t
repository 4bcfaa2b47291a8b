# Text marked as UTF-8 that is not: in strings, keys and code. Stock hands it to perl, which
# believes it. Permafrost puts U+FFFD in the place of each byte that does not belong there.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'stock makes malformed text' if is_stock();

my $bad = "\x{fffd}";
my %text = (
    'a byte of Latin-1'      => ["a\xe9b", "a${bad}b"],
    'cut in a character'     => ["\xe2\x98", $bad x 2],
    'cut before the next'    => ["\xe2\x98\xe2\x98\xba", "$bad$bad\x{263a}"],
    'a continuation alone'   => ["\x80", $bad],
    'continuations'          => ["\xbf" x 3, $bad x 3],
    'an overlong slash'      => ["\xc0\xaf", $bad x 2],
    'an overlong NUL'        => ["\xc0\x80", $bad x 2],
    'an overlong euro'       => ["\xf0\x82\x82\xac", $bad x 4],
    'a start at the end'     => ["abc\xf0", "abc$bad"],
    'FF alone'               => ["\xff", $bad],
    'FE alone'               => ["\xfe", $bad],
    'beyond what perl holds' => ["\xff\x80\x90" . "\x80" x 10, $bad x 13],
    'beyond what IVs hold'   => ["\xff\x80\x88" . "\x80" x 10, $bad x 13],
    'good around bad'        => ["\x{263a}\x{10ffff}" =~ s/(.+)/my $s = $1; utf8::encode($s); "$s\xff$s"/er, "\x{263a}\x{10ffff}$bad\x{263a}\x{10ffff}"],
    'long'                   => [scalar(("\xff" . 'x' x 20) x 100), scalar(($bad . 'x' x 20) x 100)],
);
for my $name (sort keys %text) {
    my ($bytes, $mended) = @{$text{$name}};
    my $length = pack 'N', length $bytes;
    my %image = (
        string => "\x02\0\0\0\1\x18$length$bytes",
        LOBJECT => "\x02\0\0\0\1\x21\x18" . be64(length $bytes) . $bytes,
        key    => "\x19\0\0\0\0\1\x05\1$length$bytes",
        'key from a scalar' => "\x19\0\0\0\0\1\x05\x08\x18$length$bytes",
    );
    $image{'short string'} = "\x02\0\0\0\1\x17" . chr(length $bytes) . $bytes if length $bytes < 256;
    for my $kind (sort keys %image) {
        my @warnings;
        local $SIG{__WARN__} = sub { push @warnings, @_ };
        my $data = pf->{thaw}->("\x05\x0b$image{$kind}");
        my ($got) = ref $data eq 'HASH' ? keys %$data : $data->[0];
        ok(utf8::valid($got), "$name, $kind: is sound");
        is($got, $mended, '... and mended');
        ok(exists $data->{$mended}, '... and found') if ref $data eq 'HASH';
        is("@warnings", '', '... in silence');
    }
}

# What is odd but sound for perl stays as it is.
no warnings;
for my $char (0xd800, 0xdfff, 0xfffe, 0xfdd0, 0x10ffff, 0x110000, 0x7fffffff, ~0 >> 1) {
    my $text = 'a' . chr($char) . 'b';
    same_everywhere(sprintf('U+%X', $char), [$text, {$text => $text}]);
}

# Two keys of an image may become one.
is_deeply(pf->{thaw}->("\x05\x0b\x19\0\0\0\0\2\x08\x81\1\0\0\0\1\xff\x08\x82\1\0\0\0\1\xfe"), {$bad => 2}, 'keys that become one: the last counts');

# Restricted hashes, placeholders
{
    my $data = pf->{thaw}->("\x05\x0b\x19\1\0\0\0\2\x08\x81\5\0\0\0\1\xff\x0e\x15\0\0\0\1a");
    is_deeply([map { ord } sort keys %$data], [0xfffd], 'a restricted hash');
    is(eval { $data->{other} = 1 }, undef, '... is locked');
}

# Code
{
    my $seen;
    local $Storable::Eval = sub { $seen = $_[0]; return sub { } };
    pf->{thaw}->("\x05\x0b\x04\x1a\x17\5{\"\xff\"}");
    is($seen, "sub {\"$bad\"}", 'code');
}

done_testing();
