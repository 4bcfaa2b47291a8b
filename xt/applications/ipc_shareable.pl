# Subject: IPC::Shareable
# Does: a hash in shared memory, changed by forked children, read in turns
# Packages: libipc-shareable-perl
# Needs: IPC::Shareable
use strict;
use warnings;
use Scenario;
use IPC::Shareable ();

my $key = 'pf' . $$ % 10_000;
my $knot = tie my %shared, 'IPC::Shareable', {key => $key, create => 1, destroy => 1, size => 65_536, serializer => 'storable'};
$shared{rows} = 'none yet';
$shared{counter} = 0;
for my $child (1 .. 3) {
    my $pid = fork // die $!;
    if (!$pid) {
        for (1 .. 5) { $knot->lock; $shared{counter}++; $knot->unlock }
        $shared{"child$child"} = "\x{e9} $child";
        POSIX::_exit(0) if require POSIX;
    }
    waitpid $pid, 0;
}
show('shared', {map { ($_ => $shared{$_}) } sort keys %shared});
tie my $scalar, 'IPC::Shareable', {key => "${key}s", create => 1, destroy => 1, serializer => 'storable'};
$scalar = 42.5;
print "scalar $scalar\n";
IPC::Shareable->clean_up;
