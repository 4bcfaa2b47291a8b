#!/usr/bin/env perl

# Makes t/golden/foreign.txt, the images of other machines that t/503_golden_foreign.t reads.
#
#     perl -Mblib xt/golden_foreign.pl > t/golden/foreign.txt
#     perl -It/lib xt/golden_foreign.pl --here         this machine's, by stock Storable
#
# A line is: byte order with sizes, name of the data in t/lib/GoldenData.pm, image in hex. All are
# made by the converter. With --here, which needs no Permafrost, a perl on another machine prints
# what it writes itself; the lines must be those of its order in the file.

use strict;
use warnings;
use Config;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use GoldenData qw(golden_data golden_machines);
use Storable ();

my @data = golden_data();
if (@ARGV && $ARGV[0] eq '--here') {
    my $here = join '/', $Config{byteorder}, @Config{qw(intsize longsize ptrsize nvsize)};
    for (my $i = 0; $i < @data; $i += 2) {
        print join(' ', $_, $data[$i], unpack 'H*', $_ eq 'network' ? Storable::nfreeze($data[$i + 1]) : Storable::freeze($data[$i + 1])), "\n"
            for 'network', $here;
    }
    exit 0;
}
require Permafrost::Image;
my @machines = golden_machines();
while (my ($order, $machine) = splice @machines, 0, 2) {
    print "# $order: $machine\n";
    for (my $i = 0; $i < @data; $i += 2) {
        my $image = Permafrost::Image->convert(Storable::freeze($data[$i + 1]), order => $order);
        print join(' ', $order, $data[$i], unpack 'H*', $image), "\n";
    }
}
