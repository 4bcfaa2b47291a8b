# fork in the middle of an operation: both processes go on with their own.
use strict;
use warnings;
use Config;
use lib 't/lib';
use File::Temp ();
use POSIX ();
use Test::More;
use PermafrostTest;

plan skip_all => 'no fork' unless $Config{d_fork};
my $dir = File::Temp::tempdir(CLEANUP => 1);

{
    package Forks;
    our ($code, $pid);
    sub STORABLE_freeze { $code->(); return ('text', $_[0]{list}) }
    sub STORABLE_thaw { my ($self, undef, undef, $list) = @_; $code->(); $self->{list} = $list; return }
}
my $data = [1, bless({list => [1 .. 3]}, 'Forks'), {tail => [1 .. 100]}];
local $Forks::code = sub { };
my $expected_image = pf->{nfreeze}->($data);
my $expected = tagged(pf->{thaw}->($expected_image));

# Forks in the hook; the child finishes the operation too and reports by a pipe.
sub both {
    my ($operation) = @_;
    pipe my $in, my $out or die "pipe: $!";
    my $main = $$;
    my $done = 0;
    local $Forks::code = sub {
        return if $done++;
        $Forks::pid = fork;
        die "fork: $!" unless defined $Forks::pid;
    };
    my $result = $operation->();
    if ($$ != $main) {
        syswrite $out, $result;
        POSIX::_exit(0);
    }
    close $out;
    my $from_child = do { local $/; <$in> };
    waitpid $Forks::pid, 0;
    return ($result, $from_child, $?);
}

my %operation = (
    nfreeze => [sub { unpack 'H*', pf->{nfreeze}->($data) }, unpack 'H*', $expected_image],
    thaw    => [sub { tagged(pf->{thaw}->($expected_image)) }, $expected],
    dclone  => [sub { tagged(pf->{dclone}->($data)) }, $expected],
    store   => [sub {
            my $name = "$dir/file";      # parent and child come back from nstore both
            pf->{nstore}->($data, $name);
            local $Forks::code = sub { };
            my $back;
            for (1 .. 200) {             # the other one may just be writing it
                last if defined($back = eval { pf->{retrieve}->($name) });
                select undef, undef, undef, 0.02;
            }
            return tagged($back);
        }, $expected],
);
for my $name (sort keys %operation) {
    my ($operation, $want) = @{$operation{$name}};
    my ($ours, $childs, $status) = both($operation);
    is($ours,   $want, "$name with a fork in the hook: parent");
    is($childs, $want, '... child');
    is($status, 0,     '... which ends well');
}

# Handles after a fork: the child's copy of a buffered handle
{
    pipe my $in, my $out or die $!;
    my $pid = fork;
    die "fork: $!" unless defined $pid;
    if (!$pid) {
        close $in;
        pf->{store_fd}->([$_, 'x' x 10_000], $out) for 1 .. 20;
        close $out;
        POSIX::_exit(0);
    }
    close $out;
    my @got = map { pf->{fd_retrieve}->($in)->[0] } 1 .. 20;
    is_deeply(\@got, [1 .. 20], 'twenty images through a pipe');
    waitpid $pid, 0;
}

# Answers of many children, the usual way to use it
{
    my @in;
    for my $n (1 .. 4) {
        pipe my $in, my $out or die $!;
        my $pid = fork;
        die "fork: $!" unless defined $pid;
        if (!$pid) {
            close $in;
            pf->{store_fd}->({n => $n, list => [1 .. 1000 * $n]}, $out);
            close $out;
            POSIX::_exit(0);
        }
        close $out;
        push @in, [$pid, $in];
    }
    is_deeply([map { my $r = pf->{fd_retrieve}->($_->[1]); waitpid $_->[0], 0; scalar @{$r->{list}} } @in],
        [1000, 2000, 3000, 4000], 'the answers of four children');
}

done_testing();
