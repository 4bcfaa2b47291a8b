# Subject: IO::Async
# Does: a pool of forked functions with structures as arguments and results, exceptions; routines with channels
# Packages: libio-async-perl
# Needs: IO::Async::Loop IO::Async::Function IO::Async::Routine IO::Async::Channel
use strict;
use warnings;
use Scenario;
use IO::Async::Channel ();
use IO::Async::Function ();
use IO::Async::Loop ();
use IO::Async::Routine ();

my $loop = IO::Async::Loop->new;
my $function = IO::Async::Function->new(model => 'fork', min_workers => 1, max_workers => 2,
    code => sub { my ($row, @more) = @_; die "refused $row->{id}\n" if $row->{id} == 3; return {id => $row->{id}, title => $row->{title}, more => \@more}, [1 .. $row->{id}] });
$loop->add($function);
my @futures = map { $function->call(args => [$_, {extra => $_->{tags}}, \'scalar']) } @{ rows(5) };
for my $n (0 .. $#futures) {
    $futures[$n]->await;
    show("call $n", $futures[$n]->is_failed ? ['failed', ($futures[$n]->failure)[0]] : [$futures[$n]->get]);
}
$function->stop;

my ($in, $out) = map { IO::Async::Channel->new(codec => 'Storable') } 1, 2;
my $routine = IO::Async::Routine->new(model => 'fork', channels_in => [$in], channels_out => [$out], on_finish => sub { }, on_return => sub { },
    code => sub { while (my $message = $in->recv) { last if ref $message eq 'SCALAR'; $out->send([scalar reverse(join ',', @$message), {of => $message}]) } return 0 });
$loop->add($routine);
for my $message ([1, 2, 3], ["\x{263a}"], [map { $_->{name} } @{ rows(3) }]) {
    $in->send($message);
    show('answer', $out->recv->get);
}
$in->send(\'end');
