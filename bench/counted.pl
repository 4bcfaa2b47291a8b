#!/usr/bin/perl
# What bench/instructions runs under callgrind: counted.pl NAME IMAGE DIRECTION...
# Calls Permafrost with the data set NAME, a few times and thrice as often, between marks.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use BenchData;
use BenchNative;
use Permafrost ();

my ($name, $image, @directions) = @ARGV;
@directions or die "usage: counted.pl NAME IMAGE DIRECTION...\n";
BenchNative->load;
if (BenchData->hooked($name)) {
    # As with Permafrost::AsStorable, which is what users of such classes load.
    require Permafrost::AsStorable;
    Permafrost::AsStorable->import;
}

# The data come from an image that holds them, as to make them takes long under callgrind;
# unless they need modules and connections of their own.
sub data {
    return BenchData->hooked($name) ? BenchData->make($name) : Permafrost::retrieve($image);
}

my %CALL = (
    freeze    => sub { my ($arg, $times) = @_; while ($times-- > 0) { my $result = Permafrost::freeze($arg)  } },
    nfreeze   => sub { my ($arg, $times) = @_; while ($times-- > 0) { my $result = Permafrost::nfreeze($arg) } },
    thaw      => sub { my ($arg, $times) = @_; while ($times-- > 0) { my $result = Permafrost::thaw($arg)    } },
    dclone    => sub { my ($arg, $times) = @_; while ($times-- > 0) { my $result = Permafrost::dclone($arg)  } },
    floor     => sub { my ($arg, $times) = @_; while ($times-- > 0) { my $result = BenchNative::make($arg)   } },
);
$CALL{canonical} = $CALL{freeze};
$CALL{nthaw}     = $CALL{thaw};
$CALL{nfloor}    = $CALL{dfloor} = $CALL{floor};

# RETURNS: what the direction is called with.
sub argument {
    my $direction = shift;
    my $data = data();
    return Permafrost::freeze($data)  if $direction eq 'thaw';
    return Permafrost::nfreeze($data) if $direction eq 'nthaw';
    return BenchNative::floor(Permafrost::thaw(Permafrost::freeze($data)), 0)  if $direction eq 'floor';
    return BenchNative::floor(Permafrost::thaw(Permafrost::nfreeze($data)), 0) if $direction eq 'nfloor';
    return BenchNative::floor($data, 1) if $direction eq 'dfloor';
    return $data;
}

# Enough that what a mark costs is nothing, and few enough to wait for.
my $size  = length Permafrost::nfreeze(data());
my $times = 2 + int(20_000 / $size);
for my $direction (@directions) {
    my $arg = argument($direction);
    local $Permafrost::canonical = 1 if $direction eq 'canonical';
    # Caches are filled, and memory is at hand, before anything is counted.
    $CALL{$direction}->($arg, 3);
    BenchNative::count(1);
    $CALL{$direction}->($arg, $times);
    BenchNative::mark("$direction $times");
    $CALL{$direction}->($arg, 3 * $times);
    BenchNative::mark("$direction " . 3 * $times);
    BenchNative::count(0);
}
