#!/usr/bin/perl
# The benchmarks work, their arithmetic is right, and bench/instructions --check can fail.
# Nothing here depends on how long something takes.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP ();
use Test::More;

my $TOP = "$FindBin::Bin/..";
use lib "$FindBin::Bin/../bench";
use BenchCodecs;
use BenchData;
use BenchMeasure;
use BenchTargets;

my $dir = tempdir(CLEANUP => 1);

sub slurp {
    my $file = shift;
    open my $in, '<:raw', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

sub spew {
    my ($file, $text) = @_;
    open my $out, '>:raw', $file or die "$file: $!";
    print {$out} $text;
    close $out or die "$file: $!";
    return;
}

# RETURNS: (exit status, output, standard error) of one of the programs in bench/.
sub run_tool {
    my ($tool, @args) = @_;
    my $command = join ' ', map { "'$_'" } $^X, "$TOP/bench/$tool", @args;
    my $output  = qx{$command 2>'$dir/stderr' </dev/null};
    return ($? >> 8, $output, slurp("$dir/stderr"));
}

# ---- data ----------------------------------------------------------------------------------

my @ISSUE = qw(small_hash rows1000 ints10k nums10k strs10k bighash10k objs1000 nest100 str1M
    utf8rows datetime episodes shared ints10M);
is(join(' ', BenchData->names), "@ISSUE", 'the names of the workloads');
for my $name (grep { $_ ne 'ints10M' } @ISSUE) {
    my $lacks = BenchData->lacks($name);
    SKIP: {
        skip "no $lacks (dev/setup bench installs it)", 1 if $lacks;
        skip "$name leads to a database handle", 1 if BenchData->needs_hooks($name);
        ok(BenchCodecs->same(BenchData->make($name), BenchData->make($name)), "$name is the same each time");
    }
}
is(scalar @{ BenchData->ints(1000) }, 1000, 'ints: as many as asked for');
is(scalar(grep { utf8::is_utf8($_) } keys %{ BenchData->make('utf8rows')->[0] }), 3, 'utf8rows: three keys in UTF-8');

# What the others may be given credit for.
my $shared = [];
for my $case (
    [1, 'floats but for the sixteenth digit', [1 / 3], [0.333333333333333]],
    [0, 'another float',        [1 / 3],                [0.333333333]],
    [0, 'another text',         ['a'],                  ['b']],
    [0, 'another length',       [1],                    [1, 2]],
    [0, 'another class',        bless([], 'X'),         []],
    [0, 'another key',          { a => 1 },             { b => 1 }],
    [0, 'undef and empty',      [undef],                ['']],
    [1, 'two of one',           [$shared, $shared],     do { my $x = []; [$x, $x] }],
    [0, 'one of two',           [$shared, $shared],     [[], []]],
    [0, 'two become one',       [[], []],               [$shared, $shared]],
) {
    my ($expected, $what, $left, $right) = @$case;
    is(!!BenchCodecs->same($left, $right), !!$expected, "same: $what");
}

# ---- judging -------------------------------------------------------------------------------

is(sprintf('%.6f', BenchMeasure->geometric_mean(1, 10, 100)), '10.000000', 'geometric mean');

# RETURNS: results in which Permafrost is $ratio times as fast as Storable at freezing.
sub results {
    my ($ratio, %other) = @_;
    return { speed => [map { {
        workload => $_, op => 'freeze',
        times => { Storable => { best => 10 }, Permafrost => { best => 10 / $ratio }, map { ($_ => { best => $other{$_} }) } keys %other },
    } } @ISSUE[0 .. 8]] };
}

my $judged = results(4, Sereal => 5, 'CBOR::XS' => 2);
BenchTargets->judge($judged);
my %row = map { ($_->{workload} => $_) } @{ $judged->{speed} };
is($row{rows1000}{ratio}, 4, 'ratio');
is($row{rows1000}{target}, 4, 'target');
ok($row{rows1000}{met}, 'a target that is reached is met');
ok(!$row{small_hash}{met}, 'one that is not reached is not');
is($row{rows1000}{others}{fastest}, 'CBOR::XS', 'the fastest of the others');
ok(!$row{rows1000}{others}{met}, 'slower than that one');
my ($mean) = @{ $judged->{means} };
is(sprintf('%.3f', $mean->{ratio}), '4.000', 'mean');
is($mean->{target}, 5, 'target of the mean');
ok(!$mean->{met}, 'not met');
# rows, bighash, nest and str1M reach 4, 3, 3 and 2; nobody is as fast as CBOR::XS here.
is(join(' of ', BenchTargets->count_met($judged)), '4 of 19', 'targets are counted');

my $memory = { memory => [map { { module => 'Permafrost', op => 'thaw', growth_bytes => $_, against_bytes => 100 } } 109, 112] };
BenchTargets->judge($memory);
is(join(' ', map { $_->{met} ? 1 : 0 } @{ $memory->{memory} }), '1 0', 'memory: 10 % more than the result');
my $growth = { growth => [map { { module => 'Permafrost', op => 'thaw', points => [[1, 10], [2, $_], [3, 12]] } } 14, 16] };
BenchTargets->judge($growth);
is(join(' ', map { $_->{met} ? 1 : 0 } @{ $growth->{growth} }), '1 0', 'growth: a factor of 1.5');

# ---- bench/run -----------------------------------------------------------------------------

{
    my ($status, $output, $errors) = run_tool('run', qw(--quick --time 0.002 --parts), 'speed,core',
        '--only', '^(?:small_hash|ints10k)$', '--json', "$dir/results.json");
    is($status, 0, 'bench/run') or diag $errors;
    is(join('', grep { !/^bench\/run: without / } split /^/, $errors), '', 'quiet where there is no terminal');
    like($output, qr/^small_hash +freeze +[0-9.]+ .*\b(?:met|NOT MET)/m, 'a line of the table');
    my $results = eval { JSON::PP->new->decode(slurp("$dir/results.json")) };
    ok($results, 'JSON') or diag $@;
    is(join(' ', sort keys %$results), 'core load machine means settings speed', 'its keys');
    my %seen = map { ("$_->{workload} $_->{op}" => $_) } @{ $results->{speed} };
    is(join(', ', sort keys %seen), join(', ', sort map({ "ints10k $_" } qw(freeze nfreeze thaw nthaw dclone nstore retrieve)),
        map { "small_hash $_" } qw(freeze nfreeze canonical thaw nthaw dclone nstore retrieve)), 'its rows');
    my @bad = grep {
        my $times = $seen{$_}{times};
        grep({ !($_->{best} > 0 && $_->{median} >= $_->{best} && $_->{rounds} >= 5) } values %$times)
            || abs($times->{Storable}{best} / $times->{Permafrost}{best} / $seen{$_}{ratio} - 1) > 1e-9;
    } keys %seen;
    is("@bad", '', 'times and ratios');
    ok($seen{'ints10k thaw'}{times}{floor}, 'the floor of thaw');
    is(join(' ', sort grep { !$results->{machine}{$_} } qw(date cpu perl flags compiler modules)), '', 'the machine');
    is(join(' ', map { "$_->{workload} $_->{items}" } @{ $results->{core} }), 'small_hash 10 ints10k 10001', 'items that the codec counted');

    SKIP: {
        skip 'no gnuplot (dev/setup plot installs it)', 3 unless qx{gnuplot --version 2>/dev/null};
        ($status, undef, $errors) = run_tool('run', '--from', "$dir/results.json", '--html', "$dir/page.html");
        is($status, 0, 'the page') or diag $errors;
        my $page = slurp("$dir/page.html");
        cmp_ok(scalar(() = $page =~ /<svg\b/g), '>=', 10, 'plots');
        unlike($page, qr/<(?:script|link|img)\b|\b(?:src|href)="http/, 'nothing from elsewhere');
    }
}

is((run_tool('run', '--parts', 'nonsense'))[0], 2, 'bench/run: no such part');
# dev/bench builds what dev/test uses, perhaps before that has installed valgrind.
require BenchNative;
{
    no warnings qw(once);
    local @BenchNative::HEADERS = ($dir);
    my $without = BenchNative->library;
    mkdir "$dir/valgrind" or die $!;
    spew("$dir/valgrind/callgrind.h", '');
    isnt(BenchNative->library, $without, 'it is built again when there is valgrind');
    rmdir "$dir/valgrind" if unlink "$dir/valgrind/callgrind.h";
}

is((run_tool('run', '--only', 'nonsense'))[0], 2, 'bench/run: no such workload');
is((run_tool('run', '--time', '-1'))[0], 2, 'bench/run: no such time');

# ---- bench/instructions --------------------------------------------------------------------

{
    package Instructions;
    do "$FindBin::Bin/../bench/instructions" or die $@ || $!;
}

is(Instructions::per_call([[10, 5_000], [30, 9_000]]), 200, 'what is not part of a call cancels out');
is(Instructions::verdict(1000, 1020), 'same',   '2 % more');
is(Instructions::verdict(1000, 1021), 'grown',  'over 2 % more');
is(Instructions::verdict(1000, 979),  'shrunk', 'over 2 % less');
is(Instructions::verdict(undef, 979), 'new',    'no figure');
is_deeply([Instructions::differences([[a => 1], [b => 2]], [[b => 3], [c => 4]])],
    [['a', 1, ''], ['b', 2, 3], ['c', '', 4]], 'differences');

SKIP: {
    skip 'no valgrind (dev/setup test installs it)', 1 unless qx{valgrind --version 2>/dev/null};
    my $file  = "$dir/instructions.txt";
    my $count = sub { run_tool('instructions', '--file', $file, '--only', '^small_hash freeze$', @_) };

    is(($count->('--check'))[0], 2, 'there is no file');
    is(($count->('--update'))[0], 0, '--update');
    my $text = slurp($file);
    my ($figure) = $text =~ /^small_hash +freeze +([0-9]+)$/m;
    cmp_ok($figure // 0, '>', 500, 'a figure');

    my ($status, $output) = $count->('--check');
    is($status, 0, '--check right after it');
    like($output, qr/^small_hash +freeze +$figure +\+0\.00 %$/m, 'the figure is exactly the same again');

    # As if the file were older, and the figure had grown by 3 % since.
    my $with = sub { my $new = shift; spew($file, $text =~ s/^(small_hash +freeze +)[0-9]+$/$1$new/mr) };
    $with->(int($figure / 1.03));
    ($status, $output) = $count->('--check');
    is($status, 1, '--check fails when a figure has grown');
    like($output, qr/grown from .*^FAILED: 1 grown/ms, 'and says which');

    $with->(int($figure / 0.97));
    ($status, $output) = $count->('--check');
    is($status, 0, 'and does not when it has shrunk');
    like($output, qr/^1 have shrunk/m, 'but says so');

    spew($file, $text =~ s/^small_hash.*\n//mr);
    is(($count->('--check'))[0], 1, 'a figure is missing');

    spew($file, $text =~ s/^perl: .*/perl: another/mr);
    ($status, undef, my $errors) = $count->('--check');
    is($status, 0, 'another perl');
    like($errors, qr/perl differs.*SKIPPED/s, 'says that it compares nothing');

    spew($file, "$text\nwhat is this\n");
    is(($count->('--check'))[0], 2, 'a damaged file');
}

done_testing;
