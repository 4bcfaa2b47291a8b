/* pst_convert_old.c - images in the formats before 2 on their way to today's.
 *
 * There a class stands behind its object, where today it stands before it; objects are named by
 * the numbers that their writer chose; items may be missing. So the image is walked twice: once
 * to learn classes, numbers and the true lengths of arrays, once to write. What is learned takes
 * memory for each object that has a class, and in the oldest format for each object.
 */
#include <stdlib.h>

#include "pst_convert_parts.h"

/* Two numbers: an object and what belongs to it, by the first of them. */
typedef struct pair { uint64_t key, value; } pair;

typedef struct pairs {
    pair  *list;
    size_t count, room;
} pairs;

typedef struct old_image {
    pst_converter *x;
    uint64_t next;         /* the number of the next object */
    uint64_t old_tag;      /* of the object that begins */
    bool     writing;      /* the second walk */
    bool     skip_root;    /* the root is a reference that today is not written */
    pairs    classes;      /* object, class: its last one */
    pairs    lengths;      /* array, items before the missing ones at its end */
    pairs    tags;         /* tag in the image, object */
    uint8_t *names;        /* of classes, each with its length in 4 bytes before it */
    size_t   names_len, names_room;
    uint64_t *written;     /* where the names stand that have been written, by class number */
    size_t   written_count, written_room;
} old_image;

/* ---- what is learned ----------------------------------------------------------------------- */

static bool out_of_memory(old_image *o)
{
    return pst_writer_fail(&o->x->out, PST_ERR_MEMORY);
}

static bool add_pair(old_image *o, pairs *p, uint64_t key, uint64_t value)
{
    pair *list = (pair *)pst_memory_array(o->x->c->memory, p->list, &p->room, p->count + 1, sizeof *list);
    if (!list)
        return out_of_memory(o);
    p->list = list;
    list[p->count].key = key;
    list[p->count++].value = value;
    return true;
}

static int compare_pairs(const void *a, const void *b)
{
    const pair *x = (const pair *)a, *y = (const pair *)b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static void sort(pairs *p)
{
    if (p->count)
        qsort(p->list, p->count, sizeof *p->list, compare_pairs);
}

/* The first or the last pair with a key. RETURNS: NULL if there is none. */
static const pair *find(const pairs *p, uint64_t key, bool last)
{
    size_t from = 0, to = p->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (p->list[middle].key < key || (last && p->list[middle].key == key))
            from = middle + 1;
        else
            to = middle;
    }
    if (last)
        return from && p->list[from - 1].key == key ? &p->list[from - 1] : NULL;
    return from < p->count && p->list[from].key == key ? &p->list[from] : NULL;
}

/* ---- names ------------------------------------------------------------------------------------ */

static bool add_class(old_image *o, uint64_t object, const pst_token *t)
{
    const uint32_t len = (uint32_t)t->len;
    uint8_t *names = (uint8_t *)pst_memory_array(o->x->c->memory, o->names, &o->names_room,
                                                 o->names_len + sizeof len + len, 1);
    if (!names)
        return out_of_memory(o);
    o->names = names;
    memcpy(names + o->names_len, &len, sizeof len);
    memcpy(names + o->names_len + sizeof len, t->bytes, len);
    if (!add_pair(o, &o->classes, object, o->names_len))
        return false;
    o->names_len += sizeof len + len;
    return true;
}

/* Write the class of an object: by number if its name is one of those written first. */
static bool put_class(old_image *o, uint64_t at)
{
    enum { REMEMBERED = 256 };        /* looked through for each object */
    const uint8_t *name = o->names + at;
    const uint32_t len = pst_load32(name);
    uint64_t *written;
    size_t i;
    for (i = 0; i < o->written_count; i++) {
        const uint8_t *other = o->names + o->written[i];
        if (pst_load32(other) == len && memcmp(other + 4, name + 4, len) == 0)
            return pst_write_bless_index(&o->x->out, (uint32_t)i);
    }
    if (o->written_count < REMEMBERED) {
        written = (uint64_t *)pst_memory_array(o->x->c->memory, o->written, &o->written_room,
                                               o->written_count + 1, sizeof *written);
        if (!written)
            return out_of_memory(o);
        o->written = written;
        written[o->written_count++] = at;
    }
    return pst_write_bless(&o->x->out, (const char *)name + 4, len);
}

/* ---- events -------------------------------------------------------------------------------------- */

static pst_frame *frame(const old_image *o, size_t at)
{
    return &o->x->walk.frames[at];
}

/* Missing items are written when a further item shows that they do not end the array. */
static bool put_missing(old_image *o, pst_frame *array)
{
    o->next += array->user;
    for (; array->user; array->user--)
        if (o->writing && !pst_write_u8(&o->x->out, PST_SV_UNDEF))
            return false;
    return true;
}

static bool missing(old_image *o, const pst_event *ev)
{
    pst_frame *f = frame(o, ev->depth - 1);
    if (f->kind == PST_F_ARRAY) {
        f->user++;
        return true;
    }
    o->next++;
    return !o->writing || pst_write_u8(&o->x->out, PST_UNDEF);
}

static bool refuse(old_image *o, unsigned marker)
{
    o->x->refused = (uint8_t)marker;
    return pst_writer_fail(&o->x->out, PST_ERR_NO_EQUIVALENT);
}

/* OBJECT by the number that it has today. */
static bool put_object(old_image *o, const pst_token *t)
{
    const bool tagged = o->x->walk.tagged;
    const pair *known = tagged ? find(&o->tags, o->old_tag, false) : NULL;
    const uint64_t object = tagged ? (known ? known->value : UINT64_MAX) : t->len;
    if (object >= o->next)
        return pst_writer_fail(&o->x->out, PST_ERR_TAG);
    if (o->skip_root && object == 0)
        return refuse(o, PST_OBJECT);
    return pst_write_object(&o->x->out, object - o->skip_root);
}

static bool learn(old_image *o, const pst_event *ev, uint64_t object)
{
    switch (ev->token.marker) {
    case PST_BLESS:
    case PST_IX_BLESS:
    case PST_HOOK:   return refuse(o, ev->token.marker);    /* nobody has written such */
    case PST_OBJECT: return true;
    case PST_REF:
        if (object == 0)
            o->skip_root = o->x->walk.tagged;
        return !o->x->walk.tagged || add_pair(o, &o->tags, o->old_tag, object);
    default:         return !o->x->walk.tagged || add_pair(o, &o->tags, o->old_tag, object);
    }
}

static bool put(old_image *o, const pst_event *ev, uint64_t object)
{
    const pair *cls = find(&o->classes, object, true), *length = find(&o->lengths, object, false);
    pst_event today = *ev;
    if (ev->token.marker == PST_OBJECT)
        return put_object(o, &ev->token);
    if (object == 0 && o->skip_root)
        return true;
    if (length)
        today.token.len = length->value;
    else if (o->x->walk.tagged && (ev->token.marker == PST_ARRAY || ev->token.marker == PST_HASH)
             && ev->token.len > PST_I32_MAX)
        today.token.len = 0;              /* a negative count is none */
    return (!cls || put_class(o, cls->value)) && pst_convert_object(o->x, &today);
}

static bool begin(old_image *o, const pst_event *ev)
{
    const bool counts = ev->token.marker != PST_OBJECT && ev->token.marker != PST_VSTRING;
    const uint64_t object = o->next;
    if (ev->depth && frame(o, ev->depth - 1)->kind == PST_F_OLD)
        frame(o, ev->depth - 1)->user = counts ? object + 1 : 0;
    if (!(o->writing ? put(o, ev, object) : learn(o, ev, object)))
        return false;
    o->next += counts;
    return true;
}

/* An array ends: items that are missing at its end do not count. */
static bool end(old_image *o, const pst_event *ev)
{
    const pst_frame *f = frame(o, ev->depth);
    if (o->writing || f->kind != PST_F_ARRAY || !f->user)
        return true;
    return add_pair(o, &o->lengths, frame(o, ev->depth - 1)->user - 1, f->at - f->user);
}

static bool event(old_image *o, const pst_event *ev)
{
    pst_frame *f = ev->depth ? frame(o, ev->depth - 1) : NULL;
    switch (ev->kind) {
    case PST_EV_OLD:
        o->old_tag = ev->token.len;
        return !f || f->kind != PST_F_ARRAY || put_missing(o, f);
    case PST_EV_BEGIN:        return begin(o, ev);
    case PST_EV_END:          return end(o, ev);
    case PST_EV_MISSING:      return missing(o, ev);
    case PST_EV_NOTICE:       return o->writing || !f->user || add_class(o, f->user - 1, &ev->token);
    case PST_EV_KEY:          return !o->writing || pst_convert_key(o->x, ev);
    case PST_EV_INDEX:        return !o->writing || pst_write_index(&o->x->out, (int32_t)ev->token.iv);
    case PST_EV_REGEXP_FLAGS: return !o->writing || pst_convert_regexp_flags(o->x, ev);
    default:                  return true;
    }
}

static bool walk(old_image *o)
{
    pst_walk *w = &o->x->walk;
    pst_event ev;
    o->next = 0;
    while (pst_walk_next(w, &ev)) {
        o->x->event_off = ev.off;
        if (!event(o, &ev))
            return pst_converter_fail(o->x, true);
    }
    return w->done || pst_converter_fail(o->x, false);
}

/* Back to the first object. */
static bool walk_again(old_image *o)
{
    pst_walk *w = &o->x->walk;
    pst_walk_release(w);
    o->writing = true;
    sort(&o->classes);
    sort(&o->lengths);
    sort(&o->tags);
    /* The reader gives a reference to a blessed thing as it is, without another around it. */
    o->skip_root = o->skip_root && !find(&o->classes, 0, true) && find(&o->classes, 1, true);
    return (pst_walk_init(w, o->x->source, o->x->c->memory, false) || pst_converter_fail(o->x, false)) && walk(o);
}

bool pst_convert_old(pst_converter *x)
{
    old_image o;
    bool fine;
    memset(&o, 0, sizeof o);
    o.x = x;
    fine = walk(&o) && walk_again(&o);
    pst_memory_free(x->c->memory, o.classes.list);
    pst_memory_free(x->c->memory, o.lengths.list);
    pst_memory_free(x->c->memory, o.tags.list);
    pst_memory_free(x->c->memory, o.names);
    pst_memory_free(x->c->memory, o.written);
    return fine;
}
