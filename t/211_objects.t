# Permafrost->new: options, methods, strictness.
use strict;
use warnings;
use lib 't/lib';
use Config;
use File::Temp ();
use Scalar::Util qw(blessed weaken);
use Test::More;
use PermafrostTest;

plan skip_all => 'stock Storable has no objects' if is_stock();
my $dir = File::Temp::tempdir(CLEANUP => 1);

# What the code dies with.
sub error_of {
    my ($code) = @_;
    return eval { $code->(); 1 } ? undef : $@;
}

sub dies_as {
    my ($name, $like, $code, $what) = @_;
    my $error = error_of($code);
    isa_ok($error, 'Permafrost::Error', $what) or return;
    is($error->name, $name, '... its name');
    like($error->message, $like, '... its message');
    like("$error", qr/ at \Q${\__FILE__}\E line \d+\.\n\z/, '... where the user called');
    return $error;
}

# Options
for my $case (['an unknown one', qr/^unknown option 'colour'; there are atomic, .*trust$/, colour => 1],
    ['pairs', qr/^options come in pairs/, 'order'],
    ['order', qr/^bad value 'vax' for option order: it must be 'network' or 'native'$/, order => 'vax'],
    ['order', qr/^bad value undef for option order/, order => undef],
    ['trust', qr/^bad value 'none' for option trust/, trust => 'none'],
    map({ my $name = $_; map { ["$name => $_", qr/^bad value '.*' for option $name: it must be a positive integer/, $name => $_] }
            0, -1, 1.5, 'many', '1e3', [], '' } qw(max_depth max_bytes max_items)),
    map({ ["max_minor => $_", qr/^bad value '.*' for option max_minor: .*from 0 to 12/, max_minor => $_] } -1, 13, 'x', '05'),
    ['canonical', qr/^bad value 'ARRAY.*' for option canonical: it must be true or false/, canonical => []],
    ['classes alone', qr/^option classes and trust 'classes' need each other/, classes => ['A']],
    ['classes with full', qr/^option classes and trust 'classes' need each other/, classes => ['A'], trust => 'full'],
    ['no classes', qr/^option classes and trust 'classes' need each other/, trust => 'classes'],
    map({ ["classes => $_", qr/^bad value '.*' for option classes/, trust => 'classes', classes => $_] } 'A', {A => 1}, [[]], [undef], [''])) {
    my ($what, $like, @options) = @$case;
    dies_as(argument => $like, sub { $MODULE->new(@options) }, "options: $what");
}
{
    my @names = ('A');
    my $pf = $MODULE->new(trust => 'classes', classes => \@names, max_bytes => 100, canonical => 1);
    my %options = $pf->options;
    is_deeply(\%options, {order => 'network', canonical => 1, trust => 'classes', classes => ['A'], max_depth => undef,
        max_bytes => 100, max_items => undef, exact_numbers => 0, max_minor => undef, atomic => 0}, 'options()');
    push @names, 'B';
    push @{ $options{classes} }, 'B';
    $options{max_bytes} = 1;
    dies_as(class => qr/^Class B is not allowed/, sub { $pf->freeze(bless [], 'B') }, 'an object cannot be changed');
    ok($pf->freeze(bless [], 'A'), '... nor its limits');
    my $other = $MODULE->new($pf->options, max_bytes => 5);
    dies_as(bytes => qr/5$/, sub { $other->freeze(bless [], 'A') }, 'a changed copy');
    is_deeply({$MODULE->new($MODULE->new->options)->options}, {$MODULE->new->options}, 'defaults make the same again');
}

# Round trips: the functions' bytes
for my $data ([1, 'two', {3 => [4.5]}], {a => undef, "\x{263a}" => "\x{263a}"}, \'scalar', \\'x', [], {}) {
    my $pf = $MODULE->new(canonical => 1);
    local ($Storable::canonical, $Permafrost::canonical) = (1, 1);
    is(unpack('H*', $pf->freeze($data)), unpack('H*', st->{nfreeze}->($data)), 'network order, Storable\'s bytes');
    is(unpack('H*', $MODULE->new(order => 'native', canonical => 1)->freeze($data)), unpack('H*', st->{freeze}->($data)), '... native');
    is_deeply($pf->thaw($pf->freeze($data)), $data, '... thaw');
    is_deeply($pf->deserialize($pf->serialize($data)), $data, '... serialize, deserialize');
    is_deeply($pf->clone($data), $data, '... clone');
    is_deeply($pf->thaw(st->{freeze}->($data)), $data, '... of Storable\'s native image');
    ok($pf->store($data, "$dir/x"), '... store');
    is_deeply($pf->retrieve("$dir/x"), $data, '... retrieve');
    is_deeply(st->{retrieve}->("$dir/x"), $data, '... by Storable');
    ok($pf->lock_store($data, "$dir/x"), '... lock_store');
    is_deeply($pf->lock_retrieve("$dir/x"), $data, '... lock_retrieve');
    my $buffer = '';
    open my $out, '>', \$buffer or die $!;
    $pf->store_fd($data, $out) for 1, 2;
    close $out;
    open my $in, '<', \$buffer or die $!;
    is_deeply([map { $pf->fd_retrieve($in) } 1, 2], [$data, $data], '... store_fd, fd_retrieve, twice');
}
{
    local ($Permafrost::canonical, $Permafrost::forgive_me) = (1, 1);
    my %big = map { ($_ => 1) } 1 .. 50;
    my $image = $MODULE->new->freeze(\%big);
    isnt($image, st->{nfreeze}->(\%big), 'package variables do not count');
    dies_as(item => qr/^Can't store CODE items$/, sub { $MODULE->new->freeze([sub { 1 }]) }, '... forgive_me');
}
is($MODULE->new->nfreeze([1]), $MODULE->new(order => 'native')->nfreeze([1]), 'nfreeze is network order, always');

# Shared, circular and weak references are plain data
{
    my $data = [{}, undef, \my $x];
    $data->[0]{list} = $data;
    weaken($data->[0]{list});
    $data->[1] = $data->[0];
    my $copy = $MODULE->new->thaw($MODULE->new->freeze($data));
    is($copy->[0], $copy->[1], 'shared');
    is($copy->[0]{list}, $copy, 'circular');
    ok(Scalar::Util::isweak($copy->[0]{list}), 'weak');
}

# Wrong arguments
my $pf = $MODULE->new;
for my $method (qw(freeze serialize nfreeze)) {
    dies_as(argument => qr/^not a reference$/, sub { $pf->$method(@$_) }, "$method(" . (defined $_->[0] ? $_->[0] : @$_ ? 'undef' : '') . ')')
        for [], [undef], [1], ['x'];
    dies_as(argument => qr/^too many arguments$/, sub { $pf->$method([], 1) }, "$method of two");
}
dies_as(argument => qr/^Not a reference$/, sub { $pf->clone(1) }, 'clone(1)');
dies_as(argument => qr/^Not a scalar string$/, sub { $pf->thaw(@$_) }, 'thaw of no string') for [], [undef], [[]], [\'x'], [5], [*STDOUT];
dies_as(truncated => qr/^Storable string is empty \(0 bytes\)$/, sub { $pf->thaw('') }, 'thaw of nothing');
dies_as(argument => qr/^Frozen string corrupt/, sub { $pf->thaw("\5\x0b\x{100}") }, 'thaw of text');
dies_as(argument => qr/^not a valid file descriptor$/, sub { $pf->fd_retrieve('x') }, 'fd_retrieve of a name');
dies_as(argument => qr/^wrong argument number$/, sub { $pf->store([]) }, 'store to nothing');
like(error_of(sub { my $object = bless {}, $MODULE; $object->clone([]) }), qr/^clone is a method of objects that Permafrost->new has made/, 'not made by new');

# Strictness: every cut, every surplus
my $image = $pf->freeze({list => [1, 'two', [3]], n => 1.5});
for my $length (1 .. length($image) - 1) {
    my $error = error_of(sub { $pf->thaw(substr $image, 0, $length) });
    is(ref $error && $error->name, 'truncated', "cut to $length bytes");
    cmp_ok($error->offset, '<=', $length, '... offset');
}
{
    my $error = dies_as(trailing => qr/^Storable string goes on behind the end of its image$/, sub { $pf->thaw("$image\0") }, 'one byte more');
    is($error->offset, length $image, '... offset');
    is($error->path, undef, '... no path');
}
for my $case (['marker', "\2\0\0\0\1\xee", '$->[0]', 7, 'Corrupted storable string (binary v2.11)'],
    ['tag', "\2\0\0\0\2\4\0\0\0\0\x63\x05", '$->[0]', undef, 'Object #99 should have been retrieved already'],
    ['major_version', undef, undef, undef, undef, "\x7f\x01"]) {
    my ($name, $body, $path, $offset, $message, $whole) = @$case;
    my $error = error_of(sub { $pf->thaw($whole // "\5\x0b$body") });
    is($error->name, $name, "$name: name");
    is($error->path, $path, '... path');
    is($error->offset, $offset, '... offset') if defined $offset;
    is($error->message, $message, '... message') if $message;
    cmp_ok($error->code, '>', 0, '... code');
}

# The error object
{
    my $error = error_of(sub { $pf->freeze({jobs => [1, {cb => sub { 1 }}]}) });
    my $line = __LINE__ - 1;
    is($error->path, '$->{jobs}[1]{cb}', 'writer: path');
    is($error->offset, undef, '... no offset');
    is($error->where, '(at $->{jobs}[1]{cb})', '... where');
    my $text = "Can't store CODE items (at \$->{jobs}[1]{cb}) at ${\__FILE__} line $line.\n";
    is("$error", $text, '... as a string');
    ok($error eq $text, '... eq');
    ok($error ne 'x', '... ne');
    ok(!!$error, '... true');
    like($error, qr/^Can't store CODE items/, '... matches what Storable says');
    is($error . '', $error->as_string, '... as_string');
    is(error_of(sub { $error->throw }), $error, '... throw');
    is_deeply($pf->thaw($pf->freeze({%$error})), {%$error}, '... its contents are plain data');
}
{
    local $SIG{__DIE__} = sub { die "handler: $_[0]" };
    like(error_of(sub { $pf->freeze([sub { 1 }]) }), qr/^handler: Can't store CODE items/, '$SIG{__DIE__}');
}

# Limits count the same on both sides
{ package Two; sub STORABLE_freeze { ('x', [1], [[2]]) } sub STORABLE_thaw { } }
my %data = (flat => [1 .. 5], nested => [[[[1]]]], hashes => {a => {b => {c => {}}}}, references => \\\\\'x', mixed => [\[\{}]],
    scalar => \'x', hook => [bless {}, 'Two'], wide => [('x' x 300) x 3], shared => do { my $x = [1]; [$x, $x, [$x]] });
for my $what (sort keys %data) {
    my $full = $MODULE->new(trust => 'full');
    my $image = $full->freeze($data{$what});
    my %limit = (max_bytes => length $image);
    for my $name (qw(max_depth max_items)) {
        ($limit{$name}) = grep { my $n = $_; eval { $MODULE->new(trust => 'full', $name => $n)->thaw($image); 1 } } 1 .. 100;
    }
    for my $name (sort keys %limit) {
        my $enough = $MODULE->new(trust => 'full', $name => $limit{$name});
        is($enough->freeze($data{$what}), $image, "$what: $name $limit{$name} is enough to write");
        ok(eval { $enough->thaw($image); 1 }, '... and to read') or diag $@;
        next if $limit{$name} == 1;
        my $short = $MODULE->new(trust => 'full', $name => $limit{$name} - 1);
        my $code = {max_depth => 'depth', max_items => 'items', max_bytes => 'bytes'}->{$name};
        dies_as($code, qr/max_|Max\. /, sub { $short->freeze($data{$what}) }, '... one less is not');
        dies_as($code, qr/max_|Max\. /, sub { $short->thaw($image) }, '... for reading');
    }
}
is_deeply([map { my $n = $_; scalar grep { eval { $MODULE->new(max_depth => $_)->freeze($data{$n}); 1 } } 1 .. 9 } qw(flat nested hashes references scalar)],
    [9, 6, 6, 5, 9], 'depth counts references');
{
    my $few = $MODULE->new(max_items => 3);
    $few->thaw($few->freeze([1, 2]));
    is_deeply(pf->{thaw}->(st->{nfreeze}->([1 .. 1000])), [1 .. 1000], 'the limit is not left behind');
    is_deeply($few->thaw($few->freeze([1, 2])), [1, 2], '... nor the room');
    open my $big, '>', "$dir/big" or die $!;
    binmode $big;
    print {$big} st->{nfreeze}->(['x' x 1e6]) =~ s/\A/pst0/r;
    close $big;
    my $bytes = $MODULE->new(max_bytes => 1000);
    dies_as(bytes => qr/1000$/, sub { $bytes->retrieve("$dir/big") }, 'a large file');
    open my $in, '<', "$dir/big" or die $!;
    dies_as(bytes => qr/1000$/, sub { $bytes->fd_retrieve($in) }, '... handle');
}

# ... and say where
for my $case ([3, [1 .. 5], '$->[2]'], [5, [1 .. 5], '$->[4]'], [3, { a => [1, { b => 1 }] }, '$->{a}[0]'],
              [7, [1, { b => { c => [5, 6] } }], '$->[1]{b}{c}'], [3, [\\'x', [1]], '${$->[0]}'], [2, { a => 1, b => 2 }, qr/\A\$->\{[ab]}\z/],
              [4, [[], {}, 5], '$->[1]'], [7, [map { { a => 1 } } 1 .. 5], '$->[2]'], [3, [(bless []) x 2, undef], '$->[1]']) {
    my ($most, $data, $path) = @$case;
    my $short = $MODULE->new(trust => 'full', max_items => $most);
    my $image = $MODULE->new(trust => 'full')->freeze($data);
    for my $read ([thaw => $image], [fd_retrieve => do { open my $in, '<', \"pst0$image" or die $!; $in }]) {
        my ($method, $input) = @$read;
        my $error = error_of(sub { $short->$method($input) });
        like($error->path, ref $path ? $path : qr/\A\Q$path\E\z/, "max_items => $most, $method: where");
    }
    # Writing notices it when there is no more room for what may come; an integer of 4 bytes leaves more.
    my $written = error_of(sub { $short->freeze($data) })->path;
    like($written, ref $path ? $path : $Config{ivsize} == 4 ? qr/\A\$/ : qr/\A(?:\$\{)?\Q$path\E/,
        '... freeze, there or just behind it');
}
is(error_of(sub { $MODULE->new(max_bytes => 250)->freeze([('x' x 100) x 9]) })->path, '$->[3]', 'max_bytes, freeze');
{
    # The walk ends where the limit is: no hook of what comes behind is called.
    my $called = 0;
    no warnings 'once';
    local *Behind::STORABLE_freeze = sub { $called++; return 'x' };
    for my $limit ([max_bytes => 7], [max_items => 1]) {
        my $deep = { b => { c => bless({}, 'Behind'), d => sub { } } };
        my $error = error_of(sub { $MODULE->new(@$limit, trust => 'full')->freeze({ a => $deep }) });
        is($error->name, $limit->[0] =~ s/max_//r, "@$limit: the limit is what stops it");
    }
    is($called, 0, '... and calls nothing');
}
is(error_of(sub { $MODULE->new(max_bytes => 250)->thaw(st->{nfreeze}->([('x' x 100) x 9])) })->path, undef, '... thaw: all of it');

# clone: with and without an image, which a limit asks for
{
    my $shared = [1.5, 2**60, "\x{263a}", undef, !!1];
    my @asked;
    my %trust = (full => [trust => 'full'], data => [], names => [trust => 'classes', classes => ['A', 'Over']],
        pattern => [trust => 'classes', classes => qr/^(?:A|Over)\z/],
        callback => [trust => 'classes', classes => sub { push @asked, $_[0]; $_[0] =~ /^(?:A|Over)\z/ }]);
    { package Over; our @ISA; use overload '""' => sub { 'text' }, fallback => 1; }
    my %data = (plain => { a => $shared, b => [$shared, \\'x'] }, allowed => [bless({ x => $shared }, 'A'), bless [], 'Over'],
        refused => { x => [0, bless \my $y, 'B'] }, both => [(bless []) x 2, bless [], 'A']);
    for my $trust (sort keys %trust) {
        for my $what (sort keys %data) {
            my @got;
            @asked = ();
            for my $limit ([], [max_items => 1000], [max_bytes => 100_000], [max_depth => 100]) {
                my $copy = eval { $MODULE->new(@{ $trust{$trust} }, @$limit)->clone($data{$what}) };
                push @got, defined $copy ? unpack 'H*', do { local $Permafrost::canonical = 1; pf->{freeze}->($copy) } : $@->name . ' ' . $@->path;
                isnt($copy, $data{$what}, 'a copy') if $copy;
            }
            is_deeply(\@got, [($got[0]) x 4], "clone, trust $trust, $what: the same with limits") or diag join "\n", @got;
            cmp_ok(scalar @asked, '>=', 4, '... the callback was asked') if $trust eq 'callback' && $what ne 'plain';
            like($got[0], $what eq 'plain' || $trust eq 'full' || ($what eq 'allowed' && $trust ne 'data') ? qr/^0/ : qr/^class \$/, '... as it should be');
        }
    }
}

# Numbers
{
    my $exact = $MODULE->new(exact_numbers => 1);
    my @floats = (0.1, 0.1 + 0.2, 1 / 3, -2 / 3, 1e300, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 9007199254740994.0,
        3.14159265358979, 123456.789, -0.0, 1e22, 1e23, 2**-1074 * 3, map { rand() * 10**int(rand 600 - 300) } 1 .. 500);
  SKIP: {
        skip 'floats of another size', 3 if $Config{nvsize} != 8 || $] < 5.030;
        for my $reader ($exact->thaw($exact->freeze(\@floats)), st->{thaw}->($exact->freeze(\@floats))) {
            is(join(' ', grep { pack('d', $reader->[$_]) ne pack('d', $floats[$_]) } 0 .. $#floats), '', 'exact floats');
        }
        is_deeply([map { "$_" } @{ $exact->thaw($exact->freeze([0.1, 0.5, 1e22, 0.3])) }], [0.1, 0.5, 1e22, 0.3], '... and short where they may');
    }
}

# A class of its own
{
    { package My::Store; our @ISA = ($main::MODULE); sub new { my ($class, %o) = @_; my $self = $class->SUPER::new(%o, canonical => 1); $self->{mine} = 1; return $self }
      sub freeze { my ($self, @rest) = @_; return $self->SUPER::freeze(@rest) } }
    my $own = My::Store->new(max_depth => 2);
    isa_ok($own, 'My::Store');
    is_deeply($own->thaw($own->freeze([1])), [1], 'a derived class');
    dies_as(depth => qr/^Max\. recursion depth/, sub { $own->freeze([[[]]]) }, '... has its options');
    is($own->{mine}, 1, '... and its hash');
}

# In the middle of a run: objects dropped, other objects used
{
    my $object = $MODULE->new(trust => 'full');
    { package Drops; sub STORABLE_freeze { undef $object; return (Permafrost->new->freeze([1 .. 3])) }
      sub STORABLE_thaw { my ($self, undef, $string) = @_; $self->{list} = Permafrost->new->thaw($string); eval { Permafrost->new->thaw('x') }; return } }
    my $image = $object->freeze([bless({}, 'Drops'), [1]]);
    ok(!defined $object, 'the hook has dropped the object');
    my $copy = $MODULE->new(trust => 'full')->thaw($image);
    is_deeply($copy->[0]{list}, [1 .. 3], '... and all is well');
}

# Threads
SKIP: {
    skip 'no threads', 2 if !$Config{useithreads};
    require threads;
    my $object = $MODULE->new(trust => 'classes', classes => ['A'], max_depth => 2);
    my @got = threads->create({context => 'list'}, sub {
        my $lived = eval { $object->freeze([[[]]]); 1 };
        my $name = $lived ? 'none' : $@->name;
        return ($name, ref $object->thaw($object->freeze(bless [], 'A')));
    })->join;
    is_deeply(\@got, [qw(depth A)], 'an object in another thread');
    is(ref $object->thaw($object->freeze(bless [], 'A')), 'A', '... and still in this one');
}

done_testing();
