package ImageChecks;

# Gives generated images to a program that checks them: what xt/convert.pl and xt/inspect.pl
# have in common.

use strict;
use warnings;
use File::Temp ();
use FindBin ();
use Getopt::Long ();

# Builds csrc's PROGRAM and lets it have the images of xt/differential.pl's structures, in native
# and in network order, by the options --count, --seed and --memory (see there).
# RETURNS: the exit status: 0 all are as they must be, 1 some are not. Dies if nothing can be run.
sub run {
    my ($program) = @_;
    my %opt = (count => 100_000, seed => 1, memory => 1000);
    Getopt::Long::GetOptions(\%opt, 'count=i', 'seed=i', 'memory=i') && !@ARGV
        or die "usage: $FindBin::Script [--count N] [--seed S] [--memory N]\n";
    my $out = File::Temp::tempdir(CLEANUP => 1);
    system('make', '-s', '-C', "$FindBin::Bin/../csrc", "OUT=$out", 'MAKEFLAGS=', "$out/$program") == 0
        or die "$0: $program cannot be built\n";
    open my $check, '|-', "$out/$program", $opt{memory} or die "$0: $program: $!\n";
    open my $images, '-|', $^X, (map { "-I$_" } grep { !ref } @INC), "$FindBin::Bin/differential.pl", '--images',
        '--count', $opt{count}, '--seed', $opt{seed}
        or die "$0: differential.pl: $!\n";
    binmode $_ for $check, $images;
    while (read $images, my $bytes, 1 << 16) { print {$check} $bytes }
    close $images or die "$0: differential.pl has failed\n";
    close $check;
    return $? ? 1 : 0;
}

1;
