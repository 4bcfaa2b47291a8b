use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Hashes are built entry by entry where the shared keys are at hand. They must be as perl
# itself would make them: order, growth, keys, later changes.

# Keys that come again in many hashes, of all lengths, and many that share first and last letter.
{
    my @rows = map { my $n = $_; +{map { ('k' x $_ => $n) } 1 .. 40} } 1 .. 5;
    same_everywhere('keys of 1 to 40 letters', \@rows);
    @rows = map { my $n = $_; +{map { ("a$_" . 'z' => $n) } 1 .. 60} } 1 .. 5;
    same_everywhere('keys that look alike', \@rows);
    @rows = map { +{map { ($_ => 1) } '', "\0", "a\0b", "\xff", 0 .. 9, 'a' .. 'f'} } 1 .. 5;
    same_everywhere('odd keys', \@rows);
    @rows = map { +{a => 1, "\x{100}" => 2, "\xe9" => 3, b => 4} } 1 .. 5;
    same_everywhere('some keys in UTF-8', \@rows);
}

# All sizes about those at which perl enlarges a hash, filled with known keys; and filled on.
for my $size (1 .. 70, 127 .. 130) {
    my @keys = map { "key$_" } 1 .. $size;
    my @rows = map { my %row; @row{@keys} = (1) x $size; \%row } 1 .. 3;
    my $copies = pf->{thaw}->(pf->{freeze}->(\@rows));
    my $more = pf->{dclone}->($copies);
    my $wrong = 0;
    for my $row (@$copies, @$more) {
        $wrong++ if keys %$row != $size || grep { !exists $row->{$_} } @keys;
        $row->{"more$_"} = 1 for 1 .. 20;
        delete $row->{$keys[0]};
        $wrong++ if keys %$row != $size + 19 || join(' ', sort keys %$row) ne join(' ', sort @keys[1 .. $#keys], map { "more$_" } 1 .. 20);
        %$row = ();
        $wrong++ if keys %$row;
    }
    is($wrong, 0, "hashes of $size keys are sound, then and after changes");
}

# A key that comes twice in an image: the last value counts, and the hash knows one entry.
SKIP: {
    skip 'stock is asked elsewhere', 2 if is_stock;
    my $pair = sub { pack('CC', 8, 128 + $_[0]) . pack('N', length $_[1]) . $_[1] };
    for my $round (1, 2) {
        my $hash = "\x03" . pack('N', 3) . $pair->(1, 'twice') . $pair->(2, 'once') . $pair->(3, 'twice');
        my $data = pf->{thaw}->("\x05\x0b" . "\x02" . pack('N', 4) . "\x04$hash" x 4);
        is_deeply($data, [({twice => 3, once => 2}) x 4], "a key that comes twice, round $round");
    }
}

# With a fixed seed the order is that of the hashes that stock builds.
for my $perturb (0, 2) {
    my $code = 'my $module = shift; eval "require $module" or die $@;'
        . 'my @rows = map { my $n = $_; +{map { ("k$_" => $_) } 1 .. $n} } 1 .. 40;'
        . 'my $thawed = $module->can("thaw")->($module->can("nfreeze")->(\@rows)); my @more;'
        . 'push @more, $module->can("thaw")->($module->can("nfreeze")->($rows[$_])) for 1 .. 20;'
        . 'print map { join(" ", keys %$_), "\n" } @$thawed, @more;';
    my %order;
    for my $module ('Storable', $MODULE) {
        local $ENV{PERL_HASH_SEED}    = 0;
        local $ENV{PERL_PERTURB_KEYS} = $perturb;
        delete local $ENV{PERL5OPT};
        open my $child, '-|', $^X, (map { "-I$_" } @INC), '-e', $code, $module or die "can't run $^X: $!";
        $order{$module} = do { local $/; <$child> };
        close $child;
    }
    # What perl has hashed before counts, too, with 2: then it is only said that no key is missing.
    my ($ours, $stocks) = @order{$MODULE, 'Storable'};
    $_ = join "\n", map { join ' ', sort split / / } split /\n/ for $perturb == 2 ? ($ours, $stocks) : ();
    ok(length $ours, "PERL_PERTURB_KEYS=$perturb: the child has something to say");
    is($ours, $stocks, "PERL_PERTURB_KEYS=$perturb: " . ($perturb ? "the keys are stock's" : "the order is stock's"));
}

done_testing;
