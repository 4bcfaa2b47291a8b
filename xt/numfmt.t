#!/usr/bin/perl
# The codec builds without Perl, prints numbers as the C library does, and rounds the floats of
# other machines as the compiler does. More of them:
#   make -C csrc check TEXTS=100000000
use strict;
use warnings;
use File::Temp ();
use Test::More;

plan skip_all => 'no make' if system('make --version >/dev/null 2>&1');

my $out  = File::Temp::tempdir(CLEANUP => 1);
my $said = `make -s -C csrc check OUT=$out TEXTS=100000 MAKEFLAGS= 2>&1`;
is($?, 0, 'make -C csrc check') or diag $said;
is(scalar(() = $said =~ /^\d+ texts compared, 0 differ$/mg), 2, 'every text is the same, without SSE2, too');
like($said, qr/^\d+ floats compared, 0 differ$/m, 'every float is the same');
done_testing();
