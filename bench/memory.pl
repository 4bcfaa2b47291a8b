#!/usr/bin/perl
# One operation in a fresh process, and by how much the resident memory grows, at its peak:
# memory.pl OPERATION MODULE ITEMS FILE prints bytes. Linux only.
#   make     an array of ITEMS integers; here: what stays
#   write    nothing of the kind: writes nfreeze's image of it to FILE and prints its size
#   nfreeze  MODULE's nfreeze of it
#   thaw     MODULE's thaw of the image in FILE
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use BenchData;

my ($op, $module, $items, $file) = @ARGV;
@ARGV == 4 or die "usage: memory.pl make|write|nfreeze|thaw MODULE ITEMS FILE\n";
$module eq 'perl' or eval "require $module; 1" or die $@;

# RETURNS: a figure of /proc/self/status in bytes.
sub status {
    my $key = shift;
    open my $in, '<', '/proc/self/status' or die "/proc/self/status: $!\n";
    while (<$in>) { return $1 * 1024 if /^$key:\s+([0-9]+) kB/ }
    die "no $key in /proc/self/status\n";
}

sub slurp {
    open my $in, '<:raw', $file or die "$file: $!\n";
    my $bytes = '';
    read $in, $bytes, -s $in;
    return $bytes;
}

if ($op eq 'write') {
    my $image = $module->can('nfreeze')->(BenchData->ints($items));
    open my $out, '>:raw', $file or die "$file: $!\n";
    print {$out} $image;
    close $out or die "$file: $!\n";
    print length $image, "\n";
    exit;
}

my $arg = $op eq 'nfreeze' ? BenchData->ints($items) : $op eq 'thaw' ? slurp() : undef;
# What is loaded or allocated at the first call is not what is asked for.
$module->can('thaw')->($module->can('nfreeze')->([1])) unless $module eq 'perl';
my $before = status('VmRSS');
# From here on the peak counts.
open my $clear, '>', '/proc/self/clear_refs' or die "/proc/self/clear_refs: $!\n";
print {$clear} 5;
close $clear or die "/proc/self/clear_refs: $!\n";
my $result = $op eq 'make' ? BenchData->ints($items) : $module->can($op)->($arg);
print status($op eq 'make' ? 'VmRSS' : 'VmHWM') - $before, "\n";
