#!/usr/bin/perl
# json --tagged loses nothing: the same image can be made of it, whatever is in it.
use strict;
use warnings;
use Config;
use FindBin;
use lib "$FindBin::Bin/lib";
use Hash::Util qw(lock_keys);
use ImageCommands qw(permafrost image_file);
use Permafrost qw(freeze nfreeze);
use Permafrost::Image;
use Scalar::Util qw(weaken);
use Test::More;

sub there_and_back {
    my ($name, $image, $expected) = @_;
    my $json = Permafrost::Image->new($image)->to_json(tagged => 1);
    like($json, $expected, "$name: JSON") if $expected;
    my $back = eval { Permafrost::Image->from_json($json)->bytes };
    is(unpack('H*', defined $back ? $back : $@), unpack('H*', $image), $name) or diag $json;
}

{ package Hooked; sub STORABLE_freeze { my $self = shift; return ("s\xff", map { [$_] } 1 .. 2) } }
{ package Tied; sub TIEHASH { bless [], shift } sub TIESCALAR { bless [], shift } sub TIEARRAY { bless {}, shift } }

my $weak = [1];
push @$weak, $weak;
weaken($weak->[1]);
my %locked = (a => 1, "\x{263a}" => 2, gone => 3);
lock_keys(%locked);
delete $locked{gone};
tie my %tied, 'Tied';
tie my @tied, 'Tied';
tie my $tied, 'Tied';
my %data = (
    scalars    => [1, 200, -129, 2**40, 2**63, -7, undef, 'text', "\xe9\0\n", "\x{263a}", 1.5, 0.1, 9**9**9, !!1, !!0, 'x' x 300, "\x{100}" x 200],
    containers => [[], {}, { '' => 1, '$' => 2, '$REF' => 3, '$$' => 4, 'a"b' => 5, "\xe9" => 6 }, \\'r', \undef],
    shared     => do { my $x = [1]; [$x, $x, { y => $x }, \$x] },
    weak       => $weak,
    restricted => \%locked,
    objects    => [map { bless [], $_ } 'A', 'B', 'A', 'C' x 200, 'B'],
    hooks      => [bless({}, 'Hooked'), bless([], 'Hooked')],
    ties       => [\%tied, \@tied, \$tied],
    special    => [qr/a+/i, qr/\x{263a}/, \v1.2.3, \sub { 1 } ? () : ()],
);
for my $name (sort keys %data) {
    there_and_back("$name, native", freeze($data{$name}));
    there_and_back("$name, network", nfreeze($data{$name}));
    there_and_back("$name, in a file", 'pst0' . nfreeze($data{$name}));
}

# Forms that no writer chooses, and everything else that the format allows.

my %odd = (
    'a short string in the long form' => ["\1\0\0\0\3abc", qr/\{"\$LSCALAR":"abc"\}/],
    'the same in UTF-8'               => ["\x18\0\0\0\3\xe2\x98\xba", qr/\{"\$LUTF8STR":"\xe2\x98\xba"\}/],
    'no UTF-8 in UTF8STR'             => ["\x17\2\xff\xfe", qr/\{"\$UTF8STR":\{"\$HEX":"fffe"\}\}/],
    'a small NETINT'                  => ["\x09\0\0\0\5", qr/\{"\$NETINT":5\}/],
    'INTEGER in network order'        => ["\6" . pack('j', 256), qr/\{"\$INTEGER":256\}/],
    'DOUBLE in network order'         => ["\7" . pack('F', 1.5), qr/\{"\$DOUBLE":1\.5,"bytes":"([0-9a-f]{2}){$Config{nvsize}}"\}/],
    'a NaN with a payload'            => ["\7\x7f\xf8\0\0\0\1\2\3" . "\0" x ($Config{nvsize} - 8), qr/"bytes":"7ff8000000010203/],
    'booleans'                        => ["\2\0\0\0\2\x22\x23", qr/\[true,false\]/],
    'immortals'                       => ["\2\0\0\0\4\x0e\x0f\x10\x1f", qr/\$SV_UNDEF.*\$SV_YES.*\$SV_NO.*\$SVUNDEF_ELEM/],
    'LOBJECT'                         => ["\x21\2\0\0\0\0\0\0\0\1\x21\1\0\0\0\0\0\0\0\2xy", qr/\{"\$LOBJECT":\[\{"\$LOBJECT":"xy"\}\]\}/],
    'LOBJECT HASH'                    => ["\x21\3\0\0\0\0\0\0\0\1\5\0\0\0\1k"],
    'LOBJECT FLAG_HASH, OBJECT'       => ["\x21\x19\1\0\0\0\0\0\0\0\1\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\1k"],
    'a long class name that is short' => ["\x11\x80\0\0\0\1A\5", qr/"long":128/],
    'announced in another way'        => ["\x11\x85\0\0\0\1A\5", qr/"long":133/],
    'a class number in four bytes'    => ["\2\0\0\0\2\4\x11\1A\5\4\x12\x80\0\0\0\0\5"],
    'a key that is an object'         => ["\x19\0\0\0\0\2\5\x08\x0a\3key\5\0\0\0\0\1x", qr/\[null,0,null,8,"key"\]/],
    'a key twice'                     => ["\3\0\0\0\2\5\0\0\0\1a\5\0\0\0\1a"],
    'key flags'                       => ["\x19\1\0\0\0\2\5\x03\0\0\0\1a\x0e\x10\0\0\0\1b", qr/"\$FLAG_HASH":1/],
    'a key that is no UTF-8'          => ["\x19\0\0\0\0\1\5\1\0\0\0\1\xff", qr/"\$HEX":"ff"/],
    'a regexp with other op flags'    => ["\x20\3\0\0\0\1a\1i", qr/"op":3/],
    'CODE'                            => ["\x1a\x0a\5{ 1 }", qr/\{"\$CODE":"\{ 1 \}"\}/],
    'ties of elements'                => ["\2\0\0\0\2\4\x15\4\x19\0\0\0\0\0\x0a\1k\4\x16\4\2\0\0\0\0\xff\xff\xff\xff", qr/"key":"k".*"index":-1/],
    'LVSTRING'                        => ["\x1e\0\0\0\4v1.2\x0a\2\1\2", qr/\$LVSTRING/],
    'a hook with big fields'          => ["\x13\x9e\0\0\0\1K\0\0\0\1s\0\0\0\0", qr/"class":"K","string":"s","list":\[\]/],
    'a hook with wide tags'           => ["\x13\x92\1K\1s\xff\xff\xff\xff\0\0\0\0\0\0\0\0", qr/"wide":true,"list":\[0\]/],
    'LOBJECT HOOK'                    => ["\x21\x13\x02\1K\0\0\0\0\0\0\0\1s", qr/\{"\$LOBJECT":\{"\$HOOK":2/],
    'a tied hook'                     => ["\x13\x03\6\1K\1s\5", qr/"extra":6.*"tied":null/],
    'something behind it'             => ["\2\0\0\0\0\0\1\2", qr/"trailing":"000102"/],
);
there_and_back($_, "\5\x0b$odd{$_}[0]", $odd{$_}[1]) for sort keys %odd;

# Old formats.
there_and_back('major 1', "\3" . "\2\0\0\0\2\x0a\1aX\4\3\0\0\0\1\5X\0\0\0\1kX" . "b\1A" . "XX", qr/"notices":\[\["b","A"\]\]/);
there_and_back('the oldest, network', "perl-store\1" . "\0\0\0\7\2\0\0\0\3" . "i\0\0\0\1\x0a\1aX" . 'I' . "i\0\0\0\1\0" . 'X',
    qr/"\$OLD":"00000007".*\$MISSING.*"\$OBJECT":null/s);
there_and_back('without a version', "perl-store\3" . "\0\0\0\7\x0a\1xB" . "\0\0\0\1C" . 'X', qr/"first":3.*\["B","C"\]/s);
there_and_back("the oldest, a negative count of $_->[0]", "pst0\1\0\0\0\1$_->[1]\xff\xff\xff\xffX", qr/"is":\{"\$$_->[0]":4294967295\}/)
    for ['ARRAY', "\2"], ['HASH', "\3"];
there_and_back('a machine of its own', "pst0\4\5\4" . "4321\4\4\4\x08" . "\6\0\0\1\0", qr/"order":"4321","int":4,"long":4,"pointer":4,"nv":8/);

# Strings of all lengths, with something special at each place: they are copied by pieces.
my @strings;
for my $length (0 .. 33) {
    push @strings, 'b' x $length;
    for my $at (0 .. $length - 1) {
        for my $char ('"', '\\', "\n", "\x1f", "\x7f", "\xe9") {
            push @strings, 'b' x $length;
            substr($strings[-1], $at, 1) = $char;
        }
    }
}
there_and_back('strings', nfreeze(\@strings));
SKIP: {
    eval { require JSON::PP; 1 } or skip 'no JSON::PP', 2;
    is_deeply(JSON::PP->new->utf8->decode(Permafrost::Image->new(nfreeze(\@strings))->to_json), \@strings, 'strings in plain JSON');
    my %keys = map { ($strings[$_] => $_) } 0 .. $#strings;
    is_deeply(JSON::PP->new->utf8->decode(Permafrost::Image->new(nfreeze(\%keys))->to_json), \%keys, 'and as keys');
}

# The commands.
my $image = freeze(\%data);
my ($json) = permafrost(['json', '--tagged', '-'], $image);
is((permafrost(['convert', '--from-json', '-'], $json))[0], $image, 'convert --from-json');

# Members in another order, and space: what other programs make of it.
my $changed = '{ "root" : [ {"$REF": {"of": {"a":1}, "$BLESS": "A"}} ] , '
  . '"$STORABLE":{"order":"network","minor":11,"major":2,"magic":null}}';
like(eval { Permafrost::Image->from_json($changed)->bytes } || $@, qr/not the first one/, 'names of ours come first');
$changed =~ s/"of": (\{.*?\}), ("\$BLESS": "A")/$2, "of": $1/;
is(eval { Permafrost::Image->from_json($changed)->bytes }, nfreeze([bless { a => 1 }, 'A']), 'written by hand') or diag $@;

# What is no tagged JSON is refused, with a place.
my @wrong = (
    ['', qr/cut off/], ['[1', qr/comma/], ['{"a":1}', qr/no tagged JSON/], ['[1]', qr/no tagged JSON/], ['nul', qr/value is missing/],
    ['{"a" 1}', qr/colon/], ["[\"\1\"]", qr/control character/], ['["\\x"]', qr/escape/], ["[\"\xff\"]", qr/UTF-8/], ['[1]]', qr/behind/],
    ['[1,]', qr/value is missing/], ['["\\ud800"]', qr/escape/], ['[01]', qr/comma/], ['[-]', qr/digit/], ['["a]', qr/without an end/],
    map({ [ qq({"\$STORABLE":{"magic":null,"major":2,"minor":11,"order":"network"},"root":$_->[0]}), $_->[1] ] }
        ['{"$NO":1}', qr/no such marker/], ['99999999999', qr/integer/], ['1.5', qr/integer/], ["\"\xe2\x98\xba\"", qr/above 255/],
        ['{"$BLESS":"A"}', qr/member is missing/], ['{"$FLAG_HASH":0,"keys":1}', qr/no list/], ['{"$FLAG_HASH":0,"keys":[1]}', qr/no \[key/],
        ['{"$HOOK":2}', qr/member is missing/], ['{"$HOOK":66,"objects":[1]}', qr/no \[object/], ['{"$DOUBLE":1,"bytes":"00"}', qr/another size/],
        ['{"$DOUBLE":1,"bytes":"zz"}', qr/hexadecimal/], ['{"$TIED_KEY":1}', qr/member is missing/], ['{"$LOBJECT":{"$LOBJECT":[]}}', qr/no such marker/]),
);
for my $case (@wrong) {
    my ($text, $message) = @$case;
    my $image = eval { Permafrost::Image->from_json($text) };
    like($@, qr/$message.*\(byte \d+ of the JSON text\) at \S+ line \d+/, "refused: $text");
}

# Deep data need no C stack, neither way.
my $deep = "\5\x0b" . "\2\0\0\0\1\4" x 200_000 . "\5";
ok(Permafrost::Image->from_json(Permafrost::Image->new($deep)->to_json(tagged => 1))->bytes eq $deep, 'deep');
ok(length Permafrost::Image->new("\5\x0b" . "\3\0\0\0\1\4" x 100_000 . "\5" . "\0\0\0\1k" x 100_000)->to_json, 'deep hashes');

done_testing;
