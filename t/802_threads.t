# Several interpreters: each has its own state; cloning one changes nothing.
use strict;
use warnings;
use Config;
BEGIN {
    if (!$Config{useithreads} || !eval { require threads; threads->import; 1 }) {
        print "1..0 # SKIP no ithreads\n";
        exit 0;
    }
}
use lib 't/lib';
use Test::More;
use PermafrostTest;

no warnings 'once';

my %data = (map { ("key $_" => [$_, "text $_", {n => $_, list => [1 .. 5]}]) } 1 .. 200);
{
    package Hooked;
    sub new { my ($class, $n) = @_; return bless {n => $n}, $class }
    sub STORABLE_freeze { my ($self) = @_; return ("n=$self->{n}", [$self->{n}]) }
    sub STORABLE_thaw { my ($self, $cloning, $text, $list) = @_; $self->{n} = $list->[0]; return }
}
$data{objects} = [map { Hooked->new($_) } 1 .. 50];

my $expected = with_options({canonical => 1}, sub { pf->{nfreeze}->(\%data) });

# Work before, in and after threads
sub work {
    my ($rounds) = @_;
    for my $round (1 .. $rounds) {
        my $image = with_options({canonical => 1}, sub { pf->{nfreeze}->(\%data) });
        return "round $round: other bytes" if $image ne $expected;
        my $back = pf->{thaw}->($image);
        return "round $round: keys"   if keys %$back != keys %data;
        return "round $round: hooks"  if $back->{objects}[49]{n} != 50;
        my $clone = pf->{dclone}->($back);
        return "round $round: dclone" if $clone->{'key 7'}[2]{list}[4] != 5;
        eval { pf->{freeze}->([sub { 1 }]) };
        return "round $round: error $@" if $@ !~ /^Can't store CODE items/;
        eval { pf->{thaw}->("\5\x0b\xff") };
        return "round $round: error $@" if $@ !~ /^Corrupted storable string/;
    }
    return 'fine';
}

is(work(2), 'fine', 'before any thread');
is_deeply([map { $_->join } map { threads->create(\&work, 10) } 1 .. 4],
    [('fine') x 4], 'four threads at once');
is(work(2), 'fine', 'after them');

# A thread made in the middle of an operation
{
    package Starts;
    our @answers;
    sub STORABLE_freeze {
        my ($self, $cloning) = @_;
        push @answers, threads->create(sub { main::work(1) })->join;
        return 'x';
    }
    sub STORABLE_thaw {
        push @answers, threads->create(sub { main::work(1) })->join;
        return;
    }
}
my $object = [1, bless({}, 'Starts'), 2];
my $clone = pf->{thaw}->(pf->{freeze}->($object));
is(ref $clone->[1], 'Starts', 'threads made inside hooks: the outer operation goes on');
is($clone->[2], 2, '... to its end');
is_deeply(\@Starts::answers, ['fine', 'fine'], '... and the threads work');
@Starts::answers = ();
is(pf->{dclone}->($object)->[2], 2, 'also in dclone');
is_deeply(\@Starts::answers, ['fine', 'fine'], '... and they work');

# State is per interpreter
pf->{nfreeze}->([]);
is(threads->create(sub { pf->{freeze}->([]); pf->{last_op_in_netorder}->() ? 1 : 0 })->join, 0,
    'a thread has its own last_op_in_netorder')
  if pf->{last_op_in_netorder};
is(pf->{last_op_in_netorder}->() ? 1 : 0, 1, '... and leaves ours alone') if pf->{last_op_in_netorder};
{
    local $Storable::canonical = 1;
    threads->create(sub { $Storable::canonical = 0; $Storable::Deparse = 1 })->join;
    is($Storable::canonical, 1, 'options are per thread');
    ok(!eval { pf->{freeze}->([sub { 1 }]); 1 }, '... also Deparse');
}

# A thread that ends while the parent goes on, with objects alive
{
    my $kept = pf->{thaw}->($expected);
    my $thread = threads->create(sub { my $mine = pf->{dclone}->($kept); return scalar keys %$mine });
    is($thread->join, scalar keys %data, 'data made before are there in the thread');
    is(scalar keys %$kept, scalar keys %data, '... and afterwards in the parent');
}

# Detached and unjoined threads at exit of the program
my $answer = do {
    my @perl = ($^X, map { "-I$_" } grep { !ref } @INC);
    open my $out, '-|', @perl, '-Mthreads', "-M$MODULE=freeze,thaw", '-e',
      'my $t = threads->create(sub { thaw(freeze([1 .. 10])) for 1 .. 100; 1 }); $t->join;'
      . 'threads->create(sub { my $x = thaw(freeze([1])); print "in " })->join; print "out"' or die $!;
    local $/;
    scalar <$out>;
};
is($answer, 'in out', 'a program with threads ends well');

done_testing();
