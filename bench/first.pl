#!/usr/bin/perl
# Storable against Permafrost in one process.
use strict;
use warnings;
use Config;
use FindBin;
use Getopt::Long qw(GetOptions);
use Pod::Usage qw(pod2usage);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
use lib $FindBin::Bin;
use BenchData;
use Storable ();

=head1 NAME

first.pl - compare Storable and Permafrost on small and large data

=head1 SYNOPSIS

    perl -Mblib bench/first.pl [OPTIONS]

  --only NAME     only this data set (may be given several times); see bench/BenchData.pm
  --ops LIST      only these operations, of freeze,nfreeze,thaw,dclone
  --time SECONDS  time for each row of the table, both modules together (default 1)
  --help          this text

=head1 METHOD

Both modules run in the same process, in turn, on their own copies of the same data. A
sample is a loop of calls of at least 20 ms; the table has the median of the samples, per
call in microseconds, and their least in parentheses. The ratio is Storable's median by
Permafrost's: above 1, Permafrost is faster. thaw reads an image that nfreeze made. The
time to free a result is part of the call that made it.

Before anything is timed, both modules' results are compared byte for byte.

Storable's nfreeze leaves a text buffer in each number of the caller's data that it writes
as text. The loop here meets the same data again, which spares Storable that allocation from
the second call on: its nfreeze of nums10k looks better here than with new data.

=cut

my @OPS = qw(freeze nfreeze thaw dclone);
my $SAMPLE_SECONDS = 0.020;
my $LEAST_ROUNDS   = 5;

GetOptions(
    'only=s' => \my @only,
    'ops=s'  => \my $ops,
    'time=f' => \(my $seconds = 1),
    'help'   => sub { pod2usage(-verbose => 1, -exitval => 0) },
) && !@ARGV or pod2usage(2);
my @ops = defined $ops ? split(/,/, $ops) : @OPS;
for my $op (@ops) {
    pod2usage("no operation '$op'") unless grep { $_ eq $op } @OPS;
}
my @names = @only ? map({ split /,/ } @only) : BenchData->names;
eval { BenchData->make($_); 1 } or pod2usage($@) for @names;

# Only now: --help must work in a tree that is not built.
require Permafrost;
my %FUNCTION = (
    storable   => {map { ($_ => Storable->can($_))   } @OPS},
    permafrost => {map { ($_ => Permafrost->can($_)) } @OPS},
);
die "Storable's functions are Permafrost's: run this without Permafrost::AsStorable\n"
    if $FUNCTION{storable}{freeze} == $FUNCTION{permafrost}{freeze};

# RETURNS: an image of $data in which nothing but the data decides the bytes.
sub canonical_image {
    my $data = shift;
    no warnings 'once';
    local $Storable::canonical = 1;
    return $FUNCTION{storable}{nfreeze}->($data);
}

# Dies unless both modules give the same for operation $op of data set $name.
sub check {
    my ($name, $op) = @_;
    my (%result, $image);
    # One hash has one order of keys: the images must come from the very same data. Storable
    # goes last, as it may change the data.
    my $data = BenchData->make($name);
    for my $module (qw(permafrost storable)) {
        my $arg = $op eq 'thaw' ? $image //= $FUNCTION{storable}{nfreeze}->($data) : $data;
        $result{$module} = $FUNCTION{$module}{$op}->($arg);
    }
    if ($op eq 'thaw' || $op eq 'dclone') {
        $_ = canonical_image($_) for values %result;
        $result{data} = canonical_image(BenchData->make($name));
    }
    my ($first, @others) = values %result;
    die "$op of $name: Storable and Permafrost differ\n" if grep { $_ ne $first } @others;
    return;
}

# RETURNS: seconds that $count calls of $function took.
sub run {
    my ($function, $arg, $count) = @_;
    my $start = clock_gettime(CLOCK_MONOTONIC);
    while ($count-- > 0) {
        my $result = $function->($arg);
    }
    return clock_gettime(CLOCK_MONOTONIC) - $start;
}

# RETURNS: how many calls make a sample; calling it also warms caches and branch predictors.
sub calibrate {
    my ($function, $arg) = @_;
    my $count = 1;
    while (1) {
        my $took = run($function, $arg, $count);
        return $count if $took >= $SAMPLE_SECONDS;
        my $factor = $took > 0 ? $SAMPLE_SECONDS / $took * 1.1 : 10;
        $count = 1 + int($count * ($factor > 10 ? 10 : $factor));
    }
}

# RETURNS: { storable => [...], permafrost => [...] }, microseconds per call, ascending.
sub measure {
    my ($name, $op) = @_;
    my (%arg, %count, %samples);
    for my $module (qw(storable permafrost)) {
        $arg{$module} = BenchData->make($name);
        $arg{$module} = $FUNCTION{storable}{nfreeze}->($arg{$module}) if $op eq 'thaw';
        $count{$module} = calibrate($FUNCTION{$module}{$op}, $arg{$module});
    }
    my $end = clock_gettime(CLOCK_MONOTONIC) + $seconds;
    for (my $round = 0; $round < $LEAST_ROUNDS || clock_gettime(CLOCK_MONOTONIC) < $end; $round++) {
        # Who goes first alternates, so that neither always profits from the other's heap.
        my @order = $round % 2 ? qw(permafrost storable) : qw(storable permafrost);
        for my $module (@order) {
            my $took = run($FUNCTION{$module}{$op}, $arg{$module}, $count{$module});
            push @{ $samples{$module} }, $took / $count{$module} * 1e6;
        }
    }
    @$_ = sort { $a <=> $b } @$_ for values %samples;
    return \%samples;
}

sub median { my $sorted = shift; return $sorted->[$#$sorted / 2] }

sub geometric_mean {
    my $sum = 0;
    $sum += log for @_;
    return exp($sum / @_);
}

sub cpu_name {
    open my $in, '<', '/proc/cpuinfo' or return 'unknown CPU';
    while (<$in>) { return $1 if /^model name\s*:\s*(.*)/ }
    return 'unknown CPU';
}

for my $name (@names) { check($name, $_) for @ops }

$| = 1;
printf "Storable %s, Permafrost %s, perl %vd %s\n%s\n", Storable->VERSION, Permafrost->VERSION,
    $^V, $Config{archname}, cpu_name();
print "Median and (best) microseconds per call; ratio = Storable / Permafrost.\n\n";
printf "%-11s %-8s %11s %12s %11s %12s %7s\n", 'data', 'function', 'Storable', '(best)',
    'Permafrost', '(best)', 'ratio';
my %ratios;
for my $name (@names) {
    for my $op (@ops) {
        my $samples = measure($name, $op);
        my ($theirs, $ours) = @$samples{qw(storable permafrost)};
        my $ratio = median($theirs) / median($ours);
        push @{ $ratios{$op} }, $ratio;
        printf "%-11s %-8s %11.2f %12s %11.2f %12s %7.2f\n", $name, $op, median($theirs),
            sprintf('(%.2f)', $theirs->[0]), median($ours), sprintf('(%.2f)', $ours->[0]), $ratio;
    }
}
print "\nGeometric means of the ratios:\n";
printf "  %-8s %6.2f\n", $_, geometric_mean(@{ $ratios{$_} }) for @ops;
printf "  %-8s %6.2f\n", 'all', geometric_mean(map { @$_ } values %ratios);
