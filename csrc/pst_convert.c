/* pst_convert.c - see pst_convert.h: what passes through as it is, hooks, nested images. */
#include "pst_convert_parts.h"

enum { CHUNK = 64 * 1024 };

/* ---- output ------------------------------------------------------------------------------ */

/* pst_buf.grow: sends what is there away, if there is somebody to send it to. */
static bool grow(pst_buf *b, size_t need)
{
    pst_converter *x = (pst_converter *)b->host;
    size_t used = pst_buf_len(b), size;
    uint8_t *bigger;
    if (!x->outer && used) {
        if (!x->c->write(x->c->host, b->start, used)) {
            x->write_failed = true;
            return false;
        }
        b->sent += used;
        b->pos = b->start;
        used = 0;
    }
    if ((size_t)(b->end - b->pos) >= need)
        return true;
    size = pst_buf_next_size(used < CHUNK ? (size_t)CHUNK : used, used, need);
    if (!size)
        return false;
    bigger = (uint8_t *)x->c->memory->resize(x->c->memory->host, b->start, size);
    if (!bigger)
        return false;
    b->start = bigger;
    b->pos = bigger + used;
    b->end = bigger + size;
    return true;
}

/* ---- nested images ------------------------------------------------------------------------ */

/* Are the bytes an image of today's format, from the first to the last? */
static bool is_image(const pst_converter *x, const uint8_t *bytes, uint64_t len, pst_header *h)
{
    pst_source source;
    pst_walk walk;
    pst_event ev;
    bool whole = false;
    if (len < 3 || (bytes[0] >> 1 != PST_MAJOR && bytes[0] != 'p'))
        return false;
    pst_source_memory(&source, bytes, (size_t)len);
    if (pst_walk_init(&walk, &source, x->c->memory, false) && walk.r.header.major == PST_MAJOR) {
        while (pst_walk_next(&walk, &ev))
            ;
        *h = walk.r.header;
        whole = walk.done && pst_walk_off(&walk) == len;
    }
    pst_walk_release(&walk);
    return whole;
}

/* The string of a hook, with an image in it converted if that is wanted. *bytes, *len: what is
 * to be written; it lies in `inner`, which the caller releases. */
static bool convert_nested(pst_converter *x, pst_converter *inner, const pst_event *ev,
                           const uint8_t **bytes, uint64_t *len)
{
    pst_nested nested;
    pst_source source;
    pst_header h;
    bool fine = true;
    if (x->level >= PST_NESTED_MAX || !is_image(x, *bytes, *len, &h))
        return true;
    if (x->c->nested) {
        pst_source_memory(&source, *bytes, (size_t)*len);
        pst_converter_init(inner, x->c, &source, x);
        fine = pst_converter_run(inner);
        if (fine) {
            *bytes = inner->out.buf.start;
            *len = pst_buf_len(&inner->out.buf);
        }
        else {
            x->c->error = inner->error;
            x->c->error.offset += ev->end - ev->token.len;
        }
    }
    if (x->c->found && fine) {
        nested.walk = &x->walk;
        nested.header = &h;
        nested.off = ev->end - ev->token.len;
        nested.len = ev->token.len;
        nested.converted = x->c->nested;
        x->c->found(x->c->host, &nested);
    }
    return fine;
}

/* ---- hooks --------------------------------------------------------------------------------- */

static bool put_length(pst_converter *x, bool big, uint64_t v)
{
    return big ? pst_write_u32(&x->out, (uint32_t)v) : pst_write_u8(&x->out, (unsigned)v);
}

static const pst_frame *innermost(const pst_converter *x)
{
    return &x->walk.frames[x->walk.depth - 1];
}

/* The last flags and the class are held back: a nested image may change its length, which shows
 * in the flags. */
static bool hook_flags(pst_converter *x, const pst_event *ev)
{
    const pst_hook *h = &innermost(x)->hook;
    x->hook_extra = ev->end - ev->off == 2;
    if (!(h->flags & PST_HOOK_RECURSE))
        return true;
    return pst_write_u8(&x->out, h->flags) && (!x->hook_extra || pst_write_u8(&x->out, h->extra));
}

static bool hook_class(pst_converter *x, const pst_event *ev)
{
    const pst_token *t = &ev->token;
    uint8_t *name = x->class_name;
    x->class_len = t->len;
    x->class_named = t->bytes != NULL;
    if (!t->bytes)
        return true;
    name = (uint8_t *)pst_memory_array(x->c->memory, name, &x->class_room, (size_t)t->len, 1);
    if (!name)
        return pst_writer_fail(&x->out, PST_ERR_MEMORY);
    x->class_name = name;
    memcpy(name, t->bytes, (size_t)t->len);
    return true;
}

static bool put_hook_string(pst_converter *x, const uint8_t *bytes, uint64_t len, bool same)
{
    const pst_hook *h = &innermost(x)->hook;
    unsigned flags = h->flags;
    if (!same)
        flags = (flags & ~(unsigned)PST_HOOK_BIG_STRING) | (len > 255 ? PST_HOOK_BIG_STRING : 0);
    if (!h->huge && len > PST_I32_MAX)
        return pst_writer_fail(&x->out, PST_ERR_LENGTH);
    return pst_write_u8(&x->out, flags)
        && (!x->hook_extra || pst_write_u8(&x->out, h->extra))
        && put_length(x, (flags & PST_HOOK_BIG_CLASS) != 0, x->class_len)
        && (!x->class_named || pst_write_bytes(&x->out, x->class_name, x->class_len))
        && (h->huge ? pst_write_u64(&x->out, len)
                    : put_length(x, (flags & PST_HOOK_BIG_STRING) != 0, len))
        && pst_write_bytes(&x->out, bytes, len);
}

static bool hook_string(pst_converter *x, const pst_event *ev)
{
    pst_converter inner;
    const uint8_t *bytes = ev->token.bytes;
    uint64_t len = ev->token.len;
    bool fine;
    memset(&inner, 0, sizeof inner);
    fine = convert_nested(x, &inner, ev, &bytes, &len)
        && put_hook_string(x, bytes, len, bytes == ev->token.bytes);
    pst_converter_release(&inner);
    return fine;
}

static bool hook_count(pst_converter *x, const pst_event *ev)
{
    const pst_hook *h = &innermost(x)->hook;
    uint64_t count = ev->token.len;
    return put_length(x, (h->flags & PST_HOOK_BIG_LIST) != 0, h->wide_tags ? 0 - count : count);
}

static bool hook_tag(pst_converter *x, const pst_event *ev)
{
    return innermost(x)->hook.wide_tags ? pst_write_u64(&x->out, ev->token.len)
                                        : pst_write_be32(&x->out, (uint32_t)ev->token.len);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static bool convert_event(pst_converter *x, const pst_event *ev)
{
    switch (ev->kind) {
    case PST_EV_BEGIN:        return pst_convert_object(x, ev);
    case PST_EV_KEY:          return pst_convert_key(x, ev);
    case PST_EV_INDEX:        return pst_write_index(&x->out, (int32_t)ev->token.iv);
    case PST_EV_REGEXP_FLAGS: return pst_convert_regexp_flags(x, ev);
    case PST_EV_HOOK_FLAGS:   return hook_flags(x, ev);
    case PST_EV_HOOK_CLASS:   return hook_class(x, ev);
    case PST_EV_HOOK_STRING:  return hook_string(x, ev);
    case PST_EV_HOOK_COUNT:   return hook_count(x, ev);
    case PST_EV_HOOK_TAG:     return hook_tag(x, ev);
    default:                  return true;
    }
}

/* The header of what is written. */
static void choose_header(const pst_converter *x, pst_header *h)
{
    const pst_header *was = &x->walk.r.header;
    *h = x->c->keep_order ? *was : x->c->target;
    if (!h->nv_size)                  /* versions before 2.2 do not say; 8 is what is read */
        h->nv_size = sizeof(double);
    h->file = was->file;
    h->old_magic = h->unversioned = false;
    h->major = PST_MAJOR;
    h->minor = x->c->minor >= 0 ? (uint8_t)x->c->minor
             : was->major < PST_MAJOR ? (uint8_t)PST_MINOR_WRITE : was->minor;
}

bool pst_converter_fail(pst_converter *x, bool walked)
{
    x->error = walked ? x->out.error : x->walk.r.error;
    if (x->write_failed)
        x->error.code = PST_ERR_OUTPUT;
    if (walked)
        x->error.offset = x->event_off;
    if (x->error.code == PST_ERR_NO_EQUIVALENT) {
        x->error.marker = x->refused;
        x->error.have = x->refused;
        x->error.want = (uint64_t)x->c->minor;
    }
    return false;
}

bool pst_converter_run(pst_converter *x)
{
    pst_header h;
    pst_event ev;
    pst_err err;
    if (!pst_walk_init(&x->walk, x->source, x->c->memory, false))
        return pst_converter_fail(x, false);
    err = pst_header_readable(&x->walk.r.header);
    if (err != PST_OK)
        return pst_reader_fail(&x->walk.r, err, PST_MAJOR, x->walk.r.header.major) || pst_converter_fail(x, false);
    choose_header(x, &h);
    pst_writer_configure(&x->out, &h);
    if (!h.netorder && !pst_header_has_nv(&h) && h.nv_size != sizeof(double)) {
        x->refused = PST_DOUBLE;             /* the header cannot say how long floats are */
        (void)pst_writer_fail(&x->out, PST_ERR_NO_EQUIVALENT);
        return pst_converter_fail(x, true);
    }
    if (!pst_write_header(&x->out, &h))
        return pst_converter_fail(x, true);
    if (x->walk.r.header.major < PST_MAJOR)
        return pst_convert_old(x);
    while (pst_walk_next(&x->walk, &ev)) {
        x->event_off = ev.off;
        if (!convert_event(x, &ev))
            return x->out.error.code != PST_OK ? pst_converter_fail(x, true) : false;
    }
    return x->walk.done || pst_converter_fail(x, false);
}

void pst_converter_init(pst_converter *x, pst_conversion *c, const pst_source *source,
                        pst_converter *outer)
{
    memset(x, 0, sizeof *x);
    x->c = c;
    x->source = source;
    x->outer = outer;
    x->level = outer ? outer->level + 1 : 0;
    pst_writer_init(&x->out, true, 8);
    x->out.digits = (uint8_t)c->digits;
    x->out.buf.grow = grow;
    x->out.buf.host = x;
}

void pst_converter_release(pst_converter *x)
{
    if (!x->c)
        return;
    pst_walk_release(&x->walk);
    pst_memory_free(x->c->memory, x->class_name);
    pst_memory_free(x->c->memory, x->out.buf.start);
}

bool pst_convert(pst_conversion *c)
{
    pst_converter x;
    bool fine;
    memset(&c->error, 0, sizeof c->error);
    c->older_count = 0;
    pst_converter_init(&x, c, c->source, NULL);
    fine = pst_converter_run(&x);
    c->was = x.walk.r.header;
    c->end = pst_walk_off(&x.walk);
    if (fine && pst_buf_len(&x.out.buf) && !c->write(c->host, x.out.buf.start, pst_buf_len(&x.out.buf))) {
        x.error.code = PST_ERR_OUTPUT;
        fine = false;
    }
    if (!fine && c->error.code == PST_OK)
        c->error = x.error;
    pst_converter_release(&x);
    return fine;
}

/* ---- targets ----------------------------------------------------------------------------------- */

/* The sizes in "/4/8/8/8" behind an order. */
static bool parse_sizes(pst_header *h, const char *text)
{
    uint8_t *const sizes[] = { &h->int_size, &h->long_size, &h->ptr_size, &h->nv_size };
    int i;
    for (i = 0; i < 4; i++) {
        unsigned v = 0;
        if (*text++ != '/' || *text < '1' || *text > '9')
            return false;
        while (*text >= '0' && *text <= '9' && v < 100)
            v = v * 10 + (unsigned)(*text++ - '0');
        *sizes[i] = (uint8_t)v;
    }
    return *text == '\0';
}

bool pst_convert_target(pst_header *target, const char *name)
{
    pst_header h;
    size_t len = strspn(name, "12345678");
    pst_header_host(&h, PST_NATIVE_IV_SIZE, PST_NATIVE_NV_SIZE);
    h.nv_quad = PST_NATIVE_NV_QUAD;
    if (strcmp(name, "network") == 0)
        h.netorder = true;
    else if (strcmp(name, "native") != 0) {
        if (len != 4 && len != 8)
            return false;
        h.order_len = (uint8_t)len;
        memcpy(h.order, name, len);
        h.order[len] = '\0';
        h.int_size = 4;
        h.nv_size = 8;
        h.nv_quad = false;
        h.long_size = h.ptr_size = (uint8_t)len;
        if (name[len] && !parse_sizes(&h, name + len))
            return false;
    }
    if (pst_header_readable(&h) != PST_OK)
        return false;
    *target = h;
    return true;
}
