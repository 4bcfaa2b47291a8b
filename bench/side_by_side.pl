#!/usr/bin/perl
# Runs bench/freeze_vs_nfreeze.pl with Storable and with Permafrost and compares.
use strict;
use warnings;
use FindBin;
use Getopt::Long qw(GetOptions);
use Pod::Usage qw(pod2usage);

=head1 NAME

side_by_side.pl - freeze_vs_nfreeze.pl with Storable and with Permafrost

=head1 SYNOPSIS

    perl bench/side_by_side.pl [OPTIONS]

  --time SECONDS   CPU seconds for each of the eight measurements (default 3)
  --raw            show the output of both runs too
  --help           this text

The same unchanged script runs with Storable and, by C<-Mblib -MPermafrost::AsStorable>,
with Permafrost in its place; each twice, in turn, and the better result counts. Both ratios say how many times faster: the last column
compares Permafrost with Storable, the other one nfreeze with freeze of the same module.
Colours appear on a terminal only, and never if the environment variable NO_COLOR is set.

=cut

my ($seconds, $raw) = (3);
GetOptions(
    'time=f' => \$seconds,
    'raw'    => \$raw,
    'help'   => sub { pod2usage(-verbose => 1, -exitval => 0) },
) && !@ARGV && $seconds > 0 or pod2usage(2);

my $script = "$FindBin::Bin/freeze_vs_nfreeze.pl";
my $top    = "$FindBin::Bin/..";
my $colour = -t STDOUT && !length($ENV{NO_COLOR} // '') && ($ENV{TERM} // '') ne 'dumb';

sub paint {
    my ($code, $text) = @_;
    return $colour ? "\e[${code}m$text\e[0m" : $text;
}

# RETURNS: a list of { title, freeze => { bytes, rate }, nfreeze => {...} }, one for each kind
# of data, in the script's order. Dies if the script fails or prints something unexpected.
sub run_script {
    my @perl_options = @_;
    local @ENV{qw(PERL5OPT PERL5DB)};
    delete @ENV{qw(PERL5OPT PERL5DB)};
    open my $out, '-|', $^X, @perl_options, $script, -$seconds / 2 or die "cannot run $^X: $!\n";
    my (@parts, $title);
    while (my $line = <$out>) {
        print $line if $raw;
        if ($line =~ /^(n?freeze): +([0-9]+) bytes/) {
            push @parts, { title => $title } if $1 eq 'freeze';
            $parts[-1]{$1}{bytes} = $2;
        }
        elsif ($line =~ m{^ *(n?freeze): .* \@ *([0-9.]+(?:e[+-]?[0-9]+)?)/s }i) {
            $parts[-1]{$1}{rate} = $2;
        }
        elsif ($line =~ /^(\w.*)/) {
            $title = $1;
        }
    }
    close $out or die "$script failed\n";
    for my $part (@parts) {
        for my $op (qw(freeze nfreeze)) {
            $part->{$op}{rate} or die "no rate of $op in the output of $script\n";
        }
    }
    die "no output from $script\n" unless @parts;
    return @parts;
}

# Two rounds of half the time each, in the order ABBA, and the better rate of the two: other
# work on the machine, or its clock, must not decide between the modules.
my (@theirs, @ours);
for my $permafrost (0, 1, 1, 0) {
    my @options = $permafrost ? ("-Mblib=$top", '-MPermafrost::AsStorable') : ();
    keep_better($permafrost ? \@ours : \@theirs, run_script(@options));
}

# Makes @$best the better of it and @run, measurement by measurement.
sub keep_better {
    my ($best, @run) = @_;
    for my $n (0 .. $#run) {
        $best->[$n] ||= $run[$n];
        for my $op (qw(freeze nfreeze)) {
            $best->[$n]{$op} = $run[$n]{$op} if $run[$n]{$op}{rate} > $best->[$n]{$op}{rate};
        }
    }
    return;
}

my $format = "%-22s %-8s %12s %12s %12s\n";
for my $n (0 .. $#theirs) {
    my ($their, $our) = ($theirs[$n], $ours[$n]);
    print "\n" if $n;
    print paint(1, sprintf $format, $their->{title}, '', 'Storable', 'Permafrost', 'ratio');
    for my $op (qw(freeze nfreeze)) {
        printf $format, "thaw($op(...))", 'per s', (map { sprintf '%.0f', $_->{$op}{rate} } $their, $our),
            ratio($our->{$op}{rate}, $their->{$op}{rate});
    }
    printf $format, 'nfreeze / freeze', '',
        map({ sprintf '%.2f', $_->{nfreeze}{rate} / $_->{freeze}{rate} } $their, $our), '';
    for my $op (qw(freeze nfreeze)) {
        my @bytes = map { $_->{$op}{bytes} } $their, $our;
        printf $format, "length $op", 'bytes', @bytes,
            $bytes[0] == $bytes[1] ? 'same' : paint(31, 'DIFFERENT');
    }
}

# RETURNS: ours by theirs with its colour: green where Permafrost is faster, red where slower.
sub ratio {
    my ($our, $their) = @_;
    my $ratio = $our / $their;
    my $text = sprintf '%12s', sprintf '%.2fx', $ratio;
    return $ratio > 1.03 ? paint(32, $text) : $ratio < 0.97 ? paint(31, $text) : $text;
}
