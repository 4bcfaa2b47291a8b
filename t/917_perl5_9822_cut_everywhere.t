# perl5 9822: an image with code, hooks, overloading and ties, cut at every byte and with
# every byte changed: data, undef or an error, nothing else.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

{
    package Hooked;
    sub STORABLE_freeze { return ("text of $_[0]{n}", $_[0]{list}, \$_[0]{n}) }
    sub STORABLE_thaw {
        my ($self, $cloning, $text, $list, $n) = @_;
        die "no list\n" if ref $list ne 'ARRAY' || !ref $n;
        @$self{qw(list n text)} = ($list, $$n, $text);
        return;
    }
    package Attached;
    sub STORABLE_freeze { return 'attached' }
    sub STORABLE_attach { return bless {text => $_[2]}, $_[0] }
    package Overloaded;
    use overload '""' => sub { 'overloaded' }, fallback => 1;
    package Tied;
    sub TIEHASH  { return bless {}, $_[0] }
    sub TIEARRAY { return bless [], $_[0] }
    sub FETCH    { return 'fetched' }
    sub FETCHSIZE { return 1 }
    sub FIRSTKEY { return }
}
tie my %tied, 'Tied';
tie my @tied, 'Tied';
my $weak = {};
$weak->{self} = $weak;
Scalar::Util::weaken($weak->{self});
my %locked = (a => 1, b => 2);
Hash::Util::lock_keys(%locked, qw(a b c));
my $hooked = bless {n => 5, list => [1, 2]}, 'Hooked';
no warnings 'once';
local $Storable::Deparse = 1;
local $Storable::Eval    = 1;
my $data = [
    bless({a => 1}, 'Overloaded'), \%tied, \@tied, \$tied{x}, sub { 42 }, $hooked, $hooked,
    bless({}, 'Attached'), bless([], 'Overloaded'), qr/a.b/xi, $weak, \%locked, v1.22.333,
    "\x{263a}", {"\x{e9}" => "\x{263a}", "\x{263a}" => 1}, [undef, 1, -1, 70000, 1.5],
    'long' x 80, bless(\(my $scalar = 'x'), 'Some::Class'),
];
my %image = map { ($_ => st->{$_}->($data)) } qw(freeze nfreeze);

# The answers for many images, or undef if the process died.
sub answers {
    my ($m, @images) = @_;
    my $text = in_child(sub {
        alarm 120;
        local $SIG{__WARN__} = sub { };
        return join "\0", map {
            my $image = $_;
            my $got = outcome(sub { $m->{thaw}->($image) });
            my $text = length $got->{error} ? "error: $got->{error}" : defined $got->{value} ? 'data' : 'undef';
            $text =~ tr/\0//d;
            $text;
        } @images;
    });
    return if $text =~ /^(?:signal|exit)/;
    return [split /\0/, $text, -1];
}

for my $function (sort keys %image) {
    my $image = $image{$function};
    my @cut = map { substr $image, 0, $_ } 0 .. length $image;
    my $ours = answers(pf, @cut);
    ok($ours, "$function, cut at every byte: the process lives") or next;
    is($ours->[-1], 'data', '... whole, it is read');
    my $theirs = answers(st, @cut);
    $theirs ||= [map { my $a = answers(st, $_); $a ? $a->[0] : 'crash' } @cut];
    my @different = grep { $theirs->[$_] ne 'crash' && $ours->[$_] ne $theirs->[$_] } 0 .. $#cut;
    is(scalar @different, 0, '... all answers are Storable\'s')
      or diag join "\n", map { "cut at $_: $ours->[$_], Storable's $theirs->[$_]" } @different[0 .. ($#different > 4 ? 4 : $#different)];
}

# Every byte changed in several ways: only that the process lives
SKIP: {
    skip 'stock Storable crashes', 6 if is_stock();
    my $image = $image{nfreeze};
    my $start = index $image, "Overloaded";
    for my $way (['+1', sub { chr(255 & 1 + ord $_[0]) }], ['high bit', sub { chr(0x80 ^ ord $_[0]) }],
        ['ff', sub { "\xff" }], ['zero', sub { "\0" }], ['hook', sub { "\x13" }], ['object', sub { "\0\0\0\0\1" }]) {
        my ($what, $change) = @$way;
        local $Storable::Eval = sub { sub { 1 } };    # no changed code is run
        my @changed = map {
            my $i = $image;
            substr($i, $_, 1) = $change->(substr $image, $_, 1);
            $i;
        } 2 .. length($image) - 1;
        my $answers = answers(pf, @changed);
        is($answers && scalar @$answers, scalar @changed, "every byte changed ($what): the process lives");
    }
}

done_testing();
