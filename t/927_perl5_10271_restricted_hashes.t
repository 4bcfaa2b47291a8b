# perl5 10271, 7171: restricted hashes with 1 .. 130 allowed keys, none, some or all of them
# filled, canonical or not.
use strict;
use warnings;
use lib 't/lib';
use Hash::Util ();
use Test::More;
use PermafrostTest;

for my $count (1 .. 20, 31 .. 34, 63 .. 66, 100, 127 .. 130) {
    for my $filled (0, 1, int($count / 2), $count) {
        next if $filled > $count;
        my @names = map { "key $_" } 1 .. $count;
        my %hash = map { ($_ => "value of $_") } @names[0 .. $filled - 1];
        Hash::Util::lock_keys(%hash, @names);
        same_everywhere("$count keys, $filled filled", \%hash);
        for my $function (qw(freeze nfreeze)) {
            my $back = pf->{thaw}->(pf->{$function}->(\%hash));
            my $allowed = join ',', sort(Hash::Util::legal_ref_keys($back));
            is($allowed, join(',', sort @names), "$count, $filled, $function: the allowed keys")
              if $count < 5 || $count > 126;
            is(scalar keys %$back, $filled, '... and the filled ones') if $count < 5 || $count > 126;
        }
        my $clone = pf->{dclone}->(\%hash);
        ok(!eval { $clone->{other} = 1; 1 }, "$count, $filled: no other keys in the clone")
          if $count < 5 || $count > 126;
    }
}

# Locked values, keys that were deleted, wide keys, hashes in hashes
{
    my %hash = map { ($_ => 1) } 'a' .. 'f', "\x{263a}", "\x{e9}";
    Hash::Util::lock_keys(%hash);
    delete @hash{'b', 'd'};
    same_everywhere('deleted keys', \%hash);
    Hash::Util::lock_value(%hash, 'a');
    same_everywhere('a locked value', \%hash);
    Hash::Util::lock_hash(%hash);
    same_everywhere('a locked hash', \%hash);
    my $clone = pf->{dclone}->(\%hash);
    ok(!eval { $clone->{a} = 2; 1 }, 'locked values stay locked');
    ok(!exists $clone->{b}, 'deleted keys stay deleted');
    my $outer = {one => \%hash, two => \%hash};
    Hash::Util::lock_hash_recurse(%$outer);
    same_everywhere('locked within', $outer);
    my %empty;
    Hash::Util::lock_keys(%empty);
    same_bytes('an empty locked hash', \%empty);
    is_deeply(pf->{thaw}->(pf->{freeze}->(\%empty)), {}, '... is read (Storable forgets that it was locked)');
    my $object = bless {a => 1}, 'Some::Class';
    Hash::Util::lock_keys(%$object, 'a', 'b');
    same_everywhere('a locked object', $object);
    my %with_undef = (a => undef, b => undef);
    Hash::Util::lock_hash(%with_undef);
    same_everywhere('undef values', \%with_undef);
}

# Placeholders do not stay behind
{
    my %hash = (a => 1, b => 2, c => 3);
    Hash::Util::lock_keys(%hash);
    delete $hash{b};
    Hash::Util::unlock_keys(%hash);
    same_everywhere('unlocked again', \%hash);
    $hash{d} = 1;
    same_everywhere('and changed', \%hash);
}

done_testing();
