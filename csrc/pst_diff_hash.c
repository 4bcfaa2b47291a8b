/* pst_diff_hash.c - hashes whose keys stand in another order. */
#include <stdlib.h>

#include "pst_diff.h"

/* The hash frame whose pair the event begins or that it ends; NULL if it is none. */
pst_frame *pst_diff_hash_of(pst_diff_side *s)
{
    pst_frame *f;
    if (!s->more || (s->ev.kind != PST_EV_BEGIN && s->ev.kind != PST_EV_END))
        return NULL;
    f = s->ev.kind == PST_EV_END ? &s->w.frames[s->ev.depth]
      : s->ev.depth ? &s->w.frames[s->ev.depth - 1] : NULL;
    return f && f->kind == PST_F_HASH && !s->w.old && !pst_frame_at_key(f) ? f : NULL;
}

/* The rest of a hash's pairs, from the one that has just begun. */
static bool list_pairs(pst_diff_run *d, const pst_diff_side *s, const pst_frame *f, pst_diff_entries *e)
{
    pst_walk w;
    pst_event ev;
    pst_token t;
    uint64_t off = s->ev.off, left = s->ev.kind == PST_EV_END ? 0 : f->left;
    bool fine = true;
    pst_walk_init_fragment(&w, &s->w);
    e->count = 0;
    for (; fine && left; left--) {
        pst_diff_entry *list;
        pst_walk_restart(&w, off);
        while (pst_walk_next(&w, &ev))
            ;
        fine = w.done && pst_walk_read_key(&w, f, &t) && !(f->marker == PST_FLAG_HASH && (t.flags & PST_KEY_ISSV));
        list = fine ? (pst_diff_entry *)pst_memory_array(d->job->memory, e->list, &e->room, e->count + 1, sizeof *list) : NULL;
        fine = list != NULL;
        if (!fine)
            break;
        e->list = list;
        list += e->count++;
        list->key = t.bytes;
        list->len = (size_t)t.len;
        list->flags = t.flags;
        list->off = off;
        off = pst_walk_off(&w);
    }
    pst_walk_release(&w);
    return fine;
}

static int by_key(const void *x, const void *y)
{
    const pst_diff_entry *a = (const pst_diff_entry *)x, *b = (const pst_diff_entry *)y;
    size_t len = a->len < b->len ? a->len : b->len;
    int order = len ? memcmp(a->key, b->key, len) : 0;
    if (order)
        return order;
    if (a->len != b->len)
        return a->len < b->len ? -1 : 1;
    return (int)(a->flags & PST_KEY_UTF8) - (int)(b->flags & PST_KEY_UTF8);
}

/* A pair that only one of them has. */
static void report_single(pst_diff_run *d, const pst_diff_level *l, const pst_diff_entry *e, bool in_a)
{
    pst_diff_side s;
    size_t len = 0;
    char *path = pst_diff_value_path(d, l, e, &len);
    pst_walk_init_fragment(&s.w, in_a ? &l->a.w : &l->b.w);
    pst_walk_restart(&s.w, e->off);
    if (path && pst_walk_next(&s.w, &s.ev))
        pst_diff_report_at(d, path, len, in_a ? &s : NULL, in_a ? NULL : &s);
    pst_walk_release(&s.w);
    pst_memory_free(d->job->memory, path);
}

/* Sort both lists; keep in both what has the same key, the first key last. */
static void match(pst_diff_run *d, pst_diff_level *l)
{
    pst_diff_entries *a = &l->pairs_a, *b = &l->pairs_b;
    size_t i = 0, j = 0, count = 0;
    if (a->count)
        qsort(a->list, a->count, sizeof *a->list, by_key);
    if (b->count)
        qsort(b->list, b->count, sizeof *b->list, by_key);
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : by_key(&a->list[i], &b->list[j]);
        if (order < 0)
            report_single(d, l, &a->list[i++], true);
        else if (order > 0)
            report_single(d, l, &b->list[j++], false);
        else {
            a->list[count] = a->list[i++];
            b->list[count++] = b->list[j++];
        }
    }
    a->count = b->count = count;
}

/* Walk on to the end of the hash that is around `depth - 1` frames. */
static void to_end(pst_diff_side *s, size_t hash_depth)
{
    s->w.keys_first = false;
    while (s->more && !(s->ev.kind == PST_EV_END && s->ev.depth == hash_depth))
        s->more = pst_walk_next(&s->w, &s->ev);
    s->w.keys_first = true;
}

/* Both are in a hash, but not at the same key. RETURNS: false if that cannot be dealt with. */
bool pst_diff_by_key(pst_diff_run *d, pst_diff_level *l, const pst_frame *fa, const pst_frame *fb)
{
    size_t depth_a = (size_t)(fa - l->a.w.frames), depth_b = (size_t)(fb - l->b.w.frames);
    if (!list_pairs(d, &l->a, fa, &l->pairs_a) || !list_pairs(d, &l->b, fb, &l->pairs_b)) {
        l->pairs_a.count = l->pairs_b.count = 0;
        return false;
    }
    pst_memory_free(d->job->memory, l->hash_prefix);
    l->hash_prefix = pst_diff_place(d, l, &l->a, depth_a, false, &l->hash_prefix_len);
    if (!l->hash_prefix) {
        d->no_memory = true;
        return false;
    }
    d->orders += l->pairs_a.count && l->pairs_b.count;
    match(d, l);
    to_end(&l->a, depth_a);
    to_end(&l->b, depth_b);
    return true;
}

bool pst_diff_same_key(const pst_diff_side *a, const pst_frame *fa, const pst_diff_side *b, const pst_frame *fb)
{
    if (fa->key_state != PST_KEY_BYTES || fb->key_state != PST_KEY_BYTES)
        return fa->key_state == fb->key_state;
    return pst_diff_same_bytes(pst_walk_key(&a->w, fa), fa->of.key_len, pst_walk_key(&b->w, fb), fb->of.key_len)
        && !((fa->key_flags ^ fb->key_flags) & PST_KEY_UTF8);
}
