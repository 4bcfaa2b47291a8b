# apt-show-versions: `$Storable::recursion_limit_hash = -1` is honoured; positive limits give
# the known message, at the same depth as with Storable.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my %make = (
    arrays     => sub { my $r = []; $r = [$r] for 2 .. $_[0]; $r },
    hashes     => sub { my $r = {}; $r = {a => $r} for 2 .. $_[0]; $r },
    references => sub { my $r = \(my $end = 1); for (2 .. $_[0]) { my $inner = $r; $r = \$inner } $r },
    'arrays and hashes' => sub { my $r = []; for (2 .. $_[0]) { $r = $_ % 2 ? [$r] : {a => $r} } $r },
    'hashes and references' => sub { my $r = {}; for (2 .. $_[0]) { my $i = $r; $r = $_ % 2 ? {a => $i} : \$i } $r },
    objects    => sub { my $r = bless {}, 'A'; $r = bless [$r], 'B' for 2 .. $_[0]; $r },
);
for my $kind (sort keys %make) {
    for my $limit (-1, 0, 1, 2, 5) {
        for my $hash_limit (-1, 0, 1, 3, 5) {
            my ($ours, $theirs) = on_both(sub {
                my ($m) = @_;
                # A hash limit alone counts; with stock only if the other is not -1.
                my $for_refs = $m == st && $limit == -1 && $hash_limit != -1 ? 1_000_000 : $limit;
                return with_options({recursion_limit => $for_refs, recursion_limit_hash => $hash_limit}, sub {
                    join "\n", map {
                        my $depth = $_;
                        map { "$_ $depth: " . (outcome(sub { $m->{$_}->($make{$kind}->($depth)) })->{error} || 'fine') }
                          qw(freeze nfreeze dclone)
                    } 1 .. 8;
                });
            });
            is($ours, $theirs, "$kind, limits $limit and $hash_limit");
        }
    }
}

# No limit, and limits that are high
for my $limits ([-1, -1], [100_000, 100_000]) {
    last if is_stock();
    my $deep = $make{hashes}->(3000);
    with_options({recursion_limit => $limits->[0], recursion_limit_hash => $limits->[1]}, sub {
        ok(eval { pf->{nfreeze}->($deep); 1 }, "3,000 hashes, limits @$limits") or diag $@;
    });
    free_deep($deep);
}

# Reading has no limits, nor have values that mean nothing else
with_options({recursion_limit => 2, recursion_limit_hash => 2}, sub {
    my $back = pf->{thaw}->(no_limits(sub { st->{nfreeze}->($make{'arrays and hashes'}->(50)) }));
    is(ref $back, 'HASH', 'thaw ignores the limits');
});
same_outcome('stack_depth and stack_depth_hash', sub {
    my ($m) = @_;
    with_options({recursion_limit => 77, recursion_limit_hash => 88},
        sub { [$m->{stack_depth}->(), $m->{stack_depth_hash}->()] });
});

# The file of a store that was too deep
with_options({recursion_limit => 3}, sub {
    my $got = outcome(sub { pf->{freeze}->($make{arrays}->(10)) });
    is($got->{error}, 'Max. recursion depth with nested structures exceeded', 'the message');
});

done_testing();
