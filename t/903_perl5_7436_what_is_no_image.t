# perl5 7436: thaw('aa'), thaw('ARRAY(0x55d)') and thaw('{"a":1}') speak of versions. Right: the
# same from thaw; whoever looks into it (check) is told that it is no image.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my %version = ('aa' => '48.97', 'ARRAY(0x55d)' => '32.82', '{"a":1}' => '61.34');
for my $text (sort keys %version) {
    same_thaw("thaw of $text", $text);
    like(outcome(sub { pf->{thaw}->($text) })->{error}, qr/^Storable binary image v\Q$version{$text}\E more recent than I am/, '... speaks of a version');
  SKIP: {
        skip 'no Permafrost::Image', 2 if is_stock() || !eval { require Permafrost::Image; Permafrost::Image->can('check') };
        my $verdict = Permafrost::Image->new($text)->check;
        isnt($verdict->{verdict}, 'fine', "check of $text: not fine");
        isnt($verdict->{verdict}, 'newer', '... and not just newer');
    }
}

done_testing();
