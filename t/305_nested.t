use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Hooks that call freeze, thaw and dclone themselves; several levels; dying there.

our ($m, @log);
sub state { return join '', map { my $f = $m->{$_}; $f ? $f->() ? 1 : 0 : '?' } qw(is_storing is_retrieving last_op_in_netorder) }
{
    package Nested;
    sub STORABLE_freeze {
        my ($self, $cloning) = @_;
        push @main::log, "freeze $self->{depth} $cloning " . main::state();
        my $depth = $self->{depth};
        die "at the bottom\n" if $depth == 0 && $self->{die};
        return 'bottom' if $depth == 0;
        my $in = bless {%$self, depth => $depth - 1}, 'Nested';
        my $how = $self->{how};
        my $result = $self->{catch} ? eval { $main::m->{$how}->([$in]) } : $main::m->{$how}->([$in]);
        push @main::log, "back $depth " . main::state();
        return (ref $result ? ('clone', $result) : defined $result ? $result : 'caught');
    }
    sub STORABLE_thaw {
        my ($self, $cloning, $string, @refs) = @_;
        push @main::log, "thaw $cloning " . main::state();
        $self->{refs} = \@refs;
        if ($string =~ /\A[\x04\x05]/) {
            $self->{in} = $main::m->{thaw}->($string);
            push @main::log, 'thawed ' . main::state();
        }
        else { $self->{string} = $string }
        die "thaw at the bottom\n" if $string eq 'bottom' && $main::die_in_thaw;
        return;
    }
}
our $die_in_thaw = 0;
sub run {
    my ($function, $data) = @_;
    return sub {
        local $m = $_[0];
        @log = ();
        my $r = eval { my $r = $m->{$function}->($data->()); $r = $m->{thaw}->($r) unless ref $r; $r };
        my $error = clean_message($@);
        $error =~ s{\n\z}{};
        my $again = $m->{thaw}->($m->{nfreeze}->([1, {a => 2}]));
        return [$r, $error, $again, @log];
    };
}
for my $how (qw(freeze nfreeze dclone)) {
    for my $function (qw(freeze nfreeze dclone)) {
        for my $depth (0 .. 4) {
            my $make = sub { my %more = @_; sub { my $s = []; [$s, bless({depth => $depth, how => $how, %more}, 'Nested'), $s, bless({depth => 0, how => $how}, 'Nested')] } };
            same_outcome("$function, $how inside, $depth levels", run($function, $make->()));
            same_outcome("$function, $how inside, $depth levels, dying", run($function, $make->(die => 1)));
            # A run that died inside and was caught there spoils stock's outer run: undef or
            # garbage comes out.
            my $name = "$function, $how inside, $depth levels, dying and caught";
            my $run = run($function, $make->(die => 1, catch => 1));
            is(outcome(sub { $run->(pf) })->{value}[1], $depth ? '' : 'at the bottom', $name) unless is_stock() && $depth;
            local $die_in_thaw = 1;
            same_outcome("$function, $how inside, $depth levels, dying in thaw", run($function, $make->()));
        }
    }
}
{
    # The same structure frozen again by its own hook, once.
    package Again;
    our $depth = 0;
    sub STORABLE_freeze { my ($self) = @_; local $depth = $depth + 1; return 'again' if $depth > 1; return ($main::m->{freeze}->($main::top), $self->{r}) }
    sub STORABLE_thaw { my ($self, $c, $s, @r) = @_; $self->{s} = $s; $self->{r} = \@r }
    package main;
    our $top = [bless({r => [1]}, 'Again'), {a => 1}];
    for my $function (qw(freeze nfreeze dclone)) {
        same_outcome("$function of the structure being walked", sub { local $m = $_[0]; $m->{$function}->($top) });
    }
    # Options within a nested run.
    package Other;
    sub STORABLE_freeze { my ($self) = @_; local $Storable::canonical = 1; return $main::m->{nfreeze}->({map { $_ => 1 } 'a' .. 'm'}) }
    sub STORABLE_thaw { my ($self, $c, $s) = @_; $self->{s} = $main::m->{thaw}->($s) }
    package main;
    my $three = [{map { $_ => 1 } 'n' .. 'z'}, bless({}, 'Other'), {map { $_ => 1 } 'n' .. 'z'}];
    same_outcome("$_ with other options inside", sub { local $m = $_[0]; $m->{$_}->($three) }) for qw(freeze nfreeze dclone);
}
{
    # Many failing runs inside one another leave nothing behind.
    package Failing;
    sub STORABLE_freeze { for (1 .. 3) { eval { $main::m->{freeze}->([sub { 1 }]) }; eval { $main::m->{thaw}->('junk') } } return 'survived' }
    sub STORABLE_thaw { my ($self, $c, $s) = @_; eval { $main::m->{thaw}->('junk') } for 1 .. 3; $self->{s} = $s }
    package main;
    # Stock's outer run is spoilt by them.
    local $m = pf;
    my $data = sub { [map { bless {}, 'Failing' } 1 .. 5] };
    my @back = is_stock() ? () : ($m->{dclone}->($data->()), map { $m->{thaw}->($m->{$_}->($data->())) } qw(freeze nfreeze));
    is_deeply([map { $_->{s} } @$_], [('survived') x 5], 'failing runs inside') for @back;
}

done_testing;
