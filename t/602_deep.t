use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Very deep data: stock Storable runs out of C stack here, so it is not asked.
#
# Depth is 200,000, or PERMAFROST_TEST_DEPTH. Everything is freed piece by piece: perl's own
# freeing recurses.

plan skip_all => 'stock Storable overflows the C stack' if is_stock();
my $DEPTH = $ENV{PERMAFROST_TEST_DEPTH} || 200_000;

my %wrap = (
    array => [sub { [] }, sub { [$_[0]] }, sub { $_[0][0] }, "\x02\0\0\0\x01\x04", "\x02\0\0\0\0"],
    hash  => [sub { {} }, sub { {a => $_[0]} }, sub { $_[0]{a} }, undef],
    ref   => [sub { \my $end }, sub { my $x = $_[0]; \$x }, sub { ${$_[0]} }, "\x04", "\x05"],
    blessed => [sub { bless [], 'Deep' }, sub { bless [$_[0]], 'Deep' }, sub { $_[0][0] }, undef],
    'array and hash' => [sub { [] }, sub { [{a => $_[0]}] }, sub { @{$_[0]} ? $_[0][0]{a} : undef }, undef],
    mixed => [sub { [] }, sub { my $x = {a => [0, $_[0]]}; \$x }, sub { ref $_[0] eq 'REF' ? ${$_[0]}->{a}[1] : undef }, undef],
);

sub build {
    my ($kind) = @_;
    my ($end, $around) = @{$wrap{$kind}};
    my $x = $end->();
    $x = $around->($x) for 2 .. $DEPTH;
    return $x;
}

# How deep it is; frees it on the way.
sub depth_of {
    my $kind = $_[0];
    my $x    = $_[1];
    undef $_[1];
    my $inner = $wrap{$kind}[2];
    my $depth = 0;
    while (ref $x) {
        $depth++;
        my $next = $inner->($x);
        unlink_from($x, $next);
        $x = $next;
    }
    return $depth;
}

sub unlink_from {
    my ($x) = @_;
    my $type = Scalar::Util::reftype($x);
    if    ($type eq 'ARRAY') { my $in = $x->[0]; @$x = (); %$in = () if ref $in eq 'HASH' }
    elsif ($type eq 'HASH')  { %$x = () }
    elsif ($type eq 'REF')   { my $in = $$x; undef $$x; if (ref $in eq 'HASH') { @{$in->{a}} = (); %$in = () } }
    return;
}

for my $kind (sort keys %wrap) {
    my $data = build($kind);
    my $frozen  = pf->{freeze}->($data);
    my $nfrozen = pf->{nfreeze}->($data);
    my $clone   = pf->{dclone}->($data);
    my $canonical = with_options({canonical => 1}, sub { pf->{nfreeze}->($data) });
    is($canonical, $nfrozen, "$kind: canonical image is the same") ;
    is(depth_of($kind, $data),  $DEPTH, "$kind: built");
    is(depth_of($kind, $clone), $DEPTH, "$kind: dclone");
    my $thawed = pf->{thaw}->($frozen);
    is(depth_of($kind, $thawed), $DEPTH, "$kind: thaw of freeze");
    $thawed = pf->{thaw}->($nfrozen);
    is(depth_of($kind, $thawed), $DEPTH, "$kind: thaw of nfreeze");
    my ($step, $end) = @{$wrap{$kind}}[3, 4];
    next unless defined $step;
    my $expected = "\x05\x0b" . $step x ($DEPTH - 1) . $end;
    ok($nfrozen eq $expected, "$kind: image");
    my $half = pf->{thaw}->(substr $expected, 0, length($expected) / 2);
    is($half, undef, "$kind: half an image gives undef") or free_deep($half);
    $half = pf->{thaw}->("\x05\x0b" . $step x $DEPTH);
    is($half, undef, "$kind: image without end gives undef") or free_deep($half);
}
{
    # A limit set by the user holds.
    my $data = build('array');
    my $ok = with_options({recursion_limit => int($DEPTH / 2)}, sub { eval { pf->{freeze}->($data); 1 } });
    ok(!$ok, 'recursion_limit holds');
    like($@, qr/^Max\. recursion depth with nested structures exceeded/, 'its message');
    $ok = with_options({recursion_limit => int($DEPTH / 2)}, sub { eval { pf->{dclone}->($data); 1 } });
    ok(!$ok, 'recursion_limit holds for dclone');
    free_deep($data);
}
{
    # A die at the bottom of something deep.
    my $data = [sub { 1 }];
    $data = [$data] for 1 .. $DEPTH;
    ok(!eval { pf->{freeze}->($data); 1 }, 'code reference at the bottom: freeze');
    ok(!eval { pf->{dclone}->($data); 1 }, 'code reference at the bottom: dclone');
    free_deep($data);
}

done_testing;
