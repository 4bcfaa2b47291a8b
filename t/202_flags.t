use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# $Storable::flags and the flags argument: BLESS_OK, TIE_OK.

{
    package Flag::Tie;
    sub TIEHASH { bless {} } sub TIEARRAY { bless [] } sub TIESCALAR { bless \my $x } sub FETCH { 1 } sub FETCHSIZE { 1 } sub FIRSTKEY { }
    package Flag::Over;
    use overload '""' => sub { 'over' };
    package Flag::Hook;
    sub STORABLE_freeze { return ('x', [1]) }
    sub STORABLE_thaw { my ($self, @rest) = @_; $self->{rest} = \@rest }
    package Flag::Attach;
    sub STORABLE_freeze { return 'x' }
    sub STORABLE_attach { my ($class, @rest) = @_; return bless {rest => \@rest}, $class }
}
tie my %hash, 'Flag::Tie';
tie my @array, 'Flag::Tie';
tie my $scalar, 'Flag::Tie';
my %data = (
    object => bless({a => 1}, 'Flag::Class'), 'objects' => [map { bless [], 'Flag::Class' } 1 .. 3], 'object by reference' => \bless([], 'Flag::Class'),
    hook => bless({}, 'Flag::Hook'), hooks => [map { bless {}, 'Flag::Hook' } 1, 2], attach => [bless {}, 'Flag::Attach'],
    regexp => qr/a/, 'regexp as item' => [qr/a/], plain => [1, {a => 2}],
    'tied hash' => \%hash, 'tied array' => \@array, 'tied scalar' => \$scalar, 'tied key' => \$hash{a}, 'tied index' => \$array[1],
    'tied items' => [\%hash, \@array, \$scalar], 'blessed scalar' => bless(\(my $x = 1), 'Flag::Class'),
    'overloaded' => bless([], 'Flag::Over'), 'overloaded as item' => [bless [], 'Flag::Over'],
);
for my $name (sort keys %data) {
    for my $image (st->{freeze}->($data{$name}), st->{nfreeze}->($data{$name})) {
        for my $flags (0 .. 8, 255, -1, undef, '6', 'x') {
            my $shown = defined $flags ? $flags : 'undef';
            no warnings;
            same_outcome("$name, argument $shown", sub { $_[0]{thaw}->($image, $flags) });
            local $Storable::flags = $flags;
            same_outcome("$name, variable $shown", sub { $_[0]{thaw}->($image) });
            same_outcome("$name, variable $shown, argument 6", sub { $_[0]{thaw}->($image, 6) });
            same_outcome("$name, variable $shown, dclone", sub { $_[0]{dclone}->($data{$name}) });
        }
    }
}

{
    my $image = "\5\x0b\4\x11\x0aNo::Such::\2\0\0\0\0" =~ s/\x0aNo::Such::/\x0bNo::Package/r;
    pf->{thaw}->($image, 0);
    ok(is_stock() || !exists $No::{'Package::'}, 'without BLESS_OK no package is made');
    pf->{thaw}->($image);
    no warnings 'once';
    ok(exists $No::{'Package::'}, '... with it one is');
}

done_testing;
