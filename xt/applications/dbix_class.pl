# Subject: DBIx::Class
# Does: rows, result sets and handles of an SQLite schema frozen by its hooks, thawed, saved and used again
# Packages: libdbix-class-perl libdbd-sqlite3-perl
# Needs: DBIx::Class DBD::SQLite
use strict;
use warnings;
use Scenario;
use Storable qw(dclone freeze nfreeze nstore retrieve thaw);

{ package My::Schema::Result::Artist; use base 'DBIx::Class::Core';
  __PACKAGE__->table('artist'); __PACKAGE__->add_columns(id => {is_auto_increment => 1}, name => {}, born => {is_nullable => 1});
  __PACKAGE__->set_primary_key('id'); __PACKAGE__->has_many(discs => 'My::Schema::Result::Disc', 'artist');
  package My::Schema::Result::Disc; use base 'DBIx::Class::Core';
  __PACKAGE__->table('disc'); __PACKAGE__->add_columns(id => {is_auto_increment => 1}, artist => {}, title => {}, year => {});
  __PACKAGE__->set_primary_key('id'); __PACKAGE__->belongs_to(artist => 'My::Schema::Result::Artist');
  package My::Schema; use base 'DBIx::Class::Schema';
  __PACKAGE__->register_class($_ => "My::Schema::Result::$_") for qw(Artist Disc); }
$INC{"My/$_.pm"} = $0 for qw(Schema Schema/Result/Artist Schema/Result/Disc);

my $schema = My::Schema->connect('dbi:SQLite:dbname=music.sqlite', '', '', {sqlite_unicode => 1});
$DBIx::Class::ResultSourceHandle::thaw_schema = $schema;
if (writing) {
    $schema->storage->dbh->do($_) for 'CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT, born INTEGER)',
        'CREATE TABLE disc (id INTEGER PRIMARY KEY, artist INTEGER, title TEXT, year INTEGER)';
    $schema->resultset('Artist')->create({name => "\x{17d}ofie $_", born => $_ % 2 ? 1900 + $_ : undef,
        discs => [map { {title => "disc $_", year => 1990 + $_} } 1 .. 2]}) for 1 .. 3;
    nstore([$schema->resultset('Artist')->search({}, {order_by => ['me.id', 'discs.id'], prefetch => 'discs'})->all], 'rows');
    nstore(scalar $schema->resultset('Disc')->search({year => 1991}, {order_by => 'id'}), 'resultset');
    nstore($schema->source('Artist')->handle, 'handle');
}
my $rows = retrieve('rows');
for my $row (@$rows) {
    show('row ' . $row->id, {$row->get_columns});
    print '  changed: ', $row->is_changed ? 1 : 0, ', in storage: ', $row->in_storage ? 1 : 0, ', discs: ', join(', ', map { $_->title } $row->discs), "\n";
}
show('result set', [map { {$_->get_columns} } retrieve('resultset')->all]);
print 'handle: ', retrieve('handle')->resolve->name, "\n";
for my $copy (dclone($rows->[0]), thaw(freeze($rows->[0])), $schema->thaw($schema->freeze($rows->[0])), $schema->dclone($rows->[0])) {
    print ref $copy, ' ', $copy->name =~ s/[^ -~]/?/gr, ' ', $copy->result_source->schema == $schema ? 'in the schema' : 'lost', "\n";
    $copy->born(1950);
    $copy->update;
}
show('discs as hashes', [map { {$_->get_columns} } $rows->[1]->discs]);
print 'schema class: ', ref thaw(nfreeze($schema->source('Disc')->resultset)), "\n";
