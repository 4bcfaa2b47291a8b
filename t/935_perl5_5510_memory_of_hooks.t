# perl5 5510, 13862, 13097: loops over hooks of every return shape, also dying ones, and over
# failing calls: memory stays flat.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'no /proc/self/statm here' unless -r '/proc/self/statm';
plan skip_all => 'freed memory is kept' if keeps_freed_memory();

my $rounds = $ENV{PERMAFROST_TEST_BIG} ? 20_000 : 3_000;

{
    package Hooked;
    our (@returns, $dies_freezing, $dies_thawing);
    sub new { return bless {text => 'x' x 200, list => [1 .. 10]}, $_[0] }
    sub STORABLE_freeze { die "freezing\n" if $dies_freezing; return @returns }
    sub STORABLE_thaw {
        my ($self, $cloning, @rest) = @_;
        die "thawing\n" if $dies_thawing;
        $self->{rest} = \@rest;
        return (1, 2, 3);
    }
    package Object::Error;
    package Attached;
    our $answer;
    sub STORABLE_freeze { return 'x' x 300 }
    sub STORABLE_attach { return $answer ? bless {text => $_[2]}, $_[0] : undef }
    package Empty;
    sub STORABLE_freeze { return }
}

sub memory { open my $in, '<', '/proc/self/statm' or return 0; return (split ' ', scalar <$in>)[1] * 4 }

my $object = [map { Hooked->new } 1 .. 5];
my $good = do { local @Hooked::returns = ('x' x 100, [1 .. 10]); st->{nfreeze}->($object) };
my %deep;
$deep{$_} = ['x' x 100, {a => [1 .. 5]}] for 1 .. 10;

my %loop = (
    'a string'      => sub { local @Hooked::returns = ('x' x 300); pf->{thaw}->(pf->{freeze}->($object)) },
    'an empty string' => sub { local @Hooked::returns = (''); pf->{thaw}->(pf->{freeze}->($object)) },
    'undef'         => sub { no warnings; local $SIG{__WARN__} = sub { }; local @Hooked::returns = (undef); pf->{thaw}->(pf->{freeze}->($object)); pf->{dclone}->($object) },
    'references'    => sub { local @Hooked::returns = ('x', [1 .. 10], {a => 1}, \'text'); pf->{thaw}->(pf->{nfreeze}->($object)) },
    'many references' => sub { local @Hooked::returns = ('x', map { [$_] } 1 .. 50); pf->{dclone}->($object->[0]) },
    'itself'        => sub { local @Hooked::returns = ('x', $object); pf->{freeze}->($object) },
    'nothing'       => sub { pf->{thaw}->(pf->{freeze}->([bless({a => 'x' x 100}, 'Empty'), bless {}, 'Empty'])) },
    'no reference'  => sub { local @Hooked::returns = ('x', [1 .. 10], 'no reference'); eval { pf->{freeze}->($object) }; eval { pf->{dclone}->($object) } },
    'dying in freeze' => sub { local $Hooked::dies_freezing = 1; eval { pf->{nfreeze}->([1 .. 20, {a => 'x' x 200}, $object]) } },
    'dying in dclone' => sub { local $Hooked::dies_freezing = 1; eval { pf->{dclone}->([1 .. 20, {a => 'x' x 200}, $object]) } },
    'dying in thaw'   => sub { local $Hooked::dies_thawing = 1; eval { pf->{thaw}->($good) } },
    'dying in thaw of dclone' => sub { local @Hooked::returns = ('x', ['y' x 100]); local $Hooked::dies_thawing = 1; eval { pf->{dclone}->($object) } },
    'attach'        => sub { local $Attached::answer = 1; pf->{thaw}->(pf->{freeze}->([bless {}, 'Attached'])) },
    'failing attach' => sub { eval { pf->{thaw}->(pf->{freeze}->([[1 .. 20], bless {}, 'Attached'])) } },
    'refused items' => sub { eval { pf->{freeze}->([\%deep, sub { 1 }]) }; eval { pf->{dclone}->([\%deep, sub { 1 }]) } },
    'cut images'    => sub { pf->{thaw}->(substr $good, 0, -5); pf->{thaw}->(substr st->{freeze}->(\%deep), 0, -3) if 1 },
    'corrupt images' => sub { eval { pf->{thaw}->("\5\x0b\2\0\0\0\5\x03\0\0\0\1\x0a\1a\0\0\0\1k\x01" . pack('N/a*', 'x' x 500) . "\xee") } },
    'plain data'    => sub { pf->{thaw}->(pf->{nfreeze}->(\%deep)); pf->{dclone}->(\%deep) },
    'too deep'      => sub { with_options({recursion_limit => 2, recursion_limit_hash => 2}, sub { eval { pf->{freeze}->([\%deep, [[[[]]]]]) }; eval { pf->{dclone}->([\%deep, [[[[]]]]]) } }) },
    'forgiven'      => sub { local $SIG{__WARN__} = sub { }; with_options({forgive_me => 1}, sub { pf->{freeze}->([sub { 1 }, \*STDOUT]) }) },
    'regexps'       => sub { pf->{thaw}->(pf->{freeze}->([qr/abc/i, qr/x(y)/])); pf->{dclone}->([qr/abc/]) },
    'restricted'    => sub { my %h = (a => 1); Hash::Util::lock_keys(%h, 'a' .. 'f'); pf->{dclone}->(\%h); pf->{thaw}->(pf->{freeze}->(\%h)) },
    'loops'         => sub { my $l = {}; $l->{l} = $l; my $c = pf->{dclone}->($l); my $t = pf->{thaw}->(pf->{freeze}->($l)); delete $_->{l} for $l, $c, $t },
    'upgraded images' => sub { my $i = $good; utf8::upgrade($i); local @Hooked::returns; pf->{thaw}->($i) },
    'wide images'   => sub { eval { pf->{thaw}->("\x{263a}" x 100) } },
    'bad headers'   => sub { eval { pf->{thaw}->("\4\x0b\x041234\4\4\4\x08") }; eval { pf->{thaw}->('') }; eval { pf->{thaw}->('{"a":1}') } },
    'no class'      => sub { eval { pf->{thaw}->("\5\x0b\2\0\0\0\1\x04\x13\0\x0bNo::Class::\1x") } },
    'files'         => sub { open my $out, '>', \my $buffer; pf->{store_fd}->(\%deep, $out); close $out; open my $in, '<', \$buffer; pf->{fd_retrieve}->($in); },
);
for my $name (sort keys %loop) {
    my $grown = in_child(sub {
        alarm 300;
        $loop{$name}->() for 1 .. $rounds / 3;
        my $before = memory();
        $loop{$name}->() for 1 .. $rounds;
        return memory() - $before;
    });
  SKIP: {
        skip "stock Storable: $grown kB", 1 if is_stock();
        like($grown, qr/^-?\d+\z/, "$name: the process lives") or next;
        cmp_ok($grown, '<', 0.1 * $rounds, "$name: no memory grows with the calls");
    }
}

done_testing();
