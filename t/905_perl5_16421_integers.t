# perl5 16421: a compiler once made 1 into -255. perl5 11427: which integers nfreeze writes
# as strings. Every integer -300..300 and around each power of two.
use strict;
use warnings;
use lib 't/lib';
use Config;
use Test::More;
use PermafrostTest;

my @near;
for my $bit (6 .. 8 * $Config{ivsize} - 1) {
    my $power = do { no warnings 'portable'; 1 << $bit };
    for my $offset (-3 .. 3) {
        my $n = do { use integer; $power + $offset };
        push @near, $n, do { use integer; -$n };
        no integer;
        push @near, $offset < 0 ? $power - -$offset : $power + $offset if $bit < 63 || $offset <= 0;
    }
}
push @near, ~0, ~0 - 1, ~0 >> 1, (~0 >> 1) + 1, -(~0 >> 1), -(~0 >> 1) - 1;

for my $set (['-300 .. 300', [-300 .. 300]], ['around powers of two', \@near]) {
    my ($what, $numbers) = @$set;
    same_everywhere("$what, as a list", $numbers);
    for my $function (qw(freeze nfreeze)) {
        my (@lost, @bytes);
        for my $n (@$numbers) {
            my ($copy, $again) = ($n, $n);       # before perl may leave a string in it
            my $image = pf->{$function}->(\$copy);
            my $back = ${pf->{thaw}->($image)};
            push @lost, "$n -> $back" if "$back" ne "$n" || $back != $n;
            push @bytes, $n if $image ne st->{$function}->(\$again);
        }
        is_deeply(\@lost,  [], "$what: $function and thaw");
        is_deeply(\@bytes, [], "$what: $function has Storable's bytes");
    }
    my @wrong = grep { my $copy = $_; ${pf->{dclone}->(\$copy)} ne $_ } @$numbers;
    is_deeply(\@wrong, [], "$what: dclone");
}

# The kinds on the wire [11427]
my %kind = (8 => 'BYTE', 9 => 'NETINT', 6 => 'INTEGER', 10 => 'SCALAR', 7 => 'DOUBLE');
sub kind_of { my ($image, $at) = @_; return $kind{ord substr $image, $at, 1} }
my $header = length(pf->{freeze}->([])) - 5;
for my $case (
    [-128, 'BYTE', 'BYTE'], [127, 'BYTE', 'BYTE'], [0, 'BYTE', 'BYTE'],
    [128, 'NETINT', 'INTEGER'], [-129, 'NETINT', 'INTEGER'],
    [2147483647, 'NETINT', 'INTEGER'], [-2147483648, 'NETINT', 'INTEGER'],
    $Config{ivsize} < 8 ? () : (
        [2147483648, 'SCALAR', 'INTEGER'], [4294967296, 'SCALAR', 'INTEGER'],
        [-2147483649, 'SCALAR', 'INTEGER'], [~0 >> 1, 'SCALAR', 'INTEGER']),
    [~0, 'SCALAR', 'SCALAR'],
  ) {
    my ($n, $network, $native) = @$case;
    my $copy = $n;
    is(kind_of(pf->{nfreeze}->(\$copy), 2), $network, "nfreeze $n: $network");
    is(kind_of(pf->{freeze}->(\$copy), $header), $native, "freeze $n: $native");
}

done_testing();
