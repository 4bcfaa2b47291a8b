/* pst_writer.h - tokens to bytes.
 *
 * Layer: core. Each function appends one marker with its fixed part and picks the short,
 * long or LOBJECT form; nesting, tags and class numbers are the caller's affair. Order
 * of calls is the order of the format: a container, then its items; a hash value, then
 * its key. The hot functions are inline, the rest stands in pst_writer.c.
 *
 * The first error (PST_ERR_MEMORY, PST_ERR_OUTPUT) sticks in `error`; later calls do
 * nothing, so a walk may check once in a while.
 */
#ifndef PST_WRITER_H
#define PST_WRITER_H

#include "pst_buf.h"
#include "pst_error.h"
#include "pst_float.h"
#include "pst_header.h"
#include "pst_numfmt.h"
#include "pst_tags.h"

typedef struct pst_writer {
    pst_buf   buf;
    pst_error error;
    bool      netorder;
    bool      swap;       /* multi-byte values are in the other order than this machine's */
    uint8_t   iv_size;    /* bytes of INTEGER's payload: 4 or 8 */
    uint8_t   nv_size;    /* bytes of DOUBLE's payload */
    uint8_t   nv_kind;    /* its layout, a pst_float_kind */
    uint8_t   digits;     /* of a double in network order: PST_DIGITS_PERL or _EXACT */
    bool      no_lobject; /* what would need LOBJECT is an error, PST_ERR_MINOR */
} pst_writer;

/* What a hook record consists of, but for the sub-objects and the tags. */
typedef struct pst_hook_record {
    uint8_t     kind;        /* PST_HOOK_SCALAR, _ARRAY, _HASH or PST_EXTRA_* */
    bool        recursed;    /* sub-objects were written, each followed by flags */
    bool        indexed;     /* class_len is the class's number */
    const char *class_name;
    uint64_t    class_len;
    const char *string;
    uint64_t    string_len;
    uint64_t    list_count;
} pst_hook_record;

PST_EXTERN_C_BEGIN

/* Record the first error. RETURNS: false. */
bool pst_writer_fail(pst_writer *w, pst_err code);

/* Write as a machine does whose header is `h`, or in network order. */
void pst_writer_configure(pst_writer *w, const pst_header *h);

/* Header, as pst_header_write() makes it. */
bool pst_write_header(pst_writer *w, const pst_header *h);

/* Record the error, if LOBJECT must not be written. RETURNS: may it be written? */
bool pst_writer_lobject(pst_writer *w);

/* Slow halves of the inline functions below. */
bool pst_write_string_long(pst_writer *w, const char *bytes, uint64_t len, bool utf8);
bool pst_write_decimal(pst_writer *w, int64_t iv);
bool pst_write_count_huge(pst_writer *w, enum pst_tag tag, unsigned hash_flags, uint64_t count);

/* An unsigned integer above the signed range: always its decimal text. */
bool pst_write_unsigned(pst_writer *w, uint64_t uv);

/* Slow halves of pst_write_double(): decimal text; an integer that a double holds. */
bool pst_write_double_text(pst_writer *w, double v);

/* The text of a double as a string, to `p`, which has room for PST_DOUBLE_TEXT_MAX bytes.
 * RETURNS: where it ends. */
enum { PST_DOUBLE_TEXT_MAX = 2 + PST_NUMFMT_MAX };
uint8_t *pst_put_double_text(uint8_t *p, double v, int digits);
bool pst_write_double_integral(pst_writer *w, double v);

/* DOUBLE for a native float of another size, which the caller has found not to be an
 * integer: marker and bytes. */
bool pst_write_native_nv(pst_writer *w, const void *nv, size_t size);

/* DOUBLE with a float in the layout that the writer's machine has, whatever its value, rounded
 * to what that holds: native order. */
bool pst_write_native_float(pst_writer *w, const pst_float *f);

/* Pieces of the format, for those who copy an image and keep its form: a byte, 4 or 8 bytes in
 * the image's order, 4 bytes big-endian, any bytes. */
bool pst_write_u8(pst_writer *w, unsigned v);
bool pst_write_u32(pst_writer *w, uint32_t v);
bool pst_write_u64(pst_writer *w, uint64_t v);
bool pst_write_be32(pst_writer *w, uint32_t v);
bool pst_write_bytes(pst_writer *w, const void *bytes, uint64_t len);

/* INTEGER with a payload of the writer's size, whatever the value; it must fit. */
bool pst_write_native_iv(pst_writer *w, int64_t iv);

/* OBJECT: tag of an object already begun. */
bool pst_write_object(pst_writer *w, uint64_t tag);

/* VSTRING; the scalar that it decorates must follow. */
bool pst_write_vstring(pst_writer *w, const char *bytes, uint64_t len);

/* BLESS; the object must follow. */
bool pst_write_bless(pst_writer *w, const char *name, uint64_t len);

/* REGEXP with pattern and flags. */
bool pst_write_regexp(pst_writer *w, const char *pattern, uint64_t pattern_len,
                      const char *flags, size_t flags_len);

/* TIED_IDX's index, behind the container. */
bool pst_write_index(pst_writer *w, int32_t index);

/* Opens a hook record for a sub-object: HOOK, flags and extra before the first one,
 * flags alone before the others. */
bool pst_write_hook_recurse(pst_writer *w, unsigned kind, bool first);

/* The whole record, or what follows the sub-objects if h->recursed; h->list_count
 * pst_write_hook_tag() calls must follow. */
bool pst_write_hook(pst_writer *w, const pst_hook_record *h);
bool pst_write_hook_tag(pst_writer *w, uint64_t tag);

PST_EXTERN_C_END

/* Start with an empty buffer, for this machine's native order or for network order; the host
 * sets w->buf's memory and grow before. */
PST_INLINE void pst_writer_init(pst_writer *w, bool netorder, size_t iv_size)
{
    memset(w, 0, sizeof *w);
    w->netorder = netorder;
    w->swap = netorder && pst_host_is_little();
    w->iv_size = (uint8_t)iv_size;
    w->nv_size = sizeof(double);
    w->digits = PST_DIGITS_PERL;
}

/* Room for `need` bytes, or the error is recorded. */
PST_INLINE bool pst_writer_reserve(pst_writer *w, size_t need)
{
    return PST_LIKELY(pst_buf_reserve(&w->buf, need)) || pst_writer_fail(w, PST_ERR_MEMORY);
}

/* The functions below write through a pointer of their own: bytes stored through w->buf.pos
 * could, for all the compiler knows, change that very pointer. */

/* 32 bits in the image's order. */
PST_INLINE void pst_writer_store32(const pst_writer *w, uint8_t *p, uint32_t v)
{
    if (w->swap)
        v = pst_swap32(v);
    memcpy(p, &v, sizeof v);
}

/* The same behind what was written last; room must have been reserved. */
PST_INLINE void pst_writer_put_u32_nocheck(pst_writer *w, uint32_t v)
{
    pst_writer_store32(w, w->buf.pos, v);
    w->buf.pos += sizeof v;
}

/* A marker that has nothing of its own behind it. */
PST_INLINE bool pst_write_marker(pst_writer *w, enum pst_tag tag)
{
    uint8_t *p;
    if (!pst_writer_reserve(w, 1))
        return false;
    p = w->buf.pos;
    *p = (uint8_t)tag;
    w->buf.pos = p + 1;
    return true;
}

/* The payload of an INTEGER; room must have been reserved. */
PST_INLINE void pst_writer_put_iv_nocheck(pst_writer *w, int64_t iv)
{
    if (w->iv_size == 8) {
        uint64_t v = w->swap ? pst_swap64((uint64_t)iv) : (uint64_t)iv;
        pst_buf_put_nocheck(&w->buf, &v, 8);
    }
    else
        pst_writer_put_u32_nocheck(w, (uint32_t)iv);
}

/* A signed integer. */
PST_INLINE bool pst_write_integer(pst_writer *w, int64_t iv)
{
    uint8_t *p;
    if (!pst_writer_reserve(w, 9))
        return false;
    p = w->buf.pos;
    if (iv >= -128 && iv <= 127) {
        p[0] = PST_BYTE;
        p[1] = (uint8_t)(iv + 128);
        w->buf.pos = p + 2;
        return true;
    }
    if (w->netorder) {
        if (PST_UNLIKELY(iv != (int32_t)iv))
            return pst_write_decimal(w, iv);
        *p = PST_NETINT;
        pst_store_be32(p + 1, (uint32_t)iv);
        w->buf.pos = p + 5;
        return true;
    }
    *p = PST_INTEGER;
    if (PST_LIKELY(w->iv_size == 8 && !w->swap)) {
        memcpy(p + 1, &iv, 8);
        w->buf.pos = p + 9;
        return true;
    }
    w->buf.pos = p + 1;
    pst_writer_put_iv_nocheck(w, iv);
    return true;
}

/* Is this an integer that a double holds exactly, below 2**53? */
PST_INLINE bool pst_is_integral(double v)
{
    const double limit = 9007199254740992.0;
    return v > -limit && v < limit && v == (double)(int64_t)v;
}

/* A double: as an integer when it is one that a double holds exactly (below 2**53), else
 * DOUBLE in native order and decimal text in network order. */
PST_INLINE bool pst_write_double(pst_writer *w, double v)
{
    uint8_t *p;
    if (pst_is_integral(v))
        return pst_write_double_integral(w, v);
    if (w->netorder)
        return pst_write_double_text(w, v);
    if (!pst_writer_reserve(w, 1 + sizeof v))
        return false;
    p = w->buf.pos;
    *p = PST_DOUBLE;
    memcpy(p + 1, &v, sizeof v);
    w->buf.pos = p + 1 + sizeof v;
    return true;
}

/* A string of bytes, or of perl's UTF-8. */
PST_INLINE bool pst_write_string(pst_writer *w, const char *bytes, uint64_t len, bool utf8)
{
    uint8_t *p;
    if (PST_UNLIKELY(len > PST_SHORT_STRING_MAX))
        return pst_write_string_long(w, bytes, len, utf8);
    if (!pst_writer_reserve(w, 2 + (size_t)len))
        return false;
    p = w->buf.pos;
    p[0] = utf8 ? PST_UTF8STR : PST_SCALAR;
    p[1] = (uint8_t)len;
    pst_copy(p + 2, bytes, (size_t)len);
    w->buf.pos = p + 2 + len;
    return true;
}

/* ARRAY or HASH of `count` items. */
PST_INLINE bool pst_write_count(pst_writer *w, enum pst_tag tag, uint64_t count)
{
    uint8_t *p;
    if (PST_UNLIKELY(count > PST_I32_MAX))
        return pst_write_count_huge(w, tag, 0, count);
    if (!pst_writer_reserve(w, 5))
        return false;
    p = w->buf.pos;
    *p = (uint8_t)tag;
    pst_writer_store32(w, p + 1, (uint32_t)count);
    w->buf.pos = p + 5;
    return true;
}

/* FLAG_HASH of `count` keys. */
PST_INLINE bool pst_write_flag_hash(pst_writer *w, unsigned hash_flags, uint64_t count)
{
    uint8_t *p;
    if (PST_UNLIKELY(count > PST_I32_MAX))
        return pst_write_count_huge(w, PST_FLAG_HASH, hash_flags, count);
    if (!pst_writer_reserve(w, 6))
        return false;
    p = w->buf.pos;
    p[0] = PST_FLAG_HASH;
    p[1] = (uint8_t)hash_flags;
    pst_writer_store32(w, p + 2, (uint32_t)count);
    w->buf.pos = p + 6;
    return true;
}

/* The key behind a value of a HASH. Keys are never longer than 2**31 - 1 bytes. */
PST_INLINE bool pst_write_key(pst_writer *w, const char *key, uint32_t len)
{
    uint8_t *p;
    if (!pst_writer_reserve(w, 4 + (size_t)len))
        return false;
    p = w->buf.pos;
    pst_writer_store32(w, p, len);
    pst_copy(p + 4, key, len);
    w->buf.pos = p + 4 + len;
    return true;
}

/* The flags and the key behind a value of a FLAG_HASH. */
PST_INLINE bool pst_write_flag_key(pst_writer *w, unsigned flags, const char *key, uint32_t len)
{
    uint8_t *p;
    if (!pst_writer_reserve(w, 5 + (size_t)len))
        return false;
    p = w->buf.pos;
    *p = (uint8_t)flags;
    pst_writer_store32(w, p + 1, len);
    pst_copy(p + 5, key, len);
    w->buf.pos = p + 5 + len;
    return true;
}

/* IX_BLESS; the object must follow. */
PST_INLINE bool pst_write_bless_index(pst_writer *w, uint32_t index)
{
    uint8_t *p;
    if (!pst_writer_reserve(w, 6))
        return false;
    p = w->buf.pos;
    *p++ = PST_IX_BLESS;
    if (PST_LIKELY(index <= PST_SHORT_CLASS_MAX))
        *p++ = (uint8_t)index;
    else {
        *p++ = PST_LONG_LEN;
        pst_writer_store32(w, p, index);
        p += 4;
    }
    w->buf.pos = p;
    return true;
}

#endif
