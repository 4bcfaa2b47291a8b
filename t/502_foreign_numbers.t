# Numbers of other machines: every byte order and size, integers that do not fit into this perl's,
# floats of 12 and 16 bytes; also in the old formats. And the refusal, if one wants it.
use strict;
use warnings;
use Config;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'about Permafrost' if is_stock();

# A native image as a machine with these sizes writes it; $body is called with a function that
# puts bytes, given in big-endian order, into the machine's.
sub image {
    my ($order, $sizes, $body, $version) = @_;
    my $little = $order =~ /\A1/;
    my $put = sub { return $little ? scalar reverse $_[0] : $_[0] };
    my @sizes = split ' ', $sizes;
    return ($version || "\x04\x0b") . chr(length $order) . $order . join('', map { chr } @sizes) . $body->($put);
}
my @orders = qw(1234 4321 12345678 87654321);
my @sizes  = ('4 4 4', '4 4 8', '4 8 4', '4 8 8');

# ---- Integers, lengths and counts.
for my $order (@orders) {
    for my $sizes (@sizes) {
        my $image = image($order, "$sizes 8", sub {
            my $put = shift;
            my $iv = sub { "\x06" . $put->(length $order == 8 ? be64($_[0]) : pack 'l>', $_[0]) };
            return "\x02" . $put->(pack 'N', 6) . $iv->(100000) . $iv->(-100000) . "\x08\x7f"
                . "\x01" . $put->(pack 'N', 3) . 'abc' . "\x07" . $put->(pack 'd>', -0.375)
                . "\x04\x03" . $put->(pack 'N', 1) . "\x09" . pack('N', 70000) . $put->(pack 'N', 3) . 'key';
        });
        is_deeply(pf->{thaw}->($image), [100000, -100000, -1, 'abc', -0.375, {key => 70000}], "order $order, sizes $sizes");
        my $cut = substr $image, 0, -1;
        is(pf->{thaw}->($cut), undef, '... and cut');
    }
}

# Hook lists and OBJECT are big-endian everywhere.
{
    package Foreign::Hook;
    sub STORABLE_thaw { my ($self, $cloning, $string, @refs) = @_; @$self = ($string, @refs); return }
}
for my $order (@orders) {
    my $data = pf->{thaw}->(image($order, '4 4 4 8', sub {
        my $put = shift;
        return "\x02" . $put->(pack 'N', 2) . "\x04\x13\x49" . "\x02" . $put->(pack 'N', 0)
            . "\x9d" . $put->(pack 'N', 13) . 'Foreign::Hook' . $put->(pack 'N', 2) . 'hi' . $put->(pack 'N', 1) . pack('N', 3)
            . "\x04\0" . pack('N', 3);
    }));
    is_deeply($data, [bless(['hi', []], 'Foreign::Hook'), []], "a hook record in $order");
    is($data->[0][1], $data->[1], '... with its reference');
}

SKIP: {
    skip 'integers of 8 bytes here', 1 if $Config{ivsize} >= 8;
    my @values = map { pf->{thaw}->(image('87654321', '4 8 8 8', sub { "\x06" . $_[0]->(pack 'NN', @$_) })) }
        [0, 0x80000000], [0xffffffff, 0x7fffffff], [1, 0];
    is_deeply([map { $$_ } @values], [2147483648, -2147483649, 4294967296], 'integers that do not fit');
}

# ---- Floats. The same value in each layout, and the double that it must become, as bytes.
my @layouts = (
    ['x87, 12 bytes',       '1234',     '4 4 4 12'],
    ['x87, 16 bytes',       '12345678', '4 8 8 16'],
    ['m68k',                '4321',     '4 4 4 12'],
    ['quad, big-endian',    '87654321', '4 8 8 16'],
    ['quad, little-endian', '12345678', '4 8 8 16'],
    ['pair',                '87654321', '4 4 4 16'],
);
# x87 as exponent and mantissa, quad as two words, a pair as two doubles; the double.
my %value = (
    'one'               => ['3fff 8000000000000000', '3fff000000000000 0000000000000000', '3ff0000000000000 0000000000000000', '3ff0000000000000'],
    'minus 1.5'         => ['bfff c000000000000000', 'bfff800000000000 0000000000000000', 'bff8000000000000 0000000000000000', 'bff8000000000000'],
    'a tenth'           => ['3ffb cccccccccccccccd', '3ffb999999999999 999999999999999a', '3fb999999999999a bc5999999999999a', '3fb999999999999a'],
    'tie to even, down' => ['3fff 8000000000000400', '3fff000000000000 0800000000000000', '3ff0000000000000 3ca0000000000000', '3ff0000000000000'],
    'tie to even, up'   => ['3fff 8000000000000c00', '3fff000000000000 1800000000000000', '3ff0000000000001 3ca0000000000000', '3ff0000000000002'],
    'above a tie'       => ['3fff 8000000000000401', '3fff000000000000 0800000000000001', '3ff0000000000000 3ca0000000000001', '3ff0000000000001'],
    'below a tie'       => ['3fff 8000000000000bff', '3fff000000000000 17ffffffffffffff', '3ff0000000000001 3c9fffffffffffff', '3ff0000000000001'],
    'carries over'      => ['3fff ffffffffffffffff', '3fffffffffffffff ffffffffffffffff', '4000000000000000 b970000000000000', '4000000000000000'],
    'infinity'          => ['7fff 8000000000000000', '7fff000000000000 0000000000000000', '7ff0000000000000 0000000000000000', '7ff0000000000000'],
    'minus infinity'    => ['ffff 8000000000000000', 'ffff000000000000 0000000000000000', 'fff0000000000000 0000000000000000', 'fff0000000000000'],
    'too great'         => ['43ff 8000000000000000', '43ff000000000000 0000000000000000', undef, '7ff0000000000000'],
    'rounds to infinity'=> ['43fe fffffffffffffc00', '43feffffffffffff f800000000000000', undef, '7ff0000000000000'],
    'the greatest'      => ['43fe fffffffffffffbff', '43feffffffffffff f7ffffffffffffff', '7fefffffffffffff 7c8fffffffffffff', '7fefffffffffffff'],
    'subnormal'         => ['3c00 ffffffffffffffff', '3c00ffffffffffff ffffffffffffffff', undef, '0010000000000000'],
    'the least'         => ['3bcd 8000000000000000', '3bcd000000000000 0000000000000000', '0000000000000001 0000000000000000', '0000000000000001'],
    'half the least'    => ['3bcc 8000000000000000', '3bcc000000000000 0000000000000000', undef, '0000000000000000'],
    'more than half'    => ['3bcc 8000000000000001', '3bcc000000000000 0000000000000001', undef, '0000000000000001'],
    'far too small'     => ['8001 8000000000000000', '8001000000000000 0000000000000000', undef, '8000000000000000'],
    'minus zero'        => ['8000 0000000000000000', undef, '8000000000000000 0000000000000000', '8000000000000000'],
    'no number'         => ['7fff c000000000000000', '7fff800000000000 0000000000000000', '7ff8000000000000 0000000000000000', 'nan'],
);
sub shown { return $_[0] != $_[0] ? 'nan' : unpack 'H*', pack 'd>', $_[0] }
for my $layout (@layouts) {
    my ($name, $order, $sizes) = @$layout;
    for my $value (sort keys %value) {
        my ($extended, $quad, $pair, $double) = @{$value{$value}};
        my $hex = $name =~ /x87|m68k/ ? $extended : $name =~ /quad/ ? $quad : $pair;
        next unless defined $hex;
        # x87 and quad in 16 little-endian bytes are told apart by the exponent of a quad.
        my $bytes = join '', map { pack 'H*', $_ } split ' ', $hex;
        if    ($name =~ /x87/)  { $bytes = "\0" x ($sizes =~ /(\d+)\z/ ? $1 - 10 : 0) . $bytes }
        elsif ($name =~ /m68k/) { substr $bytes, 2, 0, "\0\0" }
        my $data = pf->{thaw}->(image($order, $sizes, sub { "\x07" . $_[0]->($bytes) }));
        SKIP: {
            skip 'floats of 8 bytes here', 1 if $Config{nvsize} != 8;
            is(shown($$data), $double, "$name: $value");
        }
    }
}

# ---- The old formats: an integer in an array, from a machine of each kind.
for my $order (@orders) {
    my $iv = length $order == 8 ? \&be64 : sub { return pack 'l>', shift };
    for my $long (4, 8) {
        my $tag = sub { my ($put, $n) = @_; return $put->($long == 8 ? be64($n) : pack 'l>', $n) };
        my $one = image($order, "4 $long 8", sub {
            my $put = shift;
            # How long a float is, such an image does not say: as it is here.
            return "\x02" . $put->(pack 'N', 2) . "\x06" . $put->($iv->(100000)) . 'X'
                . ($Config{nvsize} == 8 ? "\x07" . $put->(pack 'd>', 2.5) : "\x0a\x032.5") . 'XX';
        }, "\x02");
        is_deeply(pf->{thaw}->($one), [100000, 2.5], "format 1: $order, long $long");
        my $tagged = sub {
            my $put = shift;
            return $tag->($put, 77) . "\x02" . $put->(pack 'N', 3)
                . 'i' . $tag->($put, 78) . "\x06" . $put->($iv->(100000)) . 'X'
                . 'I' . 'i' . $tag->($put, 78) . "\0" . 'X';
        };
        my $zero = image($order, "4 $long 8", $tagged, "\0");
        my $data = pf->{thaw}->($zero);
        is_deeply($data, [100000, undef, 100000], "format 0: $order, long $long");
        is(\$data->[0], \$data->[2], '... its tags are understood');
        my $file = 'perl-store' . image($order, "4 $long 8", $tagged, "\0");
        substr $file, 10, 1, '';              # format -1 has no version
        open my $in, '<', \$file or die $!;
        is_deeply(eval { pf->{fd_retrieve}->($in) }, [100000, undef, 100000], "format -1: $order, long $long");
    }
}

# ---- Refused, if one wants that: Storable's words, then what the two machines are.
my %refused = (
    'Byte order is not compatible'          => [4321, '4 4 4 8'],
    'Long integer size is not compatible'   => [$Config{byteorder}, '4 ' . (12 - $Config{longsize}) . ' 8 8'],
    'Pointer size is not compatible'        => [$Config{byteorder}, "4 $Config{longsize} " . (12 - $Config{ptrsize}) . ' 8'],
    'Double size is not compatible'         => [$Config{byteorder}, "4 $Config{longsize} $Config{ptrsize} " . ($Config{nvsize} == 8 ? 16 : 8)],
);
for my $message (sort keys %refused) {
    my ($order, $sizes) = @{$refused{$message}};
    my $image = image($order, $sizes, sub { "\x08\x81" });
    my ($int, $long, $ptr, $nv) = split ' ', $sizes;
    local $Permafrost::accept_foreign = 0;
    eval { pf->{thaw}->($image) };
    like($@, qr/\A\Q$message\E \(image: $order, int $int, long $long, pointer $ptr, NV $nv; this perl: $Config{byteorder}, int $Config{intsize}, long $Config{longsize}, pointer $Config{ptrsize}, NV $Config{nvsize}; .*accept_foreign.*\) at \Q$0\E line/, $message);
    $Permafrost::accept_foreign = 1;
    is(eval { ${pf->{thaw}->($image)} }, 1, '... or read');
}
for my $header ("\x03abc\4\4\4\10", "\x041324\4\4\4\10", "\x041234\2\4\4\10", "\x041234\4\3\4\10", "\x041234\4\4\2\10", "\x041234\4\4\4\12") {
    eval { pf->{thaw}->("\4\13$header\10\201") };
    like($@, qr/ is not compatible at /, 'a machine that nobody knows: ' . unpack 'H*', $header);
}
is(`PERMAFROST_STRICT=1 $^X -Mblib -MPermafrost=thaw -e 'eval { thaw(qq{\\4\\13\\x{4}1234\\4\\4\\4\\10\\10\\201}) }; print \$@ =~ /\\A(Byte order is not compatible) \\(/' 2>/dev/null`,
    'Byte order is not compatible', 'PERMAFROST_STRICT') if $Config{ivsize} == 8;

done_testing;
