# Items that are built, get a tag, and have no place in the data: values of placeholders, what
# stands behind a self-tied scalar, refused keys. A tag may name them later, and a run that
# fails frees all that has tags.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'stock crashes' if is_stock();

sub n { return pack 'N', $_[0] }
my %image = (
    'value of a placeholder'           => ["\x19\1" . n(2) . "\x0a\3abc\x14" . n(1) . 'k' . "\0" . n(1) . "\0" . n(1) . 'v', {v => 'abc'}],
    '... in a hash without lock'       => ["\x19\0" . n(2) . "\x0a\3abc\x14" . n(1) . 'k' . "\0" . n(1) . "\0" . n(1) . 'v', {v => 'abc'}],
    '... a container'                  => ["\x19\1" . n(2) . "\x04\x02" . n(1) . "\x0a\1a\x14" . n(1) . 'k' . "\0" . n(1) . "\0" . n(1) . 'v', {v => ['a']}],
    'behind a self-tied scalar'        => ["\x02" . n(2) . "\x04\x0d\x05\x04\0" . n(3), undef],
    'a key that is a scalar'           => ["\x19\0" . n(2) . "\x05\x08\x0a\1k\0" . n(2) . "\0" . n(1) . 'v', {k => undef, v => 'k'}],
    'a value whose key came before'    => ["\x03" . n(3) . "\x0a\1a" . n(1) . "k\x0a\1b" . n(1) . 'k' . "\0" . n(1) . n(1) . 'v', {k => 'b', v => 'a'}],
    'a placeholder whose key came before' => ["\x19\1" . n(3) . "\x0a\1a\0" . n(1) . "k\x0a\1b\x14" . n(1) . 'k' . "\0" . n(1) . "\0" . n(1) . 'v', {v => 'a'}],
    'what a weak reference refers to'  => ["\x02" . n(2) . "\x1b\x02" . n(1) . "\x0a\1a\x04\0" . n(2), [['a'], ['a']]],
);
for my $name (sort keys %image) {
    my ($body, $want) = @{$image{$name}};
    my $got = in_child(sub {
        for my $cut (0 .. length $body) {
            for (1 .. 3) {
                my $data = eval { pf->{thaw}->("\x05\x0b" . substr $body, 0, $cut) };
                my @others = map { [$_] } 1 .. 20;    # what was freed has a new owner
            }
        }
        my $data = pf->{thaw}->("\x05\x0b$body");
        my @others = map { "other $_" } 1 .. 50;
        return 'read' if !$want;
        return is_same($data, $want) ? 'read' : tagged($data);
    });
    is($got, 'read', "$name: cut anywhere, and whole");
}

# Same items, shared or not.
sub is_same {
    my ($left, $right) = @_;
    return (defined $left ? $left : 'undef') eq (defined $right ? $right : 'undef') if !ref $left;
    return ref $left eq ref $right && @$left == @$right && !grep { !is_same($left->[$_], $right->[$_]) } 0 .. $#$left if ref $left eq 'ARRAY';
    return ref $right eq 'HASH' && join("\0", sort keys %$left) eq join("\0", sort keys %$right)
        && !grep { !is_same($left->{$_}, $right->{$_}) } keys %$left;
}

# A hook empties the restricted hash that is being built around it: perl must not be told of
# entries that are gone.
{
    package Dropped::Clears;
    our $around;
    sub STORABLE_thaw { my ($self, $cloning, $string, $hash) = @_; %$hash = (); return }
}
for my $flags ("\0", "\1") {
    my $got = in_child(sub {
        my $data = pf->{thaw}->("\x05\x0b\x19$flags" . n(4) . "\x0e\x14" . n(1) . "a\x0e\x14" . n(1) . "b\x04\x13\x82\x0fDropped::Clears\0\1" . n(0) . "\0" . n(1) . "h\x08\x81\0" . n(1) . 'z');
        my @keys = sort keys %$data;
        return scalar(@keys) . " @keys " . scalar(%$data);
    });
    is($got, '2 h z 2', 'placeholders that a hook has cleared away');
}

done_testing();
