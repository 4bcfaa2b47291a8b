# Ties behind ties, without end: perl frees what is behind a tie by recursion, so ten thousand of
# them overflow its stack when the data go. 200 levels are enough for everybody.
use strict;
use warnings;
use lib 't/lib';
use Scalar::Util qw(weaken);
use Test::More;
use PermafrostTest;

plan skip_all => 'stock has no limit, and crashes' if is_stock();

{
    package Nested::Tie;
    sub TIEHASH { return bless [$_[1]], $_[0] }
    sub FETCH { return $_[0][0] }
    sub FETCHSIZE { return 1 }
    sub FIRSTKEY { return 'k' }
    sub NEXTKEY { return }
    sub EXISTS { return 1 }
    package Nested::Hook;
    sub STORABLE_thaw { my ($self, $cloning, $string, @refs) = @_; @$self = @refs; return }
}
sub n { return pack 'N', $_[0] }
my $object = "\x04\x11\x0bNested::Tie\x02";

# One within the other.
my %nested = (
    arrays  => sub { ("\x04\x0b\x04\x12\0\x02" . n(1)) x $_[0] },
    hashes  => sub { ("\x04\x0c\x04\x12\0\x02" . n(1)) x $_[0] },
    scalars => sub { ("\x04\x0d\x04\x12\0\x02" . n(1)) x $_[0] },
);
my $class = "\x02" . n(2) . $object . n(0);    # so that the class has its number
sub outcome_of {
    my ($body) = @_;
    return in_child(sub {
        my $data = eval { pf->{thaw}->("\x05\x0b$body") };
        my $error = clean_message($@);
        undef $data;
        return $error || 'read and freed';
    });
}
my $refused = 'Corrupted storable string (binary v2.11)';
for my $kind (sort keys %nested) {
    is(outcome_of($class . $nested{$kind}->(150) . "\x05"), 'read and freed', "150 nested tied $kind");
    is(outcome_of($class . $nested{$kind}->($_) . "\x05"), $refused, "$_ are refused") for 250, 100_000;
}
is(outcome_of($class . ("\x04\x16\x04\x12\0\x02" . n(1)) x 250 . "\x05" . n(0) x 250), $refused, 'items of ties, too');
is(outcome_of($class . ("\x04\x15\x04\x12\0\x02" . n(1)) x 250 . "\x05" . "\x05" x 250), $refused, 'values of ties, too');

# A chain by tags: an array has all the ties, each refers to the one before; then the array goes.
sub chain {
    my ($count) = @_;
    my ($body, $tag, $before) = ("\x03" . n(2) . "\x04\x02" . n($count), 3);
    for my $i (0 .. $count - 1) {
        $body .= "\x04\x0c\x04" . ($i ? "\x12\0\x02" . n(1) . "\x04\0" . n($before) : "\x11\x0bNested::Tie\x02" . n(0));
        $before = $tag + 1;
        $tag += $i ? 5 : 4;
    }
    return $body . n(1) . "k\x04\0" . n($before) . n(1) . 'k';
}
is(outcome_of(chain(150)), 'read and freed', 'a chain of 150 by tags');
is(outcome_of(chain($_)), $refused, "... of $_") for 250, 60_000;

# Thousands side by side are fine, also if they share something that is not tied.
is(outcome_of("\x02" . n(20_001) . $object . n(0) . ("\x04\x0c\x04\x12\0\x02" . n(1) . "\x04\0" . n(2)) x 20_000), 'read and freed',
    '20,000 ties to objects that share one');
# ... or share one tie.
is(outcome_of("\x02" . n(20_001) . "\x04\x0c$object" . n(0) . ("\x04\x0c\x04\x12\0\x02" . n(1) . "\x04\0" . n(2)) x 20_000), 'read and freed',
    '20,000 ties to objects that share a tie');

# What perl makes itself.
my $data = 'innermost';
for (1 .. 150) { tie my %hash, 'Nested::Tie', $data; $data = \%hash }
same_everywhere('150 ties made by tie', $data);

# References that lead in a circle lead to no tie.
{
    my ($self, $before, @circle);
    $self = \$self;
    $circle[$_] = \$circle[ ($_ + 1) % 3 ] for 0 .. 2;
    $before = \$circle[1];
    tie my %inner, 'Nested::Tie', [];
    my %case = ('a reference to itself' => [\$self, \$self], 'a circle of three' => [\$circle[0], \$circle[2], \$circle[0]],
        'what leads into a circle' => [\$before, \$before]);
    for my $name (sort keys %case) {
        tie my %outer, 'Nested::Tie', [\%inner, @{ $case{$name} }];
        same_everywhere("within a tie: $name", \%outer);
    }
    weaken($_) for $self, @circle;
}

done_testing();
