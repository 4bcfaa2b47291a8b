use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Version strings stay version strings.

my $long = eval 'v' . join '.', 1 .. 100;
my $longer = eval 'v' . join '.', 1 .. 1000;
my %v = (
    'v1.2.3' => v1.2.3, 'v65' => v65, '1.2.3' => 1.2.3, 'wide' => v1.300.9786, 'v0' => v0, 'high' => v200.233.255, 'long' => $long, 'longer' => $longer,
    (map { my $n = $_; ("text of $n" => eval 'v1.' . '2' x 1 . ('.1' x (($n - 4) / 2)) . ($n % 2 ? '0' : '')) } 252 .. 259),
);
for my $name (sort keys %v) {
    my $v = $v{$name};
    same_everywhere($name, \$v);
    same_everywhere("$name as items", [$v, $v, \$v, {a => $v}]);
    my $shared = [];
    same_everywhere("$name before a shared thing", [$v, $shared, $shared]);
    my $upgraded = $v;
    utf8::upgrade($upgraded);
    same_everywhere("$name upgraded", [$upgraded]);
    my $thawed = pf->{thaw}->(pf->{nfreeze}->(\$v));
    is(ref \$$thawed, 'VSTRING', "$name stays a version string");
    is(sprintf('%vd', $$thawed), sprintf('%vd', $v), "$name: value");
    my $clone = pf->{dclone}->(\$v);
    is(ref \$$clone, 'VSTRING', "$name stays a version string in a clone");
}
{
    my $v = v1.2.3;
    $v .= 'x';
    same_everywhere('changed', \$v);
    my $w = v1.2;
    { no warnings; my $n = $w + 0 }
    same_everywhere('used as a number', \$w);
    same_everywhere('blessed', bless \(my $x = v1.2), 'VS');
    require version;
    same_everywhere('version objects', [version->new('1.2.3'), version->new('v1.2'), version->declare('1.5')]);
    same_everywhere('$^V', [$^V]);
}
same_thaw('VSTRING of an array', "\x05\x0b\x1d\x02v1\x02\0\0\0\0", may_refuse => 1);
same_thaw('VSTRING of a number', "\x05\x0b\x1d\x02v1\x08\x81");
same_thaw('VSTRING twice', "\x05\x0b\x1d\x02v1\x1d\x02v2\x0a\x01a");
same_thaw('LVSTRING short', "\x05\x0b\x1e\0\0\0\x02v1\x0a\x01\x01");
same_thaw('VSTRING empty', "\x05\x0b\x1d\x00\x0a\x01\x01");

done_testing;
