# $Storable::forgive_me replaces code by a string, and nothing in the data tells. The bytes stay
# Storable's; the warning names what was replaced, and an object refuses code whatever the
# variable says.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my $data = {a => 1, callback => sub { 1 }};
for my $writer (qw(freeze nfreeze)) {
    my @got = map {
        my $m = $_;
        outcome(sub { local $Storable::forgive_me = 1; $m->{thaw}->($m->{$writer}->($data))->{callback} });
    } pf, st;
    like($got[0]{value}, qr/^(?:You lost CODE|SCALAR|sub)/, "$writer: a text in the place of code") or diag explain \@got;
    is($got[0]{value} =~ s/0x\w+/ADDRESS/r, $got[1]{value} =~ s/0x\w+/ADDRESS/r, '... as Storable makes it');
    is($got[0]{warnings}, $got[1]{warnings}, '... with its warning');
}
SKIP: {
    skip 'no objects here', 1 if is_stock() || !$MODULE->can('new');
    local $Storable::forgive_me = 1;
    is(eval { $MODULE->new->freeze($data); 1 }, undef, 'an object refuses code');
}

done_testing();
