# Devel::Cover 90: lock_store emptied the file before it had the lock, and readers met an empty
# file. Right: never.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

use Fcntl qw(:flock);
use File::Temp ();
plan skip_all => 'stock takes its chances' if is_stock();

my $dir = File::Temp::tempdir(CLEANUP => 1);
my $file = "$dir/file";
pf->{nstore}->({old => 1}, $file);
for my $writer (qw(lock_store lock_nstore)) {
    open my $reader, '<', $file or die $!;
    flock $reader, LOCK_SH or die $!;
    my $size = -s $file;
    my $pid = fork // die $!;
    if (!$pid) {
        close $reader;    # the lock is its, too
        pf->{$writer}->({old => 1}, $file);
        require POSIX;
        POSIX::_exit(0);
    }
    # It waits for the lock now, or will soon.
    my @sizes = map { select undef, undef, undef, 0.02; -s $file } 1 .. 10;
    is(scalar(grep { $_ != $size } @sizes), 0, "$writer: the file stays whole while a reader has it");
    is_deeply(pf->{fd_retrieve}->($reader), {old => 1}, '... and can be read');
    close $reader;
    waitpid $pid, 0;
    is($?, 0, '... then it is written');
    is_deeply(pf->{lock_retrieve}->($file), {old => 1}, '... whole');
}

done_testing();
