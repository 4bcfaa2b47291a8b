# The option max_minor: images that old readers know.
use strict;
use warnings;
use lib 't/lib';
use Scalar::Util qw(weaken);
use Test::More;
use PermafrostTest;

plan skip_all => 'stock Storable has no objects' if is_stock();

my $weak = [[1]];
weaken($weak->[1] = $weak->[0]);
my %locked = (a => 1, b => 2);
my %allows = (a => 1, b => 2);
SKIP: { require Hash::Util; Hash::Util::lock_hash(%locked); Hash::Util::lock_keys(%allows, qw(a b c)) }
{ package Over; use overload '""' => sub { 'over' }, fallback => 1; }
my $undefs = sub { \@_ }->(undef);

# What is it; from which minor on it is written as it is; what it is before: a replacement, or the error.
my @cases = (
    ['numbers', [1, -1, 1.5, 300, 1e10], 0],
    ['bytes', ["a\xff", 'x' x 300], 0],
    ['characters below 256', do { my $s = "a\xff"; utf8::upgrade($s); [$s] }, 5, sub { is($_[0][0], "a\xff", '... the same string') }],
    ['wide characters', ["\x{263a}"], 5, qr/^Strings of wide characters cannot be stored for readers of minor version \d+$/, '$->[0]'],
    ['long wide strings', {s => "\x{263a}" x 200}, 5, qr/^Strings of wide characters/, '$->{s}'],
    ['wide keys', [{"\x{263a}" => 1}], 5, qr/^Keys of wide characters/, '$->[0]'],
    ['a restricted hash', \%locked, 5, sub { is_deeply({%{ $_[0] }}, {a => 1, b => 2}, '... its contents') }],
    ['allowed keys', \%allows, 5, qr/^Keys that a restricted hash allows/, '$'],
    ['a weak reference', $weak, 7, sub { is($_[0][1], $_[0][0], '... still a reference') }],
    ['a version string', [v1.22.33], 8, sub { is(unpack('H*', $_[0][0]), unpack('H*', v1.22.33), '... the same string') }],
    ['undef itself', $undefs, 10, sub { is_deeply($_[0], [undef], '... still undef') }],
    ['a regular expression', {r => qr/x/}, 11, qr/^Regular expressions cannot be stored/, '$->{r}'],
    ['objects', [bless({}, 'A'), bless([], 'Over')], 0],
);
my $stock_minor = ord substr st->{nfreeze}->([]), 1, 1;
for my $case (@cases) {
    my ($what, $data, $since, $before, $path) = @$case;
    for my $minor (0 .. 12) {
        for my $order (qw(network native)) {
            my $pf = $MODULE->new(max_minor => $minor, trust => 'full', order => $order);
            my $image = eval { $pf->freeze($data) };
            my $name = "$what, minor $minor, $order";
            if ($minor < $since && ref $before eq 'Regexp') {
                ok(!defined $image, "$name: refused") or next;
                is($@->name, 'minor_version', '... name');
                like($@->message, $before, '... message');
                is($@->path, $path, '... path');
                next;
            }
            ok(defined $image, "$name: written") or diag($@), next;
            is(ord substr($image, 1, 1), $minor < $stock_minor ? $minor : $stock_minor, '... the header says so');
            my $copy = eval { $pf->thaw($image) };
            ok(ref $copy, '... we read it') or diag $@;
            ok(ref eval { st->{thaw}->($image) }, '... Storable too') or diag $@;
            if ($minor < $since) { $before->($copy) }
            else { is(substr($image, 2), substr($order eq 'network' ? st->{nfreeze}->($data) : st->{freeze}->($data), 2), '... as ever') if $order eq 'network' }
        }
    }
}
{
    no warnings 'once';
    local $Permafrost::Deparse = 1;
    ok(eval { $MODULE->new(max_minor => 5, trust => 'full')->freeze([sub { 1 }]) }, 'code from 5 on');
    ok(!eval { $MODULE->new(max_minor => 4, trust => 'full')->freeze([sub { 1 }]) }, '... not before');
    like($@, qr/^Code references cannot be stored for readers of minor version 4 \(at \$->\[0\]\)/, '... says so');
}
SKIP: {
    skip 'no booleans', 2 if $] < 5.037;
    my $true = !!1;
    like($MODULE->new(max_minor => 11)->freeze([$true]), qr/\x0a\x011\z/, 'a boolean as its string');
    like($MODULE->new(max_minor => 12)->freeze([$true]), qr/\x22\z/, '... as itself');
}
is_deeply($MODULE->new(max_minor => 0)->clone(["\x{263a}"]), ["\x{263a}"], 'clone does not mind');

done_testing();
