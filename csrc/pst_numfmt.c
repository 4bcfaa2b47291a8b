/* pst_numfmt.c - see pst_numfmt.h.
 *
 * A double is m * 2**e. Its n digits are the integer nearest to m * 2**e * 10**p, with p
 * chosen so that this integer has n digits. The product is formed from the 64-bit
 * mantissa and a 128-bit power of ten; what the table cuts off can change the answer
 * only if the fraction lies within a hair of one half, and then long arithmetic decides.
 * Doubles of common size need none of this: see pst_digits.h.
 */
#include "pst_digits.h"
#include "pst_numfmt.h"
#include "pst_pow10.h"

/* ---- integers -------------------------------------------------------------------- */

static const char two_digits[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

size_t pst_format_u64(char *out, uint64_t v)
{
    char text[20];
    size_t at = sizeof text;
    while (v >= 100) {
        at -= 2;
        memcpy(text + at, two_digits + 2 * (v % 100), 2);
        v /= 100;
    }
    if (v >= 10) {
        at -= 2;
        memcpy(text + at, two_digits + 2 * v, 2);
    }
    else
        text[--at] = (char)('0' + v);
    memcpy(out, text + at, sizeof text - at);
    return sizeof text - at;
}

size_t pst_format_i64(char *out, int64_t v)
{
    if (v >= 0)
        return pst_format_u64(out, (uint64_t)v);
    *out = '-';
    return 1 + pst_format_u64(out + 1, 0 - (uint64_t)v);
}

/* ---- doubles: the digits ----------------------------------------------------------- */

/* floor(p * log2(10)) for |p| <= 350. */
static int log2_of_pow10(int p)
{
    return (int)(((int64_t)p * INT64_C(14267572527)) >> 32);
}

#define BIG_WORDS 80   /* 2560 bits: 2**1074 and 10**342 side by side fit */
typedef struct { int count; uint32_t word[BIG_WORDS]; } big;

static void big_set(big *b, uint64_t v)
{
    b->word[0] = (uint32_t)v;
    b->word[1] = (uint32_t)(v >> 32);
    b->count = 2;
}

static void big_multiply(big *b, uint32_t by)
{
    uint64_t carry = 0;
    int i;
    for (i = 0; i < b->count; i++) {
        carry += (uint64_t)b->word[i] * by;
        b->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->word[b->count++] = (uint32_t)carry;
}

static void big_shift(big *b, int bits)
{
    int words = bits / 32, i;
    if (words) {
        memmove(b->word + words, b->word, sizeof(uint32_t) * (size_t)b->count);
        memset(b->word, 0, sizeof(uint32_t) * (size_t)words);
        b->count += words;
    }
    for (i = bits % 32; i > 0; i--)
        big_multiply(b, 2);
}

static int big_compare(const big *a, const big *b)
{
    int i = a->count > b->count ? a->count : b->count;
    while (i-- > 0) {
        uint32_t x = i < a->count ? a->word[i] : 0, y = i < b->count ? b->word[i] : 0;
        if (x != y)
            return x > y ? 1 : -1;
    }
    return 0;
}

static void big_subtract(big *a, const big *b)   /* a >= b */
{
    int64_t borrow = 0;
    int i;
    for (i = 0; i < a->count; i++) {
        borrow += (int64_t)a->word[i] - (i < b->count ? b->word[i] : 0);
        a->word[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
}

/* round(m * 2**e * 10**p), ties to even, by long division. Slow and exact. */
PST_COLD static uint64_t scale_exact(uint64_t m, int e, int p)
{
    big num, den;
    uint64_t q = 0;
    int i, order;
    big_set(&num, m);
    big_set(&den, 1);
    for (i = 0; i < p; i++)
        big_multiply(&num, 10);
    for (i = 0; i < -p; i++)
        big_multiply(&den, 10);
    big_shift(e > 0 ? &num : &den, e > 0 ? e : -e);
    for (i = 63; i >= 0; i--) {          /* quotient < 2**63, bit by bit */
        big part = den;
        if (part.count + i / 32 + 2 > BIG_WORDS)
            continue;                    /* larger than any numerator */
        big_shift(&part, i);
        if (big_compare(&num, &part) >= 0) {
            big_subtract(&num, &part);
            q |= (uint64_t)1 << i;
        }
    }
    big_multiply(&num, 2);
    order = big_compare(&num, &den);
    return q + (order > 0 || (order == 0 && (q & 1)));
}

/* The same by one multiplication; m has its top bit (63) set. */
PST_INLINE uint64_t scale(uint64_t m, int e, int p)
{
    const uint64_t *g = pst_pow10[p - PST_POW10_MIN];
    pst_u128 a = pst_multiply64(m, g[0]), b = pst_multiply64(m, g[1]);
    uint64_t mid = a.low + b.high, q, fraction;
    uint64_t high = a.high + (mid < a.low);
    /* high:mid, shifted right by so much, is the wanted number. */
    int shift = 63 - e - log2_of_pow10(p);
    bool exact = p >= 0 && p <= 55;
    if (shift <= 64 || shift >= 128)
        return scale_exact(m, e, p);
    q = high >> (shift - 64);
    fraction = (high << (128 - shift)) | (mid >> (shift - 64));
    /* The 64 bits of fraction are short by less than 2 of their units. */
    if (PST_UNLIKELY(fraction - (UINT64_C(0x8000000000000000) - 4) < 8)) {
        if (!exact || b.low != 0 || fraction != UINT64_C(0x8000000000000000)
            || (mid << (128 - shift)) != 0)
            return scale_exact(m, e, p);
        return q + (q & 1);
    }
    return q + (fraction >> 63);
}

/* ---- doubles: the text --------------------------------------------------------------- */

/* "%g" with an exponent: n digits with the point after the first, times 10**x. */
static size_t layout_exponent(char *out, const char *digits, int n, int x)
{
    char *p = out;
    *p++ = digits[0];
    if (n > 1) {
        *p++ = '.';
        memcpy(p, digits + 1, (size_t)n - 1);
        p += n - 1;
    }
    *p++ = 'e';
    *p++ = x < 0 ? '-' : '+';
    if (x < 0)
        x = -x;
    if (x < 10)
        *p++ = '0';
    return (size_t)(p - out) + pst_format_u64(p, (uint64_t)x);
}

/* A double taken apart: m * 2**e, m below 2**53. RETURNS: false if it is no number or zero. */
PST_INLINE bool take_apart(double v, uint64_t *m, int *e)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    *m = bits & UINT64_C(0xfffffffffffff);
    *e = (int)(bits >> 52 & 0x7ff);
    if (PST_UNLIKELY(*e == 0x7ff || (*e == 0 && *m == 0)))
        return false;
    if (PST_LIKELY(*e))
        *m |= UINT64_C(1) << 52;
    else
        *e = 1;
    *e -= 1075;
    return true;
}

/* Put the point, or the zeros, into digits in memory, for 0 <= x: any precision. */
static size_t layout(char *out, const char *digits, int n, int x)
{
    memcpy(out, digits, (size_t)x + 1);
    if (n <= x + 1)
        return (size_t)x + 1;
    out[x + 1] = '.';
    memcpy(out + x + 2, digits + x + 1, (size_t)(n - x - 1));
    return (size_t)n + 1;
}

/* The text of an integer of `precision` (15 or 17) digits, the point after the first, times
 * 10**x. */
PST_INLINE size_t format_digits(char *out, uint64_t scaled, int x, int precision)
{
    const uint64_t ten16 = UINT64_C(10000000000000000);
    const uint64_t first = precision > 16 ? scaled / ten16 : 0, rest = scaled - first * ten16;
    const pst_digits16 d = pst_sixteen_digits(rest);
    const int n = pst_count_digits(d, precision);
    char text[17];
    if (precision == 15 && PST_LIKELY(x >= -4 && x < precision))
        return pst_layout15(out, d, n, x);
    text[0] = (char)('0' + first);
    pst_put_digits16(text + 1, d);
    if (x < -4 || x >= precision)
        return layout_exponent(out, text + 17 - precision, n, x);
    if (x >= 0)
        return layout(out, text, n, x);
    memcpy(out, "0.000", 5);
    memcpy(out + 1 - x, text, (size_t)n);
    return (size_t)(n + 1 - x);
}

/* NaN, infinities and zeros. */
static size_t format_special(char *out, uint64_t bits)
{
    const bool zero = !(bits << 1);
    size_t sign = bits >> 63;
    if (!zero && bits << 12) {
        memcpy(out, "NaN", 3);
        return 3;
    }
    *out = '-';
    memcpy(out + sign, zero ? "0" : "Inf", zero ? 1 : 3);
    return sign + (zero ? 1 : 3);
}

/* floor(log10(m * 2**e)), m's top bit being set; or one too small where m is the upper
 * part of a power of ten, or a power is too small for the table. */
PST_INLINE int log10_of(uint64_t m, int e)
{
    const int x = pst_log10_of_pow2(e + 63);
    if (PST_UNLIKELY(x + 1 < PST_POW10_MIN))
        return x;
    return x + ((log2_of_pow10(x + 1) == e + 63) & (m > pst_pow10[x + 1 - PST_POW10_MIN][0]));
}

static size_t format_double(char *out, double v, int digits, uint64_t limit)
{
    uint64_t bits, m, scaled;
    int e, x, shift;
    size_t sign;

    memcpy(&bits, &v, sizeof bits);
    sign = bits >> 63;
    if (!take_apart(v, &m, &e))
        return format_special(out, bits);
    shift = pst_leading_zeros(m);
    m <<= shift;
    e -= shift;
    x = log10_of(m, e);
    scaled = scale(m, e, digits - 1 - x);
    if (PST_UNLIKELY(scaled >= limit))    /* rounded up to the next power, or x was too small */
        scaled = scale(m, e, digits - 1 - ++x);
    *out = '-';
    return sign + format_digits(out + sign, scaled, x, digits);
}

size_t pst_format_double(char *out, double v, int digits)
{
    size_t len;
    if (digits != PST_DIGITS_PERL)
        return format_double(out, v, PST_DIGITS_EXACT, UINT64_C(100000000000000000));
    len = pst_format_common(out, v);
    return PST_LIKELY(len) ? len : format_double(out, v, PST_DIGITS_PERL, UINT64_C(1000000000000000));
}

/* ---- doubles: is 15 digits' worth enough? ---------------------------------------------------- */

/* Compare w * 10**q with n * 2**k. RETURNS: as memcmp(). */
static int compare_scaled(uint64_t w, int q, uint64_t n, int k)
{
    big left, right;
    int i;
    big_set(&left, w);
    big_set(&right, n);
    for (i = 0; i < q; i++)
        big_multiply(&left, 10);
    for (i = 0; i < -q; i++)
        big_multiply(&right, 10);
    big_shift(k > 0 ? &right : &left, k > 0 ? k : -k);
    return big_compare(&left, &right);
}

/* Is m * 2**e, a double, the one nearest to w * 10**q? Ties go to even ones. */
static bool is_nearest(uint64_t w, int q, uint64_t m, int e)
{
    const bool even = (m & 1) == 0, least = m == UINT64_C(1) << 52 && e > -1074;
    int above = compare_scaled(w, q, 2 * m + 1, e - 1);
    int below = least ? compare_scaled(w, q, 4 * m - 1, e - 2)     /* the gap below is smaller */
                      : compare_scaled(w, q, 2 * m - 1, e - 1);
    return (above < 0 || (above == 0 && even)) && (below > 0 || (below == 0 && even));
}

/* The number that the digits of a text are, and the power of ten that belongs to it. */
static uint64_t read_digits(const char *text, size_t len, int *q)
{
    uint64_t w = 0;
    int exponent = 0, places = 0;
    bool point = false;
    size_t i;
    for (i = 0; i < len && text[i] != 'e'; i++) {
        if (text[i] == '.')
            point = true;
        else if (text[i] != '-') {
            w = w * 10 + (uint64_t)(text[i] - '0');
            places += point;
        }
    }
    if (i < len) {
        const bool negative = text[i + 1] == '-';
        for (i += 2; i < len; i++)
            exponent = exponent * 10 + (text[i] - '0');
        exponent = negative ? -exponent : exponent;
    }
    *q = exponent - places;
    return w;
}

size_t pst_format_exact(char *out, double v)
{
    uint64_t m, w;
    int e, q;
    size_t len = pst_format_double(out, v, PST_DIGITS_PERL);
    if (!take_apart(v, &m, &e)) {
        if (v == 0 && len == 2) {
            memcpy(out, "-0.0", 4);
            return 4;
        }
        return len;
    }
    w = read_digits(out, len, &q);
    return is_nearest(w, q, m, e) ? len : pst_format_double(out, v, PST_DIGITS_EXACT);
}
