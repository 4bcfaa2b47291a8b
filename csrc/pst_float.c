/* pst_float.c - see pst_float.h. */
#include "pst_float.h"

enum {
    DOUBLE_BIAS = 1023, DOUBLE_BITS = 52, DOUBLE_SPECIAL = 0x7ff,
    WIDE_BIAS = 16383, WIDE_SPECIAL = 0x7fff,       /* x87, m68k and quad alike */
    QUAD_HIGH_BITS = 48                              /* of the fraction, in the first word */
};

#define DOUBLE_FRACTION ((UINT64_C(1) << DOUBLE_BITS) - 1)
#define QUAD_FRACTION   ((UINT64_C(1) << QUAD_HIGH_BITS) - 1)
#define TOP_BIT         (UINT64_C(1) << 63)

pst_float_kind pst_float_kind_of(size_t nv_size, bool little, size_t ptr_size)
{
    if (nv_size == 8)
        return PST_FLOAT_DOUBLE;
    if (nv_size == 12)
        return little ? PST_FLOAT_X87 : PST_FLOAT_M68K;
    if (little)
        return PST_FLOAT_X87_OR_QUAD;
    return ptr_size == 4 ? PST_FLOAT_PAIR : PST_FLOAT_QUAD;
}

/* ---- bytes to words -------------------------------------------------------------------- */

/* `len` bytes (up to 8) as a number. */
static uint64_t load(const uint8_t *p, size_t len, bool little)
{
    uint64_t v = 0;
    size_t i;
    for (i = 0; i < len; i++)
        v = v << 8 | p[little ? len - 1 - i : i];
    return v;
}

static void store(uint8_t *p, uint64_t v, size_t len, bool little)
{
    size_t i;
    for (i = 0; i < len; i++, v >>= 8)
        p[little ? i : len - 1 - i] = (uint8_t)v;
}

/* ---- shifts of 128 bits ------------------------------------------------------------------ */

/* Right by `count`, what falls out being remembered. */
static void shift_right(pst_float *f, uint32_t count)
{
    if (count >= 128) {
        f->more = f->more || f->high || f->low;
        f->high = f->low = 0;
        return;
    }
    if (count >= 64) {
        f->more = f->more || f->low;
        f->low = f->high;
        f->high = 0;
        count -= 64;
    }
    if (!count)
        return;
    f->more = f->more || (f->low & ((UINT64_C(1) << count) - 1));
    f->low = f->low >> count | f->high << (64 - count);
    f->high >>= count;
}

/* Left until the top bit is set. The number is not zero. */
static void normalize(pst_float *f)
{
    if (!f->high) {
        f->high = f->low;
        f->low = 0;
        f->exponent -= 64;
    }
    while (!(f->high & TOP_BIT)) {
        f->high = f->high << 1 | f->low >> 63;
        f->low <<= 1;
        f->exponent--;
    }
}

/* ---- to parts ---------------------------------------------------------------------------- */

static pst_float from_double_bits(uint64_t bits)
{
    pst_float f;
    int exponent = (int)(bits >> DOUBLE_BITS) & DOUBLE_SPECIAL;
    uint64_t fraction = bits & DOUBLE_FRACTION;
    memset(&f, 0, sizeof f);
    f.negative = bits >> 63 != 0;
    f.infinite = exponent == DOUBLE_SPECIAL && !fraction;
    f.nan = exponent == DOUBLE_SPECIAL && fraction;
    f.low = exponent ? fraction | UINT64_C(1) << DOUBLE_BITS : fraction;
    f.exponent = (exponent ? exponent : 1) - DOUBLE_BIAS - DOUBLE_BITS;
    if (f.nan)
        f.high = fraction << (64 - DOUBLE_BITS);
    return f;
}

/* x87 and m68k: the leading bit of the mantissa stands there. */
static pst_float from_extended(unsigned sign_exponent, uint64_t mantissa)
{
    pst_float f;
    int exponent = (int)(sign_exponent & WIDE_SPECIAL);
    memset(&f, 0, sizeof f);
    f.negative = (sign_exponent & 0x8000) != 0;
    f.infinite = exponent == WIDE_SPECIAL && !(mantissa & ~TOP_BIT);
    /* Without its leading bit a number that needs one is invalid, and counts as NaN. */
    f.nan = (exponent == WIDE_SPECIAL && !f.infinite) || (exponent && !(mantissa & TOP_BIT));
    f.infinite = f.infinite && !f.nan;
    f.low = mantissa;
    f.exponent = (exponent ? exponent : 1) - WIDE_BIAS - 63;
    if (f.nan)
        f.high = mantissa << 1;
    return f;
}

static pst_float from_quad(uint64_t high, uint64_t low)
{
    pst_float f;
    int exponent = (int)(high >> QUAD_HIGH_BITS) & WIDE_SPECIAL;
    memset(&f, 0, sizeof f);
    f.negative = high >> 63 != 0;
    f.high = high & QUAD_FRACTION;
    f.low = low;
    f.infinite = exponent == WIDE_SPECIAL && !f.high && !f.low;
    f.nan = exponent == WIDE_SPECIAL && !f.infinite;
    if (exponent)
        f.high |= UINT64_C(1) << QUAD_HIGH_BITS;
    f.exponent = (exponent ? exponent : 1) - WIDE_BIAS - QUAD_HIGH_BITS - 64;
    if (f.nan)
        f.high = high << (64 - QUAD_HIGH_BITS) | low >> QUAD_HIGH_BITS;
    return f;
}

/* Is |a| less than |b|? Both normalized and not zero. */
static bool is_smaller(const pst_float *a, const pst_float *b)
{
    if (a->exponent != b->exponent)
        return a->exponent < b->exponent;
    return a->high < b->high || (a->high == b->high && a->low < b->low);
}

/* big + small, |big| >= |small|, both normalized and exact. */
static pst_float add(pst_float big, pst_float small)
{
    shift_right(&big, 1);                       /* room for a carry; a pair has 53 bits each */
    big.exponent++;
    shift_right(&small, (uint32_t)(big.exponent - small.exponent));
    if (big.negative == small.negative) {
        big.low += small.low;
        big.high += small.high + (big.low < small.low);
    }
    else {
        /* What was cut off of the smaller one is taken off, too: one less, and `more`. */
        uint64_t take = small.low + (small.more ? 1 : 0);
        small.high += take < small.low;
        big.high -= small.high + (big.low < take);
        big.low -= take;
    }
    big.more = small.more;
    big.negative = big.negative && (big.high || big.low || big.more);
    return big;
}

static pst_float from_pair(uint64_t first, uint64_t second)
{
    pst_float a = from_double_bits(first), b = from_double_bits(second);
    bool a_zero = !a.low, b_zero = !b.low;
    if (a.nan || a.infinite || b_zero)
        return a;
    if (b.nan || b.infinite || a_zero)
        return b;
    normalize(&a);
    normalize(&b);
    return is_smaller(&a, &b) ? add(b, a) : add(a, b);
}

pst_float pst_float_decode(const uint8_t *bytes, pst_float_kind kind, bool little)
{
    switch (kind) {
    case PST_FLOAT_X87_OR_QUAD:
        if (load(bytes + 10, 6, true) == 0)
            return from_extended((unsigned)load(bytes + 8, 2, true), load(bytes, 8, true));
        return from_quad(load(bytes + 8, 8, true), load(bytes, 8, true));
    case PST_FLOAT_X87:
        return from_extended((unsigned)load(bytes + 8, 2, true), load(bytes, 8, true));
    case PST_FLOAT_M68K:
        return from_extended((unsigned)load(bytes, 2, false), load(bytes + 4, 8, false));
    case PST_FLOAT_QUAD:
        return from_quad(load(bytes + (little ? 8 : 0), 8, little),
                         load(bytes + (little ? 0 : 8), 8, little));
    case PST_FLOAT_PAIR:
        return from_pair(load(bytes, 8, little), load(bytes + 8, 8, little));
    default:
        return from_double_bits(load(bytes, 8, little));
    }
}

/* ---- to a double --------------------------------------------------------------------------- */

/* The bits without the sign of a number that is neither zero nor special. */
static uint64_t round_to_double(pst_float f)
{
    int exponent;
    uint64_t fraction;
    bool half, rest;
    normalize(&f);
    exponent = f.exponent + 127;                     /* that of the leading bit */
    if (exponent > DOUBLE_BIAS)
        return (uint64_t)DOUBLE_SPECIAL << DOUBLE_BITS;
    if (exponent < 1 - DOUBLE_BIAS) {                /* a subnormal has fewer bits */
        shift_right(&f, (uint32_t)(1 - DOUBLE_BIAS - exponent));
        exponent = 1 - DOUBLE_BIAS;
    }
    fraction = f.high >> 11;
    half = (f.high >> 10 & 1) != 0;
    rest = (f.high & 0x3ff) || f.low || f.more;
    if (half && (rest || (fraction & 1)))
        fraction++;
    /* A leading bit adds one to the exponent, and so does a carry, up to infinity. */
    return ((uint64_t)(exponent + DOUBLE_BIAS - 1) << DOUBLE_BITS) + fraction;
}

/* A NaN keeps what fits of its payload, and never becomes an infinity. */
static uint64_t nan_bits(uint64_t fraction)
{
    fraction >>= 64 - DOUBLE_BITS;
    return (uint64_t)DOUBLE_SPECIAL << DOUBLE_BITS | (fraction ? fraction : UINT64_C(1) << (DOUBLE_BITS - 1));
}

double pst_float_to_double(const pst_float *f)
{
    uint64_t bits;
    double v;
    if (f->nan)
        bits = nan_bits(f->high);
    else if (f->infinite)
        bits = (uint64_t)DOUBLE_SPECIAL << DOUBLE_BITS;
    else
        bits = f->high || f->low ? round_to_double(*f) : 0;
    if (f->negative)
        bits |= TOP_BIT;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- from a double --------------------------------------------------------------------------- */

/* Sign and exponent as x87, m68k and quad have them; *mantissa gets its leading bit on top.
 * Zero and specials included. */
static unsigned widen(double v, uint64_t *mantissa)
{
    uint64_t bits;
    pst_float f;
    unsigned sign;
    memcpy(&bits, &v, sizeof bits);
    f = from_double_bits(bits);
    sign = f.negative ? 0x8000 : 0;
    if (f.infinite || f.nan) {
        *mantissa = TOP_BIT | (bits & DOUBLE_FRACTION) << 11;
        return sign | WIDE_SPECIAL;
    }
    if (!f.low) {
        *mantissa = 0;
        return sign;
    }
    normalize(&f);
    *mantissa = f.high;
    return sign | (unsigned)(f.exponent + 127 + WIDE_BIAS);
}

void pst_float_encode(uint8_t *out, double v, pst_float_kind kind, bool little, size_t size)
{
    uint64_t bits, mantissa;
    unsigned head = widen(v, &mantissa);
    memcpy(&bits, &v, sizeof bits);
    memset(out, 0, size);
    switch (kind) {
    case PST_FLOAT_X87:
    case PST_FLOAT_X87_OR_QUAD:
        store(out, mantissa, 8, true);
        store(out + 8, head, 2, true);
        return;
    case PST_FLOAT_M68K:
        store(out, head, 2, false);
        store(out + 4, mantissa, 8, false);
        return;
    case PST_FLOAT_QUAD:
        mantissa <<= 1;                              /* its leading bit is understood */
        store(out + (little ? 8 : 0), (uint64_t)head << QUAD_HIGH_BITS | mantissa >> 16, 8, little);
        store(out + (little ? 0 : 8), mantissa << 48, 8, little);
        return;
    default:                                         /* a pair has nothing in its second half */
        store(out, bits, 8, little);
    }
}
