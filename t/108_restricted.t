use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Restricted hashes: placeholders, locked values, unlocked again, canonical or not.

use Hash::Util qw(lock_keys unlock_keys lock_hash unlock_hash lock_value unlock_value lock_hash_recurse);

for my $size (1 .. 130) {
    my @keys = map { "key$_" } 1 .. $size;
    my (%none, %all, %some);
    lock_keys(%none, @keys);
    @all{@keys} = (1) x $size;
    lock_keys(%all);
    lock_keys(%some, @keys);
    $some{$_} = $_ for grep { /[0369]\z/ } @keys;
    same_everywhere("$size allowed keys", [\%none, \%all, \%some]);
}
{
    my %h = (a => 1, b => 2, c => undef);
    lock_hash(%h);
    same_everywhere('lock_hash', \%h);
    unlock_hash(%h);
    same_everywhere('unlock_hash', \%h);
    lock_keys(%h);
    lock_value(%h, 'b');
    same_everywhere('lock_value', \%h);
    unlock_value(%h, 'b');
    delete $h{b};
    same_everywhere('deleted key', \%h);
    unlock_keys(%h);
    same_everywhere('placeholder left', \%h);
    $h{new} = 1;
    same_everywhere('placeholder left and new key', \%h);
}
{
    my $was = "\xe9";
    utf8::upgrade($was);
    my %h = ("\x{100}" => 1, $was => 2, '' => 3, "\xe8" => 4);
    lock_keys(%h, keys %h, "\x{101}", "a\0b", "\xea");
    same_everywhere('UTF-8 keys', \%h);
    delete $h{"\x{100}"};
    delete $h{"\xe9"};
    same_everywhere('UTF-8 placeholders', \%h);
}
{
    my %empty;
    lock_keys(%empty);
    same_everywhere('empty', \%empty);
    my %h = (a => {b => {c => [1]}}, d => [{}]);
    lock_hash_recurse(%h);
    same_everywhere('lock_hash_recurse', \%h);
    my $object = bless {a => 1}, 'Some::Class';
    lock_keys(%$object, 'a', 'b');
    same_everywhere('object', [$object, $object]);
    my %circle;
    $circle{self} = \%circle;
    lock_hash(%circle);
    same_everywhere('circle', \%circle);
    my %shared = (x => 1);
    lock_keys(%shared, 'x', 'y');
    same_everywhere('shared', [\%shared, \%shared, \$shared{x}]);
    my %each = map { $_ => 1 } 1 .. 10;
    lock_keys(%each, 1 .. 20);
    my @seen = map { scalar each %each } 1 .. 3;
    # Not through the helper, which itself walks the keys.
    is(pf->{$_}->(\%each), st->{$_}->(\%each), "iterator in the middle: $_") for qw(freeze nfreeze);
    push @seen, $_ while defined($_ = each %each);
    is(scalar @seen, 10, 'each goes on');
}
{
    my %h = (a => 1);
    lock_keys(%h, 'a', 'b');
    my $clone = pf->{dclone}->(\%h);
    ok(!eval { $clone->{c} = 1; 1 }, 'a clone refuses other keys');
    ok(eval { $clone->{b} = 1; 1 }, 'a clone allows placeholders');
    my $thawed = pf->{thaw}->(pf->{nfreeze}->(\%h));
    ok(!eval { $thawed->{c} = 1; 1 }, 'a thawed hash refuses other keys');
    ok(eval { $thawed->{b} = 1; 1 }, 'a thawed hash allows placeholders');
}
with_options({downgrade_restricted => $_}, sub { same_thaw("downgrade_restricted $_", pf->{freeze}->(do { my %h = (a => 1); lock_keys(%h, 'a', 'b'); \%h })) })
  for 0, 1;
same_thaw('restricted with placeholder that has a value', "\x05\x0b\x19\x01\0\0\0\x01\x08\x81\x14\0\0\0\x01a");
same_thaw('restricted, same key twice', "\x05\x0b\x19\x01\0\0\0\x02\x08\x81\x00\0\0\0\x01a\x08\x82\x00\0\0\0\x01a");

# A reference that is locked, as a value of the hash it refers to, before it is whole; with a
# regexp in the image, after which hooks could have touched it.
for my $before ("\x20\0\1x\0", "\5") {
    same_thaw('locked before it is whole',
        "\5\x0b\2" . pack('N', 2) . $before . "\4\x19\1" . pack('N', 1) . "\0" . pack('N', 2) . "\4" . pack('N', 1) . 'k');
}

done_testing;
