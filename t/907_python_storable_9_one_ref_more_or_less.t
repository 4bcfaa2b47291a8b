# python-storable 9: images of another tool with one REF too many or too few. Right: read as far
# as it makes sense; an item without its REF becomes a reference, and check says where an image
# is damaged.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my ($array, $ref) = ("\x02\0\0\0\1\x08\x81", "\x04");
same_thaw('the root is an array', "\5\x0b$array");
same_thaw('the root is a reference to one', "\5\x0b$ref$array");
same_thaw('... and to such a one', "\5\x0b$ref$ref$array");
SKIP: {
    skip 'stock makes what perl cannot handle', 3 if is_stock();
    is_deeply(pf->{thaw}->("\5\x0b\x02\0\0\0\1$array"), [[1]], 'an item without REF');
    is_deeply(pf->{thaw}->("\5\x0b\x02\0\0\0\1$ref$ref$array"), [\[1]], 'an item with two');
    skip 'no Permafrost::Image', 1 if !eval { require Permafrost::Image; Permafrost::Image->can('check') };
    my $verdict = Permafrost::Image->new("\5\x0b\x02\0\0\0\2\x08\x81\xee")->check;
    is($verdict->{offset}, 9, 'check names the byte of what is damaged') or diag explain $verdict;
}

done_testing();
