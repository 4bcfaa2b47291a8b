/* fuzz_roundtrip.c - fuzz target: reader to tokens to writer to reader: the same tokens.
 *
 * Whatever the reader takes for a whole image of today's format is written again in this
 * machine's order; both must show the same events, as must the first part of a broken one.
 */
#include "fuzz_walk.h"
#include "pst_writer.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

typedef struct trip {
    pst_writer w;
    pst_reader *r;
    pst_token  kept, string;  /* the pattern of a regexp, class and string of a hook */
    pst_hook_record record;
    uint64_t   hash, written; /* the hash when the writer took the last event */
    bool       able;          /* the writer could write all */
} trip;

static bool grow(pst_buf *b, size_t need)
{
    size_t used = pst_buf_len(b), size = pst_buf_next_size((size_t)(b->end - b->start), used, need);
    uint8_t *bigger = size ? (uint8_t *)realloc(b->start, size) : NULL;
    if (!bigger)
        return false;
    b->start = bigger;
    b->pos = bigger + used;
    b->end = bigger + size;
    return true;
}

static bool write_double(trip *p, const pst_token *t)
{
    double v;
    if (t->len != sizeof v)
        return false;
    v = pst_reader_double(p->r, t);
    return pst_write_native_nv(&p->w, &v, sizeof v);
}

static bool write_token(trip *p, const pst_token *t)
{
    const char *text = (const char *)t->bytes;
    switch (t->marker) {
    case PST_INTEGER:   return pst_write_integer(&p->w, t->iv);
    case PST_DOUBLE:    return write_double(p, t);
    case PST_SCALAR:    return pst_write_string(&p->w, text, t->len, false);
    case PST_UTF8STR:   return pst_write_string(&p->w, text, t->len, true);
    case PST_VSTRING:   return pst_write_vstring(&p->w, text, t->len);
    case PST_OBJECT:    return pst_write_object(&p->w, t->len);
    case PST_ARRAY:
    case PST_HASH:      return pst_write_count(&p->w, (enum pst_tag)t->marker, t->len);
    case PST_FLAG_HASH: return pst_write_flag_hash(&p->w, t->flags, t->len);
    case PST_BLESS:     return pst_write_bless(&p->w, text, t->len);
    case PST_IX_BLESS:  return pst_write_bless_index(&p->w, (uint32_t)t->len);
    case PST_REGEXP:    p->kept = *t; return true;     /* its flags are to come */
    case PST_HOOK:      return true;
    default:            return pst_write_marker(&p->w, (enum pst_tag)t->marker);
    }
}

static bool write_hook(trip *p, const fuzz_event *e)
{
    pst_hook_record *h = &p->record;
    memset(h, 0, sizeof *h);
    h->kind = (uint8_t)e->kind;
    h->recursed = !e->first;
    h->indexed = p->kept.bytes == NULL;
    h->class_name = (const char *)p->kept.bytes;
    h->class_len = p->kept.len;
    h->string = (const char *)p->string.bytes;
    h->string_len = p->string.len;
    h->list_count = e->number;
    return pst_write_hook(&p->w, h);
}

static bool write_event(trip *p, const fuzz_event *e)
{
    const pst_token *t = &e->token;
    const char *text = (const char *)t->bytes;
    switch (e->what) {
    case FUZZ_TOKEN:        return write_token(p, t);
    case FUZZ_KEY:          return pst_write_key(&p->w, text, (uint32_t)t->len);
    case FUZZ_FLAG_KEY:
        return t->flags & PST_KEY_ISSV
            ? pst_writer_reserve(&p->w, 1) && (pst_buf_put_u8_nocheck(&p->w.buf, t->flags), true)
            : pst_write_flag_key(&p->w, t->flags, text, (uint32_t)t->len);
    case FUZZ_INDEX:        return pst_write_index(&p->w, (int32_t)e->number);
    case FUZZ_REGEXP:
        return pst_write_regexp(&p->w, (const char *)p->kept.bytes, p->kept.len, text, (size_t)t->len);
    case FUZZ_HOOK_RECURSE: return pst_write_hook_recurse(&p->w, e->kind, e->first);
    case FUZZ_HOOK_CLASS:   p->kept = *t; return true;
    case FUZZ_HOOK_STRING:  p->string = *t; return true;
    case FUZZ_HOOK:         return write_hook(p, e);
    case FUZZ_HOOK_TAG:     return pst_write_hook_tag(&p->w, e->number);
    default:                return false;              /* old formats are never written */
    }
}

static void visit(void *context, const fuzz_event *e)
{
    trip *p = (trip *)context;
    fuzz_hash(&p->hash, e);
    p->able = p->able && write_event(p, e);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    trip there = {0};
    pst_reader r, back;
    pst_header host;
    uint64_t hash = 0;
    pst_reader_init(&r, bytes, len);
    pst_writer_init(&there.w, false, 8);
    there.w.buf.grow = grow;
    there.r = &r;
    pst_header_host(&host, 8, sizeof(double));
    there.able = pst_write_header(&there.w, &host);
    if (fuzz_walk(&r, len >= 4 && memcmp(bytes, "pst0", 4) == 0, visit, &there) && there.able) {
        pst_reader_init(&back, there.w.buf.start, pst_buf_len(&there.w.buf));
        fuzz_check(fuzz_walk(&back, false, fuzz_hash, &hash), "what was written is not whole");
        fuzz_check(pst_cursor_left(&back.in) == 0, "more was written than is read");
        fuzz_check(hash == there.hash, "other tokens came back");
    }
    free(there.w.buf.start);
    return 0;
}
