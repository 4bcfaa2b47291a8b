/* pst_float.h - floats of other machines: any layout to a double, and back.
 *
 * Layer: core. A perl keeps its floats (NV) as the C compiler does, so an image may hold any
 * of the layouts below. Nothing here uses the host's own long double: the bits are taken
 * apart with integers, and rounding is to nearest, ties to even, subnormals included.
 */
#ifndef PST_FLOAT_H
#define PST_FLOAT_H

#include "pst_config.h"

/* How the bytes of a float are laid out. */
typedef enum pst_float_kind {
    PST_FLOAT_DOUBLE,       /* IEEE binary64, 8 bytes */
    PST_FLOAT_X87,          /* x87 extended: 10 bytes, and 2 or 6 of padding behind them */
    PST_FLOAT_M68K,         /* the same number big-endian: 2 bytes, 2 of padding, 8 bytes */
    PST_FLOAT_QUAD,         /* IEEE binary128, 16 bytes */
    PST_FLOAT_PAIR,         /* double-double: the sum of two doubles, the greater one first */
    PST_FLOAT_X87_OR_QUAD   /* 16 bytes, little-endian: each value tells, see below */
} pst_float_kind;

/* The longest layout, in bytes. */
#define PST_FLOAT_MAX 16

/* A float taken apart: (high * 2**64 + low + something below 1 if `more`) * 2**exponent.
 * Zero has high == low == 0. Of a NaN, `high` has its first fraction bits, the topmost on top. */
typedef struct pst_float {
    uint64_t high, low;
    int32_t  exponent;
    bool     negative;
    bool     more;          /* bits were cut off that are not all zero */
    bool     infinite, nan;
} pst_float;

PST_EXTERN_C_BEGIN

/* The layout of floats of `nv_size` bytes (8, 12 or 16) on a machine of this kind.
 *
 * Sizes alone do not always tell. 12 bytes: x87, or m68k where the order is big-endian. 16
 * bytes, big-endian: double-double where pointers have 4 bytes (32-bit PowerPC; others of
 * that kind have no such perls), else IEEE quad. 16 bytes, little-endian: x87 or IEEE quad,
 * which each value tells: x87 has 6 zero bytes where a quad that is no subnormal has its
 * exponent. */
pst_float_kind pst_float_kind_of(size_t nv_size, bool little, size_t ptr_size);

/* Take a float apart. `bytes` has what the kind says, its order is `little` or big. */
pst_float pst_float_decode(const uint8_t *bytes, pst_float_kind kind, bool little);

/* The nearest double, ties to even; beyond the greatest one, infinity. */
double pst_float_to_double(const pst_float *f);

/* The nearest number in a layout, ties to even; a pair: the nearest double, and the nearest to
 * what is left. `size` bytes are written to `out`, padding as zeros. X87_OR_QUAD is written as
 * x87. */
void pst_float_encode(uint8_t *out, const pst_float *f, pst_float_kind kind, bool little, size_t size);

/* A double taken apart. */
pst_float pst_float_from_double(double v);

PST_EXTERN_C_END

#endif
