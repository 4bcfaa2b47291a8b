#!/usr/bin/perl
# A client as the synopsis of Cache::Memcached::Fast has it: it writes into a shared cache with
# freeze. xt/fleet.t runs it, and has it found.
use strict;
use warnings;
use Cache::Memcached::Fast;
use Storable;

my $cache = Cache::Memcached::Fast->new({
    servers           => [@ARGV],
    namespace         => 'fleet:',
    serialize_methods => [\&Storable::freeze, \&Storable::thaw],
});
$cache->set('rows', [1000, 2.5]) or die "not set\n";
