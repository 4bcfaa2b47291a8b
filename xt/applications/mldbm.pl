# Subject: MLDBM and MLDBM::Sync
# Does: trees in SDBM and DB_File, the latter with locks and forked writers
# Packages: libmldbm-perl libmldbm-sync-perl
# Needs: MLDBM MLDBM::Sync SDBM_File DB_File
use strict;
use warnings;
use Scenario;
use Fcntl qw(O_CREAT O_RDWR);
use MLDBM qw(SDBM_File Storable);
use MLDBM::Sync ();

tie my %plain, 'MLDBM', 'plain', O_CREAT | O_RDWR, 0640 or die "plain: $!";
if (writing) {
    $plain{"row$_->{id}"} = $_ for @{ rows(4) };
    $plain{scalar} = 'text';
    $plain{list} = [1, [2, [3, {four => undef}]]];
    my $row = $plain{row1};
    $row->{changed} = {yes => 1};
    $plain{row1} = $row;
    delete $plain{row4};
}
show("plain $_", $plain{$_}) for sort keys %plain;
print exists $plain{row4} ? "row4 is there\n" : "row4 is gone\n";
untie %plain;

$MLDBM::UseDB = 'DB_File';
$MLDBM::Serializer = 'Storable';
my $sync = tie my %sync, 'MLDBM::Sync', 'sync', O_CREAT | O_RDWR, 0640 or die "sync: $!";
if (writing) {
    $sync{counter} = {n => 0};
    my @children = map {
        my $child = $_;
        my $pid = fork // die $!;
        if (!$pid) {
            for (1 .. 5) {
                $sync->Lock;
                my $counter = $sync{counter};
                $counter->{n}++;
                $counter->{"by$child"}++;
                $sync{counter} = $counter;
                $sync->UnLock;
            }
            $sync{"child$child"} = rows($child);
            exit 0;
        }
        $pid;
    } 1 .. 3;
    waitpid $_, 0 for @children;
}
$sync->ReadLock;
show("sync $_", $sync{$_}) for sort keys %sync;
$sync->UnLock;
