package FleetData;

# What the members of the mixed fleet (xt/fleet.t) keep in their cache.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(fleet_data fleet_names);

{
    package Fleet::Session;
    sub STORABLE_freeze { my ($self) = @_; return "user=$self->{user}", $self->{seen} }
    sub STORABLE_thaw { my ($self, $cloning, $string, $seen) = @_; @$self{qw(user seen)} = (substr($string, 5), $seen); return }
    package Fleet::Cart;
}

my %DATA = (
    rows    => sub { [map { { id => $_ * 1000, name => "row $_", price => $_ + 0.25 } } 1 .. 20] },
    numbers => sub { [0, -1, 127, 128, 70000, 2147483647, -2147483648, '4294967296', 0.5, 1e300, -0.1] },
    text    => sub { { "\x{263a}" => "\x{fc}ber \x{263a}", bytes => join('', map { chr } 0 .. 255), '' => 'l' x 300 } },
    shared  => sub { my $x = ['x']; my $y = { a => $x, b => $x }; $y->{self} = $y; return $y },
    objects => sub {
        my $seen = { 1 => [1000] };
        return [bless({ items => [1, 2] }, 'Fleet::Cart'), map { bless { user => $_, seen => $seen }, 'Fleet::Session' } qw(ann bob)];
    },
    counter => sub { \(my $n = 100_000) },
);
# Not for everybody: an empty list, and what perls from 5.37 on write in a new way.
my %SPECIAL = (list => 1, flags => 1);
@DATA{qw(list flags)} = (sub { [] }, sub { { active => !!1, locked => !!0 } });

sub fleet_names { return grep { !$SPECIAL{$_} } sort keys %DATA }
sub fleet_data  { return $DATA{$_[0]}->() }

1;
