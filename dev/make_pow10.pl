#!/usr/bin/perl
# Writes csrc/pst_pow10.h: the upper 128 bits of each power of ten that formatting a
# double to 15 or 17 digits can need. Run it only to check or to extend the table:
#   perl dev/make_pow10.pl >csrc/pst_pow10.h
use strict;
use warnings;
use Math::BigInt;

my ($low, $high) = (-294, 342);

print <<"TEXT";
/* pst_pow10.h - powers of ten for pst_numfmt.c. Made by dev/make_pow10.pl.
 *
 * Layer: core, private. Entry p - PST_POW10_MIN holds the upper 128 bits {high, low} of
 * 10**p, normalised so that the top bit is set and cut off below (exact for 0 <= p <= 55).
 */
#ifndef PST_POW10_H
#define PST_POW10_H

#include <stdint.h>

#define PST_POW10_MIN ($low)
#define PST_POW10_MAX $high

static const uint64_t pst_pow10[PST_POW10_MAX - PST_POW10_MIN + 1][2] = {
TEXT
for my $power ($low .. $high) {
    my $value = Math::BigInt->new(10)->bpow(abs $power);
    if ($power < 0) {    # 2**n / 10**-p with 128 significant bits, rounded down
        my $bits = $value->copy->as_bin;
        $value = Math::BigInt->new(2)->bpow(length($bits) - 2 + 130)->bdiv($value);
    }
    my $bits = substr $value->as_bin, 2;
    $bits = substr $bits . '0' x 128, 0, 128;
    printf "    { 0x%sULL, 0x%sULL },\n", map { unpack 'H*', pack 'B64', $_ } unpack 'A64 A64', $bits;
}
print "};\n\n#endif\n";
