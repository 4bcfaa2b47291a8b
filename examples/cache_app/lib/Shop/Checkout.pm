package Shop::Checkout;

use strict;
use warnings;
use Cache::Memcached;
use Shop::Cart;
use Storable qw(freeze);

my $memd = Cache::Memcached->new({servers => ['127.0.0.1:11211']});

# The cart is paid: note it in the cache.
sub pay {
    my ($id) = @_;
    my $cart = Shop::Cart::load($id) or die "no cart $id\n";
    $cart->{paid} = 1;
    my $image = freeze($cart);
    return $memd->set("cart:$id", $image, 3600);
}

1;
