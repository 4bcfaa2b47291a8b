#!/usr/bin/perl
# Kills writers in the middle of atomic stores while others read; counts by lock_update.
use strict;
use warnings;
use File::Temp ();
use Getopt::Long qw(GetOptions);
use Permafrost ();
use Pod::Usage qw(pod2usage);
use POSIX ();
use Time::HiRes qw(sleep time);

=head1 NAME

atomic_kill.pl - no reader ever sees half an image

=head1 SYNOPSIS

    perl -Mblib xt/atomic_kill.pl [OPTIONS]

  --stores N      atomic stores, each by a process of its own that is killed (2000)
  --readers N     processes that read all the time (2)
  --processes N   processes that count by lock_update (8)
  --updates N     updates by each of them (1000)
  --atomic        count with $Permafrost::atomic, too
  --dir DIR       where the files lie (a temporary directory)

Each store writes the next generation of a structure of random size, and is killed with SIGKILL
at a random moment, which is chosen so that about half of them come to their end. The readers
check that what they read is whole, is of one generation, and never older than what they have
read before. Exit status 1 if one of them is not content or the counter is wrong.

=cut

my ($stores, $readers, $processes, $updates, $atomic, $dir) = (2000, 2, 8, 1000, 0, undef);
GetOptions('stores=i' => \$stores, 'readers=i' => \$readers, 'processes=i' => \$processes, 'updates=i' => \$updates,
    'atomic' => \$atomic, 'dir=s' => \$dir) or pod2usage(2);
$dir = File::Temp::tempdir(DIR => $dir, CLEANUP => 1) if !defined $dir || -d $dir;
$| = 1;
my $main = $$;

# The structure of a generation: every part of it knows the number.
sub generation {
    my ($number) = @_;
    return {number => $number, rows => [map { {number => $number, text => $number x (1 + $_ % 50)} } 1 .. 1 + $number * 7919 % 3000], end => $number};
}

# RETURNS: the number, or undef if the structure is not whole.
sub number_of {
    my ($data) = @_;
    return undef if !$data || !defined $data->{end};
    my $number = $data->{number};
    my $whole = generation($number);
    return undef if $data->{end} != $number || @{ $data->{rows} } != @{ $whole->{rows} };
    for my $at (0 .. $#{ $whole->{rows} }) {
        return undef if $data->{rows}[$at]{number} != $number || $data->{rows}[$at]{text} ne $whole->{rows}[$at]{text};
    }
    return $number;
}

sub child {
    my ($code) = @_;
    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    my $status = eval { $code->() };
    print STDERR $@ if $@;
    POSIX::_exit(defined $status ? $status : 1);
}

my $failed = 0;

# --- killed writers
my $file = "$dir/killed";
Permafrost::nstore(generation(0), $file) or die "$file: $!";
my @readers = map {
    child(sub {
        my ($last, $count, $stop) = (0, 0, 0);
        local $SIG{TERM} = sub { $stop = 1 };
        while (!$stop) {
            my $number = number_of(Permafrost::retrieve($file));
            die "reader: half an image\n" if !defined $number;
            die "reader: $number after $last\n" if $number < $last;
            $last = $number;
            $count++;
        }
        print "reader: $count images, all whole\n";
        return 0;
    });
} 1 .. $readers;
my ($killed, $ended, $leftovers, $typical) = (0, 0, 0, 0.005);
for my $number (1 .. $stores) {
    my $data = generation($number);
    my $began = time;
    my $pid = child(sub { local $Permafrost::atomic = 1; return Permafrost::nstore($data, $file) ? 0 : 1 });
    sleep rand(2 * $typical);
    kill 'KILL', $pid;
    waitpid $pid, 0;
    if ($? == 0) { $ended++; $typical = $typical * 0.9 } else { $killed++; $typical = $typical * 1.1 }
    my $now = number_of(eval { Permafrost::retrieve($file) });
    if (!defined $now || $now > $number) {
        print "not ok: after store $number the file is not whole\n";
        $failed++;
        last;
    }
    for (glob "$dir/.killed.*.tmp") { unlink; $leftovers++ }
}
kill 'TERM', @readers;
for (@readers) { waitpid $_, 0; $failed++ if $? }
print "$stores atomic stores: $ended ended, $killed killed, $leftovers temporary files left by the killed; ",
    $failed ? 'NOT every' : 'every', " read was whole\n";

# --- counting
for my $way (0, $atomic ? 1 : ()) {
    my $counter = "$dir/counter$way";
    my $began = time;
    my @pids = map { child(sub {
        local $Permafrost::atomic = $way;
        Permafrost::lock_update(sub { $_->{n}++; 1 }, $counter) for 1 .. $updates;
        return 0;
    }) } 1 .. $processes;
    for (@pids) { waitpid $_, 0; $failed++ if $? }
    my $n = Permafrost::retrieve($counter)->{n};
    $failed++ if $n != $processes * $updates;
    printf "%d processes with %d updates each%s: the counter says %d (%.1f s)\n", $processes, $updates, $way ? ', atomic' : '', $n, time - $began;
}
END { $? = 1 if $main == $$ && $failed }
