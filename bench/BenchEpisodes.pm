package BenchEpisodes;
# 28 rows of a table of television episodes, as objects of DBIx::Class, from SQLite in memory.
use strict;
use warnings;

# Two classes for one table. DBIx::Class has its own STORABLE hooks for the part of a row
# that leads to the database, and these use Storable's functions again, from inside.
{
    package Bench::Schema::Result::Episode;
    use base 'DBIx::Class::Core';
    __PACKAGE__->table('episode');
    __PACKAGE__->add_columns(qw(id pid series title synopsis duration published available));
    __PACKAGE__->set_primary_key('id');

    package Bench::Schema;
    use base 'DBIx::Class::Schema';
    __PACKAGE__->register_class(Episode => 'Bench::Schema::Result::Episode');
}

# RETURNS: the schema, connected to a database in memory that holds 28 fixed episodes.
sub _connect {
    my $schema = Bench::Schema->connect('dbi:SQLite:dbname=:memory:', '', '');
    $schema->storage->dbh->do(<<'SQL');
CREATE TABLE episode (
    id INTEGER PRIMARY KEY, pid TEXT, series INTEGER, title TEXT, synopsis TEXT,
    duration INTEGER, published TEXT, available INTEGER
)
SQL
    my @words = qw(winter island lighthouse river signal garden harbour engine letter storm);
    for my $n (1 .. 28) {
        my @line = map { $words[($n * 7 + $_ * 3) % @words] } 1 .. 16;
        $schema->resultset('Episode')->create({
            id        => $n,
            pid       => sprintf('b00%05x', $n * 7919),
            series    => 1 + int(($n - 1) / 7),
            title     => "The @line[0, 1]",
            synopsis  => "@line.",
            duration  => 1800 + 30 * ($n % 5),
            published => sprintf('2014-%02d-%02d 21:00:00', 1 + $n % 12, $n),
            available => $n % 2,
        });
    }
    return $schema;
}

# RETURNS: the rows, a reference to an array of fresh objects. They share their schema, which
# thawed rows find again; without that each would warn that it lost its database.
my $schema;
sub rows {
    $schema ||= _connect();
    $DBIx::Class::ResultSourceHandle::thaw_schema = $schema;
    return [$schema->resultset('Episode')->search({}, { order_by => 'id' })->all];
}

1;
