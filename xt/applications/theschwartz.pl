# Subject: TheSchwartz
# Does: jobs with arguments put into an SQLite queue, worked on, failed, tried again
# Packages: libtheschwartz-perl libdbd-sqlite3-perl
# Needs: TheSchwartz DBD::SQLite
use strict;
use warnings;
use Scenario;
use DBI ();
use TheSchwartz ();
use TheSchwartz::Worker ();

my $dsn = 'dbi:SQLite:dbname=jobs.sqlite';
if (writing) {
    my $dbh = DBI->connect($dsn, '', '', {RaiseError => 1});
    $dbh->do($_) for
        'CREATE TABLE funcmap (funcid INTEGER PRIMARY KEY AUTOINCREMENT, funcname VARCHAR(255) NOT NULL, UNIQUE(funcname))',
        'CREATE TABLE job (jobid INTEGER PRIMARY KEY AUTOINCREMENT, funcid INTEGER NOT NULL, arg MEDIUMBLOB, uniqkey VARCHAR(255),
            insert_time INTEGER, run_after INTEGER NOT NULL, grabbed_until INTEGER NOT NULL, priority SMALLINT, coalesce VARCHAR(255), UNIQUE(funcid,uniqkey))',
        'CREATE TABLE error (error_time INTEGER NOT NULL, jobid INTEGER NOT NULL, message VARCHAR(255) NOT NULL, funcid INTEGER NOT NULL)',
        'CREATE TABLE exitstatus (jobid INTEGER PRIMARY KEY NOT NULL, funcid INTEGER NOT NULL, status SMALLINT, completion_time INTEGER, delete_after INTEGER)';
}

{ package Mailer; our @ISA = 'TheSchwartz::Worker';
  sub work { my ($class, $job) = @_; $main::worked{ $job->jobid } = $job->arg; return $job->completed }
  package Flaky; our @ISA = 'TheSchwartz::Worker';
  our %tried;
  sub work { my ($class, $job) = @_; my $arg = $job->arg;
      push @{ $main::worked{ $job->jobid } }, $arg;
      return $tried{ $arg->{id} }++ ? $job->completed : $job->failed('not yet') }
  sub max_retries { 2 }
  sub retry_delay { 0 } }

my $client = TheSchwartz->new(databases => [{dsn => $dsn, user => '', pass => ''}], verbose => 0);
if (writing) {
    $client->insert(Mailer => $_) or die 'not inserted' for @{ rows(3) };
    $client->insert(TheSchwartz::Job->new(funcname => 'Mailer', arg => ["\x{263a}", [1, 2], {a => undef}], priority => 5));
    $client->insert(Mailer => {last => 1});
    $client->insert(Flaky => {id => $_, list => [1 .. $_]}) for 1, 2;
}
show('waiting', [map { [$_->jobid, $_->arg] } sort { $a->jobid <=> $b->jobid } $client->list_jobs({funcname => ['Mailer', 'Flaky']})]);
if (!writing) {
    $client->can_do($_) for qw(Mailer Flaky);
    $client->work_until_done;
    show("job $_", $main::worked{$_}) for sort { $a <=> $b } keys %main::worked;
    show('left', [map { $_->arg } $client->list_jobs({funcname => ['Mailer', 'Flaky']})]);
}
