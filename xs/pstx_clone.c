/* pstx_clone.c - dclone straight from data to data.
 *
 * Plain data (scalars, references, arrays, hashes, objects without hooks) is copied by a
 * walk of its own; the result is what thaw(freeze(...)) would give, to the flags of the
 * scalars. As soon as the walk meets anything else (hooks, code, ties, magic, regexps, weak
 * references, @_) it gives up, and the copy is made through an image: that keeps the order in
 * which hooks are called, and no user code has run before. Limits are counted in images only.
 */
#include "pstx_clone.h"
#include "pstx_bless.h"
#include "pstx_hash.h"
#include "pstx_retrieve.h"
#include "pstx_store.h"

enum {
    SHARE_LEN      = 1024,    /* strings from this length on share their buffer, copied on write */
    CLASSES_KNOWN  = 8        /* by address */
};

typedef struct clone_frame {
    SV     *from, *to;   /* both AVs or HVs */
    SSize_t at;          /* next item, or next bucket */
    HE     *entry;       /* hashes: next entry */
} clone_frame;

/* A class met in the walk. */
typedef struct clone_class {
    HV  *stash;
    bool plain;
} clone_class;

typedef struct clone_walk {
    SV           *root;       /* +1: all that has been made hangs on it */
    SV           *blesser;    /* +1 or NULL: a reference to bless through */
    pstx_seen     seen;       /* source that can be met again -> position in made */
    SV          **made;
    size_t        made_count, made_room;
    clone_frame  *frames;
    size_t        frame_count, frame_room;
    SV          **blessed;    /* objects made, borrowed */
    size_t        blessed_count, blessed_room;
    clone_class   classes[CLASSES_KNOWN];
    const pstx_object *object;       /* whose classes are admitted, or NULL: all */
    bool          guarded;    /* it is on the savestack */
    bool          finished;
} clone_walk;

/* Take the references out of what may be circular in a copy that was given up. */
static void cut_open(pTHX_ clone_walk *walk)
{
    size_t i;
    for (i = 0; i < walk->made_count; i++)
        SvREFCNT_inc_simple_void_NN(walk->made[i]);
    for (i = 0; i < walk->made_count; i++) {
        SV *sv = walk->made[i];
        if (SvTYPE(sv) == SVt_PVAV)
            av_clear((AV *)sv);
        else if (SvTYPE(sv) == SVt_PVHV) {
            SvREADONLY_off(sv);
            hv_clear((HV *)sv);
        }
        else if (SvROK(sv))
            sv_unref(sv);
    }
    for (i = 0; i < walk->made_count; i++)
        SvREFCNT_dec_NN(walk->made[i]);
}

/* A copy that was given up is nobody's object: no DESTROY for it. */
static void give_up(pTHX_ clone_walk *walk)
{
    size_t i;
    for (i = 0; i < walk->blessed_count; i++)
        pstx_unbless(aTHX_ walk->blessed[i]);
    cut_open(aTHX_ walk);
    SvREFCNT_dec(walk->root);
}

static void destroy_walk(clone_walk *walk)
{
    pstx_seen_release(&walk->seen);
    Safefree(walk->made);
    Safefree(walk->frames);
    Safefree(walk->blessed);
    Safefree(walk);
}

void pstx_clone_forget(pTHX_ pstx_globals *globals)
{
    clone_walk *walk = (clone_walk *)globals->spare_clone;
    PERL_UNUSED_CONTEXT;
    globals->spare_clone = NULL;
    if (walk)
        destroy_walk(walk);
}

/* A walk, with the memory of the last one. */
static clone_walk *new_walk(pTHX)
{
    pstx_globals *globals = pstx_globals_get(aTHX);
    clone_walk *walk = (clone_walk *)globals->spare_clone;
    globals->spare_clone = NULL;
    if (!walk)
        Newxz(walk, 1, clone_walk);
    return walk;
}

static void end_walk(pTHX_ void *arg)
{
    enum { KEEP_ROOM = 1000 };     /* of anything: what is kept shall be small */
    clone_walk *walk = (clone_walk *)arg;
    pstx_globals *globals = pstx_globals_get(aTHX);
    if (!walk->finished)
        give_up(aTHX_ walk);
    SvREFCNT_dec(walk->blesser);
    walk->root = walk->blesser = NULL;
    if (walk->seen.count)
        pstx_seen_clear(&walk->seen);
    if (walk->guarded)
        Zero(walk->classes, CLASSES_KNOWN, clone_class);
    walk->made_count = walk->blessed_count = walk->frame_count = 0;
    walk->guarded = walk->finished = false;
    if (globals->spare_clone || walk->made_room > KEEP_ROOM || walk->blessed_room > KEEP_ROOM
        || walk->frame_room > KEEP_ROOM)
        destroy_walk(walk);
    else
        globals->spare_clone = walk;
}

/* Perl can die of a class that is wrong in itself: let the savestack end the walk then. */
static void guard(pTHX_ clone_walk *walk)
{
    if (walk->guarded)
        return;
    walk->guarded = true;
    ENTER;
    SAVEDESTRUCTOR_X(end_walk, walk);
}

PST_NOINLINE static void more_frames(clone_walk *walk)
{
    walk->frame_room = walk->frame_room ? walk->frame_room * 2 : 32;
    Renew(walk->frames, walk->frame_room, clone_frame);
}

PST_INLINE void push_frame(clone_walk *walk, SV *from, SV *to)
{
    clone_frame *f;
    if (PST_UNLIKELY(walk->frame_count == walk->frame_room))
        more_frames(walk);
    f = &walk->frames[walk->frame_count++];
    f->from = from;
    f->to = to;
    f->at = 0;
    f->entry = NULL;
}

/* Append to one of the two lists. */
PST_INLINE void append(SV ***list, size_t *count, size_t *room, SV *sv)
{
    if (*count == *room) {
        *room = *room ? *room * 2 : 32;
        Renew(*list, *room, SV *);
    }
    (*list)[(*count)++] = sv;
}

/* ---- objects ---------------------------------------------------------------------------------- */

/* Does the object that clones admit the class? If that is not known here, no. */
static bool is_admitted(pTHX_ const pstx_object *object, const char *name, I32 len)
{
    if (!object || object->trust == PSTX_TRUST_FULL)
        return true;
    return object->classes && SvTYPE(object->classes) == SVt_PVHV
        && hv_exists((HV *)object->classes, name, len);
}

/* Can objects of this class be copied here? Not if it has a hook, and not if its name does not
 * lead back to it. */
PST_NOINLINE static bool is_plain_class(pTHX_ clone_walk *walk, HV *stash)
{
    clone_class *cls = &walk->classes[PTR2UV(stash) / 64 % CLASSES_KNOWN];
    const char *name;
    if (PST_LIKELY(cls->stash == stash))
        return cls->plain;
    guard(aTHX_ walk);
    name = HvNAME_get(stash);
    cls->plain = name && !HvNAMEUTF8(stash) && strNE(name, "CGITempFile")
              && is_admitted(aTHX_ walk->object, name, (I32)HvNAMELEN_get(stash))
              && gv_stashpvn(name, (U32)HvNAMELEN_get(stash), 0) == stash
              && !gv_fetchmethod_autoload(stash, "STORABLE_freeze", FALSE);
    cls->stash = stash;
    return cls->plain;
}

PST_INLINE void bless(pTHX_ clone_walk *walk, SV *sv, HV *stash)
{
    pstx_bless(aTHX_ &walk->blesser, sv, stash);
    append(&walk->blessed, &walk->blessed_count, &walk->blessed_room, sv);
}

/* ---- scalars ----------------------------------------------------------------------------------- */

static SV *clone_string(pTHX_ SV *from)
{
    const U32 numbers = SVf_IOK | SVf_NOK | SVp_IOK | SVp_NOK;
    SV *sv;
    if (SvCUR(from) >= SHARE_LEN && !(SvFLAGS(from) & numbers)) {
        sv = newSV(0);
        sv_setsv_flags(sv, from, SV_NOSTEAL | PSTX_SHARE_BUFFER);
        return sv;
    }
    sv = pstx_new_string(aTHX_ SvPVX_const(from), SvCUR(from));
    if (SvUTF8(from) && SvCUR(from))
        SvUTF8_on(sv);
    return sv;
}

/* What freeze makes of a number, thaw would bring back. */
static SV *clone_iv(pTHX_ SV *from)
{
    if (SvIsUV(from) && SvUVX(from) > (UV)IV_MAX)
        return Perl_newSVpvf(aTHX_ "%" UVuf, SvUVX(from));
    return pstx_new_integer(aTHX_ SvIVX(from));
}

static SV *clone_nv(pTHX_ SV *from)
{
#if NVSIZE == 8 && IVSIZE == 8
    const NV limit = 9007199254740992.0;
    NV nv = SvNVX(from);
    if (nv > -limit && nv < limit && nv == (NV)(IV)nv)
        return pstx_new_integer(aTHX_ (IV)nv);
    return pstx_new_float(aTHX_ nv);
#else
    SV *copy = newSVnv(SvNVX(from)), *clone;
    (void)SvIV_nomg(copy);                 /* perl decides whether it is an integer */
    clone = SvIOK(copy) && !SvIsUV(copy) ? pstx_new_integer(aTHX_ SvIVX(copy))
                                         : pstx_new_float(aTHX_ SvNVX(from));
    SvREFCNT_dec_NN(copy);
    return clone;
#endif
}

/* A scalar without magic that is no reference. RETURNS: +1. */
PST_INLINE SV *clone_scalar(pTHX_ SV *from)
{
    if (SvPOK(from)) {
        if (PSTX_IS_WRITTEN_BOOL(from))
            return newSVsv(from);
        return clone_string(aTHX_ from);
    }
    if (SvIOK(from))
        return clone_iv(aTHX_ from);
    if (SvNOK(from))
        return clone_nv(aTHX_ from);
    if (!SvOK(from))
        return newSV(0);
    if (SvPOKp(from))
        return clone_string(aTHX_ from);
    return SvNOKp(from) ? clone_nv(aTHX_ from) : clone_iv(aTHX_ from);
}

/* ---- the walk -------------------------------------------------------------------------------------- */

/* Has an array other magic than what an assignment to $#array leaves, which is not its own
 * affair? */
PST_COLD static bool has_magic(const SV *sv)
{
    const MAGIC *mg;
    for (mg = SvMAGIC(sv); mg; mg = mg->mg_moremagic)
        if (mg->mg_type != PERL_MAGIC_arylen_p)
            return true;
    return false;
}

/* Is this something that only an image can copy? */
static bool is_special(const SV *sv)
{
    switch (SvTYPE(sv)) {
    case SVt_PVAV:
        return (SvRMAGICAL(sv) && has_magic(sv)) || !AvREAL((const AV *)sv);
    case SVt_PVHV:
        return cBOOL(SvRMAGICAL(sv));
    default:
        return SvTYPE(sv) > SVt_PVMG || SvMAGICAL(sv) || (SvROK(sv) && SvWEAKREF(sv));
    }
}

/* The empty copy of an item, a scalar whole. */
PST_INLINE SV *new_copy(pTHX_ SV *from)
{
    if (SvTYPE(from) == SVt_PVAV)
        return (SV *)newAV();
    if (SvTYPE(from) == SVt_PVHV)
        return (SV *)newHV();
    return SvROK(from) ? newSV_type(SVt_IV) : clone_scalar(aTHX_ from);
}

/* A scalar that is no object and has no magic? */
PST_INLINE bool is_simple(const SV *sv)
{
    return SvTYPE(sv) <= SVt_PVNV && !PSTX_IS_SHARED(sv);
}

/* Copy `from` and what it refers to, up to the first container, which becomes a frame.
 * The copy is attached to *slot at once. RETURNS: false if the walk must be given up. */
PST_FLATTEN PST_NOINLINE static bool clone_item(pTHX_ clone_walk *walk, SV *from, SV **slot)
{
    SV *reference = NULL;     /* what *slot belongs to, if it is a reference */
    for (;;) {
        SV *to;
        if (PST_LIKELY(is_simple(from) && (SvFLAGS(from) & (SVf_ROK | SVprv_WEAKREF)) == SVf_ROK))
            to = newSV_type(SVt_IV);
        else {
            uint32_t number = (uint32_t)walk->made_count;
            bool shared = PSTX_IS_SHARED(from), known = false;
            if (SvIMMORTAL(from))
                to = from;
            else if (is_special(from))
                return false;
            else if (shared && pstx_seen_add(&walk->seen, from, &number)) {
                known = true;
                to = SvREFCNT_inc_simple_NN(walk->made[number]);
            }
            else {
                if (SvOBJECT(from) && !is_plain_class(aTHX_ walk, SvSTASH(from)))
                    return false;
                to = new_copy(aTHX_ from);
                if (shared)
                    append(&walk->made, &walk->made_count, &walk->made_room, to);
            }
            if (known || to == from) {
                *slot = to;
                if (reference)
                    SvROK_on(reference);
                return true;
            }
        }
        *slot = to;
        if (reference)
            SvROK_on(reference);
        if (SvOBJECT(from))
            bless(aTHX_ walk, to, SvSTASH(from));
        if (SvTYPE(from) >= SVt_PVAV) {
            push_frame(walk, from, to);
            return true;
        }
        if (!SvROK(from))
            return true;
        reference = to;
        slot = &to->sv_u.svu_rv;
        from = SvRV(from);
    }
}

/* What becomes of a container in one go. */
enum clone_step {
    CLONE_DONE,       /* whole */
    CLONE_DESCEND,    /* one that is in it must come first */
    CLONE_GIVE_UP
};

PST_FLATTEN static enum clone_step clone_array(pTHX_ clone_walk *walk, clone_frame *f)
{
    AV *from = (AV *)f->from, *to = (AV *)f->to;
    const SSize_t last = AvFILLp(from);
    const size_t depth = walk->frame_count;
    SSize_t at = f->at;
    if (at == 0 && last >= 0)
        av_extend(to, last);
    while (at <= last) {
        SV *item = AvARRAY(from)[at];
        SV **slot = &AvARRAY(to)[at];
        *slot = PSTX_HOLE;
        AvFILLp(to) = at++;
        if (!item || (item == &PL_sv_undef && !PSTX_HAS_SVUNDEF_ELEM))
            continue;
        if (is_simple(item) && !SvROK(item)) {
            *slot = clone_scalar(aTHX_ item);
            continue;
        }
        f->at = at;                     /* the frame may move */
        pstx_prefetch_items(from, at - 1);
        if (!clone_item(aTHX_ walk, item, slot))
            return CLONE_GIVE_UP;
        if (walk->frame_count != depth)
            return CLONE_DESCEND;
    }
    return CLONE_DONE;
}

/* Would the image be a FLAG_HASH? */
static bool has_key_flags(const HV *hv)
{
    return SvREADONLY(hv) || HvHASKFLAGS(hv);
}

/* What thaw does at a hash's end; an empty one is not even locked. */
static void finish_hash(pTHX_ HV *from, HV *to)
{
    if (HvPLACEHOLDERS_get(from) && has_key_flags(from))
        HvPLACEHOLDERS_set(to, HvPLACEHOLDERS_get(from));
    if (SvREADONLY(from) && HvTOTALKEYS(from))
        SvREADONLY_on(to);
}

/* The slot of a key in the copy. */
PST_INLINE HE *slot_for(pTHX_ HV *to, HEK *key)
{
    HE *he = HEK_FLAGS(key) & ~HVhek_UTF8 ? NULL : pstx_hash_entry(aTHX_ to, key);
    if (PST_LIKELY(he != NULL))
        return he;
    return PSTX_HV_SLOT(to, NULL, HEK_KEY(key), (STRLEN)HEK_LEN(key),
                        (HEK_UTF8(key) ? HVhek_UTF8 : 0) | (HEK_WASUTF8(key) ? HVhek_WASUTF8 : 0),
                        HEK_HASH(key));
}

/* The next entry of a hash, in the order of its buckets; NULL at the end. */
PST_INLINE HE *next_entry(clone_frame *f)
{
    HV *from = (HV *)f->from;
    HE *he = f->entry;
    while (!he && (size_t)f->at <= HvMAX(from))
        he = HvARRAY(from)[f->at++];
    if (he)
        f->entry = HeNEXT(he);
    return he;
}

PST_FLATTEN static enum clone_step clone_hash(pTHX_ clone_walk *walk, clone_frame *f)
{
    HV *from = (HV *)f->from, *to = (HV *)f->to;
    const bool locks = cBOOL(SvREADONLY(from));
    const size_t depth = walk->frame_count;
    const HE *entry;
    if (f->at == 0 && HvTOTALKEYS(from))
        pstx_hash_presize(aTHX_ to, HvTOTALKEYS(from));
    if (!HvARRAY(from))
        return CLONE_DONE;
    while ((entry = next_entry(f))) {
        SV *value = HeVAL(entry);
        HE *he = slot_for(aTHX_ to, HeKEY_hek(entry));
        HeVAL(he) = &PL_sv_undef;      /* until it is there */
        if (value == &PL_sv_placeholder)      /* a plain HASH knows none */
            HeVAL(he) = has_key_flags(from) ? value : &PL_sv_undef;
        else if (is_simple(value) && !SvROK(value))
            HeVAL(he) = clone_scalar(aTHX_ value);
        else if (!clone_item(aTHX_ walk, value, &HeVAL(he)))
            return CLONE_GIVE_UP;
        if (locks && SvREADONLY(value) && !SvIMMORTAL(HeVAL(he)))
            SvREADONLY_on(HeVAL(he));
        if (walk->frame_count != depth)
            return CLONE_DESCEND;
    }
    finish_hash(aTHX_ from, to);
    return CLONE_DONE;
}

/* RETURNS: false if the walk must be given up. */
static bool clone_walk_all(pTHX_ clone_walk *walk, SV *root)
{
    if (!clone_item(aTHX_ walk, root, &walk->root))
        return false;
    while (walk->frame_count) {
        const size_t top = walk->frame_count - 1;
        clone_frame *f = &walk->frames[top];
        enum clone_step step = SvTYPE(f->from) == SVt_PVAV ? clone_array(aTHX_ walk, f) : clone_hash(aTHX_ walk, f);
        if (step == CLONE_GIVE_UP)
            return false;
        if (step == CLONE_DONE)
            walk->frame_count = top;
    }
    return true;
}

/* Copy what `ref` refers to, if it is plain data. RETURNS: a reference to the copy, mortal, or
 * NULL. PERL: croaks. */
static SV *clone_plain(pTHX_ SV *ref, const pstx_object *object)
{
    clone_walk *walk = new_walk(aTHX);
    SV *result = NULL;
    walk->object = object;
    walk->finished = clone_walk_all(aTHX_ walk, SvRV(ref));
    if (walk->finished)
        result = sv_2mortal(newRV_noinc(walk->root));
    if (walk->guarded)
        LEAVE;
    else
        end_walk(aTHX_ walk);
    return result;
}

static SV *clone_through_image(pTHX_ SV *ref)
{
    pst_header header;
    pst_header_host(&header, pstx_order_len(aTHX_ NULL), NVSIZE);
    return pstx_retrieve_memory(aTHX_ pstx_store_image(aTHX_ ref, &header, true, NULL, NULL), NULL, true, NULL);
}

/* Is there a limit of depth? The image's writer keeps count. */
static bool has_limit(pTHX)
{
    const pstx_globals *globals = pstx_globals_get(aTHX);
    return pstx_option_number(aTHX_ globals, PSTX_VAR_RECURSION_LIMIT) != -1
        || pstx_option_number(aTHX_ globals, PSTX_VAR_RECURSION_LIMIT_HASH) != -1;
}

SV *pstx_object_clone(pTHX_ const pstx_object *object, SV *ref)
{
    pstx_object copy = *object;
    pst_header header;
    SV *image;
    SvGETMAGIC(ref);
    if (!SvROK(ref))
        pstx_croak_outside(aTHX_ object, PSTX_MSG_NOT_A_REF_CLONE);
    if (object->max_depth == UV_MAX && object->max_bytes == UV_MAX && object->max_items == UV_MAX
        && (image = clone_plain(aTHX_ ref, object)) != NULL) {
        pstx_globals_get(aTHX)->last_netorder = false;
        return image;
    }
    pst_header_host(&header, IVSIZE, NVSIZE);
    copy.max_minor = PSTX_ANY_MINOR;          /* nobody else reads this image */
    image = pstx_store_image(aTHX_ ref, &header, true, &copy, NULL);
    return pstx_retrieve_memory(aTHX_ image, NULL, true, &copy);
}

SV *pstx_clone(pTHX_ SV *ref)
{
    SV *copy = NULL;
    if (!SvROK(ref))
        pstx_croak(aTHX_ PSTX_MSG_NOT_A_REF_CLONE);
    TAINT_NOT;            /* of the statement that calls; Storable's copies are clean */
    if (!has_limit(aTHX) && SvROK(ref))     /* limits may be tied: anything can have happened */
        copy = clone_plain(aTHX_ ref, NULL);
    if (!copy)
        return clone_through_image(aTHX_ ref);
    pstx_globals_get(aTHX)->last_netorder = false;
    return copy;
}
