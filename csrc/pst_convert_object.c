/* pst_convert_object.c - markers, numbers, strings and keys on their way through a conversion.
 *
 * What can stay keeps its form: an image that uses a long form where a short one would do is
 * converted and converted back to the same bytes.
 */
#include "pst_convert_parts.h"

/* The first minor version whose readers know a marker. */
static unsigned first_minor(unsigned marker)
{
    static const uint8_t minors[PST_TAG_COUNT] = {
#define PST_TAG_MINOR(value, name, minor) minor,
        PST_TAG_LIST(PST_TAG_MINOR)
#undef PST_TAG_MINOR
    };
    return minors[marker];
}

static bool is_too_new(const pst_converter *x, unsigned marker)
{
    return x->c->minor >= 0 && first_minor(marker) > (unsigned)x->c->minor;
}

static bool refuse(pst_converter *x, unsigned marker)
{
    x->refused = (uint8_t)marker;
    return pst_writer_fail(&x->out, PST_ERR_NO_EQUIVALENT);
}

/* ---- strings ------------------------------------------------------------------------------- */

/* A marker with a length of 1, 4 or 8 bytes, as the image has it. */
static bool put_string(pst_converter *x, const pst_token *t, enum pst_tag lobject_inner)
{
    pst_writer *w = &x->out;
    bool fine;
    switch (t->wire) {
    case PST_LOBJECT:
        fine = pst_write_u8(w, PST_LOBJECT) && pst_write_u8(w, lobject_inner) && pst_write_u64(w, t->len);
        break;
    case PST_LSCALAR:
    case PST_LUTF8STR:
    case PST_LVSTRING:
        fine = pst_write_u8(w, t->wire) && pst_write_u32(w, (uint32_t)t->len);
        break;
    default:
        fine = pst_write_u8(w, t->wire) && pst_write_u8(w, (unsigned)t->len);
    }
    return fine && pst_write_bytes(w, t->bytes, t->len);
}

/* The number of characters of UTF-8 text, if they are all below 256. RETURNS: false if not. */
static bool count_latin1(const uint8_t *p, uint64_t len, uint64_t *count)
{
    uint64_t i;
    *count = 0;
    for (i = 0; i < len; i++, ++*count) {
        if (p[i] < 0x80)
            continue;
        if ((p[i] != 0xc2 && p[i] != 0xc3) || i + 1 == len || (p[i + 1] & 0xc0) != 0x80)
            return false;
        i++;
    }
    return true;
}

/* The characters of such a text, a byte for each. */
static bool put_latin1(pst_converter *x, const uint8_t *p, uint64_t len)
{
    uint64_t i;
    if (!pst_writer_reserve(&x->out, (size_t)len))
        return false;
    for (i = 0; i < len; i++) {
        unsigned c = p[i];
        if (c >= 0x80)
            c = (c & 3) << 6 | (p[++i] & 0x3f);
        pst_buf_put_u8_nocheck(&x->out.buf, c);
    }
    return true;
}

/* A string of characters for versions that only know bytes. */
static bool put_utf8_older(pst_converter *x, const pst_token *t)
{
    uint64_t count;
    if (t->wire == PST_LOBJECT || !count_latin1(t->bytes, t->len, &count))
        return refuse(x, t->wire);
    x->c->older_count++;
    return (t->wire == PST_LUTF8STR
            ? pst_write_u8(&x->out, PST_LSCALAR) && pst_write_u32(&x->out, (uint32_t)count)
            : pst_write_u8(&x->out, PST_SCALAR) && pst_write_u8(&x->out, (unsigned)count))
        && put_latin1(x, t->bytes, t->len);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool put_integer(pst_converter *x, const pst_token *t)
{
    pst_writer *w = &x->out;
    const bool fits = t->iv == (int32_t)t->iv;
    if (t->wire == PST_BYTE)
        return pst_write_u8(w, PST_BYTE) && pst_write_u8(w, (unsigned)(t->iv + 128));
    if (!fits && (w->netorder || w->iv_size == 4))
        return pst_write_decimal(w, t->iv);
    if (w->netorder || (t->wire == PST_NETINT && !x->walk.r.header.netorder))
        return pst_write_u8(w, PST_NETINT) && pst_write_be32(w, (uint32_t)t->iv);
    return pst_write_native_iv(w, t->iv);
}

static bool put_double(pst_converter *x, const pst_token *t)
{
    pst_writer *w = &x->out;
    const pst_reader *r = &x->walk.r;
    char text[PST_NUMFMT_MAX];
    pst_float f;
    if (w->netorder)
        return pst_write_string(w, text, pst_format_number(text, pst_reader_double(r, t), w->digits), false);
    if (r->nv_kind == w->nv_kind && r->nv_size == w->nv_size && r->nv_kind != PST_FLOAT_DOUBLE)
        return pst_write_native_nv(w, t->bytes, w->nv_size);    /* such kinds have one order */
    f = pst_reader_float(r, t);
    return pst_write_native_float(w, &f);
}

/* ---- containers, classes ------------------------------------------------------------------------ */

static bool put_count(pst_converter *x, const pst_token *t)
{
    pst_writer *w = &x->out;
    if (t->wire == PST_LOBJECT)
        return pst_write_count_huge(w, (enum pst_tag)t->marker, t->flags, t->len);
    return pst_write_u8(w, t->marker) && (t->marker != PST_FLAG_HASH || pst_write_u8(w, t->flags))
        && pst_write_u32(w, (uint32_t)t->len);
}

static bool put_object(pst_converter *x, const pst_token *t)
{
    pst_writer *w = &x->out;
    if (t->wire == PST_LOBJECT)
        return pst_write_u8(w, PST_LOBJECT) && pst_write_u8(w, PST_OBJECT) && pst_write_u64(w, t->len);
    return pst_write_u8(w, PST_OBJECT) && pst_write_be32(w, (uint32_t)t->len);
}

static bool put_class(pst_converter *x, const pst_event *ev)
{
    pst_writer *w = &x->out;
    const pst_token *t = &ev->token;
    /* 1 byte of marker and 1 of length, or 4 more */
    const bool is_long = ev->end - ev->off - (t->bytes ? t->len : 0) == 6;
    return pst_write_u8(w, t->marker)
        && (is_long ? pst_write_u8(w, PST_LONG_LEN) && pst_write_u32(w, (uint32_t)t->len)
                    : pst_write_u8(w, (unsigned)t->len))
        && (!t->bytes || pst_write_bytes(w, t->bytes, t->len));
}

static bool put_regexp(pst_converter *x, const pst_token *t)
{
    pst_writer *w = &x->out;
    return pst_write_u8(w, PST_REGEXP) && pst_write_u8(w, t->flags)
        && (t->flags & PST_REGEXP_BIG_PATTERN ? pst_write_u32(w, (uint32_t)t->len)
                                              : pst_write_u8(w, (unsigned)t->len))
        && pst_write_bytes(w, t->bytes, t->len);
}

/* ---- objects -------------------------------------------------------------------------------------- */

/* What an older version would have written. */
static bool put_older(pst_converter *x, const pst_token *t)
{
    pst_writer *w = &x->out;
    if (t->wire == PST_LOBJECT)
        return refuse(x, t->wire);
    if (t->marker == PST_UTF8STR)
        return put_utf8_older(x, t);
    x->c->older_count++;
    switch (t->marker) {
    case PST_BOOLEAN_TRUE:  return pst_write_string(w, "1", 1, false);
    case PST_BOOLEAN_FALSE: return pst_write_string(w, "", 0, false);
    case PST_SVUNDEF_ELEM:  return pst_write_u8(w, PST_SV_UNDEF);
    case PST_WEAKREF:       return pst_write_u8(w, PST_REF);
    case PST_WEAKOVERLOAD:  return pst_write_u8(w, PST_OVERLOAD);
    case PST_VSTRING:       return true;        /* the scalar follows */
    case PST_FLAG_HASH:
        if (!(t->flags & PST_HASH_RESTRICTED))
            return pst_write_u8(w, PST_HASH) && pst_write_u32(w, (uint32_t)t->len);
        break;
    default:
        break;
    }
    return refuse(x, t->marker);
}

/* One object's marker and fixed part. flat switch */
bool pst_convert_object(pst_converter *x, const pst_event *ev)
{
    const pst_token *t = &ev->token;
    if (is_too_new(x, t->wire))
        return put_older(x, t);
    switch (t->marker) {
    case PST_OBJECT:    return put_object(x, t);
    case PST_SCALAR:    return put_string(x, t, PST_LSCALAR);
    case PST_UTF8STR:   return put_string(x, t, PST_LUTF8STR);
    case PST_VSTRING:   return put_string(x, t, PST_LVSTRING);
    case PST_INTEGER:   return put_integer(x, t);
    case PST_DOUBLE:    return put_double(x, t);
    case PST_ARRAY:
    case PST_HASH:
    case PST_FLAG_HASH: return put_count(x, t);
    case PST_BLESS:
    case PST_IX_BLESS:  return put_class(x, ev);
    case PST_REGEXP:    return put_regexp(x, t);
    case PST_HOOK:
        return (t->wire != PST_LOBJECT || pst_write_u8(&x->out, PST_LOBJECT))
            && pst_write_u8(&x->out, PST_HOOK);
    default:            return pst_write_u8(&x->out, t->marker);
    }
}

bool pst_convert_key(pst_converter *x, const pst_event *ev)
{
    pst_writer *w = &x->out;
    const pst_token *t = &ev->token;
    const pst_frame *f = &x->walk.frames[x->walk.depth - 1];
    uint64_t count;
    if (f->marker != PST_FLAG_HASH)
        return pst_write_key(w, (const char *)t->bytes, (uint32_t)t->len);
    if (!is_too_new(x, PST_FLAG_HASH))
        return pst_write_u8(w, t->flags)
            && ((t->flags & PST_KEY_ISSV) || pst_write_key(w, (const char *)t->bytes, (uint32_t)t->len));
    if (t->flags & (PST_KEY_ISSV | PST_KEY_PLACEHOLDER | PST_KEY_LOCKED))
        return refuse(x, PST_FLAG_HASH);
    if (!(t->flags & PST_KEY_UTF8))
        return pst_write_key(w, (const char *)t->bytes, (uint32_t)t->len);
    if (!count_latin1(t->bytes, t->len, &count))
        return refuse(x, PST_FLAG_HASH);
    return pst_write_u32(w, (uint32_t)count) && put_latin1(x, t->bytes, t->len);
}

bool pst_convert_regexp_flags(pst_converter *x, const pst_event *ev)
{
    return pst_write_u8(&x->out, (unsigned)ev->token.len)
        && pst_write_bytes(&x->out, ev->token.bytes, ev->token.len);
}
