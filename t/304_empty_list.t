use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# A hook that returns an empty list: no hook for that class in this run.

our (@log, $when);
{
    package Empty;
    sub STORABLE_freeze { my ($self) = @_; push @main::log, 'freeze ' . (Scalar::Util::reftype($self) eq 'HASH' ? $self->{n} : '-'); return if $main::when->($self); return 'full' }
    sub STORABLE_thaw { my ($self, $cloning, $string) = @_; push @main::log, 'thaw'; $self->{string} = $string if Scalar::Util::reftype($self) eq 'HASH' }
    package Empty::Child; our @ISA = 'Empty';
    package Empty::NoThaw;
    sub STORABLE_freeze { push @main::log, 'no thaw'; return }
    package Empty::Scalar;
    sub STORABLE_freeze { my @nothing; return wantarray ? @nothing : 'x' }
}
sub same_run {
    my ($name, $make) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    for my $function (qw(freeze nfreeze dclone)) {
        for my $times (1, 2) {
            same_outcome("$name: $function, $times times", sub {
                my ($m) = @_;
                @log = ();
                local $Storable::canonical = 1;
                my @r = map { my $r = $m->{$function}->($make->()); ref $r ? $r : ($r, $m->{thaw}->($r)) } 1 .. $times;
                [@r, @log];
            });
        }
    }
}
sub o { my ($n, $class) = @_; return bless {n => $n}, $class || 'Empty' }
$when = sub { 1 };
same_run('always', sub { o(1) });
same_run('always, two', sub { [o(1), o(2)] });
same_run('always, nested', sub { bless {n => 1, in => [o(2), [o(3)]]}, 'Empty' });
same_run('always, array', sub { bless [o(1)], 'Empty' });
same_run('always, scalar', sub { bless \(my $x = 1), 'Empty' });
same_run('always, children too', sub { [o(1), o(2, 'Empty::Child'), o(3), o(4, 'Empty::Child')] });
same_run('no thaw', sub { [o(1, 'Empty::NoThaw'), o(2, 'Empty::NoThaw')] });
same_run('list context', sub { [o(1, 'Empty::Scalar')] });
$when = sub { $_[0]{n} < 2 };
same_run('first empty', sub { [o(1), o(2), o(3)] });
same_run('last empty', sub { [o(2), o(1)] });
same_run('empty in the middle', sub { [o(2), o(1), o(3)] });
same_run('full only', sub { [o(2), o(3)] });
same_run('empty after a child', sub { [o(2, 'Empty::Child'), o(1), o(3)] });
same_run('full inside empty', sub { bless {n => 1, in => o(2)}, 'Empty' });
same_run('by way of nested runs', sub { [o(1), [o(2)], {a => o(3)}] });
$when = sub { 0 };
same_run('never', sub { [o(1), o(2)] });
{
    # Tied objects and empty lists.
    package Empty::Tie;
    sub TIEHASH { bless {n => 1} } sub FETCH { 1 } sub FIRSTKEY { } sub EXISTS { 1 }
    package main;
    $when = sub { 1 };
    same_run('tied hash', sub { tie my %h, 'Empty::Tie'; [bless(\%h, 'Empty'), o(2)] });
    same_run('overloaded', sub { [bless({n => 1}, 'Empty::Over'), bless({n => 2}, 'Empty::Over')] });
    { package Empty::Over; our @ISA = 'Empty'; use overload '""' => sub { 'x' } }
    same_run('restricted', sub { require Hash::Util; my $o = o(1); Hash::Util::lock_keys(%$o, 'n', 'm'); [$o] });
}

done_testing;
