/* pstx_ahead.c - finding the keys of half-built hashes behind the place of an error.
 *
 * In an image a key stands behind its value, so where reading stops inside the value its key
 * is not known yet. The rest of the image tells, unless it is damaged, too. Here it is read
 * once more, by the same decoder, without building anything.
 */
#include "pstx_path.h"

/* What follows an object that is being skipped. */
enum todo_kind {
    TODO_OBJECTS,       /* so many more objects, the one at hand included */
    TODO_PAIRS,         /* its key, then so many more pairs, the one at hand included */
    TODO_KEY_OBJECT,    /* the same, but the object is the key */
    TODO_INDEX,         /* TIED_IDX's index */
    TODO_HOOK           /* the rest of a hook record */
};

typedef struct todo {
    uint8_t        kind;
    bool           flagged;
    pst_hook       hook;
    uint64_t       left;
    pstx_path_key *key;     /* where the next key belongs, or NULL */
} todo;

typedef struct ahead {
    pst_reader r;
    todo      *list;
    size_t     count, room;
    size_t     wanted;      /* keys still to be found */
} ahead;

static todo *push(ahead *a, enum todo_kind kind, uint64_t left)
{
    todo *t;
    if (a->count == a->room) {
        a->room = a->room ? a->room * 2 : 32;
        Renew(a->list, a->room, todo);
    }
    t = &a->list[a->count++];
    Zero(t, 1, todo);
    t->kind = (uint8_t)kind;
    t->left = left;
    return t;
}

static void free_ahead(pTHX_ void *a)
{
    PERL_UNUSED_CONTEXT;
    Safefree(((ahead *)a)->list);
    Safefree(a);
}

/* Class (unless it has been read), string and list of a hook record. */
static bool skip_hook_rest(ahead *a, pst_hook *h, bool class_read)
{
    pst_token t;
    uint64_t count, tag;
    if (!class_read && !pst_reader_hook_class(&a->r, h, &t))
        return false;
    if (!pst_reader_hook_string(&a->r, h, &t) || !pst_reader_hook_list(&a->r, h, &count))
        return false;
    for (; count; count--)
        if (!pst_reader_hook_tag(&a->r, h, &tag))
            return false;
    return true;
}

/* The beginning of an object. RETURNS: false on error; *whole: was that all of it? */
static bool skip_token(ahead *a, bool *whole)
{
    pst_token t;
    pst_hook h;
    *whole = false;
    if (!pst_reader_next(&a->r, &t))
        return false;
    switch (t.marker) {
    case PST_REF: case PST_OVERLOAD: case PST_WEAKREF: case PST_WEAKOVERLOAD:
    case PST_TIED_ARRAY: case PST_TIED_HASH: case PST_TIED_SCALAR:
    case PST_VSTRING: case PST_CODE: case PST_BLESS: case PST_IX_BLESS:
        return true;
    case PST_ARRAY:
        *whole = t.len == 0;
        if (t.len)
            (void)push(a, TODO_OBJECTS, t.len);
        return true;
    case PST_HASH:
    case PST_FLAG_HASH:
        *whole = t.len == 0;
        if (t.len)
            push(a, TODO_PAIRS, t.len)->flagged = t.marker == PST_FLAG_HASH;
        return true;
    case PST_TIED_KEY:
        (void)push(a, TODO_OBJECTS, 2);
        return true;
    case PST_TIED_IDX:
        (void)push(a, TODO_INDEX, 1);
        return true;
    case PST_HOOK:
        h.huge = t.flags != 0;
        if (!pst_reader_hook_flags(&a->r, &h, true))
            return false;
        *whole = !(h.flags & PST_HOOK_RECURSE);
        if (*whole)
            return skip_hook_rest(a, &h, false);
        push(a, TODO_HOOK, 1)->hook = h;
        return true;
    default:
        *whole = true;
        return t.marker != PST_REGEXP || pst_reader_regexp_flags(&a->r, &t);
    }
}

/* The key behind a value. RETURNS: false on error. */
static bool skip_key(ahead *a, todo *t)
{
    pst_token token;
    if (!(t->flagged ? pst_reader_flag_key(&a->r, &token) : pst_reader_key(&a->r, &token)))
        return false;
    if (token.flags & PST_KEY_ISSV) {
        t->kind = TODO_KEY_OBJECT;
        return true;
    }
    if (t->key) {
        t->key->bytes = (const char *)token.bytes;
        t->key->len = (size_t)token.len;
        t->key->utf8 = (token.flags & PST_KEY_UTF8) != 0;
        t->key = NULL;
        a->wanted--;
    }
    t->left--;
    return true;
}

/* An object is whole: do what follows it, and what that completes. RETURNS: false on error;
 * otherwise the next object follows, unless the list is empty. */
static bool skip_behind(ahead *a)
{
    while (a->count) {
        todo *t = &a->list[a->count - 1];
        int64_t index;
        switch (t->kind) {
        case TODO_PAIRS:
            if (!skip_key(a, t))
                return false;
            break;
        case TODO_KEY_OBJECT:
            t->kind = TODO_PAIRS;
            a->wanted -= t->key != NULL;
            t->key = NULL;
            t->left--;
            break;
        case TODO_INDEX:
            if (!pst_reader_index(&a->r, &index))
                return false;
            t->left = 0;
            break;
        case TODO_HOOK:
            if (!pst_reader_hook_flags(&a->r, &t->hook, false))
                return false;
            if (!(t->hook.flags & PST_HOOK_RECURSE)) {
                if (!skip_hook_rest(a, &t->hook, false))
                    return false;
                t->left = 0;
            }
            break;
        default:
            t->left--;
        }
        if (t->left)
            return true;
        a->count--;
    }
    return true;
}

/* What the frames still await. RETURNS: false if there are some that are not understood. */
static bool list_frames(ahead *a, const pstx_retrieve *rt, pstx_path_key *keys)
{
    size_t i;
    todo *t;
    for (i = 0; i < rt->frame_count; i++) {
        const pstx_rframe *f = &rt->frames[i];
        switch (f->kind) {
        case PSTX_R_ARRAY:
            (void)push(a, TODO_OBJECTS, f->left ? f->left : 1);
            break;
        case PSTX_R_HASH:
        case PSTX_R_HASH_KEY:
            t = push(a, f->kind == PSTX_R_HASH ? TODO_PAIRS : TODO_KEY_OBJECT, f->left ? f->left : 1);
            t->flagged = f->flagged;
            t->key = f->kind == PSTX_R_HASH ? &keys[i] : NULL;
            a->wanted += t->key != NULL;
            break;
        case PSTX_R_TIED_KEY:
            (void)push(a, TODO_OBJECTS, 2);
            break;
        case PSTX_R_TIED_IDX:
            (void)push(a, TODO_INDEX, 1);
            break;
        case PSTX_R_HOOK:
            push(a, TODO_HOOK, 1)->hook = f->hook;
            break;
        case PSTX_R_BLESS:
            return false;
        default:
            (void)push(a, TODO_OBJECTS, 1);
        }
    }
    return true;
}

/* Read on, the first object being whole or not. RETURNS: false on error. */
static bool read_on(ahead *a, bool whole, bool to_the_end)
{
    for (;;) {
        if (whole && (!skip_behind(a) || !a->count))
            return !a->count;
        if (!a->wanted && !to_the_end)
            return true;
        if (!skip_token(a, &whole))
            return false;
    }
}

/* A reader at the place of the error, as if nothing had happened. */
static void start(ahead *a, const pstx_retrieve *rt)
{
    a->r = rt->r;
    a->r.in.refill = NULL;              /* the window must not move */
    a->r.in.end = rt->r.error.code != PST_OK ? rt->r.closed_end : rt->r.in.end;
    Zero(&a->r.error, 1, pst_error);
    a->count = a->wanted = 0;
}

/* Behind a marker that is none: how long is what belongs to it? The length that lets the rest
 * of the image be whole to its last byte can hardly be wrong. */
static void guess(ahead *a, const pstx_retrieve *rt, pstx_path_key *keys)
{
    enum { MOST = 16 };
    size_t skip;
    for (skip = 0; skip <= MOST; skip++) {
        start(a, rt);
        Zero(keys, rt->frame_count, pstx_path_key);
        if (list_frames(a, rt, keys) && pst_cursor_take(&a->r.in, skip)
            && read_on(a, true, true) && a->r.in.pos == a->r.in.end)
            return;
    }
    Zero(keys, rt->frame_count, pstx_path_key);
}

/* The hook record whose class has been refused: what is left of it. */
static bool finish_hook(ahead *a)
{
    pst_hook h;
    if (!a->count || a->list[a->count - 1].kind != TODO_HOOK)
        return false;
    h = a->list[--a->count].hook;
    return skip_hook_rest(a, &h, true);
}

void pstx_ahead_find_keys(pTHX_ const pstx_retrieve *rt, pstx_path_key *keys)
{
    ahead *a;
    pst_token t;
    if (rt->ahead == PSTX_AHEAD_UNKNOWN || pst_reader_is_old(&rt->r))
        return;
    ENTER;
    Newxz(a, 1, ahead);
    SAVEDESTRUCTOR_X(free_ahead, a);
    start(a, rt);
    if (rt->ahead == PSTX_AHEAD_BAD_MARKER)
        guess(a, rt, keys);
    else if (list_frames(a, rt, keys)) {
        bool fine = true;
        if (rt->ahead == PSTX_AHEAD_HOOK_REST)
            fine = finish_hook(a);
        else if (rt->ahead == PSTX_AHEAD_HOOK_DONE && a->count)
            a->count--;
        else if (rt->ahead == PSTX_AHEAD_REGEXP_FLAGS)
            fine = pst_reader_regexp_flags(&a->r, &t);
        if (fine)
            (void)read_on(a, rt->ahead != PSTX_AHEAD_OBJECT, false);
    }
    LEAVE;
}
