# A hook that calls freeze, thaw or dclone of another structure, several levels deep, and
# dies there: the outer runs are not touched. (More in t/805_reentry.t.)
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

{
    package Level;
    our ($bottom, $m) = (sub { });
    sub new { my ($class, $n) = @_; return bless {n => $n}, $class }
    sub STORABLE_freeze {
        my ($self) = @_;
        my $n = $self->{n};
        if (!$n) { $bottom->(); return 'bottom' }
        my $below = Level->new($n - 1);
        my $way = $n % 3;
        my $text = $way == 0 ? $m->{freeze}->([$below]) : $way == 1 ? $m->{nfreeze}->({b => $below})
          : do { $m->{dclone}->([$below]); "n$n" };
        return ($text, [$n], {n => $n});
    }
    sub STORABLE_thaw {
        my ($self, $cloning, $text, $list, $hash) = @_;
        if ($text eq 'bottom') { $bottom->(); $self->{n} = 0; return }
        $self->{n} = $list->[0];
        die "mixed up\n" if $hash->{n} != $list->[0];
        $self->{below} = $m->{thaw}->($text) if $text !~ /^n/;
        return;
    }
}

for my $depth (0 .. 7, 20) {
    my ($ours, $theirs) = on_both(sub {
        local $Level::m = $_[0];
        my $image = $_[0]{nfreeze}->([Level->new($depth), 'tail', Level->new($depth)]);
        return unpack('H*', $image) . "\n" . tagged($_[0]{thaw}->($image)) . "\n"
          . tagged($_[0]{dclone}->([Level->new($depth), 'tail']));
    });
    is($ours, $theirs, "$depth levels");
}

# Dying at the bottom, caught at each level or at none
for my $depth (1 .. 6) {
    local $Level::m = pf;
    my $good = pf->{freeze}->([Level->new($depth)]);
    local $Level::bottom = sub { die "bottom\n" };
    for my $call (['freeze', sub { pf->{freeze}->(['head', Level->new($depth), 'tail']) }],
        ['dclone', sub { pf->{dclone}->(['head', Level->new($depth), 'tail']) }],
        ['thaw', sub { die "bottom\n" if $depth > 1; pf->{thaw}->($good) }]) {
        my ($name, $code) = @$call;
        ok(!eval { $code->(); 1 }, "$name, $depth levels: dies");
        like($@, qr/^bottom/, '... with its message');
        is(scalar(() = $@ =~ /bottom/g), 1, '... once');
        local $Level::bottom = sub { };
        is(pf->{thaw}->(pf->{freeze}->([Level->new(2), 'tail']))->[1], 'tail', '... the next call is fine');
        ok(!pf->{is_storing}->() && !pf->{is_retrieving}->(), '... no state is left') if pf->{is_storing} && !is_stock();
    }
}

# Exceptions that are objects come through all levels as they are
for my $depth (1 .. 4) {
    local $Level::m = pf;
    my $exception = bless {code => 7}, 'My::Exception';
    local $Level::bottom = sub { die $exception };
    ok(!eval { pf->{nfreeze}->([Level->new($depth)]); 1 }, "$depth levels, an object");
    is($@, $exception, '... the very one');
    ok(!eval { pf->{dclone}->([Level->new($depth)]); 1 }, "$depth levels, dclone");
    is($@, $exception, '... the very one');
}

# A hook that catches what its own operation dies of, and goes on
{
    package Catches;
    our @caught;
    sub STORABLE_freeze {
        for my $bad ([sub { 1 }], [\*STDOUT]) {
            eval { main::pf()->{freeze}->($bad) } or push @caught, $@ =~ /^(Can't store \w+ items)/;
            eval { main::pf()->{dclone}->($bad) } or push @caught, $@ =~ /^(Can't store \w+ items)/;
        }
        return ('x', ['list']);
    }
    sub STORABLE_thaw {
        my ($self, undef, undef, $list) = @_;
        eval { main::pf()->{thaw}->("\5\x0b\xff") } or push @caught, $@ =~ /^(Corrupted \w+ \w+)/;
        main::pf()->{thaw}->("\5\x0b\2\0\0\0\5");
        $self->{list} = $list;
        return;
    }
}
for my $function (qw(freeze nfreeze dclone)) {
  SKIP: {
        skip 'stock Storable is confused', 3 if is_stock();
        @Catches::caught = ();
        my $data = ['head', bless({}, 'Catches'), {tail => [1 .. 5]}];
        my $back = eval { $function eq 'dclone' ? pf->{dclone}->($data) : pf->{thaw}->(pf->{$function}->($data)) };
        is($@, '', "$function: caught inside a hook");
        is_deeply($back && [$back->[0], $back->[1]{list}, $back->[2]], ['head', ['list'], {tail => [1 .. 5]}], '... the rest is whole');
        is_deeply(\@Catches::caught, [("Can't store CODE items") x 2, ("Can't store GLOB items") x 2, 'Corrupted storable string'],
            '... each was caught');
    }
}

done_testing();
