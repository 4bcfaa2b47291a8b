#!/usr/bin/perl
# The fuzzers build, and run on what they begin with: each target on the seeds, with the
# sanitizers; the mutations for a moment.
use strict;
use warnings;
use File::Temp ();
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
my $dir = File::Temp::tempdir(CLEANUP => 1);

SKIP: {
    my ($clang) = grep { -x "$_/clang" || glob "$_/clang-[0-9]*" } split /:/, $ENV{PATH};
    skip 'no clang', 1 unless defined $clang;
    for my $target (map { m{fuzz_(\w+)\.c\z} } glob 'xt/fuzz/fuzz_*.c') {
        next if $target =~ /\A(?:main|walk)\z/;
        my $output = `bash xt/fuzz/fuzz.sh run --engine none --dir $dir $target 2>&1`;
        is($?, 0, "$target runs on the seeds") or diag $output;
        like($output, qr/^\d{3,} files$/m, '... which are many');
        my @lines = do { open my $in, '<', "xt/fuzz/fuzz_$target.c" or die $!; <$in> };
        cmp_ok(scalar @lines, '<', 150, '... and is short');
    }
}

for my $level ('full', 'data') {
    my $output = `$^X -Mblib xt/fuzz/mutate.pl --count 20000 --trust $level --findings $dir/findings 2>&1`;
    is($?, 0, "20,000 mutations, trust $level") or diag $output;
}
my $self = `$^X -Mblib xt/fuzz/mutate.pl --self-test --findings $dir/findings 2>&1`;
is($?, 0, 'mutate.pl sees crashes, hangs, ends and complaints') or diag $self;

done_testing();
