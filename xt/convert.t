#!/usr/bin/perl
# Images are converted as Storable would have written them, from every machine to every other:
# xt/convert.pl on some structures. More of them: perl -Mblib xt/convert.pl --count 100000
use strict;
use warnings;
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
plan skip_all => 'no make' if system('make --version >/dev/null 2>&1');
my $said = `$^X -Mblib xt/convert.pl --count 3000 --memory 50 2>&1`;
is($?, 0, 'xt/convert.pl') or diag $said;
like($said, qr/^[1-9]\d+ pairs, [1-9]\d+ conversions: .* [1-9]\d+ allocations failed; 0 differ$/m, 'all are as they must be');
note $said;
done_testing;
