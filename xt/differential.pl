#!/usr/bin/env perl

# Compares the tested module with stock Storable on seeded random data of every kind.
#
#     perl -Mblib xt/differential.pl [--count 20000] [--seed 1] [--jobs 2] [--start 0]
#                                    [--verbose] [--self-test]
#
# Case number i depends on (seed, i) only: `--start i --count 1` repeats it. Exit status:
# 0 no differences, 1 differences, 2 usage. PERMAFROST_TEST_MODULE names the module under
# test (default: Permafrost); Storable compares the oracle with itself.

use strict;
use warnings;

use FindBin ();
use Getopt::Long ();
use lib "$FindBin::Bin/../t/lib";

my %opt = (count => 20_000, seed => 1, jobs => 2, start => 0, failures => 5);

BEGIN {
    # Hash order must not depend on how many hashes the process has made before.
    my ($seed) = map { /\A--?seed=(\d+)\z/ ? $1 : () } @ARGV;
    for my $i (0 .. $#ARGV - 1) { $seed = $1 if $ARGV[$i] =~ /\A--?seed\z/ && $ARGV[$i + 1] =~ /\A(\d+)\z/ }
    my $hash_seed = sprintf '0x%016x', 1 + ($seed || 1) * 7919;
    if (($ENV{PERL_HASH_SEED} || '') ne $hash_seed) {
        $ENV{PERL_HASH_SEED}    = $hash_seed;
        $ENV{PERL_PERTURB_KEYS} = 0;
        $ENV{PERL5LIB}          = join ':', grep { !ref } @INC;
        exec $^X, $0, @ARGV or die "$0: exec: $!\n";
    }
}

use B ();
use Hash::Util qw(lock_keys unlock_keys lock_hash lock_value);
use IO::Select ();
use POSIX ();
use Scalar::Util qw(weaken isweak dualvar blessed refaddr reftype);

use PermafrostTest;

sub usage {
    print {$_[0] ? *STDERR : *STDOUT} <<'TEXT';
usage: differential.pl [options]
  --count N     number of cases (20000)
  --start N     first case (0)
  --seed S      seed (1)
  --jobs J      processes (2)
  --failures N  stop after N differences (5)
  --verbose     print each case's data before it runs (with --jobs 1)
  --self-test   perturb one side of every case: each one must be noticed
  --images      compare nothing: print the images of the tested module, each pair (freeze,
                nfreeze of the same data) as two strings with their lengths, pack 'N/a* N/a*'
TEXT
    exit $_[0];
}

Getopt::Long::GetOptions(\%opt, 'count=i', 'seed=i', 'jobs=i', 'start=i', 'failures=i',
    'verbose', 'self-test', 'images', 'help')
  or usage(2);
usage(0) if $opt{help};
usage(2) if @ARGV || $opt{jobs} < 1;

# ---------------------------------------------------------------------------------------
# State of one case

our (@LOG, $TABLE, %TARGETS, %PATH);
my ($budget, @pool, @keep, $hooked_ties, %set);

sub rnd { return int rand $_[0] }
sub pick { return $_[rand @_] }

# ---------------------------------------------------------------------------------------
# Plain scalars: each sets $_[0]

my @LENGTHS = ((0, 1, 2, 3, 5, 8, 13, 20) x 6, 126, 127, 128, 253, 254, 255, 256, 257, 300, 1000);

sub ascii {
    my $n = @_ ? $_[0] : pick(@LENGTHS);
    my $s = join '', map { chr(97 + rand 26) } 1 .. ($n > 12 ? 12 : $n);
    $s .= 'x' x ($n - 12) if $n > 12;
    return $s;
}

sub bytes {
    my $n = pick(@LENGTHS);
    my $s = join '', map { chr rand 256 } 1 .. ($n > 12 ? 12 : $n);
    $s .= "\xe9" x ($n - 12) if $n > 12;
    return $s;
}

sub text {
    my $n = pick(@LENGTHS);
    my $s = join '', map { chr pick(65, 233, 255, 256, 0x263a, 0x1f600, 0xd7ff, 0x10ffff, rand 2000) }
      1 .. ($n > 12 ? 12 : $n);
    $s .= 'y' x ($n - 12) if $n > 12;
    utf8::upgrade($s);
    return $s;
}

sub integer {
    my $k = rnd(6);
    return rnd(300) - 150   if $k < 3;
    return rnd(100000) - 50000 if $k == 3;
    my $power = 1 << rnd(64);
    my $v = $power + rnd(5) - 2;
    $v = -$v if $k == 5;
    return $v;
}

sub double {
    my $k = rnd(8);
    return (rnd(2000) - 1000) / 8  if $k == 0;
    return (rnd(2000) - 1000) / 10 if $k == 1;
    return unpack 'd', pack 'C8', map { rand 256 } 1 .. 8 if $k == 2;
    return do { my $n = rnd(300); sqrt($n * $n) } if $k == 3;
    return pick(-0.0, 9**9**9, -9**9**9, -sin(9**9**9), 5e-324, 2.2e-308, 1.7976931348623157e308, 0.1 + 0.2) if $k == 4;
    return pick(1, -1) * 2.0**rnd(70) + pick(0, 0, 1, -1, 0.5) if $k == 5;
    return pick(1e15, 1e16, 1e17, 1e20, 1e21, 1e-5, 1e-4, 123456789012345678, 1.5e9, 4294967296.0, 18446744073709551616.0);
    return rand;
}

my @PLAIN = (
    (sub { $_[0] = undef }) x 3,
    (sub { $_[0] = integer() }) x 8,
    (sub { $_[0] = double() }) x 4,
    (sub { $_[0] = ascii() }) x 6,
    (sub { $_[0] = bytes() }) x 3,
    (sub { $_[0] = text() }) x 4,
    (sub { my $s = bytes(); utf8::upgrade($s); $_[0] = $s }),
    (sub { $_[0] = pick(!!1, !!0) }) x 2,
    (sub { $_[0] = dualvar(pick(integer(), double()), pick(ascii(), text(), '', '0')) }) x 2,
    (sub { $_[0] = pick('12', '1.5', '0', '007', ' 3', '1e3', '-0', 'nan', '12abc', '99999999999999999999'); no warnings; my $n = $_[0] + 0 }) x 2,
    (sub { $_[0] = integer(); my $s = "$_[0]" }) x 2,
    (sub { $_[0] = double(); my $s = "$_[0]" }) x 2,
    (sub { $_[0] = double(); no warnings; my $n = int $_[0]; my $x = $_[0] | 0 }),
    (sub { $_[0] = integer(); my $n = $_[0] + 0.5 }),
    (sub { $_[0] = ascii(); $_[0] = integer() }),
    (sub { $_[0] = double(); $_[0] = undef }),
    (sub { $_[0] = text(); my $n = length $_[0]; $_[0] =~ /./g }),
    (sub { $_[0] = ascii(); $_[0] =~ s/^.// }),
    (sub { $_[0] = pick(v1.2.3, v65, v1.2.300, v1.22.333.4444) }),
    (sub { $_[0] = pick(v1.2.3, v99.100); utf8::upgrade($_[0]) if rnd(2) }),
    (sub { $_[0] = eval('v' . join '.', map { rnd(300) } 1 .. pick(3, 100, 140)) if !rnd(8) }),
    (sub { $_[0] = ascii(5); Internals::SvREADONLY($_[0], 1) if !rnd(4) && @_ > 2 }),
);

sub plain { return $PLAIN[rand @PLAIN]->(@_) }

sub key {
    my $k = rnd(12);
    return ascii(1 + rnd(6)) if $k < 8;
    return pick('', '0', "\xe9", "\x{100}", "a\0b") if $k == 8;
    return text()  if $k == 9;
    return bytes() if $k == 10;
    my $s = "\xe9\xe8" . ascii(2);
    utf8::upgrade($s);
    return $s;
}

# ---------------------------------------------------------------------------------------
# Classes

my @CLASS = (
    (map { "Diff::C$_" } 0 .. 11),
    'main', 'A', 'L' x 126, 'L' x 127, 'L' x 128, 'M' x 255, 'M' x 256, 'M' x 300,
    "Diff::\x{263a}", "Diff::\xe9", do { my $s = "Diff::\xe8"; utf8::upgrade($s); $s },
);

{
    package Diff::Over;
    use overload
      '""'     => sub { 'over' },
      '=='     => sub { 1 },
      'bool'   => sub { 1 },
      '@{}'    => sub { $_[0] },
      fallback => 1;
    package Diff::OverChild;
    our @ISA = 'Diff::Over';
    package Diff::OverString;
    use overload '""' => sub { 'string' }, 'eq' => sub { 0 };
    package Diff::OverNil;
    use overload;
}
# A thaw that must not bless crashes stock on overloaded objects: these cases have none.
my @over;
my @OVER = ('Diff::Over', 'Diff::OverChild', 'Diff::OverString', 'Diff::OverNil');

{
    package Diff::TieScalar;
    sub TIESCALAR { my ($class, $x) = @_; return bless $x, $class }
    sub FETCH     { return 'fetched' }
    sub STORE     { }
    package Diff::TieArray;
    sub TIEARRAY  { my ($class, $x) = @_; return bless $x, $class }
    sub FETCH     { return "item $_[1]" }
    sub STORE     { }
    sub FETCHSIZE { return 5 }
    sub STORESIZE { }
    sub EXTEND    { }
    sub CLEAR     { }
    package Diff::TieHash;
    sub TIEHASH  { my ($class, $x) = @_; return bless $x, $class }
    sub FETCH    { return "value $_[1]" }
    sub STORE    { }
    sub EXISTS   { return 1 }
    sub FIRSTKEY { return 'a' }
    sub NEXTKEY  { return $_[1] lt 'c' ? chr(1 + ord $_[1]) : undef }
    sub CLEAR    { }
    sub DELETE   { }
}

# Hook classes: what they return depends on the object and its class only.
{
    package Diff::Hook;

    sub logged {
        my ($what, $self, @rest) = @_;
        push @main::LOG, join ' ', $what, ref $self || $self,
          map { defined $_ ? ref $_ ? (Scalar::Util::blessed($_) || '-') . Scalar::Util::reftype($_) : "'$_'" : 'undef' }
          @rest,
          (map { my $f = $main::TABLE->{$_}; !$f ? '?' : $f->() ? 1 : 0 } qw(is_storing is_retrieving last_op_in_netorder));
        return;
    }

    # The references that the object itself holds.
    sub inner {
        my ($self) = @_;
        my $type = Scalar::Util::reftype($self);
        return if $self->special_tie;
        return grep { ref } map { exists $self->[$_] ? $self->[$_] : () } 0 .. $#$self if $type eq 'ARRAY';
        return grep { ref } map { exists $self->{$_} ? $self->{$_} : () } @{PermafrostTest::keys_of($self)}
          if $type eq 'HASH';
        return $$self if $type eq 'REF';
        return;
    }

    sub special_tie {
        my ($self) = @_;
        my $type = Scalar::Util::reftype($self);
        return $type eq 'ARRAY' ? tied @$self : $type eq 'HASH' ? tied %$self : tied $$self;
    }

    sub STORABLE_freeze {
        my ($self, @rest) = @_;
        logged(freeze => $self, @rest);
        return $self->frozen(@rest);
    }

    sub frozen { return 'plain' }

    sub STORABLE_thaw {
        my ($self, @rest) = @_;
        logged(thaw => $self, @rest, $self->special_tie ? 'tied' : 'untied');
        my (undef, $string, @refs) = @rest;
        return if $self->special_tie;
        my $type = Scalar::Util::reftype($self);
        if    ($type eq 'ARRAY') { @$self = ($string, @refs) }
        elsif ($type eq 'HASH')  { %$self = (string => $string, refs => \@refs) }
        else                     { $$self = @refs ? \@refs : $string }
        return;
    }

    package Diff::Hook::Inner;
    our @ISA = 'Diff::Hook';
    sub frozen { my ($self) = @_; return ('inner', $self->inner) }

    package Diff::Hook::Child;
    our @ISA = 'Diff::Hook::Inner';

    package Diff::Hook::Fresh;
    our @ISA = 'Diff::Hook';
    sub frozen { return ('fresh', [1, 'a', {b => 2}], {c => [3]}, \'constant', \my $x, bless([], 'Diff::C1')) }

    package Diff::Hook::FreshHooks;
    our @ISA = 'Diff::Hook';
    sub frozen { return ('fresh hooks', bless([[1]], 'Diff::Hook::Inner'), bless({}, 'Diff::Hook'), bless([], 'Diff::Hook::FreshHooksLeaf')) }

    package Diff::Hook::FreshHooksLeaf;
    our @ISA = 'Diff::Hook';
    sub frozen { return ('leaf', \1, [bless {}, 'Diff::C2']) }

    package Diff::Hook::Targets;
    our @ISA = 'Diff::Hook';
    sub frozen { my ($self) = @_; return ('targets', grep { ref } @{$main::TARGETS{Scalar::Util::refaddr($self)} || []}) }

    # References into arrays or hashes whose items were counted once before.
    package Diff::Hook::Path;
    our @ISA = 'Diff::Hook';
    sub frozen {
        my ($self) = @_;
        my @refs;
        for my $path (@{$main::PATH{Scalar::Util::refaddr($self)} || []}) {
            my ($container, $index) = @$path;
            next unless ref $container;
            my $type = Scalar::Util::reftype($container);
            if ($type eq 'ARRAY') {
                next if tied @$container;
                push @refs, \$container->[$index] if exists $container->[$index];
                push @refs, $container->[$index] if exists $container->[$index] && ref $container->[$index];
            }
            else {
                next if tied %$container;
                push @refs, \$container->{$index} if exists $container->{$index};
                push @refs, $container->{$index} if exists $container->{$index} && ref $container->{$index};
            }
        }
        return ('path', @refs);
    }

    package Diff::Hook::Self;
    our @ISA = 'Diff::Hook';
    sub frozen { my ($self) = @_; return ('self', $self, $self->inner, $self) }

    package Diff::Hook::Empty;
    our @ISA = 'Diff::Hook';
    sub frozen { return }

    package Diff::Hook::String;
    our @ISA = 'Diff::Hook';
    our @STRING = ('', undef, "\x{263a}", 5, 1.5, "a\0b", 'x' x 255, 'x' x 256, "\xe9", 'z' x 1000);
    sub frozen {
        my ($self) = @_;
        my $type = Scalar::Util::reftype($self);
        my $n = $self->special_tie ? 1 : $type eq 'ARRAY' ? @$self : $type eq 'HASH' ? keys %$self : 3;
        return $STRING[$n % @STRING];
    }

    package Diff::Hook::Nested;
    our @ISA = 'Diff::Hook';
    sub frozen {
        my ($self) = @_;
        my $t = $main::TABLE;
        local $Storable::canonical = 1;
        my $frozen = $t->{nfreeze}->([1, {a => 2, b => bless([[3]], 'Diff::Hook::Inner')}, bless({}, 'Diff::C3')]);
        my $copy = $t->{dclone}->({x => [bless([4], 'Diff::Hook::Inner')]});
        my $thawed = $t->{thaw}->($frozen);
        return ($frozen, $copy, $thawed, $self->inner);
    }
    sub STORABLE_thaw {
        my ($self, @rest) = @_;
        my $data = $main::TABLE->{thaw}->($rest[1]);
        $main::TABLE->{freeze}->([$data, 1]);
        push @rest, $main::TABLE->{dclone}->([$data]);
        return $self->SUPER::STORABLE_thaw(@rest);
    }

    package Diff::Hook::Many;
    our @ISA = 'Diff::Hook';
    sub frozen { my @x = ([], {}, \1); return ('many', map { $x[$_ % 3] } 1 .. 300) }

    package Diff::Hook::Dies;
    our @ISA = 'Diff::Hook';
    sub frozen { die "dies\n" }

    package Diff::Hook::ThawDies;
    our @ISA = 'Diff::Hook';
    sub STORABLE_thaw { die 'thaw dies' }

    package Diff::Hook::NotRef;
    our @ISA = 'Diff::Hook';
    sub frozen { return ('x', [], 'not a reference') }

    package Diff::Hook::Attach;
    our @ISA = 'Diff::Hook';
    sub frozen { return 'attach me' }
    sub STORABLE_attach {
        my ($class, @rest) = @_;
        Diff::Hook::logged(attach => $class, @rest);
        return bless {attached => $rest[1]}, $class;
    }

    package Diff::Hook::AttachRefs;
    our @ISA = 'Diff::Hook::Attach';
    sub frozen { my ($self) = @_; return ('attach', $self->inner) }

    package Diff::Hook::Over;
    our @ISA = ('Diff::Hook::Inner', 'Diff::Over');

    package Diff::Hook::NoThaw;
    sub STORABLE_freeze { Diff::Hook::logged(freeze => @_); return ('no thaw', [1]) }
}
my @HOOK = (
    ('Diff::Hook', 'Diff::Hook::Inner', 'Diff::Hook::Child', 'Diff::Hook::Fresh',
     'Diff::Hook::FreshHooks', 'Diff::Hook::Targets', 'Diff::Hook::Path', 'Diff::Hook::Self',
     'Diff::Hook::String') x 6,
    ('Diff::Hook::Empty', 'Diff::Hook::Nested', 'Diff::Hook::Attach', 'Diff::Hook::Over') x 3,
    'Diff::Hook::AttachRefs', 'Diff::Hook::Many',
);
my @DYING = ('Diff::Hook::Dies', 'Diff::Hook::NotRef', 'Diff::Hook::ThawDies', 'Diff::Hook::NoThaw');

# ---------------------------------------------------------------------------------------
# Things: each returns a reference to a new (or known) one

my @FLAGS = ('', 'i', 'm', 's', 'x', 'xx', 'n', 'p', 'a', 'aa', 'u', 'd', 'l', 'msix', 'msixxnp', 'aai', 'ui');
my @REGEX = map { eval "sub { qr/\$_[0]/$_ }" or die $@ } @FLAGS;
my @CODE  = (sub { 'seven' }, sub { my $x = shift; 2 + 3 }, sub { (1, 2) });

# Sets the slot $_[0]: a plain value or a reference.
sub fill {
    my (undef, $depth) = @_;
    if ($budget > 0 && $depth < 9 && rnd(100) < 42) {
        $_[0] = thing($depth + 1);
        weaken($_[0]) if !rnd(7);
    }
    else {
        $budget--;
        plain($_[0]);
    }
    return;
}

sub count {
    my $k = rnd(20);
    return $k < 17 ? rnd(5) : $k < 19 ? rnd(12) : rnd(30);
}

sub known {
    my ($ref) = @_;
    push @pool, $ref;
    return $ref;
}

sub array {
    my ($depth) = @_;
    my (@x, $grown, $shifted);
    my $ref = known(\@x);

    # perl 5.36 itself corrupts memory when an array is both shifted and grown by $#x.
    for my $i (1 .. count()) {
        my $k = rnd(30);
        if    ($k == 0) { $#x += 1 + rnd(3) if !$shifted; $grown = 1 }
        elsif ($k == 1 && @x) { delete $x[rnd(scalar @x)] }
        elsif ($k == 2 && @x) { shift @x if !$grown; $shifted = 1 }
        else {
            # An item that is there: weaken() on a deferred one would not reach it.
            push @x, undef;
            fill($x[-1], $depth);
        }
    }
    Internals::SvREADONLY(@x, 1) if !rnd(200);
    return $ref;
}

sub hash {
    my ($depth) = @_;
    my %x;
    my $ref = known(\%x);
    my $n = count();
    $n = 1000 + rnd(2000) if $budget > 1000 && !rnd(10);
    if ($n > 100) {
        $x{ascii(4) . $_} = $_ for 1 .. $n;
        $budget -= $n / 4;
    }
    else {
        for (1 .. $n) {
            my $key = key();
            $x{$key} = undef unless exists $x{$key};
            fill($x{$key}, $depth);
        }
    }
    if (!rnd(8)) { my $k = "\x{100}x"; $x{$k} = 1; delete $x{$k} }
    if (!rnd(8)) { delete $x{(keys %x)[0]} if %x }
    if (!rnd(8)) { keys %x; each %x for 1 .. 1 + rnd(3) }
    return $ref;
}

sub restricted {
    my ($depth) = @_;
    my $ref = hash($depth);
    return $ref if keys %$ref > 200;
    my $k = rnd(6);
    if ($k == 0) { lock_hash(%$ref) }
    elsif ($k == 1) { lock_value(%$ref, (keys %$ref)[0]) if lock_keys(%$ref) && %$ref }
    elsif ($k == 2) { lock_keys(%$ref) }
    else {
        my $n = rnd(10) ? 1 + rnd(4) : 1 + rnd(130);
        lock_keys(%$ref, keys %$ref, map { key() . $_ } 1 .. $n);
    }
    if (!rnd(3) && $k > 0) { eval { delete $ref->{$_}; 1 } for (keys %$ref)[0 .. (keys(%$ref) ? 0 : -1)] }
    unlock_keys(%$ref) if !rnd(4);
    if (!rnd(8)) { keys %$ref; each %$ref }
    return $ref;
}

sub scalar_ref {
    my ($depth) = @_;
    my $x;
    my $ref = known(\$x);
    if (rnd(4)) { plain($x, 0, 1); $budget-- }
    else        { fill($x, $depth) }
    return $ref;
}

sub literal { return pick(\undef, \!!1, \!!0, \1, \'text', \1.5, \"\x{263a}", \v1.2, \-7) }

sub ref_ref {
    my ($depth) = @_;
    my $x;
    my $ref = known(\$x);
    $x = thing($depth + 1);
    weaken($x) if !rnd(12);
    return $ref;
}

# Arrays that alias what others hold: \@_ of calls.
sub arguments {
    my ($depth) = @_;
    my ($x, $y);
    fill($x, $depth);
    plain($y);
    my @more;
    for (1 .. rnd(3)) { my $e = element(); push @more, $e if $e }
    my $collect = sub { \@_ };
    my $ref
      = !rnd(4) ? $collect->(undef, $x, undef)
      : !rnd(3) ? $collect->($x, $x, $y, 1, 'literal', !!1, !!0)
      : @more == 1 ? $collect->(${$more[0]}, $x, ${$more[0]})
      : @more == 2 ? $collect->(${$more[0]}, ${$more[1]}, ${$more[0]}, $y)
      :              $collect->($x, $y, $x, undef);
    return known($ref);
}

# A reference to a scalar held by something in the structure.
sub element {
    for (1 .. 4) {
        my $ref = $pool[rand @pool];
        next unless ref $ref;
        my $type = reftype($ref);
        if ($type eq 'ARRAY') {
            next if tied @$ref || !@$ref;
            my $i = rnd(scalar @$ref);
            next unless exists $ref->[$i];
            return \$ref->[$i];
        }
        if ($type eq 'HASH') {
            next if tied %$ref || B::svref_2object($ref)->RITER != -1;
            my ($k) = keys %$ref;
            keys %$ref;
            next unless defined $k;
            return \$ref->{$k};
        }
    }
    return;
}

sub blessed_thing {
    my ($depth) = @_;
    my $k = rnd(10);
    my $ref = $k < 4 ? hash($depth) : $k < 7 ? array($depth) : $k < 9 ? scalar_ref($depth) : ref_ref($depth);
    return bless_it($ref, rnd(4) ? pick(@CLASS) : pick(@over));
}

sub bless_it {
    my ($ref, $class) = @_;
    eval { bless $ref, $class; 1 };
    return $ref;
}

sub over_self {
    my ($depth) = @_;
    my $ref = known(bless [], pick(@over));
    my $x = $ref;
    @$ref = (1, undef);
    fill($ref->[1], $depth);
    push @$ref, $ref;
    weaken($ref->[2]) if rnd(2);
    return $ref;
}

sub regexp {
    my $pattern = pick('abc', '', '^a.*b$', '(?<n>x)\k<n>', "\x{263a}+", "a\nb", 'a/b', '[[:alpha:]]', "\xe9", 'q' x 255, 'q' x 256, 'r' x 300, '(?i:x)', '# c', "\\x{100}", do { my $s = "\xe9"; utf8::upgrade($s); $s });
    my $ref = known(pick(@REGEX)->($pattern));
    bless $ref, pick('Diff::C1', 'Diff::C2') if !rnd(6);
    return $ref;
}

sub tie_object {
    my ($depth) = @_;
    return !rnd(6) && @pool && !blessed($pool[-1]) && reftype($pool[-1]) =~ /ARRAY|HASH/ ? $pool[-1]
      : rnd(2) ? hash($depth)
      : array($depth);
}

sub tied_thing {
    my ($depth) = @_;
    my $k = rnd(3);
    my $object = tie_object($depth + 1);
    return $object if blessed $object || B::svref_2object($object)->FLAGS & B::SVf_READONLY();
    my $ref;
    if    ($k == 0) { tie my $x, 'Diff::TieScalar', $object; $ref = \$x }
    elsif ($k == 1) { tie my @x, 'Diff::TieArray',  $object; $ref = \@x }
    else            { tie my %x, 'Diff::TieHash',   $object; $ref = \%x }
    known($ref);
    my $e = rnd(4);
    return known(\$ref->[rnd(9)]) if $k == 1 && $e == 0;
    return known(\$ref->{key()}) if $k == 2 && $e == 0;
    bless $ref, rnd(2) || !$hooked_ties ? pick(@CLASS) : pick('Diff::Hook', 'Diff::Hook::Fresh', 'Diff::Hook::Inner') if $e == 1;
    return $ref;
}

sub hooked {
    my ($depth) = @_;
    my $k = rnd(10);
    my $ref
      = $k < 4 ? hash($depth)
      : $k < 7 ? array($depth)
      : $k < 8 ? known(\(my $x = pick(1, 'abc', undef)))
      : $k < 9 ? ref_ref($depth)
      :          tied_thing($depth);
    return $ref if blessed $ref;
    keys %$ref if reftype($ref) eq 'HASH' && !tied %$ref;
    my $class = !rnd(60) ? pick(@DYING) : pick(@HOOK);
    $class = 'Diff::Hook' if $class eq 'Diff::Hook::Over' && @over == 1;

    # Stock forgets the tie object behind an attached tied thing, and loses its way in
    # hooks on tied things when it must not bless or tie.
    if (Diff::Hook::special_tie($ref)) {
        $class = 'Diff::Hook' if $class =~ /Attach/;
        $class = 'Diff::C5' if !$hooked_ties;
    }

    # A thaw within a hook makes stock forget the flags of the outer one.
    $class = 'Diff::Hook' if $class eq 'Diff::Hook::Nested' && defined $set{flags};

    # What a hook made is leaked by stock when it must not bless: weak references to it live.
    $class = 'Diff::C5' if defined $set{flags} && !($set{flags} & 2);
    bless_it($ref, $class);
    # Known by their addresses, which nothing else must get.
    push @keep, $ref if $class eq 'Diff::Hook::Targets' || $class eq 'Diff::Hook::Path';
    $TARGETS{refaddr $ref} = [map { $pool[rand @pool] } 1 .. rnd(4)]
      if $class eq 'Diff::Hook::Targets';
    if ($class eq 'Diff::Hook::Path') {
        my @path;
        for (1 .. 1 + rnd(3)) {
            my $container = $pool[rand @pool];
            my $type = reftype($container);
            if    ($type eq 'ARRAY') { push @path, [$container, rnd(3)] }
            elsif ($type eq 'HASH' && !tied %$container && !blessed $container) {
                my ($key) = @{PermafrostTest::keys_of($container)};
                push @path, [$container, $key] if defined $key && exists $container->{$key};
            }
        }
        $PATH{refaddr $ref} = \@path;
    }
    return $ref;
}

my @GENERATOR = (
    (\&array) x 22, (\&hash) x 20, (\&scalar_ref) x 8, (\&ref_ref) x 5, (\&blessed_thing) x 14,
    (\&regexp) x 2, (\&tied_thing) x 4, (\&hooked) x 9, (\&arguments) x 4, (\&restricted) x 5,
    (\&over_self) x 2, (\&literal) x 2,
);
my $refused = 0;

sub thing {
    my ($depth) = @_;
    $budget--;
    my $k = rnd(100);
    return $pool[rand @pool] if $k < 10 && @pool;
    if ($k < 15 && @pool) { my $e = element(); return $e if $e }
    if ($refused && $k < 22) {
        return rnd(3) ? pick(@CODE) : \*STDOUT if $refused == 1;
        return pick(@CODE);
    }
    return $GENERATOR[rand @GENERATOR]->($depth);
}

# ---------------------------------------------------------------------------------------
# One case

sub case_seed {
    my ($seed, $i) = @_;
    my $x = ($seed * 2654435761 + $i * 40503 + 12345) & 0xffffffff;
    for (1 .. 3) {
        $x ^= $x >> 16;
        $x = ($x * 0x45d9f3b) & 0xffffffff;
    }
    return $x ^ ($x >> 16);
}



sub build {
    my ($i) = @_;
    srand case_seed($opt{seed}, $i);
    (@pool, @keep, %TARGETS, %PATH) = ();
    my $size = rnd(1000);
    $budget = $size < 800 ? 4 + rnd(20) : $size < 960 ? 25 + rnd(40) : $size < 997 ? 100 + rnd(100) : 2000;
    %set = (forgive_me => !rnd(2), Deparse => 0, Eval => 0, args => !rnd(50), keep => rnd(2),
        flags => rnd(30) ? undef : rnd(8));
    $refused = !rnd(40) ? 1 : !rnd(300) ? 2 : 0;
    if ($refused == 2) { $set{Deparse} = 1; $set{Eval} = 1; $budget = 10 if $budget > 10 }
    $hooked_ties = !defined $set{flags} || ($set{flags} & 6) == 6;
    @over = defined $set{flags} && !($set{flags} & 2) ? 'Diff::C4' : @OVER;
    my $root = $refused && !rnd(10) ? pick(@CODE) : thing(0);

    # Keys as they are now: a hook that asks by another spelling changes a key's UTF-8 flag.
    for my $path (map { @$_ } values %PATH) {
        next if reftype($path->[0]) ne 'HASH';
        my ($key) = grep { $_ eq $path->[1] } @{PermafrostTest::keys_of($path->[0])};
        $path->[1] = $key if defined $key;
    }
    push @keep, @pool if $set{keep};
    @pool = ();
    return $root;
}

my @WAYS = (
    ['dclone'], ['freeze', 0], ['freeze', 1], ['nfreeze', 0], ['nfreeze', 1],
);

# One call with everything it does: value, error, warnings, hook calls.
sub run {
    my ($table, $function, $canonical, @argument) = @_;
    my @warning;
    @LOG   = ();
    $TABLE = $table;
    no warnings 'once';
    local $Storable::canonical  = $canonical;
    local $Storable::forgive_me = $set{forgive_me};
    local $Storable::Deparse    = $set{Deparse};
    local $Storable::Eval       = $set{Eval};
    local $SIG{__WARN__} = sub { push @warning, $_[0] };
    my $value;
    my $error = eval { $value = $table->{$function}->(@argument); 1 } ? '' : clean_message($@);
    return {value => $value, error => $error,
        warnings => join("\n", map { clean_message($_) } @warning), log => join("\n", @LOG)};
}

# Stock loses its way in its own image when a reference is the target of a weak one within
# its referent: it refuses, panics (perl 5.32), or leaves a null pointer in the data. No difference.
sub stock_fault {
    my ($expected) = @_;
    return 0 if $opt{'self-test'};
    return 1 if $expected->{error} =~ /\A(?:sv_upgrade from type \d+ down to type 1|panic: del_backref, svp=0)\z/;
    return ref $expected->{value} && tagged($expected->{value}) =~ /^-> Nullsv$/m;
}

# Stock leaks some of what only weak references lead to (a tied thing, what hangs on a
# reference that is itself held weakly only...): then its data show something that nothing in
# them holds, with a reference count of its own. No difference: it should be gone.
sub stock_leaks {
    my ($data) = @_;
    return 0 unless ref $data;
    no overloading;
    my (%held, @weak);
    my @todo = ($data);
    while (@todo) {
        my $node = pop @todo;
        next if $held{refaddr $node}++;
        my $type = reftype $node;
        my $tie = $type eq 'ARRAY' ? tied @$node : $type eq 'HASH' ? tied %$node
          : $type =~ /^(?:SCALAR|REF|LVALUE|VSTRING)\z/ ? tied $$node : undef;
        if ($tie) { push @todo, $tie; next }
        my @slots = $type eq 'ARRAY' ? (map { exists $node->[$_] ? \$node->[$_] : () } 0 .. $#$node)
          : $type eq 'HASH' ? (map { \$node->{$_} } grep { exists $node->{$_} } @{PermafrostTest::keys_of($node)})
          : $type eq 'REF' ? $node : ();
        for my $slot (@slots) {
            push @todo, $slot if $slot != $node;
            next unless $slot == $node && ref $$slot;
            if (Scalar::Util::isweak($$slot)) { push @weak, refaddr $$slot }
            else                              { push @todo, $$slot }
        }
    }
    return scalar grep { !$held{$_} } @weak;
}

# While stock reads a tie object, the tied array or hash is still a scalar: a thaw hook
# that meets it then is told so.
my $ties;

sub kinds_aside {
    my ($log) = @_;
    $log =~ s/(?:ARRAY|HASH|SCALAR)(?= )/-thing/g;
    return $log;
}

sub compare {
    my ($what, $got, $expected) = @_;
    my $text = '';
    for my $part (qw(error warnings log)) {
        next if $part eq 'log' && $ties && kinds_aside($got->{log}) eq kinds_aside($expected->{log});
        $text .= "$what: $part differ\n" . first_difference("$got->{$part}", "$expected->{$part}")
          if $got->{$part} ne $expected->{$part};
    }
    return $text;
}

my $stage = sub { };

sub check_case {
    my ($i) = @_;
    my $root = build($i);
    print "case $i (", join(', ', map { "$_ " . (defined $set{$_} ? $set{$_} : 'undef') } sort keys %set), ")\n", tagged($root), "\n"
      if $opt{verbose};
    return check_arguments($i, @$root)
      if $set{args} && reftype($root) eq 'ARRAY' && !Internals::SvREADONLY(@$root) && !is_stock();
    return check($i, $root);
}

# The root is an array that does not own its items: @_ itself.
sub check_arguments {
    my $i = shift;
    return sub { check($i, *_{ARRAY}) }->(@_, @_ ? ($_[0], $_[-1]) : ());
}

sub check {
    my ($i, $root) = @_;
    my %show = (code => $set{Eval});
    my $trouble = '';
    my (@got, @expected);

    # The hooks of the first run may change the data (the spelling of keys, placeholders):
    # from the second on it stays as it is, and both modules see the same.
    $stage->('stock warms up');
    for (is_stock() ? () : (["dclone"], ["freeze", 0])) { run(st, $_->[0], $_->[1], $root) }
    $stage->('tested module writes');
    my $before = is_stock() ? '' : tagged($root, private => 1);
    for (@WAYS) {
        $root = build($i) if is_stock();
        push @got, run(pf, $_->[0], $_->[1], $root);
    }
    my $after = is_stock() ? '' : tagged($root, private => 1);
    $trouble .= "the input was changed\n" . first_difference($after, $before) if $before ne $after;

    # Hooks by path may have had their hands on a tied thing that is not in the data any more.
    $ties = ($before =~ / tieP / || $got[1]{log} =~ /Diff::Hook::Path/) && !$opt{'self-test'};

    $stage->('stock writes');
    for (@WAYS) {
        $root = build($i) if is_stock();
        push @expected, run(st, $_->[0], $_->[1], $root);
    }
    perturb($i, @got) if $opt{'self-test'};

    for my $n (0 .. $#WAYS) {
        my ($got, $expected) = ($got[$n], $expected[$n]);
        my $what = $WAYS[$n][0] . ($WAYS[$n][1] ? ' canonical' : '');
        next if $n == 0 && stock_fault($expected);
        $trouble .= compare($what, $got, $expected);
        if ($n == 0) {
            my ($a, $b) = map { tagged($_->{value}, %show) } $got, $expected;
            $trouble .= "$what: data differ\n" . first_difference($a, $b) if $a ne $b;
            next;
        }
        my ($a, $b) = map { defined $_->{value} ? $_->{value} : "\0undef" } $got, $expected;
        $trouble .= "$what: " . hex_difference($got->{value}, $expected->{value}) if $a ne $b;
    }

    $stage->('stock data are compared');
    my $leaks = length $trouble && stock_leaks($expected[0]{value});
    my $canonical = $i & 1;
    for my $n (1 + $canonical, 3 + $canonical) {
        my $image = $expected[$n]{value};
        next unless defined $image;
        my @flags = defined $set{flags} ? $set{flags} : ();
        $stage->('tested module reads');
        my $got = run(pf, 'thaw', 0, $image, @flags);
        my $a = tagged($got->{value}, %show);
        $stage->('stock reads');
        my $expected = run(st, 'thaw', 0, $image, @flags);
        my $b = tagged($expected->{value}, %show);
        my $what = "thaw of $WAYS[$n][0]";
        $stage->('stock data are compared');
        $leaks ||= length $trouble || $a ne $b ? stock_leaks($expected->{value}) : 0;
        next if stock_fault($expected);
        $trouble .= compare($what, $got, $expected);
        $trouble .= "$what: data differ\n" . first_difference($a, $b) if $a ne $b;
    }

    if (defined $expected[0]{value} && ref $got[0]{value}) {
        $stage->('stock writes the clones');
        my ($a, $b) = map { run(st, 'nfreeze', 1, $_->{value}) } $got[0], $expected[0];
        my ($x, $y) = map { defined $_->{value} ? $_->{value} : "\0undef" } $a, $b;
        $trouble .= 'written clones: ' . compare('', $a, $b) . hex_difference($a->{value}, $b->{value}) if $x ne $y;
    }
    return '' unless length $trouble;
    return '' if $leaks && !$opt{'self-test'}
      && $trouble !~ /^(?:n?freeze|[\w ]+: (?:error|warnings|log) differ)/m;
    my $dump = tagged($root);
    $dump = substr($dump, 0, 4000) . "\n..." if length $dump > 4000;
    return "seed $opt{seed} case $i: DIFFERENT\n${trouble}data:\n$dump\n";
}

# For --self-test: spoils one part of what the tested module said.
sub perturb {
    my ($i, @got) = @_;
    my $n = 1 + $i % 4;
    my $kind = $i % 5;
    if    ($kind == 0) { $got[0]{log} .= 'x' }
    elsif ($kind == 1) { $got[$n]{warnings} .= 'x' }
    elsif ($kind == 2) { $got[$n]{error} .= 'x' }
    elsif ($kind == 3 && ref $got[0]{value}) { $got[0]{value} = [bless [$got[0]{value}], 'Perturbed'] }
    elsif (defined $got[$n]{value}) { substr($got[$n]{value}, -1, 1) ^= "\1" }
    else { $got[$n]{value} = '' }
    return;
}

# ---------------------------------------------------------------------------------------
# Processes: workers take short ranges, so that what circular data leak goes with them

sub worker {
    my ($writer, $from, $to) = @_;
    my ($case, $stage_name);
    $stage = sub { $stage_name = $_[0]; syswrite $writer, "S $case $_[0]\n" };
    for my $i ($from .. $to - 1) {
        $case = $i;
        alarm 120;
        $stage->('building');
        my $text = eval { check_case($i) };
        # What stock has made may bring perl down when it is freed: counted with its crashes.
        POSIX::_exit(3) if !defined $text && $stage_name =~ /^stock (?!data)/;
        $text = "seed $opt{seed} case $i: the check itself died: $@" unless defined $text;
        if (length $text) {
            utf8::encode($text) if utf8::is_utf8($text);
            $text =~ s/\n(?=.)/\nT /g;
            syswrite $writer, "F $i\nT $text" . ($text =~ /\n\z/ ? '' : "\n");
        }
    }
    syswrite $writer, "D $to\n";
    return;
}

my $CHUNK = 500;
my @todo;
for (my $i = $opt{start}; $i < $opt{start} + $opt{count}; $i += $CHUNK) {
    my $to = $i + $CHUNK;
    $to = $opt{start} + $opt{count} if $to > $opt{start} + $opt{count};
    push @todo, [$i, $to];
}

# For --images: the images of some cases; those with data that cannot be frozen have none.
sub print_images {
    my ($from, $to) = @_;
    binmode STDOUT;
    for my $i ($from .. $to - 1) {
        my $root = build($i);
        run(pf, 'freeze', 0, $root);          # hooks may change the data
        my ($native, $network) = map { run(pf, $_, 0, $root)->{value} } 'freeze', 'nfreeze';
        print pack 'N/a* N/a*', $native, $network if defined $native && defined $network;
    }
    return;
}

$Storable::recursion_limit = $Storable::recursion_limit_hash = -1;
$| = 1;
if ($opt{images}) {
    for my $range (@todo) {
        my $pid = fork;
        die "$0: fork: $!\n" unless defined $pid;
        if (!$pid) {
            $| = 0;
            print_images(@$range);
            close STDOUT or die "$0: $!\n";
            POSIX::_exit(0);
        }
        waitpid $pid, 0;
        exit 1 if $?;
    }
    exit 0;
}
my ($done, $failures, $stock_crashes, %child) = (0, 0, 0);
my $select   = IO::Select->new;
my $began    = time;
my $terminal = -t STDERR;

sub start_worker {
    my ($from, $to) = @{shift @todo};
    pipe my $reader, my $writer or die "$0: pipe: $!\n";
    my $pid = fork;
    die "$0: fork: $!\n" unless defined $pid;
    if (!$pid) {
        close $reader;
        worker($writer, $from, $to);
        POSIX::_exit(0);
    }
    close $writer;
    $child{fileno $reader} = {pid => $pid, handle => $reader, from => $from, to => $to, buffer => '', at => $from, stage => '', reports => ''};
    $select->add($reader);
    return;
}

sub take_lines {
    my ($child) = @_;
    while ($child->{buffer} =~ s/\A([^\n]*)\n//) {
        my $line = $1;
        if ($line =~ /\AS (\d+) (.*)/) {
            $done++ if $1 != $child->{at};
            @$child{qw(at stage)} = ($1, $2);
        }
        elsif ($line =~ /\AF/)       { $failures++ }
        elsif ($line =~ /\AT (.*)/s) { print "$1\n" unless $opt{'self-test'} }
        elsif ($line =~ /\AD/)       { $done++; $child->{finished} = 1 }
    }
    return;
}

sub finish {
    my ($child) = @_;
    $select->remove($child->{handle});
    delete $child{fileno $child->{handle}};
    close $child->{handle};
    waitpid $child->{pid}, 0;
    return if $child->{finished};
    my $how = $? & 127 ? 'signal ' . ($? & 127) : 'exit ' . ($? >> 8);
    print "seed $opt{seed} case $child->{at}: $how while: $child->{stage}\n";
    if ($child->{stage} =~ /^(?:stock|building)/) { $stock_crashes++ } else { $failures++ }
    $done++;
    unshift @todo, [$child->{at} + 1, $child->{to}] if $child->{at} + 1 < $child->{to};
    return;
}

while (@todo || %child) {
    last if $failures >= $opt{failures} && !$opt{'self-test'};
    start_worker() while @todo && keys %child < $opt{jobs};
    for my $handle ($select->can_read(1)) {
        my $child = $child{fileno $handle};
        if (sysread $handle, my $bytes, 65536) {
            $child->{buffer} .= $bytes;
            take_lines($child);
        }
        else {
            finish($child);
        }
    }
    if ($terminal) {
        my $seconds = time - $began || 1;
        printf STDERR "\r%d of %d, %d/s, %d different ", $done, $opt{count}, $done / $seconds, $failures;
    }
}
kill 'TERM', map { $_->{pid} } values %child;
waitpid $_->{pid}, 0 for values %child;
print STDERR "\n" if $terminal;

my $seconds = time - $began || 1;
printf "%d cases, seed %d, %s against Storable %s: %d different%s; %d/s\n", $done, $opt{seed}, $MODULE,
  $Storable::VERSION, $failures, $stock_crashes ? ", stock crashed in $stock_crashes" : '', $done / $seconds;
if ($opt{'self-test'}) {
    my $missed = $opt{count} - $failures;
    print $missed ? "self-test: $missed perturbations not noticed\n" : "self-test: each perturbation noticed\n";
    exit($missed ? 1 : 0);
}
exit($failures ? 1 : 0);
