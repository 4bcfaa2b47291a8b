use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# dclone of every kind; what it shares and does not; canonical is ignored.

use Scalar::Util qw(weaken refaddr dualvar);
require Hash::Util;

{
    package Clone::Over;
    use overload '""' => sub { 'over' }, fallback => 1;
    package Clone::Hook;
    sub STORABLE_freeze { my ($self, $cloning) = @_; return ("cloning $cloning", $self->{in}, [1]) }
    sub STORABLE_thaw { my ($self, $cloning, $string, @refs) = @_; @$self{qw(cloning string refs)} = ($cloning, $string, \@refs); return }
    package Clone::Attach;
    sub STORABLE_freeze { return 'a' }
    sub STORABLE_attach { my ($class, @rest) = @_; return bless {rest => \@rest}, $class }
    package Clone::Tie;
    sub TIEHASH { bless {a => [1]} } sub TIEARRAY { bless [1] } sub TIESCALAR { bless \(my $x = 1) } sub FETCH { 1 } sub FETCHSIZE { 1 } sub FIRSTKEY { } sub EXISTS { }
}
tie my %tied, 'Clone::Tie';
tie my @tied, 'Clone::Tie';
tie my $tied, 'Clone::Tie';
my $shared = {s => 1};
my $circle = {};
$circle->{c} = [$circle];
my %restricted = (a => 1, "\x{100}" => 2);
Hash::Util::lock_keys(%restricted, keys %restricted, 'b', "\x{101}");
my %locked = (a => [1]);
Hash::Util::lock_hash(%locked);
my $used = 12;
{ my $s = "$used" }
my $string = '13';
{ my $n = $string + 0 }
my @hole;
$hole[3] = 1;
my (@sized, @emptied, @walked, @longer) = (1 .. 5);
$#sized = 2;
@emptied = (1, 2);
$#emptied = -1;
@walked = ([1], 2);
each @walked;
@longer = (1);
$#longer = 6;
my @weak = ($shared, $shared);
weaken $weak[0];
my @data = (
    undef => \undef, true => \!!1, false => [!!0, \!!0], integer => \5, 'integers' => [-129 .. 129, 2**31, 2**32, ~0, -2**63], doubles => [0.5, -0.0, 3.0, 1e300, 9**9**9, -sin(9**9**9), 0.1 + 0.2],
    strings => ['', 'a', "\xe9", "\x{263a}", 'x' x 300, 'x' x 100_000, "\x{263a}" x 300], dualvars => [dualvar(5, 'x'), dualvar(1.5, "\x{263a}"), $used, $string], array => [1, [2, [3]]],
    'set $#' => [\@sized, \@emptied, \@longer], 'each' => \@walked, holes => \@hole, 'sv_undef' => sub { \@_ }->(undef, 1, undef), arguments => sub { \@_ }->($used, $used, $string), hash => {a => 1, b => {c => 2}}, 'UTF-8 keys' => {"\x{100}" => 1, "\xe9" => 2},
    'many keys' => {map { $_ => [$_] } 1 .. 1000}, restricted => \%restricted, locked => \%locked, 'reference to reference' => \\\1, shared => [$shared, $shared, \$shared->{s}], circular => $circle, weak => \@weak,
    object => bless({a => 1}, 'Clone::Object'), 'wide class' => bless([], "Clone::\x{263a}"), 'blessed scalar' => bless(\(my $x = 1), 'Clone::Scalar'), overloaded => [bless([], 'Clone::Over')],
    regexp => [qr/a/i, bless(qr/b/, 'Clone::Re')], vstring => [v1.2.3], 'tied hash' => \%tied, 'tied array' => \@tied, 'tied scalar' => \$tied, elements => [\$tied{a}, \$tied[3]],
    hook => bless({in => $shared}, 'Clone::Hook'), hooks => [$shared, bless({in => $shared}, 'Clone::Hook'), bless({in => {}}, 'Clone::Hook')], attach => [bless({}, 'Clone::Attach')],
);
while (my ($name, $data) = splice @data, 0, 2) {
    same_clone($name, $data);
    same_clone("$name as item, twice", [$data, $data]);
    same_clone("$name as value", {a => $data, b => [$data]});
    for my $canonical (0, 1) {
        local $Storable::canonical = $canonical;
        same_clone("$name, canonical $canonical", $data);
        my ($ours, $theirs) = map { outcome(sub { st->{nfreeze}->($_->{dclone}->($data)) })->{value} } pf, st;
        next unless $canonical;
        is($ours, $theirs, "$name: image of the clone");
    }
}
same_clone('code', [sub { 1 }]);
same_clone('glob', \*STDOUT);
{
    no warnings 'once';
    local $Storable::forgive_me = 1;
    same_clone('code, forgiven', [sub { 1 }]);
    local $Storable::Deparse = local $Storable::Eval = 1;
    same_clone('code, Deparse and Eval', [sub { 'cloned' }], code => 1) if eval { require B::Deparse };
}
same_outcome("dclone($_->[0])", sub { $_[0]{dclone}->($_->[1]) }) for ['undef', undef], ['number', 5], ['string', 'text'];

# A clone shares nothing with its original.
my $deep = {list => [1, {a => [2]}], text => 'x' x 5000, scalar => \'s', object => bless([bless {}, 'Clone::Object'], 'Clone::Object')};
my $clone = pf->{dclone}->($deep);
sub addresses {
    my %seen;
    my @todo = @_;
    while (@todo) {
        my $ref = shift @todo;
        next if !ref $ref || $seen{refaddr $ref}++;
        my $type = Scalar::Util::reftype($ref);
        push @todo, $type eq 'ARRAY' ? (@$ref, map { \$_ } @$ref) : $type eq 'HASH' ? (values %$ref, map { \$_ } values %$ref) : $type =~ /SCALAR|REF/ ? $$ref : ();
    }
    return \%seen;
}
my ($one, $two) = (addresses($deep), addresses($clone));
is(scalar(grep { $two->{$_} } keys %$one), 0, 'no address in common');
$clone->{text} .= 'changed';
substr($clone->{text}, 0, 1) = 'y';
is($deep->{text}, 'x' x 5000, 'changing a copied string leaves the original alone');
$deep->{text} = '';
is(length $clone->{text}, 5007, 'and the other way round');
{
    my $text = 'shared by copy-on-write ' x 100;
    my @copies = map { pf->{dclone}->([$text, {t => $text}]) } 1 .. 300;
    $_->[0] .= 'x' for @copies;
    $_->[1]{t} =~ tr/s/S/ for @copies;
    is($text, 'shared by copy-on-write ' x 100, 'many clones of one string');
    my %h = (key => 1);
    my ($key) = keys %h;
    my $c = pf->{dclone}->([$key]);
    $c->[0] .= 'x';
    is("@{[keys %h]} $key $c->[0]", 'key key keyx', 'a shared key copied as a value');
}
my @list = pf->{dclone}->([1]);
is(scalar @list, 1, 'list context: one value');

done_testing;
