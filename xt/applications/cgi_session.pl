# Subject: CGI::Session
# Does: sessions with serializer:storable in files, DB_File and SQLite: parameters, expiry, flush, delete, find
# Packages: libcgi-session-perl libdbd-sqlite3-perl
# Needs: CGI::Session DB_File DBD::SQLite
use strict;
use warnings;
use Scenario;
use CGI::Session ();
use Cwd qw(getcwd);
use DBI ();

my $dbh = DBI->connect('dbi:SQLite:dbname=sessions.sqlite', '', '', {RaiseError => 1});
$dbh->do('CREATE TABLE IF NOT EXISTS sessions (id CHAR(32) NOT NULL PRIMARY KEY, a_session BLOB NOT NULL)');
mkdir 'files';
my %driver = (file => {Directory => 'files'}, db_file => {FileName => 'sessions.db', Directory => getcwd()}, sqlite => {Handle => $dbh});
for my $driver (sort keys %driver) {
    my $dsn = "driver:$driver;serializer:storable;id:static";
    for my $name (qw(anna bert)) {
        my $id = "$driver$name";
        if (writing) {
            my $session = CGI::Session->new($dsn, $id, $driver{$driver}) or die CGI::Session->errstr;
            $session->param(user => $name);
            $session->param(-name => 'cart', -value => rows(2));
            $session->param(text => "caf\x{e9} \x{263a}");
            $session->expire('+1y');
            $session->expire(text => '+1M');
            $session->flush or die $session->errstr;
        }
        my $session = CGI::Session->load($dsn, $id, $driver{$driver}) or die CGI::Session->errstr;
        print "$driver $name: ", $session->is_empty ? 'empty' : 'there', ', expires ', $session->expire, "\n";
        show("$driver $name $_", $session->param($_)) for qw(user cart text);
        show("$driver parameters", [sort $session->param]);
        $session->param(visits => ($session->param('visits') || 0) + 1);
        $session->delete if $name eq 'bert' && writing && $driver eq 'file';
        $session->flush;
    }
}
