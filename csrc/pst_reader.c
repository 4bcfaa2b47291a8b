/* pst_reader.c - the seldom half of the decoder: errors, LOBJECT, hooks. */
#include "pst_reader.h"

void pst_reader_set_error(pst_reader *r, pst_err code, uint64_t want, uint64_t have)
{
    if (r->error.code == PST_OK) {
        r->error.code = code;
        r->error.offset = pst_cursor_off(&r->in);
        r->error.want = want;
        r->error.have = have;
        if (code == PST_ERR_MARKER)
            r->error.marker = (uint8_t)have;
        r->closed_end = r->in.end;
    }
    /* Nothing may be read after an error: close the window. */
    r->in.end = r->in.pos;
    r->in.refill = NULL;
}

void pst_reader_set_truncated(pst_reader *r)
{
    pst_reader_set_error(r, PST_ERR_TRUNCATED, 0, 0);
}

bool pst_reader_bad_marker(pst_reader *r)
{
    r->in.pos--;             /* the marker itself is the place, though it has been read */
    pst_reader_set_error(r, PST_ERR_MARKER, r->last_tag, *r->in.pos);
    r->in.end = ++r->in.pos;
    return false;
}

static void configure_floats(pst_reader *r, size_t host_iv_size, size_t host_nv_size)
{
    const pst_header *h = &r->header;
    pst_header host;
    pst_header_host(&host, host_iv_size, host_nv_size);
    r->nv_native = h->netorder || pst_header_compare(h, &host) == PST_OK;
    r->nv_kind = (uint8_t)pst_float_kind_of(r->nv_size, r->swap_raw != pst_host_is_little(),
                                            h->netorder ? host.ptr_size : h->ptr_size);
}

void pst_reader_configure(pst_reader *r, size_t host_iv_size, size_t host_nv_size)
{
    const pst_header *h = &r->header;
    r->swap = pst_header_swapped(h);
    r->swap_raw = r->swap && !h->netorder;
    r->iv_size = (uint8_t)(h->netorder ? host_iv_size : h->order_len);
    r->nv_size = (uint8_t)(h->nv_size ? h->nv_size : host_nv_size);
    r->nv_native = true;
    r->nv_kind = PST_FLOAT_DOUBLE;
    if (PST_UNLIKELY(r->nv_size != sizeof(double)))
        configure_floats(r, host_iv_size, host_nv_size);
    /* Markers beyond what the newest writer of the header's minor could know are not
     * guessed at, but booleans are: their writers say minor 11. */
    r->last_tag = h->major < PST_MAJOR ? (uint8_t)PST_LOBJECT : (uint8_t)(PST_TAG_COUNT - 1);
}

/* 8 bytes in the image's order. */
static bool read_u64(pst_reader *r, uint64_t *v)
{
    const uint8_t *p = pst_cursor_take(&r->in, 8);
    if (!p)
        return pst_reader_truncated(r);
    *v = pst_load64(p);
    if (r->swap)
        *v = pst_swap64(*v);
    return true;
}

bool pst_reader_lobject(pst_reader *r, pst_token *t)
{
    uint8_t inner = 0;
    if (!pst_reader_u8(r, &inner))
        return false;
    t->marker = inner;
    switch (inner) {
    case PST_HOOK:
        t->flags = 1;
        return true;
    case PST_FLAG_HASH:
        return pst_reader_u8(r, &t->flags) && read_u64(r, &t->len);
    case PST_OBJECT:
    case PST_ARRAY:
    case PST_HASH:
        return read_u64(r, &t->len);
    case PST_LSCALAR:
    case PST_LUTF8STR:
        t->marker = inner == PST_LSCALAR ? PST_SCALAR : PST_UTF8STR;
        return read_u64(r, &t->len) && pst_reader_bytes(r, t, t->len);
    default:
        return pst_reader_fail(r, PST_ERR_MARKER, PST_HOOK, inner);
    }
}

pst_float pst_reader_float(const pst_reader *r, const pst_token *t)
{
    if (t->len != 8 && t->len != 12 && t->len != 16) {
        pst_float unknown;
        memset(&unknown, 0, sizeof unknown);
        unknown.nan = true;
        return unknown;
    }
    return pst_float_decode(t->bytes, (pst_float_kind)r->nv_kind, r->swap_raw != pst_host_is_little());
}

double pst_reader_double(const pst_reader *r, const pst_token *t)
{
    uint64_t bits;
    double v;
    if (PST_UNLIKELY(r->nv_kind != PST_FLOAT_DOUBLE)) {
        pst_float f = pst_reader_float(r, t);
        return pst_float_to_double(&f);
    }
    bits = pst_load64(t->bytes);
    if (r->swap_raw)
        bits = pst_swap64(bits);
    memcpy(&v, &bits, sizeof v);
    return v;
}

bool pst_reader_index(pst_reader *r, int64_t *index)
{
    uint32_t v = 0;
    if (!pst_reader_u32(r, &v))
        return false;
    *index = (int32_t)v;
    return true;
}

bool pst_reader_regexp_flags(pst_reader *r, pst_token *t)
{
    return pst_reader_short(r, t);
}

bool pst_reader_hook_flags(pst_reader *r, pst_hook *h, bool first)
{
    if (!pst_reader_u8(r, &h->flags))
        return false;
    if (!first)
        return true;
    h->extra = 0;
    h->wide_tags = false;
    if ((h->flags & PST_HOOK_KIND) != PST_HOOK_EXTRA)
        return true;
    if (!pst_reader_u8(r, &h->extra))
        return false;
    return (h->extra >= PST_EXTRA_SCALAR && h->extra <= PST_EXTRA_HASH)
        || pst_reader_fail(r, PST_ERR_MARKER, PST_EXTRA_HASH, h->extra);
}

/* A field of one byte, or of four in the image's order when `big`. */
static bool read_u8_or_u32(pst_reader *r, bool big, uint64_t *v)
{
    uint8_t byte = 0;
    uint32_t word = 0;
    if (big) {
        if (!pst_reader_u32(r, &word))
            return false;
        *v = word;
        return true;
    }
    if (!pst_reader_u8(r, &byte))
        return false;
    *v = byte;
    return true;
}

bool pst_reader_hook_class(pst_reader *r, const pst_hook *h, pst_token *t)
{
    t->bytes = NULL;
    if (!read_u8_or_u32(r, (h->flags & PST_HOOK_BIG_CLASS) != 0, &t->len))
        return false;
    return (h->flags & PST_HOOK_INDEXED) != 0 || pst_reader_class_name(r, t);
}

bool pst_reader_hook_string(pst_reader *r, const pst_hook *h, pst_token *t)
{
    if (h->huge ? !read_u64(r, &t->len)
                : !read_u8_or_u32(r, (h->flags & PST_HOOK_BIG_STRING) != 0, &t->len))
        return false;
    return pst_reader_bytes(r, t, t->len);
}

bool pst_reader_hook_list(pst_reader *r, pst_hook *h, uint64_t *count)
{
    *count = 0;
    if (!(h->flags & PST_HOOK_HAS_LIST))
        return true;
    if (!read_u8_or_u32(r, (h->flags & PST_HOOK_BIG_LIST) != 0, count))
        return false;
    if ((h->flags & PST_HOOK_BIG_LIST) && *count > PST_I32_MAX) {
        h->wide_tags = true;     /* a negative count: as many tags of 8 bytes */
        *count = (uint32_t)(0 - (uint32_t)*count);
    }
    return true;
}

bool pst_reader_hook_tag(pst_reader *r, const pst_hook *h, uint64_t *tag)
{
    const uint8_t *p;
    if (h->wide_tags)
        return read_u64(r, tag);
    p = pst_cursor_take(&r->in, 4);
    if (!p)
        return pst_reader_truncated(r);
    *tag = pst_load_be32(p);
    return true;
}
