# store, nstore, lock_store, lock_nstore, retrieve, lock_retrieve: bytes, return values,
# argument checks, names, modes, variables that must not matter.
use strict;
use warnings;
use lib 't/lib';
use Cwd ();
use File::Temp ();
use Test::More;
use PermafrostTest;

my $home = Cwd::cwd();
my $dir = File::Temp::tempdir(CLEANUP => 1);
chdir $dir or die "chdir: $!";
END { chdir $home if defined $home }

sub slurp {
    my ($name) = @_;
    open my $in, '<:raw', $name or return;
    local $/;
    return scalar <$in>;
}

my @WRITERS = qw(store nstore lock_store lock_nstore);
my @READERS = qw(retrieve lock_retrieve);
my $object = bless {list => [1, -1, 300, undef], text => "\x{263a}", self => undef},
  'Some::Class';
$object->{self} = $object;
my %data = (
    array  => [1 .. 5, 'x' x 300],
    hash   => {key => {key => []}},
    scalar => \(my $text = "text"),
    number => \(my $number = -5),
    undef  => \(my $undef = undef),
    ref    => \\[],
    object => $object,
);

for my $name (sort keys %data) {
    for my $writer (@WRITERS) {
        my ($got) = on_both(sub { $_[0]{$writer}->($data{$name}, "$_[0]{name}.img") });
        is($got, 1, "$writer $name returns 1");
        is(unpack('H*', slurp("$MODULE.img")), unpack('H*', slurp('Storable.img')),
            "$writer $name: the file is Storable's");
        for my $reader (@READERS) {
            same_outcome("$reader of $writer $name", sub { $_[0]{$reader}->("$MODULE.img") });
            is(tagged(pf->{$reader}->('Storable.img')), tagged($data{$name}),
                "$reader of Storable's $writer $name");
        }
    }
}

for my $writer (@WRITERS) {
    my @result = pf->{$writer}->([], 'list');
    is_deeply(\@result, [1], "$writer in list context");
    my $long = -s 'Storable.img';
    pf->{$writer}->([1 .. 1000], 'twice');
    pf->{$writer}->([1], 'twice');
    is_deeply(pf->{retrieve}->('twice'), [1], "$writer over a longer file");
    is(-s 'twice', $writer =~ /nst/ ? 13 : length(pf->{freeze}->([1])) + 4, "$writer truncates");
}

# Argument checks and files that cannot be used
mkdir 'directory';
my @bad = (
    ['nothing'], ['undef', undef], ['text', 'text'], ['a number', 5],
    ['only a reference', []],
    ['undef and a name', undef, 'x'],
    ['text and a name', 'text', 'x'],
    ['a name too many', [], 'x', 'y'],
    ['undef as name', [], undef],
    ['no name', [], ''],
    ['a missing directory', [], 'missing/x'],
    ['a directory', [], 'directory'],
    ['a missing directory, refused item', [sub { }], 'missing/x'],
);
for my $writer (@WRITERS) {
    for (@bad) {
        my ($what, @arguments) = @$_;
        next if $what =~ /refused/ && !is_stock();
        same_outcome("$writer, $what", sub { $_[0]{$writer}->(@arguments) });
    }
}
for my $reader (@READERS) {
    for my $arguments ([], [undef], [''], ['missing'], ['missing/x'], ['directory']) {
        same_outcome("$reader(@{[map { defined $_ ? qq('$_') : 'undef' } @$arguments]})",
            sub { $_[0]{$reader}->(@$arguments) });
    }
}

# Files that are no images
my $image = pf->{nfreeze}->([1, 2, 3]);
my %file = (
    empty     => '',
    'one NUL' => "\0",
    zeros     => "\0" x 100,
    text      => "This is not an image.\n",
    'no magic' => $image,
    'no magic, long' => pf->{nfreeze}->([1 .. 20]),
    magic     => 'pst0',
    trailing  => "pst0$image and more",
    map { ("cut at $_" => substr "pst0$image", 0, $_) } 1 .. length $image,
);
for my $name (sort keys %file) {
    open my $out, '>:raw', 'damaged';
    print $out $file{$name};
    close $out;
    for my $reader (@READERS) {
        same_outcome("$reader, $name", sub { $_[0]{$reader}->('damaged') });
        my @list = eval { pf->{$reader}->('damaged') };
        is(@list, 1, "$reader, $name: a list of one") if $@ eq '';
    }
}

# Errors are reported where the call is
for my $call (
    ['store',    'text', 'x'],
    ['store',    [], 'missing/x'],
    ['store',    [sub { }], 'x'],
    ['retrieve', 'missing'],
    ['retrieve', 'directory'],
  ) {
    my ($function, @arguments) = @$call;
    my $line = __LINE__ + 1;
    eval { pf->{$function}->(@arguments) };
    like($@, qr/ at \Q$0\E line $line\.\n\z/, "$function(@arguments) names the caller");
}

# Names
my @names = (' > x ', '|cat', '>x', 'ls|', '-', '0', "new\nline", '<x', '&1');
for my $name (@names) {
    ok(pf->{store}->([$name], $name), "store to '$name'");
    ok(-e $name, '... makes that file');
    is_deeply(pf->{retrieve}->($name), [$name], '... retrieve');
    is_deeply(st->{retrieve}->($name), [$name], '... also by Storable');
    unlink $name;
}
{
    package Name;
    use overload '""' => sub { ${$_[0]} }, fallback => 1;
}
ok(pf->{store}->([7], bless \(my $name = 'named'), 'Name'), 'store to an object');
is_deeply(pf->{retrieve}->(bless \(my $same = 'named'), 'Name'), [7], 'retrieve likewise');
{
    no warnings;
    same_outcome('a name with NUL', sub { no warnings; $_[0]{store}->([], "a\0b") });
    ok(!-e 'a', '... makes no file');
}

# Modes, links
SKIP: {
    skip 'modes and links are different here', 6 if $^O eq 'MSWin32';
    for my $mask (027, 0) {
        my $old = umask $mask;
        for my $writer (qw(store lock_store)) {
            unlink 'mode';
            pf->{$writer}->([], 'mode');
            is((stat 'mode')[2] & 0777, 0666 & ~$mask, sprintf '%s, umask %03o', $writer, $mask);
        }
        umask $old;
    }
    unlink 'mode';
    pf->{store}->([], 'mode');
    chmod 0600, 'mode';
    link 'mode', 'mode2' or skip "no link: $!", 2;
    pf->{store}->([1 .. 9], 'mode');
    is((stat 'mode')[2] & 0777, 0600, 'the mode stays');
    is_deeply(pf->{retrieve}->('mode2'), [1 .. 9], 'hard links stay');
    symlink 'target', 'link' or skip "no symlink: $!", 2;
    pf->{store}->([5], 'link');
    ok(-l 'link' && -s 'target', 'symbolic links stay');
}

# perl's output and input variables
{
    my @got;
    {
        local ($,, $\, $/) = ('comma', 'end', \3);
        for my $writer (@WRITERS) {
            pf->{$writer}->([1, [2]], 'variables');
            push @got, [-s 'variables', map { $_->('variables') } @{pf()}{@READERS}];
        }
    }
    for my $i (0 .. $#WRITERS) {
        my $size = 4 + length pf->{$i % 2 ? 'nfreeze' : 'freeze'}->([1, [2]]);
        is_deeply($got[$i], [$size, ([1, [2]]) x 2], "$WRITERS[$i] with odd \$, \$\\ \$/");
    }
}

# flags
pf->{nstore}->(bless({}, 'Some::Class'), 'flags');
for my $reader (@READERS) {
    for my $flags (undef, 0, 2, 4, 6) {
        same_outcome("$reader, flags " . (defined $flags ? $flags : 'undef'),
            sub { $_[0]{$reader}->('flags', $flags) });
    }
    same_outcome("$reader, \$flags 0",
        sub { my $m = shift; with_options({flags => 0}, sub { $m->{$reader}->('flags') }) });
}

# By inheritance
{
    package My::Storing;
    no strict 'refs';
    @My::Storing::ISA = $PermafrostTest::MODULE;
}
my $mine = bless {a => 1}, 'My::Storing';
ok($mine->store('method'), '$object->store');
is(ref pf->{retrieve}->('method'), 'My::Storing', 'comes back as that object');
ok($mine->nstore('method'), '$object->nstore');
is(tagged($mine->dclone), tagged($mine), '$object->dclone') if $MODULE->can('dclone');

done_testing();
