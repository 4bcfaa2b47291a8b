/* pst_shared.c - see pst_shared.h. */
#include <stdlib.h>

#include "pst_shared.h"

struct shared_tag {
    uint64_t tag;
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

static bool note_tag(pst_shared *s, uint64_t tag, bool by_object, size_t *tidy_at)
{
    struct shared_tag *t;
    if (s->tag_count >= *tidy_at) {
        tidy(s);
        *tidy_at = 2 * s->tag_count + 1024;
    }
    t = (struct shared_tag *)pst_memory_array(s->memory, s->tags, &s->tag_room, s->tag_count + 1, sizeof *t);
    if (!t)
        return false;
    s->tags = t;
    t += s->tag_count++;
    memset(t, 0, sizeof *t);
    t->tag = tag;
    t->by_object = by_object;
    return true;
}

/* First pass. */
static bool find_tags(pst_shared *s, pst_walk *w)
{
    pst_event ev;
    uint64_t old_tag = 0;
    size_t tidy_at = 1024;
    bool fine = true;
    while (fine && pst_walk_next(w, &ev)) {
        if (ev.kind == PST_EV_OLD)
            old_tag = ev.token.len;
        else if (ev.kind == PST_EV_BEGIN && ev.token.marker == PST_OBJECT)
            fine = note_tag(s, w->tagged ? old_tag : ev.token.len, true, &tidy_at);
        else if (ev.kind == PST_EV_HOOK_TAG)
            fine = note_tag(s, ev.token.len, false, &tidy_at);
    }
    tidy(s);
    return fine && w->r.error.code != PST_ERR_MEMORY;
}

static struct shared_tag *find(const pst_shared *s, uint64_t tag)
{
    struct shared_tag key;
    key.tag = tag;
    if (!s->tag_count)
        return NULL;
    return (struct shared_tag *)bsearch(&key, s->tags, s->tag_count, sizeof *s->tags, by_tag);
}

/* A step into the child that `f` is at. RETURNS: 1 + its number, 0 without memory. */
static size_t add_node(pst_shared *s, const pst_walk *w, const pst_frame *f, size_t parent)
{
    size_t len = f->key_state == PST_KEY_BYTES ? f->key_len : 0;
    struct shared_node *n;
    uint8_t *keys = (uint8_t *)pst_memory_array(s->memory, s->keys, &s->keys_room, s->keys_len + len + 1, 1);
    if (!keys)
        return 0;
    s->keys = keys;
    n = (struct shared_node *)pst_memory_array(s->memory, s->nodes, &s->node_room, s->node_count + 1, sizeof *n);
    if (!n)
        return 0;
    s->nodes = n;
    n += s->node_count++;
    n->parent = parent;
    n->frame = *f;
    n->frame.key_at = s->keys_len;
    if (len)
        memcpy(keys + s->keys_len, pst_walk_key(w, f), len);
    s->keys_len += len;
    return s->node_count;
}

/* The path of what the first `depth` frames enclose. frames[i].user: node of the frame's own
 * path, once made. RETURNS: false without memory. */
static bool note_path(pst_shared *s, pst_walk *w, size_t depth, size_t *node)
{
    size_t i = depth ? depth - 1 : 0;
    while (i && !w->frames[i].user)
        i--;
    for (i++; i < depth; i++) {        /* the frame before it has its node, or is the root */
        w->frames[i].user = add_node(s, w, &w->frames[i - 1], (size_t)w->frames[i - 1].user);
        if (!w->frames[i].user)
            return false;
    }
    *node = 0;
    return !depth || (*node = add_node(s, w, &w->frames[depth - 1], (size_t)w->frames[depth - 1].user)) != 0;
}

/* Second pass. */
static bool find_paths(pst_shared *s, pst_walk *w)
{
    pst_event ev;
    uint64_t old_tag = 0;
    while (pst_walk_next(w, &ev)) {
        struct shared_tag *t;
        uint64_t tag = ev.tag;
        if (ev.kind == PST_EV_OLD)
            old_tag = ev.token.len;
        if (ev.kind != PST_EV_BEGIN || ev.tag == PST_NO_TAG)
            continue;
        if (w->tagged)
            tag = old_tag;
        t = find(s, tag);
        if (!t || t->node)
            continue;
        t->scalar = ev.leaf || ev.token.marker == PST_REF;
        if (!note_path(s, w, ev.depth, &t->node))
            return false;
        t->node++;                     /* 1: the root */
    }
    return w->r.error.code != PST_ERR_MEMORY;
}

bool pst_shared_build(pst_shared *s, const pst_source *source)
{
    pst_walk w;
    bool fine;
    s->built = true;
    fine = !pst_walk_init(&w, source, s->memory, false) || find_tags(s, &w);
    pst_walk_release(&w);
    if (!fine || !s->tag_count)
        return fine;
    fine = !pst_walk_init(&w, source, s->memory, true) || find_paths(s, &w);
    pst_walk_release(&w);
    return fine;
}

bool pst_shared_is(const pst_shared *s, uint64_t tag)
{
    const struct shared_tag *t = find(s, tag);
    return t && t->by_object;
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
