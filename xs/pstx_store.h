/* pstx_store.h - walking Perl data: the state of a storing run and its parts.
 *
 * Layer: glue. The walk is iterative. `store_walk` takes one item at a time:
 * scalars are written on the spot, a reference leads on to its referent, and a container
 * becomes a frame on a heap stack, which hands out its items one by one.
 *
 * Tags. Every item gets the next number; but an address is remembered only if it can be
 * met again. In the ordinary mode that is every SV with a reference count above 1. Three
 * things break that rule: weak references, arrays that do not own their elements (@_),
 * and user code, which may hand us anything. The first of these that the walk meets makes
 * it start over in the mode `all`, where each address is remembered; nothing has been
 * shown to anybody by then, and the bytes are the same up to that point.
 */
#ifndef PSTX_STORE_H
#define PSTX_STORE_H

#include "pstx_spill.h"

/* A class met in a run. */
typedef struct pstx_class {
    HV         *stash;       /* +1 */
    const char *name;        /* bytes, borrowed from the stash */
    STRLEN      name_len;
    IV          index;       /* number in the image, -1 before it is written */
    IV          same_name;   /* an earlier class whose name has the same bytes, or -1 */
    CV         *freeze;      /* +1: STORABLE_freeze, or NULL */
    bool        overloaded;
    bool        allowed;     /* the run may store its objects; asked once if not */
} pstx_class;

enum pstx_frame_kind {
    PSTX_FRAME_ARRAY,
    PSTX_FRAME_HASH,         /* large: the buckets, in perl's order */
    PSTX_FRAME_HASH_LIST,    /* small or sorted: a list of entries */
    PSTX_FRAME_HASH_KEYS,    /* copies of the keys: user code has run meanwhile */
    PSTX_FRAME_TIED_KEY,     /* the key is still to be written */
    PSTX_FRAME_TIED_IDX,     /* the index is still to be written */
    PSTX_FRAME_HOOK          /* sub-objects of a hook record */
};

typedef struct pstx_store_frame {
    enum pstx_frame_kind kind;
    bool      flagged;       /* hashes: FLAG_HASH */
    bool      restricted;
    bool      recursed;      /* hooks: a sub-object has been written */
    bool      owned;         /* sv counts this reference */
    uint8_t   hook_kind;
    uint8_t   key_flags;     /* hashes: flags of the key whose value is being written */
    SV       *sv;            /* the container; +1 once user code may run */
    IV        depth;         /* nesting below this frame, for the limits */
    IV        at, count;     /* arrays, lists: next item; hashes: keys left in count */
    const HEK *key;          /* hashes: the key whose value is being written, or NULL */
    HE       *entry;         /* HASH: the entry of that key */
    U32       bucket;        /* HASH: next bucket, before the permutation */
    U32       chunk;         /* HASH: entries to be listed next */
    size_t    first;         /* HASH_LIST: where the list begins in st->entries */
    HEK     **keys;          /* HASH_KEYS, owned: one block with the copies behind */
    AV       *list;          /* HOOK: what the hook returned, borrowed */
    IV        number;        /* HOOK: position of the class; TIED_IDX: the index */
} pstx_store_frame;

enum { PSTX_RECENT_CLASSES = 32 };      /* a power of two */

typedef struct pstx_store {
    pstx_run    run;         /* must be first */
    pst_writer  w;
    pstx_spill *spill;       /* borrowed: takes what is too much for memory, or NULL */
    SV         *image;       /* +1: the scalar whose buffer is written to */
    pstx_seen   seen;        /* address -> tag */
    uint32_t    tags;        /* number of the next item */
    bool        all;         /* remember every address */
    bool        user_code;   /* hooks may change what is being walked */
    bool        tainted;     /* a tainted scalar was written */
    bool        sorted;      /* keys are */
    SV         *via_ref;     /* what the REF written last refers to */
    SV         *stopped_at;  /* mortal: the path of what was too much for a limit, or NULL */
    SV         *root;        /* borrowed: what the walk begins with */
    IV          depth;
    pstx_store_frame *frames;
    size_t      frame_count, frame_room;
    HE        **entries;     /* lists of the open HASH_LIST frames, one behind the other */
    size_t      entry_count, entry_room;
    pstx_class *classes;
    size_t      class_count, class_room;
    size_t      recent[PSTX_RECENT_CLASSES];   /* positions, by address; any value is good */
    bool        odd_class_names;  /* a UTF-8 name was met: bytes must be compared */
    IV          class_numbers;    /* number of the next class to be written */
    pstx_seen   class_seen;  /* name -> position in classes */
    AV         *keep;        /* +1: what hooks returned stays alive until the end */
    SV        **held;        /* +1 each: with user code, all that has a tag, so that no */
    size_t      held_count, held_room;   /* address can come to mean something else */
} pstx_store;

/* What became of an item. */
enum pstx_step {
    PSTX_STEP_DONE,          /* written, or a frame was pushed */
    PSTX_STEP_DESCEND,       /* *sv is now what must be written next */
    PSTX_STEP_RESTART        /* start over in the modes that have been set */
};

/* ---- pstx_store.c: the walk ----------------------------------------------------------- */

/* Serialize what `root` refers to.
 *   header  written first
 *   object  whose options count, or NULL
 *   spill   gets the first parts of a large image, or NULL
 * RETURNS: the image, or what has not been spilled of it, mortal. PERL: croaks; runs user code (hooks). */
SV *pstx_store_image(pTHX_ SV *root, const pst_header *header, bool cloning, const pstx_object *object,
                     pstx_spill *spill);

/* Double the room for frames. */
void pstx_store_more_frames(pstx_store *st);

/* A new frame on top; its depth is set, and what all kinds of frames look at. RETURNS: borrowed, valid until
 * the next push. PERL: none. */
PST_INLINE pstx_store_frame *pstx_store_push(pTHX_ pstx_store *st, enum pstx_frame_kind kind, SV *sv)
{
    pstx_store_frame *f;
    PERL_UNUSED_CONTEXT;
    if (PST_UNLIKELY(st->frame_count == st->frame_room))
        pstx_store_more_frames(st);
    f = &st->frames[st->frame_count++];
    f->kind = kind;
    f->flagged = f->restricted = f->recursed = false;
    f->sv = sv;
    f->at = f->count = 0;
    f->key = NULL;
    f->entry = NULL;
    f->keys = NULL;
    f->bucket = 0;
    f->owned = st->user_code;
    if (PST_UNLIKELY(f->owned))
        SvREFCNT_inc_simple_void_NN(sv);
    f->depth = st->depth;
    return f;
}

/* Drop the top frame and what it owns. PERL: none. */
PST_INLINE void pstx_store_pop(pTHX_ pstx_store *st)
{
    pstx_store_frame *f = &st->frames[--st->frame_count];
    PERL_UNUSED_CONTEXT;
    if (f->kind == PSTX_FRAME_HASH_LIST)
        st->entry_count = f->first;
    else if (PST_UNLIKELY(f->kind == PSTX_FRAME_HASH_KEYS))
        Safefree(f->keys);
    if (PST_UNLIKELY(f->owned))
        SvREFCNT_dec(f->sv);
}

/* Write what an item is, its tag and blessing being done. PERL: croaks, runs user code. */
enum pstx_step pstx_store_body(pTHX_ pstx_store *st, SV **sv);

/* The next level of nesting, if there is a limit; croaks when it is one too many. */
void pstx_store_count_depth(pTHX_ pstx_store *st, IV limit, bool count);
PST_INLINE void pstx_store_deeper(pTHX_ pstx_store *st, IV limit, bool count)
{
    if (PST_UNLIKELY(limit != -1))
        pstx_store_count_depth(aTHX_ st, limit, count);
}

/* The class of a stash. RETURNS: borrowed, valid until the next call. PERL: none. */
pstx_class *pstx_store_find_class(pTHX_ pstx_store *st, HV *stash, size_t *recent);
PST_INLINE pstx_class *pstx_store_class(pTHX_ pstx_store *st, HV *stash)
{
    size_t *recent = &st->recent[PTR2UV(stash) / 8 % PSTX_RECENT_CLASSES];
    /* User code can give a stash another name. */
    if (PST_LIKELY(*recent < st->class_count && st->classes[*recent].stash == stash && !st->user_code))
        return &st->classes[*recent];
    return pstx_store_find_class(aTHX_ st, stash, recent);
}

/* Does the run admit objects of the class? RETURNS: the class, as above. PERL: croaks if not;
 * runs user code. */
pstx_class *pstx_store_check_class(pTHX_ pstx_store *st, pstx_class *cls);

/* The class whose number stands for this one: itself or an earlier one of the same bytes. */
PST_INLINE pstx_class *pstx_store_named_class(const pstx_store *st, pstx_class *cls)
{
    return PST_UNLIKELY(cls->same_name >= 0) ? &st->classes[cls->same_name] : cls;
}

/* BLESS or IX_BLESS for the class; the object must follow. PERL: none. */
PST_INLINE void pstx_store_bless(pstx_store *st, pstx_class *cls)
{
    pstx_class *named = pstx_store_named_class(st, cls);
    if (PST_LIKELY(named->index >= 0)) {
        (void)pst_write_bless_index(&st->w, (uint32_t)named->index);
        return;
    }
    named->index = st->class_numbers++;
    (void)pst_write_bless(&st->w, named->name, named->name_len);
}

/* A scalar that is not a reference: its value. PERL: none. */
void pstx_store_scalar(pTHX_ pstx_store *st, SV *sv);

/* `&PL_sv_undef`, which is written each time anew. PERL: none. */
void pstx_store_immortal_undef(pTHX_ pstx_store *st);

/* To be called before any user code. PERL: none. */
void pstx_store_user_code(pTHX_ pstx_store *st);

/* Keep `sv` alive until the run ends. PERL: none. */
void pstx_store_hold(pTHX_ pstx_store *st, SV *sv);

/* Ask for a restart in the mode `all` (and `user_code`), unless it is on already.
 * RETURNS: true if the caller must return PSTX_STEP_RESTART. */
PST_INLINE bool pstx_store_must_restart(pstx_store *st, bool user_code)
{
    if (st->all && (st->user_code || !user_code))
        return false;
    st->all = true;
    st->user_code = st->user_code || user_code;
    return true;
}

/* Do all readers for whom is written know a marker of this minor version? */
PST_INLINE bool pstx_store_knows(const pstx_store *st, enum pst_tag_minor minor)
{
    return st->run.opt.max_minor >= minor;
}

/* They do not know `what`, a plural. PERL: croaks. */
void pstx_store_unknown(pTHX_ const pstx_store *st, const char *what) __attribute__noreturn__;

/* Can this address be met again? */
PST_INLINE bool pstx_store_shared(const pstx_store *st, const SV *sv)
{
    return st->all || PSTX_IS_SHARED(sv);
}

/* Was this address, which can be met again, met before? Then OBJECT is written. Else it
 * has its tag now. */
bool pstx_store_seen_shared(pTHX_ pstx_store *st, SV *sv);

/* The same for any address. */
PST_INLINE bool pstx_store_seen(pTHX_ pstx_store *st, SV *sv)
{
    if (pstx_store_shared(st, sv))
        return pstx_store_seen_shared(aTHX_ st, sv);
    st->tags++;
    return false;
}

/* Slow half of pstx_store_leaf(). */
bool pstx_store_leaf_shared(pTHX_ pstx_store *st, SV *sv);

/* An integer. */
PST_INLINE void pstx_store_iv(pstx_store *st, SV *sv)
{
    if (PST_UNLIKELY(SvIsUV(sv) && SvUVX(sv) > (UV)IV_MAX))
        (void)pst_write_unsigned(&st->w, SvUVX(sv));
    else
        (void)pst_write_integer(&st->w, SvIVX(sv));
}

/* Write a plain scalar, if it is one. RETURNS: false if it needs the whole walk. */
PST_INLINE bool pstx_store_leaf(pTHX_ pstx_store *st, SV *sv)
{
    if (SvTYPE(sv) > SVt_PVNV || SvROK(sv))
        return false;
    if (PST_UNLIKELY(pstx_store_shared(st, sv)))
        return pstx_store_leaf_shared(aTHX_ st, sv);
    st->tags++;
    if (SvPOK(sv) && PSTX_IS_WRITTEN_BOOL(sv))
        pstx_store_scalar(aTHX_ st, sv);            /* it is a string and an integer, too */
    else if (SvPOK(sv))
        (void)pst_write_string(&st->w, SvPVX_const(sv), SvCUR(sv), cBOOL(SvUTF8(sv)));
    else if (SvIOK(sv))
        pstx_store_iv(st, sv);
#if NVSIZE == 8
    else if (SvNOK(sv))
        (void)pst_write_double(&st->w, (double)SvNVX(sv));
#endif
    else
        pstx_store_scalar(aTHX_ st, sv);
    return true;
}

/* ---- pstx_store_hash.c ------------------------------------------------------------------- */

/* A FLAG_HASH, or a HASH too large to be listed (see pstx_store_plain.h), of `count` keys, and a frame
 * for what is left of it. PERL: croaks. */
void pstx_store_hash_special(pTHX_ pstx_store *st, HV *hv, size_t count, bool sorted);

/* Write items up to the first that is no plain scalar. RETURNS: that one, borrowed, or
 * NULL when the hash is done (then the frame is gone). PERL: croaks. */
SV *pstx_store_hash_next(pTHX_ pstx_store *st, pstx_store_frame *f);

/* Make all open hash frames independent of the hashes' entries, which user code that is
 * about to run may free. PERL: none. */
void pstx_store_hash_detach(pTHX_ pstx_store *st);

/* ---- pstx_store_special.c ------------------------------------------------------------------ */

/* Containers and scalars that are tied, elements of tied ones. */
enum pstx_step pstx_store_tied(pTHX_ pstx_store *st, enum pst_tag tag, MAGIC *mg, SV **sv);
enum pstx_step pstx_store_tied_item(pTHX_ pstx_store *st, MAGIC *mg, SV **sv);
SV *pstx_store_tied_next(pTHX_ pstx_store *st, pstx_store_frame *f);

/* Does the run admit ties? PERL: croaks if not. */
void pstx_store_check_tie(pTHX_ const pstx_store *st);

/* qr// objects' bodies. PERL: runs user code (re::regexp_pattern). */
enum pstx_step pstx_store_regexp(pTHX_ pstx_store *st, SV *sv);

/* Code: its text, or refused. PERL: croaks, runs user code (B::Deparse). */
enum pstx_step pstx_store_code(pTHX_ pstx_store *st, SV *sv);

/* What cannot be stored: an error, or a string in its place with forgive_me. */
enum pstx_step pstx_store_refused(pTHX_ pstx_store *st, SV *sv);

/* ---- pstx_hooks.c --------------------------------------------------------------------------- */

/* Object of a class with STORABLE_freeze. PERL: croaks, runs user code. */
enum pstx_step pstx_store_hook(pTHX_ pstx_store *st, SV **sv, size_t class_at);
SV *pstx_store_hook_next(pTHX_ pstx_store *st, pstx_store_frame *f);

#endif
