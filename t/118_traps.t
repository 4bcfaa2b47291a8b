use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

no warnings "once";

# Numbering of objects: what takes a number, what is the same object.

use Scalar::Util qw(weaken);

my $shared = ['shared'];
{
    package Trap::Tie;
    sub TIESCALAR { bless [] } sub TIEARRAY { bless [] } sub TIEHASH { bless {} }
    sub FETCH { 1 } sub FETCHSIZE { 1 } sub FIRSTKEY { }
    package Trap::Hook;
    our @RETURN;
    sub STORABLE_freeze { return ('x', @RETURN) }
    sub STORABLE_thaw { my ($self, $cloning, $string, @refs) = @_; $self->{refs} = \@refs }
    package Trap::Over;
    use overload '""' => sub { 'x' };
}
my $args = sub { \@_ };
my %before = (
    'undef item' => sub { [undef] }, '&PL_sv_undef item' => sub { $args->(undef) }, 'two &PL_sv_undef items' => sub { $args->(undef, undef) },
    hole => sub { my @a; $#a = 2; \@a }, 'reference to undef' => sub { \undef }, 'two references to undef' => sub { [\undef, \undef] },
    'references to true' => sub { [\!!1, \!!1, \!!0] }, 'true items' => sub { [!!1, !!1] }, 'true arguments' => sub { $args->(!!1, !!1, !!0) },
    vstring => sub { [v1.2.3] }, regexp => sub { [qr/x/] }, 'bare regexp' => sub { my $x = ${qr/x/}; [\$x] },
    'tied scalar' => sub { tie my $x, 'Trap::Tie'; \$x }, 'tied array' => sub { tie my @x, 'Trap::Tie'; \@x }, 'tied hash' => sub { tie my %x, 'Trap::Tie'; \%x },
    'tied element' => sub { tie my @x, 'Trap::Tie'; \$x[3] }, 'tied key' => sub { tie my %x, 'Trap::Tie'; \$x{k} },
    object => sub { bless [], 'Trap::Class' }, 'objects' => sub { [map { bless [], 'Trap::Class' } 1 .. 3] }, overloaded => sub { [bless [], 'Trap::Over'] },
    hook => sub { bless {}, 'Trap::Hook' }, 'weak' => sub { my @a = ($shared); weaken $a[0]; \@a },
    placeholder => sub { my %h; Hash::Util::lock_keys(%h, 'a', 'b'); \%h }, 'UTF-8 key' => sub { {"\x{100}" => 1} },
    'same argument twice' => sub { my $x = 1; $args->($x, $x) }, 'scalar twice' => sub { my $x = 1; [\$x, \$x] },
);
for my $name (sort keys %before) {
    my $data = [$before{$name}->(), $shared, [$shared], $shared];
    same_everywhere("$name before a shared thing", $data);
    local $Storable::canonical = 1;
    same_everywhere("$name twice", {a => $data->[0], b => $shared, c => $data->[0], d => $shared});
}

# Items whose count is 1 and that a hook returns later, or has returned before.
for my $kind ('scalar', 'array', 'hash', 'item', 'value', 'object') {
    my %make = (
        scalar => sub { my $x = 5; \$x }, array => sub { [1] }, hash => sub { {a => 1} }, item => sub { my @a = (1, 2); \$a[1] },
        value => sub { my %h = (a => 1); \$h{a} }, object => sub { bless [], 'Trap::Class' },
    );
    my $thing = $make{$kind}->();
    my $hook = bless {}, 'Trap::Hook';
    local @Trap::Hook::RETURN = ($thing);
    same_everywhere("$kind before the hook that returns it", [$thing, $hook]);
    same_everywhere("$kind after the hook that returns it", [$hook, $thing]);
    same_everywhere("$kind only in the hook", [$hook, $shared, $shared]);
    same_everywhere("$kind between", [$hook, $thing, bless({}, 'Trap::Hook'), $thing]);
    @Trap::Hook::RETURN = ($thing, $thing, \$thing);
    same_everywhere("$kind, returned twice", [$hook, $thing]);
}
{
    my @list = (1, 'two', [3], {four => 4}, \5);
    my $hook = bless {}, 'Trap::Hook';
    local @Trap::Hook::RETURN = map { \$_ } @list;
    same_everywhere('items met before, returned by a hook', [\@list, $hook]);
    same_everywhere('items met later, returned by a hook', [$hook, \@list]);
    my %h = (a => 1, b => [2]);
    @Trap::Hook::RETURN = map { \$h{$_} } sort keys %h;
    same_everywhere('values met before, returned by a hook', [\%h, $hook]);
    same_everywhere('values met later, returned by a hook', [$hook, \%h]);
}

# The count alone does not tell: back-references in the hash body, arrays that own nothing.
{
    my %h = (inner => {a => 1});
    $h{weak} = $h{inner};
    weaken $h{weak};
    same_everywhere('hash of count 1 with weak references to it', \%h);
    my $top = {list => [{n => 1}, {n => 2}]};
    $_->{top} = $top, weaken $_->{top} for @{$top->{list}};
    same_everywhere('parents', $top);
    my $x = 'x';
    sub { same_bytes('@_ with an item twice', *_{ARRAY}) }->($x, $x);
    sub { same_bytes('@_ in a structure', [*_{ARRAY}, \$_[0]]) }->($x, $x);
    sub { same_bytes('@_ with temporaries', *_{ARRAY}) }->("$x", "$x", [1]);
    my @list = (1, 2);
    sub { same_bytes('@_ with items of what it holds', *_{ARRAY}) }->(@list, \@list, @list);
}

# CODE takes two numbers.
if (eval { require B::Deparse }) {
    local $Storable::Deparse = local $Storable::Eval = 1;
    same_everywhere('code before a shared thing', [sub { 1 }, $shared, $shared], code => 1);
}
{
    local $Storable::forgive_me = 1;
    same_everywhere('forgiven before a shared thing', [sub { 1 }, \*STDOUT, $shared, $shared]);
}

done_testing;
