# perl5 21753: an image of minor 12 with a boolean. Right: true on every perl; an older minor can
# be written, with 1 and "".
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'this stock may know no booleans' if is_stock();

my $data = pf->{thaw}->(pack 'H*', '050c020000000122');
ok($data->[0], 'true is true');
is("$data->[0]", '1', '... and 1');
my $both = pf->{thaw}->(pack 'H*', '050c02000000022223');
is($both->[1], '', 'false is the empty string');
is($both->[1] + 0, 0, '... and 0');
my $shared = pf->{thaw}->(pack 'H*', '050c0200000002' . '0422' . '040000000002');
is($shared->[0], $shared->[1], 'two references to one');
SKIP: {
    skip 'no objects here', 2 if !$MODULE->can('new');
    my $image = $MODULE->new(max_minor => 11)->freeze([!!1, !!0]);
    is(unpack('C', substr $image, 1), 11, 'minor 11 on demand');
    is_deeply(st->{thaw}->($image), [1, ''], '... which stock reads as 1 and ""');
}

# Read-only ones go as strings, as items of a locked hash and elsewhere.
{
    require Hash::Util;
    my %locked = (yes => !!1, no => !!0, other => 5);
    Hash::Util::lock_hash(%locked);
    my $constant = !!1;
    Internals::SvREADONLY($constant, 1);
    same_everywhere('booleans in a locked hash', \%locked);
    same_everywhere('a read-only boolean', [\$constant]);
}

done_testing();
