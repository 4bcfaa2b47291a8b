#!/usr/bin/perl
# Permafrost::Image says what the commands say, from bytes, files and handles.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use ImageCommands qw(permafrost image_file);
use Permafrost qw(freeze nfreeze);
use Permafrost::Image;
use Test::More;

my $loaded = 0;
{ package Some::Class; use overload '""' => sub { $loaded++; 'x' }; sub DESTROY { $loaded++ if $_[0]{tell} } sub STORABLE_thaw { $loaded++ } }

my $data = { list => [1, 'two', undef], object => bless({ a => 1 }, 'Some::Class'), again => undef, "\x{263a}" => "\x{263a}" };
$data->{again} = $data->{list};
my $bytes = freeze($data);
my $file = image_file($bytes);
open my $handle, '<', $file or die $!;

my %image = (
    bytes  => Permafrost::Image->new($bytes),
    file   => Permafrost::Image->new(file => $file),
    handle => Permafrost::Image->new(handle => $handle),
);
for my $from (sort keys %image) {
    my $image = $image{$from};
    my $run = sub { (permafrost([@_, $file], ''))[0] };
    is($image->bytes, $bytes, "$from: bytes");
    is($image->dump, $run->('dump'), "$from: dump");
    is($image->dump(depth => 1, path => '$->{list}'), $run->('dump', '--depth=1', '--path', '$->{list}'), "$from: dump with options");
    is($image->to_json, $run->('json'), "$from: to_json");
    is($image->to_json(tagged => 1), $run->('json', '--tagged'), "$from: to_json, tagged");
    is($image->explain, $run->('explain'), "$from: explain");
    is($image->explain(summary => 1), $run->('explain', '--summary'), "$from: explain, summary");
    is_deeply([$image->classes], ['Some::Class'], "$from: classes");
    ok($image->is_fine, "$from: is_fine");
    my $header = $image->header;
    is($header->{header_bytes}, 15, "$from: header") if length pack('j', 0) == 8;
    is($header->{other_order_bytes}, length nfreeze($data), "$from: header: size in the other order");
    is($image->convert(order => 'network')->bytes, nfreeze($data), "$from: convert");
    is(Permafrost::Image->from_json($image->to_json(tagged => 1))->bytes, $bytes, "$from: from_json");
}
is($loaded, 0, 'no code of the class has run');

# The tree: every object once, with its path, in the order of the wire.
my @events;
my $tree = Permafrost::Image->new(nfreeze([1, { k => \'x' }, bless([], 'A')]))->tree;
while (my $event = $tree->next) {
    push @events, join ' ', map { defined $event->{$_} ? "$_=$event->{$_}" : () } qw(event marker path index key value count class tag);
}
is_deeply(\@events, [
    'event=begin marker=ARRAY path=$ count=3 tag=0',
    'event=leaf marker=BYTE path=$->[0] index=0 value=1 tag=1',
    'event=begin marker=REF path=$->[1] index=1 tag=2',
    'event=begin marker=HASH path=$->[1] count=1 tag=3',
    'event=begin marker=REF path=$->[1]{k} key=k tag=4',
    'event=leaf marker=SCALAR path=${$->[1]{k}} value=x tag=5',
    'event=end marker=REF path=$->[1]{k}',
    'event=end marker=HASH path=$->[1]',
    'event=end marker=REF path=$->[1]',
    'event=begin marker=REF path=$->[2] index=2 tag=6',
    'event=begin marker=BLESS path=$->[2] class=A',
    'event=begin marker=ARRAY path=$->[2] count=0 tag=7',
    'event=end marker=ARRAY path=$->[2]',
    'event=end marker=BLESS path=$->[2]',
    'event=end marker=REF path=$->[2]',
    'event=end marker=ARRAY path=$',
], 'events');
is($tree->next, undef, 'and then nothing');

# Character strings come as such.
$tree = $image{bytes}->tree;
my ($found) = grep { defined $_->{value} && $_->{value} eq "\x{263a}" } map { $tree->next || () } 1 .. 100;
is($found->{key}, "\x{263a}", 'keys and values in UTF-8');

# Several trees at a time, and some that are not walked to the end.
my @trees = map { $image{bytes}->tree } 1 .. 10;
$_->next for @trees, @trees;
@trees = ();
pass('trees may be left');

# Errors: what, where, and the caller's line.
my $cut = substr $bytes, 0, -3;
for my $method (qw(dump to_json explain classes)) {
    my $got = eval { my @all = Permafrost::Image->new($cut)->$method; 1 };
    like($@, qr/^the image is cut off \(byte \d+, at \$->\{.*\) at \Q$0\E line \d+\.$/, "$method of a cut image dies");
}
for my $method (qw(dump classes)) {
    eval { my @all = Permafrost::Image->new("\5\13\2\0\0\0\1\143")->$method };
    my $error = $@;
    isa_ok($error, 'Permafrost::Error', $method);
    is_deeply([map { $error->$_ } qw(name offset path message)], ['marker', 7, '$->[0]', 'unknown marker 99'], "$method: its fields");
}
is(Permafrost::Image->new($cut)->check->{error}, 'truncated', 'check has the name');
is(Permafrost::Image->new($cut)->check->{verdict}, 'truncated', 'check does not');
ok(Permafrost::Image->new($cut)->header->{damaged}, 'nor does header');
ok(!Permafrost::Image->new($cut)->is_fine, 'is_fine is false');
for my $wrong ([], [undef], [bytes => 1, file => 2], [name => 1]) {
    ok(!eval { Permafrost::Image->new(@$wrong); 1 }, 'wrong arguments');
    like($@, qr/^Permafrost::Image: .* at \Q$0\E line/, '... are said');
}
ok(!eval { Permafrost::Image->new(file => "$file.none")->dump; 1 }, 'no such file');
like($@, qr/none: /, '... is said');
ok(!eval { Permafrost::Image->new("\x{263a}")->dump; 1 }, 'characters above 255');
like($@, qr/[Ww]ide character/, '... are said');

done_testing;
