# Subject: forks
# Does: threads as processes: results, shared variables, queues and locks, all through frozen messages
# Packages: libforks-perl
# Needs: forks
use forks;
use forks::shared;
use strict;
use warnings;
use Scenario;
use Thread::Queue ();

my %shared : shared;
my @list : shared = (1 .. 3);
my $count : shared = 0;
my $queue = Thread::Queue->new;
my @threads = map { threads->create(sub {
    my ($n, $rows) = @_;
    for (1 .. 3) { lock $count; $count++ }
    { lock %shared; $shared{"from $n"} = "\x{263a} $n"; }
    { lock @list; push @list, $n * 10; }
    $queue->enqueue("item $n");
    return {n => $n, rows => $rows, more => [[$n], {n => undef}]};
}, $_, rows($_)) } 1 .. 3;
show('results', [map { $_->join } @threads]);
show('shared', {%shared}, [sort { $a <=> $b } @list], $count);
show('queue', [sort map { $queue->dequeue } 1 .. 3]);
my $dies = threads->create({context => 'scalar'}, sub { local $SIG{__WARN__} = sub { }; local *STDERR; die "in a thread\n" });
print 'died: ', defined $dies->join ? 'no' : 'yes', ' ', $dies->error // '', "\n";
