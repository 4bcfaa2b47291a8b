#!/usr/bin/perl
# What an image can cost: memory of at most 64 bytes for each of its bytes, and time that grows
# no faster than it. The images are those that ask for the most: the smallest records, nested or
# in a row, whole, cut, and broken at the end.
#
# Memory is what the process had at its peak, in a process of its own for each image. Time is
# that of the processor, for an image and for one 16 times as long.
use strict;
use warnings;
use File::Temp ();
use FindBin;
use Test::More;
use Time::HiRes ();

{ package Bounds::Hook;   sub STORABLE_thaw { return } }
{ package Bounds::Attach; my $one = bless []; sub STORABLE_attach { return bless [], $_[0] } }
{ package Bounds::Over;   use overload '""' => sub { 1 }; }
{ package Bounds::Tie;    sub FETCH { 1 } sub FETCHSIZE { 1 } }

sub n { return pack 'N', $_[0] }
sub rows { return "\x02" . n($_[0]) . $_[1] x $_[0] }
sub each_of { my ($count, $code) = @_; return "\x02" . n($count) . join '', map { $code->($_) } 1 .. $count }
sub pairs { my ($count, $code) = @_; return "\x03" . n($count) . join '', map { $code->($_) } 1 .. $count }

# [name, body of $_[0] records, bytes of memory for each of the image or undef, header]. Perl's own
# booleans take more than 64, and so do packages and regexps, for which there is no bound here.
my @CASES = (
    ['undef in a row'             => sub { rows($_[0], "\x05") }, 64],
    ['holes in a row'             => sub { rows($_[0], "\x0e") }, 64],
    ['booleans in a row'          => sub { rows($_[0], "\x22") }, 80],
    ['small integers'             => sub { rows($_[0], "\x08\x81") }, 64],
    ['empty strings'              => sub { rows($_[0], "\x0a\0") }, 64],
    ['strings of one byte'        => sub { rows($_[0], "\x0a\1a") }, 64],
    ['UTF-8 of one byte'          => sub { rows($_[0], "\x17\1a") }, 64],
    ['bytes that are not UTF-8'   => sub { "\x18" . n($_[0]) . "\xff" x $_[0] }, 64],
    ['references in a row'        => sub { rows($_[0], "\x04\x05") }, 64],
    ['references nested'          => sub { "\x04" x $_[0] . "\x05" }, 64],
    ['weak references nested'     => sub { "\x1b" x $_[0] . "\x05" }, 64],
    ['overloads nested'           => sub { "\x14" x $_[0] . "\x05" }, 64],
    ['two kinds of them in turn'  => sub { "\x04\x1b" x $_[0] . "\x05" }, 64],
    ['blessed references nested'  => sub { "\x11\1A\x04" . "\x12\0\x04" x $_[0] . "\x05" }, 64],
    ['empty arrays in a row'      => sub { rows($_[0], "\x02\0\0\0\0") }, 64],
    ['empty hashes in a row'      => sub { rows($_[0], "\x03\0\0\0\0") }, 64],
    ['hashes of one key'          => sub { rows($_[0], "\x04\x03\0\0\0\1\x05\0\0\0\0") }, 64],
    ['hashes of one key each'     => sub { each_of($_[0], sub { "\x04\x03\0\0\0\1\x05\0\0\0\3" . substr n($_[0]), 1 }) }, 64],
    ['empty hashes with flags'    => sub { rows($_[0], "\x19\0\0\0\0\0") }, 64],
    ['arrays nested'              => sub { "\x02\0\0\0\1" x $_[0] . "\x05" }, 64],
    ['arrays of references nested' => sub { "\x02\0\0\0\1\x04" x $_[0] . "\x05" }, 64],
    ['hashes nested'              => sub { "\x03\0\0\0\1" x $_[0] . "\x05" . "\0\0\0\0" x $_[0] }, 64],
    ['one hash of short keys'     => sub { pairs($_[0], sub { "\x05\0\0\0\3" . substr n($_[0]), 1 }) }, 64],
    ['keys that are scalars'      => sub { "\x19\0" . n($_[0]) . join '', map { "\x05\x08\x0a\3" . substr n($_), 1 } 1 .. $_[0] }, 64],
    ['placeholders'               => sub { "\x19\1" . n($_[0]) . join '', map { "\x0e\x14\0\0\0\3" . substr n($_), 1 } 1 .. $_[0] }, 64],
    ['one key again and again'    => sub { pairs($_[0], sub { "\x05\0\0\0\1k" }) }, 64],
    ['keys alike at both ends'    => sub { pairs($_[0], sub { "\x05\0\0\0\5k" . substr(n($_[0]), 1) . 'k' }) }, 64],
    ['tags of one thing'          => sub { each_of($_[0], sub { "\0\0\0\0\0" }) }, 64],
    ['tags of all that came'      => sub { "\x02" . n(2 * $_[0]) . "\x05" x $_[0] . join '', map { "\0" . n($_) } 1 .. $_[0] }, 64],
    ['weak references to one'     => sub { "\x02" . n($_[0] + 1) . "\x04\x02\0\0\0\0" . "\x1b\0\0\0\0\2" x $_[0] }, 64],
    ['objects of one class'       => sub { "\x02" . n($_[0] + 1) . "\x04\x11\1A\x02\0\0\0\0" . "\x04\x12\0\x02\0\0\0\0" x $_[0] }, 64],
    ['blessings without objects'  => sub { "\x11\0" x $_[0] . "\x05" }, 64],
    ['blessings of one'           => sub { "\x11\1A" . "\x12\0" x $_[0] . "\x05" }, 64],
    ['classes, one object each'   => sub { each_of($_[0], sub { "\x04\x11\7C" . sprintf('%06d', $_[0]) . "\x02\0\0\0\0" }) }, undef],
    ['overloaded objects'         => sub { "\x02" . n($_[0] + 1) . "\x14\x11\x0cBounds::Over\x02\0\0\0\0" . "\x14\x12\0\x02\0\0\0\0" x $_[0] }, 64],
    ['hooks'                      => sub { "\x02" . n($_[0] + 1) . "\x04\x13\2\x0cBounds::Hook\0" . "\x04\x13\x22\0\0" x $_[0] }, 64],
    ['hooks of scalars'           => sub { "\x02" . n($_[0] + 1) . "\x13\0\x0cBounds::Hook\0" . "\x13\x20\0\0" x $_[0] }, 64],
    ['hooks that attach'          => sub { "\x02" . n($_[0] + 1) . "\x04\x13\2\x0eBounds::Attach\0" . "\x04\x13\x22\0\0" x $_[0] }, 64],
    ['one hook with many tags'    => sub { "\x13\x92\x0cBounds::Hook\0" . n($_[0]) . "\0\0\0\0" x $_[0] }, 64],
    ['one hook with many parts'   => sub { "\x13\x42\x05" . "\x42\x05" x $_[0] . "\2\x0cBounds::Hook\0" }, 64],
    ['hooks nested'               => sub { "\x13\x41" x $_[0] . "\x05" }, 64],
    ['tied arrays in a row'       => sub { rows($_[0], "\x0b\x05") }, 64],
    ['tied scalars in a row'      => sub { rows($_[0], "\x0d\x05") }, 64],
    ['tied values in a row'       => sub { rows($_[0], "\x15\x05\x05") }, 64],
    ['ties nested'                => sub { "\x0d\x04" x $_[0] . "\x05" }, 64],
    ['ties to objects'            => sub { "\x02" . n($_[0] + 1) . "\x04\x0b\x04\x11\x0bBounds::Tie\x02\0\0\0\0" . "\x04\x0b\x04\x12\0\x02\0\0\0\0" x $_[0] }, 64],
    ['vstrings nested'            => sub { "\x1d\0" x $_[0] . "\x05" }, 64],
    ['vstrings and references'    => sub { "\x1d\0\x04" x $_[0] . "\x05" }, 64],
    ['vstrings in a row'          => sub { rows($_[0], "\x1d\0\x0a\0") }, 64],
    ['regexps, all the same'      => sub { rows($_[0], "\x04\x20\0\1a\0") }, undef],
    ['arrays, cut'                => sub { substr rows($_[0], "\x04\x02\0\0\0\1\x05"), 0, -1 }, 64],
    ['circles, broken at the end' => sub { "\x02" . n($_[0] + 1) . join('', map { my $tag = 2 * $_; "\x04\x02\0\0\0\1\x04\0" . n(3 * $_ - 1) } 1 .. $_[0]) . "\xff" }, 64],
    ['weak ones, broken at the end' => sub { "\x02" . n($_[0] + 2) . "\x04\x02\0\0\0\0" . "\x1b\0\0\0\0\2" x $_[0] . "\xff" }, 64],
    ['old format'                 => sub { "\x02" . n($_[0]) . "\x05X" x $_[0] . 'X' }, 64, "\3"],
    ['oldest format'              => sub { "\x02" . n($_[0]) . join '', map({ "i" . n($_) . "\x05X" } 1 .. $_[0]), 'X' }, 64, "\1\0\0\0\0"],
);

sub image { my ($case, $count) = @_; return ($case->[3] || "\x05\x0b") . $case->[1]->($count) }

# In a process of its own: RETURNS nothing, prints how much memory was taken at the peak.
sub measure {
    my ($file) = @_;
    require Permafrost;
    my $image = '';
    open my $in, '<:raw', $file or die $!;
    vec($image, -s $file, 8) = 0;
    sysread $in, $image, -s $file;
    eval { Permafrost::thaw("\x05\x0b\x02\0\0\0\1\x13\0\x0cBounds::Hook\0") };
    my $before = status('VmRSS');
    my $data = eval { Permafrost::thaw($image) };
    my $answer = length $@ ? 'error' : defined $data ? 'data' : 'undef';
    print status('VmHWM') - $before, " $answer\n";
    require POSIX;
    close STDOUT;
    POSIX::_exit(0);
}
sub status {
    my $name = shift;
    open my $in, '<', '/proc/self/status' or die $!;
    /^$name:\s*(\d+)/ and return $1 * 1024 while <$in>;
    die "no $name";
}
measure($ARGV[1]) if @ARGV == 2 && $ARGV[0] eq '--measure';

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
plan skip_all => 'needs /proc' unless -r '/proc/self/status';
plan skip_all => 'a sanitizer takes memory of its own' if grep { /asan/ } $ENV{LD_PRELOAD} || ();
require Permafrost;
my $file = File::Temp->new;

use constant { IMAGE => 2_000_000, FREE => 1 << 20 };

sub bytes_for {
    my ($case, $image) = @_;
    open my $out, '>:raw', "$file" or die $!;
    print {$out} $image;
    close $out or die $!;
    my $output = `$^X -Mblib $0 --measure $file`;
    my ($bytes, $answer) = $output =~ /\A(-?\d+) (\w+)\n\z/;
    return ($bytes, $answer);
}

sub cpu { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_PROCESS_CPUTIME_ID()) }

# Seconds of the processor for one thaw and the end of its result: the least of some.
sub seconds_for {
    my ($image) = @_;
    my $least;
    for (1 .. 4) {
        my $start = cpu();
        { my $data = eval { Permafrost::thaw($image) } }
        my $took = cpu() - $start;
        $least = $took if !defined $least || $took < $least;
    }
    return $least;
}

note(sprintf '%-30s %9s %8s %6s %8s %6s', 'image', 'bytes', 'memory/B', '', 'ns/B', '16 x');
for my $case (@CASES) {
    my ($name, undef, $bounded) = @$case;
    my $record = (length image($case, 1000)) / 1000;
    my $image = image($case, int(($bounded ? IMAGE : 400_000) / $record));
    my ($bytes, $answer) = bytes_for($case, $image);
    if (!defined $bytes) { fail("$name: the process lives"); next }

    # Long enough to be measured, short enough for a test: some milliseconds.
    my $count = int(60_000 / $record);
    # 16 times as much takes 16 times as long, or more where caches are outgrown; what went with
    # the square would take 256 times as long. Between them lies what a busy machine may add.
    my ($small, $large) = (image($case, $count), image($case, 16 * $count));
    my ($ratio, $sixteen);
    for (1 .. 5) {
        (my $one, $sixteen) = (seconds_for($small), seconds_for($large));
        $ratio = $sixteen / length($large) * length($small) * 16 / $one;
        last if $ratio < 64;
    }
    note(sprintf '%-30s %9d %8.1f %6s %8.1f %6.1f', $name, length $image, $bytes / length $image, $answer,
        $sixteen / length($large) * 1e9, $ratio);
    cmp_ok($bytes, '<=', $bounded * length($image) + FREE, "$name: memory") if $bounded;
    cmp_ok($ratio, '<', 64, "$name: time");
}

# From a handle that gives one byte at a time.
{
    my $code = sub {
        my ($count) = @_;
        open my $out, '>:raw', "$file" or die $!;
        print {$out} 'pst0', image($CASES[5], $count);
        close $out;
        my $least;
        for (1 .. 3) {
            open my $in, '<:unix', "$file" or die $!;
            my $start = cpu();
            Permafrost::fd_retrieve($in);
            my $took = cpu() - $start;
            $least = $took if !defined $least || $took < $least;
        }
        return $least;
    };
    my $ratio = $code->(8000) / $code->(2000);
    note(sprintf '%-30s %40.1f', 'a handle without a buffer', $ratio);
    cmp_ok($ratio, '<', 10, 'a handle without a buffer: time');
}

done_testing();
