use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Hashes: sizes, keys of every kind, order, iterators.

same_everywhere("$_ keys", {map { ("key $_" => $_) } 1 .. $_}) for 0 .. 9, 255, 256, 1000;
{
    my %big = map { ($_ => 1) } 1 .. 100_000;
    same_bytes('100000 keys', \%big);
    is(scalar keys %{pf->{thaw}->(pf->{freeze}->(\%big))}, 100_000, '100000 keys: thaw');
    is(scalar keys %{pf->{dclone}->(\%big)}, 100_000, '100000 keys: dclone');
}

my $latin = "\xe9";
my $latin_utf8 = "\xe9";
utf8::upgrade($latin_utf8);
my $ascii_utf8 = 'ascii';
utf8::upgrade($ascii_utf8);
my %key = (
    'empty key'        => [''],
    'zero bytes'       => ["\0", "a\0b"],
    'Latin-1'          => [$latin],
    'Latin-1, was UTF-8' => [$latin_utf8],
    'both'             => [$latin, $latin_utf8],
    'both, reversed'   => [$latin_utf8, $latin],
    'ASCII, was UTF-8' => [$ascii_utf8],
    'wide'             => ["\x{100}", "\x{263a}", "\x{1f600}"],
    'wide and not'     => ["\x{100}", 'a', $latin, $latin_utf8, "\xc4\x80"],
    'long'             => ['x' x 255, 'x' x 256, 'x' x 70000],
    'long wide'        => ["\x{263a}" x 100, "\x{263a}" x 30000],
    'numbers'          => [0, 1, -1, 1.5, 1e100],
    'canonical order'  => ['a', 'b', 'B', 'aa', '', "\x{100}", "\xe9", "\xff", "\x{ff}\x{100}", '10', '9', "a\0", "\x{1f600}", "\x{ffff}"],
);
for my $name (sort keys %key) {
    my %h;
    $h{$_} = 1 for @{$key{$name}};
    same_everywhere($name, \%h);
    same_everywhere("$name, nested", [\%h, {h => \%h}, {%h}]);
}
{
    my %h = (a => 1, "\x{100}" => 2);
    delete $h{"\x{100}"};
    same_everywhere('deleted UTF-8 key', \%h);
    my %was = ($latin_utf8 => 1, b => 2);
    delete $was{$latin};
    same_everywhere('deleted key that was UTF-8', \%was);
    %h = ();
    same_everywhere('emptied hash that had UTF-8 keys', \%h);
}
{
    my %h = map { ($_ => $_) } 'a' .. 'z';
    delete @h{'a' .. 'f'};
    same_everywhere('deleted keys', \%h);
    my $sum = keys %h;
    my @seen = map { scalar each %h } 1 .. 5;
    same_bytes('iterator in the middle', \%h);
    push @seen, $_ while defined($_ = each %h);
    is("@{[sort @seen]}", "@{[sort keys %h]}", 'each goes on where it was');
    keys %h;
    my ($first) = each %h;
    delete $h{$first};
    same_bytes('key deleted during each', \%h);
    keys %h;
    local $Storable::canonical = 1;
    @seen = map { scalar each %h } 1 .. 5;
    my $image = pf->{freeze}->(\%h);
    push @seen, $_ while defined($_ = each %h);
    is("@{[sort @seen]}", "@{[sort keys %h]}", 'each goes on where it was, canonical');
    @seen = map { scalar each %h } 1 .. 5;
    $image = pf->{dclone}->(\%h);
    push @seen, $_ while defined($_ = each %h);
    is("@{[sort @seen]}", "@{[sort keys %h]}", 'each goes on where it was, dclone');
}
{
    my %h;
    keys(%h) = 1000;
    $h{$_} = 1 for 1 .. 10;
    same_everywhere('many buckets', \%h);
    my %alias = (a => 1);
    my $ref = \$alias{a};
    same_everywhere('reference to a value', [$ref, \%alias]);
    same_everywhere('values of each kind', {a => undef, b => [], c => {}, d => \1, e => 'x', f => 1.5, g => !!1});
    same_everywhere('%ENV copy', {%ENV});
    same_everywhere('stash-like keys', {'main::' => 1, '::' => 2});
}

# What other writers may do.
same_thaw('same key twice', "\x05\x0b\x03\0\0\0\x02\x08\x81\0\0\0\x01a\x08\x82\0\0\0\x01a");
same_thaw('FLAG_HASH without need', "\x05\x0b\x19\x00\0\0\0\x01\x08\x81\x00\0\0\0\x01a");
same_thaw('FLAG_HASH with UTF-8 key', "\x05\x0b\x19\x00\0\0\0\x01\x08\x81\x01\0\0\0\x02\xc4\x80");
same_thaw('FLAG_HASH with a downgradable UTF-8 key', "\x05\x0b\x19\x00\0\0\0\x01\x08\x81\x01\0\0\0\x02\xc3\xa9");
same_thaw('FLAG_HASH with key that was UTF-8', "\x05\x0b\x19\x00\0\0\0\x01\x08\x81\x02\0\0\0\x01\xe9");
same_thaw('FLAG_HASH with locked value', "\x05\x0b\x19\x00\0\0\0\x01\x08\x81\x04\0\0\0\x01a");
same_thaw('FLAG_HASH with placeholder, not restricted', "\x05\x0b\x19\x00\0\0\0\x01\x0e\x10\0\0\0\x01a");
same_thaw('FLAG_HASH with key as object', "\x05\x0b\x19\x00\0\0\0\x01\x08\x81\x08\x0a\x01a");
same_thaw("FLAG_HASH with hash flags $_", "\x05\x0b\x19" . chr($_) . "\0\0\0\x01\x08\x81\x00\0\0\0\x01a") for 0 .. 5, 128, 255;
same_thaw("FLAG_HASH with key flags $_", "\x05\x0b\x19\x00\0\0\0\x01\x08\x81" . chr($_) . "\0\0\0\x01a") for 3, 5, 6, 7, 32, 64, 128;
same_thaw('SV_UNDEF as value', "\x05\x0b\x03\0\0\0\x01\x0e\0\0\0\x01a");
same_thaw('empty key', "\x05\x0b\x03\0\0\0\x01\x0e\0\0\0\0");
{
    local $Storable::drop_utf8 = 1;
    same_thaw('drop_utf8', pf->{nfreeze}->({"\x{100}" => "\x{100}", $latin_utf8 => $latin_utf8}));
}

done_testing;
