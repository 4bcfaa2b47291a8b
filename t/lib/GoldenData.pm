package GoldenData;
# The data of the golden images in t/golden/, and the machines that write them.
use strict;
use warnings;
use Exporter 'import';
use Hash::Util qw(lock_keys lock_value);
use Scalar::Util qw(weaken);

our @EXPORT_OK = qw(golden_data golden_machines read_golden);

{
    package Golden::Hook;
    sub STORABLE_freeze { my ($self) = @_; return @$self }
    sub STORABLE_thaw { my ($self, $cloning, @results) = @_; @$self = @results; return }
}

# Name => data. A hash has one key only: the order of several is chance.
my @DATA = (
    scalars    => sub { [undef, '', 'text', "\x{263a}\x{e9}", "\xe9\0\xff", 'l' x 300, "\x{100}" x 200] },
    integers   => sub { [0, 1, -1, 127, 128, -128, -129, 65536, -65537, 2147483647, -2147483648] },
    floats     => sub { [0.5, -0.1, 1e300, -1e-300, 5e-324, 2**0.5, 9**9**9, -9**9**9] },
    containers => sub { [[], {}, [[[]]], { key => { "\x{263a}" => [1] } }, { "\xe9" => \\'deep' }] },
    holes      => sub { my @a = (1); $a[3] = 2; return \@a },
    shared     => sub { my $x = ['x']; my $y = [$x, { k => $x }, \$x]; push @$y, $y; return $y },
    classes    => sub { [bless([], 'A'), bless({}, 'Name::' . 'x' x 150), bless([1], 'A'), bless(\(my $x = 300), 'A')] },
    hooks      => sub { my $x = [1000]; return [bless(['string', $x], 'Golden::Hook'), $x, bless(['l' x 300, map { [$_] } 1 .. 300], 'Golden::Hook')] },
    weak       => sub { my $x = {}; my $y = [$x, $x]; weaken($y->[1]); return $y },
    restricted => sub { my %h = (key => 300); lock_keys(%h); lock_value(%h, 'key'); return \%h },
    regexps    => sub { [qr/a.b/i, qr/x{300}@{['y' x 300]}/] },
    v_strings  => sub { [v1.2.300, \v65.66] },
);

my @MACHINES = (
    'network'            => 'any',
    '1234/4/4/4/8'       => 'i386',
    '1234/4/4/4/12'      => 'i386, long doubles',
    '4321/4/4/4/8'       => 'powerpc, mips, sparc',
    '4321/4/4/4/12'      => 'm68k, long doubles',
    '4321/4/4/4/16'      => 'powerpc, long doubles',
    '12345678/4/4/4/8'   => 'armhf, i386 with integers of 8 bytes',
    '87654321/4/4/4/8'   => 'powerpc with integers of 8 bytes',
    '12345678/4/8/8/8'   => 'x86-64, aarch64',
    '12345678/4/8/8/16'  => 'x86-64, long doubles',
    '87654321/4/8/8/8'   => 's390x, powerpc64',
    '87654321/4/8/8/16'  => 's390x, long doubles',
);

# RETURNS: a list of name, data, and so on.
sub golden_data {
    return map { $_ & 1 ? $DATA[$_]->() : $DATA[$_] } 0 .. $#DATA;
}

# RETURNS: a list of order (for `convert --order`), description, and so on.
sub golden_machines { return @MACHINES }

# RETURNS: [order, name of the data, image] for each line of the file.
sub read_golden {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    return map { my ($order, $name, $hex) = split ' '; [$order, $name, pack 'H*', $hex] } grep { !/^#/ } <$in>;
}

1;
