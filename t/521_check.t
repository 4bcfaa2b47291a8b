#!/usr/bin/perl
# permafrost check: every kind of finding, files and trees of files.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/lib";
use ImageCommands qw(permafrost image_file);
use Permafrost qw(freeze nfreeze);
use Permafrost::Image;
use Test::More;

my $image = nfreeze([1, { key => ['text'] }]);
my $packed = "\x1f\x8b\x08\0\0\0\0\0\0\3broken";

# [name, bytes, verdict, message]
my @cases = (
    ['an image in memory', $image, 'fine', qr/^fine, image 2\.11, network order, \d+ bytes$/],
    ['native', freeze([1]), 'fine', qr/^fine, image 2\.11, native order \d+, /],
    ['in a file', "pst0$image", 'fine', qr/^fine, file image/],
    ['a boolean', "\5\13\2\0\0\0\2\5\x22", 'fine', qr/needs Storable 3\.27 .* because of BOOLEAN_TRUE at \$->\[1\]$/],
    ['nothing', '', 'empty', qr/^empty$/],
    ['cut', substr($image, 0, -1), 'truncated', qr/^the image is cut off \(byte \d+, at \$->\[1\]\{\?\}\)$/],
    ['cut in the header', substr(freeze([1]), 0, 5), 'truncated', qr/^the image is cut off \(byte \d+\)$/],
    ['a marker', "\5\13\2\0\0\0\1\x63", 'damaged', qr/^unknown marker 99 \(byte 7, at \$->\[0\]\)$/],
    ['a newer marker', "\5\x20\2\0\0\0\1\x63", 'newer', qr/^needs a newer Storable: marker 99 of format 2\.32 \(byte 7, at \$->\[0\]\)$/],
    ['a newer format', "pst0\7\1", 'newer', qr/^needs a newer Storable: format 3\.1/],
    ['a tag', "\5\13\2\0\0\0\1\0\0\0\0\7", 'damaged', qr/^object #7 is named, there are 1 /],
    ['a class', "\5\13\2\0\0\0\1\4\x12\3\5", 'damaged', qr/^class #3 is named, there are 0 /],
    ['more', "$image ", 'trailing', qr/^1 byte behind the image, which ends at byte \d+$/],
    ['JSON', '{"a":1}', 'not_storable', qr/^not a Storable image, but JSON/],
    ['a reference', 'Foo::Bar=HASH(0x55d0c3f4e2a8)', 'not_storable', qr/a reference as a string/],
    ['an array', 'ARRAY(0x1)', 'not_storable', qr/a reference as a string/],
    ['Sereal', "=\xf3rl\4\0\x29", 'not_storable', qr/but Sereal$/],
    ['damaged Sereal', "=\xc3\xb3rl\4\0\x29", 'not_storable', qr/but Sereal, damaged by an encoding/],
    ['YAML', "---\na: 1\n", 'not_storable', qr/but YAML$/],
    ['PHP', 'a:1:{i:0;s:1:"x";}', 'not_storable', qr/PHP/],
    ['XML', '<a/>', 'not_storable', qr/XML/],
    ['text', 'some words', 'not_storable', qr/but text$/],
    ['noise', "\xff\xfe\x00\x01", 'not_storable', qr/^not a Storable image$/],
    ['broken gzip', $packed, 'unpack', qr/^the gzip data are (?:damaged|cut off) \(in gzip\)$/],
);

for my $case (@cases) {
    my ($name, $bytes, $verdict, $message) = @$case;
    my $got = Permafrost::Image->new($bytes)->check;
    is($got->{verdict}, $verdict, "$name: verdict");
    like($got->{message}, $message, "$name: message");
    my $file = image_file($bytes);
    my ($output, $errors, $status) = permafrost(['check', $file], '');
    is($output, "$file: $got->{message}\n", "$name: the command says the same");
    is($errors, '', "$name: no messages");
    is($status, $verdict eq 'fine' ? 0 : 1, "$name: exit status");
}

# Cut anywhere an image is cut off; changed anywhere there is an answer.
for my $length (0 .. length($image) - 1) {
    my $verdict = Permafrost::Image->new(substr $image, 0, $length)->check->{verdict};
    is($verdict, $length ? 'truncated' : 'empty', "cut to $length bytes");
}
my %seen;
for my $at (0 .. length($image) - 1) {
    for my $value (map { int } 0, 1, 6, 14, 33, 127, 128, 255) {
        my $copy = $image;
        substr($copy, $at, 1) = chr $value;
        my $verdict = Permafrost::Image->new($copy)->check;
        $seen{$verdict->{verdict}}++;
        isnt($verdict->{message}, '', "byte $at is $value") if !length $verdict->{message};
    }
}
ok($seen{fine} && $seen{truncated} && $seen{damaged}, 'single changes give several verdicts');

# Trees.
my $dir = tempdir(CLEANUP => 1);
mkdir "$dir/b" or die $!;
mkdir "$dir/b/c" or die $!;
my %file = ('a' => $image, 'b/c/x' => "$image.", 'b/y' => 'plain text', 'b/z' => 'HASH(0x55d0)', 'd' => '');
for my $name (keys %file) {
    open my $out, '>:raw', "$dir/$name" or die $!;
    print {$out} $file{$name};
    close $out or die $!;
}
my ($output, $errors, $status) = permafrost(['check', '-r', $dir], '');
is($output, <<"TEXT", 'a tree');
$dir/a: fine, image 2.11, network order, @{[length $image]} bytes
$dir/b/c/x: 1 byte behind the image, which ends at byte @{[length $image]}
$dir/b/y: not a Storable image, but text
$dir/b/z: not a Storable image, but a reference as a string: it was never serialized
$dir/d: empty
1 image fine, 3 findings, 1 other file
TEXT
is($status, 1, 'a tree: exit status');
is((permafrost(['check', '-r', "$dir/a"], ''))[2], 0, '-r with a file');
is((permafrost(['check', $dir], ''))[2], 2, 'a directory without -r');
SKIP: {
    eval { require JSON::PP; 1 } or skip 'no JSON::PP', 2;
    my $json = JSON::PP->new->decode((permafrost(['check', '-r', '--json', $dir], ''))[0]);
    is_deeply([map { $_->{verdict} } @{ $json->{files} }], [qw(fine trailing not_storable not_storable empty)], '--json');
    is_deeply([@$json{qw(fine findings others)}], [1, 3, 1], '--json: counts');
}

done_testing;
