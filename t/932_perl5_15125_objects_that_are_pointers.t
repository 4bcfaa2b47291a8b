# perl5 15125, 19984, otobo 2666: objects of XS modules that are a number, the address of a C
# structure, are copied with it and freed twice. Right: the bytes stay Storable's, the copy is as
# Storable makes it (there is nothing in the data that tells a pointer from a number); trust
# 'data' refuses objects.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

{
    package Pointer::Like;
    our $freed = 0;
    sub new { return bless \(my $address = 94_000_000_000_000), shift }
    sub DESTROY { $freed++ }
}
my $object = Pointer::Like->new;
same_everywhere('an object that is an address', [$object]);
{
    $Pointer::Like::freed = 0;
    { my $copy = pf->{dclone}->([$object]); is(${$copy->[0]}, 94_000_000_000_000, 'the number is copied') }
    is($Pointer::Like::freed, 1, '... and freed on its own');
}
{
    package Pointer::Safe;
    our @ISA = 'Pointer::Like';
    sub STORABLE_freeze { die "cannot be stored\n" }
}
like(outcome(sub { pf->{dclone}->([bless \(my $address = 1), 'Pointer::Safe']) })->{error}, qr/cannot be stored/,
    'a class can refuse with a hook');
SKIP: {
    skip 'no objects here', 1 if is_stock() || !$MODULE->can('new');
    is(eval { $MODULE->new->clone([$object]); 1 }, undef, "trust 'data' refuses them");
}

done_testing();
