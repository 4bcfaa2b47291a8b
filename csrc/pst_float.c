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

pst_float pst_float_from_double(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return from_double_bits(bits);
}

/* ---- rounding ------------------------------------------------------------------------------ */

/* What a layout can hold. */
typedef struct range {
    unsigned bits;          /* of the mantissa, the leading one included */
    int      least, most;   /* exponents of the leading bit */
} range;

static const range double_range   = { DOUBLE_BITS + 1, 1 - DOUBLE_BIAS, DOUBLE_BIAS };
static const range extended_range = { 64, 1 - WIDE_BIAS, WIDE_BIAS };
static const range quad_range     = { QUAD_HIGH_BITS + 65, 1 - WIDE_BIAS, WIDE_BIAS };

/* Add 1 in the last of `bits` bits. RETURNS: did it carry out of the top? */
static bool increment(pst_float *f, unsigned bits)
{
    if (bits <= 64)
        return (f->high += UINT64_C(1) << (64 - bits)) < UINT64_C(1) << (64 - bits);
    f->low += UINT64_C(1) << (128 - bits);
    return f->low < UINT64_C(1) << (128 - bits) && ++f->high == 0;
}

/* Cut off all but the first `bits` bits. RETURNS: must the last one go up? */
static bool cut(pst_float *f, unsigned bits)
{
    pst_float rest = *f;
    bool odd, half;
    if (bits <= 64) {
        const uint64_t keep = bits == 64 ? UINT64_MAX : ~(UINT64_MAX >> bits);
        odd = (f->high >> (64 - bits) & 1) != 0;
        f->high &= keep;
        f->low = 0;
        half = bits == 64 ? rest.low >> 63 : (rest.high >> (63 - bits) & 1) != 0;
        rest.high = bits == 64 ? 0 : rest.high & (UINT64_MAX >> bits) >> 1;
        rest.low &= bits == 64 ? ~TOP_BIT : UINT64_MAX;
    }
    else {
        const unsigned drop = 128 - bits;
        odd = (f->low >> drop & 1) != 0;
        f->low &= ~((UINT64_C(1) << drop) - 1);
        half = (rest.low >> (drop - 1) & 1) != 0;
        rest.high = 0;
        rest.low &= (UINT64_C(1) << (drop - 1)) - 1;
    }
    f->more = false;
    return half && (odd || rest.high || rest.low || rest.more);
}

/* Round a number that is not zero to what a layout holds; its leading bit comes to the top, but
 * not that of a subnormal. RETURNS: the exponent of the top bit; r->least - 1 for a subnormal,
 * more than r->most if it is too great. */
static int round_to(pst_float *f, const range *r)
{
    int exponent;
    normalize(f);
    exponent = f->exponent + 127;
    if (exponent > r->most)
        return exponent;
    if (exponent < r->least) {
        shift_right(f, (uint32_t)(r->least - exponent));
        exponent = r->least;
    }
    if (cut(f, r->bits) && increment(f, r->bits)) {
        f->high = TOP_BIT;
        exponent++;
    }
    return f->high & TOP_BIT ? exponent : r->least - 1;
}

/* ---- to a double --------------------------------------------------------------------------- */

/* The fraction bits of a NaN, from the top on: never none, which would be an infinity. */
static uint64_t nan_fraction(const pst_float *f, unsigned bits)
{
    const uint64_t fraction = f->high >> (64 - bits) << (64 - bits);
    return fraction ? fraction : TOP_BIT;
}

static uint64_t to_double_bits(const pst_float *f)
{
    const uint64_t sign = f->negative ? TOP_BIT : 0, special = (uint64_t)DOUBLE_SPECIAL << DOUBLE_BITS;
    pst_float rounded = *f;
    int exponent;
    if (f->nan)
        return sign | special | nan_fraction(f, DOUBLE_BITS) >> (64 - DOUBLE_BITS);
    if (f->infinite)
        return sign | special;
    if (!f->high && !f->low)
        return sign;
    exponent = round_to(&rounded, &double_range);
    if (exponent > double_range.most)
        return sign | special;
    return sign | (uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_BITS | (rounded.high >> 11 & DOUBLE_FRACTION);
}

double pst_float_to_double(const pst_float *f)
{
    const uint64_t bits = to_double_bits(f);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- to other layouts ------------------------------------------------------------------------ */

/* Sign and exponent as x87, m68k and quad have them; the mantissa, rounded, is left in `f` with
 * its leading bit on top. */
static unsigned round_wide(pst_float *f, const range *r)
{
    const unsigned sign = f->negative ? 0x8000 : 0;
    int exponent;
    if (f->nan) {
        f->high = TOP_BIT | nan_fraction(f, 63) >> 1;
        f->low = 0;
        return sign | WIDE_SPECIAL;
    }
    if (!f->infinite && !f->high && !f->low)
        return sign;
    exponent = f->infinite ? r->most + 1 : round_to(f, r);
    if (exponent <= r->most)
        return sign | (unsigned)(exponent + WIDE_BIAS);
    f->high = TOP_BIT;
    f->low = 0;
    return sign | WIDE_SPECIAL;
}

static void put_quad(uint8_t *out, pst_float f, bool little)
{
    const unsigned head = round_wide(&f, &quad_range);
    const uint64_t high = f.high << 1 | f.low >> 63;   /* the leading bit is understood */
    store(out + (little ? 8 : 0), (uint64_t)head << QUAD_HIGH_BITS | high >> 16, 8, little);
    store(out + (little ? 0 : 8), high << 48 | f.low << 1 >> 16, 8, little);
}

/* A number without the double nearest to it. */
static pst_float remainder_of(const pst_float *f)
{
    pst_float nearest = from_double_bits(to_double_bits(f)), rest = *f;
    if (f->nan || nearest.infinite || (!nearest.high && !nearest.low) || (!rest.high && !rest.low)) {
        memset(&rest, 0, sizeof rest);
        return rest;
    }
    normalize(&nearest);
    normalize(&rest);
    nearest.negative = !f->negative;
    return is_smaller(&nearest, &rest) ? add(rest, nearest) : add(nearest, rest);
}

void pst_float_encode(uint8_t *out, const pst_float *f, pst_float_kind kind, bool little, size_t size)
{
    pst_float rounded = *f;
    unsigned head;
    memset(out, 0, size);
    switch (kind) {
    case PST_FLOAT_X87:
    case PST_FLOAT_X87_OR_QUAD:
        head = round_wide(&rounded, &extended_range);
        store(out, rounded.high, 8, true);
        store(out + 8, head, 2, true);
        return;
    case PST_FLOAT_M68K:
        head = round_wide(&rounded, &extended_range);
        store(out, head, 2, false);
        store(out + 4, rounded.high, 8, false);
        return;
    case PST_FLOAT_QUAD:
        put_quad(out, rounded, little);
        return;
    case PST_FLOAT_PAIR:
        rounded = remainder_of(f);
        store(out + 8, to_double_bits(&rounded), 8, little);
        break;
    default:
        break;
    }
    store(out, to_double_bits(f), 8, little);
}
