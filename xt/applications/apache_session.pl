# Subject: Apache::Session
# Does: sessions in files, DB_File and SQLite, through the serializers Storable, Base64 and UUEncode
# Packages: libapache-session-perl libdbd-sqlite3-perl
# Needs: Apache::Session::Flex DB_File DBD::SQLite
use strict;
use warnings;
use Scenario;
use Apache::Session::Flex ();
use Cwd qw(getcwd);
use DBI ();

mkdir $_ for qw(sessions locks);
my $dbh = DBI->connect('dbi:SQLite:dbname=sessions.sqlite', '', '', {RaiseError => 1, AutoCommit => 1});
$dbh->do('CREATE TABLE IF NOT EXISTS sessions (id CHAR(32) PRIMARY KEY, a_session BLOB)');
my %store = (File => {Directory => 'sessions'}, DB_File => {FileName => 'sessions.db'}, MySQL => {Handle => $dbh});
for my $store (sort keys %store) {
    for my $serialize (qw(Storable Base64 UUEncode)) {
        next if $store eq 'MySQL' && $serialize eq 'Storable';    # binary data in a text column
        my $id = substr(unpack('H*', "$store $serialize") . '0' x 32, 0, 32);
        my @how = (Store => $store, Lock => 'Null', Generate => 'MD5', Serialize => $serialize, %{ $store{$store} });
        if (writing) {
            no warnings qw(redefine once);
            local *Apache::Session::Generate::MD5::generate = sub { $_[0]{data}{_session_id} = $id };
            require Apache::Session::Generate::MD5;
            local *Apache::Session::Generate::MD5::generate = sub { $_[0]{data}{_session_id} = $id };
            tie my %new, 'Apache::Session::Flex', undef, {@how};
            $new{user} = 'anna';
            $new{cart} = rows(2);
            untie %new;
            tie my %again, 'Apache::Session::Flex', $id, {@how};
            $again{cart}[0]{note} = 'changed deep inside';
            $again{visits} = 2;
            untie %again;
        }
        tie my %session, 'Apache::Session::Flex', $id, {@how};
        show("$store $serialize", {%session});
        untie %session;
    }
}
print eval { tie my %no, 'Apache::Session::Flex', 'f' x 32, {Store => 'File', Lock => 'Null', Generate => 'MD5', Serialize => 'Storable', Directory => 'sessions'}; 1 }
    ? "found\n" : 'unknown: ' . ($@ =~ s/ at .*//sr) . "\n";
