# perl5 17037: my $f = [qr//, []]; weaken($f->[1][0][0] = $f->[1]); dclone $f.
# Weak references to what is held elsewhere, or by nothing else, in every order.
use strict;
use warnings;
use lib 't/lib';
use Scalar::Util qw(weaken isweak);
use Test::More;
use PermafrostTest;

my $f = [qr//, []];
weaken($f->[1][0][0] = $f->[1]);
my $clone = pf->{dclone}->($f);
is($clone->[1][0][0], $clone->[1], 'the report: the clone points into itself');
ok(isweak($clone->[1][0][0]), '... weakly');
same_everywhere('the report', $f);

my %case;
{
    my $tree = {name => 'root', kids => []};
    for my $n (1 .. 5) {
        my $kid = {name => $n, parent => $tree};
        weaken($kid->{parent});
        push @{$tree->{kids}}, $kid;
    }
    $case{'a tree with weak parents'} = $tree;
}
{
    my $object = {};
    my $data = [undef, $object];
    weaken($data->[0] = $object);
    $case{'the weak one first'} = $data;
}
{
    my $object = {};
    my $data = [$object, undef];
    weaken($data->[1] = $object);
    $case{'the strong one first'} = $data;
}
{
    my $loop = {};
    weaken($loop->{self} = $loop);
    $case{'a weak loop'} = $loop;
}
{
    my $loop = [];
    weaken($loop->[0] = $loop);
    $case{'a weak loop of an array'} = $loop;
}
{
    my $x = \my $y;
    weaken(my $weak = $x);
    $y = 1;
    $case{'a weak root'} = [\$weak, $x];
}
{
    package Overloaded;
    use overload '""' => sub { 'text' }, '==' => sub { 1 }, fallback => 1;
    package main;
    my $object = bless {}, 'Overloaded';
    my $data = {weak => $object, strong => $object};
    weaken($data->{weak});
    $case{'overloaded'} = $data;
    my $self = bless {}, 'Overloaded';
    weaken($self->{self} = $self);
    $case{'overloaded loop'} = [$self];
}
{
    my $scalar = 'text';
    my $data = [\$scalar, \$scalar, \$scalar];
    weaken($data->[1]);
    $case{'a scalar'} = $data;
    my @array = ('element');
    my $to = [\@array, \$array[0]];
    weaken($to->[1]);
    $case{'an element'} = $to;
    my $before = [\$array[0], \@array];
    weaken($before->[0]);
    $case{'an element, weak first'} = $before;
    my %hash = (key => 'value');
    my $value = [\$hash{key}, \%hash];
    weaken($value->[0]);
    $case{'a value'} = $value;
}
{
    my $data = [qr/x/, qr/y/];
    push @$data, $data->[0], $data->[1];
    weaken($data->[2]);
    $case{'regexps'} = $data;
}
{
    my @kept = map { {n => $_} } 1 .. 3;
    my $data = {map { ("weak $_" => $kept[$_ - 1]) } 1 .. 3};
    weaken($data->{"weak $_"}) for 1 .. 3;
    $case{'held outside only'} = $data;
    $case{'kept'} = \@kept;
}
for my $name (sort keys %case) {
    next if $name eq 'kept';
    # What is held by nothing in the copy vanishes there; bytes must be the same anyway.
    same_everywhere($name, $case{$name});
}
{
    my $copy = pf->{dclone}->($case{'a tree with weak parents'});
    is_deeply([map { isweak($_->{parent}) ? 1 : 0 } @{$copy->{kids}}], [(1) x 5], 'weak stays weak');
    is_deeply([map { $_->{parent} == $copy ? 1 : 0 } @{$copy->{kids}}], [(1) x 5], 'and points to the copy');
    my $gone = 0;
    { package Gone; sub DESTROY { $gone++ } }
    $copy->{guard} = bless [], 'Gone';
    undef $copy;
    is($gone, 1, 'a tree with weak parents goes away at once');
    $copy = pf->{thaw}->(pf->{freeze}->($case{'a tree with weak parents'}));
    $copy->{guard} = bless [], 'Gone';
    undef $copy;
    is($gone, 2, 'also when it came from an image');
}

done_testing();
