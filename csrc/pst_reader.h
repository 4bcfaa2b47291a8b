/* pst_reader.h - the one decoder: bytes to tokens.
 *
 * Layer: core. pst_reader_next() reads one marker with its fixed part and tells what
 * stands there; nesting is the caller's affair (a heap stack, never recursion), so the
 * reader itself needs no memory. What follows a token, in the caller's hands:
 *
 *   ARRAY            len items
 *   HASH, FLAG_HASH  len times: an object (the value), then pst_reader_key()
 *   REF, OVERLOAD, WEAKREF, WEAKOVERLOAD, TIED_*, VSTRING, CODE   one object
 *   TIED_KEY         two objects;  TIED_IDX: one, then pst_reader_index()
 *   BLESS, IX_BLESS  one object
 *   HOOK             pst_reader_hook_flags() and so on, see there
 *   REGEXP           pst_reader_regexp_flags()
 *
 * Short, long and LOBJECT forms give the same token: SCALAR, UTF8STR, VSTRING, OBJECT...;
 * BYTE and NETINT come as INTEGER. `wire` keeps the marker that was really there.
 * Pointers in a token are borrowed from the input window and valid until the next call.
 * The first error sticks in `error`: every later call returns false.
 */
#ifndef PST_READER_H
#define PST_READER_H

#include "pst_cursor.h"
#include "pst_error.h"
#include "pst_float.h"
#include "pst_header.h"
#include "pst_tags.h"

typedef struct pst_reader {
    pst_cursor in;
    pst_error  error;
    bool       swap;       /* multi-byte values are in the other order */
    bool       swap_raw;   /* so are the payloads of INTEGER and DOUBLE. (In network order they
                            * are what the writer's machine has; no writer is known.) */
    uint8_t    iv_size;    /* bytes of INTEGER's payload */
    uint8_t    nv_size;    /* bytes of DOUBLE's payload */
    uint8_t    nv_kind;    /* its layout, a pst_float_kind */
    bool       nv_native;  /* a host with floats of nv_size bytes has the same layout */
    uint8_t    last_tag;   /* newest marker that may occur */
    const uint8_t *closed_end;   /* after an error: where the window ended before it */
    pst_header header;
} pst_reader;

typedef struct pst_token {
    uint8_t        marker;  /* enum pst_tag, normalised */
    uint8_t        wire;    /* the marker as it stood there */
    uint8_t        flags;   /* FLAG_HASH: hash flags; keys: key flags; REGEXP: op flags;
                             * HOOK: 1 if the string length is 8 bytes */
    const uint8_t *bytes;   /* strings, class names, keys; NULL for a class by number */
    uint64_t       len;     /* bytes of `bytes`; or count, tag, class number */
    int64_t        iv;      /* INTEGER */
} pst_token;

/* A hook record as it is read, piece by piece. */
typedef struct pst_hook {
    uint8_t flags;          /* PST_HOOK_* of the flags byte read last */
    uint8_t extra;          /* PST_EXTRA_*, 0 if there is none */
    bool    huge;           /* string length is 8 bytes (LOBJECT) */
    bool    wide_tags;      /* tags of 8 bytes */
} pst_hook;

PST_EXTERN_C_BEGIN

/* Record the first error; see pst_reader_fail() and pst_reader_truncated(). */
void pst_reader_set_error(pst_reader *r, pst_err code, uint64_t want, uint64_t have);
void pst_reader_set_truncated(pst_reader *r);

/* Set the decoder to what r->header says, which has been judged.
 *   host_iv_size, host_nv_size  the sizes of the host's own integer and float, which count
 *                               where the header tells nothing */
void pst_reader_configure(pst_reader *r, size_t host_iv_size, size_t host_nv_size);

/* The slow halves of pst_reader_next(); not for other callers. */
bool pst_reader_lobject(pst_reader *r, pst_token *t);
bool pst_reader_bad_marker(pst_reader *r);

/* The value of a DOUBLE token as a double, whatever its layout: rounded to nearest, ties to
 * even, if it is a longer one; NaN if the size is none that is known. */
double pst_reader_double(const pst_reader *r, const pst_token *t);

/* The same taken apart, for hosts with floats of more than 8 bytes. */
pst_float pst_reader_float(const pst_reader *r, const pst_token *t);

/* TIED_IDX: the index behind the container. */
bool pst_reader_index(pst_reader *r, int64_t *index);

/* REGEXP: the flags text, in t->bytes and t->len. Copy the pattern before. */
bool pst_reader_regexp_flags(pst_reader *r, pst_token *t);

/* HOOK, in this order:
 *   flags; while flags & PST_HOOK_RECURSE: an object, then flags again;
 *   class (t->bytes and len, or bytes NULL and len the number); string; list_count
 *   (0 without a list); tag, as often as the count says. */
bool pst_reader_hook_flags(pst_reader *r, pst_hook *h, bool first);
bool pst_reader_hook_class(pst_reader *r, const pst_hook *h, pst_token *t);
bool pst_reader_hook_string(pst_reader *r, const pst_hook *h, pst_token *t);
bool pst_reader_hook_list(pst_reader *r, pst_hook *h, uint64_t *count);
bool pst_reader_hook_tag(pst_reader *r, const pst_hook *h, uint64_t *tag);

/* ---- pst_reader_old.c: majors 0 and 1, which are read but never written ----
 *
 * The tokens are the same; what stands around them differs. In both, an object other than
 * OBJECT ends with class notices and an end mark. In the older one, "tagged" (major 0, or
 * the magic perl-store), each object begins with its old tag, array items and hash values
 * begin with a mark that says whether they are there, and keys with one, too. */

/* Is the image in an old format; in the tagged one? */
bool pst_reader_is_old(const pst_reader *r);
bool pst_reader_is_tagged(const pst_reader *r);

/* Tagged: the tag of the object that follows, an arbitrary number. */
bool pst_reader_old_tag(pst_reader *r, uint64_t *tag);

/* pst_reader_next() for old images: in tagged ones OBJECT has no payload (its tag came
 * before), and markers from SV_UNDEF on do not exist. */
bool pst_reader_old_next(pst_reader *r, pst_token *t);

/* Tagged: the mark before an array item or a hash value: is it there? Before a key. */
bool pst_reader_old_item(pst_reader *r, bool *present);
bool pst_reader_old_value(pst_reader *r, bool *present);
bool pst_reader_old_key_mark(pst_reader *r);

/* Behind an object: a class notice in t->bytes and len (more may follow), or *end. */
bool pst_reader_old_notice(pst_reader *r, pst_token *t, bool *end);

PST_EXTERN_C_END

/* Record the first error. RETURNS: false, for `return pst_reader_fail(...)`; compilers must see
 * here that it is, or they take tokens for used without having been set. */
PST_INLINE bool pst_reader_fail(pst_reader *r, pst_err code, uint64_t want, uint64_t have)
{
    pst_reader_set_error(r, code, want, have);
    return false;
}

/* The same for an image that ends too early. */
PST_INLINE bool pst_reader_truncated(pst_reader *r)
{
    pst_reader_set_truncated(r);
    return false;
}

/* Start on memory; r->in.refill and host may be set afterwards. */
PST_INLINE void pst_reader_init(pst_reader *r, const uint8_t *bytes, size_t len)
{
    memset(r, 0, sizeof *r);
    pst_cursor_init(&r->in, bytes, len);
}

/* 32 bits in the image's order. */
PST_INLINE bool pst_reader_u32(pst_reader *r, uint32_t *v)
{
    const uint8_t *p = pst_cursor_take(&r->in, 4);
    if (PST_UNLIKELY(!p))
        return pst_reader_truncated(r);
    *v = pst_load32(p);
    if (r->swap)
        *v = pst_swap32(*v);
    return true;
}

/* A byte. */
PST_INLINE bool pst_reader_u8(pst_reader *r, uint8_t *v)
{
    const uint8_t *p = pst_cursor_take(&r->in, 1);
    if (PST_UNLIKELY(!p))
        return pst_reader_truncated(r);
    *v = *p;
    return true;
}

/* `len` bytes into the token. */
PST_INLINE bool pst_reader_bytes(pst_reader *r, pst_token *t, uint64_t len)
{
    if (PST_UNLIKELY(len > SIZE_MAX / 2))
        return pst_reader_fail(r, PST_ERR_LENGTH, SIZE_MAX / 2, len);
    t->len = len;
    t->bytes = pst_cursor_take(&r->in, (size_t)len);
    return PST_LIKELY(t->bytes != NULL) || pst_reader_truncated(r);
}

/* A string whose length has 1 byte. */
PST_INLINE bool pst_reader_short(pst_reader *r, pst_token *t)
{
    uint8_t len = 0;
    return pst_reader_u8(r, &len) && pst_reader_bytes(r, t, len);
}

/* One whose length has 4 bytes; the token's marker becomes the short form's. */
PST_INLINE bool pst_reader_long(pst_reader *r, pst_token *t, enum pst_tag as)
{
    uint32_t len = 0;
    t->marker = (uint8_t)as;
    return pst_reader_u32(r, &len) && pst_reader_bytes(r, t, len);
}

/* A count of 4 bytes. */
PST_INLINE bool pst_reader_count(pst_reader *r, pst_token *t)
{
    uint32_t count = 0;
    if (!pst_reader_u32(r, &count))
        return false;
    t->len = count;
    return true;
}

/* The name of a class; t->len is known. */
PST_INLINE bool pst_reader_class_name(pst_reader *r, pst_token *t)
{
    if (PST_UNLIKELY(t->len > PST_I32_MAX))
        return pst_reader_fail(r, PST_ERR_CLASS_LENGTH, PST_I32_MAX, t->len);
    return pst_reader_bytes(r, t, t->len);
}

/* The class of a BLESS or the number of an IX_BLESS; 0x80 announces 4 bytes. */
PST_INLINE bool pst_reader_class(pst_reader *r, pst_token *t, bool by_number)
{
    uint8_t len = 0;
    uint32_t big = 0;
    if (!pst_reader_u8(r, &len))
        return false;
    big = len;
    if (PST_UNLIKELY(len & PST_LONG_LEN) && !pst_reader_u32(r, &big))
        return false;
    t->bytes = NULL;
    t->len = big;
    return by_number || pst_reader_class_name(r, t);
}

/* An integer payload of the image's IV size. */
PST_INLINE bool pst_reader_iv(pst_reader *r, pst_token *t)
{
    const uint8_t *p = pst_cursor_take(&r->in, r->iv_size);
    t->marker = PST_INTEGER;
    if (PST_UNLIKELY(!p))
        return pst_reader_truncated(r);
    if (r->iv_size == 8) {
        uint64_t v = pst_load64(p);
        t->iv = (int64_t)(r->swap_raw ? pst_swap64(v) : v);
    }
    else {
        uint32_t v = pst_load32(p);
        t->iv = (int32_t)(r->swap_raw ? pst_swap32(v) : v);
    }
    return true;
}

/* Next token. RETURNS: false on error (then r->error tells). flat switch */
PST_INLINE bool pst_reader_next(pst_reader *r, pst_token *t)
{
    const uint8_t *p = pst_cursor_take(&r->in, 1);
    if (PST_UNLIKELY(!p))
        return pst_reader_truncated(r);
    t->marker = t->wire = *p;
    switch (*p) {
    case PST_OBJECT:
    case PST_NETINT:
        p = pst_cursor_take(&r->in, 4);
        if (PST_UNLIKELY(!p))
            return pst_reader_truncated(r);
        t->len = pst_load_be32(p);
        if (t->wire == PST_NETINT) {
            t->marker = PST_INTEGER;
            t->iv = (int32_t)(uint32_t)t->len;
        }
        return true;
    case PST_BYTE:
        p = pst_cursor_take(&r->in, 1);
        if (PST_UNLIKELY(!p))
            return pst_reader_truncated(r);
        t->marker = PST_INTEGER;
        t->iv = (int)*p - 128;
        return true;
    case PST_INTEGER:  return pst_reader_iv(r, t);
    case PST_DOUBLE:   return pst_reader_bytes(r, t, r->nv_size);
    case PST_SCALAR:
    case PST_UTF8STR:
    case PST_VSTRING:  return pst_reader_short(r, t);
    case PST_LSCALAR:  return pst_reader_long(r, t, PST_SCALAR);
    case PST_LUTF8STR: return pst_reader_long(r, t, PST_UTF8STR);
    case PST_LVSTRING: return pst_reader_long(r, t, PST_VSTRING);
    case PST_FLAG_HASH:
        if (!pst_reader_u8(r, &t->flags))
            return false;
        return pst_reader_count(r, t);
    case PST_ARRAY:
    case PST_HASH:     return pst_reader_count(r, t);
    case PST_BLESS:    return pst_reader_class(r, t, false);
    case PST_IX_BLESS: return pst_reader_class(r, t, true);
    case PST_REGEXP:
        if (!pst_reader_u8(r, &t->flags))
            return false;
        return t->flags & PST_REGEXP_BIG_PATTERN ? pst_reader_long(r, t, PST_REGEXP)
                                                 : pst_reader_short(r, t);
    case PST_HOOK:     t->flags = 0; return true;
    case PST_LOBJECT:  return pst_reader_lobject(r, t);
    case PST_BOOLEAN_TRUE:
    case PST_BOOLEAN_FALSE:
        return *p <= r->last_tag || pst_reader_bad_marker(r);
    case PST_REF: case PST_UNDEF: case PST_SV_UNDEF: case PST_SV_YES: case PST_SV_NO:
    case PST_TIED_ARRAY: case PST_TIED_HASH: case PST_TIED_SCALAR:
    case PST_TIED_KEY: case PST_TIED_IDX: case PST_OVERLOAD: case PST_CODE:
    case PST_WEAKREF: case PST_WEAKOVERLOAD: case PST_SVUNDEF_ELEM:
        return true;
    default:
        return pst_reader_bad_marker(r);
    }
}

/* An integer or float of 8 bytes in this machine's order, behind its marker. */
PST_INLINE bool pst_reader_plain_wide(const pst_reader *r, pst_token *t, const uint8_t *p)
{
    if (PST_UNLIKELY(r->swap || (*p == PST_INTEGER ? r->iv_size : r->nv_size) != 8))
        return false;
    t->marker = *p;
    t->bytes = p + 1;
    t->len = 8;
    t->iv = (int64_t)pst_load64(p + 1);
    return true;
}

/* The short way for what nearly all items are: the next token, if it is a plain scalar
 * (INTEGER, DOUBLE, SCALAR, UTF8STR) in one of the common forms and lies whole in the
 * window. RETURNS: false, with nothing consumed, for all else: ask pst_reader_next(). */
PST_INLINE bool pst_reader_plain(pst_reader *r, pst_token *t)
{
    enum { LONGEST_FIXED = 9 };
    const size_t left = pst_cursor_left(&r->in);
    const uint8_t *p = r->in.pos;
    size_t size;
    if (PST_UNLIKELY(left < LONGEST_FIXED))
        return false;
    switch (*p) {
    case PST_BYTE:
        t->marker = PST_INTEGER;
        t->iv = (int)p[1] - 128;
        size = 2;
        break;
    case PST_NETINT:
        t->marker = PST_INTEGER;
        t->iv = (int32_t)pst_load_be32(p + 1);
        size = 5;
        break;
    case PST_INTEGER:
    case PST_DOUBLE:
        if (!pst_reader_plain_wide(r, t, p))
            return false;
        size = 9;
        break;
    case PST_SCALAR:
    case PST_UTF8STR:
        t->marker = *p;
        t->bytes = p + 2;
        t->len = p[1];
        size = 2 + (size_t)p[1];
        if (PST_UNLIKELY(size > left))
            return false;
        break;
    default:
        return false;
    }
    pst_cursor_skip_nocheck(&r->in, size);
    return true;
}

/* A key: perl's are shorter than 2**31 - 1 bytes. */
PST_INLINE bool pst_reader_key_bytes(pst_reader *r, pst_token *t)
{
    uint32_t len = 0;
    if (!pst_reader_u32(r, &len))
        return false;
    if (PST_UNLIKELY(len >= PST_I32_MAX))
        return pst_reader_fail(r, PST_ERR_LENGTH, PST_I32_MAX - 1, len);
    return pst_reader_bytes(r, t, len);
}

/* The key behind a value of a HASH: t->bytes, t->len; t->flags 0. */
PST_INLINE bool pst_reader_key(pst_reader *r, pst_token *t)
{
    t->flags = 0;
    return pst_reader_key_bytes(r, t);
}

/* The key behind a value of a FLAG_HASH: t->flags; with PST_KEY_ISSV an object follows
 * instead of the bytes. */
PST_INLINE bool pst_reader_flag_key(pst_reader *r, pst_token *t)
{
    if (!pst_reader_u8(r, &t->flags))
        return false;
    if (t->flags & PST_KEY_ISSV) {
        t->bytes = NULL;
        t->len = 0;
        return true;
    }
    return pst_reader_key_bytes(r, t);
}

#endif
