/* pst_digits.h - digits in registers, and the text of doubles of common size.
 *
 * Layer: core, private to pst_numfmt.c and the glue's runs of plain scalars. A double of 15 digits
 * is the integer nearest to m * 2**e * 10**p. From 0.001 to 10**14 and a little beyond
 * on both sides, 10**p is an integer of 64 bits, so the product is exact in 128, and rounding it is
 * all there is to do.
 */
#ifndef PST_DIGITS_H
#define PST_DIGITS_H

#include "pst_config.h"
#if PST_SSE2
#  include <emmintrin.h>
#endif

typedef struct { uint64_t high, low; } pst_u128;

/* a * b, all of it. */
PST_INLINE pst_u128 pst_multiply64(uint64_t a, uint64_t b)
{
    pst_u128 r;
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 native128;
    native128 product = (native128)a * b;
    r.high = (uint64_t)(product >> 64);
    r.low  = (uint64_t)product;
#else
    uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
    uint64_t low = a0 * b0, mid1 = a1 * b0, mid2 = a0 * b1;
    uint64_t carry = (low >> 32) + (uint32_t)mid1 + (uint32_t)mid2;
    r.low  = carry << 32 | (uint32_t)low;
    r.high = a1 * b1 + (mid1 >> 32) + (mid2 >> 32) + (carry >> 32);
#endif
    return r;
}

/* floor(log10(2**e)) for |e| <= 1100. */
PST_INLINE int pst_log10_of_pow2(int e)
{
    return (int)(((int64_t)e * INT64_C(1292913986)) >> 32);
}

/* Leading zero bits of v, which is not 0. */
PST_INLINE int pst_leading_zeros(uint64_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_clzll(v);
#else
    int n = 0;
    for (; !(v >> 56); v <<= 8)
        n += 8;
    for (; !(v >> 63); v <<= 1)
        n++;
    return n;
#endif
}

#if !PST_SSE2
/* The 8 digits of v, one in a byte, the first in the lowest: the number is halved into
 * fours, twos and ones, all parts of a word at a time. */
PST_INLINE uint64_t pst_eight_digits(uint32_t v)
{
    const uint64_t fours = (v / 10000) | (uint64_t)(v % 10000) << 32;
    const uint64_t hundreds = ((fours * 10486) >> 20) & UINT64_C(0x7f0000007f);
    const uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    const uint64_t tens = ((twos * 103) >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - tens * 10) << 8;
}
#endif

/* 16 digits: one in a byte, the first in the lowest byte of `high`. */
typedef struct { uint64_t high, low; } pst_digits16;

/* The digits of v, which is below 10**16. */
PST_INLINE pst_digits16 pst_sixteen_digits(uint64_t v)
{
    pst_digits16 d;
#if PST_SSE2
    /* Eights are parted into fours, these into twos and ones, in all places at once. */
    const __m128i eights = _mm_set_epi32(0, (int)(v % 100000000), 0, (int)(v / 100000000));
    const __m128i upper = _mm_srli_epi64(_mm_mul_epu32(eights, _mm_set1_epi32((int)0xd1b71759)), 45);
    const __m128i fours = _mm_or_si128(upper, _mm_slli_epi64(
        _mm_sub_epi32(eights, _mm_mul_epu32(upper, _mm_set1_epi32(10000))), 32));
    /* Four digits f, h of them hundreds: h and, in the other half, f - 100 * h. */
    const __m128i shifted = _mm_slli_epi32(fours, 16);
    const __m128i hundreds = _mm_srli_epi16(
        _mm_mulhi_epu16(_mm_or_si128(fours, shifted), _mm_set1_epi16(5243)), 3);
    const __m128i twos = _mm_add_epi16(shifted, _mm_mullo_epi16(hundreds, _mm_set1_epi32(1 - 100 * 65536)));
    const __m128i tens = _mm_mulhi_epu16(twos, _mm_set1_epi16(6554));
    const __m128i ones = _mm_sub_epi16(_mm_slli_epi16(twos, 8), _mm_mullo_epi16(tens, _mm_set1_epi16(10 * 256 - 1)));
    d.high = (uint64_t)_mm_cvtsi128_si64(ones);
    d.low = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(ones, ones));
#else
    d.high = pst_eight_digits((uint32_t)(v / 100000000));
    d.low = pst_eight_digits((uint32_t)(v % 100000000));
#endif
    return d;
}

/* Write 8 digits, one in each byte of the number, the first in the lowest, as text. */
PST_INLINE void pst_put_digits(char *to, uint64_t digits)
{
    digits |= UINT64_C(0x3030303030303030);
    if (!pst_host_is_little())
        digits = pst_swap64(digits);
    memcpy(to, &digits, sizeof digits);
}

/* The same with 16. */
PST_INLINE void pst_put_digits16(char *to, pst_digits16 d)
{
    pst_put_digits(to, d.high);
    pst_put_digits(to + 8, d.low);
}

/* Without the first k digits, 1 <= k < 16; zeros come in behind. */
PST_INLINE pst_digits16 pst_drop_digits(pst_digits16 d, int k)
{
    pst_digits16 r;
    if (k >= 8) {
        r.high = d.low >> (k - 8) * 8;
        r.low = 0;
    }
    else {
        r.high = d.high >> k * 8 | d.low << (64 - k * 8);
        r.low = d.low >> k * 8;
    }
    return r;
}

/* The text of "0" and 15 digits, n of them up to the last that is not 0, the point after
 * the first of the 15, times 10**x, -4 <= x < 15. The digits go from registers straight to
 * their places: bytes just written and read again in other portions would cost more than
 * all the rest. */
PST_INLINE size_t pst_layout15(char *out, pst_digits16 d, int n, int x)
{
    if (x < 0) {
        memcpy(out, "0.000", 5);
        pst_put_digits16(out - x, d);
        out[1] = '.';
        return (size_t)(n + 1 - x);
    }
    d = pst_drop_digits(d, 1);
    pst_put_digits16(out, d);
    if (n <= x + 1)
        return (size_t)x + 1;
    pst_put_digits16(out + x + 2, pst_drop_digits(d, x + 1));
    out[x + 1] = '.';
    return (size_t)n + 1;
}

/* How many of the last `most` of the 16 digits are left without the zeros at the end. */
PST_INLINE int pst_count_digits(pst_digits16 d, int most)
{
    return most - (PST_LIKELY(d.low != 0) ? pst_leading_zeros(d.low) / 8
                   : d.high ? 8 + pst_leading_zeros(d.high) / 8 : 16);
}

/* ---- doubles of common size ---------------------------------------------------------------------- */

/* From 2**-10, which is a little below 0.001, up to 2**49, which is half of 10**15. */
enum { PST_COMMON_LEAST = -10, PST_COMMON_END = 49, PST_COMMON_X = -4 };

static const double pst_common_limits[] = {       /* 10**(x + 1), x from PST_COMMON_X on */
    1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
    1e14, 1e15
};

static const uint64_t pst_common_powers[] = {     /* 10**p */
    UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000),
    UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000),
    UINT64_C(10000000000), UINT64_C(100000000000), UINT64_C(1000000000000),
    UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000),
    UINT64_C(10000000000000000), UINT64_C(100000000000000000), UINT64_C(1000000000000000000)
};

/* The 15 digits of a double whose bits without the sign are `bits`, and which is not below
 * 2**k, but below 2**(k + 1). *x: of the first digit.
 *
 * A limit below 1 is rounded. Where it lies above the true power, no double is between them;
 * where below, the double that is the limit gets an x too large by one, and, as it is nearer to
 * the power than half of the last digit, 10**14 for its digits, which is right. */
PST_INLINE uint64_t pst_common_digits(uint64_t bits, int k, int *x)
{
    const uint64_t mantissa = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1) << 52;
    const int shift = 52 - k;
    uint64_t limit, digits;
    pst_u128 product;
    *x = pst_log10_of_pow2(k);
    memcpy(&limit, &pst_common_limits[*x - PST_COMMON_X], sizeof limit);
    *x += bits >= limit;
    product = pst_multiply64(mantissa, pst_common_powers[14 - *x]);
    digits = product.high << (64 - shift) | product.low >> shift;
    /* The fraction is a multiple of 4: one more for an odd number rounds a half of it up. */
    digits += (product.low << (64 - shift)) + (digits & 1) > UINT64_C(0x8000000000000000);
    if (PST_UNLIKELY(digits == UINT64_C(1000000000000000))) {
        ++*x;
        return UINT64_C(100000000000000);
    }
    return digits;
}

/* The text of a double with 15 digits, if it is of common size. RETURNS: its length, 0 if it is not. */
PST_INLINE size_t pst_format_common(char *out, double v)
{
    uint64_t bits;
    pst_digits16 d;
    size_t sign;
    int k, x;
    memcpy(&bits, &v, sizeof bits);
    k = (int)(bits >> 52 & 0x7ff) - 1023;
    if (PST_UNLIKELY(k < PST_COMMON_LEAST || k >= PST_COMMON_END))
        return 0;
    sign = bits >> 63;
    d = pst_sixteen_digits(pst_common_digits(bits & UINT64_C(0x7fffffffffffffff), k, &x));
    *out = '-';
    return sign + pst_layout15(out + sign, d, pst_count_digits(d, 15), x);
}

#endif
