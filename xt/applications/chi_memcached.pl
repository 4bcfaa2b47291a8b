# Subject: CHI, driver Memcached
# Does: the same cache in a memcached on the loopback, through Cache::Memcached and Cache::Memcached::Fast
# Packages: libchi-driver-memcached-perl libcache-memcached-perl libcache-memcached-fast-perl memcached
# Needs: CHI CHI::Driver::Memcached Cache::Memcached CHI::Driver::Memcached::Fast Cache::Memcached::Fast
# Server: memcached
use strict;
use warnings;
use Scenario;
use CHI ();

for my $driver (qw(Memcached Memcached::Fast)) {
    my $chi = CHI->new(driver => $driver, servers => [$ENV{MEMCACHED}], namespace => "$ENV{SCENARIO_WRITER}-$driver",
        expires_in => '1 year');
    if (writing) {
        $chi->set("row$_->{id}", $_) for @{ rows(5) };
        $chi->set_multi({a => [1, 2], b => {c => "\x{263a}"}});
        $chi->set(gone => [1]);
        $chi->remove('gone');
    }
    show("$driver $_", $chi->get($_)) for qw(row1 row2 row3 gone);
    show("$driver multi", $chi->get_multi_hashref([qw(a b)]));
    show("$driver computed", $chi->compute('answer', '1 year', sub { {answer => 42} })) for 1, 2;
    print "$driver: ", $chi->is_valid('row5') ? 'valid' : 'not valid', "\n";
}
