# freeze, thaw, store and dclone in DESTROY, in END, at global destruction; and objects
# that go away in the middle of an operation.
use strict;
use warnings;
use lib 't/lib';
use File::Spec ();
use File::Temp ();
use Test::More;
use PermafrostTest;

my $dir = File::Temp::tempdir(CLEANUP => 1);
my @perl = ($^X, map { '-I' . File::Spec->rel2abs($_) } grep { !ref } @INC);

# DESTROY that serializes
{
    package Saves;
    our @saved;
    sub new { my ($class, %self) = @_; return bless \%self, $class }
    sub DESTROY {
        my ($self) = @_;
        my $copy = main::pf()->{dclone}->({%$self});
        push @saved, main::pf()->{thaw}->(main::pf()->{nfreeze}->({%$self, copy => $copy}));
        return;
    }
}
{
    my $object = Saves->new(n => 1);
}
is_deeply(\@Saves::saved, [{n => 1, copy => {n => 1}}], 'in DESTROY');

@Saves::saved = ();
{
    package Temporary;
    sub STORABLE_freeze {
        my ($self) = @_;
        Saves->new(when => 'freezing');    # goes away at once
        return ('x', [Saves->new(when => 'sent')]);
    }
    sub STORABLE_thaw {
        my ($self, undef, undef, $list) = @_;
        $self->{list} = $list;
        Saves->new(when => 'thawing');
        return;
    }
}
my $image = pf->{freeze}->([1, bless({}, 'Temporary'), 2]);
is_deeply([sort map { $_->{when} } @Saves::saved], ['freezing', 'sent'], 'inside freeze hooks');
is(unpack('H*', $image), unpack('H*', st->{freeze}->([1, bless({}, 'Temporary'), 2])),
    '... without harm to the image');
@Saves::saved = ();
my $back = pf->{thaw}->($image);
is_deeply([map { $_->{when} } @Saves::saved], ['thawing'], 'inside thaw hooks');
is_deeply([@$back[0, 2], ref $back->[1]{list}[0]], [1, 2, 'Saves'], '... without harm to the data');
@Saves::saved = ();
undef $back;
is_deeply([map { $_->{when} } @Saves::saved], ['sent'], 'each once');

# Images that end early or go wrong: what was built goes away, no object twice
for my $case (['cut', sub { substr $_[0], 0, -$_[1] }],
    ['corrupt', sub { my $i = $_[0]; substr($i, -$_[1], 1) = "\xee"; $i }]) {
    my ($what, $damage) = @$case;
    my %seen;
    {
        package Counts;
        sub DESTROY { $seen{$_[0]{n}}++ if defined $_[0]{n}; main::pf()->{freeze}->([1]); return }
    }
    my $good = st->{nfreeze}->([map { bless {n => $_}, 'Counts' } 1 .. 10]);
    for my $at (1 .. length($good) - 6) {
        %seen = ();
        my $result = eval { pf->{thaw}->($damage->($good, $at)) };
        undef $result;
        my @twice = grep { $seen{$_} > 1 && $what eq 'cut' } keys %seen;
        is_deeply(\@twice, [], "$what at -$at: none destroyed twice") if @twice || $at % 40 == 1;
    }
    is_deeply(pf->{thaw}->(pf->{freeze}->([1, 2])), [1, 2], "$what: later calls are fine");
}

# A hook that dies, with serializing DESTROYs around
@Saves::saved = ();
{
    package Refuses;
    sub STORABLE_freeze { return 'x' }
    sub STORABLE_thaw { die "refused\n" }
}
{
    my $image = do { local @Saves::saved; pf->{freeze}->([Saves->new(n => 1), bless({}, 'Refuses')]) };
    @Saves::saved = ();
    my $result = outcome(sub { pf->{thaw}->($image) });
    like($result->{error}, qr/^refused/, 'a dying hook');
    cmp_ok(scalar @Saves::saved, '<=', 1, '... objects built before are destroyed once at most');
}

# In a DESTROY that runs while an exception flies: $@ survives
{
    my $error;
    eval {
        my $object = Saves->new(n => 2);
        die "original\n";
    };
    $error = $@;
    is($error, "original\n", 'DESTROY during die leaves $@ alone');
}

# END and global destruction, in programs of their own
my $program = <<'END';
our $name = shift;
our ($kept, %kept);
{
    package At::End;
    sub DESTROY {
        my ($self) = @_;
        my $phase = defined ${^GLOBAL_PHASE} ? ${^GLOBAL_PHASE} : 'DESTRUCT';
        my $copy = eval { M::dclone([1, {n => $self->{n}}]) };
        my $image = eval { M::freeze({n => $self->{n}, list => [1 .. 3]}) };
        my $back = eval { M::thaw($image) };
        my $stored = eval { M::nstore([$self->{n}], "$main::name$self->{n}") };
        syswrite STDOUT, join ' ', "$self->{n}:", $phase, $copy->[1]{n}, $back->{n},
            scalar @{$back->{list}}, $stored, "\n";
    }
}
{
    package Hooked;
    sub STORABLE_freeze { return 'hook' }
    sub STORABLE_thaw { $_[0]{got} = $_[2] }
}
sub At::End::M::x { }
END {
    my $object = bless {n => 'in END'}, 'At::End';
    undef $object;
    my $thawed = M::thaw(M::freeze(bless {}, 'Hooked'));
    syswrite STDOUT, "hook $thawed->{got}\n";
}
$kept = bless {n => 'global'}, 'At::End';
my $loop = {object => bless {n => 'loop'}, 'At::End'};
$loop->{self} = $loop;
M::freeze([1]);
END
$program =~ s/\bM::(?=dclone|freeze|thaw|nstore)/${MODULE}::/g;
$program =~ s/^sub At::End::M.*\n//m;
open my $out, '>', "$dir/program.pl" or die $!;
print {$out} "use $MODULE ();\n", $program;
close $out;
open my $in, '-|', @perl, "$dir/program.pl", "$dir/out-" or die $!;
my @lines = <$in>;
close $in;
is($?, 0, 'a program that serializes until its very end');
is_deeply([sort @lines], [sort "in END: END in END in END 3 1 \n", "hook hook\n",
    "global: DESTRUCT global global 3 1 \n", "loop: DESTRUCT loop loop 3 1 \n"], '... does it all')
  or diag @lines;
is_deeply([map { eval { st->{retrieve}->("$dir/out-$_")->[0] } } 'in END', 'global', 'loop'],
    ['in END', 'global', 'loop'], '... the files are there');

# The same when it dies or exits inside a hook
for my $way ('die "out\n"', 'exit 3') {
    open my $out, '>', "$dir/leaves.pl" or die $!;
    print {$out} <<"END";
use $MODULE ();
{ package Leaves; sub STORABLE_freeze { $way } sub DESTROY { print "gone " } }
{ package Quiet; sub DESTROY { ${MODULE}::freeze([1]); print "quiet " } }
END { ${MODULE}::freeze([2]); print "end " }
my \$data = [bless([], 'Quiet'), bless([], 'Leaves')];
${MODULE}::freeze(\$data);
END
    close $out;
    open my $in, '-|', "@{[map { qq('$_') } @perl]} $dir/leaves.pl 2>&1" or die $!;
    my $text = do { local $/; <$in> };
    close $in;
    is($? >> 8, $way =~ /exit/ ? 3 : $text =~ /out/ ? $? >> 8 : -1, "$way in a hook: exit status");
    is($? & 127, 0, '... no signal');
    is_deeply([sort grep { /^(?:gone|quiet|end)\z/ } split ' ', $text], [qw(end gone quiet)],
        '... everything is cleaned up once') or diag $text;
}

done_testing();
