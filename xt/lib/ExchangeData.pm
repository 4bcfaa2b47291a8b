package ExchangeData;

# The 60 data sets that xt/exchange.pl sends between perls and machines, and their classes. Every run
# of every perl makes the same, as far as its numbers can hold them.

use strict;
use warnings;
use Exporter 'import';
use Hash::Util qw(lock_keys unlock_keys lock_hash lock_value);
use Scalar::Util qw(dualvar weaken);

our @EXPORT_OK = qw(exchange_data exchange_names);

# ---- classes --------------------------------------------------------------------------------

{
    package Exchange::Hash;
    package Exchange::Array;
    package Exchange::Over;
    use overload '""' => sub { 'over' }, '==' => sub { 1 }, fallback => 1;

    package Exchange::Hook;    # all that is in the array is in the image
    sub STORABLE_freeze { my ($self) = @_; return @$self }
    sub STORABLE_thaw { my ($self, $cloning, @results) = @_; @$self = @results; return }

    package Exchange::HookHash;
    sub STORABLE_freeze { my ($self) = @_; return $self->{text}, $self->{data} }
    sub STORABLE_thaw { my ($self, $cloning, $text, $data) = @_; @$self{qw(text data)} = ($text, $data); return }

    package Exchange::Attach;
    sub STORABLE_freeze { my ($self) = @_; return $self->{text} }
    sub STORABLE_attach { my ($class, $cloning, $text) = @_; return bless { text => $text }, $class }

    package Exchange::NoHook;    # returns an empty list: stored as if there were no hook
    sub STORABLE_freeze { return }
    sub STORABLE_thaw { die "not to be called\n" }

    package Exchange::TiedScalar;
    sub TIESCALAR { my ($class, $data) = @_; return bless $data, $class }
    sub FETCH { return $_[0]{value} }
    sub STORE { return }

    package Exchange::TiedArray;
    sub TIEARRAY { my ($class, $data) = @_; return bless $data, $class }
    sub FETCH { return $_[0][$_[1]] }
    sub FETCHSIZE { return scalar @{ $_[0] } }
    sub STORE { return }

    package Exchange::TiedHash;
    sub TIEHASH { my ($class, $data) = @_; return bless $data, $class }
    sub FETCH { return $_[0]{$_[1]} }
    sub STORE { return }
    sub FIRSTKEY { return (sort keys %{ $_[0] })[0] }
    sub NEXTKEY { return }
}

# ---- parts ----------------------------------------------------------------------------------

# The double with these bits, big-endian: literals of such numbers are not exact on old perls.
sub double { return unpack 'd>', pack 'H16', $_[0] }
sub upgraded { my ($text) = @_; utf8::upgrade($text); return $text }

# A version string of so many parts, compiled where no pragma counts.
sub vstring { my ($count) = @_; return eval 'v' . join '.', map { $_ % 200 + 1 } 1 .. $count }

sub nested {
    my ($depth) = @_;
    my $data = ['innermost'];
    $data = $_ % 3 ? [$data] : { down => $data } for 1 .. $depth;
    return $data;
}
sub tied_scalar { tie my $x, 'Exchange::TiedScalar', { value => 'behind' }; return \$x }
sub tied_array { tie my @x, 'Exchange::TiedArray', [@_]; return \@x }
sub tied_hash { tie my %x, 'Exchange::TiedHash', {@_}; return \%x }

# ---- the sets --------------------------------------------------------------------------------

my @SETS = (
    int_bytes       => sub { [0, 1, -1, 9, 127, 128, -128, -129, 255, 256] },
    int_16          => sub { [32767, 32768, -32768, -32769, 65535, 65536] },
    int_32          => sub { [2147483647, -2147483647, -2147483647 - 1] },
    int_over_32     => sub { [2147483648, -2147483649, 4294967295, 4294967296, -4294967297, 1099511627776] },
    int_53          => sub { [9007199254740991, 9007199254740992, -9007199254740991] },
    int_64          => sub { [9007199254740993, 9223372036854775807, -9223372036854775807 - 1, 1152921504606846977] },
    int_unsigned    => sub { [9223372036854775808, 18446744073709551615] },
    int_as_text     => sub { ['0', '007', '-1', '2147483648', '9223372036854775808', '1e3', ' 5'] },
    int_seen_as_text => sub { my $n = 123456; my $text = "$n"; my $m = -7; $text .= $m; return [$n, $m] },
    float_exact     => sub { [0.5, -0.25, 1.75, 1 / 1024, 123456.0625] },
    float_inexact   => sub { [map { double($_) } qw(3fb999999999999a bfd3333333333333 3fd5555555555555 3fd3333333333334)] },
    float_whole     => sub { [3.0, -17.0, 2.0**31, 2.0**40, 2.0**52, 2.0**53, 2.0**60, -2.0**70] },
    float_zero      => sub { [0.0, -0.0, double('8000000000000000')] },
    float_big       => sub { [map { double($_) } qw(7fefffffffffffff ffefffffffffffff 7e37e43c8800759c 4341c37937e08000)] },
    float_tiny      => sub { [map { double($_) } qw(0000000000000001 8000000000000001 0010000000000000 000fffffffffffff)] },
    float_infinite  => sub { [map { double($_) } qw(7ff0000000000000 fff0000000000000)] },
    float_nan       => sub { [double('7ff8000000000000')] },
    float_seen_as_int => sub { my $x = 2.5; my $int = $x | 0; my $y = 7.0; $int += $y | 0; return [$x, $y] },
    str_empty       => sub { ['', "\0", ' '] },
    str_ascii       => sub { ['a', 'plain text', "two\nlines\r\n", '$"\\'] },
    str_bytes       => sub { [join('', map { chr } 0 .. 255), "\xff\xfe", "\xc3\xa9"] },
    str_latin       => sub { ["\xe9", upgraded("\xe9"), upgraded('ascii'), upgraded('')] },
    str_wide        => sub { ["\x{263a}", "\x{1f600}\x{10ffff}", "a\x{100}b", "\x{d7ff}\x{e000}"] },
    str_255         => sub { ['x' x 254, 'x' x 255, 'x' x 256, 'x' x 257] },
    str_utf8_255    => sub { ["\x{e9}\x{263a}" x 51, "\x{263a}" x 85, "\x{263a}" x 86] },
    str_long        => sub { ['0123456789abcdef' x 4500] },
    str_dual        => sub { [dualvar(5, 'five'), dualvar(0.5, "\x{263a}"), dualvar(1, '')] },
    vstring         => sub { [v1.2.3, v65.66, v1.300.2, \v5.36.0] },
    vstring_long    => sub { [vstring(100), vstring(60)] },
    undef_plain     => sub { my $x; return [undef, $x, \$x, [undef]] },
    undef_immortal  => sub { [\undef, { none => undef }] },
    booleans        => sub { [!!1, !!0, 1 == 1, { yes => !!1, no => !!0 }] },
    booleans_shared => sub { my $yes = !!1; my $no = !!0; return [\$yes, \$yes, \$no, \!!1, \!!0] },
    array_empty     => sub { [] },
    array_nested    => sub { [[], [[]], [[[1], 2], 3], [4, [5, [6, []]]]] },
    array_holes     => sub { my @x; $x[0] = 'first'; $x[5] = 'last'; $#x = 8; return \@x },
    array_long      => sub { [map { $_ * 37 } 0 .. 999] },
    hash_empty      => sub { {} },
    hash_many       => sub { return { map { my $n = $_; ("key $_" => $n) } 1 .. 300 } },
    hash_keys_utf8  => sub { return { "\x{263a}" => 1, "\x{e9}\x{100}" => 2, "\xe9" => 3, upgraded("\xe8") => 4, upgraded('ascii') => 5 } },
    hash_keys_odd   => sub { return { '' => 1, ' ' => 2, "a\0b" => 3, '0' => 4, "\xff" => 5, '-1' => 6, "\n" => 7 } },
    hash_keys_big   => sub { return { 'k' x 255 => 1, 'k' x 256 => 2, 'k' x 20000 => 3, "\x{263a}" x 5000 => 4 } },
    scalar_root     => sub { \(my $text = 'not in a container') },
    refs_of_refs    => sub { \\\\'deep within' },
    deep            => sub { nested(1500) },
    shared          => sub { my $x = ['x']; my $text = 'text'; return [$x, { k => $x }, \$text, \$text, \$x] },
    circular        => sub { my $x = { name => 'x' }; my $y = [$x]; $x->{list} = $y; $x->{self} = $x; return $y },
    weak            => sub {
        my $parent = { name => 'parent' };
        $parent->{children} = [map { my $child = { parent => $parent, n => $_ }; weaken $child->{parent}; $child } 1 .. 3];
        return $parent;
    },
    objects         => sub {
        my $text = 'a scalar';
        return [bless({ a => 1 }, 'Exchange::Hash'), bless([1], 'Exchange::Array'), bless(\$text, 'Exchange::Scalar'),
            bless(\my $ref, 'Exchange::Ref'), bless({}, 'Exchange::Hash'), bless([], 'main')];
    },
    objects_classes => sub {    # more than fit into a byte, and a name that does not
        return [(map { bless [], "Exchange::Class$_" } 1 .. 300, 1 .. 3, 299), map { bless {}, 'Exchange::' . 'n' x $_ } 117, 118, 300];
    },
    overloaded      => sub {
        my $x = bless { a => 1 }, 'Exchange::Over';
        my $y = [$x, $x, bless([], 'Exchange::Over'), $x];
        weaken $y->[3];
        return $y;
    },
    hooks           => sub {
        my $x = [1000];
        return [bless(['string', $x, { in => $x }], 'Exchange::Hook'), $x, bless({ text => "b\0\xff", data => { n => 5 } }, 'Exchange::HookHash'),
            bless(['', []], 'Exchange::Hook'), bless([''], 'Exchange::Hook')];
    },
    hooks_nested    => sub {
        my $inner = bless ['inner', [1]], 'Exchange::Hook';
        my $outer = bless ['outer', $inner, bless({ text => 't', data => [$inner] }, 'Exchange::HookHash')], 'Exchange::Hook';
        return { outer => $outer, inner => $inner, list => [$outer, $inner] };
    },
    hooks_long      => sub { [bless ['s' x 300, map { [$_] } 1 .. 300], 'Exchange::Hook'] },
    hooks_attach    => sub { my $x = bless { text => 'attached' }, 'Exchange::Attach'; return [$x, $x, bless({ text => '' }, 'Exchange::Attach')] },
    hooks_none      => sub { [map { bless { n => $_ }, 'Exchange::NoHook' } 1 .. 3] },
    tied            => sub {
        my ($array, $hash) = (tied_array(1, 'two'), tied_hash(k => [1], l => 300));
        return [tied_scalar(), $array, $hash, \$array->[1], \$hash->{k}];
    },
    code            => sub { [map { eval "package main; no strict; no warnings; $_" } 'sub { $_[0] + 41 }', q(sub { length 'x' x 300 . "$_[0]" })] },
    regexps         => sub { [qr/a.b/, qr/^x+(?:y|z)$/msix, qr/\x{263a}/, qr/@{['long' x 80]}/i, bless(qr/blessed/, 'Exchange::Regexp')] },
    restricted      => sub {
        my (%keys, %value, %all);
        %keys = (a => 1, b => 300);
        lock_keys(%keys, qw(a b allowed other));
        %value = (a => 'constant', "\x{263a}" => 2);
        lock_keys(%value);
        lock_value(%value, 'a');
        %all = (deep => [1]);
        lock_hash(%all);
        return [\%keys, \%value, \%all];
    },
);

# RETURNS: the names of the sets, in order.
sub exchange_names { return map { $SETS[2 * $_] } 0 .. $#SETS / 2 }

# RETURNS: the data of a set, made anew.
sub exchange_data { my %set = @SETS; return $set{$_[0]}->() }

1;
