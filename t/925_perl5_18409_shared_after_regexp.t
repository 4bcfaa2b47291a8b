# perl5 18409: thaw nfreeze {a => qr/abc/, b => $h, c => $h}: b and c were not the same hash,
# because the regexp took more numbers than the writer had given it. For every kind of thing
# in place of the regexp.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

{
    package Hooked;
    sub STORABLE_freeze { return ('text', [1], \2, {}) }
    sub STORABLE_thaw { my ($self, undef, undef, @refs) = @_; $self->{refs} = \@refs; return }
    package Attached;
    sub STORABLE_freeze { return 'text' }
    sub STORABLE_attach { return bless {}, $_[0] }
    package Empty;
    sub STORABLE_freeze { return }
    package Overloaded;
    use overload '""' => sub { 'text' }, fallback => 1;
    package Tied;
    sub TIESCALAR { return bless [1, [2]], $_[0] }
    sub TIEARRAY  { return bless [1, [2]], $_[0] }
    sub TIEHASH   { return bless [1, [2]], $_[0] }
    sub FETCH     { return 'fetched' }
    sub FETCHSIZE { return 0 }
    sub FIRSTKEY  { return }
}
tie my $tied_scalar, 'Tied';
tie my @tied_array,  'Tied';
tie my %tied_hash,   'Tied';
my %locked = (a => 1);
Hash::Util::lock_keys(%locked, qw(a b c d));
my $weak = [{}];
$weak->[1] = $weak->[0];
Scalar::Util::weaken($weak->[1]);
my $overloaded = bless {}, 'Overloaded';
my $weak_overloaded = [$overloaded, $overloaded];
Scalar::Util::weaken($weak_overloaded->[1]);
my @holes = (1, 2);
$#holes = 5;
no warnings 'once';

my %kind = (
    'a regexp'         => qr/abc/,
    'a blessed regexp' => bless(qr/abc/i, 'Some::Class'),
    'a long regexp'    => qr/${\('x' x 400)}/,
    'a reference to a regexp' => \qr/abc/,
    'undef'            => undef,
    'a string'         => 'text',
    'a long string'    => 'text' x 100,
    'a wide string'    => "\x{263a}",
    'an integer'       => 5,
    'a large integer'  => 1 << 30,
    'a float'          => 1.5,
    'true'             => !!1,
    'false'            => !!0,
    'a vstring'        => v1.2.3,
    'a long vstring'   => eval('v' . join '.', (1) x 300),
    'an array'         => [1, [2], undef],
    'holes'            => \@holes,
    'a hash'           => {a => 1, b => {}},
    'a wide hash'      => {"\x{263a}" => 1},
    'a locked hash'    => \%locked,
    'a reference'      => \\\'text',
    'an object'        => bless([1], 'Some::Class'),
    'an overloaded one' => $overloaded,
    'weak references'  => $weak,
    'weak overloaded'  => $weak_overloaded,
    'a hook'           => bless({}, 'Hooked'),
    'two hooks'        => [bless({}, 'Hooked'), bless({}, 'Hooked')],
    'attach'           => bless({}, 'Attached'),
    'an empty hook'    => bless({a => 1}, 'Empty'),
    'a tied scalar'    => \$tied_scalar,
    'a tied array'     => \@tied_array,
    'a tied hash'      => \%tied_hash,
    'a tied key'       => \$tied_hash{key},
    'a tied element'   => \$tied_array[3],
    'code'             => sub { 42 },
    'code with wide text' => do { my $f = eval 'sub { "\x{263a}" }'; $f },
    'an lvalue'        => \substr('text', 1, 2),
);
local $Storable::Deparse = 1;
local $Storable::Eval    = 1;
for my $name (sort keys %kind) {
    my $shared = {shared => $name};
    for my $data ([$kind{$name}, $shared, $shared], [[$kind{$name}, $kind{$name}], $shared, $shared],
        [$shared, $kind{$name}, $shared]) {
        my $one = $data->[1] && ref $data->[1] && Scalar::Util::refaddr($data->[1]) == Scalar::Util::refaddr($shared) ? 1 : 0;
        my $two = 2;
        for my $function (qw(freeze nfreeze)) {
            my $image = outcome(sub { pf->{$function}->($data) })->{value};
            my $back  = outcome(sub { pf->{thaw}->($image) });
            is($back->{error}, '', "$function with $name is read") or next;
            ok($back->{value}[$one] == $back->{value}[$two], '... what is shared behind it stays shared')
              or diag unpack 'H*', $image;
            is($back->{value}[$one]{shared}, $name, '... and is right');
        }
        my $clone = pf->{dclone}->($data);
        ok($clone->[$one] == $clone->[$two], "... also in dclone");
    }
    next if $name =~ /lvalue/;
    same_bytes($name, [$kind{$name}, $shared, $shared]);
}

# The report itself
my $h = {};
my $back = pf->{thaw}->(pf->{nfreeze}->({a => qr/abc/, b => $h, c => $h}));
is($back->{b}, $back->{c}, 'the report itself');

done_testing();
