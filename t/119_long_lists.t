use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Scalar::Util ();
use Test::More;

# Long runs of plain items in an array, and what names them later: references back into the
# run, hooks' lists, weak references, repeated keys.

{
    package Listing;
    sub new            { my ($class, @refs) = @_; return bless {refs => [@refs]}, $class }
    sub STORABLE_freeze { my ($self) = @_; return ('x', @{$self->{refs}}) }
    sub STORABLE_thaw   { my ($self, $cloning, $text, @refs) = @_; $self->{refs} = \@refs; return }
}

# Items around the length at which a run is no longer listed one by one.
for my $length (1, 14 .. 18, 100, 1000) {
    my @list = (1 .. $length);
    same_everywhere("$length items, first", [\@list, \$list[0]]);
    same_everywhere("$length items, last", [\@list, \$list[-1], \@list]);
    same_everywhere("$length items, all", [\@list, map { \$_ } @list]);
    same_everywhere("$length items, backwards", {list => \@list, refs => [map { \$_ } reverse @list]});
}

# Several runs, with other things between, behind and within them.
{
    my @a = map { $_ * 1.5 } 1 .. 40;
    my @b = map { "item $_" } 1 .. 40;
    my @c = ((1 .. 20), [1 .. 20], (1 .. 20), undef, (1 .. 20), \1, (1 .. 3));
    my $all = [\@a, \@b, \@c];
    my @refs = map { \$_ } @a, @b, @c;
    same_everywhere('three runs', [$all, @refs]);
    same_everywhere('three runs, the references between', [\@a, @refs[0 .. 9], \@b, @refs[30 .. 59], \@c, @refs]);
    my $weak = [$all, map { \$_ } @a[3, 39], @b[0, 20], @c[0, 19, 20, 21, 40, 45]];
    Scalar::Util::weaken($weak->[$_]) for 1 .. $#$weak;
    same_everywhere('weak references into runs', $weak);
    same_everywhere('more runs behind weak references', [$weak, [1 .. 50], $weak, [map { \$_ } @a]]);
}

# A hook is given references into runs before and behind its own position.
{
    my @list = (1 .. 30, map { "t$_" } 1 .. 30);
    same_everywhere('hook behind a run', [\@list, Listing->new(\$list[0], \$list[29], \$list[59], \@list)]);
    same_everywhere('hook between runs', [[1 .. 25], Listing->new(\$list[3], [1 .. 25], \@list), \@list, \$list[3]]);
    same_everywhere('hooks and runs by turns', [map { my $n = $_; (Listing->new(\$list[$n]), [1 .. 20 + $n], \$list[$n + 20]) } 0 .. 9]);
}

# References to references: their chain is found by tag when its end is there, and what is at
# the end may make the runs be listed meanwhile.
{
    my @list = (1 .. 30);
    same_everywhere('chains of references to a hook', [[1 .. 20], \\\\Listing->new(\$list[3], \@list), [1 .. 20], \\\$list[20]]);
    my $weak = [[1 .. 20], \@list, \\[\@list], [1 .. 20]];
    Scalar::Util::weaken(${${$weak->[2]}}->[0]);
    same_everywhere('chains of references to a weak one', $weak);
    same_everywhere('references to what is known', [\@list, map { (\$_, \$_, \@list) } @list]);
    my $self = [1 .. 20];
    push @$self, \$self->[20], \$self;
    same_everywhere('references to themselves', $self);
    undef @$self;
}

# Arrays that hold each other.
{
    my @outer = (1 .. 20);
    push @outer, [1 .. 20, \@outer, 1 .. 20], 1 .. 20;
    same_everywhere('run in a circle', \@outer);
    free_deep(\@outer);
}

# A repeated key frees nothing that a tag still names: made by hand, for no Storable writes it.
SKIP: {
    skip 'stock frees what is named later', 2 if is_stock;
    my $list = pack('CN', 2, 20) . join '', map { pack 'CC', 8, 128 + $_ } 1 .. 20;
    my $key = pack('N', 1) . 'k';
    my $image = "\x05\x0b" . "\x03" . pack('N', 3) . "\x04$list$key" . "\x04\x02\0\0\0\0$key" . "\x04\0" . pack('N', 22) . pack('N', 1) . 'r';
    my $data = pf->{thaw}->($image);
    is_deeply($data, {k => [], r => \20}, 'an item of an array whose place another took')
        or diag explain $data;
    undef $data;
    pass('freed');
}

done_testing;
