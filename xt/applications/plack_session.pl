# Subject: Plack::Middleware::Session
# Does: a PSGI application with sessions in signed cookies, in files and in SQLite
# Packages: libplack-middleware-session-perl libplack-perl libdbd-sqlite3-perl
# Needs: Plack::Middleware::Session Plack::Middleware::Session::Cookie Plack::Session::Store::DBI Plack::Test DBD::SQLite
use strict;
use warnings;
use Scenario;
use DBI ();
use HTTP::Request::Common qw(GET);
use Plack::Builder;
use Plack::Session::State::Cookie ();
use Plack::Session::Store::DBI ();
use Plack::Session::Store::File ();
use Plack::Test;

mkdir 'files';
my $dbh = DBI->connect('dbi:SQLite:dbname=sessions.sqlite', '', '', {RaiseError => 1});
$dbh->do('CREATE TABLE IF NOT EXISTS sessions (id CHAR(72) PRIMARY KEY, session_data TEXT)');
my $counting = sub {
    my $session = shift->{'psgix.session'};
    $session->{visits}++;
    $session->{cart} ||= rows(2);
    $session->{cart}[0]{seen}{ $session->{visits} } = 1;
    $session->{text} = "\x{263a}";
    local $Data::Dumper::Sortkeys = local $Data::Dumper::Indent = local $Data::Dumper::Useqq = 1;
    return [200, ['Content-Type' => 'text/plain'], [Data::Dumper::Dumper($session)]];
};
my %store = (file => Plack::Session::Store::File->new(dir => 'files'), dbi => Plack::Session::Store::DBI->new(dbh => $dbh));
my $n = 0;
my %app = (
    cookie => builder { enable 'Session::Cookie', secret => 'a secret'; $counting },
    map { my $kind = $_; my $id = sprintf '%040d', length $kind;
        ($kind => builder { enable 'Session', store => $store{$kind}, state => Plack::Session::State::Cookie->new(sid_generator => sub { $id }); $counting })
    } keys %store,
);
for my $kind (sort keys %app) {
    my $cookie = '';
    open my $jar, '<', "$kind.jar" or writing or die "$kind.jar: $!";
    $cookie = readline $jar unless writing;
    test_psgi $app{$kind}, sub {
        my ($client) = @_;
        for my $request (1 .. 3) {
            my $response = $client->(GET '/', Cookie => $cookie);
            print "$kind, request $request: ", $response->code, "\n", $response->content;
            ($cookie) = ($response->header('Set-Cookie') // $cookie) =~ /^([^;]+)/;
        }
    };
    write_file("$kind.jar", $cookie) if writing;
}
