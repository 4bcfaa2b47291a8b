use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Further references that STORABLE_freeze returns: seen before, later, only there.

our (@log, %return);
{
    package Extra;
    sub STORABLE_freeze { my ($self) = @_; push @main::log, 'freeze ' . ref $self; return ('s', $main::return{ref $self}->($self)) }
    sub STORABLE_thaw {
        my ($self, $cloning, $string, @refs) = @_;
        push @main::log, join ' ', 'thaw', ref $self, map { (ref) . '/' . Scalar::Util::reftype($_) } @refs;
        my $type = Scalar::Util::reftype($self);
        $type eq 'HASH' ? ($self->{refs} = \@refs) : $type eq 'ARRAY' ? (@$self = @refs) : ($$self = \@refs);
        return;
    }
    package Extra::B; our @ISA = 'Extra';
    package Extra::C; our @ISA = 'Extra';
}
$return{$_} = sub { return } for qw(Extra Extra::B Extra::C);
sub same_run {
    my ($name, $data) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    same_everywhere($name, $data, changes => 1);
    same_outcome("$name: calls of $_", sub { my ($m) = @_; @log = (); my $r = $m->{$_}->($data); $r = $m->{thaw}->($r) unless ref $r; [$r, @log] }) for qw(freeze dclone);
}
sub e { return bless $_[1] || {}, $_[0] }

my $one = [1];
my %h = (x => 1, y => [2]);
my @list = (5, 'six', [7]);
my $s = 'scalar';
my @sets = (
    'fresh array' => sub { [1] }, 'fresh hash' => sub { {a => [1]} }, 'fresh scalar' => sub { \my $x }, 'constant' => sub { \1 }, 'undef' => sub { \undef }, 'true' => sub { \!!1 },
    'shared' => sub { $one }, 'shared twice' => sub { ($one, $one) }, 'item' => sub { \$list[1] }, 'all items' => sub { map { \$_ } @list }, 'value' => sub { \$h{x} },
    'container' => sub { (\@list, \%h) }, 'scalar' => sub { \$s }, 'reference' => sub { \\$s }, 'itself' => sub { $_[0] }, 'itself by reference' => sub { \$_[0] },
    'own value' => sub { ref $_[0] && $_[0] =~ /HASH/ ? \$_[0]{v} : () }, 'other hook object' => sub { bless {}, 'Extra::C' }, 'two other hook objects' => sub { (bless({}, 'Extra::C'), bless([], 'Extra::C')) },
    'plain object' => sub { bless [], 'Plain' }, 'regexp' => sub { qr/x/ }, 'many' => sub { map { [$_] } 1 .. 10 }, '254' => sub { map { [$_] } 1 .. 254 },
    '255' => sub { map { [$_] } 1 .. 255 }, '256' => sub { map { [$_] } 1 .. 256 }, '300' => sub { map { $one } 1 .. 300 }, 'weak' => sub { my $w = $one; Scalar::Util::weaken($w); $w },
    'vstring' => sub { \(my $v = v1.2) }, 'deep' => sub { [[[[{a => [\1]}]]]] }, 'mixed' => sub { ($one, [1], \@list, $one, {h => \%h}) },
);
while (my ($name, $code) = splice @sets, 0, 2) {
    local $return{Extra} = $code;
    same_run("$name, alone", e('Extra'));
    same_run("$name, before", [e('Extra', {v => 1}), $one, \@list, \%h, \$s]);
    same_run("$name, after", [$one, \@list, \%h, \$s, e('Extra', {v => 1})]);
    same_run("$name, two", [e('Extra'), e('Extra', []), $one]);
    same_run("$name, in hash", {a => $one, b => e('Extra'), c => $one});
    local $return{'Extra::B'} = sub { my ($self) = @_; return ($one, e('Extra'), $one) };
    same_run("$name, by way of another", [e('Extra::B'), $one]);
}
{
    # Objects that return each other.
    my ($p, $q) = (e('Extra::B'), e('Extra::C'));
    local $return{'Extra::B'} = sub { $q };
    local $return{'Extra::C'} = sub { $p };
    same_run('each other', [$p, $q]);
    same_run('each other, one as root', $p);
    my @ring = map { e('Extra', {n => $_}) } 0 .. 9;
    local $return{Extra} = sub { $ring[($_[0]{n} + 1) % 10] };
    same_run('ring', [@ring]);
    same_run('ring from one', $ring[3]);
    local $return{Extra} = sub { my $n = $_[0]{n}; ($n ? $ring[$n - 1] : (), \@ring) };
    same_run('list that holds them', \@ring);
    my $tree = e('Extra', {n => 0});
    my %children = (0 => [map { e('Extra', {n => $_}) } 1 .. 3], 1 => [map { e('Extra', {n => $_}) } 4 .. 6]);
    local $return{Extra} = sub { @{$children{$_[0]{n}} || []} };
    same_run('tree', $tree);
}
{
    # What a hook returns is kept until the end of the run: addresses stay unique.
    local $return{Extra} = sub { return ([$_[0]{n}], {n => $_[0]{n}}, \(my $x = $_[0]{n})) };
    same_run('many fresh ones', [map { e('Extra', {n => $_}) } 1 .. 300]);
    local $return{Extra} = sub { return [$_[0]{n}] };
    local $return{'Extra::B'} = sub { return map { e('Extra', {n => $_}) } 1 .. 20 };
    same_run('many fresh hook objects', [map { e('Extra::B') } 1 .. 20]);
}
same_thaw('tag of the object itself', "\x05\x0b\x13\x82\x05Extra\x01x\x01\0\0\0\0");
same_thaw('tag not given', "\x05\x0b\x13\x82\x05Extra\x01x\x01\0\0\0\x09");
same_thaw('list length 0', "\x05\x0b\x13\x82\x05Extra\x01x\x00");
same_thaw('large forms of small numbers', "\x05\x0b\x13\x9e\0\0\0\x05Extra\0\0\0\x01x\0\0\0\x01\0\0\0\0");

done_testing;
