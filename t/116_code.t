use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Code references with Deparse and Eval.

plan skip_all => 'no B::Deparse' unless eval { require B::Deparse };
local $Storable::Deparse = $Storable::Deparse = 1;
local $Storable::Eval    = $Storable::Eval = 1;

my $sub = sub { 6 * 7 };
my @code = (
    simple => $sub, arguments => sub { my ($x) = @_; return defined $x ? $x + 1 : 'none' }, list => sub { (1, 2, 3) }, empty => sub { },
    text => sub { "a\x{263a}b" }, long => eval 'sub { ' . join(' + ', 1 .. 200) . ' }', strict => eval 'use strict; sub { my $x = 1; $x }',
    nested => sub { my $in = sub { 5 }; $in->() }, prototype => sub ($) { 3 }, quotes => sub { q{'"} . "\n\t" },
    'wide name' => eval qq{use utf8; sub { my \$\x{e9}t\x{e9} = '\x{263a}'; \$\x{e9}t\x{e9} }},
    constant => sub () { 5 }, regexp => sub { 'abc' =~ /b/ ? 'yes' : 'no' },
);
while (my ($name, $code) = splice @code, 0, 2) {
    next unless $code;
    same_everywhere($name, [$code], code => 1);
    same_everywhere("$name as root", $code, code => 1);
    my $shared = [];
    same_everywhere("$name twice and before a shared thing", [$code, $code, $shared, $shared], code => 1);
}
same_everywhere('blessed', bless(sub { 'object' }, 'Code::Class'), code => 1);
same_everywhere('blessed as item', [bless(sub { 'object' }, 'Code::Class'), bless(sub { 2 }, 'Code::Class')], code => 1);
same_everywhere('in a hash', {code => $sub, again => $sub}, code => 1);
same_everywhere('reference to code reference', \$sub, code => 1);
{
    my $named = \&named;
    sub named { return 'named' }
    same_everywhere('named', [$named], code => 1);
    same_outcome('declared only', sub { $_[0]{freeze}->([\&Not::There::yet]) });
    same_outcome('XSUB', sub { $_[0]{freeze}->([\&Scalar::Util::blessed]) });
}

done_testing;
