/* pst_out.c - see pst_out.h. */
#include "pst_out.h"
#include "pst_utf8.h"

/* pst_buf.grow: the text leaves. */
static bool leave(pst_buf *b, size_t need)
{
    pst_out *o = (pst_out *)b->host;
    size_t len = pst_buf_len(b);
    (void)need;
    if (!o->failed && len && !o->write(o->host, b->start, len))
        o->failed = true;
    b->sent += len;
    b->pos = b->start;
    return true;
}

void pst_out_init(pst_out *o, bool (*write)(void *host, const void *bytes, size_t len), void *host)
{
    memset(&o->buf, 0, sizeof o->buf);
    o->buf.start = o->buf.pos = o->room;
    o->buf.end = o->room + sizeof o->room;
    o->buf.grow = leave;
    o->buf.host = o;
    o->write = write;
    o->host = host;
    o->failed = o->color = o->in_json = false;
}

bool pst_out_flush(pst_out *o)
{
    (void)leave(&o->buf, 0);
    return !o->failed;
}

void pst_out_bytes(pst_out *o, const void *bytes, size_t len)
{
    const uint8_t *p = (const uint8_t *)bytes;
    while (len) {
        size_t part = len < PST_OUT_SIZE / 2 ? len : PST_OUT_SIZE / 2;
        pst_out_room(o, part);
        pst_buf_put_nocheck(&o->buf, p, part);
        p += part;
        len -= part;
    }
}

void pst_out_str(pst_out *o, const char *text)
{
    pst_out_bytes(o, text, strlen(text));
}

void pst_out_char(pst_out *o, char c)
{
    pst_out_room(o, 1);
    pst_buf_put_u8_nocheck(&o->buf, (uint8_t)c);
}

void pst_out_u64(pst_out *o, uint64_t v)
{
    pst_out_room(o, PST_NUMFMT_MAX);
    o->buf.pos += pst_format_u64((char *)o->buf.pos, v);
}

void pst_out_i64(pst_out *o, int64_t v)
{
    pst_out_room(o, PST_NUMFMT_MAX);
    o->buf.pos += pst_format_i64((char *)o->buf.pos, v);
}

void pst_out_spaces(pst_out *o, uint64_t count)
{
    while (count) {
        size_t part = count < 64 ? (size_t)count : 64;
        pst_out_room(o, part);
        memset(o->buf.pos, ' ', part);
        o->buf.pos += part;
        count -= part;
    }
}

static const char hex_digits[] = "0123456789abcdef";

void pst_out_hex(pst_out *o, const uint8_t *bytes, size_t len)
{
    size_t i;
    for (i = 0; i < len; i++) {
        pst_out_char(o, hex_digits[bytes[i] >> 4]);
        pst_out_char(o, hex_digits[bytes[i] & 15]);
    }
}

void pst_out_hex_u64(pst_out *o, uint64_t v, unsigned digits)
{
    unsigned n = 16;
    while (n > digits && n > 1 && !(v >> (4 * (n - 1))))
        n--;
    while (n--)
        pst_out_char(o, hex_digits[v >> (4 * n) & 15]);
}

void pst_out_count(pst_out *o, uint64_t count, const char *what)
{
    pst_out_u64(o, count);
    pst_out_char(o, ' ');
    pst_out_str(o, what);
    if (count != 1)
        pst_out_char(o, 's');
}

void pst_out_color(pst_out *o, enum pst_color color)
{
    static const char *const codes[] = { "0", "36", "33", "32", "35", "2", "1;31", "1;32" };
    if (!o->color)
        return;
    pst_out_str(o, "\033[");
    pst_out_str(o, codes[color]);
    pst_out_char(o, 'm');
}

/* A quote or a backslash, escaped if the text stands in a JSON string. */
static void mark(pst_out *o, char c)
{
    if (o->in_json)
        pst_out_char(o, '\\');
    pst_out_char(o, c);
}

static void escape(pst_out *o, uint32_t c, bool wide)
{
    mark(o, '\\');
    switch (c) {
    case '\n': pst_out_char(o, 'n'); return;
    case '\r': pst_out_char(o, 'r'); return;
    case '\t': pst_out_char(o, 't'); return;
    default:
        pst_out_str(o, wide ? "x{" : "x");
        pst_out_hex_u64(o, c, 2);
        if (wide)
            pst_out_char(o, '}');
    }
}

void pst_out_quoted(pst_out *o, const uint8_t *bytes, uint64_t len, bool utf8, uint64_t most)
{
    uint64_t at = 0;
    mark(o, '"');
    while (at < len && at < most) {
        const uint8_t *p = bytes + at;
        unsigned n = utf8 ? pst_utf8_char(p, (size_t)(len - at)) : 0;
        if (*p >= ' ' && *p < 0x7f) {
            if (*p == '"' || *p == '\\' || *p == '$' || *p == '@')
                mark(o, '\\');
            if (*p == '"' || *p == '\\')
                mark(o, (char)*p);
            else
                pst_out_char(o, (char)*p);
            at++;
        }
        else if (n > 1) {
            uint32_t c = pst_utf8_decode(p, n);
            if (c < 0xa0)              /* a control character */
                escape(o, c, true);
            else
                pst_out_bytes(o, p, n);
            at += n;
        }
        else {
            escape(o, *p, false);
            at++;
        }
    }
    mark(o, '"');
    if (at < len) {
        pst_out_str(o, "... (");
        pst_out_count(o, len, "byte");
        pst_out_char(o, ')');
    }
}

/* ---- JSON ----------------------------------------------------------------------------- */

/* One character that is more than itself in JSON. RETURNS: bytes of it. */
static unsigned json_char(pst_out *o, const uint8_t *p, size_t len, bool utf8)
{
    static const char short_forms[] = "btnvfr";
    uint8_t c = *p;
    unsigned n;
    pst_out_room(o, 8);
    if (c < 0x80) {
        pst_buf_put_u8_nocheck(&o->buf, '\\');
        if (c == '"' || c == '\\')
            pst_buf_put_u8_nocheck(&o->buf, c);
        else if (c >= 8 && c <= 13 && c != 11)
            pst_buf_put_u8_nocheck(&o->buf, (uint8_t)short_forms[c - 8]);
        else {
            pst_buf_put_nocheck(&o->buf, "u00", 3);
            pst_buf_put_u8_nocheck(&o->buf, (uint8_t)hex_digits[c >> 4]);
            pst_buf_put_u8_nocheck(&o->buf, (uint8_t)hex_digits[c & 15]);
        }
        return 1;
    }
    if (!utf8) {
        pst_buf_put_u8_nocheck(&o->buf, 0xc0 | c >> 6);
        pst_buf_put_u8_nocheck(&o->buf, 0x80 | (c & 0x3f));
        return 1;
    }
    n = pst_utf8_char(p, len);
    pst_buf_put_nocheck(&o->buf, n ? p : (const uint8_t *)"\xef\xbf\xbd", n ? n : 3);
    return n ? n : 1;
}

/* Is one of the eight bytes a control character, a quote, a backslash, or above ASCII? */
PST_INLINE bool json_special8(uint64_t v)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    uint64_t quote = v ^ (ones * '"'), slash = v ^ (ones * '\\');
    return (((v - ones * 0x20) | v | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops) != 0;
}

PST_INLINE bool json_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Copy plain bytes as far as they go and there is room. */
PST_INLINE size_t json_run(pst_out *o, const uint8_t *p, size_t len)
{
    uint8_t *to = o->buf.pos;
    size_t room = (size_t)(o->buf.end - to), at = 0;
    if (len > room)
        len = room;
    while (len - at >= 8) {
        uint64_t v = pst_load64(p + at);
        if (json_special8(v))
            break;
        memcpy(to + at, &v, 8);
        at += 8;
    }
    if (len >= 8 && len - at < 8) {
        /* The rest with some bytes before it, once more. */
        uint64_t v = pst_load64(p + len - 8);
        if (!json_special8(v)) {
            memcpy(to + len - 8, &v, 8);
            o->buf.pos += len;
            return len;
        }
    }
    else if (len >= 4 && len < 8) {      /* its two halves, which may overlap */
        uint32_t first = pst_load32(p), last = pst_load32(p + len - 4);
        if (!json_special8((uint64_t)first << 32 | last)) {
            memcpy(to, &first, 4);
            memcpy(to + len - 4, &last, 4);
            o->buf.pos += len;
            return len;
        }
    }
    while (at < len && json_plain(p[at])) {
        to[at] = p[at];
        at++;
    }
    o->buf.pos += at;
    return at;
}

PST_INLINE void json_body(pst_out *o, const uint8_t *bytes, uint64_t len, bool utf8)
{
    uint64_t at = 0;
    while (at < len) {
        at += json_run(o, bytes + at, (size_t)(len - at));
        if (at == len)
            break;
        if (json_plain(bytes[at]))
            pst_out_room(o, 64);
        else
            at += json_char(o, bytes + at, (size_t)(len - at), utf8);
    }
}

void pst_out_json_body(pst_out *o, const uint8_t *bytes, uint64_t len, bool utf8)
{
    json_body(o, bytes, len, utf8);
}

void pst_out_json(pst_out *o, const uint8_t *bytes, uint64_t len, bool utf8)
{
    pst_out_room(o, 64);
    pst_buf_put_u8_nocheck(&o->buf, '"');
    json_body(o, bytes, len, utf8);
    pst_out_char(o, '"');
}

void pst_out_json_str(pst_out *o, const char *text)
{
    pst_out_json(o, (const uint8_t *)text, strlen(text), true);
}
