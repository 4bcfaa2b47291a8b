# Subject: Tie::Persistent
# Does: a scalar, an array and a hash kept in files, written at the end and by sync
# Packages: libtie-persistent-perl
# Needs: Tie::Persistent
use strict;
use warnings;
use Scenario;
use Tie::Persistent ();

my $mode = writing ? 'rw' : 'r';
for my $round (writing ? (1, 2) : 0) {
    my $hash = tie my %hash, 'Tie::Persistent', 'hash', $mode;
    tie my @array,  'Tie::Persistent', 'array',  $mode;
    tie my $scalar, 'Tie::Persistent', 'scalar', $mode;
    if ($round) {
        $hash{"round$round"} = rows(2);
        $hash{n}++;
        (tied %hash)->sync;
        $hash{later} = {round => $round, text => "\x{263a}"};
        push @array, $round, [$round, {deep => [$round]}];
        $scalar = {round => $round, rows => rows(1)};
    }
    show("hash after $round",   {%hash});
    show("array after $round",  [@array]);
    show("scalar after $round", $scalar);
    undef $hash;
    untie %hash;
    untie @array;
    untie $scalar;
}
print "files: @{[sort glob '*']}\n";
