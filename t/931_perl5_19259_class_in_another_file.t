# perl5 19259: objects whose class stands in a file that is not called like it (Readonly's arrays
# are tied to Readonly::Array, which is in Readonly.pm). Right: it works once that file has been
# loaded; until then the message names the class.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

sub n { return pack 'N', $_[0] }
my $hooked = "\x05\x0b\x04\x13\2\x12Elsewhere::Hooked0\0";     # 18 letters
my $over   = "\x05\x0b\x14\x11\x10Elsewhere::Over0\x02" . n(0);

for my $case ([hooked => $hooked, 'Elsewhere::Hooked0'], [overloaded => $over, 'Elsewhere::Over0']) {
    my ($name, $image, $class) = @$case;
    my $error = outcome(sub { pf->{thaw}->($image) })->{error};
    like($error, qr/\Q$class\E|Elsewhere/, "$name: the message names the class");
}
eval <<'CLASSES' or die $@;
    package Elsewhere::Hooked0; sub STORABLE_thaw { $_[0]{thawed} = 1; return }
    package Elsewhere::Over0; use overload '""' => sub { 'over' };
    package Elsewhere::Tied; sub TIEARRAY { return bless [1, 2, 3], shift } sub FETCH { return $_[0][$_[1]] } sub FETCHSIZE { return scalar @{$_[0]} }
    1;
CLASSES
is(${pf->{thaw}->($hooked)}->{thawed}, 1, 'loaded: the hook is called');
is("" . ${pf->{thaw}->($over)}, 'over', 'loaded: overloading works');
tie my @readonly, 'Elsewhere::Tied';
is_deeply([@{pf->{thaw}->(pf->{nfreeze}->(\@readonly))}], [1, 2, 3], 'a tied array whose class is loaded');
same_everywhere('the same in all ways', {list => \@readonly});

done_testing();
