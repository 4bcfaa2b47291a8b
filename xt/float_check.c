/* float_check.c - pst_float against the compiler's own floats.
 *
 *   make -C csrc check
 *   build/float_check [N]
 *
 * Checks N random bit patterns of each layout (default 1,000,000), and as many that lie near
 * what is hard: ties between two doubles and their neighbours, subnormal results, the greatest
 * double. x87 is compared with long double, IEEE quad with __float128, a pair with the sum of
 * two doubles; each where this machine has it. Exit status 1 and the first differences on a
 * failure.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "pst_float.h"

static unsigned long checked, wrong;

static uint64_t state = 88172645463325252u;
static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static void compare(const char *what, const uint8_t *bytes, pst_float_kind kind, bool little, double want)
{
    pst_float f = pst_float_decode(bytes, kind, little);
    double have = pst_float_to_double(&f);
    int i;
    checked++;
    if (bits_of(have) == bits_of(want) || (isnan(have) && isnan(want)))
        return;
    if (wrong++ >= 20)
        return;
    printf("not ok: %s ", what);
    for (i = 0; i < PST_FLOAT_MAX; i++)
        printf("%02x", bytes[i]);
    printf(": want %a, have %a\n", want, have);
}

static void reverse(uint8_t *to, const uint8_t *from, size_t len)
{
    size_t i;
    for (i = 0; i < len; i++)
        to[i] = from[len - 1 - i];
}

/* A mantissa that lies on or beside a tie between two doubles, and an exponent that makes
 * something near the ends of a double's range every other time. `drop`: bits beyond 53. */
static uint64_t hard_mantissa(int drop)
{
    uint64_t r = next_random() | UINT64_C(1) << 63;
    uint64_t half = UINT64_C(1) << (drop - 1);
    r &= ~((half << 1) - 1);
    switch (next_random() & 3) {
    case 0:  return r | half;
    case 1:  return r | half | 1;
    case 2:  return r | (half - 1);
    default: return r | ((half << 1) - 1);
    }
}

static unsigned hard_exponent(void)
{
    static const int around[] = { 0, 1023, 1024, -1021, -1022, -1023, -1050, -1073, -1074, -1075, -1076 };
    uint64_t r = next_random();
    unsigned sign = (r & 1) << 15;
    int e = r & 2 ? around[(r >> 8) % (sizeof around / sizeof *around)] : (int)((r >> 8) % 2200) - 1100;
    return sign | (unsigned)(e + 16383);
}

static void check_x87(uint64_t mantissa, unsigned head)
{
#if LDBL_MANT_DIG == 64
    uint8_t bytes[PST_FLOAT_MAX] = { 0 }, m68k[PST_FLOAT_MAX] = { 0 };
    long double v = 0;
    /* The compiler's machine takes a mantissa without its leading bit for invalid, too. */
    memcpy(bytes, &mantissa, 8);
    memcpy(bytes + 8, &head, 2);
    memcpy(&v, bytes, 10);
    compare("x87", bytes, PST_FLOAT_X87, true, (double)v);
    compare("x87 or quad", bytes, PST_FLOAT_X87_OR_QUAD, true, (double)v);
    reverse(m68k, bytes + 8, 2);
    reverse(m68k + 4, bytes, 8);
    compare("m68k", m68k, PST_FLOAT_M68K, false, (double)v);
#else
    (void)mantissa;
    (void)head;
#endif
}

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#define QUAD_HERE 1
#elif LDBL_MANT_DIG == 113
typedef long double quad;
#define QUAD_HERE 1
#endif

static void check_quad(uint64_t high, uint64_t low)
{
#ifdef QUAD_HERE
    uint8_t bytes[PST_FLOAT_MAX], big[PST_FLOAT_MAX];
    quad v;
    memcpy(bytes, &low, 8);
    memcpy(bytes + 8, &high, 8);
    reverse(big, bytes, 16);
    memcpy(&v, bytes, sizeof v);
    compare("quad", bytes, PST_FLOAT_QUAD, true, (double)v);
    compare("quad", big, PST_FLOAT_QUAD, false, (double)v);
    if (high >> 48 & 0x7fff)
        compare("x87 or quad", bytes, PST_FLOAT_X87_OR_QUAD, true, (double)v);
#else
    (void)high;
    (void)low;
#endif
}

static void check_pair(uint64_t first, uint64_t second)
{
    uint8_t bytes[PST_FLOAT_MAX], big[PST_FLOAT_MAX];
    double a, b;
    volatile double sum;
    memcpy(bytes, &first, 8);
    memcpy(bytes + 8, &second, 8);
    reverse(big, bytes, 8);
    reverse(big + 8, bytes + 8, 8);
    memcpy(&a, &first, 8);
    memcpy(&b, &second, 8);
    sum = a + b;
    if (isinf(a) || b == 0)
        sum = a;
    compare("pair", bytes, PST_FLOAT_PAIR, true, sum);
    compare("pair", big, PST_FLOAT_PAIR, false, sum);
}

/* Every layout holds every double: there and back. */
static void check_both_ways(double v)
{
    static const struct { pst_float_kind kind; bool little; size_t size; } layouts[] = {
        { PST_FLOAT_DOUBLE, true, 8 }, { PST_FLOAT_DOUBLE, false, 8 }, { PST_FLOAT_X87, true, 12 },
        { PST_FLOAT_X87, true, 16 }, { PST_FLOAT_M68K, false, 12 }, { PST_FLOAT_QUAD, true, 16 },
        { PST_FLOAT_QUAD, false, 16 }, { PST_FLOAT_PAIR, false, 16 }, { PST_FLOAT_X87_OR_QUAD, true, 16 }
    };
    size_t i;
    for (i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        uint8_t bytes[PST_FLOAT_MAX] = { 0 };
        const pst_float whole = pst_float_from_double(v);
        pst_float back;
        pst_float_encode(bytes, &whole, layouts[i].kind, layouts[i].little, layouts[i].size);
        compare("both ways", bytes, layouts[i].kind, layouts[i].little, v);
        back = pst_float_decode(bytes, layouts[i].kind, layouts[i].little);
        if (isnan(v) && bits_of(pst_float_to_double(&back)) != bits_of(v) && wrong++ < 20)
            printf("not ok: a NaN %lx changes\n", (unsigned long)bits_of(v));
#if LDBL_MANT_DIG == 64
        if (layouts[i].kind == PST_FLOAT_X87 && !isnan(v)) {
            long double wide = v;
            checked++;
            if (memcmp(&wide, bytes, 10) != 0 && wrong++ < 20)
                printf("not ok: %a as x87\n", v);
        }
#endif
    }
}

/* From each of the longer layouts to the others. */
static void check_between(uint64_t high, uint64_t low)
{
#if defined(QUAD_HERE) && LDBL_MANT_DIG == 64
    uint8_t bytes[PST_FLOAT_MAX], out[PST_FLOAT_MAX], again[PST_FLOAT_MAX];
    quad q, sum;
    long double wide, wide_back;
    double a, b;
    pst_float f;
    memcpy(bytes, &low, 8);
    memcpy(bytes + 8, &high, 8);
    memcpy(&q, bytes, sizeof q);
    if (q != q)
        return;
    checked += 3;
    f = pst_float_decode(bytes, PST_FLOAT_QUAD, true);
    pst_float_encode(out, &f, PST_FLOAT_QUAD, true, 16);
    if (memcmp(out, bytes, 16) != 0 && wrong++ < 20)
        printf("not ok: quad %lx %lx is not kept\n", (unsigned long)high, (unsigned long)low);
    wide = (long double)q;
    pst_float_encode(out, &f, PST_FLOAT_X87, true, 12);
    memcpy(&wide_back, out, 10);
    if (memcmp(&wide, out, 10) != 0 && wrong++ < 20)
        printf("not ok: quad %lx %lx to x87: want %La, have %La\n", (unsigned long)high, (unsigned long)low, wide, wide_back);
    /* x87 to quad is exact, and back it is the same. */
    f = pst_float_decode(out, PST_FLOAT_X87, true);
    pst_float_encode(again, &f, PST_FLOAT_QUAD, true, 16);
    sum = (quad)wide;
    if (memcmp(again, &sum, 16) != 0 && wrong++ < 20)
        printf("not ok: %La to quad\n", wide);
    /* A pair: the nearest double, and that of the rest, while all is normal. */
    a = (double)q;
    if (!isfinite(a) || fabs(a) < 1e-250)
        return;
    b = (double)(q - (quad)a);
    f = pst_float_decode(bytes, PST_FLOAT_QUAD, true);
    pst_float_encode(out, &f, PST_FLOAT_PAIR, true, 16);
    if ((memcmp(out, &a, 8) != 0 || memcmp(out + 8, &b, 8) != 0) && wrong++ < 20)
        printf("not ok: quad %lx %lx to a pair %a %a\n", (unsigned long)high, (unsigned long)low, a, b);
#else
    (void)high;
    (void)low;
#endif
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000, i;
    for (i = 0; i < n; i++) {
        uint64_t r = next_random(), s = next_random();
        uint64_t high = (uint64_t)hard_exponent() << 48, mantissa = hard_mantissa(11) << 1;
        double v;
        check_x87(r, (unsigned)s & 0xffff);
        check_x87(hard_mantissa(11 + (int)(s % 52)), hard_exponent());
        check_quad(r, s);
        check_quad(high | mantissa >> 16, mantissa << 48 | (s & 1 ? 0 : s >> 60));
        check_between(r, s);
        check_between(high | mantissa >> 16, mantissa << 48 | (s & 1 ? 0 : s >> 60));
        mantissa = hard_mantissa(1 + (int)(r % 15));
        check_between((uint64_t)(s & 0xffff) << 48 | (r >> 16), mantissa << 49 | hard_mantissa(1 + (int)(s % 40)));
        check_pair(r, s);
        /* Two doubles whose bits lie near to each other, as those of a pair do. */
        check_pair(r, (r & UINT64_C(0x7ff) << 52) - ((s % 120) << 52) + (s & UINT64_C(0x800fffffffffffff)));
        check_pair(r, ((r & UINT64_C(0x7ff) << 52) - ((50 + s % 8) << 52)) | (s & UINT64_C(0x8000000000000000)));
        memcpy(&v, &r, sizeof v);
        check_both_ways(v);
    }
    check_both_ways(0.0);
    check_both_ways(-0.0);
    check_both_ways(HUGE_VAL);
    check_both_ways(5e-324);
    printf("%lu floats compared, %lu differ\n", checked, wrong);
    return wrong != 0;
}
