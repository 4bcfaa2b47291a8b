# Subject: Memoize::Storable
# Does: two memoized functions, scalar and list, kept by both of its file formats
# Needs: Memoize::Storable
use strict;
use warnings;
use Scenario;
use Memoize qw(memoize unmemoize);
use Memoize::Storable ();

my $computed = 0;
sub area   { my ($w, $h) = @_; $computed++; return {w => $w, h => $h, area => $w * $h, text => "\x{263a}" x $w} }
sub divide { my ($n, $by) = @_; $computed++; return (int($n / $by), $n % $by, $n / $by) }

# Each file is written when its hash is untied.
for my $native (0, 1) {
    tie my %area,   'Memoize::Storable', "area$native",   $native ? () : 'nstore';
    tie my %divide, 'Memoize::Storable', "divide$native", $native ? () : 'nstore';
    memoize 'area',   SCALAR_CACHE => [HASH => \%area],   LIST_CACHE => 'MERGE';
    memoize 'divide', LIST_CACHE   => [HASH => \%divide], SCALAR_CACHE => 'FAULT';
    for my $round (1, 2) {
        show("area $_ of round $round", scalar area($_, $_ + 1)) for 1 .. 4;
        show("divide $_", [divide(1000, $_)]) for 3 .. 6;
    }
    unmemoize $_ for qw(area divide);
    untie %area;
    untie %divide;
    print "computed so far: $computed\n";
}
print "files: @{[sort glob '*']}\n";
