# Subject: Cache::Cache
# Does: FileCache, SizeAwareFileCache and MemoryCache: records, scalars, expiry, purge, keys, sizes
# Packages: libcache-cache-perl
# Needs: Cache::FileCache Cache::SizeAwareFileCache Cache::MemoryCache
use strict;
use warnings;
use Scenario;
use Cache::FileCache ();
use Cache::MemoryCache ();
use Cache::SizeAwareFileCache ();
use Cwd qw(getcwd);

for my $class (qw(FileCache SizeAwareFileCache MemoryCache)) {
    my $cache = "Cache::$class"->new({
        namespace => 'pages', default_expires_in => 'never', $class eq 'MemoryCache' ? () : (cache_root => getcwd() . "/$class"),
    });
    if (writing || $class eq 'MemoryCache') {
        $cache->set("row$_->{id}", $_) for @{ rows(6) };
        $cache->set(list => rows(3));
        $cache->set(text => "\x{263a} text");
        $cache->set(number => 42.5, '1 year');
        $cache->set(gone => [1], 'now');
        sleep 1 if $class eq 'MemoryCache';
        $cache->purge;
        my $list = $cache->get('list');
        push @$list, 'mine';    # a copy: the cache does not see it
    }
    show("$class keys", [sort $cache->get_keys]);
    show("$class $_", $cache->get($_)) for qw(row2 row5 list text number);
    print "$class gone: ", defined $cache->get('gone') ? 'still there' : 'gone', "\n";
    my $object = $cache->get_object('row3');
    print "$class object: ", ref $object, ' ', $object->get_expires_at, "\n";
    show("$class object's data", $object->get_data);
}
