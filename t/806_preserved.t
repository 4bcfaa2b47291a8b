# What an operation leaves alone: $@, $!, $_, each(), pos, the scalars it reads.
use strict;
use warnings;
use lib 't/lib';
use B ();
use Cwd ();
use File::Temp ();
use Test::More;
use PermafrostTest;

my $home = Cwd::cwd();
my $dir = File::Temp::tempdir(CLEANUP => 1);
chdir $dir or die "chdir: $!";
END { chdir $home if defined $home }

{
    package Hooked;
    sub STORABLE_freeze { eval { die "inner\n" }; return ('x', [1]) }
    sub STORABLE_thaw { eval { die "inner\n" }; return }
}
st->{nstore}->([1, {a => 2}], 'file');
{ open my $out, '>', 'cut'; print {$out} "pst0\5\x0b\2\0\0\0\5"; }

# $@, $_, $1 and friends
my %call = (
    freeze         => sub { $_[0]{freeze}->([1, {a => 2}]) },
    nfreeze        => sub { $_[0]{nfreeze}->([1, 1.5]) },
    thaw           => sub { $_[0]{thaw}->(st->{nfreeze}->([1, {a => 2}])) },
    'thaw(undef)'  => sub { $_[0]{thaw}->(undef) },
    'thaw, cut'    => sub { $_[0]{thaw}->("\5\x0b\2\0\0\0\5") },
    dclone         => sub { $_[0]{dclone}->([1, {a => 2}]) },
    store          => sub { $_[0]{store}->([1], 'other') },
    lock_nstore    => sub { $_[0]{lock_nstore}->([1], 'other') },
    retrieve       => sub { $_[0]{retrieve}->('file') },
    lock_retrieve  => sub { $_[0]{lock_retrieve}->('file') },
    'retrieve, cut' => sub { $_[0]{retrieve}->('cut') },
    store_fd       => sub { open my $out, '>', 'other'; $_[0]{store_fd}->([1], $out) },
    fd_retrieve    => sub { open my $in, '<', 'file'; $_[0]{fd_retrieve}->($in) },
    'freeze, hook' => sub { $_[0]{freeze}->(bless [], 'Hooked') },
    'thaw, hook'   => sub { $_[0]{thaw}->(st->{freeze}->(bless [], 'Hooked')) },
    'dclone, hook' => sub { $_[0]{dclone}->(bless [], 'Hooked') },
    'thaw, regexp' => sub { $_[0]{thaw}->(st->{freeze}->([qr/a(b)c/i])) },
    read_magic     => sub { $_[0]{read_magic}->("pst0\5\x0b") },
    'code'         => sub {
        my ($m) = @_;
        with_options({Deparse => 1, Eval => 1}, sub { $m->{thaw}->($m->{freeze}->([sub { 1 }])) });
    },
);
for my $name (sort keys %call) {
    my $object = {error => 1};
    for my $error ('before', $object) {
        local $@ = $error;
        local $_ = 'topic';
        'captured text' =~ /(cap)\w+ (text)/;
        $call{$name}->(pf);
        my ($after, $topic, @captured) = ($@, $_, $1, $2);
        is($after, $error, "$name: \$@") if $name !~ m{^code$|^dclone, hook};
        is_deeply([$topic, @captured], ['topic', 'cap', 'text'], "$name: \$_ and captures")
          if !ref $error;
    }
}
for my $name (grep { !/store|retrieve|code/ } sort keys %call) {
    $! = 2;
    $call{$name}->(pf);
    is($! + 0, 2, "$name: \$!") if $name !~ /hook/;
}

# each()
for my $canonical (0, 1) {
    my %hash = map { $_ => 1 } 'a' .. 'z';
    my %seen;
    my $calls = 0;
    while (my ($key) = each %hash) {
        $seen{$key}++;
        last if ++$calls > 100;
        with_options({canonical => $canonical}, sub {
            pf->{freeze}->(\%hash);
            pf->{nfreeze}->([\%hash]);
            pf->{nstore}->(\%hash, 'other');
        });
        pf->{dclone}->({h => \%hash});
    }
    is_deeply([$calls, scalar keys %seen], [26, 26], "each() goes on, canonical $canonical");
}
{
    my @array = (1 .. 5);
    my @seen;
    while (my ($i, $v) = each @array) {
        push @seen, $v;
        last if @seen > 10;
        pf->{freeze}->(\@array);
        pf->{dclone}->(\@array);
    }
    is_deeply(\@seen, [1 .. 5], 'each() on an array goes on');
}

# pos, in the data and of the image
{
    my $text = 'aXbXc';
    $text =~ /X/g;
    pf->{freeze}->(\$text);
    pf->{dclone}->([\$text]);
    is(pos $text, 2, 'pos of a stored string');
    my $image = pf->{nfreeze}->(['text']);
    $image =~ /t/g;
    my $at = pos $image;
    pf->{thaw}->($image);
    is(pos $image, $at, 'pos of an image');
}

# Flags, private ones too: numbers do not become strings, strings no numbers
{
    my $n   = 123456789012;
    my $f   = 1.25;
    my $s   = '42';
    my $both = '17';
    { no warnings 'void'; $both + 0 }
    my $read = 5;
    { no warnings 'void'; "$read" }
    my @data = (1, -5, 300, $n, $f, 0.1, 1e20, 1e15, $s, $both, $read, ~0, undef, "\x{263a}",
        "\x{e9}", !!1, !!0, 3.0, -0.0, 'x' x 1000, \1, v1.2, *STDOUT{PACKAGE});
    my $before = tagged(\@data, private => 1);
    for my $function (qw(freeze nfreeze dclone)) {
        pf->{$function}->(\@data);
        my $after = tagged(\@data, private => 1);
      SKIP: {
            skip 'stock Storable leaves strings behind', 1 if is_stock();
            is($after, $before, "$function leaves the flags of its input alone")
              or diag first_difference($after, $before);
        }
    }
    my %hash = (1.5 => $f, 7 => $read);
    $before = tagged(\%hash, private => 1);
    with_options({canonical => 1}, sub { pf->{nfreeze}->(\%hash) });
    is(tagged(\%hash, private => 1), $before, 'canonical nfreeze of a hash') unless is_stock();
}

# Reference counts of what is stored
{
    my $inner = [1];
    my $data = {a => $inner, b => $inner, c => \'const', d => bless([], 'Some::Class')};
    my $count = sub { B::svref_2object($_[0])->REFCNT };
    my @before = map { $count->($_) } $inner, $data, $data->{d};
    for my $function (qw(freeze nfreeze dclone)) {
        my $result = pf->{$function}->($data);
        is_deeply([map { $count->($_) } $inner, $data, $data->{d}], \@before, "$function: reference counts");
    }
    eval { pf->{freeze}->([$data, sub { }]) };
    is_deeply([map { $count->($_) } $inner, $data, $data->{d}], \@before, '... after a failure too');
}

# The image: every sort of scalar, and it stays as it was
{
    my $image = pf->{nfreeze}->(['text', {a => 1}]);
    my $expected = tagged(['text', {a => 1}]);
    my $upgraded = $image;
    utf8::upgrade($upgraded);
    ok(utf8::is_utf8($upgraded), 'an upgraded image');
    is(tagged(pf->{thaw}->($upgraded)), $expected, '... is read');
    ok(utf8::is_utf8($upgraded) && $upgraded eq $image, '... and stays upgraded');
    my $high = st->{nfreeze}->(["\x{e9}\x{ff}", -128]);
    utf8::upgrade($high);
    is_deeply(pf->{thaw}->($high), ["\x{e9}\x{ff}", -128], 'an upgraded image with high bytes');
    Internals::SvREADONLY($image, 1);
    is(tagged(pf->{thaw}->($image)), $expected, 'a read-only image');
    Internals::SvREADONLY($upgraded, 1);
    is(tagged(pf->{thaw}->($upgraded)), $expected, 'a read-only upgraded image');
    my %by_image = ($image => 1);
    my ($key) = keys %by_image;
    is(tagged(pf->{thaw}->($key)), $expected, 'an image that was a hash key');
    "<$image>" =~ /<(.*)>/s;
    is(tagged(pf->{thaw}->($1)), $expected, 'an image in $1');
    is(tagged(pf->{thaw}->(substr "xx${image}xx", 2, length $image)), $expected, 'a substr');
    my @parts = ($image, $image);
    is(tagged(pf->{thaw}->($_)), $expected, 'an aliased element') for @parts;
    {
        package Tied::Image;
        our $fetched = 0;
        sub TIESCALAR { my ($class, $image) = @_; return bless \$image, $class }
        sub FETCH { $fetched++; return ${$_[0]} }
    }
    tie my $tied, 'Tied::Image', $image;
    my $got = outcome(sub { pf->{thaw}->($tied) });
  SKIP: {
        skip 'not read by stock Storable: ' . $got->{error}, 1 if is_stock();
        my $theirs = outcome(sub { st->{thaw}->($tied) });
        ok(tagged($got->{value}) eq $expected
              || $got->{error} eq $theirs->{error} && !defined $got->{value}, 'a tied image');
    }
    for my $copy (1, 2) {
        my $mine = $image;
        pf->{thaw}->($mine);
        $mine .= 'x';
        is($mine, "${image}x", 'an image can be changed afterwards');
    }
    my $data = pf->{thaw}->($image);
    $image =~ s/text/XXXX/ if 0;
    $data->[0] .= ' more';
    is(tagged(pf->{thaw}->($image)), $expected, 'results do not share with the image');
}

# A clone shares nothing that one could see
{
    my $long = 'x' x 10_000;
    my $data = [$long, {a => $long}, \$long];
    my $clone = pf->{dclone}->($data);
    $clone->[0] .= 'y';
    ${$clone->[2]} = 'z';
    substr($clone->[1]{a}, 0, 1) = 'q';
    is($data->[0], $long, 'changing a clone leaves the original alone');
    is($data->[1]{a}, 'x' x 10_000, '... in hashes');
    is(${$data->[2]}, 'x' x 10_000, '... behind references');
    $data->[0] =~ tr/x/o/;
    is(pf->{dclone}->($clone)->[0], ('x' x 10_000) . 'y', '... and the other way round');
}

# Wide choices of context
for my $name (qw(freeze dclone thaw)) {
    my $code = $call{$name};
    my @list = $code->(pf);
    is(scalar @list, 1, "$name in list context gives one value");
    $code->(pf);
    my $scalar = $code->(pf);
    ok(defined $scalar, "$name in scalar context");
}

done_testing();
