/* pst_walk.c - see pst_walk.h.
 *
 * `phase` of a frame says what comes next: an object, or the piece with that number.
 */
#include "pst_walk.h"
#include "pst_ahead.h"

enum { NO_KIND = 255, LEAF = 254 };

/* What kind of frame a marker (as the reader gives it) opens. */
static uint8_t frame_kind(unsigned marker)
{
    static const uint8_t kinds[PST_TAG_COUNT] = {
        /* OBJECT */ LEAF, /* LSCALAR */ NO_KIND, PST_F_ARRAY, PST_F_HASH, /* REF */ PST_F_ONE,
        /* UNDEF */ LEAF, LEAF, LEAF, LEAF, LEAF, /* SCALAR */ LEAF,
        /* TIED_ARRAY */ PST_F_ONE, PST_F_ONE, PST_F_ONE, /* SV_UNDEF */ LEAF, LEAF, LEAF,
        /* BLESS */ PST_F_ONE, PST_F_ONE, PST_F_HOOK, /* OVERLOAD */ PST_F_ONE,
        /* TIED_KEY */ PST_F_TIED_KEY, PST_F_TIED_IDX, /* UTF8STR */ LEAF, NO_KIND,
        /* FLAG_HASH */ PST_F_HASH, /* CODE */ PST_F_ONE, /* WEAKREF */ PST_F_ONE, PST_F_ONE,
        /* VSTRING */ PST_F_ONE, NO_KIND, /* SVUNDEF_ELEM */ LEAF, /* REGEXP */ PST_F_REGEXP,
        /* LOBJECT */ NO_KIND, /* BOOLEAN_TRUE */ LEAF, LEAF
    };
    return marker < PST_TAG_COUNT ? kinds[marker] : (uint8_t)NO_KIND;
}

/* ---- setting up ------------------------------------------------------------------------ */

bool pst_source_has_magic(const pst_source *source)
{
    char text[10];
    size_t len = pst_source_read(source, 0, text, sizeof text);
    return (len >= 4 && memcmp(text, "pst0", 4) == 0)
        || (len == 10 && memcmp(text, "perl-store", 10) == 0);
}

static void init(pst_walk *w, const pst_source *source, const pst_memory *memory)
{
    memset(w, 0, sizeof *w);
    w->memory = memory;
    w->skim_until = UINT64_MAX;
    pst_reader_init(&w->r, NULL, 0);
    pst_window_init(&w->window, source, memory);
    pst_window_seek(&w->window, &w->r.in, 0);
}

static void configure(pst_walk *w)
{
    pst_reader_configure(&w->r, PST_NATIVE_IV_SIZE, PST_NATIVE_NV_SIZE);
    w->old = pst_reader_is_old(&w->r) || pst_reader_is_tagged(&w->r);
    w->tagged = pst_reader_is_tagged(&w->r);
}

bool pst_walk_init(pst_walk *w, const pst_source *source, const pst_memory *memory, bool keys_first)
{
    pst_header *h = &w->r.header;
    pst_err err;
    init(w, source, memory);
    w->keys_first = keys_first;
    h->file = pst_source_has_magic(source);
    err = pst_header_read(h, &w->r.in);
    if (h->major > PST_MAJOR)     /* far beyond ours nobody has written anything */
        err = h->file || h->major == PST_MAJOR + 1 ? PST_ERR_MAJOR : PST_ERR_NOT_STORABLE;
    if (err == PST_OK)
        err = pst_header_readable(h);
    if (w->window.no_memory)
        err = PST_ERR_MEMORY;
    if (err != PST_OK)
        return pst_reader_fail(&w->r, err, PST_MAJOR, h->major);
    configure(w);
    return true;
}

void pst_walk_init_fragment(pst_walk *w, const pst_walk *like)
{
    init(w, like->window.source, like->memory);
    w->r.header = like->r.header;
    w->fragment = true;
    configure(w);
}

void pst_walk_restart(pst_walk *w, uint64_t off)
{
    memset(&w->r.error, 0, sizeof w->r.error);
    w->depth = 0;
    w->done = w->key_pending = false;
    w->window.keep_off = off;
    pst_window_seek(&w->window, &w->r.in, off);
}

void pst_walk_release(pst_walk *w)
{
    pst_ahead_free(w->ahead);
    pst_memory_free(w->memory, w->frames);
    pst_memory_free(w->memory, w->keys);
    pst_window_release(&w->window);
    w->ahead = NULL;
    w->frames = NULL;
    w->keys = NULL;
}

uint64_t pst_walk_off(const pst_walk *w)
{
    return pst_cursor_off(&w->r.in);
}

/* ---- frames ---------------------------------------------------------------------------- */

static pst_frame *push(pst_walk *w, unsigned kind, unsigned marker, uint64_t off)
{
    pst_frame *f = w->frames;
    if (PST_UNLIKELY(w->depth == w->room)) {
        f = (pst_frame *)pst_memory_array(w->memory, f, &w->room, w->depth + 1, sizeof *f);
        if (!f) {
            (void)pst_reader_fail(&w->r, PST_ERR_MEMORY, 0, 0);
            return NULL;
        }
        w->frames = f;
    }
    f += w->depth++;
    memset(f, 0, sizeof *f);
    f->kind = (uint8_t)kind;
    f->marker = (uint8_t)marker;
    f->off = off;
    f->of.class_number = PST_NO_CLASS;
    return f;
}

/* An object is whole: tell the frame that it belongs to. */
PST_INLINE void object_done(pst_walk *w)
{
    pst_frame *f;
    if (PST_UNLIKELY(!w->depth)) {
        w->done = true;
        return;
    }
    f = &w->frames[w->depth - 1];
    if (f->kind == PST_F_ARRAY) {
        f->left--;
        f->phase = 1;            /* the index goes on when the next item is read */
    }
    else
        f->phase++;
}

/* The value and key of a hash are read. */
PST_INLINE void pair_done(pst_walk *w, pst_frame *f)
{
    if (f->key_state == PST_KEY_BYTES && f->key_at != UINT64_MAX)
        w->keys_len = (size_t)f->key_at;
    f->key_state = PST_KEY_UNKNOWN;
    f->at++;
    f->left--;
    f->phase = 0;
}

/* ---- keys ------------------------------------------------------------------------------ */

bool pst_walk_read_key(pst_walk *w, const pst_frame *f, pst_token *t)
{
    if (w->tagged && !pst_reader_old_key_mark(&w->r))
        return false;
    return f->marker == PST_FLAG_HASH ? pst_reader_flag_key(&w->r, t) : pst_reader_key(&w->r, t);
}

/* The key of a value that opens a frame: found by looking ahead, and copied. */
static bool find_key(pst_walk *w, uint64_t off)
{
    pst_frame *f = &w->frames[w->depth - 1];
    pst_token t;
    uint8_t *keys = w->keys;
    if (!w->ahead && !(w->ahead = pst_ahead_new(w)))
        return pst_reader_fail(&w->r, PST_ERR_MEMORY, 0, 0);
    if (!pst_ahead_key(w->ahead, f, off, &t, &f->key_state)) {
        f->key_state = PST_KEY_UNKNOWN;
        return pst_reader_fail(&w->r, PST_ERR_MEMORY, 0, 0);
    }
    if (f->key_state != PST_KEY_BYTES)
        return true;
    /* One more, so that there is an array for a key without bytes, too. */
    keys = (uint8_t *)pst_memory_array(w->memory, keys, &w->keys_room, w->keys_len + (size_t)t.len + 1, 1);
    if (!keys) {
        f->key_state = PST_KEY_UNKNOWN;
        return pst_reader_fail(&w->r, PST_ERR_MEMORY, 0, 0);
    }
    w->keys = keys;
    memcpy(keys + w->keys_len, t.bytes, (size_t)t.len);
    f->key_at = w->keys_len;
    f->of.key_len = (uint32_t)t.len;
    f->key_flags = t.flags;
    w->keys_len += (size_t)t.len;
    return true;
}

/* The key behind a leaf is read at once; the leaf's bytes stay where they can be seen. */
static bool read_leaf_key(pst_walk *w, pst_event *ev)
{
    pst_frame *f = &w->frames[w->depth - 1];
    pst_event *key = &w->pending;
    uint64_t bytes_off = ev->token.bytes ? ev->end - ev->token.len : ev->end;
    bool fine;
    key->kind = PST_EV_KEY;
    key->off = ev->end;
    key->depth = w->depth;
    fine = pst_walk_read_key(w, f, &key->token);
    if (ev->token.bytes)
        ev->token.bytes = pst_window_at(&w->r.in, bytes_off);
    if (!fine)                  /* the leaf is reported, then the error */
        return true;
    key->end = pst_cursor_off(&w->r.in);
    w->key_pending = true;
    f->key_state = f->marker == PST_FLAG_HASH && (key->token.flags & PST_KEY_ISSV)
                 ? PST_KEY_OBJECT : PST_KEY_BYTES;
    f->key_at = UINT64_MAX;
    f->of.key_len = (uint32_t)key->token.len;
    f->key_flags = key->token.flags;
    return true;
}

/* Take the key of the value that has just ended, without a word. */
static bool take_key(pst_walk *w, pst_frame *f)
{
    pst_token t;
    uint8_t flags;
    if (w->key_pending) {
        w->key_pending = false;
        flags = w->pending.token.flags;
    }
    else {
        if (!pst_walk_read_key(w, f, &t))
            return false;
        flags = t.flags;
    }
    w->window.keep_off = pst_cursor_off(&w->r.in);
    if (f->marker == PST_FLAG_HASH && (flags & PST_KEY_ISSV))
        f->phase = 2;
    else
        pair_done(w, f);
    return true;
}

/* Report the key of the value that has just ended. */
static bool report_key(pst_walk *w, pst_event *ev)
{
    pst_frame *f = &w->frames[w->depth - 1];
    if (w->key_pending) {
        w->key_pending = false;
        *ev = w->pending;
    }
    else {
        ev->kind = PST_EV_KEY;
        ev->off = pst_cursor_off(&w->r.in);
        ev->depth = w->depth;
        if (!pst_walk_read_key(w, f, &ev->token))
            return false;
        ev->end = pst_cursor_off(&w->r.in);
    }
    if (f->marker == PST_FLAG_HASH && (ev->token.flags & PST_KEY_ISSV))
        f->phase = 2;            /* the key is an object */
    else
        pair_done(w, f);
    return true;
}

/* ---- objects --------------------------------------------------------------------------- */

/* The frame of what holds the object that begins; in old formats each has one around it. */
static const pst_frame *holder(const pst_walk *w)
{
    size_t depth = w->depth;
    if (depth && w->frames[depth - 1].kind == PST_F_OLD)
        depth--;
    return depth ? &w->frames[depth - 1] : NULL;
}

/* Numbers that the token refers to must exist, and CODE must hold text. */
static bool check_token(pst_walk *w, const pst_token *t)
{
    const pst_frame *f = holder(w);
    if (f && f->marker == PST_CODE && t->marker != PST_SCALAR && t->marker != PST_UTF8STR)
        return pst_reader_fail(&w->r, PST_ERR_MARKER, PST_SCALAR, t->wire);
    if (w->fragment || w->tagged)
        return true;
    if (t->marker == PST_OBJECT && t->len >= w->tag_count)
        return pst_reader_fail(&w->r, PST_ERR_TAG, w->tag_count, t->len);
    if (t->marker == PST_IX_BLESS && t->len >= w->class_count)
        return pst_reader_fail(&w->r, PST_ERR_CLASS_INDEX, w->class_count, t->len);
    return true;
}

static bool takes_tag(unsigned marker)
{
    return marker != PST_OBJECT && marker != PST_BLESS && marker != PST_IX_BLESS && marker != PST_VSTRING;
}

/* Open the frame of an object that has parts. */
static bool open_frame(pst_walk *w, pst_event *ev, unsigned kind)
{
    const pst_token *t = &ev->token;
    pst_frame *f;
    if (kind == NO_KIND)
        return pst_reader_fail(&w->r, PST_ERR_MARKER, PST_LOBJECT, t->marker);
    if (w->keys_first && !w->old && w->depth && w->frames[w->depth - 1].kind == PST_F_HASH
        && w->frames[w->depth - 1].phase == 0 && !find_key(w, ev->off))
        return false;
    f = push(w, kind, t->marker, ev->off);
    if (!f)
        return false;
    f->flags = t->flags;
    if (kind == PST_F_ARRAY || kind == PST_F_HASH)
        f->left = w->tagged && t->len > PST_I32_MAX ? 0 : t->len;
    else if (t->marker == PST_BLESS)
        f->of.class_number = (uint32_t)w->class_count++;
    else if (t->marker == PST_IX_BLESS)
        f->of.class_number = (uint32_t)t->len;
    else if (kind == PST_F_HOOK)
        f->hook.huge = t->flags != 0;
    return true;
}

/* The object whose token has been read. */
PST_INLINE bool begin(pst_walk *w, pst_event *ev)
{
    unsigned kind = frame_kind(ev->token.marker);
    ev->kind = PST_EV_BEGIN;
    ev->end = pst_cursor_off(&w->r.in);
    ev->depth = w->depth;
    ev->leaf = kind == LEAF;
    if ((!ev->leaf || ev->token.marker == PST_OBJECT || w->old || (w->depth && w->frames[w->depth - 1].kind == PST_F_ONE))
        && !check_token(w, &ev->token))
        return false;
    ev->tag = takes_tag(ev->token.marker) ? w->tag_count++ : PST_NO_TAG;
    if (!ev->leaf)
        return open_frame(w, ev, kind);
    if (w->keys_first && w->depth && w->frames[w->depth - 1].kind == PST_F_HASH
        && w->frames[w->depth - 1].phase == 0)
        (void)read_leaf_key(w, ev);
    object_done(w);
    return true;
}

PST_INLINE bool read_object(pst_walk *w, pst_event *ev)
{
    ev->off = pst_cursor_off(&w->r.in);
    ev->token.bytes = NULL;
    if (PST_UNLIKELY(w->old))
        return pst_reader_old_next(&w->r, &ev->token) && begin(w, ev);
    return pst_reader_next(&w->r, &ev->token) && begin(w, ev);
}

/* ---- old formats ------------------------------------------------------------------------ */

/* An object in an old format: a frame around it, for what follows it. */
static bool open_old(pst_walk *w, pst_event *ev)
{
    pst_frame *parent = w->depth ? &w->frames[w->depth - 1] : NULL;
    ev->kind = PST_EV_OLD;
    ev->depth = w->depth;
    ev->off = pst_cursor_off(&w->r.in);
    if (w->keys_first && parent && parent->kind == PST_F_HASH && !find_key(w, ev->off))
        return false;
    ev->token.len = 0;
    if (w->tagged && !pst_reader_old_tag(&w->r, &ev->token.len))
        return false;
    ev->end = pst_cursor_off(&w->r.in);
    return push(w, PST_F_OLD, PST_OBJECT, ev->off) != NULL;
}

/* Tagged: the mark before an array item (phase 0) or a hash value. RETURNS: false on error;
 * when nothing is there the item is done. */
static bool read_mark(pst_walk *w, pst_frame *f, pst_event *ev)
{
    bool present = false, array = f->kind == PST_F_ARRAY;
    ev->off = pst_cursor_off(&w->r.in);
    ev->depth = w->depth;
    if (!(array ? pst_reader_old_item(&w->r, &present) : pst_reader_old_value(&w->r, &present)))
        return false;
    ev->end = pst_cursor_off(&w->r.in);
    ev->kind = present ? PST_EV_MARK : PST_EV_MISSING;
    ev->token.marker = (uint8_t)(present ? (array ? 'i' : 'v') : (array ? 'I' : 'V'));
    ev->token.bytes = NULL;
    if (present)
        f->hook.flags = 1;               /* the mark has been read */
    else {
        ev->tag = PST_NO_TAG;
        if (w->keys_first && !array)
            (void)read_leaf_key(w, ev);
        object_done(w);
    }
    return true;
}

/* Behind an object in an old format. */
static bool read_notice(pst_walk *w, pst_frame *f, pst_event *ev)
{
    bool end = false;
    ev->off = pst_cursor_off(&w->r.in);
    if (!pst_reader_old_notice(&w->r, &ev->token, &end))
        return false;
    ev->end = pst_cursor_off(&w->r.in);
    if (end) {
        ev->kind = PST_EV_END;
        ev->depth = --w->depth;
        object_done(w);
        return true;
    }
    f->of.class_number = (uint32_t)w->class_count++;
    ev->kind = PST_EV_NOTICE;
    ev->depth = w->depth;
    return true;
}

/* What comes next in an old format: an object, a mark before it, or what is behind it; f NULL:
 * the root. */
static bool next_old(pst_walk *w, pst_frame *f, pst_event *ev)
{
    if (!f)
        return open_old(w, ev);
    if (f->kind == PST_F_OLD) {
        if (f->phase)
            return read_notice(w, f, ev);
        if (!read_object(w, ev))
            return false;
        if (ev->token.marker == PST_OBJECT) {   /* it has no X */
            f = &w->frames[w->depth - 1];
            f->phase = 2;
        }
        return true;
    }
    if (w->tagged && (f->kind == PST_F_ARRAY || f->kind == PST_F_HASH) && !f->hook.flags)
        return read_mark(w, f, ev);
    f->hook.flags = 0;
    return open_old(w, ev);
}

/* ---- what comes next -------------------------------------------------------------------- */

static bool end_frame(pst_walk *w, pst_event *ev)
{
    ev->kind = PST_EV_END;
    ev->off = ev->end = pst_cursor_off(&w->r.in);
    ev->depth = --w->depth;
    object_done(w);
    return true;
}

/* What a frame has done for the next event. */
enum done { FAILED, REPORTED, OBJECT_NEXT };

static enum done done(bool fine)
{
    return fine ? REPORTED : FAILED;
}

static enum done piece(pst_walk *w, pst_event *ev, unsigned kind, bool read)
{
    ev->kind = (uint8_t)kind;
    ev->end = pst_cursor_off(&w->r.in);
    ev->depth = w->depth;
    return done(read);
}

/* Hook records: phase 0 flags, 1 an object, 2 class, 3 string, 4 count, 5 tags, 6 what is
 * behind the tie, 7 the end. */
static enum done next_hook(pst_walk *w, pst_frame *f, pst_event *ev)
{
    pst_token *t = &ev->token;
    bool fine = false;
    ev->off = pst_cursor_off(&w->r.in);
    if (f->phase == 2 && f->left) {          /* an object is whole: flags again */
        f->at++;
        f->phase = 0;
    }
    switch (f->phase) {
    case 0:
        fine = pst_reader_hook_flags(&w->r, &f->hook, f->left == 0);
        f->left = (f->hook.flags & PST_HOOK_RECURSE) != 0;
        f->phase = f->left ? 1 : 2;
        return piece(w, ev, PST_EV_HOOK_FLAGS, fine);
    case 1:
    case 6:
        return OBJECT_NEXT;
    case 2:
        fine = pst_reader_hook_class(&w->r, &f->hook, t);
        f->phase = 3;
        if (fine && !t->bytes && t->len >= w->class_count && !w->fragment)
            return done(pst_reader_fail(&w->r, PST_ERR_CLASS_INDEX, w->class_count, t->len));
        f->of.class_number = (uint32_t)(t->bytes ? w->class_count++ : t->len);
        return piece(w, ev, PST_EV_HOOK_CLASS, fine);
    case 3:
        fine = pst_reader_hook_string(&w->r, &f->hook, t);
        f->phase = f->hook.flags & PST_HOOK_HAS_LIST ? 4 : f->hook.extra ? 6 : 7;
        return piece(w, ev, PST_EV_HOOK_STRING, fine);
    case 4:
        fine = pst_reader_hook_list(&w->r, &f->hook, &t->len);
        f->left = t->len;
        f->phase = f->left ? 5 : f->hook.extra ? 6 : 7;
        return piece(w, ev, PST_EV_HOOK_COUNT, fine);
    case 5:
        fine = pst_reader_hook_tag(&w->r, &f->hook, &t->len);
        if (fine && t->len >= w->tag_count && !w->fragment)
            return done(pst_reader_fail(&w->r, PST_ERR_TAG, w->tag_count, t->len));
        if (--f->left == 0)
            f->phase = f->hook.extra ? 6 : 7;
        return piece(w, ev, PST_EV_HOOK_TAG, fine);
    default:
        return done(end_frame(w, ev));
    }
}

/* Frames that hold one object or two, and perhaps a piece behind them. */
static enum done next_few(pst_walk *w, pst_frame *f, pst_event *ev)
{
    unsigned objects = f->kind == PST_F_REGEXP ? 0 : f->kind == PST_F_TIED_KEY ? 2 : 1;
    f->at = f->phase;
    if (f->phase < objects)
        return OBJECT_NEXT;
    if (f->phase > objects || (f->kind != PST_F_REGEXP && f->kind != PST_F_TIED_IDX))
        return done(end_frame(w, ev));
    f->phase++;
    ev->off = pst_cursor_off(&w->r.in);
    if (f->kind == PST_F_TIED_IDX)
        return piece(w, ev, PST_EV_INDEX, pst_reader_index(&w->r, &ev->token.iv));
    return piece(w, ev, PST_EV_REGEXP_FLAGS, pst_reader_regexp_flags(&w->r, &ev->token));
}

/* Leaves that may be passed over, by the marker that stands there. */
static bool is_skimmed(unsigned wire)
{
    const uint64_t set = UINT64_C(1) << PST_OBJECT | UINT64_C(1) << PST_LSCALAR | UINT64_C(1) << PST_UNDEF | UINT64_C(1) << PST_INTEGER
                       | UINT64_C(1) << PST_DOUBLE | UINT64_C(1) << PST_BYTE | UINT64_C(1) << PST_NETINT
                       | UINT64_C(1) << PST_SCALAR | UINT64_C(1) << PST_SV_UNDEF | UINT64_C(1) << PST_SV_YES
                       | UINT64_C(1) << PST_SV_NO | UINT64_C(1) << PST_UTF8STR | UINT64_C(1) << PST_LUTF8STR
                       | UINT64_C(1) << PST_SVUNDEF_ELEM;
    return wire < 64 && (set >> wire & 1) != 0;
}

/* Pass over leaves and small plain objects of an array or a hash, up to something else. RETURNS:
 * false after an error. */
static bool skim(pst_walk *w, pst_frame *f)
{
    pst_token t;
    w->window.keep_off = UINT64_MAX;
    while (f->left && w->tag_count < w->skim_until && pst_cursor_need(&w->r.in, 1)) {
        if (is_skimmed(*w->r.in.pos)) {
            if (!pst_reader_next(&w->r, &t))
                return false;
            if (t.marker == PST_OBJECT) {
                if (!check_token(w, &t))
                    return false;
                if (w->named)
                    w->named(w->named_host, t.len);
            }
            else
                w->tag_count++;
        }
        else if (!pst_walk_pass_plain(w))
            break;
        if (f->kind == PST_F_HASH) {
            if (!pst_walk_read_key(w, f, &t))
                return false;
            if (f->marker == PST_FLAG_HASH && (t.flags & PST_KEY_ISSV)) {
                f->phase = 2;
                break;
            }
        }
        f->left--;
        f->at++;
    }
    w->window.keep_off = pst_cursor_off(&w->r.in);
    return true;
}

/* Hashes: phase 0 a value, 1 its key, 2 the key as an object, 3 that is whole. */
PST_INLINE enum done next_of_hash(pst_walk *w, pst_frame *f, pst_event *ev)
{
    if (f->phase == 3)
        pair_done(w, f);
    if (f->phase == 1 && w->quiet_keys && !take_key(w, f))
        return FAILED;
    if (w->skims && f->phase == 0 && !w->old && !skim(w, f))
        return FAILED;
    switch (f->phase) {
    case 0:
        return f->left ? OBJECT_NEXT : done(end_frame(w, ev));
    case 1:
        return done(report_key(w, ev));
    default:
        return OBJECT_NEXT;
    }
}

PST_INLINE enum done next_of_array(pst_walk *w, pst_frame *f, pst_event *ev)
{
    f->at += f->phase;
    f->phase = 0;
    if (w->skims && !w->old && !skim(w, f))
        return FAILED;
    return f->left ? OBJECT_NEXT : done(end_frame(w, ev));
}

bool pst_walk_next(pst_walk *w, pst_event *ev)
{
    pst_frame *f = NULL;
    enum done what = OBJECT_NEXT;
    if (!w->key_pending)
        w->window.keep_off = pst_cursor_off(&w->r.in);
    if (PST_UNLIKELY(!w->depth)) {
        if (w->done || w->r.error.code != PST_OK)
            return false;
    }
    else {
        f = &w->frames[w->depth - 1];
        switch (f->kind) {
        case PST_F_ARRAY: what = next_of_array(w, f, ev); break;
        case PST_F_HASH:  what = next_of_hash(w, f, ev); break;
        case PST_F_HOOK:  what = next_hook(w, f, ev); break;
        case PST_F_OLD:   what = f->phase == 2 ? done(end_frame(w, ev)) : OBJECT_NEXT; break;
        default:          what = next_few(w, f, ev); break;
        }
    }
    if (what == OBJECT_NEXT)
        what = done(PST_UNLIKELY(w->old) ? next_old(w, f, ev) : read_object(w, ev));
    if (PST_UNLIKELY(what == FAILED && w->window.no_memory))
        w->r.error.code = PST_ERR_MEMORY;
    return what == REPORTED;
}

bool pst_walk_skip(pst_walk *w, pst_event *ev)
{
    size_t depth = w->depth;
    bool keys_first = w->keys_first;
    w->keys_first = false;
    w->skims = true;
    while (pst_walk_next(w, ev) && !(ev->kind == PST_EV_END && ev->depth == depth - 1))
        ;
    w->keys_first = keys_first;
    w->skims = false;
    return w->r.error.code == PST_OK;
}
