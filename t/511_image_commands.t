#!/usr/bin/perl
# The commands of `permafrost` on images: what they print, and their exit status.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use ImageCommands qw(permafrost image_file);
use Permafrost qw(freeze nfreeze nstore);
use Test::More;

my $shared = [1, 'two'];
my $data = [{ a => $shared, 'k k' => \"text" }, $shared, undef, -1000];
my $network = nfreeze($data);

sub output_is {
    my ($name, $arguments, $input, $output, $status) = @_;
    my ($got, $errors, $exit) = permafrost($arguments, $input);
    is($got, $output, $name);
    is($exit, $status || 0, "$name: exit status");
    return $errors;
}

sub one_key { my $x = { @_ }; return nfreeze($x) }

my ($native_length, $body) = (length freeze($data), length($network) - 2);
my $more = $native_length - length $network;
output_is('head', ['head', '-'], $network, <<"TEXT");
kind            image in memory, as freeze writes it (no magic)
version         2.11
order           network
written by      Storable on perl 5.19 and later (all of today's), Permafrost
machine         any
header          2 bytes
body            $body bytes
native order    $native_length bytes, +$more (on this machine)
TEXT

output_is('json', ['json', '-'], nfreeze([1, 'a', undef, { k => [] }, -1.5]), qq([1,"a",null,{"k":[]},"-1.5"]\n));
output_is('json: shared', ['json', '-'], nfreeze([$shared, $shared, { x => $shared }]),
    qq([[1,"two"],{"\$ref":"\$->[0]"},{"x":{"\$ref":"\$->[0]"}}]\n));
output_is('json: strings', ['json', '-'], nfreeze(["\x00\"\\\n\x7f\xe9", "\x{263a}"]),
    qq(["\\u0000\\"\\\\\\n\x7f\xc3\xa9","\xe2\x98\xba"]\n));
output_is('json: a key with quotes in a path', ['json', '-'], one_key('a"b\\' => do { my $x = {}; $x->{x} = $x; $x }),
    qq({"a\\"b\\\\":{"x":{"\$ref":"\$->{\\"a\\\\\\"b\\\\\\\\\\"}"}}}\n));

output_is('dump', ['dump', '-'], nfreeze([{ 'k k' => \"text" }, $shared, \$shared]), <<'TEXT');
ARRAY 3 items #0
  [0] REF #1 HASH 1 key #2
    {"k k"} REF #3 SCALAR "text" #4
  [1] REF #5 ARRAY 2 items #6 shared
    [0] BYTE 1 #7
    [1] SCALAR "two" #8
  [2] REF #9 REF #10 OBJECT #6 = $->[1]
TEXT
output_is('dump --depth', ['dump', '--depth', 1, '-'], nfreeze([[[1]], 2]), <<'TEXT');
ARRAY 2 items #0
  [0] REF #1 ARRAY 1 item #2
  [1] BYTE 2 #6
TEXT
output_is('dump --path', ['dump', q(--path=$->[1]{b}[0]), '-'], nfreeze([0, { b => [[7], 8] }]), <<'TEXT');
REF #6 ARRAY 1 item #7
  [0] BYTE 7 #8
TEXT
like(output_is('dump --path to nowhere', ['dump', '--path', '$->[5]', '-'], nfreeze([1]), '', 1),
    qr/nothing stands at \$->\[5\]/, '... is said');

# A damaged image: what is there is shown, then what is wrong and where.
my $cut = substr nfreeze([1, { k => ['long enough'] }]), 0, -6;
like(output_is('dump, cut', ['dump', '-'], $cut, <<'TEXT', 1), qr/^-: the image is cut off \(byte \d+, at \$->\[1\]\{\?\}\[0\]\)$/, 'where');
ARRAY 2 items #0
  [0] BYTE 1 #1
  [1] REF #2 HASH 1 key #3
    {?} REF #4 ARRAY 1 item #5
TEXT

# Wrapped images, files, and usage.
my $file = image_file(freeze([42]));
output_is('a file', ['json', $file], '', "[42]\n");
SKIP: {
    eval { require IO::Compress::Gzip; require MIME::Base64; 1 } or skip 'no IO::Compress or MIME::Base64', 1;
    my $image = nfreeze(['x' x 300, 1 .. 300]);
    my $expected = (permafrost(['json', '-'], $image))[0];
    my $packed;
    IO::Compress::Gzip::gzip(\$image, \$packed);
    output_is('gzip', ['json', '-'], $packed, $expected);
    output_is('base64', ['json', '-'], MIME::Base64::encode($image), $expected);
    (my $safe = MIME::Base64::encode($packed, '')) =~ tr{+/=}{-_}d;
    output_is('base64 of gzip, url-safe', ['json', '-'], $safe, $expected);
    substr($packed, -6, 1) ^= "\x10";
    like(output_is('gzip, damaged', ['json', '-'], $packed, '', 2), qr/gzip data are damaged/, 'why');
}
like(output_is('no such file', ['json', "$file.none"], '', '', 2), qr/\Q$file\E\.none: /, 'named');
like(output_is('no such command', ['frobnicate'], '', '', 2), qr/no such command/, 'said');
like(output_is('no such option', ['head', '--depth', 1, '-'], '', '', 2), qr/no such option: "--depth"/, 'said');
like((permafrost(['--help'], ''))[0], qr/^Usage: permafrost COMMAND/, '--help');
like((permafrost(['dump', '--help'], ''))[0], qr/--depth N/, 'dump --help');

# Output that cannot be written is an error. (To write to this device harms nothing.)
SKIP: {
    skip 'no /dev/full', 2 unless -c '/dev/full';
    my @program = ($^X, (map {"-I$_"} @INC), "$FindBin::Bin/../script/permafrost");
    open my $run, '-|', 'sh', '-c', 'exec "$@" 2>&1 >/dev/full', 'sh', @program, 'json', $file or die $!;
    my $said = join '', <$run>;
    close $run;
    is($? >> 8, 2, 'a full disk: exit status');
    is($said, "permafrost: the output could not be written\n", 'a full disk is said');
}

done_testing;
