# $Storable::interwork_56_64bit: the headers of perl 5.6, whose byte-order text had as many
# bytes as a long. It makes a difference only where an IV has more: 64-bit integers on a
# 32-bit machine. Elsewhere nothing may change.
use strict;
use warnings;
use Config;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my $matters = $Config{ivsize} > $Config{longsize};
my @data = (\'text', [1, -1, 300, 4294967296, -4294967296, ~0, 1.5, undef, 'x'], {a => [1e10]});
my %was;

sub switched { my $code = pop; my ($on) = @_; with_options({interwork_56_64bit => $on}, $code) }

for my $i (0 .. $#data) {
    for my $on (0, 1) {
        switched($on, sub { same_everywhere("data set $i, " . ($on ? 'on' : 'off'), $data[$i]) });
        $was{$on}[$i] = switched($on, sub { pf->{freeze}->($data[$i]) });
    }
    ($matters ? \&isnt : \&is)->($was{0}[$i], $was{1}[$i], "data set $i: with other headers: " . ($matters ? 'yes' : 'no'));
    is(length pf->{read_magic}->($was{1}[$i])->{byteorder}, $matters ? $Config{longsize} : $Config{ivsize},
        '... and the byte-order text has the length of a long');
    is_deeply(switched(1, sub { pf->{thaw}->($was{1}[$i]) }), $data[$i], '... read with it');
}

# An image of the one kind, read as the other: refused, or read as what a 32-bit perl has written.
for my $on (0, 1) {
    no warnings 'once';
    local $Permafrost::accept_foreign = 0;
    for my $m (pf, st) {
        my $got = switched($on, sub { outcome(sub { $m->{thaw}->($was{1 - $on}[0]) }) });
        my $what = "$m->{name}: read while it is $on, written while it was " . (1 - $on);
        if ($matters) { like($got->{error}, qr/^Byte order is not compatible/, $what) }
        else          { is_deeply($got->{value}, \'text', $what) }
    }
}
{
    my $of_32_bits = $was{1}[0];
    is_deeply(pf->{thaw}->($of_32_bits), \'text', 'off: an image of a machine with small integers') unless is_stock() && $matters;
}

# Objects have options of their own.
unless (is_stock()) {
    my $pf = switched(1, sub { pf->{name}->new(order => 'native')->freeze(['x']) });
    is(length Permafrost::read_magic($pf)->{byteorder}, $Config{ivsize}, 'objects do not heed it');
}

done_testing;
