package FuzzSeeds;

# Images of every kind, to mutate: what both orders and all markers can look like, written by
# the module under test; and by hand what it does not write (old formats, LOBJECT, booleans).
# Also the classes that these images name.

use strict;
use warnings;
use Hash::Util ();
use Scalar::Util ();
use Exporter 'import';

our @EXPORT_OK = qw(seed_images);

# Hooks, ties and overloading that do what such things do: look at their arguments, fill the
# object, die now and then.
{
    package Fuzz::Hook;
    sub STORABLE_freeze {
        my ($self) = @_;
        my $type = Scalar::Util::reftype($self);
        return ('frozen', $type eq 'HASH' ? [%$self] : [1], \'shared');
    }
    sub STORABLE_thaw {
        my ($self, $cloning, $string, @refs) = @_;
        die "no such object\n" if length $string > 40;
        my $type = Scalar::Util::reftype($self);
        if    ($type eq 'HASH')  { $self->{string} = $string; $self->{refs} = \@refs }
        elsif ($type eq 'ARRAY') { push @$self, $string, @refs }
        else                     { $$self = $string }
        return;
    }
    package Fuzz::Attach;
    sub STORABLE_freeze { return 'attach ' . ref $_[0] }
    sub STORABLE_attach { my ($class, $cloning, $string) = @_; return bless {string => $string}, $class }
    package Fuzz::Over;
    use overload '""' => sub { 'over' }, '==' => sub { 1 }, fallback => 1;
    package Fuzz::Destroy;
    our $destroyed = 0;
    sub DESTROY { $destroyed++ }
    package Fuzz::Tie;
    sub TIEHASH   { return bless {a => 1}, $_[0] }
    sub TIEARRAY  { return bless {a => 1}, $_[0] }
    sub TIESCALAR { return bless {a => 1}, $_[0] }
    sub FETCH     { return 'fetched' }
    sub STORE     { return }
    sub FETCHSIZE { return 2 }
    sub STORESIZE { return }
    sub FIRSTKEY  { return 'first' }
    sub NEXTKEY   { return $_[1] eq 'first' ? 'second' : undef }
    sub EXISTS    { return 1 }
    sub DELETE    { return }
    sub CLEAR     { return }
    package Fuzz::TieHook;
    our @ISA = 'Fuzz::Tie';
    sub STORABLE_freeze { return 'tied' }
    sub STORABLE_thaw { $_[0]{a} = $_[2]; return }
}

# A restricted hash with a filled and an empty place.
sub restricted {
    my %hash = (filled => 1, "\x{263a}" => [2]);
    Hash::Util::lock_keys(%hash, 'filled', "\x{263a}", 'empty');
    Hash::Util::lock_value(%hash, 'filled');
    return \%hash;
}

sub circular {
    my $circle = {list => []};
    push @{$circle->{list}}, $circle, \$circle->{list}, [$circle];
    Scalar::Util::weaken($circle->{list}[0]);
    return $circle;
}

# RETURNS: name => data of each kind.
sub data_of_each_kind {
    my $shared = [1, {a => 2}];
    tie my %tied, 'Fuzz::Tie';
    tie my @tied, 'Fuzz::Tie';
    tie my $tied, 'Fuzz::Tie';
    my @holes;
    $holes[3] = 'end';
    my $object = bless {a => [1]}, 'Fuzz::Destroy';
    my $scalar = 'text';
    my %kind = (
        scalars   => [undef, 1, -1, 300, 70000, 2**40, ~0, 0.5, -1e300, 'text', '', "\x{263a}", "\xe9", !!1, !!0, \undef],
        string    => \'text',
        numbers   => [map { ($_, -$_, $_ * 1.5) } 1, 127, 128, 65536, 2**31, 2**33],
        long      => ['x' x 300, "\x{263a}" x 100],
        array     => [[], [1, [2, [3]]], @holes[0, 0]],
        holes     => \@holes,
        elements  => sub { \@_ }->(undef, undef, 1),
        hash      => {a => 1, bb => {c => []}, '' => undef},
        utf8_hash => {"\x{100}" => 1, "\xe9" => 2, "k\x{263a}" => ["\x{10ffff}"]},
        restricted => restricted(),
        references => [\\1, $shared, $shared, \$shared->[0], \\\$scalar],
        circular  => circular(),
        blessed   => bless([bless({}, 'Fuzz::Destroy'), bless(\(my $x = 1), 'Fuzz::Plain'), $object, $object], 'Fuzz::Plain'),
        long_class => bless([], 'Fuzz::' . 'L' x 150),
        classes   => [map { bless [], "Fuzz::C$_" } 1 .. 4, 1 .. 4],
        overload  => [map({ bless $_, 'Fuzz::Over' } {}, [], \(my $o = 1)), do { my $weak = [bless {}, 'Fuzz::Over']; push @$weak, $weak->[0]; Scalar::Util::weaken($weak->[1]); $weak }],
        regexp    => [qr/abc/ix, bless(qr/x\x{263a}/, 'Fuzz::Plain'), qr/[a-f]+$/],
        vstring   => [v1.2.3, bless(\(my $v = v300), 'Fuzz::Plain')],
        tied      => [\%tied, \@tied, \$tied, \$tied{k}, \$tied[2]],
        hooks     => [bless({a => 1}, 'Fuzz::Hook'), bless([], 'Fuzz::Hook'), bless(\(my $y = 1), 'Fuzz::Hook')],
        nested_hooks => bless({a => bless({b => $shared}, 'Fuzz::Hook'), c => $shared}, 'Fuzz::Hook'),
        attach    => [bless({}, 'Fuzz::Attach'), bless([], 'Fuzz::Attach')],
        tied_hook => do { tie my %hash, 'Fuzz::Tie'; bless \%hash, 'Fuzz::TieHook' },
        mixed     => {rows => [map { {id => $_, name => "row $_", tags => ['a', $_ / 4], owner => $object} } 1 .. 3]},
    );
    return \%kind;
}

# What is not written any more, or only by others: header and body.
sub images_by_hand {
    my $shared = "\x02\0\0\0\x03\x04\x02\0\0\0\1\x08\x81\0\0\0\0\x01\0\0\0\0\0";
    my $tagged = join '', "\x02\0\0\0\x03", map { "i\0\0\0" . chr($_) . "\x0a\x03abcX" } 7 .. 9;
    return (
        booleans    => "\x05\x0c\x02\0\0\0\x03\x22\x23\x22",
        lobject     => "\x05\x0b\x02\0\0\0\4\x21\x01" . pack('Q>', 3) . "abc\x21\x18" . pack('Q>', 3) . "\xe2\x98\xba\x21\x02" . pack('Q>', 1) . "\x05\x21\x03" . pack('Q>', 1) . "\x05\0\0\0\1k",
        lobject_flag => "\x05\x0b\x21\x19\1" . pack('Q>', 1) . "\x05\x04\0\0\0\1k",
        lobject_hook => "\x05\x0b\x21\x13\x02\x0aFuzz::Hook" . pack('Q>', 2) . 'st',
        wide_tags   => "\x05\x0b\x13\xd2\x04\x02\0\0\0\0\x92\x0aFuzz::Hook\1s\xff\xff\xff\xff" . pack('Q>', 1),
        key_is_scalar => "\x05\x0b\x19\0\0\0\0\2\x05\x08\x0a\1k\x08\x83\x0c\x08\x85",
        tied_self   => "\x05\x0b\x04\x0d\x05",
        odd_utf8    => "\x05\x0b\x02\0\0\0\3\x17\2\xc0\x80\x17\3\xed\xa0\x80\x17\7\xfe\x83\xbf\xbf\xbf\xbf\xbf",
        odd_keys    => "\x05\x0b\x19\0\0\0\0\3\x05\1\0\0\0\2\xc3\xa9\x05\2\0\0\0\1\xe9\x05\1\0\0\0\2\xc0\x80",
        code        => "\x05\x0b\x02\0\0\0\2\x1a\x0a\x05{ 1 }\x1a\x17\x05{ 2 }",
        same_keys   => "\x05\x0b\x03\0\0\0\3\x04\x02\0\0\0\0\0\0\0\1k\0\0\0\0\2\0\0\0\1k\x05\0\0\0\1k",
        shared      => "\x05\x0b$shared",
        minor_2     => "\x05\x02\x02\0\0\0\1\x0a\1a",
        major_1     => "\x03\x02\0\0\0\1\x0a\1ab\x0aFuzz::HookXX",
        major_0     => "\x01\0\0\0\1$tagged" . 'X',
        trailing    => "\x05\x0b\x04\x0a\1a\x04\x0a\1b",
        foreign     => "\x04\x0b\x0887654321\x04\x08\x08\x08\x02\0\0\0\2\x06\0\0\0\0\0\0\0\5\x07\x3f\xf0\0\0\0\0\0\0",
        floats_16   => "\x04\x0b\x0812345678\x04\x08\x08\x10\x02\1\0\0\0\x07" . "\0" x 7 . "\x80\xff\x3f" . "\0" x 6,
        foreign_32  => "\x04\x0b\x041234\x04\x04\x04\x08\x02\2\0\0\0\x06\5\0\0\0\x09\0\0\0\7",
    );
}

# RETURNS: (name => image)... of every kind, without the magic of files, in a fixed order.
sub seed_images {
    my ($freeze, $nfreeze) = @_;
    my $kind = data_of_each_kind();
    my %image = images_by_hand();
    for my $name (keys %$kind) {
        $image{"$name.native"}  = $freeze->($kind->{$name});
        $image{"$name.network"} = $nfreeze->($kind->{$name});
    }
    return map { ($_ => $image{$_}) } sort keys %image;
}

1;
