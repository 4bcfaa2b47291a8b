# Subject: Cache::FastMmap
# Does: a shared mmap file used by parent and forked children, with write-back, atomic changes, raw and Storable values
# Packages: libcache-fastmmap-perl
# Needs: Cache::FastMmap
use strict;
use warnings;
use Scenario;
use Cache::FastMmap ();

my %store;
my $cache = Cache::FastMmap->new(share_file => 'shared', init_file => writing, unlink_on_exit => 0, num_pages => 13,
    page_size => '64k', serializer => 'storable', expire_time => 0);
if (writing) {
    $cache->set("row$_->{id}", $_) for @{ rows(8) };
    $cache->set(counter => {n => 0, by => []});
    $cache->set(undef => undef);
    $cache->set(text => "\x{263a}");
    for my $child (1 .. 3) {
        my $pid = fork // die $!;
        if (!$pid) {
            $cache->get_and_set(counter => sub { my ($key, $value) = @_; $value->{n}++; push @{ $value->{by} }, $child; $value });
            $cache->set("child$child", {from => $child, rows => rows(2)});
            exit 0;
        }
        waitpid $pid, 0;
    }
    $cache->remove('row8');
}
show($_, $cache->get($_)) for qw(row1 row3 row8 counter child1 child3 undef text);
show('keys', [sort $cache->get_keys(0)]);

# Write-back: what is changed goes to the backing store when it leaves the cache.
my $backed = Cache::FastMmap->new(num_pages => 1, page_size => 65536, serializer => 'storable', context => \%store,
    read_cb  => sub { my ($s, $key) = @_; $s->{$key} // {new => $key} },
    write_cb => sub { my ($s, $key, $value) = @_; $s->{$key} = $value },
    delete_cb => sub { my ($s, $key) = @_; delete $s->{$key} }, write_action => 'write_back');
show('read through', $backed->get('x'));
$backed->set(y => {list => [1 .. 3]});
$backed->empty(0);
show('written back', \%store);
