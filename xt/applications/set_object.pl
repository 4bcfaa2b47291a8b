# Subject: Set::Object
# Does: sets of strings and of objects, sets of sets, stored and cloned by its hooks, which rebuild the hash by address
# Packages: libset-object-perl
# Needs: Set::Object
use strict;
use warnings;
use Scenario;
use Set::Object qw(set);
use Storable qw(dclone freeze nstore retrieve store thaw);

my @person = map { bless {name => "person $_", friends => set()}, 'Person' } 1 .. 4;
$person[$_]{friends}->insert(@person[grep { $_ >= 0 } $_ - 1, ($_ + 1) % 4]) for 0 .. 3;
my $data = {letters => set('a' .. 'f'), people => set(@person), nested => set(set(1, 2), set(3)), first => $person[0], empty => set()};
if (writing) {
    store($data, 'native');
    nstore($data, 'network');
}
sub names { return join ', ', sort map { $_->{name} } @_ }
my %copy = (native => retrieve('native'), network => retrieve('network'), cloned => dclone($data), thawed => thaw(freeze($data)));
for my $how (sort keys %copy) {
    my $c = $copy{$how};
    print "$how: letters ", join('', sort $c->{letters}->elements), ', people ', names($c->{people}->elements), "\n";
    print "  $_->{name} knows ", names($_->{friends}->elements), "\n" for sort { $a->{name} cmp $b->{name} } $c->{people}->elements;
    print '  the first is in the set: ', $c->{people}->includes($c->{first}) ? 'yes' : 'no', ', the other one is not: ',
        $c->{people}->includes($data->{first}) ? 'wrong' : 'right', "\n";
    print '  sizes ', join(' ', map { $c->{$_}->size } sort grep { $_ ne 'first' } keys %$c), ', nested ',
        join(' ', sort map { '{' . join(',', sort $_->elements) . '}' } $c->{nested}->elements), "\n";
    print '  union with new ones: ', join('', sort(($c->{letters} + set('x', 'y'))->elements)), ', equal: ', $c->{letters} == $data->{letters} ? 1 : 0, "\n";
}
