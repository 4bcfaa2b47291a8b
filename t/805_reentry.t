# Operations inside operations: from hooks, attach, Eval code, warning and die handlers,
# tie objects; dying at some depth; changing the image that is being read.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

no warnings 'once';

sub state_of {
    my ($m) = @_;
    return join '', map { $m->{$_}->() ? 1 : 0 } qw(is_storing is_retrieving last_op_in_netorder);
}

# Every operation inside every hook, and what the state functions say
{
    package Hooked;
    our ($m, $code, @log);
    sub new { my ($class, $n) = @_; return bless {n => $n}, $class }
    sub STORABLE_freeze {
        my ($self, $cloning) = @_;
        push @log, "freeze $cloning " . main::state_of($m);
        $code->() if $code;
        push @log, main::state_of($m);
        return ("n=$self->{n}", [$self->{n}]);
    }
    sub STORABLE_thaw {
        my ($self, $cloning, $text, $list) = @_;
        push @log, "thaw $cloning " . main::state_of($m);
        $code->() if $code;
        push @log, main::state_of($m);
        $self->{n} = $list->[0];
        return;
    }
    package Attached;
    sub STORABLE_freeze { return "attached $_[0]{n}" }
    sub STORABLE_attach {
        my ($class, $cloning, $text) = @_;
        push @Hooked::log, "attach $cloning " . main::state_of($Hooked::m);
        $Hooked::code->() if $Hooked::code;
        push @Hooked::log, main::state_of($Hooked::m);
        return bless {text => $text}, $class;
    }
}

my $inner = {list => [1, [2]], text => 'inner'};
my %inner_operation = (
    nothing => sub { },
    freeze  => sub { $_[0]{freeze}->($inner) },
    nfreeze => sub { $_[0]{nfreeze}->($inner) },
    thaw    => sub { $_[0]{thaw}->(st->{nfreeze}->($inner)) },
    dclone  => sub { $_[0]{dclone}->($inner) },
    'failing freeze' => sub { eval { $_[0]{freeze}->([sub { }]) } },
    'failing thaw'   => sub { eval { $_[0]{thaw}->("\5\x0b\xff") } },
    'cut thaw'       => sub { $_[0]{thaw}->("\5\x0b\2\0\0\0\5") },
    'failing dclone' => sub { eval { $_[0]{dclone}->([sub { }]) } },
    'in memory file' => sub {
        open my $out, '>', \my $buffer;
        $_[0]{nstore_fd}->($inner, $out);
        close $out;
        open my $in, '<', \$buffer;
        $_[0]{fd_retrieve}->($in);
    },
);
my $data = [1, Hooked->new(5), bless({n => 6}, 'Attached'), {tail => [1 .. 20]}];
my %outer_operation = (
    freeze  => sub { unpack 'H*', $_[0]{freeze}->($data) },
    nfreeze => sub { unpack 'H*', $_[0]{nfreeze}->($data) },
    thaw    => sub { $_[0]{thaw}->($_[1]{image}) },
    'thaw native' => sub { $_[0]{thaw}->($_[1]{native}) },
    dclone  => sub { $_[0]{dclone}->($data) },
);
my %image;
{
    local $Hooked::m = st;
    %image = (image => st->{nfreeze}->($data), native => st->{freeze}->($data));
}
for my $outer (sort keys %outer_operation) {
    for my $in (sort keys %inner_operation) {
        my $run = sub {
            my ($m, $what) = @_;
            local $Hooked::m    = $m;
            local $Hooked::code = sub { $inner_operation{$what}->($m) };
            local @Hooked::log;
            my $result = $outer_operation{$outer}->($m, \%image);
            return join "\n", @Hooked::log, tagged($result);
        };
      SKIP: {
            # An operation that fails inside another confuses stock Storable.
            my $fails = $in =~ /failing/;
            skip 'stock Storable is confused', 1 if $fails && is_stock();
            is($run->(pf, $in), $run->(st, $fails ? 'nothing' : $in), "$in inside $outer");
        }
    }
}

# State outside
for my $operation (sort keys %inner_operation) {
    next if $operation =~ /failing|nothing/;
    my ($ours, $theirs) = on_both(sub { $inner_operation{$operation}->($_[0]); state_of($_[0]) });
    is($ours, $theirs, "state after $operation");
}
for my $failing (grep { /failing/ } sort keys %inner_operation) {
    $inner_operation{$failing}->(pf);
    pf->{freeze}->([]);
    is(state_of(pf), '000', "state one call after $failing");
}

# Many levels of hooks that serialize, the innermost dying
{
    package Nested;
    our ($dies, $m);
    sub STORABLE_freeze {
        my ($self) = @_;
        return 'bottom' if !$self->{level} && !$dies;
        die "at the bottom\n" if !$self->{level};
        return $m->{freeze}->(bless {level => $self->{level} - 1}, 'Nested');
    }
    sub STORABLE_thaw {
        my ($self, $cloning, $text) = @_;
        die "at the bottom\n" if $text eq 'bottom' && $dies;
        $self->{inner} = $text eq 'bottom' ? $text : $m->{thaw}->($text);
        return;
    }
}
for my $level (1, 5, 40) {
    local $Nested::m = pf;
    my $ours = pf->{freeze}->([bless({level => $level}, 'Nested'), 'tail']);
    {
        local $Nested::m = st;
        is(unpack('H*', $ours), unpack('H*', st->{freeze}->([bless({level => $level}, 'Nested'), 'tail'])),
            "$level levels of freeze in freeze hooks");
    }
    my $back = pf->{thaw}->($ours);
    is($back->[1], 'tail', "$level levels of thaw in thaw hooks");
    my $depth = 0;
    for (my $at = $back->[0]; ref $at; $at = $at->{inner}) { $depth++ }
    is($depth, $level + 1, '... all there');
    $Nested::dies = 1;
    for my $call (sub { pf->{freeze}->([bless({level => $level}, 'Nested'), 'tail']) },
        sub { pf->{thaw}->($ours) }) {
        ok(!eval { $call->(); 1 }, '... dying at the bottom');
        like($@, qr/^at the bottom/, '... its message');
        is(state_of(pf) =~ /^1?1?/ && join('', @{pf->{thaw}->(pf->{nfreeze}->([1, 2]))}), '12',
            '... the next call is fine');
    }
    $Nested::dies = 0;
}

# Eval code
{
    my $image = do { local $Storable::Deparse = 1; st->{freeze}->([sub { 42 }, 'tail']) };
    my @seen;
    my $got = with_options({Eval => sub {
        push @seen, pf->{thaw}->(pf->{nfreeze}->([1, 2]))->[1];
        return eval $_[0];
    }}, sub { pf->{thaw}->($image) });
    is_deeply([$got->[0]->(), $got->[1], @seen], [42, 'tail', 2], 'from $Storable::Eval');
}

# Warning and die handlers
{
    my @seen;
    local $SIG{__WARN__} = sub { push @seen, pf->{thaw}->(pf->{freeze}->({n => 1}))->{n} };
    my $image = with_options({forgive_me => 1}, sub { pf->{nfreeze}->(['head', sub { }, 'tail']) });
    my $back = st->{thaw}->($image);
    is_deeply([@$back[0, 2], @seen], ['head', 'tail', 1], 'from a warning handler');
    like($back->[1], qr/^SCALAR\(0x/, '... the item forgiven') if ref $back->[1];
    local $SIG{__DIE__} = sub { @seen = pf->{dclone}->([7])->[0] };
    ok(!eval { pf->{freeze}->([sub { }]); 1 }, 'freeze dies');
    is("@seen", 7, '... and a die handler can use it');
    like($@, qr/^Can't store CODE items/, '... without harm to the message');
    ok(!eval { pf->{thaw}->("\5\x0b\xff"); 1 }, 'thaw dies');
    like($@, qr/^Corrupted storable string/, '... likewise');
    ok(!eval { pf->{dclone}->([sub { }]); 1 }, 'dclone dies');
    like($@, qr/^Can't store CODE items/, '... likewise');
}
{
    local $SIG{__WARN__} = sub { die "handler: $_[0]" };
    ok(!eval { with_options({forgive_me => 1}, sub { pf->{nfreeze}->([sub { }]) }); 1 },
        'a warning handler that dies');
    like($@, qr/^handler: Can't store item CODE/, '... its message');
    is_deeply(pf->{dclone}->([1]), [1], '... the next call is fine');
}

# A tied hash whose object has hooks, and a tied one read inside a hook
{
    package Tie::Object;
    sub TIEHASH { return bless {n => $_[1], store => {}}, $_[0] }
    sub FETCH { return main::pf()->{dclone}->([$_[1]])->[0] }
    sub STORE { my ($self, $k, $v) = @_; $self->{store}{$k} = main::pf()->{freeze}->(\$v); return }
    sub STORABLE_freeze { return (main::pf()->{nfreeze}->($_[0]{store}), [$_[0]{n}]) }
    sub STORABLE_thaw {
        my ($self, undef, $text, $n) = @_;
        @$self{qw(store n)} = (main::pf()->{thaw}->($text), $n->[0]);
        return;
    }
}
tie my %tied, 'Tie::Object', 9;
$tied{key} = 'value';
{
    my $back = pf->{thaw}->(pf->{freeze}->([\%tied, 'tail']));
    is($back->[1], 'tail', 'a tie object with serializing hooks');
    is(tied(%{$back->[0]})->{n}, 9, '... is restored');
    is(${pf->{thaw}->(tied(%{$back->[0]})->{store}{key})}, 'value', '... with its contents');
    is($back->[0]{any}, 'any', '... and works');
    is(ref pf->{dclone}->($back), 'ARRAY', '... can be cloned');
}

# The scalar that holds the image is changed while it is read
{
    package Changes;
    our $image;
    our $how;
    sub STORABLE_freeze { return 'x' }
    sub STORABLE_thaw { $how->(); return }
}
my %change = (
    emptied   => sub { $Changes::image = '' },
    undefined => sub { undef $Changes::image },
    replaced  => sub { $Changes::image = "\xff" x 100_000 },
    shortened => sub { substr($Changes::image, 10) = '' },
    grown     => sub { $Changes::image .= 'x' x 1_000_000 },
    chopped   => sub { substr($Changes::image, 0, 5, '') },
    upgraded  => sub { utf8::upgrade($Changes::image); $Changes::image .= "\x{263a}" },
    'a reference' => sub { $Changes::image = [] },
);
for my $how (sort keys %change) {
    my $got = in_child(sub {
        local $Changes::how = $change{$how};
        local $Changes::image = st->{nfreeze}->([bless([], 'Changes'), map { "text $_" } 1 .. 1000]);
        my $back = eval { pf->{thaw}->($Changes::image) };
        return "error" if !defined $back;
        return join(',', @$back[1 .. 1000]) eq join(',', map { "text $_" } 1 .. 1000) ? 'right' : 'wrong';
    });
  SKIP: {
        skip "stock Storable: $got", 1 if is_stock();
        like($got, qr/^(?:right|error)\z/, "the image $how by a hook while it is read");
    }
}

done_testing();
