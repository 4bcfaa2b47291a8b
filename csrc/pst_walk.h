/* pst_walk.h - a walk over an image, event by event.
 *
 * Layer: core; a client of the reader. The walk knows the grammar (what may follow what) and
 * numbers tags and classes; its memory is one frame for each level of nesting. Every byte of
 * the image belongs to exactly one event, in the order of the wire. So explain can show
 * every byte, and the others take of it what they need.
 *
 * An object that consists of more than its marker opens a frame with PST_EV_BEGIN and closes
 * it with PST_EV_END; a leaf is one PST_EV_BEGIN. While an event is looked at,
 * walk->frames[0 .. event.depth - 1] are the frames around it; at PST_EV_BEGIN of no leaf
 * frames[event.depth] is the new one, at PST_EV_END the one that was.
 *
 * With `keys_first` the key of a hash value is known when the value begins (in the frame of
 * its hash), as people want to see it. Its bytes are still reported afterwards. That is what
 * needs a source that can be read anywhere; see pst_ahead.h for what it costs.
 *
 * Pointers in an event are good until the next one. An error stops the walk: pst_walk_next()
 * returns false, walk->r.error tells what and where, the frames tell the path.
 */
#ifndef PST_WALK_H
#define PST_WALK_H

#include "pst_reader.h"
#include "pst_source.h"

enum pst_event_kind {
    PST_EV_BEGIN,          /* a marker and its fixed part: event.token */
    PST_EV_END,            /* the object that began is whole; no bytes (old formats: the X) */
    PST_EV_KEY,            /* the key behind a hash value: token.bytes, len, flags; no bytes
                            * with PST_KEY_ISSV, an object follows */
    PST_EV_INDEX,          /* TIED_IDX: token.iv */
    PST_EV_REGEXP_FLAGS,   /* token.bytes, len */
    PST_EV_HOOK_FLAGS,     /* frame.hook: flags, extra */
    PST_EV_HOOK_CLASS,     /* token.bytes and len, or NULL and the class's number */
    PST_EV_HOOK_STRING,    /* token.bytes, len */
    PST_EV_HOOK_COUNT,     /* token.len tags follow */
    PST_EV_HOOK_TAG,       /* token.len: a tag */
    PST_EV_OLD,            /* old formats: an object opens a frame of its own, around the real
                            * one; tagged: token.len is its old tag */
    PST_EV_MARK,           /* old formats: there is an item, value, key; token.marker is the
                            * byte */
    PST_EV_MISSING,        /* old formats: there is none */
    PST_EV_NOTICE          /* old formats: a class for the object: token.bytes, len */
};

enum pst_frame_kind {
    PST_F_ARRAY, PST_F_HASH,
    PST_F_ONE,             /* REF and the like, TIED_ARRAY ..., BLESS, VSTRING, CODE: one object */
    PST_F_TIED_KEY, PST_F_TIED_IDX, PST_F_REGEXP, PST_F_HOOK, PST_F_OLD
};

/* What is known of the key of the value that a hash frame is at. */
enum { PST_KEY_UNKNOWN, PST_KEY_BYTES, PST_KEY_OBJECT };

#define PST_NO_TAG   UINT64_MAX
#define PST_NO_CLASS UINT32_MAX

typedef struct pst_frame {
    uint8_t  kind;         /* enum pst_frame_kind */
    uint8_t  phase;        /* private to the walk; see the functions below */
    uint8_t  marker;       /* of the object */
    uint8_t  flags;        /* FLAG_HASH: of the hash */
    uint8_t  key_state;    /* PST_KEY_*, of the child being read */
    uint8_t  key_flags;
    pst_hook hook;
    union {
        uint32_t key_len;       /* HASH, FLAG_HASH */
        uint32_t class_number;  /* BLESS, IX_BLESS, HOOK and old formats, once it is known; or PST_NO_CLASS */
    } of;
    uint64_t key_at;       /* where the key's bytes stand in walk->keys, or in the window */
    uint64_t left;         /* items, pairs, tags still to come, the one being read included */
    uint64_t at;           /* number of the child being read, from 0 */
    uint64_t off;          /* where the object begins */
    uint64_t user;         /* the caller's; 0 at first */
} pst_frame;

/* Is what a hash's frame is at a key that is an object? */
PST_INLINE bool pst_frame_at_key(const pst_frame *f)
{
    return f->phase > 1;
}

/* Is what a hook's frame is at the object behind the tie, and not one of its list? */
PST_INLINE bool pst_frame_at_tie(const pst_frame *f)
{
    return f->phase >= 6;
}

typedef struct pst_event {
    uint8_t   kind;        /* enum pst_event_kind */
    bool      leaf;        /* BEGIN: nothing follows that belongs to it */
    pst_token token;
    uint64_t  tag;         /* BEGIN: or PST_NO_TAG */
    uint64_t  off, end;    /* its bytes in the image */
    size_t    depth;       /* frames around it */
} pst_event;

struct pst_ahead;
typedef struct pst_walk {
    pst_reader        r;
    pst_window        window;
    const pst_memory *memory;
    pst_frame        *frames;
    size_t            depth, room;
    uint64_t          tag_count, class_count;
    bool              keys_first;
    bool              quiet_keys;   /* PST_EV_KEY is not wanted; may be set at any time */
    bool              skims;        /* nor are leaves in arrays and hashes, and small plain things;
                                     * their number in a frame goes on. Not with keys_first */
    void            (*named)(void *host, uint64_t tag);   /* OBJECTs that are skimmed; may be NULL */
    void             *named_host;
    uint64_t          skim_until;   /* the tag of an object that must be reported; UINT64_MAX */
    bool              fragment;     /* one object out of an image: tags cannot be checked */
    bool              old, tagged;
    bool              done;         /* the root is whole */
    bool              key_pending;  /* a key was read with its value and is to be reported */
    pst_event         pending;
    uint8_t          *keys;         /* keys of open values, one behind the other */
    size_t            keys_len, keys_room;
    struct pst_ahead *ahead;
} pst_walk;

PST_EXTERN_C_BEGIN

/* Read the header (with or without magic) and stop before the root. The walk holds memory:
 * release it also after an error.
 *   source, memory  borrowed
 *   keys_first      see above
 * RETURNS: false if the header is damaged or of a kind that cannot be decoded. */
bool pst_walk_init(pst_walk *w, const pst_source *source, const pst_memory *memory, bool keys_first);
void pst_walk_release(pst_walk *w);

/* The next event. RETURNS: false at the end (w->done) or after an error. */
bool pst_walk_next(pst_walk *w, pst_event *ev);

/* A walk of single objects of the image that `like` walks, for looking ahead; begin each with
 * pst_walk_restart(), which takes its offset. */
void pst_walk_init_fragment(pst_walk *w, const pst_walk *like);
void pst_walk_restart(pst_walk *w, uint64_t off);

/* Does the image begin with a magic? */
bool pst_source_has_magic(const pst_source *source);

/* Leave out the rest of the object whose BEGIN or OLD has just been reported: the next event
 * is its END. RETURNS: false after an error. Its tags are counted. */
bool pst_walk_skip(pst_walk *w, pst_event *ev);

/* Pass over the object that begins where the reader is, if it is small and consists of nothing
 * but references, arrays, hashes and leaves. RETURNS: was it? */
bool pst_walk_pass_plain(pst_walk *w);

/* Read the key that stands where the reader is, behind a value of a hash frame. */
bool pst_walk_read_key(pst_walk *w, const pst_frame *f, pst_token *t);

/* Where the root's last byte ends, once done; else where the walk is. */
uint64_t pst_walk_off(const pst_walk *w);

PST_EXTERN_C_END

/* The bytes of an event. RETURNS: borrowed until the next event. */
PST_INLINE const uint8_t *pst_event_bytes(const pst_walk *w, const pst_event *ev)
{
    return pst_window_at(&w->r.in, ev->off);
}

/* The key of the child that a hash frame is at. RETURNS: borrowed until the next event. */
PST_INLINE const uint8_t *pst_walk_key(const pst_walk *w, const pst_frame *f)
{
    return f->key_at == UINT64_MAX ? w->pending.token.bytes : w->keys + f->key_at;
}

#endif
