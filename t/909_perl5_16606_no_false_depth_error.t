# perl5 16606: `push @t, [[[]]] for 1 .. 1e6; dclone \@t` gave a false depth error: a depth
# is that of the structure, not the number of its parts.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my $count = $ENV{PERMAFROST_TEST_BIG} ? 1_000_000 : 100_000;
my @list;
push @list, [[[]]] for 1 .. $count;
my %hash = map { $_ => {a => {b => [[]]}} } 1 .. 20_000;
my @refs = map { \\\"x" } 1 .. 20_000;
{
    package Hooked;
    sub STORABLE_freeze { return ('x', [[[]]]) }
    sub STORABLE_thaw { $_[0]{got} = $_[3]; return }
}
my @hooked = map { bless {}, 'Hooked' } 1 .. 5_000;
my @tied = map { tie my @t, 'Tied'; \@t } 1 .. 2_000;
{ package Tied; sub TIEARRAY { return bless [[[]]], $_[0] } sub FETCHSIZE { 0 } }

for my $limits ({recursion_limit => 512, recursion_limit_hash => 256},
    {recursion_limit => 10, recursion_limit_hash => 10}, {recursion_limit => -1, recursion_limit_hash => -1}) {
    my $name = join ', ', map { "$_ $limits->{$_}" } sort keys %$limits;
    for (['arrays', \@list], ['hashes', \%hash], ['references', \@refs], ['hooks', \@hooked], ['ties', \@tied]) {
        my ($what, $data) = @$_;
        with_options($limits, sub {
            my $clone = eval { pf->{dclone}->($data) };
            is($@, '', "$what, $name: dclone");
            is(ref $clone eq 'ARRAY' ? scalar @$clone : scalar keys %$clone,
                ref $data eq 'ARRAY' ? scalar @$data : scalar keys %$data, '... whole');
            ok(defined eval { pf->{freeze}->($data) }, "$what, $name: freeze") or diag $@;
        });
    }
}

# Nor does a failure leave depth behind
for my $round (1 .. 5) {
    with_options({recursion_limit => 10, recursion_limit_hash => 10}, sub {
        ok(!eval { pf->{freeze}->([[[[[[[[[[[[[]]]]]]]]]]]]]); 1 }, "round $round: too deep");
        ok(!eval { pf->{dclone}->({a => {a => {a => {a => {a => {a => {a => {a => {a => {a => {a => {}}}}}}}}}}}}); 1 },
            '... hashes');
        ok(eval { pf->{freeze}->([[[[[[[[[]]]]]]]]]); 1 }, '... deep but allowed') or diag $@;
    });
}

done_testing();
