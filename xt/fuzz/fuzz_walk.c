/* fuzz_walk.c - see fuzz_walk.h. */
#include "fuzz_walk.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct frame {
    enum { ONE, ITEMS, PAIRS, FLAG_PAIRS, KEY_OBJECT, INDEX, HOOK, NOTICES } kind;
    bool     opened;    /* nothing of it has been read */
    bool     first;
    pst_hook hook;
    unsigned hook_kind;
    uint64_t left;
} frame;

typedef struct walk {
    pst_reader  *r;
    fuzz_visitor visitor;
    void        *context;
    frame       *frames;
    size_t       count, room;
    bool         old, tagged;
} walk;

void fuzz_check(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static void show(walk *w, enum fuzz_what what, fuzz_event *e)
{
    e->what = what;
    w->visitor(w->context, e);
}

static frame *push(walk *w, int kind, uint64_t left)
{
    frame *f;
    if (w->count == w->room) {
        w->room = w->room ? w->room * 2 : 16;
        w->frames = (frame *)realloc(w->frames, w->room * sizeof *w->frames);
        fuzz_check(w->frames != NULL, "no memory");
    }
    f = &w->frames[w->count++];
    memset(f, 0, sizeof *f);
    f->kind = kind;
    f->left = left;
    f->opened = kind != NOTICES;
    return f;
}

/* Class, string and tags of the hook on top. RETURNS: false on error. */
static bool hook_end(walk *w, fuzz_event *e)
{
    frame *f = &w->frames[w->count - 1];
    uint64_t i;
    if (!pst_reader_hook_class(w->r, &f->hook, &e->token))
        return false;
    show(w, FUZZ_HOOK_CLASS, e);
    if (!pst_reader_hook_string(w->r, &f->hook, &e->token))
        return false;
    show(w, FUZZ_HOOK_STRING, e);
    memset(&e->token, 0, sizeof e->token);
    if (!pst_reader_hook_list(w->r, &f->hook, &e->number))
        return false;
    show(w, FUZZ_HOOK, e);
    for (i = e->number; i; i--) {
        fuzz_event tag = {0};
        if (!pst_reader_hook_tag(w->r, &f->hook, &tag.number))
            return false;
        show(w, FUZZ_HOOK_TAG, &tag);
    }
    f->kind = ITEMS;                    /* what is behind a tie, or nothing more */
    f->left = f->hook.extra ? 1 : 0;
    return true;
}

/* The flags byte of the hook on top, first or again. RETURNS: false on error. */
static bool hook_flags(walk *w, bool first)
{
    fuzz_event e = {0};
    frame *f = &w->frames[w->count - 1];
    if (!pst_reader_hook_flags(w->r, &f->hook, first))
        return false;
    if (first)
        f->hook_kind = f->hook.extra ? f->hook.extra : f->hook.flags & PST_HOOK_KIND;
    e.kind = f->hook_kind;
    e.first = first;
    if (!(f->hook.flags & PST_HOOK_RECURSE))
        return hook_end(w, &e);
    f->left = 1;
    show(w, FUZZ_HOOK_RECURSE, &e);
    return true;
}

/* What stands behind the fixed part of a token. RETURNS: false on error. */
static bool begin(walk *w, const pst_token *t)
{
    fuzz_event e = {0};
    switch (t->marker) {
    case PST_ARRAY:     push(w, ITEMS, t->len); return true;
    case PST_HASH:      push(w, PAIRS, t->len); return true;
    case PST_FLAG_HASH: push(w, FLAG_PAIRS, t->len); return true;
    case PST_REF: case PST_OVERLOAD: case PST_WEAKREF: case PST_WEAKOVERLOAD: case PST_TIED_ARRAY:
    case PST_TIED_HASH: case PST_TIED_SCALAR: case PST_VSTRING: case PST_CODE: case PST_BLESS: case PST_IX_BLESS:
        push(w, ONE, 1);
        return true;
    case PST_TIED_KEY:  push(w, ONE, 2); return true;
    case PST_TIED_IDX:  push(w, INDEX, 1); return true;
    case PST_HOOK:
        push(w, HOOK, 0)->hook.huge = t->flags != 0;
        return hook_flags(w, true);
    case PST_REGEXP:
        if (!pst_reader_regexp_flags(w->r, &e.token))
            return false;
        show(w, FUZZ_REGEXP, &e);
        return true;
    default:            return true;
    }
}

/* One object, up to its first sub-object. RETURNS: false on error. */
static bool item(walk *w)
{
    fuzz_event e = {0};
    uint64_t before = pst_cursor_off(&w->r->in);
    if (w->tagged) {
        if (!pst_reader_old_tag(w->r, &e.number))
            return false;
        show(w, FUZZ_OLD_TAG, &e);
    }
    if (!(w->old ? pst_reader_old_next(w->r, &e.token) : pst_reader_next(w->r, &e.token)))
        return false;
    fuzz_check(pst_cursor_off(&w->r->in) > before, "a token without bytes");
    if (e.token.marker == PST_DOUBLE) {
        double v = pst_reader_double(w->r, &e.token);
        memcpy(&e.number, &v, sizeof v);
    }
    show(w, FUZZ_TOKEN, &e);
    if (w->old && e.token.marker != PST_OBJECT)
        push(w, NOTICES, 0);
    return begin(w, &e.token);
}

static bool notices(walk *w)
{
    fuzz_event e = {0};
    bool end = false;
    for (;;) {
        if (!pst_reader_old_notice(w->r, &e.token, &end))
            return false;
        if (end)
            return true;
        show(w, FUZZ_OLD_NOTICE, &e);
    }
}

/* The key of a hash with flags. RETURNS: false on error. */
static bool flag_key(walk *w, frame *f)
{
    fuzz_event e = {0};
    if (!pst_reader_flag_key(w->r, &e.token))
        return false;
    f->left--;
    if (e.token.flags & PST_KEY_ISSV) {
        e.token.bytes = NULL;
        e.token.len = 0;
        push(w, KEY_OBJECT, 1);
    }
    show(w, FUZZ_FLAG_KEY, &e);
    return true;
}

/* What follows an object in the frame on top. RETURNS: false on error. */
static bool after_item(walk *w, frame *f)
{
    fuzz_event e = {0};
    int64_t index = 0;
    switch (f->kind) {
    case NOTICES:    return notices(w);
    case HOOK:       return hook_flags(w, false);
    case FLAG_PAIRS: return flag_key(w, f);
    case PAIRS:
        if ((w->tagged && !pst_reader_old_key_mark(w->r)) || !pst_reader_key(w->r, &e.token))
            return false;
        show(w, FUZZ_KEY, &e);
        break;
    case INDEX:
        if (!pst_reader_index(w->r, &index))
            return false;
        e.number = (uint64_t)index;
        show(w, FUZZ_INDEX, &e);
        break;
    default:
        break;
    }
    f->left--;
    return true;
}

/* An item, or the mark that says there is none. RETURNS: false on error. */
static bool next_item(walk *w)
{
    fuzz_event e = {0};
    const frame *f = w->count ? &w->frames[w->count - 1] : NULL;
    bool present = true;
    if (w->tagged && f && (f->kind == PAIRS || f->kind == ITEMS)) {
        if (!(f->kind == PAIRS ? pst_reader_old_value : pst_reader_old_item)(w->r, &present))
            return false;
        e.number = present;
        show(w, FUZZ_OLD_MARK, &e);
    }
    return !present || item(w);
}

/* All that ends where the reader stands. RETURNS: false on error. */
static bool close_frames(walk *w)
{
    while (w->count) {
        size_t top = w->count - 1;
        frame *f = &w->frames[top];
        bool key = f->kind == KEY_OBJECT;
        if (!f->opened && !after_item(w, f))
            return false;
        f = &w->frames[top];
        f->opened = false;
        if (w->count - 1 != top || f->left)
            return true;
        w->count--;
        if (key)                        /* the pair below has been counted already */
            w->frames[w->count - 1].opened = true;
    }
    return true;
}

bool fuzz_walk(pst_reader *r, bool file, fuzz_visitor visitor, void *context)
{
    walk w = {0};
    bool whole = false;
    pst_err err;
    r->header.file = file;
    err = pst_header_read(&r->header, &r->in);
    if (err != PST_OK || r->header.major > PST_MAJOR || pst_header_readable(&r->header) != PST_OK)
        return false;
    pst_reader_configure(r, sizeof(int64_t), sizeof(double));
    w.r = r;
    w.visitor = visitor;
    w.context = context;
    w.old = pst_reader_is_old(r);
    w.tagged = w.old && pst_reader_is_tagged(r);
    while (!whole && next_item(&w) && close_frames(&w))
        whole = !w.count;
    free(w.frames);
    fuzz_check(whole || r->error.code != PST_OK, "an end without an error");
    fuzz_check(r->error.code == PST_OK || !pst_reader_u8(r, &(uint8_t){0}), "read on after an error");
    return whole;
}

/* ---- hashing ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t hash, const void *bytes, size_t len)
{
    const uint8_t *p = (const uint8_t *)bytes;
    for (; len; len--)
        hash = (hash ^ *p++) * UINT64_C(0x100000001b3);
    return hash;
}

void fuzz_hash(void *hash, const fuzz_event *e)
{
    uint64_t h = *(uint64_t *)hash, numbers[6];
    const pst_token *t = &e->token;
    bool string = t->bytes != NULL && !(e->what == FUZZ_TOKEN && t->marker == PST_DOUBLE);
    numbers[0] = (uint64_t)e->what;
    numbers[1] = e->number;
    numbers[2] = e->kind | (uint64_t)e->first << 8;
    numbers[3] = e->what == FUZZ_TOKEN ? t->marker : 0;
    numbers[4] = t->len;
    numbers[5] = e->what == FUZZ_TOKEN && t->marker == PST_INTEGER ? (uint64_t)t->iv : 0;
    if (e->what == FUZZ_TOKEN && t->marker == PST_INTEGER)
        numbers[4] = 0;
    h = mix(h, numbers, sizeof numbers);
    if (e->what == FUZZ_FLAG_KEY || (e->what == FUZZ_TOKEN && t->marker == PST_FLAG_HASH))
        h = mix(h, &t->flags, 1);
    *(uint64_t *)hash = string ? mix(h, t->bytes, (size_t)t->len) : h;
}
