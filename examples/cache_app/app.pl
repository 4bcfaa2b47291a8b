#!/usr/bin/perl
# Fills the cache and shows in which order each cart is there. See ABOUT.md.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/fake";
use Cache::Memcached;
use Shop::Cart;
use Shop::Checkout;
use Storable ();

my $memd = Cache::Memcached->new({servers => ['127.0.0.1:11211']});

Shop::Cart::save($_, {user => "user $_", items => [1 .. $_]}) for 1 .. 3;
Shop::Checkout::pay(2);

for my $id (1 .. 3) {
    my $cart = Shop::Cart::load($id);
    my $magic = Storable::read_magic($memd->get("cart:$id"));
    printf "cart %d: %d items, %s, %s order\n", $id, scalar @{$cart->{items}}, $cart->{paid} ? 'paid' : 'open',
        $magic->{netorder} ? 'network' : 'native';
}
