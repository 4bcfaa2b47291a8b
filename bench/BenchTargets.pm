package BenchTargets;
# What Permafrost is meant to reach, and whether it does: adds the judgements to what
# BenchParts.pm has measured.
use strict;
use warnings;
use BenchData;
use BenchMeasure;

# The ratio of Storable's time to Permafrost's, workload by workload.
my @WORKLOADS = qw(small_hash rows1000 ints10k nums10k strs10k bighash10k objs1000 nest100 str1M);
my %RATIO = (
    freeze    => [6, 4, 6, 6, 5, 3, 6, 3, 2],
    nfreeze   => [6, 4, 6, 20, 5, 3, 6, 3, 2],
    thaw      => [3.5, 1.3, 3, 2, 1.6, 1.4, 2, 2, 1],
    dclone    => [6, 2.5, 4, 3, 2, 2.5, 3, 3, 20],
    canonical => [4, 4, undef, undef, undef, 4, 4, 4, undef],
);
$RATIO{nthaw} = $RATIO{thaw};
my %MEAN  = (freeze => 5, nfreeze => 5, canonical => 4, thaw => 2, nthaw => 2, dclone => 3.5);
my %FILES = map { ($_ => { nstore => 3, retrieve => 1.3 }) } qw(rows1000 ints10M);
my %CORE  = (rows1000 => 5, ints10k => 10);
my $HOOK_EXTRA_US  = 1.5;    # freeze of datetime beyond its hooks
my $HOOK_RATIO     = 4;      # Storable's freeze of datetime by ours
my $HOOK_THAW      = 1.15;   # thaw of datetime by its hooks
my %MEMORY         = (nfreeze => 0.15, thaw => 0.10);    # peak growth beyond the image, the result
my $GROWTH_FACTOR  = 1.5;

# What is shown as equal counts as reached; and where two are to be as fast as each other, what
# two runs of the same thing differ by.
my $ROUNDING = 0.995;
my $EQUAL    = 0.97;

# RETURNS: whether $value reaches $target, as JSON::PP writes it.
sub _reaches { return $_[0] >= $_[1] * ($_[1] == 1 ? $EQUAL : $ROUNDING) ? JSON::PP::true() : JSON::PP::false() }
sub _within  { return $_[0] * $ROUNDING <= $_[1] ? JSON::PP::true() : JSON::PP::false() }

# RETURNS: the target of a ratio or undef.
sub ratio_target {
    my ($class, $workload, $op) = @_;
    return $FILES{$workload}{$op} if $FILES{$workload} && $FILES{$workload}{$op};
    my ($at) = grep { $WORKLOADS[$_] eq $workload } 0 .. $#WORKLOADS;
    return defined $at ? ($RATIO{$op} || [])->[$at] : undef;
}

# Adds to each row, where it applies: ratio, target, met; others => { fastest, ratio, met };
# limit. To $results: means.
sub judge {
    my ($class, $results) = @_;
    _judge_speed($_)  for @{ $results->{speed} || [] }, @{ $results->{huge} || [] };
    _judge_core($_)   for @{ $results->{core} || [] };
    _judge_hooks($_)  for @{ $results->{hooks} || [] };
    _judge_memory($_) for @{ $results->{memory} || [] };
    _judge_growth($_) for @{ $results->{growth} || [] };
    $results->{means} = [_means($results->{speed} || [])];
    return;
}

sub _judge_speed {
    my $row   = shift;
    my $times = $row->{times};
    my $ours  = $times->{Permafrost}{best};
    $row->{ratio} = $times->{Storable}{best} / $ours;
    my $target = BenchTargets->ratio_target(@$row{qw(workload op)});
    @$row{qw(target met)} = ($target, _reaches($row->{ratio}, $target)) if defined $target;
    # What a deserializer could reach that does nothing but make the result.
    $row->{limit} = $times->{Storable}{best} / $times->{floor}{best} if $times->{floor};
    my @others = grep { !/\A(?:Storable|Permafrost|floor)\z/ } keys %$times or return;
    my ($fastest) = sort { $times->{$a}{best} <=> $times->{$b}{best} } @others;
    my $ratio = $times->{$fastest}{best} / $ours;
    $row->{others} = { fastest => $fastest, ratio => $ratio };
    # The others call no STORABLE hooks: what they do with such objects is another thing.
    $row->{others}{met} = _reaches($ratio, 1) unless BenchData->hooked($row->{workload});
    return;
}

sub _means {
    my $rows = shift;
    my @means;
    for my $op (qw(freeze nfreeze canonical thaw nthaw dclone nstore retrieve)) {
        my @all    = grep { $_->{op} eq $op } @$rows or next;
        my @judged = grep { defined $_->{target} } @all;
        my $mean   = { op => $op, all => BenchMeasure->geometric_mean(map { $_->{ratio} } @all), workloads => scalar @all };
        # Only of the whole list is the mean that of the target.
        if ($MEAN{$op} && @judged == grep { defined } @{ $RATIO{$op} }) {
            $mean->{ratio}  = BenchMeasure->geometric_mean(map { $_->{ratio} } @judged);
            $mean->{target} = $MEAN{$op};
            $mean->{met}    = _reaches($mean->{ratio}, $mean->{target});
        }
        push @means, $mean;
    }
    return @means;
}

sub _judge_core {
    my $row = shift;
    $row->{ratio} = $row->{times}{Storable}{best} / $row->{times}{core}{best};
    my $target = $CORE{ $row->{workload} } or return;
    @$row{qw(target met)} = ($target, _reaches($row->{ratio}, $target));
    return;
}

sub _judge_hooks {
    my $row = shift;
    my ($theirs, $ours, $hand) = map { $row->{times}{$_}{best} } qw(Storable Permafrost by_hand);
    $row->{ratio} = $theirs / $ours;
    $row->{extra} = $ours - $hand;
    if ($row->{op} eq 'nthaw') {
        @$row{qw(factor factor_target)} = ($ours / $hand, $HOOK_THAW);
        $row->{met} = _within($row->{factor}, $HOOK_THAW);
        return;
    }
    @$row{qw(extra_target target)} = ($HOOK_EXTRA_US, $HOOK_RATIO);
    $row->{met} = _within($row->{extra}, $HOOK_EXTRA_US) && _reaches($row->{ratio}, $HOOK_RATIO);
    return;
}

sub _judge_memory {
    my $row = shift;
    $row->{excess} = $row->{growth_bytes} / $row->{against_bytes} - 1;
    return if $row->{module} ne 'Permafrost';
    $row->{target} = $MEMORY{ $row->{op} };
    # Where the peak is known to a page or two, and small things do not count.
    $row->{met} = _within($row->{growth_bytes}, $row->{against_bytes} * (1 + $row->{target}));
    return;
}

sub _judge_growth {
    my $row = shift;
    my @ns  = sort { $a <=> $b } map { $_->[1] } @{ $row->{points} };
    $row->{factor} = $ns[-1] / $ns[0];
    return if $row->{module} ne 'Permafrost';
    @$row{qw(target met)} = ($GROWTH_FACTOR, _within($row->{factor}, $GROWTH_FACTOR));
    return;
}

# RETURNS: (targets met, targets in all).
sub count_met {
    my ($class, $results) = @_;
    my @verdicts;
    for my $part (qw(speed huge means core hooks memory growth)) {
        for my $row (@{ $results->{$part} || [] }) {
            push @verdicts, $row->{met} if defined $row->{met};
            push @verdicts, $row->{others}{met} if $row->{others} && defined $row->{others}{met};
        }
    }
    return (scalar(grep { $_ } @verdicts), scalar @verdicts);
}

1;
