# Golden images of other machines: each is read as what the data are here; converted to network
# order or to another machine it is that one's golden image.
use strict;
use warnings;
use Config;
use FindBin;
use lib "$FindBin::Bin/lib";
use GoldenData qw(golden_data golden_machines read_golden);
use PermafrostTest;
use Test::More;

plan skip_all => 'about Permafrost' if is_stock();
plan skip_all => 'the images have today\'s markers' if $] < 5.019;
require Permafrost::Image;

my %data = golden_data();
my %machine = golden_machines();
my @golden = read_golden("$FindBin::Bin/golden/foreign.txt");
my %image;
$image{$_->[0]}{$_->[1]} = $_->[2] for @golden;
is(join(' ', sort keys %image), join(' ', sort keys %machine), 'the file has all machines');

my $wide = $Config{nvsize} == 8 && $Config{ivsize} == 8;
for my $order (sort keys %machine) {
    for my $name (sort keys %data) {
        my $image = $image{$order}{$name};
        my $what = "$name from $order";
        my $got = pf->{thaw}->($image);
        my $expected = pf->{thaw}->(pf->{$order eq 'network' ? 'nfreeze' : 'freeze'}->($data{$name}));
        SKIP: {
            skip 'numbers of another size here', 1 if !$wide && $name =~ /floats|integers/;
            is(tagged($got), tagged($expected), $what);
        }
        is(unpack('H*', Permafrost::Image->convert($image, order => 'network')), unpack('H*', $image{network}{$name}),
            '... converted to network order');
        next if $order eq 'network';
        for my $other (grep { $_ ne $order && $_ ne 'network' } sort keys %machine) {
            is(unpack('H*', Permafrost::Image->convert($image, order => $other)), unpack('H*', $image{$other}{$name}), "... to $other");
        }
    }
}

# This machine's own, if it is among them.
my $here = join '/', $Config{byteorder}, @Config{qw(intsize longsize ptrsize nvsize)};
for my $name (grep { $wide || !/floats/ } sort keys %data) {
    # Native order first: network order leaves strings in infinities on perls before 5.36.
    is(unpack('H*', st->{freeze}->($data{$name})), unpack('H*', $image{$here}{$name}), "$name: what stock writes in native order") if $image{$here};
    is(unpack('H*', st->{nfreeze}->($data{$name})), unpack('H*', $image{network}{$name}), "$name: what stock writes in network order");
}
done_testing;
