# lock_store, lock_nstore and lock_retrieve: who waits for whom, and what readers see.
use strict;
use warnings;
use lib 't/lib';
use Cwd ();
use Fcntl qw(:flock);
use File::Spec ();
use File::Temp ();
use POSIX ();
use Test::More;
use Time::HiRes ();
use PermafrostTest;

plan skip_all => 'no flock here' unless pf->{CAN_FLOCK} && pf->{CAN_FLOCK}->();

my $home = Cwd::cwd();
my $dir = File::Temp::tempdir(CLEANUP => 1);
chdir $dir or die "chdir: $!";
my $main = $$;
END { chdir $home if defined $home && $$ == $main }

# True when the code does not come back while another process holds the lock on the file. If it
# should, it gets the time that it takes under valgrind.
sub waits {
    my ($lock, $code, $should) = @_;
    pipe my $ready, my $tell or die "pipe: $!";
    my $holder = fork;
    die "fork: $!" unless defined $holder;
    if (!$holder) {
        open my $file, '+<', 'file' or POSIX::_exit(1);
        flock $file, $lock or POSIX::_exit(1);
        syswrite $tell, 'x';
        sleep 60;
        POSIX::_exit(0);
    }
    close $tell;
    sysread $ready, my $byte, 1;
    my $worker = fork;
    die "fork: $!" unless defined $worker;
    if (!$worker) {
        eval { $code->() };
        POSIX::_exit(0);
    }
    my $gone = 0;
    for (1 .. ($should ? 15 : 1000)) {
        $gone = waitpid $worker, POSIX::WNOHANG();
        last if $gone;
        Time::HiRes::sleep(0.02);
    }
    my $size = -s 'file';
    kill 'KILL', $holder;
    waitpid $holder, 0;
    waitpid $worker, 0 unless $gone;
    return ($gone ? 0 : 1, $size);
}

my $old = [1 .. 100];
my $size = do { st->{store}->($old, 'file'); -s 'file' };
my %expected = (    # a lock held by another:  shared, exclusive
    lock_store    => [1, 1],
    lock_nstore   => [1, 1],
    lock_retrieve => [0, 1],
    store         => [0, 0],
    retrieve      => [0, 0],
);
for my $function (sort keys %expected) {
    for my $i (0, 1) {
        st->{store}->($old, 'file');
        my ($waited, $during) = waits($i ? LOCK_EX : LOCK_SH,
            sub { pf->{$function}->($function =~ /retrieve/ ? 'file' : ([1], 'file')) }, $expected{$function}[$i]);
        my $lock = $i ? 'an exclusive' : 'a shared';
        is($waited, $expected{$function}[$i],
            "$function " . ($expected{$function}[$i] ? 'waits for' : 'ignores') . " $lock lock");
        is($during, $size, "$function leaves the file alone meanwhile") if $waited;
        next if $function =~ /retrieve/;
        is_deeply(pf->{retrieve}->('file'), [1], '... and wrote in the end');
    }
}

# The lock is gone afterwards, also after failures
for my $case (
    ['lock_store',    [1], 'file'],
    ['lock_nstore',   [1], 'file'],
    ['lock_retrieve', 'file'],
    ['lock_store',    [sub { }], 'file'],
    ['lock_retrieve', 'garbage'],
  ) {
    my ($function, @arguments) = @$case;
    open my $out, '>', 'garbage';
    print {$out} "nothing to see here\n";
    close $out;
    eval { pf->{$function}->(@arguments) };
    my $name = $arguments[-1];
    st->{store}->([1], 'file') unless -e 'file';
    open my $file, '+<', $name or die "$name: $!";
    ok(flock($file, LOCK_EX | LOCK_NB), "$function(@arguments): the lock is gone");
}

# What cannot be truncated, and what may only be written
for my $writer (qw(lock_store lock_nstore store nstore)) {
    same_outcome("$writer to the null device", sub { $_[0]{$writer}->([1], File::Spec->devnull) });
}
{
    my ($ours, $theirs) = on_both(sub {
        my ($m) = @_;
        chmod 0755, $dir;
        open my $out, ">", "wo";
        close $out;
        chmod 0222, "wo";
        return in_child(sub {
            ($<, $>) = (65534, 65534) if $> == 0;
            return clean_message(outcome(sub { $m->{lock_store}->([1], "wo") })->{error}) || "fine";
        });
    });
    is($ours, $theirs, "a file that may only be written");
}

# New files, bytes and contents
unlink 'new';
is(pf->{lock_store}->([1, 2], 'new'), 1, 'lock_store makes the file');
is_deeply(pf->{lock_retrieve}->('new'), [1, 2], 'lock_retrieve');
is_deeply(st->{lock_retrieve}->('new'), [1, 2], 'Storable reads it');
st->{lock_nstore}->([3], 'new');
is_deeply(pf->{lock_retrieve}->('new'), [3], 'lock_retrieve of what Storable wrote');

# Readers never see an empty or half-written file [Devel::Cover 90]
pf->{lock_store}->(['start'], 'busy');
my @writers;
for my $n (1, 2) {
    my $pid = fork;
    die "fork: $!" unless defined $pid;
    if (!$pid) {
        for my $i (1 .. 60) { pf->{lock_nstore}->([("writer $n, $i") x (500 * $n)], 'busy') }
        POSIX::_exit(0);
    }
    push @writers, $pid;
}
my ($reads, @trouble) = (0);
my %left = map { $_ => 1 } @writers;
while (%left) {
    for (keys %left) { delete $left{$_} if waitpid $_, POSIX::WNOHANG() }
    my $seen = eval { pf->{lock_retrieve}->('busy') };
    $reads++;
    push @trouble, $@ || 'undef' unless defined $seen;
    push @trouble, 'mixed' if defined $seen && grep { $_ ne $seen->[0] } @$seen;
}
is_deeply(\@trouble, [], "$reads reads while two processes write");

done_testing();
