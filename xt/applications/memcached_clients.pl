# Subject: Cache::Memcached and Cache::Memcached::Fast
# Does: both clients' own use of Storable, each reading what the other has set, compressed values too
# Packages: libcache-memcached-perl libcache-memcached-fast-perl memcached
# Needs: Cache::Memcached Cache::Memcached::Fast
# Server: memcached
use strict;
use warnings;
use Scenario;
use Cache::Memcached ();
use Cache::Memcached::Fast ();

my @options = (namespace => "$ENV{SCENARIO_WRITER}:", compress_threshold => 3000);
my %client = (
    perl => Cache::Memcached->new({servers => [$ENV{MEMCACHED}], @options}),
    fast => Cache::Memcached::Fast->new({servers => [$ENV{MEMCACHED}], @options}),
);
for my $by (sort keys %client) {
    next unless writing;
    $client{$by}->set("$by$_->{id}", $_) or die "$by: not set" for @{ rows(4) };
    $client{$by}->set("$by-big", rows(60)) or die "$by: big not set";
    $client{$by}->set("$by-object", bless {list => [1 .. 3], self => undef}, 'Some::Class') or die "$by: object not set";
    $client{$by}->add("$by-added", {n => 1});
    $client{$by}->replace("$by-added", {n => 2});
}
for my $by (sort keys %client) {
    for my $set (sort keys %client) {
        show("$by reads $set$_", $client{$by}->get("$set$_")) for 1, 3, '-object', '-added';
        my $big = $client{$by}->get("$set-big");
        print "$by reads $set-big: ", scalar @$big, " rows, last one $big->[-1]{title}\n" =~ s/([^\0-~])/sprintf '{%x}', ord $1/ger;
        show("$by: multi", $client{$by}->get_multi(map { "$set$_" } 2, 4));
    }
}
