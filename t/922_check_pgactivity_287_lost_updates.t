# check_pgactivity 287: two processes that lock_retrieve, change and lock_store lose updates, as
# nothing is locked in between. Right: lock_update holds one lock over all of it.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

use File::Temp ();
plan skip_all => 'Permafrost only' if is_stock() || !$MODULE->can('lock_update');

my $dir = File::Temp::tempdir(CLEANUP => 1);
my $file = "$dir/counter";
pf->{nstore}->({count => 0}, $file);
my ($processes, $each) = (4, 50);
my @pids = map {
    my $pid = fork // die $!;
    if (!$pid) {
        my $fine = eval { Permafrost::lock_update(sub { $_->{count}++ }, $file) for 1 .. $each; 1 };
        require POSIX;
        POSIX::_exit($fine ? 0 : 1);
    }
    $pid;
} 1 .. $processes;
my $bad = grep { waitpid $_, 0; $? } @pids;
is($bad, 0, 'no process failed');
is(pf->{lock_retrieve}->($file)->{count}, $processes * $each, 'no update is lost');

done_testing();
