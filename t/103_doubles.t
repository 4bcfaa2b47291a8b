use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Floating point numbers.

my $inf = 9**9**9;
my $nan = -sin $inf;
my %double = (
    'fractions'  => [0.5, -0.5, 0.1, 0.2, 0.1 + 0.2, 1 / 3, 2 / 3, 1e-5, 1e-4, 0.001, 123.456, 3.14159265358979],
    'integral'   => [map { sqrt($_ * $_) } 0 .. 3, 127, 128, 129, 300, 65536],
    'negative'   => [map { -sqrt($_ * $_) } 0 .. 3, 127, 128, 129, 300, 65536],
    'zeros'      => [0.0, -0.0, 0 * -1.0, -1e-320 / 1e300],
    'special'    => [$inf, -$inf, $nan, -$nan],
    'extremes'   => [1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, -5e-324, 2.2e-310],
    'powers'     => [map { 2.0**$_ } 0 .. 80],
    'powers - 1' => [map { 2.0**$_ - 1 } 0 .. 80],
    'powers neg' => [map { -(2.0**$_) } 0 .. 80],
    'tens'       => [map { 10.0**$_ } -30 .. 30],
    'nines'      => [map { "0.$_" + 0 } map { '9' x $_ } 1 .. 20],
    'digits'     => [map { (1 + 1 / 3) * 10.0**$_ } -30 .. 30],
);
for my $name (sort keys %double) {
    same_everywhere($name, $double{$name});
    same_everywhere("$name, each as root", \$_) for map { my $x = $_; $x } @{$double{$name}}[0 .. 3];
}

srand 1;
my @bits;
while (@bits < 2000) {
    my $x = unpack 'd', pack 'C8', map { int rand 256 } 1 .. 8;
    push @bits, $x;
}
same_everywhere('random bit patterns', \@bits);
same_everywhere('random fractions', [map { rand } 1 .. 1000]);
same_everywhere('random decimals',  [map { int(rand 1e6) / 1000 } 1 .. 1000]);
same_everywhere('random large',     [map { rand(1) * 2.0**int rand 100 } 1 .. 1000]);

{
    my $x = 2.5;
    my $shown = "$x";
    my $y = 2.5;
    my $int = int $y;
    my $or = $y | 0;
    my $z = 3.0;
    $shown = "$z";
    my $w = 1e20;
    { no warnings; my $i = $w | 0; $i = $w + 0 }
    my $integral = 3.0;
    my $used = $integral | 0;
    same_everywhere('doubles used as strings and integers', [$x, $y, $z, $w, $integral]);
    same_everywhere('a double used as a string', \$x);
}
same_thaw('DOUBLE ' . unpack('H*', $_),
    do { my $image = pf->{freeze}->(\0.5); substr($image, -8, 8, $_); $image })
  for map { pack 'd', $_ } 0.25, 3, -0.0, $inf, $nan;

done_testing;
