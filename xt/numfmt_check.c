/* numfmt_check.c - pst_format_double() against the C library's "%.*g".
 *
 *   cc -O2 -Icsrc xt/numfmt_check.c csrc/pst_numfmt.c -o numfmt_check && ./numfmt_check [N [15]]
 *
 * Checks N random bit patterns (default 2,000,000), N values of few decimal digits, N of common
 * size, all powers of two and ten with their neighbours, subnormals and decimal ties, with 15 and
 * with 17 digits, or with 15 alone. Exit status 1 and the first differences on a failure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "pst_numfmt.h"

static unsigned long checked, wrong;
static int count = 2;    /* of the precisions below */

static void check_exact(double v);

static void check(double v)
{
    static const int precisions[] = { PST_DIGITS_PERL, PST_DIGITS_EXACT };
    char want[64], have[PST_NUMFMT_MAX + 1];
    int i;
    if (isnan(v) || isinf(v))
        return;
    for (i = 0; i < count; i++) {
        size_t want_len = (size_t)snprintf(want, sizeof want, "%.*g", precisions[i], v);
        size_t have_len = pst_format_double(have, v, precisions[i]);
        have[have_len] = '\0';
        checked++;
        if (want_len == have_len && memcmp(want, have, want_len) == 0)
            continue;
        if (wrong++ < 20)
            printf("not ok: %a with %d digits: want %s, have %s\n", v, precisions[i], want, have);
    }
    if (count > 1)
        check_exact(v);
}

/* The text is the number again, and no longer than it must be. */
static void check_exact(double v)
{
    char text[PST_NUMFMT_MAX + 1], shorter[64];
    double back;
    size_t len = pst_format_exact(text, v);
    text[len] = '\0';
    back = strtod(text, NULL);
    (void)snprintf(shorter, sizeof shorter, "%.15g", v);
    checked++;
    if (memcmp(&back, &v, sizeof v) != 0 || (v != 0 && strtod(shorter, NULL) == v && strcmp(shorter, text) != 0)) {
        if (wrong++ < 20)
            printf("not ok: %a: exact text %s, 15 digits are %s\n", v, text, shorter);
    }
}

static void check_around(double v)
{
    int i;
    double up = v, down = v;
    check(v);
    check(-v);
    for (i = 0; i < 50; i++) {
        check(up = nextafter(up, INFINITY));
        check(down = nextafter(down, 0));
    }
}

static uint64_t state = 88172645463325252u;
static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000000, i;
    int e;
    if (argc > 2)
        count = 1;
    check(0.0);
    check_exact(-0.0);
    for (e = -1074; e <= 1023; e++)
        check_around(ldexp(1, e));
    for (e = -323; e <= 308; e++)
        check_around(pow(10, e));
    for (i = 1; i < 5000; i++)
        check((double)i * 4.9406564584124654e-324);
    for (i = 0; i < n; i++) {
        uint64_t bits = next_random();
        double v;
        memcpy(&v, &bits, sizeof v);
        check(v);
        check((double)(bits % 1000000) / 1000);
        check(ldexp((double)(bits >> 12), -(int)(bits % 60)));   /* dense in decimal ties */
        check((double)(bits >> 11) * 8 + 4);
        check(ldexp((double)(bits >> 12 | UINT64_C(1) << 52), -(int)(bits % 64)));   /* 2**-11 to 2**53 */
    }
    printf("%lu texts compared, %lu differ\n", checked, wrong);
    return wrong != 0;
}
