use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# STORABLE_freeze and STORABLE_thaw: arguments, strings, order of the calls.

our (@log, %freeze, %thaw);
{
    package Hook;
    sub note { push @main::log, join ' ', map { !defined $_ ? 'undef' : ref $_ ? ref($_) . '/' . Scalar::Util::reftype($_) : "'$_'" } @_; return }
    sub STORABLE_freeze {
        my ($self) = @_;
        note('freeze', wantarray ? 'list' : 'other', @_);
        return $main::freeze{ref $self} ? $main::freeze{ref $self}->(@_) : 'frozen';
    }
    sub STORABLE_thaw {
        my ($self) = @_;
        note('thaw', defined wantarray ? wantarray ? 'list' : 'scalar' : 'void', @_);
        return $main::thaw{ref $self}->(@_) if $main::thaw{ref $self};
        my ($obj, $cloning, $string, @refs) = @_;
        my $type = Scalar::Util::reftype($self);
        if ($type eq 'HASH') { %$self = (cloning => $cloning, string => $string, refs => \@refs) }
        elsif ($type eq 'ARRAY') { @$self = ($cloning, $string, @refs) }
        else { $$self = [$string, @refs] }
        return;
    }
    package Hook::Child;  our @ISA = 'Hook';
    package Hook::Other;  our @ISA = 'Hook';
    package Hook::Third;  our @ISA = 'Hook::Child';
}

# Everything that freeze, nfreeze, thaw and dclone do with the data, calls included.
sub same_run {
    my ($name, $data) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    for my $function (qw(freeze nfreeze dclone)) {
        same_outcome("$name: $function", sub { @log = (); my $r = $_[0]{$function}->($data); [$r, @log] });
    }
    for my $function (qw(freeze nfreeze)) {
        my $image = outcome(sub { st->{$function}->($data) })->{value};
        next unless defined $image;
        same_outcome("$name: thaw of $function", sub { @log = (); my $r = $_[0]{thaw}->($image); [$r, @log] });
    }
    return;
}

my %make = (hash => sub { {a => 1} }, array => sub { [1] }, scalar => sub { \(my $x = 1) }, ref => sub { \(my $x = [1]) });
for my $kind (sort keys %make) {
    my $object = bless $make{$kind}->(), 'Hook';
    same_run("$kind", $object);
    same_run("$kind as item, twice", [$object, $object, {o => $object}]);
    same_run("$kind, several", [map { bless $make{$kind}->(), $_ } 'Hook', 'Hook::Child', 'Hook', 'Hook::Other', 'Hook::Child']);
}
for my $string ('', '0', 'text', "\0", 'x' x 254, 'x' x 255, 'x' x 256, 'x' x 70000, "\xe9", "\x{263a}", do { my $s = "\xe9"; utf8::upgrade($s); $s },
    5, -1, 1.5, 1e100, undef, !!1, !!0, v1.2.3, 9**9**9)
{
    $freeze{Hook} = sub { return $string };
    my $shown = defined $string ? length $string > 20 ? length $string : join ' ', map { ord } split //, $string : 'undef';
    same_run("string $shown", [bless({}, 'Hook')]);
}
{
    $freeze{Hook} = sub { return \'reference' };
    same_outcome('a reference as string', sub { my $i = $_[0]{freeze}->(bless {}, 'Hook'); $i =~ s/0x[0-9a-f]+//; $i =~ s/[\x10-\x40]SCALAR/SCALAR/; 1 });
    $freeze{Hook} = sub { return 'x', $_ } and same_run('second item ' . (defined $_ ? $_ : 'undef'), [bless {}, 'Hook']) for undef, 1, 'text', '';
    $freeze{Hook} = sub { return 'x', [1], 'text', [2] };
    for my $function (qw(freeze nfreeze dclone)) {      # in processes of their own: Storable frees what it should not
        my ($got, $expected) = map {
            my $m = $_;
            in_child(sub { outcome(sub { $m->{$function}->([bless {}, 'Hook']) })->{error} });
        } pf, st;
        like($got, qr/\AItem #2/, "third item no reference: $function");
        is($got, $expected, '... as Storable says it');
    }
    $freeze{Hook} = sub { return wantarray ? ('list', [1]) : 'scalar' };
    same_run('wantarray', [bless {}, 'Hook']);
    my @array = ('array', [1]);
    $freeze{Hook} = sub { return @array };
    same_run('array returned', [bless {}, 'Hook']);
    $freeze{Hook} = sub { return ($_[0]{a}, {r => $_[0]{a}}) };
    same_run('value of the object returned', [bless {a => 'A'}, 'Hook']);
    delete $freeze{Hook};
}
for my $length (1, 100, 127, 128, 129, 255, 256, 300) {
    my $class = 'Hook::' . 'L' x $length;
    { no strict 'refs'; @{"${class}::ISA"} = 'Hook' }
    same_run("class name of 6 + $length", [bless({}, $class), bless([], $class)]);
}
for my $count (126 .. 130, 255 .. 258, 300) {
    my @objects;
    for my $i (1 .. $count) {
        no strict 'refs';
        @{"Hook::N${i}::ISA"} = 'Hook';
        push @objects, bless {}, "Hook::N$i";
    }
    same_bytes("$count hook classes", [@objects, @objects, map { bless [], ref } @objects]);
    same_clone("$count hook classes", [@objects, map { bless [], ref } @objects]);
}
{
    # Class numbers are shared with plain classes.
    same_run('plain and hook classes', [bless([], 'Plain'), bless({}, 'Hook'), bless([], 'Plain'), bless([bless {}, 'Hook'], 'Plain2'), bless({}, 'Hook')]);
    no strict 'refs';
    local *{'Hook::Inherited::STORABLE_freeze'} = sub { Hook::note('own', @_); 'own' };
    @{'Hook::Inherited::ISA'} = 'Hook';
    same_run('own freeze, inherited thaw', [bless {}, 'Hook::Inherited']);
    $freeze{Hook} = sub { $_[0]{changed}++; return 'x' };
    same_outcome('hook that changes its object', sub { my $d = [bless({a => 1}, 'Hook')]; my $i = $_[0]{nfreeze}->($d); [$i, $d] });
    $freeze{Hook} = sub { my $list = $main::list; push @$list, 'more' if @$list < 5; return 'x' };
    our $list;
    same_outcome('hook that lengthens the list being walked', sub { $list = [bless({}, 'Hook'), 2]; my $i = $_[0]{nfreeze}->($list); [$i, scalar @$list] }) if is_stock();
    delete $freeze{Hook};
    same_outcome('hook that assigns to $_[0]', sub { local $freeze{Hook} = sub { $_[0] = 5; return 'x' }; my $d = [bless({}, 'Hook')]; [$_[0]{nfreeze}->($d), $d] });
    same_outcome('thaw hook that assigns to $_[0]', sub { local $thaw{Hook} = sub { $_[0] = 5; return }; $_[0]{thaw}->("\x05\x0b\x02\0\0\0\x01\x04\x13\x02\x04Hook\x01x") });
    same_outcome('thaw hook that reblesses', sub { local $thaw{Hook} = sub { bless $_[0], 'Hook::Other'; return }; $_[0]{dclone}->([bless({}, 'Hook'), bless({}, 'Hook')]) });
    same_outcome('thaw hook that returns something', sub { local $thaw{Hook} = sub { return bless [], 'Else' }; $_[0]{dclone}->([bless({}, 'Hook')]) });
    same_outcome('thaw hook that keeps the object', sub { our $kept; local $thaw{Hook} = sub { $kept = $_[0]; $_[0]{x} = 1; return }; my $r = $_[0]{dclone}->([bless({}, 'Hook')]); $kept == $r->[0] ? 1 : 0 });
    same_outcome('thaw hook that ties its object', sub { local $thaw{Hook} = sub { tie %{$_[0]}, 'Hook::Tie'; return }; $_[0]{dclone}->([bless({}, 'Hook')]) });
    { package Hook::Tie; sub TIEHASH { bless [5] } sub FETCH { 5 } sub FIRSTKEY { } }
    same_outcome('thaw hook that locks its object', sub { require Hash::Util; local $thaw{Hook} = sub { Hash::Util::lock_keys(%{$_[0]}, 'a'); return }; $_[0]{dclone}->([bless({}, 'Hook')]) });
}
{
    # Hooks defined after the first object of the class was written, and taken away.
    my $late = bless {}, 'Hook::Late';
    same_run('no hooks yet', [$late]);
    no strict 'refs';
    @{'Hook::Late::ISA'} = 'Hook';
    same_run('hooks by a new @ISA', [$late]);
    @{'Hook::Late::ISA'} = ();
    same_run('hooks gone', [$late]);
    *{'Hook::Late::STORABLE_freeze'} = sub { 'late' };
    *{'Hook::Late::STORABLE_thaw'} = sub { $_[0]{late} = 1 };
    same_run('hooks defined', [$late]);
    { no warnings 'redefine'; *{'Hook::Late::STORABLE_freeze'} = sub { 'later' } }
    same_run('hooks redefined', [$late]);
    undef &{'Hook::Late::STORABLE_freeze'};
    same_run('hook undefined', [$late]);
}
same_run('AUTOLOAD is not asked', [bless {}, 'Auto']);
{ package Auto; our $AUTOLOAD; sub AUTOLOAD { push @main::log, $AUTOLOAD; return 'auto' } sub DESTROY { } }
same_run('can() is not asked', [bless {}, 'Can']);
{ package Can; our @ISA = 'Hook'; sub can { push @main::log, "can $_[1]"; return } }
{
    no warnings 'once';
    local *UNIVERSAL::STORABLE_freeze = sub { push @log, 'universal ' . ref $_[0]; return 'u' };
    local *UNIVERSAL::STORABLE_thaw = sub { push @log, 'universal thaw ' . ref $_[0]; return };
    same_run('hooks in UNIVERSAL', [bless({}, 'Some'), [bless [], 'Other']]);
}

done_testing;
