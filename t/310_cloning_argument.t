use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# What hooks are told: the cloning argument; is_storing, is_retrieving, last_op_in_netorder.

use File::Temp ();

our ($m, @log);
my @state = qw(is_storing is_retrieving last_op_in_netorder);
sub state { return join ',', map { my $v = $m->{$_}->(); defined $v ? "'$v'" : 'undef' } @state }
{
    package Told;
    sub STORABLE_freeze { my ($self, $cloning) = @_; push @main::log, "freeze '$cloning' " . main::state(); return ('x', [bless({}, 'Told::Inner')]) }
    sub STORABLE_thaw { my ($self, $cloning) = @_; push @main::log, "thaw '$cloning' " . main::state(); return }
    package Told::Inner;
    our @ISA = 'Told';
    sub STORABLE_freeze { my ($self, $cloning) = @_; push @main::log, "inner '$cloning' " . main::state(); return 'inner' }
    package Told::Attach;
    sub STORABLE_freeze { my ($self, $cloning) = @_; push @main::log, "freeze attach '$cloning' " . main::state(); return 'a' }
    sub STORABLE_attach { my ($class, $cloning) = @_; push @main::log, "attach '$cloning' " . main::state(); return bless {}, $class }
}
ok(pf->{$_}, "$_ is there") for @state;
my $file = File::Temp->new->filename;
my $data = [bless({}, 'Told'), bless({}, 'Told::Attach')];
my %run = (
    freeze  => sub { $m->{thaw}->($m->{freeze}->($data)) },
    nfreeze => sub { $m->{thaw}->($m->{nfreeze}->($data)) },
    dclone  => sub { $m->{dclone}->($data) },
    store   => sub { $m->{store}->($data, $file); $m->{retrieve}->($file) },
    nstore  => sub { $m->{nstore}->($data, $file); $m->{retrieve}->($file) },
    lock_store  => sub { $m->{lock_store}->($data, $file); $m->{lock_retrieve}->($file) },
    lock_nstore => sub { $m->{lock_nstore}->($data, $file); $m->{lock_retrieve}->($file) },
    'dclone after nfreeze' => sub { $m->{nfreeze}->([1]); $m->{dclone}->($data) },
    'dclone after freeze'  => sub { $m->{freeze}->([1]); $m->{dclone}->($data) },
);
for my $name (sort keys %run) {
    same_outcome("$name: what hooks are told", sub { local $m = $_[0]; @log = (); my $r = $run{$name}->(); push @log, 'after ' . state(); [$r, @log] });
}

# Outside of runs.
my @step = (
    'nfreeze' => sub { $m->{nfreeze}->([1]) }, 'thaw of it' => sub { $m->{thaw}->("\x05\x0b\x02\0\0\0\0") },
    'freeze'  => sub { $m->{freeze}->([1]) },  'thaw of a native image' => sub { $m->{thaw}->($m->{freeze}->([1])) },
    'dclone'  => sub { $m->{dclone}->([1]) },
    'failed nfreeze' => sub { eval { $m->{nfreeze}->([sub { 1 }]) } }, 'failed freeze' => sub { eval { $m->{freeze}->([sub { 1 }]) } },
    'failed thaw' => sub { eval { $m->{thaw}->('junk') } }, 'truncated image' => sub { $m->{thaw}->("\x05\x0b\x02") },
    'failed dclone' => sub { eval { $m->{dclone}->([sub { 1 }]) } },
    'nfreeze again' => sub { $m->{nfreeze}->([1]) },
);
while (my ($name, $code) = splice @step, 0, 2) {
    same_outcome("$name: state afterwards", sub { local $m = $_[0]; $code->(); $m->{last_op_in_netorder}->() ? 1 : 0 });
    same_outcome("$name: is_storing, is_retrieving after a good run", sub { local $m = $_[0]; $code->(); $m->{thaw}->($m->{freeze}->([1])); join ',', map { $m->{$_}->() ? 1 : 0 } qw(is_storing is_retrieving) });
}

done_testing;
