use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# References to objects of overloaded classes.

use Scalar::Util qw(weaken);

{
    package Over;
    use overload '""' => sub { 'over' }, '==' => sub { 1 }, '+' => sub { 42 }, 'bool' => sub { 1 }, fallback => 1;
    package Over::Child;
    our @ISA = 'Over';
    package Over::Nil;
    use overload;
    package Over::Fallback;
    use overload fallback => 1;
    package Over::Deref;
    use overload '@{}' => sub { die 'not to be called' }, '%{}' => sub { die 'not to be called' }, '${}' => sub { die 'not to be called' },
      '""' => sub { die 'not to be called' }, 'bool' => sub { die 'not to be called' };
    package Over::Dying;
    use overload '""' => sub { die "no\n" }, 'eq' => sub { die "no\n" }, '0+' => sub { die "no\n" };
    package Over::Hook;
    use overload '""' => sub { 'hook' };
    sub STORABLE_freeze { return ('string', [1]) }
    sub STORABLE_thaw { $_[0]{got} = $_[2] }
}
for my $class (qw(Over Over::Child Over::Nil Over::Fallback Over::Dying)) {
    for my $ref ([1], {a => 1}, \(my $x = 1), \(my $y = [1])) {
        my $object = bless $ref, $class;
        my $name = "$class " . Scalar::Util::reftype($ref);
        same_everywhere("$name as root", $object);
        same_everywhere("$name as item", [$object, $object]);
        same_everywhere("$name as value", {a => $object});
        same_everywhere("$name by reference", \$object);
        my @weak = ($object, $object);
        weaken $weak[0];
        same_everywhere("$name weak first", \@weak);
        @weak = ($object, $object);
        weaken $weak[1];
        same_everywhere("$name weak second", \@weak);
    }
}
same_everywhere('dereferencing overloaded', [bless(do { \my $x }, 'Over::Deref')]);
same_everywhere('with hooks', [bless({}, 'Over::Hook'), bless({}, 'Over::Hook')]);
{
    my $self = bless [], 'Over';
    $self->[0] = $self;
    same_everywhere('refers to itself', $self);
    same_everywhere('refers to itself, inside', [$self]);
    weaken $self->[0];
    same_everywhere('refers to itself weakly', $self);
}
{
    my $thawed = pf->{thaw}->(pf->{nfreeze}->([bless {}, 'Over']));
    is("$thawed->[0]", 'over', 'overloading works after thaw');
    is($thawed->[0] + 1, 42, 'another operator too');
    my $clone = pf->{dclone}->([bless {}, 'Over']);
    is("$clone->[0]", 'over', 'overloading works after dclone');
}
{
    my $image = st->{nfreeze}->([bless {}, 'Over']);
    (my $other = $image) =~ s/Over/Nope/;
    same_thaw('class not there', $other);
    ($other = $image) =~ s/Over/Data/;
    same_thaw('class without overloading', $other) if !is_stock();
}
same_thaw('OVERLOAD to unblessed', "\x05\x0b\x14\x02\0\0\0\0");

done_testing;
