#!/usr/bin/perl
# permafrost diff: bytes and data of two images.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use ImageCommands qw(permafrost image_file);
use Permafrost qw(freeze nfreeze dclone);
use Test::More;

# RETURNS: the lines of the output but for the first, which tells of the bytes.
sub diff_is {
    my ($name, $first, $second, $expected, $status) = @_;
    my ($output, $errors, $exit) = permafrost(['diff', image_file($first), image_file($second)], '');
    my ($bytes, @lines) = split /^/, $output;
    is(join('', @lines), $expected, $name);
    is($errors, '', "$name: no messages");
    is($exit, $status, "$name: exit status");
    return $bytes;
}

# A hash with these keys in this order, whatever perl thinks of it; values are images' bodies.
sub hash { my $n = @_ / 2; my $body = ''; while (my ($k, $v) = splice @_, 0, 2) { $body .= $v . pack 'N/a', $k } return "\3" . pack('N', $n) . $body }
my $same = "the data are the same\n";

my $data = { list => [1, 2, { a => 'b' }], text => "\x{263a}", number => 2.5 };
is(diff_is('the same', nfreeze([1]), nfreeze([1]), $same, 0), "the bytes are the same: 9 bytes\n", 'and bytes');
like(diff_is('two orders', freeze([1, 1000, 'x']), nfreeze([1, 1000, 'x']), $same, 1),
    qr/^the bytes differ from byte 0 on: \d+ bytes \| \d+ bytes$/, 'bytes');
diff_is('a float and its text', freeze([0.5]), nfreeze([0.5]), "${same}1 value with the same text in another form, such as a number and a string\n", 1);
diff_is('values', nfreeze([1, 'a', undef]), nfreeze([2, 'b', 'c']), <<'TEXT', 1);
$->[0]: INTEGER 1 | INTEGER 2
$->[1]: SCALAR "a" | SCALAR "b"
$->[2]: UNDEF | SCALAR "c"
3 differences
TEXT
diff_is('lengths', nfreeze([[1], [1, 2]]), nfreeze([[1, 2], []]), <<'TEXT', 1);
$->[0]: ARRAY of 1 | ARRAY of 2
$->[0][1]: only in the second: INTEGER 2
$->[1]: ARRAY of 2 | ARRAY of 0
$->[1][0]: INTEGER 1, only in the first
$->[1][1]: INTEGER 2, only in the first
5 differences
TEXT
diff_is('types and classes', nfreeze([[], bless([], 'A'), bless({}, 'A'), \1]), nfreeze([{}, bless([], 'B'), {}, 1]), <<'TEXT', 1);
$->[0]: ARRAY of 0 | HASH of 0
$->[1]: class "A" | class "B"
$->[2]: class "A" | HASH of 0
$->[3]: REF | INTEGER 1
4 differences
TEXT

# Hashes are compared by key, in whatever order.
my ($one, $two, $three) = ("\x08\x81", "\x08\x82", "\x08\x83");
my $head = "\5\x0b";
diff_is('another order', $head . hash(a => $one, b => $two, c => $three), $head . hash(c => $three, a => $one, b => $two),
    "${same}1 hash in another order\n", 1);
diff_is('keys', $head . hash(a => $one, b => $two, x => $one), $head . hash(y => "\4" . hash(), b => $three, a => $one), <<'TEXT', 1);
$->{x}: INTEGER 1, only in the first
$->{y}: only in the second: REF
$->{b}: INTEGER 2 | INTEGER 3
3 differences
1 hash in another order
TEXT
diff_is('within', $head . hash(a => "\4" . hash(p => $one, q => $two), b => $one), $head . hash(b => $one, a => "\4" . hash(q => $one, p => $one)), <<'TEXT', 1);
$->{a}{q}: INTEGER 2 | INTEGER 1
1 difference
2 hashes in another order
TEXT
diff_is('a value twice', $head . hash(a => $one, b => $two), $head . hash(a => $one, b => $two, c => $three), <<'TEXT', 1);
$->{c}: only in the second: INTEGER 3
1 difference
TEXT

# What is shared must be shared in both, wherever it is met first.
my $list = "\4\2\0\0\0\1$one";
diff_is('shared, another order', $head . hash(a => $list, b => "\4\0\0\0\0\2"), $head . hash(b => $list, a => "\4\0\0\0\0\2"),
    "${same}1 hash in another order\n", 1);
diff_is('shared in one only', nfreeze(do { my $x = [1]; [$x, $x] }), nfreeze([[1], [1]]), <<'TEXT', 1);
$->[1]: the same as $->[0] | ARRAY of 1
1 difference
TEXT
diff_is('shared with another', nfreeze(do { my @x = ([1], [1]); [@x, $x[0]] }), nfreeze(do { my @x = ([1], [1]); [@x, $x[1]] }), <<'TEXT', 1);
$->[2]: the same as $->[0] | the same as $->[1]
1 difference
TEXT
my $circle = { k => [] };
push @{ $circle->{k} }, $circle, $circle->{k};
diff_is('circles', nfreeze($circle), freeze($circle), $same, 1);

# Special things.
{ package Hooked; sub STORABLE_freeze { my $self = shift; return ($self->{text}, $self->{list}) } }
my $hooked = sub { bless { text => shift, list => shift }, 'Hooked' };
diff_is('hooks', nfreeze([$hooked->('a', [1]), $hooked->('x', [2])]), nfreeze([$hooked->('b', [1]), $hooked->('x', [3])]), <<'TEXT', 1);
$->[0]: "a" | "b"
($->[1]->STORABLE_freeze)[?][0]: INTEGER 2 | INTEGER 3
2 differences
TEXT
diff_is('regexps', nfreeze([qr/a/, qr/b/i]), nfreeze([qr/x/, qr/b/]), <<'TEXT', 1);
$->[0]: REGEXP | REGEXP
$->[1]: "i" | ""
2 differences
TEXT

# JSON, damage, usage.
SKIP: {
    eval { require JSON::PP; 1 } or skip 'no JSON::PP', 1;
    my ($output) = permafrost(['diff', '--json', image_file(nfreeze(['a"'])), image_file(nfreeze(["b\n"]))], '');
    my $json = JSON::PP->new->utf8->decode($output);
    is_deeply([@$json{qw(same_bytes same_data first_difference other_forms other_orders)}, $json->{differences}],
        [JSON::PP::false(), JSON::PP::false(), 9, 0, 0, [{ path => '$->[0]', a => 'SCALAR "a\\""', b => 'SCALAR "b\\n"' }]], '--json');
}
my ($output, $errors, $status) = permafrost(['diff', image_file(nfreeze([1])), image_file("\5\13\2\0\0\0\1")], '');
is($output, '', 'damaged: nothing is compared');
like($errors, qr/image\d+: the image is cut off \(byte 7, at \$->\[0\]\)$/, 'damaged: which, and where');
is($status, 1, 'damaged: exit status');
is((permafrost(['diff', image_file('')], ''))[2], 2, 'one file');

# Deep and wide.
my $deep = "\5\x0b" . "\2\0\0\0\1\4" x 50_000 . "\5";
diff_is('deep', $deep, substr($deep, 0, -1) . "\x0e", "\${\$->[0][0][0][0][0][0][0][0][0][0][0][0]...[0][0][0][0][0][0][0][0][0][0][0]}: UNDEF | SV_UNDEF\n1 difference\n", 1);

done_testing;
