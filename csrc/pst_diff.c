/* pst_diff.c - two images side by side: are the bytes the same, are the data?
 *
 * Both are walked in step. Where a hash has its keys in another order, the rest of its pairs is
 * listed for both and matched by key, and each pair of values is compared by itself: that is a
 * new pair of walks on a stack. So is what both share but meet at other places first. Both
 * images are held in memory.
 */
#include "pst_diff.h"

/* ---- images ------------------------------------------------------------------------------- */

/* Hold the image; know its classes and what is shared. RETURNS: a status. */
static int open_image(pst_diff_run *d, pst_diff_image *m, const pst_source *source, const char *name)
{
    const pst_memory *memory = d->job->memory;
    const char *own_name = d->job->name;
    pst_walk w;
    pst_event ev;
    int status = PST_FINE;
    bool fine = true;
    m->source = *source;
    if (!source->bytes) {
        m->bytes = source->len < SIZE_MAX / 2 ? (uint8_t *)memory->resize(memory->host, NULL, (size_t)source->len + 1) : NULL;
        if (!m->bytes)
            return PST_TROUBLE;
        pst_source_memory(&m->source, m->bytes, pst_source_read(source, 0, m->bytes, (size_t)source->len));
    }
    if (pst_walk_init(&w, &m->source, memory, true))
        while (fine && pst_walk_next(&w, &ev))
            fine = pst_classes_see(&m->classes, &ev);
    d->job->name = name;
    if (w.r.error.code != PST_OK)
        status = pst_job_problem(d->job, &w);
    d->job->name = own_name;
    pst_walk_release(&w);
    return fine && pst_shared_build(&m->shared, &m->source) ? status : PST_TROUBLE;
}

static void release_image(pst_diff_run *d, pst_diff_image *m)
{
    pst_memory_free(d->job->memory, m->bytes);
    pst_classes_release(&m->classes);
    pst_shared_release(&m->shared);
}

/* ---- events ------------------------------------------------------------------------------------ */

/* The next event that is compared: marks and the like say nothing of their own. */
static void advance(pst_diff_run *d, pst_diff_side *s)
{
    while ((s->more = pst_walk_next(&s->w, &s->ev))) {
        switch (s->ev.kind) {
        case PST_EV_KEY: case PST_EV_OLD: case PST_EV_MARK: case PST_EV_HOOK_FLAGS: case PST_EV_HOOK_COUNT:
            continue;
        case PST_EV_END:
            if (s->w.frames[s->ev.depth].kind == PST_F_OLD)
                continue;
            return;
        default:
            return;
        }
    }
    if (s->w.r.error.code == PST_ERR_MEMORY)
        d->no_memory = true;
}

/* Go behind the object that has just begun. */
static void pass_by(pst_diff_run *d, pst_diff_side *s)
{
    if (s->more && s->ev.kind == PST_EV_BEGIN && !s->ev.leaf)
        (void)pst_walk_skip(&s->w, &s->ev);
    advance(d, s);
}

/* The text of a scalar, as perl would print it. */
static const uint8_t *scalar_text(const pst_diff_side *s, char *room, uint64_t *len)
{
    const pst_token *t = &s->ev.token;
    double v = 0;
    if (t->marker == PST_SCALAR || t->marker == PST_UTF8STR) {
        *len = t->len;
        return t->bytes;
    }
    if (t->marker == PST_INTEGER)
        *len = pst_format_i64(room, t->iv);
    else if (t->marker == PST_DOUBLE && pst_token_double(&s->w, t, &v))
        *len = pst_format_double(room, v, PST_DIGITS_PERL);
    else
        return NULL;
    return (const uint8_t *)room;
}

enum same { SAME, OTHER_FORM, DIFFERENT };

static enum same same_leaf(const pst_diff_level *l)
{
    const pst_token *a = &l->a.ev.token, *b = &l->b.ev.token;
    char room_a[PST_NUMFMT_MAX], room_b[PST_NUMFMT_MAX];
    uint64_t len_a = 0, len_b = 0;
    const uint8_t *text_a, *text_b;
    double va, vb;
    if (a->marker == PST_DOUBLE && b->marker == PST_DOUBLE && pst_token_double(&l->a.w, a, &va)
        && pst_token_double(&l->b.w, b, &vb))
        return memcmp(&va, &vb, sizeof va) == 0 ? SAME : DIFFERENT;
    text_a = scalar_text(&l->a, room_a, &len_a);
    text_b = scalar_text(&l->b, room_b, &len_b);
    if (!text_a || !text_b)
        return a->marker == b->marker && !text_a == !text_b ? SAME : DIFFERENT;
    if (!pst_diff_same_bytes(text_a, len_a, text_b, len_b))
        return DIFFERENT;
    return a->marker == b->marker ? SAME : OTHER_FORM;
}

/* BLESS and IX_BLESS, HASH and FLAG_HASH are one thing each. */
static unsigned kind_of(const pst_token *t)
{
    return t->marker == PST_IX_BLESS ? (unsigned)PST_BLESS : t->marker == PST_FLAG_HASH ? (unsigned)PST_HASH : t->marker;
}

static bool same_class(const pst_diff_run *d, const pst_diff_level *l)
{
    const pst_token *a = &l->a.ev.token, *b = &l->b.ev.token;
    size_t len_a = (size_t)a->len, len_b = (size_t)b->len;
    const uint8_t *name_a = a->bytes ? a->bytes : pst_classes_name(&d->a.classes, a->len, &len_a);
    const uint8_t *name_b = b->bytes ? b->bytes : pst_classes_name(&d->b.classes, b->len, &len_b);
    return name_a && name_b && pst_diff_same_bytes(name_a, len_a, name_b, len_b);
}

/* The fixed parts of two objects of the same kind. */
static bool same_parts(const pst_diff_run *d, const pst_diff_level *l)
{
    const pst_token *a = &l->a.ev.token, *b = &l->b.ev.token;
    switch (kind_of(a)) {
    case PST_BLESS:   return same_class(d, l);
    case PST_VSTRING:
    case PST_REGEXP:  return pst_diff_same_bytes(a->bytes, a->len, b->bytes, b->len);
    case PST_ARRAY:   return a->len == b->len;
    case PST_HASH:    return (a->marker == PST_FLAG_HASH ? a->flags : 0) == (b->marker == PST_FLAG_HASH ? b->flags : 0);
    default:          return true;
    }
}

/* Two pieces of the same kind. */
static bool same_piece(pst_diff_run *d, const pst_diff_level *l)
{
    const pst_token *a = &l->a.ev.token, *b = &l->b.ev.token;
    switch (l->a.ev.kind) {
    case PST_EV_HOOK_CLASS:
    case PST_EV_NOTICE:   return same_class(d, l);
    case PST_EV_INDEX:    return a->iv == b->iv;
    case PST_EV_HOOK_STRING:
    case PST_EV_REGEXP_FLAGS: return pst_diff_same_bytes(a->bytes, a->len, b->bytes, b->len);
    default:              return true;
    }
}

/* ---- objects that are met again ------------------------------------------------------------ */

static size_t slot_of(const pst_diff_pairs *p, uint64_t off)
{
    size_t at = (size_t)((off * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (p->size - 1);
    while (p->slots[2 * at] != UINT64_MAX && p->slots[2 * at] != off)
        at = (at + 1) & (p->size - 1);
    return at;
}

/* RETURNS: what belongs to it; UINT64_MAX if nothing does. */
static uint64_t partner(const pst_diff_pairs *p, uint64_t off)
{
    return p->size ? p->slots[2 * slot_of(p, off) + 1] : UINT64_MAX;
}

static bool grow_pairs(const pst_memory *m, pst_diff_pairs *p)
{
    pst_diff_pairs bigger;
    size_t i;
    bigger.size = p->size ? 2 * p->size : 64;
    bigger.count = p->count;
    bigger.slots = (uint64_t *)m->resize(m->host, NULL, bigger.size * 2 * sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    memset(bigger.slots, 0xff, bigger.size * 2 * sizeof *bigger.slots);
    for (i = 0; i < p->size; i++)
        if (p->slots[2 * i] != UINT64_MAX)
            memcpy(&bigger.slots[2 * slot_of(&bigger, p->slots[2 * i])], &p->slots[2 * i], 2 * sizeof *p->slots);
    pst_memory_free(m, p->slots);
    *p = bigger;
    return true;
}

static bool put_pair(pst_diff_run *d, pst_diff_pairs *p, uint64_t off, uint64_t other)
{
    size_t at;
    if (2 * p->count >= p->size && !grow_pairs(d->job->memory, p)) {
        d->no_memory = true;
        return false;
    }
    at = slot_of(p, off);
    p->count++;
    p->slots[2 * at] = off;
    p->slots[2 * at + 1] = other;
    return true;
}

/* Where the object begins that the event names or begins, if it is shared; else UINT64_MAX. */
static uint64_t identity(const pst_diff_image *m, const pst_diff_side *s)
{
    const pst_event *ev = &s->ev;
    if (s->w.old)
        return UINT64_MAX;
    if (ev->kind == PST_EV_HOOK_TAG || ev->token.marker == PST_OBJECT)
        return pst_shared_off(&m->shared, ev->token.len);
    return pst_shared_at(&m->shared, ev->off) ? ev->off : UINT64_MAX;
}

enum meeting { NOT_SHARED, MET_BEFORE, MET_NOW, NOT_THE_SAME };

/* Are the objects at these places, one of them at least shared, one and the same? UINT64_MAX twice:
 * none is shared. */
static enum meeting meet(pst_diff_run *d, uint64_t a, uint64_t b)
{
    uint64_t of_a, of_b;
    if (a == UINT64_MAX)
        return NOT_SHARED;
    of_a = partner(&d->a_to_b, a);
    of_b = partner(&d->b_to_a, b);
    if (of_a != UINT64_MAX || of_b != UINT64_MAX)
        return of_a == b && of_b == a ? MET_BEFORE : NOT_THE_SAME;
    return put_pair(d, &d->a_to_b, a, b) && put_pair(d, &d->b_to_a, b, a) ? MET_NOW : NOT_THE_SAME;
}

static void start_side(pst_diff_run *d, pst_diff_side *s, const pst_diff_image *m, const pst_diff_side *like, uint64_t off)
{
    if (!like)
        (void)pst_walk_init(&s->w, &m->source, d->job->memory, true);    /* it has been read before */
    else {
        pst_walk_init_fragment(&s->w, &like->w);
        s->w.keys_first = true;
        pst_walk_restart(&s->w, off);
    }
    advance(d, s);
}

/* Compare what stands at two places, or the roots (from NULL). `prefix` is consumed. */
static void push_level(pst_diff_run *d, const pst_diff_level *from, char *prefix, size_t prefix_len, uint64_t a, uint64_t b)
{
    const pst_memory *memory = d->job->memory;
    pst_diff_level *l = NULL, **levels;
    levels = (pst_diff_level **)pst_memory_array(memory, d->levels, &d->room, d->count + 1, sizeof *levels);
    if (levels) {
        d->levels = levels;
        l = (pst_diff_level *)memory->resize(memory->host, NULL, sizeof *l);
    }
    if (!l || !prefix) {
        pst_memory_free(memory, l);
        pst_memory_free(memory, prefix);
        d->no_memory = true;
        return;
    }
    memset(l, 0, sizeof *l);
    l->prefix = prefix;
    l->prefix_len = prefix_len;
    levels[d->count++] = l;
    start_side(d, &l->a, &d->a, from ? &from->a : NULL, a);
    start_side(d, &l->b, &d->b, from ? &from->b : NULL, b);
}

/* ---- the comparison ------------------------------------------------------------------------------------ */

/* Shared objects are compared once. RETURNS: false if the sides are to be compared as they are. */
static bool compare_shared(pst_diff_run *d, pst_diff_level *l)
{
    pst_diff_side *a = &l->a, *b = &l->b;
    uint64_t off_a = identity(&d->a, a), off_b = identity(&d->b, b);
    enum meeting met = meet(d, off_a == UINT64_MAX && off_b != UINT64_MAX ? a->ev.off : off_a,
                            off_b == UINT64_MAX && off_a != UINT64_MAX ? b->ev.off : off_b);
    bool named = a->ev.kind == PST_EV_HOOK_TAG || a->ev.token.marker == PST_OBJECT || b->ev.token.marker == PST_OBJECT;
    size_t len = 0, index = d->count - 1;
    char *path;
    if (met == NOT_SHARED || (met == MET_NOW && !named))
        return false;
    if (met == NOT_THE_SAME)
        pst_diff_report(d, l, a, b);
    else if (met == MET_NOW) {
        path = pst_diff_place(d, l, a, a->ev.depth - (a->ev.kind == PST_EV_HOOK_TAG), false, &len);
        push_level(d, l, path, len, off_a, off_b);
        l = d->levels[index];
        a = &l->a;
        b = &l->b;
    }
    pass_by(d, a);
    pass_by(d, b);
    return true;
}

static void compare_begin(pst_diff_run *d, pst_diff_level *l)
{
    pst_diff_side *a = &l->a, *b = &l->b;
    enum same same;
    if (compare_shared(d, l))
        return;
    if (a->ev.leaf && b->ev.leaf) {
        same = same_leaf(l);
        d->forms += same == OTHER_FORM;
        if (same == DIFFERENT)
            pst_diff_report(d, l, a, b);
    }
    else if (a->ev.leaf != b->ev.leaf || kind_of(&a->ev.token) != kind_of(&b->ev.token)) {
        pst_diff_report(d, l, a, b);
        pass_by(d, a);
        pass_by(d, b);
        return;
    }
    else if (!same_parts(d, l))
        pst_diff_report(d, l, a, b);
    advance(d, a);
    advance(d, b);
}

/* One of them has ended its container. */
static void compare_rest(pst_diff_run *d, pst_diff_level *l)
{
    pst_diff_side *a = &l->a, *b = &l->b;
    if (a->more && a->ev.kind == PST_EV_BEGIN) {
        pst_diff_report(d, l, a, NULL);
        pass_by(d, a);
    }
    else if (b->more && b->ev.kind == PST_EV_BEGIN) {
        pst_diff_report(d, l, NULL, b);
        pass_by(d, b);
    }
    else {
        if (!a->more || !b->more || a->ev.kind != b->ev.kind) {
            pst_diff_report(d, l, a->more ? a : NULL, b->more ? b : NULL);
            a->more = b->more = false;
            return;
        }
        advance(d, a);
        advance(d, b);
    }
}

/* One step. RETURNS: false at the end. */
static bool step(pst_diff_run *d, pst_diff_level *l)
{
    pst_diff_side *a = &l->a, *b = &l->b;
    pst_frame *fa, *fb;
    if (!a->more && !b->more)
        return false;
    fa = pst_diff_hash_of(a);
    fb = pst_diff_hash_of(b);
    if (fa && fb && (a->ev.kind != b->ev.kind || (a->ev.kind == PST_EV_BEGIN && !pst_diff_same_key(a, fa, b, fb)))
        && pst_diff_by_key(d, l, fa, fb))
        return true;
    if (a->more && b->more && a->ev.kind == b->ev.kind) {
        if (a->ev.kind == PST_EV_BEGIN) {
            compare_begin(d, l);
            return true;
        }
        if (a->ev.kind == PST_EV_HOOK_TAG && compare_shared(d, l))
            return true;
        if (!same_piece(d, l))
            pst_diff_report(d, l, a, b);
        advance(d, a);
        advance(d, b);
        return true;
    }
    compare_rest(d, l);
    return true;
}

static void pop_level(pst_diff_run *d)
{
    const pst_memory *memory = d->job->memory;
    pst_diff_level *l = d->levels[--d->count];
    pst_walk_release(&l->a.w);
    pst_walk_release(&l->b.w);
    pst_memory_free(memory, l->pairs_a.list);
    pst_memory_free(memory, l->pairs_b.list);
    pst_memory_free(memory, l->prefix);
    pst_memory_free(memory, l->hash_prefix);
    pst_memory_free(memory, l);
}

static void push_roots(pst_diff_run *d)
{
    char *prefix = (char *)d->job->memory->resize(d->job->memory->host, NULL, 1);
    if (prefix)
        *prefix = '$';
    push_level(d, NULL, prefix, 1, 0, 0);
}

/* The next two values of the hash of the top level. */
static void push_pair(pst_diff_run *d, pst_diff_level *l)
{
    size_t at = --l->pairs_a.count, len = 0;
    const pst_diff_entry *a = &l->pairs_a.list[at], *b = &l->pairs_b.list[at];
    char *path = pst_diff_value_path(d, l, a, &len);
    l->pairs_b.count = at;
    push_level(d, l, path, len, a->off, b->off);
}

static void compare(pst_diff_run *d)
{
    push_roots(d);
    while (d->count && !d->no_memory && !d->o->failed) {
        pst_diff_level *l = d->levels[d->count - 1];
        if (l->pairs_a.count)
            push_pair(d, l);
        else if (!step(d, l))
            pop_level(d);
    }
    while (d->count)
        pop_level(d);
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

/* RETURNS: the first byte that differs; the length if none does. */
static uint64_t first_difference(const pst_source *a, const pst_source *b)
{
    uint64_t at = 0, len = a->len < b->len ? a->len : b->len;
    while (at < len && a->bytes[at] == b->bytes[at])
        at++;
    return at;
}

static void print_bytes(pst_diff_run *d, bool same, uint64_t at)
{
    pst_out *o = d->o;
    if (d->job->json) {
        pst_out_str(o, same ? "{\"same_bytes\":true" : "{\"same_bytes\":false,\"first_difference\":");
        if (!same)
            pst_out_u64(o, at);
        pst_out_str(o, ",\n\"differences\":[");
        return;
    }
    if (same) {
        pst_out_str(o, "the bytes are the same: ");
        pst_out_count(o, d->a.source.len, "byte");
    }
    else {
        pst_out_str(o, "the bytes differ from byte ");
        pst_out_u64(o, at);
        pst_out_str(o, " on: ");
        pst_out_count(o, d->a.source.len, "byte");
        pst_out_str(o, " | ");
        pst_out_count(o, d->b.source.len, "byte");
    }
    pst_out_char(o, '\n');
}

static void print_sums(pst_diff_run *d)
{
    pst_out *o = d->o;
    if (d->job->json) {
        pst_out_str(o, d->differences ? "],\"same_data\":false,\"other_forms\":" : "],\"same_data\":true,\"other_forms\":");
        pst_out_u64(o, d->forms);
        pst_out_str(o, ",\"other_orders\":");
        pst_out_u64(o, d->orders);
        pst_out_str(o, "}\n");
        return;
    }
    if (d->differences) {
        pst_out_count(o, d->differences, "difference");
        pst_out_char(o, '\n');
    }
    else
        pst_out_str(o, "the data are the same\n");
    if (d->forms) {
        pst_out_count(o, d->forms, "value");
        pst_out_str(o, " with the same text in another form, such as a number and a string\n");
    }
    if (d->orders) {
        pst_out_u64(o, d->orders);
        pst_out_str(o, d->orders == 1 ? " hash in another order\n" : " hashes in another order\n");
    }
}

int pst_diff(pst_job *job)
{
    pst_diff_run d;
    int status, second;
    bool same;
    memset(&d, 0, sizeof d);
    d.job = job;
    d.o = job->out;
    pst_classes_init(&d.a.classes, job->memory);
    pst_classes_init(&d.b.classes, job->memory);
    pst_shared_init(&d.a.shared, job->memory);
    pst_shared_init(&d.b.shared, job->memory);
    status = open_image(&d, &d.a, job->source, job->name);
    second = open_image(&d, &d.b, job->other, job->other_name);
    if (second > status)
        status = second;
    if (status == PST_FINE) {
        uint64_t at = first_difference(&d.a.source, &d.b.source);
        same = d.a.source.len == d.b.source.len && at == d.a.source.len;
        print_bytes(&d, same, at);
        if (!same)
            compare(&d);
        print_sums(&d);
        status = d.no_memory ? PST_TROUBLE : same ? PST_FINE : PST_FINDINGS;
    }
    pst_memory_free(job->memory, d.levels);
    pst_memory_free(job->memory, d.a_to_b.slots);
    pst_memory_free(job->memory, d.b_to_a.slots);
    release_image(&d, &d.a);
    release_image(&d, &d.b);
    return status;
}
