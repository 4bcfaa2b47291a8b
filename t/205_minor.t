use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Versions: $Storable::accept_future_minor, majors, byte order and sizes.

no warnings 'once';

# Several images at once: a child process costs more than a thaw. The highest marker known
# is part of a message.
sub same_all {
    my ($name, @images) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    same_fresh($name, sub { my ($m) = @_; [map { my $i = $_; my $r = outcome(sub { $m->{thaw}->($i) }); @$r{qw(value error warnings)} } @images] },
        clean => sub { my ($text) = @_; $text =~ s/data types up to \d+/data types up to N/g; $text });
}
for my $accept (1, 0, undef, '', 'yes') {
    local $Storable::accept_future_minor = $accept;
    my $shown = defined $accept ? "'$accept'" : 'undef';
    same_all("accept $shown: minors", map { "\x05" . chr($_) . "\x08\x81" } 0 .. 13, 127, 255);
    same_all("accept $shown: majors", map { chr($_) . "\x0b\x08\x81" } 0 .. 12, 48, 97, 255);
    for my $marker (22 .. 40, 99, 255) {
        # Markers 34 and 35 are booleans from Storable 3.27 on: tested apart.
        # SVUNDEF_ELEM is sound in arrays only.
        next if $marker == 34 || $marker == 35 || $marker == 31;
        same_all("accept $shown: marker $marker", map { "\x05" . chr($_) . chr $marker } 4, 11, 12, 13);
    }
}
same_all("text '$_'", $_) for 'aa', 'ARRAY(0x55d)', '{"a":1}', 'pst0', 'perl-store', '<xml/>', '$VAR1 = {}', "--- a\n", 'not an image', '', "\0" x 20, ' ';

my $native = in_child(sub { st->{freeze}->([1]) });
my $order_len = ord substr $native, 2, 1;
for my $at (0 .. $order_len + 7) {
    for my $delta (1, 2, 3, 4, 12, 128, 255) {
        my $image = $native;
        substr($image, $at, 1) = chr((ord(substr $image, $at, 1) + $delta) & 255);
        # Images of other machines: stock refuses them all, Permafrost may read some.
        my $error = in_child(sub { outcome(sub { st->{thaw}->($image) })->{error} });
        next if $error =~ /not compatible/ && !is_stock();
        same_all("header byte $at + $delta", $image);
    }
}
{
    my $one = "\x05\x0c\x02\0\0\0\x02\x22\x23";
    my $got = outcome(sub { pf->{thaw}->($one) });
    if (is_stock()) {
        ok(1, 'booleans: the oracle need not read them');
    }
    else {
        is($got->{error}, '', 'booleans of minor 12 can be read');
        ok($got->{value} && $got->{value}[0], 'true');
        ok($got->{value} && !$got->{value}[1] && $got->{value}[1] eq '', 'false');
    }
}

done_testing;
