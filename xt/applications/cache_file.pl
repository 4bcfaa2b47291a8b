# Subject: Cache::File and Cache::Memory
# Does: entries with frozen structures, tied hash, validity, size limits, callbacks
# Packages: libcache-perl
# Needs: Cache::File Cache::Memory
use strict;
use warnings;
use Scenario;
use Cache::File ();
use Cache::Memory ();
use Cwd qw(getcwd);

for my $cache (Cache::File->new(cache_root => getcwd() . '/cache', default_expires => '1 year'), Cache::Memory->new(namespace => 'n')) {
    my $class = ref $cache;
    if (writing || $class eq 'Cache::Memory') {
        $cache->freeze("row$_->{id}", $_) for @{ rows(4) };
        $cache->set(text => 'plain');
        $cache->entry('list')->freeze([1, {two => "\x{263a}"}, undef]);
        my $entry = $cache->entry('checked');
        $entry->set('content');
        $entry->set_validity({version => 3, rows => rows(1)});
        $cache->remove('row4');
    }
    show("$class $_", $cache->thaw($_)) for qw(row1 row3 list row4);
    show("$class text", $cache->get('text'));
    show("$class validity", $cache->entry('checked')->validity);
    print "$class: ", $cache->count, ' entries, ', $cache->exists('row4') ? 'row4' : 'no row4', "\n";
}
