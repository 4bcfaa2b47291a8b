# munin 821: after a power cut a file has no bytes. Right: with atomic, the old file or the new
# one, whole; the new one is sent to the disk before it gets the name. An object says of an empty
# file that it is empty.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

use File::Temp ();
plan skip_all => 'Permafrost only' if is_stock() || !$MODULE->can('new');

my $dir = File::Temp::tempdir(CLEANUP => 1);
my $file = "$dir/state";
my $pf = $MODULE->new(atomic => 1);
$pf->store({old => 1}, $file);

# The process ends in the middle of writing: as good as a power cut for what others see.
my $big = {list => ['x' x 1000] , map { ($_ => 'y' x 1000) } 1 .. 2000};
for my $microseconds (0, 200, 1000, 3000) {
    my $pid = fork // die $!;
    if (!$pid) { $pf->store($big, $file) while 1 }
    select undef, undef, undef, 0.02 + $microseconds / 1e6;
    kill KILL => $pid;
    waitpid $pid, 0;
    my $data = $pf->retrieve($file);
    ok(keys %$data == 1 || keys %$data == 2001, 'the old or the new image, whole');
}
{
    no warnings 'once';
    local $Permafrost::atomic = 1;
    open my $held, '<', $file or die $!;      # as long as it is open, its number is not given again
    ok(pf->{nstore}->([1 .. 3], $file), 'the variable, too');
    is_deeply(pf->{retrieve}->($file), [1 .. 3], '... writes');
    isnt((stat $file)[1], (stat $held)[1], '... a new file');
}

open my $out, '>', $file or die $!;
close $out;
same_outcome('an empty file: the function says what Storable says', sub { $_[0]{retrieve}->($file) });
is(eval { $pf->retrieve($file); 1 }, undef, '... the object dies');
like("$@", qr/empty \(0 bytes\)/, '... and says that it is empty');

done_testing();
