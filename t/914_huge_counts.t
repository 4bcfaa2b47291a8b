# Counts far beyond the image (perl5 17306, 16131, 16132, 15831 and others): thaw of
# 05 0b 02 7f ff ff f0 ended the process. Right: data, undef or an error, in little memory.
use strict;
use warnings;
use lib 't/lib';
use Config;
use Test::More;
use PermafrostTest;

my @counts = map { pack 'N', $_ } 0x7ffffff0, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
  0x10000000, 0x00100000, 1000;
my %image = (
    LSCALAR       => ["\x01",   ''],
    ARRAY         => ["\x02",   ''],
    HASH          => ["\x03",   ''],
    LUTF8STR      => ["\x18",   ''],
    FLAG_HASH     => ["\x19\0", ''],
    'FLAG_HASH, restricted' => ["\x19\1", ''],
    LVSTRING      => ["\x1e",   ''],
    'class name'  => ["\x11\x80", ''],
    'class index' => ["\x12\x80", ''],
    'key of HASH' => ["\x03\0\0\0\1\x05", ''],
    'key of FLAG_HASH' => ["\x19\0\0\0\0\1\x05\0", ''],
    'class of HOOK'    => ["\x13\x04", ''],
    'index of HOOK'    => ["\x13\x24", ''],
    'string of HOOK'   => ["\x13\x08\1A", ''],
    'list of HOOK'     => ["\x13\x90\1A\0", ''],
    'pattern of REGEXP' => ["\x20\1", ''],
    OBJECT        => ["\x02\0\0\0\1\0", ''],
    'code text'   => ["\x1a\x01", ''],
    'code text, utf8' => ["\x1a\x18", ''],
    'tied key'    => ["\x15\x05\x01", ''],
    'LOBJECT LSCALAR, low'  => ["\x21\x01\0\0\0\0", ''],
    'LOBJECT LUTF8, low'    => ["\x21\x18\0\0\0\0", ''],
    'LOBJECT ARRAY, low'    => ["\x21\x02\0\0\0\0", ''],
    'LOBJECT HASH, low'     => ["\x21\x03\0\0\0\0", ''],
    'LOBJECT FLAG_HASH, low' => ["\x21\x19\0\0\0\0\0", ''],
    'LOBJECT OBJECT, low'   => ["\x21\0\0\0\0\0", ''],
    'LOBJECT HOOK, low'     => ["\x21\x13\0\1A\0\0\0\0", ''],
    'LOBJECT LSCALAR, high' => ["\x21\x01", "\0\0\0\0"],
    'LOBJECT LUTF8, high'   => ["\x21\x18", "\0\0\0\0"],
    'LOBJECT ARRAY, high'   => ["\x21\x02", "\0\0\0\0"],
    'LOBJECT HASH, high'    => ["\x21\x03", "\0\0\0\0"],
    'LOBJECT OBJECT, high'  => ["\x21\0",   "\0\0\0\0"],
    'old LSCALAR' => ["old\x01", ''],
    'old ARRAY'   => ["old\x02", ''],
    'old HASH'    => ["old\x03", ''],
);
{ package A; sub STORABLE_thaw { } }

sub peak {
    open my $in, '<', '/proc/self/status' or return 0;
    while (<$in>) { return $1 if /^VmHWM:\s*(\d+) kB/ }
    return 0;
}

plan skip_all => 'stock Storable ends the process' if is_stock();

my %reader = (
    thaw => sub { pf->{thaw}->($_[0]) },
    fd_retrieve => sub { open my $in, '<', \"pst0$_[0]" or die $!; pf->{fd_retrieve}->($in) },
);
for my $name (sort keys %image) {
    my ($before, $after) = @{$image{$name}};
    my $header = $before =~ s{^old}{} ? "\x01\0\0\0\5" : "\x05\x0b";
    for my $tail ('', "\x05" x 100) {
        for my $way (sort keys %reader) {
            my @got = split /\n/, in_child(sub {
                alarm 60;
                my @answer;
                my $start = peak();
                for my $count (@counts) {
                    my $image = "$header$before$count$after$tail";
                    my $result = eval { $reader{$way}->($image) };
                    push @answer, length $@ ? "error: " . clean_message($@) : defined $result ? 'data' : 'undef';
                    undef $result;
                }
                return join "\n", @answer, peak() - $start;
            });
            my $grown = pop @got;
            is(scalar @got, scalar @counts, "$way of $name, " . length($tail) . ' bytes behind: the process lives')
              or diag explain [@got, $grown];
            cmp_ok($grown, '<', 32_000, "... in little memory") if @got;
            my @odd = grep { !/^(?:undef|data|error: \S.*)\z/ } @got;
            is_deeply(\@odd, [], '... with proper answers');
        }
    }
}

# Where Storable survives, the messages are its own
for my $case (
    ['class index',    "\x12\x80\xff\xff\xff\xff"],
    ['class index 2',  "\x12\x05"],
    ['index of HOOK',  "\x13\x24\x7f\xff\xff\xff"],
    ['OBJECT',         "\0\0\0\0\5"],
    # On a 32-bit machine Storable reads no large objects, whatever is in them.
    $Config{ptrsize} < 8 ? () : ['LOBJECT OBJECT', "\x21\0\0\0\0\0\xff\xff\xff\xff"],
    map({ ["count 65536: $_", $image{$_}[0] . "\0\1\0\0"] } qw(LSCALAR ARRAY HASH LUTF8STR FLAG_HASH LVSTRING)),
  ) {
    my ($name, $bytes) = @$case;
    same_thaw("$name (" . unpack('H*', $bytes) . ')', "\x05\x0b$bytes");
}

# A large count with as many items is no attack
is(scalar @{pf->{thaw}->("\x05\x0b\x02" . pack('N', 200_000) . "\x05" x 200_000)}, 200_000, 'a real large array');

done_testing();
