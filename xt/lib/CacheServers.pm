package CacheServers;

# memcached and Redis for tests, on loopback. They end with the test, however it ends.
#
#     my $servers = CacheServers->start(memcached => 2, redis => 1) or plan skip_all => ...;
#     $servers->memcached;      # 127.0.0.1:PORT, ...
#     $servers->stop;           # or let $servers go out of scope

use strict;
use warnings;
use File::Path ();
use File::Temp ();
use IO::Handle;
use IO::Socket::INET ();
use POSIX ();

my %PROGRAM = (memcached => 'memcached', redis => 'redis-server');

# RETURNS: the path of a server's program, or undef.
sub program {
    my ($kind) = @_;
    my ($path) = grep { -x } map { "$_/$PROGRAM{$kind}" } split(/:/, $ENV{PATH}), '/usr/sbin', '/usr/bin';
    return $path;
}

# Starts so many servers of each kind and waits until they answer. Dies if one does not.
sub start {
    my ($class, %count) = @_;
    my $self = bless {dir => File::Temp->newdir, owner => $$}, $class;
    chmod 0755, "$self->{dir}";
    pipe my $from_keeper, my $to_test or die "pipe: $!";
    pipe my $from_test, my $to_keeper or die "pipe: $!";
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if (!$pid) {
        close $_ for $from_keeper, $to_keeper;
        eval { _keep($self, $from_test, $to_test, %count); 1 } or print {$to_test} "failed $@";
        POSIX::_exit(0);
    }
    close $_ for $from_test, $to_test;
    @$self{qw(keeper lifeline)} = ($pid, $to_keeper);
    while (my $line = <$from_keeper>) {
        my ($kind, $rest) = $line =~ /\A(\w+) (.*)/ or next;
        die "cannot start the servers: $rest\n" if $kind eq 'failed';
        last if $kind eq 'ready';
        push @{$self->{$kind}}, "127.0.0.1:$rest";
    }
    return $self;
}

sub memcached { return @{$_[0]{memcached} || []} }
sub redis     { return @{$_[0]{redis} || []} }

# Ends the servers, and returns when they have ended.
sub stop {
    my ($self) = @_;
    return if $$ != $self->{owner} || !$self->{lifeline};
    close delete $self->{lifeline};
    local ($?, $!);
    waitpid $self->{keeper}, 0;
    return;
}
sub DESTROY { return $_[0]->stop }

# The keeper: a process between the test and the servers. It ends them when the test closes
# its end of the pipe, which the system does if the test is killed.
sub _keep {
    my ($self, $from_test, $to_test, %count) = @_;
    POSIX::setsid();    # what the terminal sends to the test must not reach the keeper
    $SIG{$_} = 'IGNORE' for qw(HUP INT TERM PIPE);
    $to_test->autoflush(1);
    my @pids;
    my $ok = eval {
        for my $kind (sort keys %count) {
            for (1 .. $count{$kind}) {
                my ($pid, $port) = _server($kind, "$self->{dir}", \@pids);
                print {$to_test} "$kind $port\n";
            }
        }
        1;
    };
    my $error = $@;
    if ($ok) {
        print {$to_test} "ready 1\n";
        close $to_test;
        1 while sysread $from_test, my $nothing, 1;
    }
    kill TERM => @pids if @pids;
    for my $tries (1 .. 100) {
        @pids = grep { waitpid($_, POSIX::WNOHANG()) == 0 } @pids or last;
        select undef, undef, undef, 0.05;
    }
    kill KILL => @pids if @pids;
    waitpid $_, 0 for @pids;
    File::Path::remove_tree("$self->{dir}");    # the test may not be there any more to do it
    die $error if !$ok;
    return;
}

# Starts one server. Another process may take the port between our looking for a free one and
# the server's binding it: then there is another try.
sub _server {
    my ($kind, $dir, $pids) = @_;
    my $program = program($kind) or die "there is no $PROGRAM{$kind}\n";
    for (1 .. 5) {
        my $port = _free_port();
        my @command = $kind eq 'redis'
            ? ($program, '--bind', '127.0.0.1', '--port', $port, '--save', '', '--appendonly', 'no', '--dir', $dir)
            : ($program, '-l', '127.0.0.1', '-p', $port, '-U', 0, '-m', 64, '-t', 1, $> ? () : ('-u', 'nobody'));
        my $pid = fork;
        die "fork: $!\n" if !defined $pid;
        if (!$pid) {
            open STDIN,  '<', '/dev/null';
            open STDOUT, '>', '/dev/null';
            open STDERR, '>', '/dev/null';
            $SIG{$_} = 'DEFAULT' for qw(HUP INT TERM PIPE);
            { no warnings 'exec'; exec @command }
            POSIX::_exit(127);
        }
        push @$pids, $pid;
        return ($pid, $port) if _answers($pid, $port, $kind);
        kill KILL => $pid;
        waitpid $pid, 0;
        pop @$pids;
    }
    die "$PROGRAM{$kind} does not answer\n";
}

sub _free_port {
    my $socket = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', LocalPort => 0) or die "no free port: $!\n";
    return $socket->sockport;
}

# RETURNS: true when the server answers, false if it has ended or is silent for ten seconds.
sub _answers {
    my ($pid, $port, $kind) = @_;
    for (1 .. 200) {
        return 0 if waitpid($pid, POSIX::WNOHANG()) != 0;
        if (my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 1)) {
            print {$socket} $kind eq 'redis' ? "PING\r\n" : "version\r\n";
            return 1 if (readline($socket) // '') =~ /\A(?:\+PONG|VERSION )/;
        }
        select undef, undef, undef, 0.05;
    }
    return 0;
}

1;
