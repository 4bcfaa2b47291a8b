use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Tied scalars, arrays and hashes, and their elements.

our @CALL;
{
    package Tied::Base;
    our $AUTOLOAD;
    sub new { my ($class, $in) = @_; return bless $in, $class }
    sub TIESCALAR { return new(@_) }
    sub TIEARRAY  { return new(@_) }
    sub TIEHASH   { return new(@_) }
    sub AUTOLOAD {
        my ($name) = $AUTOLOAD =~ /(\w+)\z/;
        return if $name eq 'DESTROY';
        push @main::CALL, $name;
        return $name eq 'FETCHSIZE' ? 3 : "$name $_[1]";
    }
    sub can { return UNIVERSAL::can(@_) }
    package Tied::Other;
    our @ISA = 'Tied::Base';
    package Tied::Hook;
    our @ISA = 'Tied::Base';
    sub STORABLE_freeze { return ('hook', [1]) }
    sub STORABLE_thaw { my ($self, $cloning, $string, $ref) = @_; %$self = (string => $string, ref => $ref) }
}
sub tied_ones {
    my ($class, $in) = @_;
    tie my $x, $class, $in->();
    tie my @x, $class, $in->();
    tie my %x, $class, $in->();
    return (scalar => \$x, array => \@x, hash => \%x);
}
my %in = (hash => sub { {a => 1} }, array => sub { [1, 2] }, scalar => sub { \(my $x = 1) }, ref => sub { \(my $x = [1]) });
for my $in (sort keys %in) {
    for my $class (qw(Tied::Base Tied::Other), $in eq 'hash' ? 'Tied::Hook' : ()) {
        my %tied = tied_ones($class, $in{$in});
        for my $kind (sort keys %tied) {
            my $ref = $tied{$kind};
            @CALL = ();
            same_everywhere("tied $kind, $class, $in", $ref);
            same_everywhere("tied $kind, $class, $in, as item", [$ref, $ref]);
            is("@CALL", '', "tied $kind, $class, $in: not read through");
            same_everywhere("tied $kind, $class, $in, blessed", [bless($ref, 'Tied::Blessed'), $ref]);
            same_everywhere("tied $kind, $class, $in, tie object again", [$ref, tied_object($ref)]);
            same_everywhere("tied $kind, $class, $in, tie object before", [tied_object($ref), $ref]);
        }
    }
}
sub tied_object {
    my ($ref) = @_;
    my $type = Scalar::Util::reftype($ref);
    return $type eq 'ARRAY' ? tied @$ref : $type eq 'HASH' ? tied %$ref : tied $$ref;
}
{
    tie my @x, 'Tied::Base', [1];
    tie my %x, 'Tied::Base', {};
    same_everywhere('element of a tied array', \$x[3]);
    same_everywhere('elements of a tied array', [\$x[0], \$x[300], \@x]);
    same_everywhere('element of a tied hash', \$x{key});
    same_everywhere('elements of a tied hash', [\$x{a}, \$x{"\x{263a}"}, \$x{''}, \%x, \$x{'x' x 300}]);
    my $e = \$x[2];
    my $k = \$x{again};
    same_everywhere('elements twice', [$e, $e, $k, $k]);
    my $key = 'variable';
    same_everywhere('element by variable', [\$x{$key}, \$key]);
    same_everywhere('negative index', \$x[-1]);
    same_everywhere('blessed element', bless \$x[1], 'Element');
}
{
    my $self = {};
    tie my %circle, 'Tied::Base', $self;
    $self->{back} = \%circle;
    same_everywhere('tie object that refers to its hash', \%circle);
    untie my @none;
    tie my @untied, 'Tied::Base', [];
    untie @untied;
    same_everywhere('untied', \@untied);
    require Tie::Hash;
    tie my %std, 'Tie::StdHash';
    %std = (a => 1, b => [2]);
    same_everywhere('Tie::StdHash', \%std);
    require Tie::Array;
    tie my @std, 'Tie::StdArray';
    @std = (1, [2]);
    same_everywhere('Tie::StdArray', \@std);
    require Tie::Scalar;
    tie my $std, 'Tie::StdScalar', 5;
    same_everywhere('Tie::StdScalar', [\$std, \$std]);
    same_everywhere('tied scalar by value', [$std]);
    my $thawed = pf->{thaw}->(pf->{nfreeze}->([\%std, \@std, \$std]));
    is($thawed->[0]{b}[0], 2, 'thawed tied hash works');
    is($thawed->[1][1][0], 2, 'thawed tied array works');
    is(${$thawed->[2]}, 5, 'thawed tied scalar works');
    my $clone = pf->{dclone}->([\%std, \@std, \$std]);
    is($clone->[0]{a}, 1, 'cloned tied hash works');
    for my $flags (0 .. 7) {
        my $image = st->{freeze}->([\%std]);
        same_outcome("flags $flags", sub { $_[0]{thaw}->($image, $flags) });
        $image = st->{freeze}->([\@std]);
        same_outcome("flags $flags, array", sub { $_[0]{thaw}->($image, $flags) });
        $image = st->{freeze}->([\$std]);
        same_outcome("flags $flags, scalar", sub { $_[0]{thaw}->($image, $flags) });
    }
}
same_thaw('TIED_ARRAY of a plain array', "\x05\x0b\x0b\x04\x02\0\0\0\0");
same_thaw('TIED_HASH of a class without methods', "\x05\x0b\x0c\x04\x11\x04None\x03\0\0\0\0");
same_thaw('TIED_HASH of undef', "\x05\x0b\x0c\x0e");
same_thaw('TIED_SCALAR of undef', "\x05\x0b\x0d\x0e");
same_thaw('TIED_ARRAY of undef', "\x05\x0b\x0b\x0e");

done_testing;
