# Subject: Thread::Queue::Any
# Does: structures through queues between threads
# Packages: libthread-queue-any-perl
# Needs: threads Thread::Queue::Any
use threads;
use strict;
use warnings;
use Scenario;
use Thread::Queue::Any serializer => 'Storable';

my ($in, $out) = map { Thread::Queue::Any->new } 1, 2;
my @workers = map { threads->create(sub {
    while (my ($row, $more) = $in->dequeue) { last unless $row; $out->enqueue({id => $row->{id}, title => $row->{title}}, [reverse @$more]) }
}) } 1 .. 2;
$in->enqueue($_, [1 .. $_->{id}]) for @{ rows(8) };
$in->enqueue(undef, []) for @workers;
$_->join for @workers;
my @got = map { [$out->dequeue] } 1 .. 8;
show('answers', [sort { $a->[0]{id} <=> $b->[0]{id} } @got]);
print 'left: ', scalar(my @none = $out->dequeue_nb), "\n";
