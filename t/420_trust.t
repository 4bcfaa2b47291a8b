# The option trust: what strangers send is data, and nothing in it is looked up or called.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'stock Storable has no objects' if is_stock();

# Whatever runs leaves a trace.
our @ran;
{ package Plain;    sub new { bless {@_[1 .. $#_]}, $_[0] } sub DESTROY { push @main::ran, 'DESTROY' } }
{ package Hooked;   our @ISA = 'Plain'; sub STORABLE_freeze { push @main::ran, 'freeze'; return ('x', [1]) }
                    sub STORABLE_thaw { push @main::ran, 'thaw' } }
{ package Attached; our @ISA = 'Plain'; sub STORABLE_freeze { push @main::ran, 'freeze'; return 'x' }
                    sub STORABLE_attach { push @main::ran, 'attach'; return bless {}, 'Attached' } }
{ package Loud;     our @ISA = 'Plain'; use overload '""' => sub { push @main::ran, 'overload'; 'text' }, fallback => 1; }
{ package Tie;      sub TIEHASH { bless {}, $_[0] } sub TIEARRAY { bless [], $_[0] } sub TIESCALAR { bless [], $_[0] }
                    sub FETCH { push @main::ran, 'FETCH'; 1 } sub STORE { } sub FETCHSIZE { 1 }
                    sub FIRSTKEY { push @main::ran, 'FIRSTKEY'; undef } }
unshift @INC, sub { push @ran, "require $_[1]"; return } ;
END { shift @INC }

tie my %hash, 'Tie';
tie my @array, 'Tie';
tie my $scalar, 'Tie';

# What is refused: the data, error, class or reason, path.
my %refused = (
    'an object'        => [{a => [1, Plain->new]}, class => qr/^Class Plain is not allowed \(trust is 'data'\)$/, '$->{a}[1]'],
    'an inner object'  => [[Plain->new(x => Hooked->new)], class => qr/^Class Plain /, '$->[0]'],
    'a hooked one'     => [[0, {o => Hooked->new}], class => qr/^Class Hooked /, '$->[1]{o}'],
    'an attached one'  => [[Attached->new], class => qr/^Class Attached /, '$->[0]'],
    'an overloaded one' => [{l => Loud->new}, class => qr/^Class Loud /, '$->{l}'],
    'a regular expression' => [[qr/x/], class => qr/^Class Regexp /, '$->[0]'],
    'a tied hash'      => [{t => \%hash}, tie => qr/^Tying is disabled\.$/, '$->{t}'],
    'a tied array'     => [[\@array], tie => qr/^Tying is disabled\.$/, '$->[0]'],
    'a tied scalar'    => [[\$scalar], tie => qr/^Tying is disabled\.$/, '${$->[0]}'],
    'an element'       => [[\$hash{k}], tie => qr/^Tying is disabled\.$/, '${$->[0]}'],
    'an item'          => [[\$array[2]], tie => qr/^Tying is disabled\.$/, '${$->[0]}'],
    'the root'         => [Plain->new, class => qr/^Class Plain /, '$'],
    'a weird class'    => [[bless {}, "A\n\"b"], class => qr/^Class A\n"b /, '$->[0]'],
);
sub image_of { my ($data) = @_; my $image = st->{nfreeze}->($data); @ran = (); return $image }

my $safe = $MODULE->new;
for my $what (sort keys %refused) {
    my ($data, $name, $message, $path) = @{ $refused{$what} };
    my $image = image_of($data);
    for my $side ([write => sub { $safe->freeze($data) }], [clone => sub { $safe->clone($data) }], [read => sub { $safe->thaw($image) }]) {
        my $lived = eval { $side->[1]->(); 1 };
        my $error = $@;
        ok(!$lived, "$what: refused to $side->[0]") or next;
        is($error->name, $name, '... name');
        like($error->message, $message, '... message');
        is($error->path, $path, '... path');
        is("@ran", '', '... and nothing ran');
        @ran = ();
    }
}

# Code
{
    no warnings 'once';
    local ($Storable::Deparse, $Storable::Eval, $Permafrost::Deparse, $Permafrost::Eval) = (1) x 4;
    my $image = image_of({c => [sub { push @ran, 'code' }]});
    my $lived = eval { $safe->thaw($image); 1 };
    ok(!$lived, 'code: refused to read');
    is($@->name, 'code', '... name');
    is($@->path, '$->{c}[0]', '... path');
    ok(!eval { $safe->freeze({c => [sub { 1 }]}); 1 }, '... refused to write');
    is($@->name, 'item', '... name');
    is("@ran", '', '... nothing ran');
    my $full = $MODULE->new(trust => 'full');
    is(ref eval { $full->thaw($full->freeze({c => [sub { 1 }]}))->{c}[0] }, 'CODE', '... trust full: as the functions');
}

# Records that claim things: no class, no tie, in places where they do not belong
for my $case (['OVERLOAD to data', "\x14\x0a\1a", 'overload'], ['OVERLOAD, circular', "\x14\0\0\0\0\0", undef],
    ['BLESS of undef', "\x11\1A\x05", 'class'], ['IX_BLESS before any class', "\x12\0\x05", 'class_index'],
    ['HOOK', "\x13\0\1A\1x", 'class'], ['HOOK by number', "\x13\x20\0\1x", 'class_index'],
    ['HOOK with an object in it', "\x13\x42\x05\0\1A\1x", 'class'],
    ['HOOK of a tied hash', "\x13\x03\x06\1A\1x\x05", 'class'],
    ['TIED_HASH of data', "\x0c\x05", 'tie'], ['TIED_KEY', "\x15\x05\x05", 'tie'], ['TIED_IDX', "\x16\x05\0\0\0\1", 'tie'],
    ['REGEXP alone', "\x20\0\1x\0", 'class'], ['CODE', "\x1a\x0a\3{1}", 'code'], ['CODE of no text', "\x1a\x05", 'code'],
    ['old format', "\2\0\0\0\0\x62\1A\x65", undef]) {
    my ($what, $body, $name) = @$case;
    my $lived = eval { $safe->thaw("\5\x0b\2\0\0\0\1\4$body"); 1 };
    ok(!$lived, "$what: refused") or next;
    is($@->name, $name, '... name') if defined $name;
    is($@->path, $body =~ /\A(?:\x15|\x16)/ ? '${$->[0]}' : '$->[0]', '... path') if defined $name && $what !~ /with an object|OVERLOAD/;
    is("@ran", '', '... nothing ran');
}
{
    my $lived = eval { $safe->thaw(pack 'H*', '03' . '03' . '00000001' . '0a0178' . '5c' . '000000016b' . '620141' . '5c'); 1 };
    ok(!$lived, 'an image of major 1 that blesses');
    is("@ran", '', '... nothing ran');
}
{
    no strict 'refs';
    my $lived = eval { $safe->thaw(image_of([bless [], 'Never::Seen::' . $$])); 1 };
    ok(!$lived, 'a class that does not exist');
}

# What is data
for my $data ([undef, 1, -1, 1.5, 'x', "\x{263a}", v1.2, [[]], {a => {}}, \'x', \\1], do { my $x = [1]; [$x, $x, \$x] }) {
    is_deeply($safe->thaw($safe->freeze($data)), $data, 'plain data');
}
is($safe->thaw("\5\x0b\2\0\0\0\1\x22")->[0], 1, 'a boolean');
SKIP: {
    skip 'Hash::Util', 1 if !eval { require Hash::Util; 1 };
    my %locked = (a => 1);
    Hash::Util::lock_keys(%locked, 'a', 'b');
    my $copy = $safe->thaw($safe->freeze(\%locked));
    ok(!eval { $copy->{c} = 1; 1 }, 'restricted hashes');
}

# A list of classes
my %some = (list => ['Plain', 'Hooked', 'Loud', 'Regexp'], regexp => qr/\A(?:Plain|Hooked|Loud|Regexp)\z/,
    code => sub { push @ran, "ask $_[0]"; return scalar grep { $_[0] eq $_ } qw(Plain Hooked Loud Regexp) });
for my $kind (sort keys %some) {
    my $some = $MODULE->new(trust => 'classes', classes => $some{$kind});
    my $data = {p => [Plain->new(a => 1), Plain->new(a => 2)], h => Hooked->new, l => Loud->new, r => qr/x/i};
    my $copy = eval { $some->thaw($some->freeze($data)) };
    is(join(' ', map { ref } @{ $copy->{p} }, @$copy{qw(h l r)}), 'Plain Plain Hooked Loud Regexp', "classes by $kind: allowed") or diag $@;
    is(scalar(grep { /thaw/ } @ran), 1, '... the hook is called');
    my @asked = grep { /ask Plain/ } @ran;
    is(scalar @asked, $kind eq 'code' ? 2 : 0, '... each class asked for once in each direction');
    undef $copy;
    @ran = ();
    my @others = ([class => Attached->new], [class => bless [], 'Hooked::More'], [class => bless [], 'plain']);
    push @others, [tie => \%hash], [tie => \$scalar];
    for my $other (@others) {
        my ($name, $thing) = @$other;
        my $image = image_of({x => [1, $thing]});
        for my $code (sub { $some->freeze({x => [1, $thing]}) }, sub { $some->thaw($image) }, sub { $some->clone({x => [1, $thing]}) }) {
            my $lived = eval { $code->(); 1 };
            ok(!$lived, '... others are not') or next;
            is($@->name, $name, '... name');
            like($@->path, qr/\A(?:\$->\{x\}\[1\]|\$\{\$->\{x\}\[1\]\})\z/, '... path');
            is(join(' ', grep { !/^ask/ } @ran), '', '... nothing ran');
            @ran = ();
        }
    }
    my $image = image_of([bless qr/x/, 'Plain']);
    is(eval { ref $some->thaw($image)->[0] }, 'Plain', '... a regular expression in an allowed class');
    @ran = ();
}
{
    my $some = $MODULE->new(trust => 'classes', classes => ['Plain']);
    for my $code (sub { $some->thaw(image_of([bless qr/x/, 'Plain'])) }, sub { $some->freeze([bless qr/x/, 'Plain']) }) {
        ok(!eval { $code->(); 1 }, 'Regexp must be allowed by itself');
        is($@->name, 'class', '... name');
    }
    @ran = ();
    my $image = image_of([bless [], 'Absent::Module::With::Hook']);
    $image =~ s/\x11(.Absent.*)\x02\0\0\0\0/\x13\x01$1\x01x/s or die 'no such image';
    ok(!eval { $some->thaw($image); 1 }, 'no module is loaded');
    is("@ran", '', '... nothing ran');
    my $more = $MODULE->new(trust => 'classes', classes => ['Absent::Module::With::Hook']);
    ok(!eval { $more->thaw($image); 1 }, '... but that of an allowed class is');
    like("@ran", qr/require Absent/, '... looked for');
    is($@->name, 'died', '... not there');
    @ran = ();
}

# A callback that dies, changes the data, uses the module
{
    my $dies = $MODULE->new(trust => 'classes', classes => sub { die "not $_[0]\n" });
    for my $code (sub { $dies->freeze({a => Plain->new}) }, sub { $dies->thaw(image_of({a => Plain->new})) }) {
        ok(!eval { $code->(); 1 }, 'a callback that dies');
        is($@->name, 'died', '... name');
        is($@->message, 'not Plain', '... message');
        is($@->path, '$->{a}', '... path');
    }
    my $data;
    my $meddles = $MODULE->new(trust => 'classes', classes => sub {
        %{ $data->{h} } = ();
        @{ $data->{l} } = ();
        eval { $safe->freeze([Plain->new]) };
        return !!$safe->thaw($safe->freeze([1]));
    });
    for (1 .. 20) {
        $data = {h => {map { ($_ => [bless [], "Class$_"]) } 1 .. 20}, l => [map { bless [], "Other$_" } 1 .. 20], o => bless [\bless {}, 'B']};
        ok(eval { pf->{thaw}->($meddles->freeze($data)); 1 }, 'a callback that meddles');
    }
    my $image = image_of($data);
    ok($meddles->thaw($image), '... reading');
    @ran = ();
}

# Trust full is as the functions
{
    my $full = $MODULE->new(trust => 'full');
    my $data = {o => Plain->new(a => 1), h => Hooked->new, t => \%hash, r => qr/x/, l => Loud->new};
    is(ref $full->thaw($full->freeze($data))->{o}, 'Plain', 'trust full');
    is(ref tied %{ $full->thaw($full->freeze($data))->{t} }, 'Tie', '... ties');
}

done_testing();
