/* pst_source.c - see pst_source.h. */
#include "pst_source.h"

enum { WINDOW = 128 * 1024 };

void pst_source_memory(pst_source *s, const void *bytes, size_t len)
{
    static const uint8_t nothing[1] = { 0 };
    s->bytes = bytes ? (const uint8_t *)bytes : nothing;
    s->len = len;
    s->read_at = NULL;
    s->host = NULL;
    s->window = 0;
}

size_t pst_source_read(const pst_source *s, uint64_t off, void *out, size_t len)
{
    if (off >= s->len)
        return 0;
    if (len > s->len - off)
        len = (size_t)(s->len - off);
    if (!s->bytes)
        return s->read_at(s->host, off, (uint8_t *)out, len);
    memcpy(out, s->bytes + off, len);
    return len;
}

void pst_window_init(pst_window *w, const pst_source *source, const pst_memory *memory)
{
    memset(w, 0, sizeof *w);
    w->source = source;
    w->memory = memory;
    w->keep_off = UINT64_MAX;
}

void pst_window_release(pst_window *w)
{
    pst_memory_free(w->memory, w->bytes);
    w->bytes = NULL;
    w->size = 0;
}

/* Room for `size` bytes; the `have` bytes at `from` move to the start of it. */
static bool make_room(pst_window *w, const uint8_t *from, size_t have, size_t size)
{
    if (size <= w->size) {
        if (have)
            memmove(w->bytes, from, have);
        return true;
    }
    else {
        uint8_t *bigger = (uint8_t *)w->memory->resize(w->memory->host, NULL, size);
        if (!bigger)
            return false;
        if (have)
            memcpy(bigger, from, have);
        pst_memory_free(w->memory, w->bytes);
        w->bytes = bigger;
        w->size = size;
        return true;
    }
}

/* pst_cursor.refill: moves the window on, but keeps what keep_off asks for. */
static bool refill(pst_cursor *c, size_t need)
{
    pst_window *w = (pst_window *)c->host;
    uint64_t pos = pst_cursor_off(c), base = w->keep_off < pos ? w->keep_off : pos;
    size_t before, have, want, size = w->source->window ? w->source->window : (size_t)WINDOW;
    if (need > w->source->len || pos > w->source->len - need)
        return false;
    if (base < c->start_off)
        base = c->start_off;
    before = (size_t)(pos - base);
    have = before + pst_cursor_left(c);
    if (size < before + need)
        size = before + need;
    if (!make_room(w, c->pos ? c->pos - before : NULL, have, size)) {
        w->no_memory = true;
        return false;
    }
    want = w->size - have;
    c->start_off = base;
    c->start = w->bytes;
    c->pos = c->start + before;
    have += pst_source_read(w->source, base + have, w->bytes + have, want);
    c->end = c->start + have;
    return pst_cursor_left(c) >= need;
}

void pst_window_seek(pst_window *w, pst_cursor *c, uint64_t off)
{
    if (w->source->bytes) {
        c->start = w->source->bytes;
        c->end = c->start + (size_t)w->source->len;
        c->start_off = 0;
        c->pos = c->start + (size_t)off;
        return;
    }
    c->refill = refill;
    c->host = w;
    if (c->start && off >= c->start_off && off - c->start_off <= (uint64_t)(c->end - c->start)) {
        c->pos = c->start + (size_t)(off - c->start_off);
        return;
    }
    c->start = c->pos = c->end = w->bytes;
    c->start_off = off;
}
