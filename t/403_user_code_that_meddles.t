# Hooks, ties and overloads that drop or change, in the middle of a run, what the run stands
# on: the handle, the image, the hook itself, the options, the data under construction.
use strict;
use warnings;
use lib 't/lib';
use File::Temp ();
use Test::More;
use Tie::Array ();
use Tie::Hash ();
use PermafrostTest;

plan skip_all => 'stock Storable crashes' if is_stock();
my $dir = File::Temp::tempdir(CLEANUP => 1);

our ($on_freeze, $on_thaw) = (sub { }, sub { });
our ($fh, $root, $part, %name, @fresh, $image, $gone);
{
    package Meddles;
    sub STORABLE_freeze { return ('x', $main::on_freeze->(@_)) }
    sub STORABLE_thaw { return $main::on_thaw->(@_) }
}
sub reuse { @fresh = map { \my $x } 1 .. 200; return }    # what was freed has a new owner

# Each in a child: what goes wrong here ends the process.
sub survives {
    my ($what, $code, $want) = @_;
    is(in_child(sub { local $SIG{__WARN__} = sub { }; no warnings; $code->() }), $want, $what);
}

# ---- writing
survives('a hook drops the handle of store_fd', sub {
    open $fh, '>', "$dir/out" or die;
    local $on_freeze = sub { undef $fh; reuse() };
    return eval { pf->{store_fd}->(bless([], 'Meddles'), $fh); 1 } ? 'lives' : 'died';
}, 'lives');
survives('a hook redefines itself', sub {
    no warnings 'redefine';
    sub Lazy::STORABLE_freeze { *Lazy::STORABLE_freeze = sub { 'new' }; reuse(); 'old' }
    return length pf->{nfreeze}->([map { bless [], 'Lazy' } 1 .. 3]);
}, length st->{nfreeze}->([map { my $x = bless [], 'Lazy'; $x } 1 .. 3]));
{
    package Drops;
    sub TIESCALAR { return bless [] }
    sub FETCH { undef $main::root; main::reuse(); return 0 }
}
for my $case (['canonical', 'nfreeze'], ['recursion_limit', 'dclone']) {
    my ($option, $function) = @$case;
    survives("a tied \$$option drops the root of $function", sub {
        $root = [1, 2];
        no strict 'refs';
        tie ${"Permafrost::$option"}, 'Drops';
        return eval { pf->{$function}->($root); 1 } ? 'written' : clean_message($@);
    }, 'not a reference');
}
survives('a hook deletes the name of the file', sub {
    %name = (f => "$dir/named");
    local $on_freeze = sub { delete $name{f}; reuse() };
    pf->{store}->(bless([], 'Meddles'), $name{f});
    return -s "$dir/named" ? 'written' : 'missing';
}, 'written');

# ---- reading
survives('FLAGS with an overload that drops the image', sub {
    $image = pf->{nfreeze}->(['x' x 400]);
    { package Flags; use overload '0+' => sub { undef $main::image; main::reuse(); 6 }, fallback => 1; }
    return eval { pf->{thaw}->($image, bless []); pf->{thaw}->($image, bless [], 'Flags'); 1 } ? 'lives' : 'dies';
}, 'dies');
for my $kind (qw(array hash reference)) {
    survives("a hook changes the $kind that is being built", sub {
        my $object = bless [], 'Meddles';
        $root = $kind eq 'array' ? [$object, 1 .. 5] : $kind eq 'hash' ? {(map { $_ => 1 } 'a' .. 'j'), o => $object} : [$object];
        $part = $kind eq 'reference' ? do { $root->[1] = \$root->[0]; \$root->[1] } : $root;
        local $on_freeze = sub { $part };
        my $image = pf->{nfreeze}->($kind eq 'reference' ? [$root->[1], $object] : $root);
        local $on_thaw = sub {
            my $p = $_[3];
            if    ($kind eq 'array') { @$p = (); tie @$p, 'Tie::StdArray' }
            elsif ($kind eq 'hash')  { tie %$p, 'Tie::StdHash' }
            else                     { $$p = 's' x 100 }
            return;
        };
        my $back = eval { pf->{thaw}->($image) };
        undef $back;
        return 'lives';
    }, 'lives');
}
survives('a hook drops $Storable::Eval', sub {
    no warnings 'once';
    local $Storable::Deparse = 1;
    $Storable::Eval = 1;
    my $image = pf->{nfreeze}->([bless([], 'Meddles'), sub { 42 }]);
    local $on_thaw = sub { undef *Storable::Eval; undef *Permafrost::Eval; reuse() };
    my $back = pf->{thaw}->($image);
    return $back->[1]->();
}, '42');
survives('a hook fills the array that is being built', sub {
    my $data = [];
    push @$data, bless([], 'Meddles'), 1 .. 3;
    local $on_freeze = sub { $data };
    my $image = pf->{nfreeze}->($data);
    $gone = 0;
    { package Counted; sub DESTROY { $main::gone++ } }
    local $on_thaw = sub { push @{$_[3]}, map { bless [], 'Counted' } 1 .. 3; return };
    my $back = pf->{thaw}->($image);
    undef $back;
    return $gone;
}, '3');

# ---- images alone
survives('a long scalar where a short one is looked for', sub {
    my $name = "$dir/long";
    open my $out, '>:raw', $name or die;
    print {$out} "pst0\5\x0a\x11\x0bCGITempFile\1", pack('N', 400_000), 'x' x 400_000;
    close $out;
    open my $in, '<:raw', $name or die;
    return join ' ', map { length ${$_} } pf->{retrieve}->($name), pf->{fd_retrieve}->($in);
}, '400000 400000');
survives('nested counts that claim the rest again and again', sub {
    my $image = "\5\x0b";
    $image .= "\2" . pack 'N', 50_000 - 5 * $_ for 1 .. 10_000;
    my $peak = sub {
        open my $in, '<', '/proc/self/status' or return 0;
        my ($size) = map { /^VmHWM:\s+(\d+)/ ? $1 : () } <$in>;
        return $size;
    };
    my $before = $peak->();
    my $back   = pf->{thaw}->($image);
    my $more   = $peak->() - $before;
    return $more < 60_000 ? 'small' : "$more kB";
}, 'small');
{
    my $image = "\5\x0b\x0d\x19\1" . pack('N', 2) . "\0" . pack('N', 0) . "\4" . pack('N', 1) . "k\x0a\1z\0" . pack('N', 1) . 'j';
    ok(!eval { pf->{thaw}->($image); 1 }, 'a tie on what the image itself has locked is an error');
}
{
    local $@ = 'kept';
    pf->{nfreeze}->([qr/x/]);
    is($@, 'kept', '$@ after a regexp');
}
{
    package Zero;
    sub TIESCALAR { return bless [] }
    sub FETCH { return 0 }
    package main;
    tie my $flags, 'Zero';
    is(ref pf->{thaw}->(pf->{nfreeze}->(bless [], 'Some')), 'Some', 'an object');
    is(ref pf->{thaw}->(pf->{nfreeze}->(bless [], 'Some'), $flags), 'ARRAY', 'tied FLAGS count');
}
done_testing();
