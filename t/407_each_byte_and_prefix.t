# Every prefix of images that other tests do not cut (LOBJECT, booleans, other machines, wide
# tags), and every other value of every byte of an image of 2 KB with all kinds of data: each
# gets an answer, data, undef or an error, from memory and from handles.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'stock crashes' if is_stock();

{ package Each::Hook; sub STORABLE_freeze { return ('frozen', [1], {a => $_[0]}) } sub STORABLE_thaw { $_[0]{string} = $_[2]; return } }
{ package Each::Attach; sub STORABLE_freeze { return 'frozen' } sub STORABLE_attach { return bless {}, $_[0] } }
{ package Each::Over; use overload '""' => sub { 'over' }; }
{ package Each::Tie; sub TIEHASH { return bless {} } sub FETCH { return 1 } sub FIRSTKEY { return } sub STORE { } }

sub n { return pack 'N', $_[0] }
sub q8 { return be64($_[0]) }
my %image = (
    'LOBJECT scalars'  => "\x05\x0b\x02" . n(2) . "\x21\x01" . q8(3) . "abc\x21\x18" . q8(3) . "\xe2\x98\xba",
    'LOBJECT array'    => "\x05\x0b\x21\x02" . q8(2) . "\x05\x21\x00" . q8(1),
    'LOBJECT hashes'   => "\x05\x0b\x21\x03" . q8(1) . "\x04\x21\x19\1" . q8(1) . "\x05\4" . n(1) . 'k' . n(1) . 'v',
    'LOBJECT hook'     => "\x05\x0b\x21\x13\2\x0aEach::Hook" . q8(2) . 'st',
    'wide tags'        => "\x05\x0b\x13\xd2\x04\x02\0\0\0\0\x92\x0aEach::Hook\1s\xff\xff\xff\xff" . q8(1),
    booleans           => "\x05\x0c\x02" . n(3) . "\x22\x23\x22",
    'keys that are scalars' => "\x05\x0b\x19\0" . n(2) . "\x05\x08\x0a\1k\x08\x83\x0c\x08\x85",
    'big-endian'       => "\x04\x0b\x0887654321\4\x08\x08\x08\x02" . n(2) . "\x06" . q8(5) . "\x07\x3f\xf0\0\0\0\0\0\0",
    '32 bits'          => "\x04\x0b\x041234\4\4\4\x08\x02\2\0\0\0\x06\5\0\0\0\x09\0\0\0\7",
    'floats of 16 bytes' => "\x04\x0b\x0812345678\4\x08\x08\x10\x02\1\0\0\0\x07" . "\0" x 7 . "\x80\xff\x3f" . "\0" x 6,
    'minor 2'          => "\x05\2\x02" . n(1) . "\x0a\1a",
);

# What came of it. Nothing else is fine, and the data can be walked and freed.
sub answer {
    my ($image, $handle) = @_;
    my $data = eval {
        if ($handle) {
            open my $in, '<', \"pst0$image" or die $!;
            pf->{fd_retrieve}->($in);
        }
        else { pf->{thaw}->($image) }
    };
    return length $@ ? 'error' : defined $data ? 'data' : 'undef';
}

for my $name (sort keys %image) {
    my $image = $image{$name};
    my $got = in_child(sub {
        my @answer = map { my $cut = substr $image, 0, $_; (answer($cut), answer($cut, 1)) } 0 .. length($image) - 1;
        return join ' ', scalar(grep { $_ ne 'data' } @answer), answer($image), answer($image, 1);
    });
    is($got, 2 * length($image) . ' data data', "$name: no data of any part, but of the whole");
}

# An image of 2 KB, in both orders.
tie my %tied, 'Each::Tie';
my $shared = {list => [1, 2.5, 'text', "\x{263a}", -1e300, 2**40]};
my $all = {
    numbers => [map { ($_, -$_, $_ / 8, "$_") } map { 3**$_ } 0 .. 16],
    text    => ['x' x 300, "\x{263a}\xe9" x 60, "\xff\0\n"],
    shared  => [($shared) x 3, \$shared, \\undef],
    "\x{e9}\x{263a}" => {map { ("key $_" => [$_, {}]) } 1 .. 20},
    objects => [map { bless {id => $_, of => $shared}, 'Each::Plain' . $_ % 3 } 1 .. 8],
    hooks   => [map { bless {id => $_}, 'Each::Hook' } 1 .. 3],
    attach  => [map { bless {id => $_}, 'Each::Attach' } 1 .. 3],
    over    => [map { bless [$_], 'Each::Over' } 1 .. 2],
    regexps => [qr/a+b/i, qr/[^x]{2,3}$/ms],
    tied    => \%tied,
    odd     => [v1.22.333, !!1, !!0, undef, sub { \@_ }->(undef, 1)],
};
$all->{circle} = $all;
Scalar::Util::weaken($all->{circle});
for my $order (qw(freeze nfreeze)) {
    my $image = pf->{$order}->($all);
    cmp_ok(length $image, '>', 2000, "$order: more than 2 KB");
    my $got = in_child(sub {
        my %count;
        local $SIG{__WARN__} = sub { };
        for my $at (0 .. length($image) - 1) {
            my $byte = substr $image, $at, 1;
            # All values at some places and in the header, others at the rest: each place
            # of a record meets all of them in one of its copies. xt/fuzz/answers.pl tries all.
            my @values = $at % 32 == 0 || $at < 20 ? (0 .. 255)
              : ((0 .. 8, 0x0e, 0x11 .. 0x15, 0x19 .. 0x1d, 0x20, 0x21, 0x7f, 0x80, 0xff), map { $_ ^ ord $byte } 1, 2, 4, 8, 16, 32, 64, 128);
            for my $value (@values) {
                substr($image, $at, 1) = chr $value;
                $count{answer($image)}++;
            }
            substr($image, $at, 1) = $byte;
        }
        return join ' ', map { "$_ $count{$_}" } sort keys %count;
    });
    like($got, qr/\Adata \d+ error \d+ undef \d+\z/, "$order: each changed image gets an answer") or diag $got;
    note $got;
}

done_testing();
