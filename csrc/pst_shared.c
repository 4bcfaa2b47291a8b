/* pst_shared.c - see pst_shared.h. */
#include <stdlib.h>

#include "pst_shared.h"

struct shared_tag {
    uint64_t tag;
    uint64_t off;        /* where it begins, with its class */
    size_t   node;       /* 1 + its path's last step; 0: not known */
    bool     by_object;  /* named by an OBJECT, not only in a hook's list */
    bool     scalar;     /* what it names is no container */
};

/* One step of a path. */
struct shared_node {
    size_t    parent;    /* 1 + the step before; 0: the root */
    pst_frame frame;     /* key_at: in `keys` */
};

void pst_shared_init(pst_shared *s, const pst_memory *memory)
{
    memset(s, 0, sizeof *s);
    s->memory = memory;
}

void pst_shared_release(pst_shared *s)
{
    pst_memory_free(s->memory, s->tags);
    pst_memory_free(s->memory, s->nodes);
    pst_memory_free(s->memory, s->keys);
}

static int by_tag(const void *a, const void *b)
{
    uint64_t x = ((const struct shared_tag *)a)->tag, y = ((const struct shared_tag *)b)->tag;
    return x < y ? -1 : x > y;
}

/* Sort, and join those of the same tag. */
static void tidy(pst_shared *s)
{
    size_t i, to = 0;
    if (!s->tag_count)
        return;
    qsort(s->tags, s->tag_count, sizeof *s->tags, by_tag);
    for (i = 1; i < s->tag_count; i++) {
        if (s->tags[i].tag == s->tags[to].tag)
            s->tags[to].by_object |= s->tags[i].by_object;
        else
            s->tags[++to] = s->tags[i];
    }
    s->tag_count = to + 1;
}

/* What the first pass is at. */
typedef struct noting { pst_shared *s; size_t tidy_at; bool fine; } noting;

static void note_tag(noting *n, uint64_t tag, bool by_object)
{
    pst_shared *s = n->s;
    struct shared_tag *t = s->tag_count ? &s->tags[s->tag_count - 1] : NULL;
    if (t && t->tag == tag && t->by_object == by_object)
        return;
    if (s->tag_count >= n->tidy_at) {
        tidy(s);
        n->tidy_at = 2 * s->tag_count + 1024;
    }
    t = (struct shared_tag *)pst_memory_array(s->memory, s->tags, &s->tag_room, s->tag_count + 1, sizeof *t);
    if (!t) {
        n->fine = false;
        return;
    }
    s->tags = t;
    t += s->tag_count++;
    memset(t, 0, sizeof *t);
    t->tag = tag;
    t->by_object = by_object;
}

/* pst_walk.named */
static void named(void *host, uint64_t tag)
{
    note_tag((noting *)host, tag, true);
}

/* First pass. */
static bool find_tags(pst_shared *s, pst_walk *w)
{
    pst_event ev;
    uint64_t old_tag = 0;
    noting n = { NULL, 1024, true };
    n.s = s;
    w->named = named;
    w->named_host = &n;
    w->skims = w->quiet_keys = true;
    while (n.fine && pst_walk_next(w, &ev)) {
        if (ev.kind == PST_EV_OLD)
            old_tag = ev.token.len;
        else if (ev.kind == PST_EV_BEGIN && ev.token.marker == PST_OBJECT)
            note_tag(&n, w->tagged ? old_tag : ev.token.len, true);
        else if (ev.kind == PST_EV_HOOK_TAG)
            note_tag(&n, ev.token.len, false);
    }
    tidy(s);
    return n.fine && w->r.error.code != PST_ERR_MEMORY;
}

static struct shared_tag *find(const pst_shared *s, uint64_t tag)
{
    struct shared_tag key;
    key.tag = tag;
    if (!s->tag_count)
        return NULL;
    return (struct shared_tag *)bsearch(&key, s->tags, s->tag_count, sizeof *s->tags, by_tag);
}

/* A step into the child that `f` is at; a hash's key will be known later. RETURNS: 1 + its
 * number, 0 without memory. */
static size_t add_node(pst_shared *s, const pst_frame *f, size_t parent)
{
    struct shared_node *n = (struct shared_node *)pst_memory_array(s->memory, s->nodes, &s->node_room,
                                                                   s->node_count + 1, sizeof *n);
    if (!n)
        return 0;
    s->nodes = n;
    n += s->node_count++;
    n->parent = parent;
    n->frame = *f;
    n->frame.key_state = PST_KEY_UNKNOWN;
    return s->node_count;
}

/* Numbers of steps, plus 1, while a frame is open: its own, and that of the child it is at. */
static uint64_t *own_node(pst_frame *f)   { return &f->user; }
static uint64_t *child_node(pst_frame *f) { return &f->key_at; }

/* The step into the child that a frame is at, made if there is none. RETURNS: 0 without memory. */
static size_t child_step(pst_shared *s, pst_frame *f)
{
    if (!*child_node(f))
        *child_node(f) = add_node(s, f, (size_t)*own_node(f));
    return (size_t)*child_node(f);
}

/* The path of what the first `depth` frames enclose: *node, 0 for the root. RETURNS: false
 * without memory. */
static bool note_path(pst_shared *s, pst_walk *w, size_t depth, size_t *node)
{
    size_t i = depth ? depth - 1 : 0;
    while (i && !*own_node(&w->frames[i]))
        i--;
    for (i++; i < depth; i++) {        /* the frame before it has its node, or is the root */
        *own_node(&w->frames[i]) = child_step(s, &w->frames[i - 1]);
        if (!*own_node(&w->frames[i]))
            return false;
    }
    *node = depth ? child_step(s, &w->frames[depth - 1]) : 0;
    return !depth || *node;
}

/* The key of a value that has a step: now it is known. */
static bool note_key(pst_shared *s, pst_frame *f, const pst_event *ev)
{
    size_t node = (size_t)*child_node(f), len = ev->token.flags & PST_KEY_ISSV ? 0 : (size_t)ev->token.len;
    pst_frame *step;
    uint8_t *keys;
    *child_node(f) = 0;
    if (!node || (ev->token.flags & PST_KEY_ISSV))
        return true;
    keys = (uint8_t *)pst_memory_array(s->memory, s->keys, &s->keys_room, s->keys_len + len + 1, 1);
    if (!keys)
        return false;
    s->keys = keys;
    step = &s->nodes[node - 1].frame;
    step->key_state = PST_KEY_BYTES;
    step->key_flags = ev->token.flags;
    step->of.key_len = (uint32_t)len;
    step->key_at = s->keys_len;
    if (len)
        memcpy(keys + s->keys_len, ev->token.bytes, len);
    s->keys_len += len;
    return true;
}

static bool is_class(const pst_frame *f)
{
    return f->kind == PST_F_ONE && (f->marker == PST_BLESS || f->marker == PST_IX_BLESS);
}

/* A child has ended: the next one has no step yet. Values of hashes wait for their keys. */
static void forget_child(pst_walk *w, const pst_event *ev)
{
    pst_frame *f = ev->depth ? &w->frames[ev->depth - 1] : NULL;
    if (f && f->kind != PST_F_HASH && (ev->kind == PST_EV_END || ev->leaf))
        *child_node(f) = 0;
}

/* The walk must report the object behind the one that has been met. */
static void report_next(const pst_shared *s, pst_walk *w, const struct shared_tag *t)
{
    size_t next = (size_t)(t - s->tags) + 1;
    w->skim_until = next < s->tag_count ? s->tags[next].tag : UINT64_MAX;
}

/* Second pass. */
static bool find_paths(pst_shared *s, pst_walk *w)
{
    pst_event ev;
    uint64_t old_tag = 0;
    w->skims = true;
    w->skim_until = s->tags[0].tag;
    while (pst_walk_next(w, &ev)) {
        struct shared_tag *t;
        uint64_t tag = ev.tag;
        if (ev.kind == PST_EV_OLD)
            old_tag = ev.token.len;
        if (ev.kind == PST_EV_KEY && !note_key(s, &w->frames[ev.depth - 1], &ev))
            return false;
        if (ev.kind == PST_EV_END)
            forget_child(w, &ev);
        if (ev.kind != PST_EV_BEGIN || ev.tag == PST_NO_TAG)
            continue;
        if (w->tagged)
            tag = old_tag;
        t = find(s, tag);
        if (!t || t->node)
            continue;
        report_next(s, w, t);
        t->off = ev.depth && is_class(&w->frames[ev.depth - 1]) ? w->frames[ev.depth - 1].off : ev.off;
        t->scalar = ev.leaf || ev.token.marker == PST_REF;
        if (!note_path(s, w, ev.depth, &t->node))
            return false;
        t->node++;                     /* 1: the root */
        forget_child(w, &ev);
    }
    return w->r.error.code != PST_ERR_MEMORY;
}

bool pst_shared_build(pst_shared *s, const pst_source *source)
{
    pst_walk w;
    bool fine;
    s->built = true;
    fine = !pst_walk_init(&w, source, s->memory, false);
    if (!fine)
        fine = find_tags(s, &w);
    pst_walk_release(&w);
    if (!fine || !s->tag_count)
        return fine;
    fine = !pst_walk_init(&w, source, s->memory, false) || find_paths(s, &w);
    pst_walk_release(&w);
    return fine;
}

bool pst_shared_is(const pst_shared *s, uint64_t tag)
{
    const struct shared_tag *t = find(s, tag);
    return t && t->by_object;
}

uint64_t pst_shared_off(const pst_shared *s, uint64_t tag)
{
    const struct shared_tag *t = find(s, tag);
    return t && t->node ? t->off : UINT64_MAX;
}

bool pst_shared_at(const pst_shared *s, uint64_t off)
{
    size_t low = 0, high = s->tag_count;
    while (low < high) {               /* tags and places have the same order */
        size_t at = low + (high - low) / 2;
        if (!s->tags[at].node || s->tags[at].off > off)
            high = at;
        else if (s->tags[at].off < off)
            low = at + 1;
        else
            return true;
    }
    return false;
}

void pst_shared_path(const pst_shared *s, pst_out *o, uint64_t tag)
{
    enum { MOST = 64 };          /* steps at each end that are looked at: enough for the text */
    const struct shared_tag *t = find(s, tag);
    const struct shared_node *steps[2 * MOST];
    size_t count = 0, node, up, i;
    pst_place place;
    if (!t || !t->node) {
        pst_out_char(o, '?');
        return;
    }
    for (node = t->node - 1; node; node = s->nodes[node - 1].parent)
        count++;
    for (node = t->node - 1, up = 0; node; node = s->nodes[node - 1].parent, up++) {
        size_t at = count - 1 - up;           /* from the front */
        if (count <= 2 * MOST || at < MOST)
            steps[at] = &s->nodes[node - 1];
        else if (up < MOST)
            steps[2 * MOST - 1 - up] = &s->nodes[node - 1];
    }
    pst_place_init(&place);
    for (i = 0; i < count && i < 2 * MOST; i++) {
        const pst_frame *f = &steps[i]->frame;
        pst_place_add(&place, f, f->key_state == PST_KEY_BYTES ? s->keys + f->key_at : NULL);
    }
    pst_place_print(&place, o, t->scalar);
}
