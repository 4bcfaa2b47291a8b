use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Scalars that are string and number at once.

use Scalar::Util qw(dualvar);

my @string = ('', '0', 'text', '5', '5.0', "\xe9", "\x{263a}", ' 7', 'x' x 255, 'x' x 256);
my @number = (0, 1, -1, 127, 128, 300, 2**31, 2**40, ~0, 0.5, -0.0, 1e300, 9**9**9);
for my $string (@string) {
    my @dual = map { dualvar $_, $string } @number;
    my $name = length $string > 10 ? 'string of ' . length $string : join ' ', map { sprintf '%02x', ord } split //, $string;
    same_everywhere("dualvars of '$name'", \@dual);
    same_everywhere("dualvar of '$name' as root", \$dual[2]);
}

for my $text ('12', '12abc', '1.5', '1e3', '0x10', 'inf', 'nan', '', ' 12', '12 ', '-0', '0 but true', '99999999999999999999', "12\n") {
    no warnings;
    my ($added, $compared, $or, $float, $utf8) = ($text) x 5;
    my $x = $added + 0;
    $x = $compared == 5;
    $x = $or | 1;
    $x = $float * 1.5;
    utf8::upgrade($utf8);
    $x = $utf8 + 0;
    same_everywhere("'$text' after numeric use", [$added, $compared, $or, $float, $utf8]);
}
for my $number (0, 5, -5, 300, 2**31, 2**40, ~0, 0.5, 1e15, 1e16, 1e100, -0.0, 9**9**9) {
    my ($shown, $matched, $length, $key) = ($number) x 4;
    my %h;
    my $x = "$shown";
    $x = $matched =~ /5/;
    $x = length $length;
    $x = $h{$key};
    same_everywhere("$number after use as string", [$shown, $matched, $length, $key, \$shown, \$key]);
}
{
    local $! = 2;
    my $error = $!;
    same_everywhere('copy of $!', [$error, \$error]);
    my $version = $];
    same_everywhere('copy of $]', [$version]);
}

done_testing;
