#!/usr/bin/perl
# freeze against nfreeze, as people measure it: a DateTime, and rows of DBIx::Class.
# The script knows nothing of Permafrost, so that the same file measures both modules.
use Modern::Perl;
use Benchmark qw(timethese);
use DateTime;
use Storable qw(freeze nfreeze thaw);
use Pod::Usage qw(pod2usage);

=head1 NAME

freeze_vs_nfreeze.pl - time freeze and nfreeze of a DateTime and of database rows

=head1 SYNOPSIS

    perl bench/freeze_vs_nfreeze.pl [COUNT]
    perl -Mblib -MPermafrost::AsStorable bench/freeze_vs_nfreeze.pl [COUNT]

COUNT is Benchmark's: a number of iterations or, if negative, of CPU seconds for each of
the four measurements (default -3).

=cut

my $count = shift // -3;
pod2usage(0) if $count =~ /\A(?:-h|--help)\z/;
pod2usage(2) if @ARGV || $count !~ /\A-?[0-9]+(?:\.[0-9]+)?\z/ || $count == 0;

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
sub episode_schema {
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

# Prints the sizes of both images of $data, then times both round trips.
sub compare {
    my ($title, $data) = @_;
    say $title;
    say 'freeze:  ', length freeze($data), ' bytes';
    say 'nfreeze: ', length nfreeze($data), ' bytes';
    timethese($count, {
        freeze  => sub { my $copy = thaw(freeze($data)) },
        nfreeze => sub { my $copy = thaw(nfreeze($data)) },
    });
}

compare('DateTime', DateTime->now);

my $schema = episode_schema();
# Without it each thawed row would warn that it lost its database.
local $DBIx::Class::ResultSourceHandle::thaw_schema = $schema;
my @episodes = $schema->resultset('Episode')->search({}, { order_by => 'id' })->all;
compare(scalar(@episodes) . ' DBIx::Class rows', \@episodes);
