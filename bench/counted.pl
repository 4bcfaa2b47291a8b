#!/usr/bin/perl
# What bench/instructions runs under callgrind: counted.pl NAME DIRECTION... <IMAGE
# Calls Permafrost with the data set NAME, a few times and thrice as often, between marks. It knows
# no absolute path (and gets -Ibench): their lengths would decide what is where in memory.
use strict;
use warnings;
use BenchData;
use BenchNative;
use Permafrost ();

my ($name, @directions) = @ARGV;
@directions or die "usage: counted.pl NAME DIRECTION... <IMAGE\n";
my $image = do { local $/; <STDIN> };
BenchNative->load;
if (BenchData->hooked($name)) {
    # As with Permafrost::AsStorable, which is what users of such classes load.
    require Permafrost::AsStorable;
    Permafrost::AsStorable->import;
}

# The data come from an image that holds them, as to make them takes long under callgrind;
# unless they need modules and connections of their own.
sub data {
    return BenchData->hooked($name) ? BenchData->make($name) : Permafrost::thaw($image);
}

# Calls of each direction with every one of the arguments, a number of times.
sub loop {
    my ($function, $args, $times) = @_;
    while ($times-- > 0) {
        for my $arg (@$args) { my $result = $function->($arg) }
    }
    return;
}

my %FUNCTION = (
    freeze  => \&Permafrost::freeze,  canonical => \&Permafrost::freeze,
    nfreeze => \&Permafrost::nfreeze, dclone    => \&Permafrost::dclone,
    thaw    => \&Permafrost::thaw,    nthaw     => \&Permafrost::thaw,
    floor   => \&BenchNative::make,   nfloor    => \&BenchNative::make, dfloor => \&BenchNative::make,
);

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

# Small data come in several copies: what is found in a table by its address, must not depend on
# one address. And all is called often enough that what a mark costs is nothing.
my $size   = length Permafrost::nfreeze(data());
my $copies = $size < 20_000 ? 8 : 1;
my $times  = 2 + int(20_000 / $size / $copies);
for my $direction (@directions) {
    my @args = map { argument($direction) } 1 .. $copies;
    my $function = $FUNCTION{$direction};
    local $Permafrost::canonical = 1 if $direction eq 'canonical';
    # Caches are filled, and memory is at hand, before anything is counted.
    loop($function, \@args, 2);
    BenchNative::count(1);
    loop($function, \@args, $times);
    BenchNative::mark("$direction " . $copies * $times);
    loop($function, \@args, 3 * $times);
    BenchNative::mark("$direction " . 3 * $copies * $times);
    BenchNative::count(0);
}
