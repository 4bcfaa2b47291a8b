package Shop::Cart;

use strict;
use warnings;
use Cache::Memcached;
use Storable qw(nfreeze thaw);

my $memd = Cache::Memcached->new({servers => ['127.0.0.1:11211']});

sub save {
    my ($id, $cart) = @_;
    return $memd->set("cart:$id", nfreeze($cart), 3600);
}

sub load {
    my ($id) = @_;
    my $image = $memd->get("cart:$id");
    return undef unless defined $image;
    return thaw($image);
}

1;
