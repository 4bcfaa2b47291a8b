use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Hooks that die, return nonsense, or leave by other ways.

our ($m, $what);
{
    package Dying;
    sub STORABLE_freeze { my ($self, $c) = @_; return main::act('freeze', $self) }
    sub STORABLE_thaw   { my ($self, $c, $s) = @_; main::act('thaw', $self); $self->{s} = $s; return }
    package Dying::Attach;
    sub STORABLE_freeze { return 'x' }
    sub STORABLE_attach { my ($class) = @_; main::act('attach', $class); return bless {}, $class }
    package Dying::Error;
    use overload '""' => sub { 'overloaded error' };
    package Dying::Destroy;
    sub DESTROY { eval { 1 } }
}
our $at = '';
sub act {
    my ($place, $self) = @_;
    return 'fine' if $place ne $at;
    return $what->($self);
}
my %way = (
    text => sub { die 'text' }, line => sub { die "line\n" }, object => sub { die bless {}, 'Dying::Plain' }, 'overloaded object' => sub { die bless {}, 'Dying::Error' },
    reference => sub { die [1] }, undef => sub { die undef }, empty => sub { die '' }, croak => sub { require Carp; Carp::croak('croaked') },
    'undefined function' => sub { no strict 'refs'; &{'not_there'}() }, 'undefined method' => sub { Dying->not_there }, 'eval inside' => sub { eval { die "inner\n" }; 'went on' },
    'wide text' => sub { die "\x{263a}\n" }, 'local $@' => sub { local $@ = 'x'; 'fine' }, 'sets $@' => sub { $@ = 'left'; 'fine' }, 'many lines' => sub { die "one\ntwo\n" },
    'period' => sub { die "period.\n" }, 'bare period' => sub { die ".\n" }, 'only newline' => sub { die "\n" }, 'warn' => sub { warn "warned\n"; 'fine' },
);
for my $name (sort keys %way) {
    local $what = $way{$name};
    for my $place (qw(freeze thaw attach)) {
        my $class = $place eq 'attach' ? 'Dying::Attach' : 'Dying';
        my $make = sub { [[1], bless({}, $class), bless([], 'Dying::Destroy'), bless({a => 1}, $class)] };
        my %image = map { $_ => st->{$_}->($make->()) } qw(freeze nfreeze);
        local $at = $place;
        for my $function (qw(freeze nfreeze dclone)) {
            same_outcome("$name in $place: $function", sub { my $r = $_[0]{$function}->($make->()); ref $r ? $r : unpack 'H*', $r });
        }
        for my $function (sort keys %image) {
            same_outcome("$name in $place: thaw of $function", sub { $_[0]{thaw}->($image{$function}) });
        }
        same_outcome("$name in $place: next run", sub { local $at = ''; my ($m) = @_; $m->{thaw}->($m->{freeze}->($make->())) });
    }
}
{
    # $@ of the caller after success.
    local $at = '';
    for my $module (pf, st) { $@ = 'before'; $module->{thaw}->($module->{freeze}->([bless {}, 'Dying'])); push @{$main::left}, $@ }
    our $left;
    is($left->[0], $left->[1], '$@ after a run that went well');
}
if (!is_stock()) {
    # last and next out of a hook: stock ends with "Out of memory!" in a later run.
    no warnings 'exiting';
    local $at = 'freeze';
    local $what = sub { last };
    my $n = 0;
    for (1 .. 3) { $n++; eval { pf->{freeze}->([bless {}, 'Dying']); 1 } or last }
    is($n, 1, 'last out of a hook leaves the loop, or is an error');
    ok(eval { $at = ''; pf->{thaw}->(pf->{freeze}->([bless {}, 'Dying'])); 1 }, 'the next run works');
}
{
    # __DIE__ handlers see the hook's death as with Storable.
    local $at = 'freeze';
    local $what = sub { die "seen\n" };
    my @count = map { my $m = $_; my @seen; local $SIG{__DIE__} = sub { push @seen, clean_message($_[0]) }; eval { $m->{dclone}->([bless {}, 'Dying']) }; join '|', @seen } pf, st;
    is($count[0], $count[1], '__DIE__ handler and dclone');
}
SKIP: {
    skip 'memory is read from /proc', 1 unless -r '/proc/self/statm';
    skip 'freed memory is kept', 1 if keeps_freed_memory();
    local $what = sub { die "dies\n" };
    my $make = sub { [map { [$_, {a => $_}, bless({}, 'Dying')] } 1 .. 20] };
    my $image = do { local $at = ''; pf->{freeze}->($make->()) };
    my $data = $make->();
    my $memory = sub { open my $in, '<', '/proc/self/statm' or die $!; (split ' ', <$in>)[1] };
    my $round = sub {
        for (1 .. 300) {
            for my $place (qw(freeze thaw)) {
                local $at = $place;
                eval { pf->{freeze}->($data) };
                eval { pf->{dclone}->($data) };
                eval { pf->{thaw}->($image) };
            }
        }
    };
    $round->() for 1 .. 2;
    my $before = $memory->();
    $round->() for 1 .. 4;
    my $pages = $memory->() - $before;
    if (is_stock()) { ok(1, "memory after 4 rounds: $pages pages more") }
    else            { cmp_ok($pages, '<', 100, 'memory stays flat while hooks die') }
}

done_testing;
