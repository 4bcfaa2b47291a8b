/* pstx_retrieve.h - building Perl data: the state of a retrieving run and its parts.
 *
 * Layer: glue. The walk is iterative: each container under construction is a frame on a
 * heap stack and owns one reference to what it builds; a finished item is delivered to
 * the frame on top, or becomes the root. So at any moment all that has been built is
 * reachable from the frames, and a die anywhere can free it.
 *
 * Tags. `tags` maps numbers to addresses; runs of array items are found through the array
 * (pstx_retrieve_tags.c). They are borrowed until something could free an item that a
 * later OBJECT may name (user code, a weak reference, a repeated hash key); from then on
 * (`own_tags`) all are listed and each entry counts as a reference.
 */
#ifndef PSTX_RETRIEVE_H
#define PSTX_RETRIEVE_H

#include "pstx.h"
#include "pstx_io.h"

/* A class named in the image. */
typedef struct pstx_rclass {
    SV  *name;             /* +1 */
    HV  *stash;            /* +1, NULL if nothing is blessed */
    bool overload_tried;   /* its module has been loaded for its overloading */
} pstx_rclass;

enum pstx_rframe_kind {
    PSTX_R_ARRAY,
    PSTX_R_HASH,
    PSTX_R_HASH_KEY,       /* a value waits for its key, which is an object */
    PSTX_R_REF,            /* REF, OVERLOAD, WEAKREF, WEAKOVERLOAD: all that follow one another
                            * share a frame, `sv` is the innermost */
    PSTX_R_TIED,           /* TIED_ARRAY, _HASH, _SCALAR: awaits the object behind it */
    PSTX_R_TIED_KEY,       /* awaits the container */
    PSTX_R_TIED_KEY_KEY,   /* awaits the key, the container is in `value` */
    PSTX_R_TIED_IDX,
    PSTX_R_VSTRING,        /* awaits the scalar; the literal is in `value` */
    PSTX_R_HOOK,           /* awaits sub-objects of a hook record */
    PSTX_R_HOOK_TIE,       /* awaits the object behind a tied hooked object */
    PSTX_R_BLESS,          /* old formats only: awaits the object, which ends before it does */
    PSTX_R_HOOK_DROP       /* as HOOK_TIE, but STORABLE_attach has put another in the object's place */
};

typedef struct pstx_rframe {
    uint8_t  kind;         /* enum pstx_rframe_kind */
    bool     flagged;      /* FLAG_HASH */
    uint8_t  flags;        /* hash: its flags; TIED: the kind of magic */
    uint8_t  tie_level;    /* how many ties are nested in what it has got so far */
    pst_hook hook;         /* hashes: its flags are those of the key that is awaited */
    SV      *sv;           /* +1: what is being built; NULL for VSTRING */
    SV      *value;        /* +1 or NULL: see the kinds */
    uint64_t left;         /* arrays, hashes: items still to come; REF: references around `sv`,
                            * +1 each, which have the tags before its own */
    size_t   claim;        /* its share of rt->claimed */
    SSize_t  at;           /* arrays: index of the next item; hooks, REF: tag of `sv`;
                            * hashes: entries that are placeholders */
} pstx_rframe;

/* Items that came one behind the other into an array: their tags are not listed, as long
 * as nothing but this run can change the array. */
typedef struct pstx_tag_run {
    uint64_t first;        /* tag of the first */
    size_t   count;
    size_t   listed;       /* tags listed before */
    AV      *av;           /* borrowed */
    SSize_t  at;           /* index of the first */
} pstx_tag_run;

/* A key that came before: its hash value, and once it has come again, a scalar that shares
 * it with all hashes, which is the quickest key for perl. */
typedef struct pstx_key_memo {
    char     bytes[24];
    uint32_t kind;         /* its length, with PSTX_KEY_MEMO_UTF8; 0: empty */
    U32      hash;         /* 0: not known */
    SV      *key;          /* +1 or NULL */
} pstx_key_memo;

#define PSTX_KEY_MEMO_UTF8 0x80000000u

enum {
    PSTX_KEY_MEMOS = 256,
    PSTX_KEY_MEMO_MAX = 64     /* keys of larger hashes are hardly those of others */
};

/* What comes next in the image where a run has stopped; pstx_ahead.c reads on from there. */
enum pstx_ahead {
    PSTX_AHEAD_UNKNOWN,
    PSTX_AHEAD_OBJECT,        /* the object that the top frame awaits */
    PSTX_AHEAD_DONE,          /* what stands behind it */
    PSTX_AHEAD_HOOK_REST,     /* the top frame's hook record, from the string on */
    PSTX_AHEAD_HOOK_DONE,     /* what stands behind the top frame's hook record */
    PSTX_AHEAD_REGEXP_FLAGS,
    PSTX_AHEAD_BAD_MARKER     /* a marker that is none, and what belongs to it */
};

typedef struct pstx_retrieve {
    pstx_run      run;     /* must be first */
    pst_reader    r;
    pstx_input    input;   /* a handle's window, unused for memory */
    SV           *holder;  /* +1 or NULL: our own hold on the image, once user code runs */
    SV           *image;   /* borrowed: the scalar with the image, NULL for handles */
    bool          file;    /* the image has a magic, messages say "file" */
    bool          own_tags;
    bool          user_code;
    bool          finished;
    bool          root_is_result;  /* old formats: the root is returned as it is */
    uint8_t       ahead;   /* enum pstx_ahead */
    SSize_t       tmps_base;       /* perl's temporaries when the run began */
    HV           *bless;   /* borrowed: class for the object that comes next, or NULL */
    SV           *blesser; /* +1 or NULL: a reference to bless through */
    SV           *stopped_at;      /* mortal: the path of the item that was one too many, or NULL */
    SV           *root;    /* +1 once the image has been read */
    SV          **tags;    /* those listed: all of them, once own_tags is set */
    size_t        tag_count, tag_room;     /* tag_room may be less than there is: a limit */
    size_t        tag_allocated;
    pstx_tag_run *tag_runs;
    size_t        tag_run_count, tag_run_room;
    size_t        unlisted;        /* items of all tag_runs */
    UV            depth, max_depth;        /* levels, counted by references */
    size_t        claimed; /* items for which open frames have allocated ahead */
    pstx_rframe  *frames;
    size_t        frame_count, frame_room;
    uint8_t      *ref_markers;     /* of all references in open REF frames, outermost first */
    size_t        ref_count, ref_room;
    pstx_seen     tie_levels;      /* the tie_level of what has been built, unless it is 0 */
    uint64_t      magic_bytes;     /* what ties and weak references have taken, see take_magic() */
    pstx_rclass  *classes;
    size_t        class_count, class_room;
    pstx_key_memo memos[PSTX_KEY_MEMOS];   /* good for all runs: hash values do not change */
} pstx_retrieve;

/* ---- pstx_retrieve.c: the walk ------------------------------------------------------------ */

/* Read the image in `image`, or the next one on `handle`.
 *   flags    overrides $Storable::flags if defined; may be NULL
 *   file     it has a magic
 *   owned    nobody else reads from it: more than the image may be consumed
 *   object   whose options count, or NULL. Then the image must be whole and, in memory or on a
 *            handle that is owned, all that there is
 * RETURNS: a reference to the root, mortal, or &PL_sv_undef for a truncated image.
 * PERL: croaks; runs user code. */
SV *pstx_retrieve_memory(pTHX_ SV *image, SV *flags, bool cloning, const pstx_object *object);
SV *pstx_retrieve_handle(pTHX_ IO *handle, SV *flags, bool owned, const pstx_object *object);

/* Give `sv` the next tag and the class that waits. RETURNS: sv. PERL: croaks. */
SV *pstx_retrieve_register(pTHX_ pstx_retrieve *rt, SV *sv);

/* One item, its token being read. RETURNS: +1 if it is whole; NULL if a frame was pushed
 * or the reader has failed. PERL: croaks, runs user code. */
SV *pstx_retrieve_item(pTHX_ pstx_retrieve *rt, pst_token *t);

/* Deliver `sv` (+1, consumed) to the frame on top. RETURNS: what the frame built, +1, if
 * it is whole now; NULL if more must come or the reader has failed. */
SV *pstx_retrieve_deliver(pTHX_ pstx_retrieve *rt, SV *sv);

/* A frame that owns `sv` (may be NULL). RETURNS: borrowed, valid until the next push. */
pstx_rframe *pstx_retrieve_push(pTHX_ pstx_retrieve *rt, enum pstx_rframe_kind kind, SV *sv);

/* How many of `count` announced items of `bytes` each may be allocated ahead by the top
 * frame: no more than the rest of the input can hold beside what others have claimed. */
size_t pstx_retrieve_claim(pstx_retrieve *rt, uint64_t count, size_t bytes);

/* Free `sv` (+1, consumed), which has a tag and no place in the data. */
void pstx_retrieve_drop(pTHX_ pstx_retrieve *rt, SV *sv);

/* Refuse `sv` (+1, consumed): it cannot stand where the marker says. RETURNS: NULL. */
SV *pstx_retrieve_refuse(pTHX_ pstx_retrieve *rt, SV *sv, uint8_t marker);

/* Can it be an item, a value or a key? Containers and code cannot, only references to them. */
PST_INLINE bool pstx_retrieve_is_scalar(const SV *sv)
{
    return SvTYPE(sv) < SVt_PVAV;
}

/* `sv` (+1, consumed) as what stands in a scalar's place: itself, or a reference to it if some
 * writer has left out the REF. RETURNS: +1. PERL: none. */
PST_INLINE SV *pstx_retrieve_as_scalar(pTHX_ SV *sv)
{
    return PST_LIKELY(pstx_retrieve_is_scalar(sv)) ? sv : newRV_noinc(sv);
}

/* Text in UTF-8, which perl trusts blindly: each byte that is out of place becomes U+FFFD.
 * RETURNS: NULL if nothing is wrong, else the mended text, mortal. PERL: none. */
SV *pstx_retrieve_mend_utf8(pTHX_ const char *bytes, STRLEN len);

/* What the frame `f`, which is on top, has built is complete, and has ties in it: remember it, and
 * count it for the frame below. */
void pstx_retrieve_pass_level(pstx_retrieve *rt, const pstx_rframe *f);

/* Drop the top frame and give what it built away. RETURNS: +1. */
PST_INLINE SV *pstx_retrieve_pop(pTHX_ pstx_retrieve *rt)
{
    pstx_rframe *f = &rt->frames[--rt->frame_count];
    PERL_UNUSED_CONTEXT;
    rt->claimed -= f->claim;
    if (PST_UNLIKELY(f->tie_level))
        pstx_retrieve_pass_level(rt, f);
    return f->sv;
}

/* To be called before any user code: nothing that the run needs may depend on it.
 * PERL: none. */
void pstx_retrieve_user_code(pTHX_ pstx_retrieve *rt);

/* Bless `sv`. PERL: croaks on what cannot be blessed. */
void pstx_retrieve_bless(pTHX_ pstx_retrieve *rt, SV *sv, HV *stash);

/* A class by name (new) or by number.
 *   ahead  what follows in the image
 * RETURNS: borrowed, valid until the next class; NULL after an error. PERL: croaks if the run
 * does not admit the class; runs user code. */
pstx_rclass *pstx_retrieve_class(pTHX_ pstx_retrieve *rt, const pst_token *t, enum pstx_ahead ahead);

/* Does the run admit a class of this name? PERL: croaks if not; runs user code. */
void pstx_retrieve_check_class(pTHX_ pstx_retrieve *rt, SV *name, enum pstx_ahead ahead);

/* PERL: croaks. */
void pstx_retrieve_too_deep(pTHX_ pstx_retrieve *rt) __attribute__noreturn__;

/* One reference deeper. RETURNS: false if that is too deep for the run. */
PST_INLINE bool pstx_retrieve_deeper(pstx_retrieve *rt)
{
    return PST_LIKELY(++rt->depth <= rt->max_depth);
}

/* ---- pstx_retrieve_tags.c -------------------------------------------------------------------- */

/* Let each tag count as a reference from now on. PERL: none. */
void pstx_retrieve_own_tags(pTHX_ pstx_retrieve *rt);

/* What a tag names. RETURNS: borrowed; NULL if there is no such tag yet. PERL: none. */
SV *pstx_retrieve_tag_in_runs(const pstx_retrieve *rt, uint64_t tag);
PST_INLINE SV *pstx_retrieve_tag(const pstx_retrieve *rt, uint64_t tag)
{
    if (PST_UNLIKELY(rt->unlisted))
        return pstx_retrieve_tag_in_runs(rt, tag);
    return PST_LIKELY(tag < rt->tag_count) ? rt->tags[tag] : NULL;
}

/* Give the next `count` tags to the items of `av` from index `at` on. PERL: none. */
void pstx_retrieve_tag_items(pTHX_ pstx_retrieve *rt, AV *av, SSize_t at, size_t count);

/* Take items that are references to what has a tag already, and put them (+1, not yet registered)
 * into the slots up to `stop`. RETURNS: the slot behind them. PERL: none. */
SV **pstx_retrieve_known_refs(pTHX_ pstx_retrieve *rt, SV **slot, SV **stop);

/* Make room for the next tag, that of `sv`; with a limit of items, also fail if it is one too many. */
void pstx_retrieve_more_tags(pTHX_ pstx_retrieve *rt, SV *sv);

/* Let the limit of items count from now on. */
void pstx_retrieve_limit_tags(pstx_retrieve *rt);

/* How many tags have been given. */
PST_INLINE size_t pstx_retrieve_tag_count(const pstx_retrieve *rt)
{
    return rt->tag_count + rt->unlisted;
}

/* Give `sv` the next tag. */
PST_INLINE void pstx_retrieve_add_tag(pTHX_ pstx_retrieve *rt, SV *sv)
{
    if (PST_UNLIKELY(rt->tag_count == rt->tag_room))
        pstx_retrieve_more_tags(aTHX_ rt, sv);
    rt->tags[rt->tag_count++] = sv;
    if (PST_UNLIKELY(rt->own_tags))
        SvREFCNT_inc_simple_void_NN(sv);
}

/* ---- pstx_retrieve_hash.c -------------------------------------------------------------------- */

/* A new hash and its frame, or the finished hash if it is empty. RETURNS: as
 * pstx_retrieve_special(). */
SV *pstx_retrieve_hash(pTHX_ pstx_retrieve *rt, const pst_token *t, bool flagged);

/* The top frame is a hash: take pairs as long as the values are plain scalars.
 * RETURNS: false on error. */
bool pstx_retrieve_hash_run(pTHX_ pstx_retrieve *rt);

/* Take `value` (+1, consumed) with the key that follows. RETURNS: false on error. */
bool pstx_retrieve_hash_value(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *value);

/* Take a key that is an object (consumed), for the value that waits. */
bool pstx_retrieve_hash_key(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *key);

/* Lock what must be locked. */
void pstx_retrieve_hash_end(pTHX_ const pstx_retrieve *rt, pstx_rframe *f);

/* A UTF8STR, mended where it must be. RETURNS: +1, not yet registered. */
SV *pstx_retrieve_utf8(pTHX_ const pst_token *t);

/* The scalar that pst_reader_plain() has found. RETURNS: +1, not yet registered. */
PST_INLINE SV *pstx_retrieve_plain(pTHX_ const pst_token *t)
{
    if (t->marker == PST_INTEGER)
        return pstx_new_integer(aTHX_ t->iv);
    if (t->marker == PST_DOUBLE) {
        double nv;
        memcpy(&nv, &t->iv, sizeof nv);
        return pstx_new_float(aTHX_ (NV)nv);
    }
    if (PST_UNLIKELY(t->marker == PST_UTF8STR))
        return pstx_retrieve_utf8(aTHX_ t);
    return pstx_new_string(aTHX_ (const char *)t->bytes, (STRLEN)t->len);
}

/* ---- pstx_retrieve_special.c ------------------------------------------------------------------- */

/* Everything but plain scalars, arrays and hashes. RETURNS: the item, +1, if it is whole;
 * NULL if a frame was pushed or the reader has failed. PERL: croaks, runs user code. */
SV *pstx_retrieve_special(pTHX_ pstx_retrieve *rt, pst_token *t);

/* REF, OVERLOAD, WEAKREF, WEAKOVERLOAD. Returns as pstx_retrieve_special(). */
SV *pstx_retrieve_ref(pTHX_ pstx_retrieve *rt, uint8_t marker);

/* The same for the commonest case, a REF with an array or a hash behind it, of a class that is
 * known or of none: *t is the container's token now. RETURNS: false, with nothing consumed or
 * changed, for all else. PERL: none. */
bool pstx_retrieve_ref_to_new(pTHX_ pstx_retrieve *rt, pst_token *t);

/* One more tie, the object behind it is to come. RETURNS: false if ties take too much memory. */
bool pstx_retrieve_open_tie(pstx_retrieve *rt);

/* A tag leads to `sv`, which has its place in what the top frame builds, too. */
void pstx_retrieve_count_object(pstx_retrieve *rt, const SV *sv);

/* Deliver `sv` (+1, consumed) to a frame of the special kinds. RETURNS: what the frame
 * built, +1, if it is whole now; NULL if more must come or the reader has failed. */
SV *pstx_retrieve_deliver_special(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *sv);

/* ---- pstx_retrieve_hook.c ------------------------------------------------------------------------ */

/* A hook record; returns as the two above. */
SV *pstx_retrieve_hook(pTHX_ pstx_retrieve *rt, pst_token *t);
SV *pstx_retrieve_hook_item(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *item);

/* ---- pstx_retrieve_old.c ------------------------------------------------------------------------- */

/* Read the whole of an image in an old format. RETURNS: false if the reader has failed. */
bool pstx_retrieve_walk_old(pTHX_ pstx_retrieve *rt);

/* ---- pstx_abandon.c --------------------------------------------------------------------------------- */

/* Free a half-built structure: see there. */
void pstx_abandon(pTHX_ pstx_retrieve *rt);

#endif
