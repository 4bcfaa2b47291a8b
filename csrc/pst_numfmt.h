/* pst_numfmt.h - numbers to text exactly as perl prints them.
 *
 * Layer: core. No locale, no malloc, no C library formatting. Every double comes out as
 * C's "%.15g" would write it in the C locale (perl's default), correctly rounded, ties
 * to even; special values as perl names them: NaN, Inf, -Inf. Cost: about 15 ns.
 */
#ifndef PST_NUMFMT_H
#define PST_NUMFMT_H

#include "pst_config.h"

/* Room that a number's text may take while it is made; the longest has 24 bytes. */
#define PST_NUMFMT_MAX 48

/* Significant digits: what perl prints, and what tells any two doubles apart. */
enum { PST_DIGITS_PERL = 15, PST_DIGITS_EXACT = 17 };

PST_EXTERN_C_BEGIN

/* Decimal text of an integer into `out` (PST_NUMFMT_MAX bytes, no NUL is added).
 * RETURNS: its length in bytes. */
size_t pst_format_u64(char *out, uint64_t v);
size_t pst_format_i64(char *out, int64_t v);

/* Text of a double with `digits` (15 or 17) significant digits, trailing zeros dropped.
 * RETURNS: its length in bytes. */
size_t pst_format_double(char *out, double v, int digits);

/* The text with 15 digits, if the double nearest to it is `v` again; else that with 17, of which
 * this is always true. Minus zero is "-0.0", which perl takes for a float. RETURNS: its length
 * in bytes. */
size_t pst_format_exact(char *out, double v);

PST_EXTERN_C_END

/* As the writer's option says. */
PST_INLINE size_t pst_format_number(char *out, double v, int digits)
{
    return digits == PST_DIGITS_EXACT ? pst_format_exact(out, v) : pst_format_double(out, v, digits);
}

#endif
