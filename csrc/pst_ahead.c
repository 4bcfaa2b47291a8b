/* pst_ahead.c - see pst_ahead.h. */
#include "pst_ahead.h"

enum { PARTS = 1024 };

/* A value of a hash that is a container: where it is. len 0: its end was not found. */
typedef struct span { uint64_t off, len; } span;

struct pst_ahead {
    pst_walk          walk;
    const pst_memory *memory;
    span             *spans;     /* the next to be asked for is the last one */
    size_t            count, room;
};

pst_ahead *pst_ahead_new(const pst_walk *walk)
{
    const pst_memory *m = walk->memory;
    pst_ahead *a = (pst_ahead *)m->resize(m->host, NULL, sizeof *a);
    if (!a)
        return NULL;
    memset(a, 0, sizeof *a);
    a->memory = m;
    pst_walk_init_fragment(&a->walk, walk);
    a->walk.skims = a->walk.quiet_keys = true;
    return a;
}

void pst_ahead_free(pst_ahead *a)
{
    if (!a)
        return;
    pst_walk_release(&a->walk);
    pst_memory_free(a->memory, a->spans);
    pst_memory_free(a->memory, a);
}

/* A value opens: note where. Its frame remembers which span it is. */
static bool open_span(pst_ahead *a, const pst_event *ev)
{
    span *s = (span *)pst_memory_array(a->memory, a->spans, &a->room, a->count + 1, sizeof *s);
    if (!s)
        return false;
    a->spans = s;
    s += a->count++;
    s->off = ev->off;
    s->len = 0;
    a->walk.frames[ev->depth].user = a->count;
    return true;
}

/* It ends: keep it if it is large, with what is within; else forget all that. */
static void close_span(pst_ahead *a, const pst_event *ev, uint64_t from)
{
    size_t at = (size_t)a->walk.frames[ev->depth].user;
    span *s;
    if (!at)
        return;
    s = &a->spans[at - 1];
    s->len = ev->end - s->off;
    if (s->len < (ev->end - from) / PARTS)
        a->count = at - 1;
}

/* Forget what has become small since it was kept. Open spans stay: frames count them. */
static void thin_out(pst_ahead *a, size_t base, uint64_t scanned)
{
    size_t from, to = base, depth = 0;
    for (from = base; from < a->count; from++) {
        bool open = a->spans[from].len == 0;
        if (!open && a->spans[from].len < scanned / PARTS)
            continue;
        if (open) {
            while (depth < a->walk.depth && a->walk.frames[depth].user != from + 1)
                depth++;
            if (depth < a->walk.depth)
                a->walk.frames[depth].user = to + 1;
        }
        a->spans[to++] = a->spans[from];
    }
    a->count = to;
}

static void reverse(span *s, size_t count)
{
    size_t i;
    for (i = 0; i < count / 2; i++) {
        span x = s[i];
        s[i] = s[count - 1 - i];
        s[count - 1 - i] = x;
    }
}

/* Walk over the value at `off`. RETURNS: false without memory; *end 0 if it is damaged. */
static bool scan(pst_ahead *a, uint64_t off, uint64_t *end)
{
    pst_walk *w = &a->walk;
    pst_event ev;
    size_t base = a->count, thin_at = base + 16 * PARTS;
    *end = 0;
    pst_walk_restart(w, off);
    if (pst_cursor_need(&w->r.in, 1) && pst_walk_pass_plain(w)) {
        *end = pst_walk_off(w);
        return true;
    }
    while (pst_walk_next(w, &ev)) {
        bool opens = ev.kind == PST_EV_OLD || (ev.kind == PST_EV_BEGIN && !ev.leaf);
        if (opens && ev.depth && w->frames[ev.depth - 1].kind == PST_F_HASH) {
            if (a->count >= thin_at) {
                thin_out(a, base, ev.off - off);
                thin_at = base + 2 * (a->count - base) + 16 * PARTS;
            }
            if (!open_span(a, &ev))
                return false;
        }
        else if (ev.kind == PST_EV_END)
            close_span(a, &ev, off);
    }
    if (w->done)
        *end = pst_walk_off(w);
    if (a->count > base)
        reverse(a->spans + base, a->count - base);
    return w->r.error.code != PST_ERR_MEMORY;
}

bool pst_ahead_key(pst_ahead *a, const pst_frame *hash, uint64_t off, pst_token *t, uint8_t *state)
{
    uint64_t end;
    *state = PST_KEY_UNKNOWN;
    while (a->count && a->spans[a->count - 1].off < off)
        a->count--;
    if (a->count && a->spans[a->count - 1].off == off) {
        span s = a->spans[--a->count];
        end = s.len ? s.off + s.len : 0;
    }
    else if (!scan(a, off, &end))
        return false;
    if (!end)
        return true;
    pst_walk_restart(&a->walk, end);
    if (!pst_walk_read_key(&a->walk, hash, t))
        return a->walk.r.error.code != PST_ERR_MEMORY;
    *state = t->flags & PST_KEY_ISSV && hash->marker == PST_FLAG_HASH ? PST_KEY_OBJECT : PST_KEY_BYTES;
    return true;
}
