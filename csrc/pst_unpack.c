/* pst_unpack.c - see pst_unpack.h. */
#include "pst_unpack.h"

enum { START = 256 };   /* bytes that tell what it is */

/* The value of a base64 digit, or: -1 none, -2 to be passed over, -3 padding. */
static int digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    if (c == '=') return -3;
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' ? -2 : -1;
}

/* State of decoding: digits come in groups of four. */
typedef struct base64 { uint32_t group; unsigned count; bool ended; } base64;

/* Decode `len` digits to `out` (three quarters of the room). RETURNS: bytes, or SIZE_MAX if
 * that is no base64. */
static size_t decode(base64 *b, const uint8_t *p, size_t len, uint8_t *out)
{
    uint8_t *to = out;
    for (; len--; p++) {
        int v = digit(*p);
        if (v == -2)
            continue;
        if (v == -3) {
            b->ended = true;
            continue;
        }
        if (v < 0 || b->ended)
            return SIZE_MAX;
        b->group = b->group << 6 | (uint32_t)v;
        if (++b->count == 4) {
            *to++ = (uint8_t)(b->group >> 16);
            *to++ = (uint8_t)(b->group >> 8);
            *to++ = (uint8_t)b->group;
            b->count = 0;
        }
    }
    return (size_t)(to - out);
}

/* The bytes of a last group of two or three digits. RETURNS: bytes, SIZE_MAX for one digit. */
static size_t decode_rest(const base64 *b, uint8_t *out)
{
    if (b->count == 1)
        return SIZE_MAX;
    if (b->count >= 2)
        out[0] = (uint8_t)(b->count == 2 ? b->group >> 4 : b->group >> 10);
    if (b->count == 3)
        out[1] = (uint8_t)(b->group >> 2);
    return b->count ? b->count - 1 : 0;
}

static bool is_gzip(const uint8_t *p, size_t len)
{
    return len >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8;
}

/* Base64 of something that we know? Decided by its beginning. */
static bool is_base64(const uint8_t *p, size_t len)
{
    uint8_t out[64];
    base64 b = { 0, 0, false };
    size_t n = decode(&b, p, len < 80 ? len : 80, out);
    if (n == SIZE_MAX)
        return false;
    if (n < 3 && b.count) {
        size_t rest = decode_rest(&b, out + n);
        n += rest == SIZE_MAX ? 0 : rest;
    }
    return is_gzip(out, n) || (n >= 4 && memcmp(out, "pst0", 4) == 0)
        || (n >= 10 && memcmp(out, "perl-store", 10) == 0)
        || (n >= 3 && (out[0] == 4 || out[0] == 5) && out[1] < 32);
}

static bool is_packed(const pst_source *source)
{
    uint8_t start[START];
    size_t len = pst_source_read(source, 0, start, sizeof start);
    return is_gzip(start, len) || is_base64(start, len);
}

static const char *unbase64(pst_host *host, const pst_source *source, void *spool)
{
    enum { PART = 4096 };
    uint8_t in[PART], out[PART];
    base64 b = { 0, 0, false };
    uint64_t off = 0;
    size_t len, n;
    while ((len = pst_source_read(source, off, in, PART)) != 0) {
        n = decode(&b, in, len, out);
        if (n == SIZE_MAX)
            return "the base64 text is damaged";
        if (n && !host->spool_write(spool, out, n))
            return "there is no room for what it unpacks to";
        off += len;
    }
    n = decode_rest(&b, out);
    if (n == SIZE_MAX)
        return "the base64 text is cut off";
    return !n || host->spool_write(spool, out, n) ? NULL : "there is no room for what it unpacks to";
}

/* A spool that takes so many bytes and no more. */
typedef struct bounded { pst_host *host; void *spool; uint64_t left; bool full; } bounded;

static bool bounded_write(void *context, const void *bytes, size_t len)
{
    bounded *b = (bounded *)context;
    b->full = len > b->left;
    if (b->full)
        return false;
    b->left -= len;
    return b->host->spool_write(b->spool, bytes, len);
}

static const char *gunzip(pst_host *host, const pst_source *source, void *spool, uint64_t most)
{
    bounded b;
    const char *wrong;
    b.host = host;
    b.spool = spool;
    b.left = most;
    b.full = false;
    wrong = pst_gunzip(host->memory, source, bounded_write, &b);
    return b.full ? "it unpacks to too much; --max-unpacked allows more" : wrong;
}

/* One layer, into `most` bytes. RETURNS: 1 unpacked, 0 it is none of these, -1 with
 * host->reason. */
static int unpack_once(pst_host *host, pst_source *source, uint64_t most, const char **how)
{
    uint8_t start[START];
    size_t len = pst_source_read(source, 0, start, sizeof start);
    const char *wrong;
    void *spool;
    pst_source unpacked;
    bool gzip = is_gzip(start, len);
    if (!gzip && !is_base64(start, len))
        return 0;
    if (how)
        *how = gzip ? "gzip" : "base64";
    spool = host->spool_new(host);
    if (!spool) {
        host->reason = "out of memory";
        return -1;
    }
    wrong = gzip ? gunzip(host, source, spool, most)
                 : unbase64(host, source, spool);
    host->spool_source(spool, &unpacked);
    if (wrong) {
        host->close(host, &unpacked);
        host->reason = wrong;
        return -1;
    }
    host->close(host, source);
    *source = unpacked;
    return 1;
}

bool pst_unpack(pst_host *host, pst_source *source, uint64_t most, const char **how)
{
    int layers, done = 1;
    if (!most)
        most = source->len < UINT64_MAX / 128 ? source->len * PST_UNPACK_TIMES + PST_UNPACK_FREE : UINT64_MAX;
    for (layers = 0; layers <= PST_UNPACK_LAYERS && done > 0; layers++)
        done = layers < PST_UNPACK_LAYERS ? unpack_once(host, source, most, how) : is_packed(source);
    if (done > 0)
        host->reason = "it is packed more than three times; unpack it first";
    return !done;
}
