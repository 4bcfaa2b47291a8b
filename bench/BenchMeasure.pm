package BenchMeasure;
# Interleaved timing of several contenders in one process.
#
# A contender is { name => ..., sample => sub { my $count = shift; ...; return $seconds } }: its
# sample does the work $count times and says how long that took. loop() makes such a sub.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

# One sample takes about so long: short, so that some samples of many find the processor free of
# other work, and long enough that the clock is exact.
my $SAMPLE_SECONDS = 0.002;
my $LEAST_ROUNDS   = 5;

sub sample_seconds { return $SAMPLE_SECONDS }

sub now { return clock_gettime(CLOCK_MONOTONIC) }

# RETURNS: a sample sub for the Perl expression $expr, in which $arg and $codec are those of
# %with. It is compiled for this purpose, so that a function is called as it would be in a
# program: no sub around it, and by its name.
#   around => sub { my $code = shift; ... $code->() ... }   what is in force during a sample
sub loop {
    my ($class, $expr, %with) = @_;
    my $make = eval <<"PERL" or die "$expr: $@";    ## no critic: see above
        sub {
            my (\$arg, \$codec) = \@_;
            return sub {
                my \$count = shift;
                my \$start = BenchMeasure::now();
                while (\$count-- > 0) { my \$result = $expr; }
                return BenchMeasure::now() - \$start;
            };
        }
PERL
    my $loop = $make->(@with{qw(arg codec)});
    my $around = $with{around} or return $loop;
    return sub {
        my $count = shift;
        return $around->(sub { $loop->($count) });
    };
}

# RETURNS: a sample sub that calls $function with a fresh argument, made by $fresh->(), each
# time. Making the arguments is not measured, nor is freeing them.
sub loop_with_fresh {
    my ($class, $function, $fresh) = @_;
    return sub {
        my $count = shift;
        my @args  = map { $fresh->() } 1 .. $count;
        my $start = now();
        for my $arg (@args) { my $result = $function->($arg) }
        return now() - $start;
    };
}

# RETURNS: how often a contender must do its work in one sample. To find it out also warms
# caches and branch predictors.
sub _calibrate {
    my $sample = shift;
    my $count  = 1;
    while (1) {
        # The better of two: who is interrupted here, would have shorter samples ever after, and
        # those have a better chance to be undisturbed.
        my ($took) = sort { $a <=> $b } $sample->($count), $sample->($count);
        return $count if $took >= $SAMPLE_SECONDS * 0.8;
        my $factor = $took > 0 ? $SAMPLE_SECONDS / $took : 10;
        $count = 1 + int($count * ($factor > 10 ? 10 : $factor));
    }
}

# Measures @contenders in turn for $seconds in all, or for 'rounds' rounds without calibration
# (each sample is one call).
# RETURNS: { name => { best, median (microseconds per call), rounds, calls (per sample) } }.
sub compare {
    my ($class, $seconds, $rounds, @contenders) = @_;
    my (%samples, %count);
    $count{ $_->{name} } = $rounds ? 1 : _calibrate($_->{sample}) for @contenders;
    my $end = now() + $seconds;
    for (my $round = 0; $rounds ? $round < $rounds : $round < $LEAST_ROUNDS || now() < $end; $round++) {
        # Who goes first changes, so that nobody always profits from another's heap.
        my @order = @contenders[map { ($_ + $round) % @contenders } 0 .. $#contenders];
        for my $contender (@order) {
            my $name = $contender->{name};
            push @{ $samples{$name} }, $contender->{sample}->($count{$name}) / $count{$name} * 1e6;
        }
    }
    return { map { ($_ => _summary($samples{$_}, $count{$_})) } keys %samples };
}

sub _summary {
    my ($samples, $calls) = @_;
    my @sorted = sort { $a <=> $b } @$samples;
    return { best => $sorted[0], median => $sorted[$#sorted / 2], rounds => scalar @sorted, calls => $calls };
}

# RETURNS: the geometric mean of a list of positive numbers.
sub geometric_mean {
    my ($class, @values) = @_;
    my $sum = 0;
    $sum += log for @values;
    return exp($sum / @values);
}

1;
