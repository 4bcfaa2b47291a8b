package BenchReport;
# The results of bench/run as plain text, and what machine they were got on.
use strict;
use warnings;
use BenchCodecs;
use BenchData;
use BenchTargets;
use Config;
use POSIX qw(strftime uname);

my @MAIN = qw(Storable Permafrost);

# ---- the machine -------------------------------------------------------------------------

sub _first_match {
    my ($file, $regex) = @_;
    open my $in, '<', $file or return undef;
    while (<$in>) { return $1 if $_ =~ $regex }
    return undef;
}

sub _command {
    my ($text) = qx{@_ 2>/dev/null </dev/null} =~ /\A(.+)/;
    return $text;
}

# RETURNS: processes that were running or waiting, on average of the last minute; undef where
# nobody knows.
sub load {
    my $load = _first_match('/proc/loadavg', qr/^([0-9.]+)/);
    return defined $load ? $load + 0 : undef;
}

# RETURNS: a hash of what decides the figures besides the source.
sub machine {
    my ($system, undef, $release, undef, $hardware) = uname();
    my %modules = map { ($_ => "$_"->VERSION) } 'Storable', 'Permafrost', BenchCodecs->installed,
        grep { eval "require $_; 1" } map { BenchData->modules($_) } BenchData->names;
    my $revision = _command('git', '-C', $FindBin::Bin, 'rev-parse', '--short', 'HEAD');
    return {
        date      => strftime('%Y-%m-%dT%H:%M:%SZ', gmtime),
        cpu       => _first_match('/proc/cpuinfo', qr/^model name\s*:\s*(.*\S)/) // $hardware,
        cpus      => (_command('nproc') // 0) + 0,
        memory_mb => int((_first_match('/proc/meminfo', qr/^MemTotal:\s*([0-9]+)/) // 0) / 1024),
        system    => join(' ', grep { defined } _first_match('/etc/os-release', qr/^PRETTY_NAME="?([^"\n]*)/), $system, $release, $hardware),
        perl      => sprintf('%vd %s', $^V, $Config{archname}),
        flags     => "$Config{optimize} $Config{ccflags}" =~ s/\s+/ /gr,
        compiler  => _command($Config{cc}, '--version'),
        libc      => _command('ldd', '--version'),
        modules   => \%modules,
        defined $revision ? (revision => $revision) : (),
    };
}

# ---- text --------------------------------------------------------------------------------

my $colour = -t STDOUT && !length($ENV{NO_COLOR} // '') && ($ENV{TERM} // '') ne 'dumb';

sub _paint {
    my ($code, $text) = @_;
    return $colour ? "\e[${code}m$text\e[0m" : $text;
}

# RETURNS: what stands behind a figure: its target and whether it is met, in $width columns.
sub _verdict {
    my ($target, $met) = @_;
    return ' ' x 16 unless defined $met;
    my $text = sprintf '%6s %-9s', $target, $met ? 'met' : 'NOT MET';
    return _paint($met ? 32 : 31, $text);
}

# RETURNS: microseconds in five significant places.
sub us {
    my $us = shift;
    return $us >= 1e5 ? sprintf '%.0f', $us : $us >= 1000 ? sprintf '%.1f', $us : $us >= 10 ? sprintf '%.2f', $us : sprintf '%.3f', $us;
}

sub _heading { print "\n", _paint(1, $_[0]), "\n"; print "$_\n" for @_[1 .. $#_]; print "\n"; return }

# Prints all of $results.
sub print_all {
    my ($class, $results) = @_;
    _print_machine($results);
    _print_speed($results);
    _print_others($results);
    _print_hooks($results->{hooks})   if @{ $results->{hooks}  || [] };
    _print_core($results->{core})     if @{ $results->{core}   || [] };
    _print_memory($results->{memory}) if @{ $results->{memory} || [] };
    _print_growth($results->{growth}) if @{ $results->{growth} || [] };
    _print_floor($results);
    my ($met, $all) = BenchTargets->count_met($results);
    print "\n", _paint(1, "$met of $all targets met"), "\n" if $all;
    return;
}

sub _print_machine {
    my $results = shift;
    my $machine = $results->{machine};
    printf "%-9s %s\n", $_, $machine->{$_} for grep { defined $machine->{$_} } qw(date revision cpu cpus system perl compiler libc flags);
    printf "%-9s %s\n", 'modules', join ', ', map { "$_ $machine->{modules}{$_}" } sort keys %{ $machine->{modules} };
    printf "%-9s %s\n", 'load', "$results->{load}[0] before, $results->{load}[1] after" if defined $results->{load}[0];
    printf "%-9s %s\n", 'method', "both modules in one process, in turn; a sample takes about $results->{settings}{sample_seconds} s";
    return;
}

sub _print_speed {
    my $results = shift;
    my @rows = (@{ $results->{speed} || [] }, @{ $results->{huge} || [] }) or return;
    _heading('Storable and Permafrost',
        'Microseconds per call, best and median. ratio: Storable by Permafrost, best by best.',
        'thaw reads an image of freeze, nthaw one of nfreeze; canonical: freeze with sorted keys.');
    printf "%-11s %-14s %11s %11s %11s %11s %7s %6s\n", 'data', 'function', 'Storable', '(median)', 'Permafrost', '(median)', 'ratio', 'target';
    my $last = '';
    for my $row (@rows) {
        print "\n" if $last && $last ne $row->{workload};
        $last = $row->{workload};
        printf "%-11s %-14s %11s %11s %11s %11s %7.2f %s\n", @$row{qw(workload op)},
            map({ (us($row->{times}{$_}{best}), us($row->{times}{$_}{median})) } @MAIN), $row->{ratio}, _verdict(@$row{qw(target met)});
    }
    _heading('Geometric means of these ratios', 'Those of the workloads with a target, and in parentheses of all but ints10M.');
    for my $mean (@{ $results->{means} }) {
        printf "%-14s %7s %9s %s\n", $mean->{op}, defined $mean->{ratio} ? sprintf('%.2f', $mean->{ratio}) : '',
            sprintf('(%.2f)', $mean->{all}), _verdict(@$mean{qw(target met)});
    }
    return;
}

sub _print_others {
    my $results = shift;
    my @rows = grep { $_->{others} } @{ $results->{speed} || [] } or return;
    my @names = (BenchCodecs->names, 'Clone');
    _heading('The other serializers',
        'Best microseconds per call, where they can carry the data. ratio: the fastest of them by Permafrost.',
        'They call no hooks of the classes: datetime is not judged, and episodes they would spoil.');
    my $format = "%-11s %-8s %11s" . ' %11s' x @names . " %7s  %s\n";
    printf $format, 'data', 'function', 'Permafrost', map({ substr $_, 0, 11 } map { s/Data:://r } @names), 'ratio', '';
    for my $row (@rows) {
        my $met = $row->{others}{met};
        printf $format, @$row{qw(workload op)}, us($row->{times}{Permafrost}{best}),
            map({ $row->{times}{$_} ? us($row->{times}{$_}{best}) : '-' } @names), sprintf('%.2f', $row->{others}{ratio}),
            defined $met ? _paint($met ? 32 : 31, $met ? 'not slower' : "SLOWER than $row->{others}{fastest}") : '';
    }
    return;
}

sub _print_hooks {
    my $rows = shift;
    _heading('Hooks: datetime', 'Microseconds; by hand: the same hook methods called from Perl, with nothing around them.');
    printf "%-8s %10s %10s %10s %9s %9s %9s\n", 'function', 'by hand', 'Permafrost', 'Storable', 'ratio', 'beyond', 'factor';
    for my $row (@$rows) {
        my $times = $row->{times};
        printf "%-8s %10s %10s %10s %9.2f %9.3f %9.3f  %s\n", $row->{op}, map({ us($times->{$_}{best}) } qw(by_hand Permafrost Storable)),
            $row->{ratio}, $row->{extra}, $times->{Permafrost}{best} / $times->{by_hand}{best},
            $row->{op} eq 'nthaw' ? 'factor at most ' . _verdict($row->{factor_target}, $row->{met})
                : "beyond at most $row->{extra_target}, ratio at least " . _verdict($row->{target}, $row->{met});
    }
    return;
}

sub _print_core {
    my $rows = shift;
    _heading('csrc alone', 'Checking an image of nfreeze: every token decoded, nothing built, no Perl. Best microseconds.');
    printf "%-11s %9s %11s %14s %7s %6s\n", 'data', 'items', 'check', 'Storable thaw', 'ratio', 'target';
    for my $row (@$rows) {
        printf "%-11s %9d %11s %14s %7.2f %s\n", $row->{workload}, $row->{items}, map({ us($row->{times}{$_}{best}) } qw(core Storable)),
            $row->{ratio}, _verdict(@$row{qw(target met)});
    }
    return;
}

sub _print_memory {
    my $rows = shift;
    _heading("Memory: an array of $rows->[0]{items} integers", 'Growth of the resident memory at its peak, in megabytes, and what it is for: the image or the result.');
    printf "%-8s %-11s %10s %10s %10s %8s\n", 'function', 'module', 'growth', 'size', 'excess', 'target';
    for my $row (@$rows) {
        printf "%-8s %-11s %10.1f %10.1f %8.1f %% %s\n", @$row{qw(op module)}, map({ $_ / 1e6 } @$row{qw(growth_bytes against_bytes)}),
            $row->{excess} * 100, _verdict(defined $row->{target} ? $row->{target} * 100 . ' %' : undef, $row->{met});
    }
    return;
}

sub _print_growth {
    my $rows = shift;
    _heading('Growth: arrays of integers', 'Nanoseconds per item. factor: the slowest size by the fastest.');
    my @sizes = map { $_->[0] } @{ $rows->[0]{points} };
    printf "%-8s %-11s" . ' %8s' x @sizes . " %7s %6s\n", 'function', 'module', map({ sprintf '%.0e', $_ } @sizes), 'factor', 'target';
    for my $row (@$rows) {
        printf "%-8s %-11s" . ' %8.2f' x @sizes . " %7.2f %s\n", @$row{qw(op module)}, map({ $_->[1] } @{ $row->{points} }),
            $row->{factor}, _verdict(@$row{qw(target met)});
    }
    return;
}

sub _print_floor {
    my $results = shift;
    my @rows = grep { $_->{times}{floor} } @{ $results->{speed} || [] } or return;
    _heading('The floor: what the result alone costs',
        'thaw, dclone: a loop in C that only makes the same scalars with perl\'s own functions, and frees them.',
        'freeze: one that only goes through the data and copies their bytes. Best microseconds.',
        'share: of Permafrost\'s time. limit: the ratio to Storable if there were nothing else.');
    printf "%-11s %-8s %11s %11s %7s %7s %7s %11s %11s\n", 'data', 'function', 'Permafrost', 'floor', 'share', 'ratio', 'limit', 'of it: make', 'free';
    for my $row (@rows) {
        my ($ours, $floor) = map { $row->{times}{$_}{best} } qw(Permafrost floor);
        my @split = $row->{floor_split} ? map { us($_) } @{ $row->{floor_split} } : ('', '');
        printf "%-11s %-8s %11s %11s %5.0f %% %7.2f %7.2f %11s %11s\n", @$row{qw(workload op)}, us($ours), us($floor), $floor / $ours * 100,
            @$row{qw(ratio limit)}, @split;
    }
    return;
}

1;
