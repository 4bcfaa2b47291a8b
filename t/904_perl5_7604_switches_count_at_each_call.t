# perl5 7604: `local $Storable::accept_future_minor = 0` after the first call had no
# effect. Every switch counts at each call, in either direction, also within hooks.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

no warnings 'once';
my $future = chr(Storable::BIN_MINOR() + 1);
my $code  = do { local $Storable::Deparse = 1; st->{nfreeze}->([sub { 42 }]) };
my $plain = [sub { 1 }];
my %hash  = map { $_ => 1 } 'a' .. 'z', 'aa' .. 'az';
my %other = map { $_ => 1 } reverse 'a' .. 'z', 'aa' .. 'zz';
delete @other{grep { length > 1 && !/^a/ } keys %other};
my $deep = [[[[[[]]]]]];

# What a call says for a switch on and off: a regex of its text.
my %switch = (
    accept_future_minor => [
        sub { ref pf->{thaw}->("\5$future\2\0\0\0\0") }, 1 => qr/^ARRAY\z/,
        0 => qr/^Storable binary image v2\.\d+ more recent than I am \(v2\.\d+\)/
    ],
    Eval => [sub { pf->{thaw}->($code)->[0]->() }, 1 => qr/^42\z/, 0 => qr/^Can't eval, please set \$Storable::Eval/],
    Deparse     => [sub { ref \pf->{nfreeze}->($plain) }, 1 => qr/^SCALAR\z/, 0 => qr/^Can't store CODE items/],
    forgive_me  => [sub { local $SIG{__WARN__} = sub { }; ref \pf->{nfreeze}->($plain) }, 1 => qr/^SCALAR\z/, 0 => qr/^Can't store CODE items/],
    canonical   => [sub { pf->{nfreeze}->(\%hash) eq pf->{nfreeze}->(\%other) ? 'same' : 'different' }, 1 => qr/^same\z/, 0 => qr/^/],
    flags       => [sub { ref pf->{thaw}->(st->{nfreeze}->(bless [], 'Some::Class')) }, 6 => qr/^Some::Class\z/, 0 => qr/^ARRAY\z/],
    recursion_limit => [sub { ref \pf->{freeze}->($deep) }, 100 => qr/^SCALAR\z/, 3 => qr/^Max\. recursion depth with nested structures exceeded/],
    'recursion_limit, dclone' => [sub { ref pf->{dclone}->($deep) }, 100 => qr/^ARRAY\z/, 3 => qr/^Max\. recursion depth/],
);
for my $name (sort keys %switch) {
    my ($call, $on, $on_says, $off, $off_says) = @{$switch{$name}};
    (my $variable = $name) =~ s/,.*//;
    for my $order ([$on, $off, $on, $off], [$off, $off, $on, $on, $off]) {
        my @got = split /\0/, in_child(sub {
            return join "\0", map {
                my $value = $_;
                with_options({$variable => $value}, sub { my $got = eval { $call->() }; defined $got ? $got : $@ })
            } @$order;
        });
        for my $i (0 .. $#$order) {
            my $value = $order->[$i];
          SKIP: {
                skip 'stock Storable keeps what it saw first', 1 if is_stock();
                like($got[$i], $value == $on ? $on_says : $off_says, "$name = $value, call $i of (@$order)");
            }
        }
    }
}

# Set by local around each single call, in one process
for my $round (1 .. 3) {
    is(eval { local $Storable::Eval = 1; pf->{thaw}->($code)->[0]->() } || $@, 42, "round $round: Eval on")
      unless is_stock();
    my $lived = eval { pf->{thaw}->($code); 1 };
    ok(!$lived, "round $round: Eval off");
    local $Storable::accept_future_minor = 0;
    ok(!eval { pf->{thaw}->("\5$future\5"); 1 }, "round $round: accept_future_minor off") unless is_stock();
    local $Storable::accept_future_minor = 1;
    ok(eval { pf->{thaw}->("\5$future\5"); 1 }, "round $round: on") unless is_stock();
}

# A hook that sets a switch for its own calls only
{
    package Sets;
    sub STORABLE_freeze {
        local $Storable::Deparse = 1;
        return (main::pf()->{nfreeze}->([sub { 7 }]), []);
    }
    sub STORABLE_thaw {
        local $Storable::Eval = 1;
        $_[0]{code} = main::pf()->{thaw}->($_[2])->[0];
        return;
    }
}
SKIP: {
    skip 'stock Storable keeps what it saw first', 2 if is_stock();
    my $back = pf->{thaw}->(pf->{nfreeze}->([bless {}, 'Sets']));
    is($back->[0]{code}->(), 7, 'switches set in hooks');
    ok(!eval { pf->{nfreeze}->([bless({}, 'Sets'), sub { 1 }]); 1 }, '... count there only');
}

done_testing();
