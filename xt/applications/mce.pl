# Subject: MCE
# Does: maps, streams and queues over forked workers, which exchange structures
# Packages: libmce-perl
# Needs: MCE MCE::Map MCE::Flow MCE::Queue MCE::Child MCE::Channel
# Sereal serves MCE if it is there; Storable is asked for.
use strict;
use warnings;
use Scenario;
use MCE::Signal qw(-setpgrp);
use MCE freeze => \&Storable::freeze, thaw => \&Storable::thaw;
use MCE::Child;
use MCE::Flow;
use MCE::Map;
use MCE::Queue;
use Storable ();

MCE::Map->init(max_workers => 2, chunk_size => 3);
my @mapped = mce_map { {id => $_->{id}, sum => $_->{price} + $_->{neg}, title => $_->{title}, owner => $_->{owner}} } @{ rows(10) };
show('mapped', \@mapped);
MCE::Map->finish;

my $queue = MCE::Queue->new(fast => 0);
my @seen;
mce_flow {max_workers => [1, 2], gather => sub { push @seen, @_ }},
    sub { $queue->enqueue($_) for @{ rows(6) }; $queue->end },
    sub { while (defined(my $row = $queue->dequeue)) { MCE->gather({id => $row->{id}, tags => $row->{tags}}) } };
MCE::Flow->finish;
show('from the queue', [sort { $a->{id} <=> $b->{id} } @seen]);

my @children = map { MCE::Child->create(sub { my ($n, $data) = @_; return {n => $n, data => $data, text => "\x{263a}"} }, $_, [rows($_)]) } 1 .. 2;
show('from children', [map { $_->join } @children]);
