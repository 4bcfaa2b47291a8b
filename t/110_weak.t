use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Weak references.

use Scalar::Util qw(weaken);

our $outside = [1];
sub weak { my ($ref) = @_; my $x = $ref; weaken $x; return $x }

my @case = (
    'held before' => sub { my $x = [1]; my @a = ($x, $x); weaken $a[1]; \@a },
    'held after'  => sub { my $x = [1]; my @a = ($x, $x); weaken $a[0]; \@a },
    'held by outside only' => sub { my @a = ($outside); weaken $a[0]; \@a },
    'held by outside only, twice' => sub { my @a = ($outside, $outside); weaken $_ for @a; \@a },
    'held by outside, then inside' => sub { my @a = ($outside, [$outside]); weaken $a[0]; \@a },
    'freed already' => sub { my @a = ([1]); my $keep = $a[0]; weaken $a[0]; undef $keep; \@a },
    'parent'        => sub { my $p = {c => []}; push @{$p->{c}}, {p => $p}; weaken $p->{c}[0]{p}; $p },
    'parent from inside' => sub { my $p = {c => []}; our $keep = $p; push @{$p->{c}}, {p => $p}; weaken $p->{c}[0]{p}; $p->{c}[0] },
    'itself' => sub { my $p = [1]; push @$p, $p; our $keep = $p; weaken $p->[1]; $p },
    'weak scalar as root' => sub { our $keep = [1]; my $x = $keep; weaken $x; \$x },
    'weak scalar to itself' => sub { my $x; $x = \$x; weaken $x; \$x },
    'weak to a scalar' => sub { my $x = 5; my @a = (\$x, \$x); weaken $a[1]; \@a },
    'weak to an item'  => sub { my @a = (1, undef); $a[1] = \$a[0]; weaken $a[1]; \@a },
    'weak to a hash value' => sub { my %h = (a => 1); $h{b} = \$h{a}; weaken $h{b}; \%h },
    'weak to an object' => sub { my $o = bless {}, 'Weak::Object'; my @a = ($o, $o); weaken $a[1]; \@a },
    'weak to an overloaded object' => sub { my $o = bless {}, 'Weak::Over'; my @a = ($o, $o, $o); weaken $a[0]; weaken $a[2]; \@a },
    'weak to an overloaded object outside' => sub { our $keep = bless {}, 'Weak::Over'; my @a = ($keep); weaken $a[0]; \@a },
    'weak to a hash, in a hash' => sub { my $h = {x => 1}; my %h = (a => $h, b => $h); weaken $h{a}; \%h },
    'weak to code-free regexp' => sub { my $r = qr/x/; my @a = ($r, $r); weaken $a[0]; \@a },
    'weak to undef' => sub { my @a = (\undef); weaken $a[0]; \@a },
    'weak to a reference' => sub { my $r = \1; my @a = (\$r, \$r); weaken $a[0]; \@a },
    'many to one' => sub { my $x = {}; my @a = ($x) x 20; weaken $a[$_] for 0 .. 18; \@a },
    'many to one, strong first' => sub { my $x = {}; my @a = ($x) x 20; weaken $a[$_] for 1 .. 19; \@a },
    'count 1 and weak, in hash body' => sub { my %h = (x => {y => 1}); $h{z} = $h{x}; weaken $h{z}; \%h },
    'count 1 and weak, array' => sub { my @a = ([1]); push @a, $a[0]; weaken $a[1]; \@a },
    'weak seen before its only holder' => sub { my $r = []; $r->[1] = [1]; $r->[0] = $r->[1]; weaken $r->[0]; $r },
    'report perl5 17037' => sub { my $f = [qr//, []]; weaken($f->[1][0][0] = $f->[1]); $f },
    'weak to tied' => sub { tie my @t, 'Weak::Tie'; my @a = (\@t, \@t); weaken $a[0]; \@a },
    'weak reference to a weak reference' => sub { my @a = ([1]); $a[1] = $a[0]; weaken $a[1]; $a[2] = \$a[1]; $a[3] = \$a[1]; weaken $a[3]; \@a },
    'copied weak' => sub { my $x = [1]; my $w = $x; weaken $w; [$x, $w] },
);
{
    package Weak::Over;
    use overload '""' => sub { 'over' };
    package Weak::Tie;
    sub TIEARRAY { return bless [] }
    sub FETCHSIZE { 0 }
}
while (my ($name, $make) = splice @case, 0, 2) {
    same_everywhere($name, $make->());
    local $Storable::canonical = 1;
    same_everywhere("$name, canonical", $make->());
}

same_thaw('WEAKREF to what nobody holds', "\x05\x0b\x1b\x02\0\0\0\0");
same_thaw('WEAKREF to a scalar',          "\x05\x0b\x02\0\0\0\x01\x1b\x08\x81");
same_thaw('WEAKREF to what comes again',  "\x05\x0b\x02\0\0\0\x02\x1b\x02\0\0\0\0\x04\0\0\0\0\x02");
same_thaw('WEAKREF to the root',          "\x05\x0b\x02\0\0\0\x01\x1b\0\0\0\0\0");
same_thaw('WEAKOVERLOAD to unblessed',    "\x05\x0b\x02\0\0\0\x01\x1c\x02\0\0\0\0");

done_testing;
