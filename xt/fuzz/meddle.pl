#!/usr/bin/perl
# Hooks, ties and overloading that change whatever they can reach, at random, while it is being
# frozen, thawed or cloned: containers grow, shrink, lose keys, are tied, locked, blessed anew;
# references become weak or lead elsewhere; the image changes; runs are nested in runs.
#
# Left out is what perl itself does not survive: undef @array, and splice in void context, while a
# DESTROY looks at the array; delete local; iterators of ties that iterate.
use strict;
use warnings;
no warnings qw(uninitialized misc recursion);
use Getopt::Long;
use Hash::Util ();
use POSIX ();
use Scalar::Util qw(reftype weaken);
use Tie::Array;
use Tie::Hash;
use Tie::Scalar;

GetOptions('count=i' => \(my $count = 1000), 'seed=i' => \(my $seed = 1), 'module=s' => \(my $module = 'Permafrost'),
    'help' => \my $help) && !@ARGV or usage(2);
usage(0) if $help;
sub usage { require Pod::Usage; Pod::Usage::pod2usage(@_) }
eval "require $module; 1" or die $@;
my %call = map { ($_ => do { no strict 'refs'; \&{"${module}::$_"} }) } qw(freeze nfreeze thaw dclone);

our (@nodes, $kept, $image);     # what can be reached
our ($depth, $on) = (0, 0);
$kept = [];

sub any { my $list = \@_; return $list->[rand @$list] }
sub key_of { return (keys %{ $_[0] })[0] }

my %changes = (
    ARRAY => [
        sub { @{ $_[0] } = () }, sub { push @{ $_[0] }, (1) x rand 50 }, sub { shift @{ $_[0] } }, sub { my @gone = splice @{ $_[0] } },
        sub { $_[0][rand @{ $_[0] }] = undef }, sub { my @gone = splice @{ $_[0] }, rand @{ $_[0] }, 1, [1], 2 },
        sub { tie @{ $_[0] }, 'Tie::StdArray' }, sub { untie @{ $_[0] } }, sub { $_[0][rand @{ $_[0] }] = any(@nodes) },
        sub { weaken($_[0][rand @{ $_[0] }]) }, sub { delete $_[0][rand @{ $_[0] }] }, sub { @{ $_[0] } = reverse @{ $_[0] } },
        sub { $#{ $_[0] } = rand 100 }, sub { Internals::SvREADONLY(@{ $_[0] }, 1) }, sub { Internals::SvREADONLY(@{ $_[0] }, 0) },
    ],
    HASH => [
        sub { %{ $_[0] } = () }, sub { $_[0]{ rand() } = 1 for 1 .. rand 50 }, sub { delete $_[0]{ key_of($_[0]) } },
        sub { undef %{ $_[0] } }, sub { $_[0]{ key_of($_[0]) } = undef }, sub { each %{ $_[0] } }, sub { tie %{ $_[0] }, 'Tie::StdHash' },
        sub { untie %{ $_[0] } }, sub { $_[0]{ key_of($_[0]) } = any(@nodes) }, sub { weaken($_[0]{ key_of($_[0]) }) },
        sub { Hash::Util::lock_hashref($_[0]) }, sub { Hash::Util::unlock_hashref($_[0]) }, sub { $_[0]{ "\x{263a}" . rand } = 2 },
        sub { keys(%{ $_[0] }) = 1000 },
    ],
    SCALAR => [
        sub { ${ $_[0] } = undef }, sub { ${ $_[0] } = any(@nodes) }, sub { ${ $_[0] } = 'x' x rand 2000 }, sub { tie ${ $_[0] }, 'Tie::StdScalar' },
        sub { untie ${ $_[0] } }, sub { weaken(${ $_[0] }) }, sub { ${ $_[0] } = \${ $_[0] } }, sub { undef ${ $_[0] } },
    ],
    any => [
        sub { bless $_[0], any(qw(Meddles Plain Overloads Attaches A::B Dies)) }, sub { $nodes[rand @nodes] = undef },
        sub { *nodes = [map { any(@nodes) } @nodes] }, sub { push @$kept, $_[0] }, sub { $kept = [] }, sub { $image = '' },
        sub { substr($image, rand length $image, 1) = chr rand 256 }, sub { $call{thaw}->($image) }, sub { die "meddled\n" },
        sub { $call{ any(qw(freeze nfreeze dclone)) }->($_[0]) }, sub { $call{thaw}->($call{freeze}->($_[0])) },
    ],
);

# Change something, somewhere.
sub act {
    return if !$on || $depth > 3;
    local $depth = $depth + 1;
    for (0 .. rand 3) {
        my $node = any(@nodes);
        next if !ref $node;
        my $type = reftype($node) =~ /\A(ARRAY|HASH)\z/ ? $1 : 'SCALAR';
        my $change = any(@{ $changes{ rand() < .6 ? $type : 'any' } });
        eval { $change->($node) };
        die $@ if $@ eq "meddled\n" && rand() < .3;
    }
    my @others = map { [$_] } 1 .. 20;      # what was freed has a new owner
    return;
}

# The same for DESTROY: nothing but our own functions.
sub look {
    return if !$on || $depth > 3;
    local ($depth, $on) = ($depth + 1, 0);
    my $node = any(@nodes);
    eval { $call{ any(qw(freeze nfreeze dclone)) }->($node) } if ref $node;
    eval { $call{thaw}->($image) } if defined $image;
    return;
}

{ package Meddles;
  sub STORABLE_freeze { main::act(); my @refs = map { my $x = main::any(@nodes); ref $x ? $x : \$x } 0 .. rand 3; return rand() < .1 ? () : ('s' . rand, @refs) }
  sub STORABLE_thaw {
      my ($self, $cloning, $string, @refs) = @_;
      push @nodes, $self, @refs if $on && @nodes < 200;
      main::act();
      eval { Scalar::Util::reftype($self) eq 'ARRAY' ? (@$self = @refs) : (%$self = (refs => \@refs)) };
      push @$kept, $self if rand() < .1;
  }
  sub DESTROY { main::look() if rand() < .1 } }
{ package Attaches; sub STORABLE_freeze { main::act(); 's' } sub STORABLE_attach { main::act(); rand() < .1 ? undef : bless [], 'Attaches' } }
{ package Dies; sub DESTROY { main::look() if rand() < .5; push @$kept, $_[0] if rand() < .1; die 'DESTROY' if rand() < .1 } }
{ package Overloads; use overload '""' => sub { main::act(); 'o' }, 'bool' => sub { main::act(); 1 }, '==' => sub { 0 }, fallback => 1; }
{ package TiesScalar; sub TIESCALAR { bless [] } sub FETCH { main::act(); main::any(@nodes) } sub STORE { } }
{ package TiesArray; our @ISA = 'Tie::StdArray'; sub FETCH { main::act(); $_[0][$_[1]] } sub FETCHSIZE { main::act() if rand() < .2; scalar @{ $_[0] } } }
{ package TiesHash; our @ISA = 'Tie::StdHash'; sub FETCH { main::act(); $_[0]{ $_[1] } } }

sub new_node {
    my $kind = int rand 9;
    return [] if $kind < 3;
    return {} if $kind < 6;
    return \do { my $x = $kind == 6 ? 'v' : [] } if $kind < 8;
    rand() < .5 ? tie(my %hash, 'TiesHash') : return do { tie my @array, 'TiesArray'; \@array };
    return \%hash;
}

sub make_graph {
    *nodes = [map { new_node() } 0 .. 3 + rand 25];
    for my $node (@nodes) {
        for (1 .. rand 6) {
            my $value = rand() < .5 ? any(@nodes) : any(undef, 1, 2.5, 'str', "\x{263a}x", \1, [1], {}, qr/x/, bless([], 'Meddles'),
                do { tie my $tied, 'TiesScalar'; \$tied }, !!1, v1.2);
            eval { reftype($node) eq 'ARRAY' ? push(@$node, $value) : reftype($node) eq 'HASH' ? ($node->{ chr(97 + rand 26) } = $value) : ($$node = $value) };
        }
        eval { weaken($node->[0]) } if reftype($node) eq 'ARRAY' && rand() < .1;
        bless $node, any(qw(Meddles Meddles Plain Overloads Attaches Dies)) if rand() < .4;
    }
    return;
}

sub one_case {
    no strict 'refs';
    ${"${module}::canonical"} = rand() < .3;
    ${"${module}::forgive_me"} = rand() < .2;
    local $SIG{__WARN__} = sub { act() if rand() < .1; print STDERR @_ };
    make_graph();
    my ($root, @results) = $nodes[0];
    for (1 .. 4) {
        my $function = any(qw(freeze nfreeze dclone dclone));
        local $on = 1;
        my $result = eval { $call{$function}->($root) };
        if (defined $result && !ref $result) {
            $image = $result;
            substr($image, rand length $image, 1) = chr rand 256 if rand() < .2;
            $result = eval { $call{thaw}->($image) };
        }
        push @results, $result;
        $on = 0;
        eval { $call{freeze}->($_) } for rand() < .5 ? @results : ();
        $root = any(@nodes);
        $root = [1, bless [], 'Meddles'] if !ref $root;
    }
    return;
}

# Each in a child, with the same hashes for the same number.
if (!defined $ENV{PERL_HASH_SEED}) {
    $ENV{PERL_HASH_SEED} = 0;
    exec $^X, '-Mblib', $0, "--count=$count", "--seed=$seed", "--module=$module" or die $!;
}
my $found = 0;
for my $number ($seed .. $seed + $count - 1) {
    pipe my $from, my $to or die $!;
    my $pid = fork // die $!;
    if (!$pid) {
        close $from;
        open STDERR, '>&', $to or die $!;
        srand $number;
        alarm 60;
        one_case();
        POSIX::_exit(0);
    }
    close $to;
    my $messages = do { local $/; <$from> } // '';
    waitpid $pid, 0;
    my ($why) = $messages =~ /(panic:.*|Attempt to free.*|.*AddressSanitizer.*|.*runtime error.*|.*Assertion .*)/;
    next if !$? && !defined $why;
    $found++;
    print "case $number: ", $? & 127 ? 'signal ' . ($? & 127) : 'status ' . ($? >> 8), defined $why ? ", $why" : '', "\n";
}
print "$count cases, $found findings\n";
exit($found ? 1 : 0);

__END__

=head1 SYNOPSIS

xt/fuzz/meddle.pl [OPTIONS]

  --count N        cases (default 1000)
  --seed N         number of the first one (default 1); --count 1 repeats a case
  --module NAME    Permafrost, or Storable for comparison
  --help           this text

A finding may be perl's own: look whose frames a debugger shows.

=cut
