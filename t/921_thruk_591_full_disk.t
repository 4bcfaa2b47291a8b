# thruk 591: a store to a full disk goes unnoticed. Right: the return value says so, $! says why,
# and objects die. (Stock must not come near the device: it removes what it failed to write.)
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'Permafrost only' if is_stock();
plan skip_all => 'no /dev/full' if !-c '/dev/full';

for my $writer (qw(store nstore)) {
    for my $size (10, 1_000_000) {
        my $result = eval { pf->{$writer}->(['x' x $size], '/dev/full') };
        ok(!$result, "$writer of $size bytes returns false");
    }
}
open my $full, '>', '/dev/full' or die $!;
ok(!eval { pf->{store_fd}->(['x' x 1_000_000], $full) }, 'store_fd returns false');
{ no warnings; close $full }
SKIP: {
    skip 'no objects here', 2 if !$MODULE->can('new');
    is(eval { $MODULE->new->store(['x'], '/dev/full'); 1 }, undef, 'an object dies');
    like("$@", qr{/dev/full.*No space left}, '... and says why');
}
ok(-c '/dev/full', 'the device is still there');

done_testing();
