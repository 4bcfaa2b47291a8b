use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# $Storable::recursion_limit and recursion_limit_hash bind writing as Storable's do.

sub nest {
    my ($kind, $depth) = @_;
    my $x = $kind eq 'array' ? [] : $kind eq 'hash' ? {} : \my $end;
    for (2 .. $depth) {
        my $in = $x;
        my $turn = $_ % 3;
        $x = $kind eq 'array' || $kind eq 'mixed' && $turn == 0 ? [$in] : $kind eq 'hash' || $kind eq 'mixed' && $turn == 1 ? {a => $in} : \$in;
    }
    return $x;
}
{
    package Limit::Hook;
    sub STORABLE_freeze { my ($self) = @_; return ('x', @$self) }
    sub STORABLE_thaw { my ($self, $cloning, $string, @refs) = @_; @$self = @refs }
}
for my $limit (-2, -1, 0, 1, 2, 3, 5, 10) {
    for my $hash_limit (-1, 0, 1, 4, 10) {
        for my $kind (qw(array hash ref mixed)) {
            for my $depth (1 .. 6, 9 .. 13) {
                my $data = nest($kind, $depth);
                # Stock counts nothing for the hash limit where recursion_limit is -1; a user who
                # sets one alone means it: as if the other were out of reach.
                my $stock_limit = $limit == -1 && $hash_limit != -1 ? 1_000_000 : $limit;
                my ($got, $expected) = map {
                    my ($m, $for_refs) = @$_;
                    with_options({recursion_limit => $for_refs, recursion_limit_hash => $hash_limit}, sub {
                        join ', ', map { my $r = outcome(sub { $m->{$_}->($data) }); $r->{error} || 'fine' } qw(freeze nfreeze dclone);
                    });
                } [pf, $limit], [st, $stock_limit];
                is($got, $expected, "limits $limit, $hash_limit: $kind of depth $depth") if $got ne $expected || $depth == 13;
            }
        }
    }
}
for my $limit (undef, '', 'abc', '3', 3.9) {
    no warnings;
    my $shown = defined $limit ? "'$limit'" : 'undef';
    with_options({recursion_limit => $limit, recursion_limit_hash => $limit}, sub {
        same_outcome("limit $shown: $_->[0] of depth $_->[1]", sub { $_[0]{freeze}->(nest(@$_)) }) for map { my $d = $_; map { [$_, $d] } qw(array hash ref) } 1 .. 5;
    });
}
with_options({recursion_limit => 5, recursion_limit_hash => 5}, sub {
    same_outcome('wide, not deep', sub { $_[0]{freeze}->([map { [[[]]] } 1 .. 100]) });
    same_outcome('wide hashes, not deep', sub { $_[0]{freeze}->({map { ($_ => {a => {}}) } 1}) });
    same_outcome('dclone of wide', sub { $_[0]{dclone}->([map { [[[]]] } 1 .. 100]) });
    my $hook = bless [], 'Limit::Hook';
    for (1 .. 12) {
        my $data = $hook;
        same_outcome("hooks of depth $_", sub { my ($m) = @_; $m->{freeze}->($data) });
        same_outcome("hooks of depth $_, dclone", sub { $_[0]{dclone}->($data) });
        $hook = bless [$hook], 'Limit::Hook';
    }
    same_outcome('after a failed run', sub { my ($m) = @_; eval { $m->{freeze}->(nest('array', 50)) } for 1 .. 3; $m->{freeze}->(nest('array', 3)) });
    same_thaw('a deep image', no_limits(sub { st->{nfreeze}->(nest('mixed', 100)) }));
    {
        package Limit::Tie;
        sub TIEARRAY { my ($class, $in) = @_; return bless $in, $class }
        sub FETCHSIZE { 0 }
    }
    my $tied = [];
    for (1 .. 8) {
        my $data = $tied;
        same_outcome("ties of depth $_", sub { $_[0]{freeze}->($data) });
        tie my @x, 'Limit::Tie', [$tied];
        $tied = \@x;
    }
});
if (!is_stock()) {
    # The false depth error of report perl5 16606.
    my @wide = map { [[[]]] } 1 .. 100_000;
    ok(eval { pf->{dclone}->(\@wide); 1 }, 'dclone of 100000 x [[[]]]');
    ok(eval { pf->{freeze}->(\@wide); 1 }, 'freeze of 100000 x [[[]]]');
    ok(eval { pf->{freeze}->(nest('mixed', 5000)); 1 }, 'no limit by default');
}

done_testing;
