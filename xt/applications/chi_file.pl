# Subject: CHI, driver File
# Does: get, set, compute, multi-key calls, a second level cache in memory, compression, canonical keys from references
# Packages: libchi-perl
# Needs: CHI
use strict;
use warnings;
use Scenario;
use CHI ();
use Cwd qw(getcwd);

my $chi = CHI->new(driver => 'File', root_dir => getcwd() . '/chi', namespace => 'app', expires_in => '1 year',
    compress_threshold => 2000, l1_cache => {driver => 'Memory', datastore => {}});
my $computed = 0;
if (writing) {
    $chi->set("row$_->{id}", $_) for @{ rows(5) };
    $chi->set_multi({a => [1, 2], b => {c => "\x{263a}"}, d => \'scalar'});
    $chi->set(big => rows(40));
    $chi->set({query => {page => 2, order => ['name']}} => 'kept under a structure');
    $chi->set('plain', 'a string needs no serializer');
    $chi->set(gone => [1]);
    $chi->remove('gone');
}
show('keys', [sort $chi->get_keys]);
show($_, $chi->get($_)) for 'row1', 'row3', 'plain', 'd';
show('multi', $chi->get_multi_hashref([qw(a b gone)]));
show('by structure', $chi->get({query => {order => ['name'], page => 2}}));
print 'big: ', scalar @{ $chi->get('big') }, ' rows, valid: ', $chi->is_valid('big') ? 1 : 0, "\n";
show('computed', $chi->compute('answer', '1 year', sub { $computed++; {answer => 42} })) for 1, 2;
print "computed $computed times\n";
my $object = $chi->get_object('row2');
print 'object: ', ref $object, ' ', $object->is_expired ? 'expired' : 'good', "\n";
show('its value', $object->value);
show('dump of all', [map { my $v = $chi->get($_); ref $v eq 'HASH' ? $v->{name} // 'hash' : ref $v || $v } sort grep { !/big/ } $chi->get_keys]);
