# pgbadger 690: "Corrupted storable file": the user cannot know where. The functions keep
# Storable's words; the OO interface tells offset, marker and path.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

same_thaw('the function', "\5\x0b\2\0\0\0\1\xee");
{
    my $text = "pst0\5\x0b\2\0\0\0\1\xee";
    same_outcome('fd_retrieve', sub { open my $in, '<', \$text or die $!; $_[0]{fd_retrieve}->($in) });
}
if (!$MODULE->can('new')) {
    done_testing();
    exit;
}

sub error_of {
    my ($image, %option) = @_;
    my $value = eval { $MODULE->new(%option)->thaw($image); 1 };
    return if $value;
    return $@;
}

# An unknown marker deep inside
my $image = st->{nfreeze}->({rows => [map { {n => $_} } 1 .. 5]});
my $at = index($image, "\x08\x84") or die;       # the 4 of the fourth row
substr($image, $at, 2) = "\xee\x84";
my $error = error_of($image);
isa_ok($error, 'Permafrost::Error', 'unknown marker: the error');
is($error->offset, $at, '... offset');
is($error->path, '$->{rows}[3]{n}', '... path') if defined $error->path;
ok(defined $error->path, '... has a path');
like($error->code, qr/^-?\d+\z/, '... code');
like($error->name, qr/^\w+\z/, '... name');
like("$error", qr/^Corrupted storable string \(binary v2\.11\)/, '... says what Storable says');
like("$error", qr/\(byte $at, at \$->\{rows\}\[3\]/, '... and where');
like($error->message, qr/^Corrupted storable string/, '... message');

# Cut images: strict, with the place
$image = st->{nfreeze}->([[1, 2], {key => 'a long enough value'}]);
for my $cut (1, 5, 12) {
    my $part = substr $image, 0, -$cut;
    is(pf->{thaw}->($part), undef, "cut by $cut: the function gives undef");
    my $error = error_of($part);
    isa_ok($error, 'Permafrost::Error', '... the object dies with');
    cmp_ok($error->offset, '<=', length $part, '... an offset within it');
    cmp_ok($error->offset, '>', 2, '... behind the header');
}

# A tag that is not there, a class index that is not there
for my $case (["\2\0\0\0\1\4\0\0\0\0\x63", qr/^Object #99 should have been retrieved already/],
    ["\2\0\0\0\1\4\x12\x05\2\0\0\0\0", qr/^Class name #5 should have been seen already/]) {
    my ($bytes, $says) = @$case;
    my $error = error_of("\5\x0b$bytes", trust => 'full');
    like("$error", $says, 'its words');
    like("$error", qr/\(byte \d+, at \$->\[0\]/, '... and its place');
}

done_testing();
