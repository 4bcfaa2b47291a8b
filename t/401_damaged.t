use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Damaged images: every truncation of images of every kind, wrong lengths, reported cases.
# Each gets an answer; where stock Storable survives (it runs in a child), the same one.

no warnings 'once';
{
    package Damage::Hook;
    sub STORABLE_freeze { my ($self) = @_; return ('string', [1, 2], \'x') }
    sub STORABLE_thaw { my ($self, $c, $s, @r) = @_; $self->{got} = [$s, @r] if Scalar::Util::reftype($self) eq 'HASH'; return }
    package Damage::Over;
    use overload '""' => sub { 'over' };
    package Damage::Tie;
    sub TIEHASH { bless {a => 1} } sub TIEARRAY { bless [1] } sub TIESCALAR { bless \(my $x = 1) } sub FETCH { 1 } sub STORE { } sub FETCHSIZE { 1 } sub FIRSTKEY { } sub EXISTS { }
    package Damage::Attach;
    sub STORABLE_freeze { return 'attach' }
    sub STORABLE_attach { return bless {}, $_[0] }
}
sub answer {
    my ($m, $image) = @_;
    my $r = outcome(sub { $m->{thaw}->($image) });
    return join "\n", $r->{error}, $r->{warnings}, tagged($r->{value});
}

# Stock's answers (undef: it crashed) from as few children as it needs.
sub stock_answers {
    my (@images) = @_;
    my @answer;
    while (@answer < @images) {
        my $from = @answer;
        my $text = in_child(sub { answers_from(@images[$from .. $#images]) });
        if ($text =~ /\A(?:signal|exit) \d+\z/) {
            # Something crashed it: one alone.
            $text = in_child(sub { answers_from($images[$from]) });
            push @answer, $text =~ /\A(?:signal|exit) \d+\z/ ? undef : $text;
            next;
        }
        push @answer, split /\0/, $text, -1;
    }
    return @answer;
}

# Compares the answers to many images.
sub same_answers {
    my ($name, @images) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @expected = stock_answers(@images);
    my @got = is_stock() ? @expected : map { my $r = eval { answer(pf, $_) }; defined $r ? $r : "died: $@" } @images;
    my $trouble = '';
    for my $i (0 .. $#images) {
        next unless defined $expected[$i];
        my $got = $got[$i];
        utf8::encode($got) if utf8::is_utf8($got);
        $got =~ tr/\0/?/;
        next if $got eq $expected[$i];

        # Undef where stock makes data of it is as good: its data have no tie object.
        next if $got =~ /^ #0 UNDEF\z/m && $expected[$i] =~ /^tie Nullsv$/m;
        $trouble .= 'image ' . unpack('H*', substr $images[$i], 0, 200) . ":\n" . first_difference($got, $expected[$i]);
        last if length $trouble > 3000;
    }
    my $crashes = grep { !defined } @expected;
    ok(!length $trouble, "$name: " . @images . ' images' . ($crashes ? ", $crashes crash stock" : '')) or diag $trouble;
}
sub answers_from { return join "\0", map { my $r = answer(st, $_); utf8::encode($r) if utf8::is_utf8($r); $r =~ tr/\0/?/; $r } @_ }

tie my %tied, 'Damage::Tie';
tie my @tied, 'Damage::Tie';
tie my $tied, 'Damage::Tie';
my $shared = [1];
my %kind = (
    scalars => [undef, 1, -1, 128, 300, 70000, 2**31, 2**40, ~0, 0.5, 1e300, 'text', '', "\x{263a}", "\xe9", !!1, !!0, \undef],
    long => ['x' x 300, "\x{263a}" x 200], array => [[], [1, [2, [3]]]], hash => {a => 1, b => {c => []}}, 'UTF-8 hash' => {"\x{100}" => 1, "\xe9" => 2},
    restricted => do { require Hash::Util; my %h = (a => 1); Hash::Util::lock_keys(%h, 'a', 'b'); \%h }, references => [\\1, $shared, $shared, \$shared->[0]],
    circular => do { my $c = {}; our $keep = $c; $c->{c} = [$c]; Scalar::Util::weaken($c->{c}[0]); $c }, blessed => bless([bless({}, 'Damage::B'), bless(\(my $x = 1), 'Damage::A')], 'Damage::A'),
    'long class' => bless([], 'L' x 200), overload => [bless({}, 'Damage::Over'), bless([], 'Damage::Over')], regexp => [qr/abc/ix, bless(qr/x/, 'Damage::Re')], 'long regexp' => do { my $p = 'x' x 300; qr/$p/ },
    vstring => [v1.2.3, v300], tied => [\%tied, \@tied, \$tied, \$tied{k}, \$tied[2]], hooks => [bless({}, 'Damage::Hook'), bless([], 'Damage::Hook'), bless(\(my $y = 1), 'Damage::Hook')],
    attach => [bless({}, 'Damage::Attach')], holes => do { my @a; $a[3] = 1; \@a }, 'undef items' => sub { \@_ }->(undef, undef), 'tied hook' => do { tie my %h, 'Damage::Tie'; bless \%h, 'Damage::Hook' },
    'many classes' => [map { bless [], "Damage::C$_" } 1 .. 3, 1 .. 3],
);
my %image;
for my $name (sort keys %kind) {
    $image{"$name, native"}  = st->{freeze}->($kind{$name});
    $image{"$name, network"} = st->{nfreeze}->($kind{$name});
}
if (eval { require B::Deparse }) {
    local $Storable::Deparse = 1;
    $image{'code, network'} = st->{nfreeze}->([sub { 1 }]);
}
for my $name (sort keys %image) {
    my $image = $image{$name};
    local $Storable::Eval = $name =~ /code/;
    same_answers("$name: truncated", map { substr $image, 0, $_ } 0 .. length $image);
    same_answers("$name: with more behind", $image . "\0", $image . 'more', $image . $image);
}

# One byte changed: no crash; stock's answer where it gives one. Lengths that make stock
# ask for gigabytes are left out.
for my $name (is_stock() ? () : grep { /network/ } sort keys %image) {
    my $image = $image{$name};
    next if length $image > 400;
    my @changed;
    for my $at (2 .. length($image) - 1) {
        for my $byte (0, 1, 2, 127, 128, 255) {
            my $copy = $image;
            substr($copy, $at, 1) = chr $byte;
            push @changed, $copy;
        }
    }
    my $answers = 0;
    my $text = in_child(sub { for (@changed) { my $r = eval { answer(pf, $_) }; $answers++ } $answers });
    is($text, scalar @changed, "$name: each of " . @changed . ' changed images gets an answer');
}

# Reported cases.
my $h = sub { return pack 'H*', $_[0] };
{
    my @images = map { $h->($_) } '050b140a0161', '050b140889', '050b1414', '050b1c0a0161', '050b1c0889', '050b140000000000';
    my $text = in_child(sub { join "\n", map { my $i = $_; my $r = outcome(sub { pf->{thaw}->($i) }); $r->{error} ? 'error' : defined $r->{value} ? 'data' : 'undef' } @images });
    is($text, "error\nerror\nundef\nerror\nerror\nerror", 'OVERLOAD on a plain scalar: crashes stock') unless is_stock();
}
SKIP: {
    skip 'huge counts make stock take gigabytes', 1 if is_stock();
    my @huge = map { $h->($_) } '050b027ffffff0', '050b017ffffff0', '050b037ffffff0', '050b187ffffff0', '050b19007ffffff0', '050b02ffffffff', '050b03ffffffff', '050b01ffffffff',
      '050b18ffffffff', '050b1900ffffffff', '050b0280000000', '050b0380000000', '050b0180000000', '050b1effffffff', '050b1e80000000', '050b1e7fffffff', '050b1180ffffffff', '050b118080000000',
      '050b1304ffffffff', '050b130480000000', '050b1308014180000000', '050b13080141ffffffff', '050b1308017ffffffff0', '050b1390014101787fffffff', '050b139001410178ffffffff', '050b1201', '050b1280ffffffff',
      '050b2001ffffffff', '050b20017fffffff', '050b2101ffffffffffffffff', '050b21027fffffffffffffff', '050b2103ffffffffffffffff', '050b2118ffffffffffffffff', '050b211900ffffffffffffffff', '050b21137fffffffffffffff',
      '050b2100ffffffffffffffff', '050b16020000000080000000', '050b1916', '050b1a01ffffffff', '050b1a18ffffffff';
    my $text = in_child(sub {
        my @bad;
        for my $image (@huge) {
            my $r = outcome(sub { pf->{thaw}->($image) });
            push @bad, unpack 'H*', $image if defined $r->{value} && $r->{error} ne '';
        }
        'done ' . "@bad";
    });
    is($text, 'done ', 'huge counts and lengths: each an answer');
}
same_answers('not an image', 'aa', '{"a":1}', 'ARRAY(0x55d)', '', "\0", "\0" x 100, "\xff" x 100, 'pst0', "pst0\x05\x0b\x02\0\0\0\0", 'perl-store', "\x04", "\x05", "\x04\x0b", "\x05\x0b", "\x04\x0b\xff", "\x04\x0b\x08123");
# 31 stands in arrays only, 34 and 35 came later; 11 to 13, 21 and 22 would be tied to
# themselves; 20 overloads a reference to itself, which makes stock look for a class where none is.
same_answers('markers alone', map { "\x05\x0b" . chr } 0 .. 21, 23 .. 30, 32, 33, 36 .. 255);
same_answers('markers before zeros', map { "\x05\x0b" . chr($_) . "\0" x 20 } 0 .. 10, 14 .. 18, 23 .. 27, 29, 30, 32, 36 .. 255);
same_answers('markers as items', map { "\x05\x0b\x02\0\0\0\x02" . chr($_) . "\0\0\0\1" x 3 } 0 .. 18, 20 .. 24, 26 .. 31, 36 .. 255);
for my $major (is_stock() ? () : (0, 1)) {
    my $old = chr($major << 1 | 1);
    my @object = ("\x02\0\0\0\x02i\x05i\x0a\x03abcX", "\x03\0\0\0\x01v\x05k\0\0\0\x01aX", "\x00\0\0\0\x00", "\x04\x05X", "\x08\x81X", "\x09\0\0\0\x05X", "\x02\0\0\0\0b\x03FooX", "\x02\0\0\0\0B\0\0\0\x03FooX");
    my @images = map { my $o = $_; map { $old . "\0\0\0\0" . substr $o, 0, $_ } 0 .. length $o } @object;
    push @images, map { $old . "\0\0\0\0" . chr($_) . "\0" x 20 } 14 .. 40, 255;
    my $text = in_child(sub { my $n = 0; for (@images) { outcome(sub { pf->{thaw}->($_) }); $n++ } $n });
    is($text, scalar @images, "major $major: each of " . @images . ' images gets an answer');
}

done_testing;
