# What thaw says of an argument that is no string, or none that holds an image: the same as Storable.
use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Scalar::Util qw(dualvar);
use Test::More;

{ package Stringy; use overload '""' => sub { Storable::freeze([1]) }, fallback => 1; }
{ package Held; sub TIESCALAR { bless [$_[1]] } sub FETCH { $_[0][0] } }

my $image = st->{freeze}->([1]);
tie my $tied_image,  'Held', $image;
tie my $tied_number, 'Held', 5;
tie my $tied_ref,    'Held', [];
my $used_as_string = 5;
my $text = "$used_as_string";
my %argument = (
    'undef'                   => \undef,
    'empty string'            => \'',
    'integer'                 => \1,
    'float'                   => \1.5,
    'integer used as string'  => \$used_as_string,
    'dualvar with an image'   => \dualvar(5, $image),
    'vstring'                 => \v4.11.8,
    'true'                    => \!!1,
    'false'                   => \!!0,
    'glob'                    => \*STDOUT,
    'array'                   => \[],
    'code'                    => \sub { 1 },
    'regexp'                  => \qr/x/,
    'reference to an image'   => \\$image,
    'object that is an image' => \bless([], 'Stringy'),
    'tied image'              => \$tied_image,
    'tied number'             => \$tied_number,
    'tied reference'          => \$tied_ref,
);
same_outcome("thaw of $_", do { my $it = $argument{$_}; sub { $_[0]{thaw}->($$it) } }) for sort keys %argument;
same_outcome('thaw of a missing element', sub { my %h; $_[0]{thaw}->($h{x}) });
same_outcome('thaw of a capture', sub { $image =~ /(.*)/s or die; $_[0]{thaw}->($1) });

done_testing;
