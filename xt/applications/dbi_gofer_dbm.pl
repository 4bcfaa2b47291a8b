# Subject: DBI: Gofer, DBD::DBM
# Does: a database through Gofer's pipe to another process; tables of many columns in DBM files by MLDBM and Storable
# Packages: libdbi-perl libmldbm-perl libdbd-sqlite3-perl
# Needs: DBI DBD::Gofer DBI::Gofer::Transport::pipeone DBD::DBM MLDBM DBD::SQLite SDBM_File
use strict;
use warnings;
use Scenario;
use DBI ();

for my $transport (qw(null pipeone stream)) {
    my $dbh = DBI->connect("dbi:Gofer:transport=$transport;policy=classic;dsn=dbi:SQLite:dbname=$transport.sqlite", '', '', {RaiseError => 1, PrintError => 0, AutoCommit => 1});
    if (writing) {
        $dbh->do('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL)');
        $dbh->do('INSERT INTO item VALUES (?, ?, ?)', undef, @$_{qw(id name price)}) for @{ rows($transport eq 'pipeone' ? 2 : 5) };
    }
    show("$transport rows", $dbh->selectall_arrayref('SELECT * FROM item ORDER BY id', {Slice => {}}));
    show("$transport by key", $dbh->selectall_hashref('SELECT id, name FROM item WHERE price > 2', 'id'));
    eval { $dbh->do('SELECT * FROM nothing') };
    print "$transport error: ", $dbh->errstr // 'none', "\n";
    $dbh->disconnect;
}

mkdir 'dbm';
my $dbh = DBI->connect('dbi:DBM:', '', '', {f_dir => 'dbm', dbm_type => 'SDBM_File', dbm_mldbm => 'Storable', RaiseError => 1, PrintError => 0});
if (writing) {
    $dbh->do('CREATE TABLE thing (id INTEGER, name VARCHAR(30), price REAL)');
    $dbh->do('INSERT INTO thing VALUES (?, ?, ?)', undef, @$_{qw(id name price)}) for @{ rows(6) };
    $dbh->do('UPDATE thing SET name = ? WHERE id = 3', undef, 'changed');
    $dbh->do('DELETE FROM thing WHERE id = 5');
}
show('DBM', $dbh->selectall_arrayref('SELECT * FROM thing WHERE price > 1.5 ORDER BY id', {Slice => {}}));
