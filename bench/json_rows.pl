#!/usr/bin/perl
# An image of rows to JSON: `pst json`, `permafrost json`, and thaw plus a JSON module in Perl, side
# by side, with the memory that each takes.
#   perl -Mblib bench/json_rows.pl [--mb 100] [--rounds 3]
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use BenchData;
use File::Temp qw(tempdir);
use Getopt::Long qw(GetOptions);
use POSIX ();
use Storable ();
use Time::HiRes qw(time);

my %opt = (mb => 100, rounds => 3);
GetOptions(\%opt, 'mb=i', 'rounds=i') && !@ARGV or die "usage: json_rows.pl [--mb N] [--rounds N]\n";

my $top = "$FindBin::Bin/..";
my $dir = tempdir(CLEANUP => 1);
my @perl = ($^X, map {"-I$_"} @INC);
system('make', '-s', '-C', "$top/csrc", "OUT=$dir/build", "$dir/build/pst") == 0 or die "cannot build pst\n";

# Rows as of a database: a hash for each, in one array. Written by a child, whose memory goes.
my $file = "$dir/rows";
sub in_child {
    my $code = shift;
    my $child = fork // die "fork: $!";
    if (!$child) { $code->(); POSIX::_exit(0) }
    waitpid $child, 0;
    die "the child has failed\n" if $?;
    return;
}
in_child(sub {
    my $thousand = BenchData->make('rows1000');
    my $times = int($opt{mb} * 1e6 / length Storable::nfreeze($thousand)) || 1;
    Storable::nstore([map { @{ Storable::dclone($thousand) } } 1 .. $times], $file);
});
printf "%d bytes, %d rounds, the shortest counts\n\n", -s $file, $opt{rounds};

my $perl = sub {
    my ($module, $json) = @_;
    return [@perl, "-M$module", "-M$json", '-e', "print $json->new->utf8->encode(${module}::retrieve(shift))"];
};
my @ways = (
    ['pst json',               ["$dir/build/pst", 'json']],
    ['permafrost json',        [@perl, "$top/script/permafrost", 'json']],
    map { my $json = $_; map { ["$_, $json", $perl->($_, $json)] } qw(Permafrost Storable) }
        grep { system("$^X -M$_ -e1 2>/dev/null") == 0 } qw(JSON::XS Cpanel::JSON::XS),
);

# RETURNS: (seconds, peak of resident memory in MB) of a program on the file.
sub run {
    my $command = shift;
    my $start = time;
    my $child = fork // die "fork: $!";
    if (!$child) {
        open STDOUT, '>', '/dev/null' or die $!;
        exec @$command, $file or die "$command->[0]: $!\n";
    }
    # The last reading counts: the first ones may be of this program, before exec.
    my $peak = 0;
    while (waitpid($child, POSIX::WNOHANG()) == 0) {
        if (open my $status, '<', "/proc/$child/status") {
            while (<$status>) { $peak = $1 if /^VmHWM:\s+(\d+)/ }
        }
        select undef, undef, undef, 0.005;
    }
    die "@$command: status $?\n" if $?;
    return (time - $start, $peak / 1024);
}

my %best;
for my $round (1 .. $opt{rounds}) {
    for my $way (@ways) {
        my ($seconds, $peak) = run($way->[1]);
        my $best = $best{$way->[0]} ||= [$seconds, $peak];
        $best->[0] = $seconds if $seconds < $best->[0];
        $best->[1] = $peak if $peak > $best->[1];
    }
}
my $base = $best{'pst json'}[0];
printf "%-28s %9s %9s %10s\n", '', 'seconds', 'times', 'peak MB';
printf "%-28s %9.3f %9.2f %10.1f\n", $_->[0], $best{$_->[0]}[0], $best{$_->[0]}[0] / $base, $best{$_->[0]}[1] for @ways;
