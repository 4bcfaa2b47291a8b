# A FLAG_HASH that has one key in two spellings: it is one key, also where keys that came often are
# entered without asking perl.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use PermafrostTest;
use Test::More;

my $HEADER = "\x05\x0b";

sub integer { return pack 'C2', 8, 128 + $_[0] }

sub flag_hash {
    my @pairs = @_;
    return pack('C2 N', 25, 0, scalar @pairs)
        . join '', map { integer($_->[0]) . pack('C N/a', $_->[1], $_->[2]) } @pairs;
}

# So often that it is remembered.
sub remember {
    my $key = shift;
    my $hash = pack('C2 N', 4, 3, 1) . integer(1) . pack('N/a', $key);
    pf->{thaw}->($HEADER . pack('C N', 2, 8) . $hash x 8);
    return;
}

my ($PLAIN, $UTF8, $WAS_UTF8) = (0, 1, 2);
my $LATIN = "caf\xe9";
my $UTF8_LATIN = $LATIN;
utf8::encode($UTF8_LATIN);

for my $case (
    ['once UTF-8, then plain', 'abc', [1, $WAS_UTF8, 'abc'], [2, $PLAIN, 'abc']],
    ['plain, then once UTF-8', 'abc', [1, $PLAIN, 'abc'], [2, $WAS_UTF8, 'abc']],
    ['once UTF-8, between others', 'abc', [1, $WAS_UTF8, 'abc'], [3, $PLAIN, 'x'], [2, $PLAIN, 'abc']],
    ['UTF-8 that needs none, then bytes', $LATIN, [1, $UTF8, $UTF8_LATIN], [2, $PLAIN, $LATIN]],
    ['bytes, then UTF-8 that needs none', $LATIN, [1, $PLAIN, $LATIN], [2, $UTF8, $UTF8_LATIN]],
    ['UTF-8 twice', $LATIN, [1, $UTF8, "\xd0\xb6"], [2, $UTF8, "\xd0\xb6"]],
    ['UTF-8, and its bytes as another key', "\xd0\xb6", [1, $UTF8, "\xd0\xb6"], [2, $PLAIN, "\xd0\xb6"],
        [3, $UTF8, "\xd0\xb6"], [4, $PLAIN, "\xd0\xb6"]],
) {
    my ($name, $key, @pairs) = @$case;
    my $image = $HEADER . flag_hash(@pairs);
    remember($key);
    same_thaw($name, $image);
    same_thaw("$name, in rows", $HEADER . pack('C N', 2, 4) . ("\4" . flag_hash(@pairs)) x 4);
    my $hash = pf->{thaw}->($image);
    my %count;
    $count{$_}++ for keys %$hash;
    is_deeply([grep { $_ != 1 } values %count], [], "$name: no key twice");
}

done_testing;
