# perl5 12044: a freeze hook that changes $_[0] or the structure being walked. What comes out
# may be old or new; it must be whole, and nothing may crash.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

{
    package Changes;
    our ($how, $data);
    sub STORABLE_freeze { $how->($_[0]) if $how; return ('x', [1]) }
    sub STORABLE_thaw { return }
    package Thaws;
    our $how;
    sub STORABLE_freeze { return ('x', $_[0]{list}) }
    sub STORABLE_thaw { my ($self, undef, undef, @rest) = @_; $how->($self, @rest) if $how; return }
}

my %change = (
    'nothing'               => sub { },
    '$_[0] = undef'         => sub { $_[0] = undef },
    '$_[0] = []'            => sub { $_[0] = [] },
    'contents'              => sub { %{$_[0]} = (other => 1) },
    'its class'             => sub { bless $_[0], 'Other::Class' },
    'class and back'        => sub { bless $_[0], 'Other'; bless $_[0], 'Changes' },
    'array emptied'         => sub { @{$Changes::data->{array}} = () },
    'array undefined'       => sub { undef @{$Changes::data->{array}} },
    'array grown'           => sub { push @{$Changes::data->{array}}, 1 .. 10_000 },
    'array shifted'         => sub { shift @{$Changes::data->{array}} },
    'array spliced'         => sub { splice @{$Changes::data->{array}}, 0, 3, map { [$_] } 1 .. 100 },
    'array items replaced'  => sub { $_ = {} for @{$Changes::data->{array}} },
    'hash emptied'          => sub { %{$Changes::data->{hash}} = () },
    'hash undefined'        => sub { undef %{$Changes::data->{hash}} },
    'hash grown'            => sub { $Changes::data->{hash}{"new $_"} = $_ for 1 .. 5000 },
    'hash key deleted'      => sub { delete @{$Changes::data->{hash}}{grep { /key/ } keys %{$Changes::data->{hash}}} },
    'hash values replaced'  => sub { $_ = [] for values %{$Changes::data->{hash}} },
    'root emptied'          => sub { %$Changes::data = () },
    'scalar changed'        => sub { ${$Changes::data->{ref}} = 'y' x 10_000 },
    'scalar undefined'      => sub { undef ${$Changes::data->{ref}} },
    'the reference to it'   => sub { $_ = undef for @{$Changes::data->{array}}[1, 3] },
    'freed and made anew'   => sub { $Changes::data->{hash} = {map { ($_ => [$_]) } 1 .. 50} },
    'tied'                  => sub { tie @{$Changes::data->{array}}, 'Tied::Array' unless tied @{$Changes::data->{array}} },
    'each'                  => sub { keys %{$Changes::data->{hash}}; each %{$Changes::data->{hash}} },
    'locked'                => sub { Hash::Util::lock_hash(%{$Changes::data->{hash}}) unless Hash::Util::hash_locked(%{$Changes::data->{hash}}) },
);
{ package Tied::Array; sub TIEARRAY { return bless [], $_[0] } sub FETCHSIZE { 0 } sub FETCH { } sub CLEAR { } sub EXTEND { } sub STORE { } sub STORESIZE { } }

sub build {
    my $data = {
        array => [1, bless({n => 1}, 'Changes'), 'text', bless({n => 2}, 'Changes'), [5], {six => 6}, 7 .. 20],
        hash  => {key => 'value', object => bless({n => 3}, 'Changes'), list => [1, 2], map { ("k$_" => "v$_") } 1 .. 20},
        ref   => \(my $scalar = 'x'),
        last  => [bless({n => 4}, 'Changes'), 'the last'],
    };
    return $data;
}

for my $how (sort keys %change) {
    for my $canonical (0, 1) {
        for my $function (qw(freeze nfreeze dclone)) {
            my $answer = in_child(sub {
                alarm 30;
                local $SIG{__WARN__} = sub { };
                my @answer;
                for my $root (0, 1) {
                    local $Changes::how;
                    local $Changes::data = build();
                    my $called = 0;
                    $Changes::how = sub { $change{$how}->(@_) if !$called++ };
                    my $data = $root ? [$Changes::data, $Changes::data] : $Changes::data;
                    my $result = with_options({canonical => $canonical}, sub { eval { pf->{$function}->($data) } });
                    if (!defined $result) { push @answer, "error " . clean_message($@); next }
                    $Changes::how = undef;
                    if ($function ne 'dclone') {
                        my $back = eval { pf->{thaw}->($result) };
                        push @answer, defined $back ? 'whole' : "unreadable $@";
                        next;
                    }
                    # The clone can be walked from end to end
                    tagged($result);
                    push @answer, 'whole';
                }
                return join '; ', @answer;
            });
          SKIP: {
                skip "stock Storable: $answer", 1 if is_stock();
                unlike($answer, qr/signal|exit|unreadable/, "$function, canonical $canonical, $how: $answer");
            }
        }
    }
}

# What does not concern the walk comes out as with Storable
for my $how ('nothing', '$_[0] = undef', '$_[0] = []', 'contents', 'class and back', 'scalar changed', 'each') {
    for my $function (qw(freeze nfreeze)) {
        my ($ours, $theirs) = map {
            my $m = $_;
            in_child(sub {
                my $data = [bless({n => 1}, 'Changes'), \(my $s = 'x'), {a => 1}, bless({n => 2}, 'Changes')];
                local $Changes::data = {ref => $data->[1], hash => $data->[2]};
                local $Changes::how = $change{$how};
                return eval { unpack 'H*', $m->{$function}->($data) } || clean_message($@);
            })
        } pf, st;
        is($ours, $theirs, "$function as with Storable: $how");
    }
}

# What a hook frees must not be taken for what is made later at the same address
for my $function (qw(freeze nfreeze dclone)) {
    my @list = (map({ [$_, {n => $_}] } 1 .. 20), bless({n => 1}, "Changes"));
    local $Changes::data = {};
    my $data = [@list, undef];
    local $Changes::how = sub {
        @list = ();
        $_ = undef for @$data[0 .. 18];
        $data->[21] = [map { [$_, {n => $_}] } 100 .. 150];
    };
    my $result = pf->{$function}->($data);
    my $back = $function eq "dclone" ? $result : pf->{thaw}->($result);
  SKIP: {
        skip "stock Storable mixes them up", 1 if is_stock();
        is_deeply($back->[21], [map { [$_, {n => $_}] } 100 .. 150], "$function: new data at old addresses");
    }
}

# Thaw hooks that change what they are given, or themselves
my %thaw_change = (
    '$_[0] = undef'  => sub { $_[0] = undef },
    'list emptied'   => sub { @{$_[1]} = () if ref $_[1] eq 'ARRAY' },
    'list kept'      => sub { $_[0]{list} = $_[1] },
    'reblessed'      => sub { bless $_[0], 'Other::Class' },
    'becomes a list' => sub { %{$_[0]} = map { ($_ => [$_]) } 1 .. 100 },
    'locked'         => sub { $_[0]{a} = 1; Hash::Util::lock_hash(%{$_[0]}) },
);
for my $how (sort keys %thaw_change) {
    my $data = [bless({list => [1, 2]}, 'Thaws'), 'between', bless({list => [3]}, 'Thaws'), 'end'];
    for my $function (qw(thaw dclone)) {
        my ($ours, $theirs) = map {
            my $m = $_;
            in_child(sub {
                local $Thaws::how = $thaw_change{$how};
                my $image = st->{nfreeze}->($data);
                my $back = eval { $function eq 'thaw' ? $m->{thaw}->($image) : $m->{dclone}->($data) };
                return defined $back ? tagged($back) : clean_message($@);
            })
        } pf, st;
        next if $theirs =~ /^(?:signal|exit)/;
        is($ours, $theirs, "$function, $how");
    }
}

done_testing();
