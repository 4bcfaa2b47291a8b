#!/usr/bin/perl
# `convert`: an image for other machines, orders and versions, from the command and from Perl.
use strict;
use warnings;
use Config;
use FindBin;
use lib "$FindBin::Bin/lib";
use File::Temp qw(tempdir);
use Hash::Util qw(lock_keys);
use ImageCommands qw(permafrost image_file);
use Permafrost qw(freeze nfreeze thaw nstore store retrieve);
use Permafrost::Image;
use Scalar::Util qw(weaken);
use Test::More;

my @orders = qw(1234 4321 12345678 87654321 12345678/4/4/4/8 1234/4/4/4/12 12345678/4/8/8/16 87654321/4/8/8/16 4321/4/4/4/16);
my $is_64 = $Config{ivsize} == 8 && $Config{nvsize} == 8;

sub converted { return Permafrost::Image->convert(@_) }
sub slurp { my $name = shift; open my $in, '<:raw', $name or die "$name: $!"; local $/; return scalar <$in> }
sub unix_mode { return (stat shift)[2] & 07777 }

{
    package Convert::Hook;
    sub STORABLE_freeze { my ($self) = @_; return ($self->{string}, @{$self->{refs}}) }
    sub STORABLE_thaw { my ($self, $cloning, $string, @refs) = @_; %$self = (string => $string, refs => \@refs); return }
}
sub hooked { my ($string, @refs) = @_; return bless {string => $string, refs => \@refs}, 'Convert::Hook' }

my $shared = ['shared'];
my $weak = [{}];
$weak->[1] = $weak->[0];
weaken($weak->[1]);
my %locked = (a => 1, b => 2);
lock_keys(%locked, qw(a b c));
my @data = (
    ['scalars', [1, -128, 128, 70000, -70000, undef, 'abc', 'x' x 300, "\x{263a}", "\x{e9}" x 200 . "\x{100}"]],
    ['containers', {a => [1, {}], "\x{e9}" => \'text', "\x{263a}" => [[], [[]]]}],
    ['shared', [$shared, {x => $shared}, \$shared]],
    ['classes', [bless([], 'A'), bless({}, 'A' x 200), bless([], 'A'), bless([], 'A' x 200)]],
    ['weak', $weak],
    ['restricted', \%locked],
    ['regexp', [qr/abc/i, qr/\Q@{['x' x 300]}/]],
    ['v-string', [v1.2.3, \v65]],
    ['hooks', [hooked('string', [1, 300], $shared), hooked('x' x 300, {}), hooked('', $shared), hooked('many', map { [$_] } 1 .. 300)]],
);
push @data, ['floats', [1.5, 0.1, -1e300, 9**9**9, 1e-310]], ['big integers', [2**40, -2**62, 2**53]] if $is_64;

for my $case (@data) {
    my ($name, $data) = @$case;
    my ($native, $network) = (freeze($data), nfreeze($data));
    is(converted($native, order => 'network'), $network, "$name: to network order as nfreeze writes it");
    is(converted($network, order => 'native'), $native, "$name: to native order as freeze writes it")
        unless $name =~ /floats|big/;
    for my $order (@orders) {
        next if $name =~ /big/ && $order =~ /\A\d{4}\b/;
        my $there = converted($native, order => $order);
        is(converted($there, order => 'native'), $native, "$name: to $order and back");
        is(converted($there, order => 'network'), $network, "... and to network order");
        is_deeply(thaw($there), thaw($native), '... and can be thawed') unless $name =~ /regexp|v-string/;
    }
}

# ---- Numbers that change.
SKIP: {
    skip 'integers of 8 bytes, floats of 8', 1 if !$is_64;
    my $image = freeze([2**40, 0.1 + 0.2, 1]);
    is_deeply(thaw(converted($image, order => '1234')), ['1099511627776', 0.1 + 0.2, 1], 'an integer that 4 bytes do not hold is text');
    is(thaw(converted($image, order => 'network'))->[1], '0.3', 'a float has 15 digits in network order');
    my $exact = thaw(converted($image, order => 'network', exact => 1))->[1];
    is($exact, '0.30000000000000004', '... or 17');
    cmp_ok($exact, '==', 0.1 + 0.2, '... which are exact');
}

is_deeply(thaw(converted(converted(freeze([1.5, -0.25, 1e10 + 0.5]), order => '12345678'), order => 'native')), [1.5, -0.25, 1e10 + 0.5],
    'floats of 8 bytes to native order are what this perl takes for floats');

# Long doubles: 1 + 2**-63, x87; quad holds it, and gives it back; so does a pair, but not a double.
my $x87 = "\x04\x0b\x041234\4\4\4\x0c\x07" . pack 'H*', '0100000000000080ff3f0000';
my %wide = (
    '12345678/4/8/8/16' => '0100000000000080ff3f000000000000', '87654321/4/8/8/16' => '3fff0000000000000002000000000000',
    '4321/4/4/4/16' => '3ff00000000000003c00000000000000', '4321/4/4/4/12' => '3fff00008000000000000001',
    '12345678' => '000000000000f03f',
);
for my $order (sort keys %wide) {
    my $there = converted($x87, order => $order);
    is(unpack('H*', substr $there, -length($wide{$order}) / 2), $wide{$order}, "a long double for $order");
    is(converted($there, order => '1234/4/4/4/12'), $order eq '12345678' ? substr($x87, 0, -12) . pack('H*', '0000000000000080ff3f0000') : $x87, '... and back');
}

# ---- Older versions.
my @older = (
    ["\x05\x0b\x02\0\0\0\2\x22\x23", 11, "\x05\x0b\x02\0\0\0\2\x0a\x01" . "1\x0a\0", 'booleans'],
    ["\x05\x0b\x02\0\0\0\2\x1f\x05", 9, "\x05\x09\x02\0\0\0\2\x0e\x05", '&PL_sv_undef in an array'],
    ["\x05\x0b\x1d\x04v1.2\x0a\x02\1\2", 7, "\x05\x07\x0a\x02\1\2", 'v-string'],
    ["\x05\x0b\x02\0\0\0\2\x04\x02\0\0\0\0\x1b\0\0\0\0\2", 6, "\x05\x06\x02\0\0\0\2\x04\x02\0\0\0\0\x04\0\0\0\0\2", 'weak reference'],
    ["\x05\x0b\x02\0\0\0\2\x17\x03a\xc3\xa9\x0a\1b", 4, "\x05\x04\x02\0\0\0\2\x0a\x02a\xe9\x0a\1b", 'characters below 256'],
    ["\x05\x0b\x19\0\0\0\0\2\x08\x81\1\0\0\0\2\xc3\xa9\x08\x82\2\0\0\0\1\xe8", 4, "\x05\x04\x03\0\0\0\2\x08\x81\0\0\0\1\xe9\x08\x82\0\0\0\1\xe8", 'keys of such'],
    ["\x05\x0b\x04\x02\0\0\0\0", 11, "\x05\x0b\x04\x02\0\0\0\0", 'nothing to do'],
    ["\x04\x0b\x0812345678\4\4\4\x08\x08\x81", 1, "\x04\x01\x0812345678\4\4\4\x08\x81", 'a header before 2.2 has no size of floats'],
);
for my $case (@older) {
    my ($image, $minor, $expected, $name) = @$case;
    is(unpack('H*', converted($image, minor => $minor)), unpack('H*', $expected), "minor $minor: $name");
    is(converted($image, minor => 12), substr($image, 0, 1) . "\x0c" . substr($image, 2), '... and unchanged for a new one');
}
sub error_of { my @call = @_; eval { converted(@call) }; return $@ }
like(error_of(nfreeze([{x => [qr/a/]}]), minor => 10), qr/\AThe image cannot be converted: REGEXP has no equivalent in format 2\.10 \(byte \d+, at \$->\[0\]\{x\}\[0\]\) at \Q$0\E line/, 'a regexp has no older form; said where');
like(error_of(nfreeze(["\x{263a}"]), minor => 4), qr/: UTF8STR has no equivalent in format 2\.4 \(byte 7, at \$->\[0\]\)/, '... nor have great characters');
like(error_of(nfreeze({k => {"\x{263a}" => 1}}), minor => 4), qr/: FLAG_HASH has no equivalent/, '... in keys');
like(error_of(nfreeze(\%locked), minor => 4), qr/: FLAG_HASH has no equivalent in format 2\.4 \(byte 2/, '... nor restricted hashes');
like(error_of('no image', order => 'network'), qr/\AThe image cannot be converted: .* at \Q$0\E line/, 'no image');
like(error_of(substr(nfreeze({k => [1 .. 9]}), 0, -5), order => 'native'), qr/the image is cut off \(byte \d+/, 'a cut image');
like(error_of(nfreeze([]), order => $_), qr/\A\Q$_\E is no order/, "no order: $_") for qw(12 big 12345678/4 12345678/4/4/4/8/ 12345678/4/4/4/9 1243 123456789 network/4/8/8/8);
like(error_of(nfreeze([]), older => 1), qr/has no option older at \Q$0\E line/, 'no option');
like(error_of(nfreeze([]), minor => 256), qr/minor is a number/, 'no minor');

# ---- Images within.
my $inner = freeze([1000]);
my $outer = freeze([{k => hooked($inner)}, hooked("\x05\x0bx"), hooked(nfreeze({a => hooked($inner)}))]);
is(thaw(converted($outer, order => 'network'))->[0]{k}{string}, $inner, 'an image in a hook is left as it is');
my $both = thaw(converted($outer, order => 'network', nested => 1));
is($both->[0]{k}{string}, nfreeze([1000]), '... or converted');
is($both->[1]{string}, "\x05\x0bx", '... but not what only looks like one');
is(thaw($both->[2]{string})->{a}{string}, nfreeze([1000]), '... and one in it, too');
my $long = hooked(freeze([map { 2000 + $_ } 1 .. 28]));
is(thaw(converted(freeze([$long]), order => 'network', nested => 1))->[0]{string}, nfreeze(thaw($long->{string})), 'also when its length needs another size');

# ---- The command.
my $dir = tempdir(CLEANUP => 1);
my ($out, $err, $status) = permafrost(['convert', '--order', 'network', '-'], $outer);
is($out, converted($outer, order => 'network'), 'the command gives the same');
is($status, 0, '... and fine');
my $size = length $inner;
my $within = length nfreeze({a => hooked($inner)});
is($err, join('', map { "-: an image ($_->[0], $_->[1] bytes) in the string of the hook at $_->[2], left as it is: --nested converts it\n" }
    [$Config{byteorder}, $size, '$->[0]{k}'], ['network', $within, '$->[2]']), '... and names the images within');
my $file = "$dir/image";
my $other = "$dir/other";
store([1, 300, 'x'], $file);
nstore([1, 300, 'x'], $other);
my ($native, $network) = map { slurp($_) } $file, $other;
chmod 0640, $file;
symlink 'image', "$dir/link" or die $!;
my $target = $Config{byteorder} =~ /^1/ ? '4321' : '1234';
($out, $err, $status) = permafrost(['convert', '--in-place', '--backup', '--order', $target, "$dir/link", $other], '');
is($status, 0, 'in place') or diag $err;
is($out, sprintf("%s: %s to %s, %d bytes to %d\n%s: network to %s, %d bytes to %d\n", "$dir/link", $Config{byteorder}, $target,
    length $native, -s $file, $other, $target, length $network, -s $other), '... said what was done');
is(slurp($file), converted($native, order => $target), '... the file is converted');
is_deeply(retrieve($_), [1, 300, 'x'], '... and read') for $file, $other;
is(slurp("$file.bak"), $native, '... the old one kept');
is(unix_mode($file), 0640, '... its mode, too');
ok(-l "$dir/link", '... and the link');
is(join(' ', map { s{.*/}{}r } sort glob "$dir/*"), 'image image.bak link other other.bak', '... and nothing else is left');
($out, $err, $status) = permafrost(['convert', '--in-place', '--json', '--backup=.old', '--like', $file, $other], '');
is($out, sprintf(qq({"file":"%s","from":"%s","to":"%s","bytes":%d,"new_bytes":%d,"older":0}\n), $other, $target, $target, (-s $other) x 2), 'the same as JSON');
ok(-f "$other.old", '... with another suffix');
nstore([qr/x/], $other);
$network = slurp($other);
($out, $err, $status) = permafrost(['convert', '--in-place', '--minor=9', $file, $other, "$dir/none"], '');
is($status, 2, 'the worst status counts');
like($err, qr{\A\Q$other\E: REGEXP has no equivalent in format 2\.9 \(byte \d+, at \$->\[0\]\)\n\Q$dir/none\E: No such file}, '... each complaint with its file');
is(slurp($other), $network, '... a file that cannot be converted stays');
is(ord substr(slurp($file), 5, 1), 9, '... and the others are converted');
is(scalar(() = glob "$dir/*.new-*"), 0, '... and nothing is left of it');
# Several images in one file, and what is no image behind one.
{
    my $many = "$dir/many";
    open my $to, '>:raw', $many or die $!;
    Permafrost::store_fd([$_, 300], $to) for 1 .. 3;
    close $to;
    chmod 0644, $many;
    my $all = slurp($many);
    ($out, $err, $status) = permafrost(['convert', '--order=network', $many], '');
    is("$status $err", '0 ', 'several images in a file');
    open my $in, '<', \$out or die $!;
    is_deeply([map { Permafrost::fd_retrieve($in) } 1 .. 3], [map { [$_, 300] } 1 .. 3], '... are converted');
    open $to, '>>:raw', $many or die $!;
    print {$to} 'more';
    close $to;
    my $at = length $all;
    ($out, $err, $status) = permafrost(['convert', '--in-place', '--order=network', $many], '');
    is("$status $err", "1 $many: 4 bytes behind the image at byte $at: the file stays as it is\n", 'bytes behind: nothing is lost in place');
    is(slurp($many), $all . 'more', '... indeed');
    ($out, $err, $status) = permafrost(['convert', '--order=network', '-'], freeze([1]) . 'pst0');
    is($out, nfreeze([1]), '... to the output they are left out');
    is($status, 1, '... which is a finding');
    open $to, '>:raw', $many or die $!;
    print {$to} $all . Permafrost::Image->convert($all, order => 'network');
    print {$to} 'pst0' . nfreeze([qr/x/]);
    close $to;
    ($out, $err, $status) = permafrost(['convert', '--in-place', '--minor=9', $many], '');
    my $byte = length($all) + length(Permafrost::Image->convert($all, order => 'network')) + 20;
    like($err, qr/REGEXP has no equivalent in format 2\.9 \(byte $byte, at \$->\[0\]\)/, '... an error in a later image is placed in the file') or diag $err;
    unlink $many;
}

SKIP: {
    skip 'no gzip', 2 if system('gzip --version >/dev/null 2>&1');
    system 'gzip', $file;
    ($out, $err, $status) = permafrost(['convert', '--in-place', '--order=network', "$file.gz"], '');
    is("$status $err", "2 $file.gz: is packed: unpack it first\n", 'a packed file is not converted in place');
    ($out, $err, $status) = permafrost(['convert', '--order=network', "$file.gz"], '');
    is_deeply(do { open my $in, '<', \$out; Permafrost::fd_retrieve($in) }, [1, 300, 'x'], '... but to the output');
}
for my $case (
    [['convert', '-'], qr/convert to what/], [['convert', '--order', 'network', '--like', 'x', '-'], qr/exclude each other/],
    [['convert', '--order', 'network', 'a', 'b'], qr/several files need --in-place/], [['convert', '--order=network', '--backup', '-'], qr/--backup needs/],
    [['convert', '--order=network', '--json', '-'], qr/--json needs/], [['convert', '--minor', 'x', '-'], qr/no minor version: "x"/],
    [['convert', '--order=abc', '-'], qr/abc: is no order/], [['convert', '--like', "$dir/none", '-'], qr{none: No such file}],
    [['convert', '--in-place', '--order=network', '-'], qr/\A-: /],
) {
    ($out, $err, $status) = permafrost($case->[0], nfreeze([]));
    is($status, 2, "@{$case->[0]}: refused");
    like($err, $case->[1], '... with the reason');
}
done_testing;
