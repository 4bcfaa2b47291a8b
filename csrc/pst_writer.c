/* pst_writer.c - the seldom half of the writer. */
#include "pst_writer.h"
#include "pst_digits.h"

static bool no_room(pst_buf *b, size_t need)
{
    (void)b;
    (void)need;
    return false;
}

bool pst_writer_fail(pst_writer *w, pst_err code)
{
    if (w->error.code == PST_OK) {
        w->error.code = code;
        w->error.offset = pst_buf_off(&w->buf);
    }
    /* Nothing may be written after an error: there is no room any more. */
    w->buf.end = w->buf.pos;
    w->buf.grow = no_room;
    return false;
}

bool pst_writer_lobject(pst_writer *w)
{
    return !w->no_lobject || pst_writer_fail(w, PST_ERR_MINOR);
}

static void put_u64_nocheck(pst_writer *w, uint64_t v)
{
    if (w->swap)
        v = pst_swap64(v);
    pst_buf_put_nocheck(&w->buf, &v, sizeof v);
}

/* Many bytes; the reservation is made here, so that a flushing buffer may take them in
 * one piece of its own size. */
static bool put_bytes(pst_writer *w, const void *bytes, uint64_t len)
{
    if (len > SIZE_MAX / 2)
        return pst_writer_fail(w, PST_ERR_MEMORY);
    if (!pst_writer_reserve(w, (size_t)len))
        return false;
    pst_buf_put_nocheck(&w->buf, bytes, (size_t)len);
    return true;
}

void pst_writer_configure(pst_writer *w, const pst_header *h)
{
    const bool little = pst_header_swapped(h) != pst_host_is_little();
    w->netorder = h->netorder;
    w->swap = pst_header_swapped(h);
    if (h->netorder)
        return;
    w->iv_size = h->order_len;
    w->nv_size = h->nv_size ? h->nv_size : (uint8_t)sizeof(double);
    w->nv_kind = (uint8_t)pst_float_kind_of(w->nv_size, little, h->ptr_size);
    if (h->nv_quad && w->nv_kind == PST_FLOAT_X87_OR_QUAD)
        w->nv_kind = PST_FLOAT_QUAD;
}

bool pst_write_header(pst_writer *w, const pst_header *h)
{
    if (!pst_writer_reserve(w, PST_HEADER_MAX))
        return false;
    w->buf.pos += pst_header_write(h, w->buf.pos);
    return true;
}

bool pst_write_string_long(pst_writer *w, const char *bytes, uint64_t len, bool utf8)
{
    unsigned marker = utf8 ? PST_LUTF8STR : PST_LSCALAR;
    if (!pst_writer_reserve(w, 10))
        return false;
    if (len > PST_I32_MAX) {
        if (!pst_writer_lobject(w))
            return false;
        pst_buf_put_u8_nocheck(&w->buf, PST_LOBJECT);
        pst_buf_put_u8_nocheck(&w->buf, marker);
        put_u64_nocheck(w, len);
    }
    else {
        pst_buf_put_u8_nocheck(&w->buf, marker);
        pst_writer_put_u32_nocheck(w, (uint32_t)len);
    }
    return put_bytes(w, bytes, len);
}

bool pst_write_decimal(pst_writer *w, int64_t iv)
{
    char text[PST_NUMFMT_MAX];
    return pst_write_string(w, text, pst_format_i64(text, iv), false);
}

bool pst_write_unsigned(pst_writer *w, uint64_t uv)
{
    char text[PST_NUMFMT_MAX];
    return pst_write_string(w, text, pst_format_u64(text, uv), false);
}

bool pst_write_count_huge(pst_writer *w, enum pst_tag tag, unsigned hash_flags, uint64_t count)
{
    if (!pst_writer_lobject(w) || !pst_writer_reserve(w, 11))
        return false;
    pst_buf_put_u8_nocheck(&w->buf, PST_LOBJECT);
    pst_buf_put_u8_nocheck(&w->buf, tag);
    if (tag == PST_FLAG_HASH)
        pst_buf_put_u8_nocheck(&w->buf, hash_flags);
    put_u64_nocheck(w, count);
    return true;
}

uint8_t *pst_put_double_text(uint8_t *p, double v, int digits)
{
    const size_t len = pst_format_number((char *)p + 2, v, digits);
    p[0] = PST_SCALAR;
    p[1] = (uint8_t)len;
    return p + 2 + len;
}

bool pst_write_double_text(pst_writer *w, double v)
{
    if (!pst_writer_reserve(w, PST_DOUBLE_TEXT_MAX))
        return false;
    w->buf.pos = pst_put_double_text(w->buf.pos, v, w->digits);
    return true;
}

static bool is_minus_zero(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits == UINT64_C(1) << 63;
}

bool pst_write_double_integral(pst_writer *w, double v)
{
    const bool fits = w->iv_size == 8 || (v >= -2147483648.0 && v <= 2147483647.0);
    if (fits && (w->digits != PST_DIGITS_EXACT || !is_minus_zero(v)))
        return pst_write_integer(w, (int64_t)v);
    return w->netorder ? pst_write_double_text(w, v) : pst_write_native_nv(w, &v, sizeof v);
}

bool pst_write_native_nv(pst_writer *w, const void *nv, size_t size)
{
    if (!pst_writer_reserve(w, 1 + size))
        return false;
    pst_buf_put_u8_nocheck(&w->buf, PST_DOUBLE);
    pst_buf_put_nocheck(&w->buf, nv, size);
    return true;
}

bool pst_write_native_float(pst_writer *w, const pst_float *f)
{
    const bool little = w->swap != pst_host_is_little();
    if (!pst_writer_reserve(w, 1 + PST_FLOAT_MAX))
        return false;
    pst_buf_put_u8_nocheck(&w->buf, PST_DOUBLE);
    pst_float_encode(w->buf.pos, f, (pst_float_kind)w->nv_kind, little, w->nv_size);
    w->buf.pos += w->nv_size;
    return true;
}

bool pst_write_native_iv(pst_writer *w, int64_t iv)
{
    if (!pst_writer_reserve(w, 9))
        return false;
    pst_buf_put_u8_nocheck(&w->buf, PST_INTEGER);
    pst_writer_put_iv_nocheck(w, iv);
    return true;
}

bool pst_write_u8(pst_writer *w, unsigned v)
{
    if (!pst_writer_reserve(w, 1))
        return false;
    pst_buf_put_u8_nocheck(&w->buf, v);
    return true;
}

bool pst_write_u32(pst_writer *w, uint32_t v)
{
    if (!pst_writer_reserve(w, 4))
        return false;
    pst_writer_put_u32_nocheck(w, v);
    return true;
}

bool pst_write_u64(pst_writer *w, uint64_t v)
{
    if (!pst_writer_reserve(w, 8))
        return false;
    put_u64_nocheck(w, v);
    return true;
}

bool pst_write_be32(pst_writer *w, uint32_t v)
{
    if (!pst_writer_reserve(w, 4))
        return false;
    pst_store_be32(w->buf.pos, v);
    w->buf.pos += 4;
    return true;
}

bool pst_write_bytes(pst_writer *w, const void *bytes, uint64_t len)
{
    return put_bytes(w, bytes, len);
}

bool pst_write_object(pst_writer *w, uint64_t tag)
{
    if (!pst_writer_reserve(w, 10))
        return false;
    if (tag > PST_I32_MAX) {
        if (!pst_writer_lobject(w))
            return false;
        pst_buf_put_u8_nocheck(&w->buf, PST_LOBJECT);
        pst_buf_put_u8_nocheck(&w->buf, PST_OBJECT);
        put_u64_nocheck(w, tag);
        return true;
    }
    pst_buf_put_u8_nocheck(&w->buf, PST_OBJECT);
    pst_store_be32(w->buf.pos, (uint32_t)tag);
    w->buf.pos += 4;
    return true;
}

bool pst_write_vstring(pst_writer *w, const char *bytes, uint64_t len)
{
    if (!pst_writer_reserve(w, 5))
        return false;
    if (len <= PST_SHORT_STRING_MAX) {
        pst_buf_put_u8_nocheck(&w->buf, PST_VSTRING);
        pst_buf_put_u8_nocheck(&w->buf, (unsigned)len);
    }
    else {
        pst_buf_put_u8_nocheck(&w->buf, PST_LVSTRING);
        pst_writer_put_u32_nocheck(w, (uint32_t)len);
    }
    return put_bytes(w, bytes, len);
}

bool pst_write_bless(pst_writer *w, const char *name, uint64_t len)
{
    if (!pst_writer_reserve(w, 6))
        return false;
    pst_buf_put_u8_nocheck(&w->buf, PST_BLESS);
    if (len <= PST_SHORT_CLASS_MAX)
        pst_buf_put_u8_nocheck(&w->buf, (unsigned)len);
    else {
        pst_buf_put_u8_nocheck(&w->buf, PST_LONG_LEN);
        pst_writer_put_u32_nocheck(w, (uint32_t)len);
    }
    return put_bytes(w, name, len);
}

bool pst_write_regexp(pst_writer *w, const char *pattern, uint64_t pattern_len,
                      const char *flags, size_t flags_len)
{
    bool big = pattern_len > PST_SHORT_STRING_MAX;
    if (!pst_writer_reserve(w, 6))
        return false;
    pst_buf_put_u8_nocheck(&w->buf, PST_REGEXP);
    pst_buf_put_u8_nocheck(&w->buf, big ? PST_REGEXP_BIG_PATTERN : 0);
    if (big)
        pst_writer_put_u32_nocheck(w, (uint32_t)pattern_len);
    else
        pst_buf_put_u8_nocheck(&w->buf, (unsigned)pattern_len);
    if (!put_bytes(w, pattern, pattern_len) || !pst_writer_reserve(w, 1 + flags_len))
        return false;
    pst_buf_put_u8_nocheck(&w->buf, (unsigned)flags_len);
    pst_buf_put_nocheck(&w->buf, flags, flags_len);
    return true;
}

bool pst_write_index(pst_writer *w, int32_t index)
{
    if (!pst_writer_reserve(w, 4))
        return false;
    pst_writer_put_u32_nocheck(w, (uint32_t)index);
    return true;
}

/* ---- hook records --------------------------------------------------------------------- */

/* The low two bits of the flags, and whether an extra byte tells more. */
static unsigned hook_kind_bits(unsigned kind)
{
    return kind >= PST_EXTRA_SCALAR ? (unsigned)PST_HOOK_EXTRA : kind;
}

static void put_hook_flags_nocheck(pst_writer *w, unsigned kind, unsigned flags, bool with_extra)
{
    pst_buf_put_u8_nocheck(&w->buf, flags | hook_kind_bits(kind));
    if (with_extra && kind >= PST_EXTRA_SCALAR)
        pst_buf_put_u8_nocheck(&w->buf, kind);
}

bool pst_write_hook_recurse(pst_writer *w, unsigned kind, bool first)
{
    if (!pst_writer_reserve(w, 3))
        return false;
    if (first)
        pst_buf_put_u8_nocheck(&w->buf, PST_HOOK);
    put_hook_flags_nocheck(w, kind, PST_HOOK_RECURSE, first);
    return true;
}

static unsigned hook_flags(const pst_hook_record *h)
{
    unsigned flags = 0;
    if (h->indexed)
        flags |= PST_HOOK_INDEXED;
    if (h->class_len > 255)
        flags |= PST_HOOK_BIG_CLASS;
    if (h->string_len > 255)
        flags |= PST_HOOK_BIG_STRING;
    if (h->list_count) {
        flags |= PST_HOOK_HAS_LIST;
        if (h->list_count > 255)
            flags |= PST_HOOK_BIG_LIST;
    }
    return flags;
}

static void put_len_nocheck(pst_writer *w, bool big, uint64_t v)
{
    if (big)
        pst_writer_put_u32_nocheck(w, (uint32_t)v);
    else
        pst_buf_put_u8_nocheck(&w->buf, (unsigned)v);
}

bool pst_write_hook(pst_writer *w, const pst_hook_record *h)
{
    unsigned flags = hook_flags(h);
    bool huge = h->string_len > PST_I32_MAX;
    if ((huge && !pst_writer_lobject(w)) || !pst_writer_reserve(w, 9))
        return false;
    if (!h->recursed) {
        if (huge)
            pst_buf_put_u8_nocheck(&w->buf, PST_LOBJECT);
        pst_buf_put_u8_nocheck(&w->buf, PST_HOOK);
    }
    put_hook_flags_nocheck(w, h->kind, flags, !h->recursed);
    put_len_nocheck(w, (flags & PST_HOOK_BIG_CLASS) != 0, h->class_len);
    if (!h->indexed && !put_bytes(w, h->class_name, h->class_len))
        return false;
    if (!pst_writer_reserve(w, 8))
        return false;
    if (huge && !h->recursed)
        put_u64_nocheck(w, h->string_len);
    else
        put_len_nocheck(w, (flags & PST_HOOK_BIG_STRING) != 0, h->string_len);
    if (!put_bytes(w, h->string, h->string_len))
        return false;
    if (!h->list_count)
        return true;
    if (!pst_writer_reserve(w, 4))
        return false;
    put_len_nocheck(w, (flags & PST_HOOK_BIG_LIST) != 0, h->list_count);
    return true;
}

bool pst_write_hook_tag(pst_writer *w, uint64_t tag)
{
    if (tag > PST_I32_MAX)
        return pst_writer_fail(w, PST_ERR_LENGTH);
    if (!pst_writer_reserve(w, 4))
        return false;
    pst_store_be32(w->buf.pos, (uint32_t)tag);
    w->buf.pos += 4;
    return true;
}
