#!/usr/bin/perl
# The image commands on generated structures and, if it is there, on the corpus of images from
# real machines: tagged JSON and back gives the same bytes, and so on, see xt/inspect_check.c.
# More of them: perl -Mblib xt/inspect.pl --count 100000
use strict;
use warnings;
use File::Find qw(find);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
plan skip_all => 'no make' if system('make --version >/dev/null 2>&1');

my $said = `$^X -Mblib xt/inspect.pl --count 1500 --memory 50 2>&1`;
is($?, 0, 'xt/inspect.pl') or diag $said;
like($said, qr/^[1-9]\d+ images, [1-9]\d+ pairs, [1-9]\d+ commands through windows, [1-9]\d+ allocations failed; 0 wrong$/m,
    'all are as they must be');
note $said;

my $out = tempdir(CLEANUP => 1);
is(system('make', '-s', '-C', 'csrc', "OUT=$out", 'MAKEFLAGS=', "$out/inspect_check", "$out/pst"), 0, 'inspect_check and pst are built');

# What `pst` says, `permafrost` says.
my $file = "$out/image";
open my $image, '>:raw', $file or die "$file: $!";
print {$image} `$^X -Mblib -MPermafrost=freeze -e 'binmode STDOUT; print freeze([1, { k => [undef, "\\x{263a}"] }, bless([], "A"), qr/x/, 1.5])'`;
close $image or die "$file: $!";
for my $command (qw(head dump json explain check), 'json --tagged', 'explain --summary', 'dump --depth 1', map {"$_ --json"} qw(head dump explain check)) {
    my $by_pst = `$out/pst $command $file 2>&1`;
    is($?, 0, "pst $command");
    is(`$^X -Mblib script/permafrost $command $file 2>&1`, $by_pst, "permafrost $command says the same");
}
my $help = `$out/pst --help` =~ s/\bpst\b/permafrost/gr;
like(`$^X -Mblib script/permafrost --help`, qr/\A\Q$help\E\n.*\baudit\b.*\n\z/, '--help, with a line about the audit');

SKIP: {
    my $corpus = '../shared/corpus';
    skip 'no ../shared/corpus', 2 unless -d $corpus;
    my @files;
    find({ no_chdir => 1, wanted => sub { push @files, $_ if /\.storable\z/ } }, $corpus);
    cmp_ok(scalar @files, '>', 2000, 'the corpus');
    my $wrong = '';
    while (my @some = splice @files, 0, 500) {
        my $said = qx{$out/inspect_check @some};
        $wrong .= $said if $said !~ /; 0 wrong$/m;
    }
    is($wrong, '', 'tagged JSON and back: the same bytes of every image there');
}
done_testing;
