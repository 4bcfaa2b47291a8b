# Subject: AnyEvent::Util::fork_call, AnyEvent::Handle
# Does: forked calls that return structures or die; Storable messages through a socket pair
# Packages: libanyevent-perl
# Needs: AnyEvent AnyEvent::Util AnyEvent::Handle
use strict;
use warnings;
use Scenario;
use AnyEvent;
use AnyEvent::Handle;
use AnyEvent::Util qw(fork_call portable_socketpair);

my (%result, %error);
my $all = AnyEvent->condvar;
for my $n (1 .. 4) {
    $all->begin;
    &fork_call(sub { my ($n, $rows) = @_; die {failed => $n} if $n == 4; return ($n, {twice => 2 * $n, rows => $rows}, [map { $_ ** 2 } 1 .. $n]) }, $n, rows($n),
        sub { $error{$n} = $@; $result{$n} = [@_]; $all->end });
}
$all->recv;
show("call $_", $result{$_}) for sort keys %result;
print "call $_: ", $error{$_} ? 'died: ' . (ref $error{$_} || $error{$_} =~ s/\(0x\w+\)/(address)/r) : 'fine', "\n" for sort keys %error;

my ($left, $right) = portable_socketpair;
my $done = AnyEvent->condvar;
my $server = AnyEvent::Handle->new(fh => $left, on_error => sub { $done->send("error $_[2]") });
my $client = AnyEvent::Handle->new(fh => $right, on_error => sub { $done->send("error $_[2]") });
my $serve;
$serve = sub { my ($h, $message) = @_; $h->push_write(storable => {answer => $message, at => $message->{id}}); $h->push_read(storable => $serve) };
$server->push_read(storable => $serve);
$client->push_write(storable => $_) for @{ rows(5) };
my @answers;
my $read;
$read = sub { push @answers, $_[1]; @answers == 5 ? $done->send('all answered') : $_[0]->push_read(storable => $read) };
$client->push_read(storable => $read);
print $done->recv, "\n";
show('answers', \@answers);
