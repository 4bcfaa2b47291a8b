#!/usr/bin/env perl

# Proves the image commands on generated structures.
#
#     perl -Mblib xt/inspect.pl [--count 100000] [--seed 1] [--memory 1000]
#
# The images of xt/differential.pl's structures, in native and in network order, go to
# xt/inspect_check.c, which says what it does with them; of one in --memory pairs it lets each
# allocation fail. Exit status: 0 all are as they must be, 1 some are not, 2 usage.

use strict;
use warnings;
use File::Temp ();
use FindBin ();
use Getopt::Long ();

my %opt = (count => 100_000, seed => 1, memory => 1000);
Getopt::Long::GetOptions(\%opt, 'count=i', 'seed=i', 'memory=i') && !@ARGV
    or die "usage: inspect.pl [--count N] [--seed S] [--memory N]\n";

my $top = "$FindBin::Bin/..";
my $out = File::Temp::tempdir(CLEANUP => 1);
system('make', '-s', '-C', "$top/csrc", "OUT=$out", 'MAKEFLAGS=', "$out/inspect_check") == 0
    or die "$0: inspect_check cannot be built\n";
open my $check, '|-', "$out/inspect_check", $opt{memory} or die "$0: inspect_check: $!\n";
open my $images, '-|', $^X, (map {"-I$_"} @INC), "$FindBin::Bin/differential.pl", '--images', '--count', $opt{count}, '--seed', $opt{seed}
    or die "$0: differential.pl: $!\n";
binmode $_ for $check, $images;
while (read $images, my $bytes, 1 << 16) { print {$check} $bytes }
close $images or die "$0: differential.pl has failed\n";
close $check;
exit($? ? 1 : 0);
