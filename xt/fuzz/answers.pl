#!/usr/bin/perl
# How long the longest answer takes: each prefix of an image of every kind, and each change of a
# byte of an image with all kinds in it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FuzzSeeds qw(seed_images);
use Getopt::Long qw(GetOptions);
use Pod::Usage qw(pod2usage);
use Time::HiRes ();

=head1 NAME

answers.pl - try all prefixes and all changes of one byte, and time the answers

=head1 SYNOPSIS

    perl -Mblib xt/fuzz/answers.pl [--limit MS] [--bytes N]

  --limit MS   an answer that takes longer is a failure (default 10)
  --bytes N    the size of the image whose bytes are changed (default 2048)
  --help       this text

The time is that of the processor, for thaw and for freeing the result; what takes too long is
tried three times. Exit status 1 if an answer took too long.

=cut

my ($limit, $size) = (10, 2048);
GetOptions('limit=f' => \$limit, 'bytes=i' => \$size,
    'help' => sub { pod2usage(-verbose => 1, -exitval => 0) }) && !@ARGV or pod2usage(2);
require Permafrost;
$SIG{__WARN__} = sub { };
my %image = seed_images(\&Permafrost::freeze, \&Permafrost::nfreeze);
my $too_long = 0;

sub cpu { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_PROCESS_CPUTIME_ID()) }

# RETURNS: milliseconds, and data, undef or error.
sub once {
    my ($image) = @_;
    my $start = cpu();
    my $answer;
    {
        my $data = eval { Permafrost::thaw($image) };
        $answer = length $@ ? 'error' : defined $data ? 'data' : 'undef';
    }
    return (1000 * (cpu() - $start), $answer);
}

sub try_all {
    my ($name, $next) = @_;
    my ($count, $sum, $longest, %answers) = (0, 0, 0);
    while (defined(my $image = $next->())) {
        my ($took, $answer) = once($image);
        for (1 .. 3) {
            last if $took <= $limit;
            my ($again) = once($image);
            $took = $again if $again < $took;
        }
        $answers{$answer}++;
        $count++;
        $sum += $took;
        $longest = $took if $took > $longest;
        $too_long++ if $took > $limit;
    }
    printf "%-28s %8d answers (%s), %.4f ms on average, the longest %.2f ms\n", $name, $count,
        join(', ', map { "$_ $answers{$_}" } sort keys %answers), $sum / $count, $longest;
    return;
}

my @names = sort keys %image;
my ($which, $length) = (0, 0);
try_all(@names . ' images, cut anywhere', sub {
    ($which, $length) = ($which + 1, 0) while $which < @names && $length >= length $image{$names[$which]};
    return $which < @names ? substr $image{$names[$which]}, 0, $length++ : undef;
});

# Kinds in turn until there are bytes enough.
my @all;
my $kind = FuzzSeeds::data_of_each_kind();
for my $name (sort grep { $_ ne 'circular' } keys %$kind) {    # whose circles would stay
    push @all, $kind->{$name};
    last if length Permafrost::nfreeze(\@all) >= $size;
}
for my $order (qw(freeze nfreeze)) {
    my $image = Permafrost->can($order)->(\@all);
    my ($at, $value) = (0, 0);
    try_all("$order, " . length($image) . ' bytes', sub {
        $value++ if $at < length $image && $value == ord substr $image, $at, 1;
        ($at, $value) = ($at + 1, 0) if $value > 255;
        return undef if $at >= length $image;
        my $changed = $image;
        substr($changed, $at, 1) = chr $value++;
        return $changed;
    });
}
print $too_long ? "$too_long answers took longer than $limit ms\n" : "none took longer than $limit ms\n";
exit($too_long ? 1 : 0);
