#!/usr/bin/env perl

# Who reads images of which machines?
#
#     perl -Mblib xt/foreign_table.pl [CORPUS]
#
# Prints a line for each platform and version of the corpus (default: ../shared/corpus, or
# PERMAFROST_CORPUS): how many images there are in native and in network order, and how many of
# them Permafrost and stock Storable read. Exit status 1 if Permafrost does not read all.

use strict;
use warnings;
use Scalar::Util qw(reftype);
use Permafrost ();
use Storable ();

my $corpus = shift || $ENV{PERMAFROST_CORPUS} || '../shared/corpus';
my @folders = grep { -d } glob "$corpus/*/*";
@folders or die "$0: no images in $corpus\n";

# The classes of the images with hooks.
for my $class ('Test', map { "Test$_" } 2 .. 20) {
    no strict 'refs';
    *{"${class}::STORABLE_thaw"} = sub { return };
}

my @readers = (
    [\&Permafrost::thaw, \&Permafrost::retrieve],
    [\&Storable::thaw, \&Storable::retrieve],
);

sub is_read {
    my ($reader, $file) = @_;
    my ($thaw, $retrieve) = @$reader;
    return defined eval { $retrieve->($file) } if $file =~ /store\.storable\z/;
    open my $in, '<:raw', $file or die "$file: $!\n";
    my $image = do { local $/; <$in> };
    return defined eval { $thaw->($image) };
}

sub header_of {
    my ($file) = @_;
    my $info = Storable::file_magic($file);
    if (!$info) {
        open my $in, '<:raw', $file or die "$file: $!\n";
        $info = Storable::read_magic(do { local $/; <$in> });
    }
    return sprintf '%s %d/%d/%d/%s', $info->{byteorder}, @$info{qw(intsize longsize ptrsize)}, $info->{nvsize} || '-';
}

print "                                          native order             network order\n";
print "platform      version  machine            images Permafrost stock   images Permafrost stock\n";
my ($all, $unread) = (0, 0);
for my $folder (@folders) {
    my ($platform, $version) = $folder =~ m{([^/]+)/([^/]+)\z};
    my (@count, $machine);
    for my $file (glob "$folder/*.storable") {
        my $network = $file =~ /_n(?:freeze|store)\.storable\z/ ? 1 : 0;
        $machine ||= header_of($file) if !$network;
        my @read = map { is_read($_, $file) } @readers;
        $count[$network][0]++;
        $count[$network][1 + $_] += $read[$_] ? 1 : 0 for 0, 1;
        $all++;
        $unread++ if !$read[0];
    }
    printf "%-13s %-8s %-18s %6d %10d %5d   %6d %10d %5d\n", $platform, $version, $machine,
        map { @{$_ || [0, 0, 0]} } @count[0, 1];
}
print "$all images, $unread of them not read by Permafrost\n";
exit($unread ? 1 : 0);
