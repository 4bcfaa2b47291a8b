/* pstx_path.c - see pstx_path.h. */
#include "pstx_path.h"
#include "pst_path.h"

static SV *text_of(pTHX_ const pst_path *path)
{
    char text[PST_PATH_MAX];
    size_t len = pst_path_format(path, text);
    return newSVpvn_flags(text, len, SVs_TEMP);
}

/* ---- storing: the data themselves are walked once more ------------------------------------- */

/* The way from one frame's item to the next frame. */
typedef struct walk {
    pst_path path;
    SV      *target;    /* what the way leads to */
    size_t   left;      /* references that may still be followed: the way may be circular */
} walk;

/* The magic that makes a scalar stand for an element of a tied container or be tied. */
static MAGIC *scalar_tie(pTHX_ SV *sv, int how)
{
    return SvTYPE(sv) >= SVt_PVMG && SvTYPE(sv) <= SVt_PVLV && SvGMAGICAL(sv) && SvSMAGICAL(sv)
        ? mg_find(sv, how) : NULL;
}

static bool is_tied_scalar(pTHX_ SV *sv)
{
    return scalar_tie(aTHX_ sv, PERL_MAGIC_tiedelem) || scalar_tie(aTHX_ sv, PERL_MAGIC_tiedscalar);
}

/* The object behind what is tied, and its step. RETURNS: borrowed, NULL if it is not tied. */
static SV *behind_tie(pTHX_ walk *w, SV *sv)
{
    MAGIC *mg;
    if (SvTYPE(sv) == SVt_PVAV || SvTYPE(sv) == SVt_PVHV) {
        mg = SvRMAGICAL(sv) ? mg_find(sv, PERL_MAGIC_tied) : NULL;
        if (mg)
            pst_path_add(&w->path, SvTYPE(sv) == SVt_PVAV ? PST_PATH_TIED_ARRAY : PST_PATH_TIED_HASH);
    }
    else {
        mg = scalar_tie(aTHX_ sv, PERL_MAGIC_tiedscalar);
        if (mg)
            pst_path_add(&w->path, PST_PATH_TIED_SCALAR);
    }
    return mg ? mg->mg_obj : NULL;
}

/* From a reference to `sv`: a scalar is a step, a container is none. RETURNS: does the way go
 * on from there? */
static bool follow(pTHX_ walk *w, SV *sv)
{
    if (SvTYPE(sv) > SVt_PVHV || SvTYPE(sv) == SVt_REGEXP || !w->left
        || (sv == w->target && !is_tied_scalar(aTHX_ sv)))
        return false;
    w->left--;
    if (SvTYPE(sv) < SVt_PVAV)
        pst_path_add(&w->path, PST_PATH_REFERENT);
    return true;
}

/* From the item at hand to the target, or as far as it goes. RETURNS: the end, borrowed. */
static SV *walk_item(pTHX_ walk *w, SV *sv)
{
    while (sv && sv != w->target) {
        SV *behind;
        if (scalar_tie(aTHX_ sv, PERL_MAGIC_tiedelem))
            break;
        behind = behind_tie(aTHX_ w, sv);
        if (behind) {
            sv = behind;
            continue;
        }
        if (SvTYPE(sv) >= SVt_PVAV || !SvROK(sv))
            break;
        sv = SvRV(sv);
        if (!follow(aTHX_ w, sv))
            break;
    }
    return sv;
}

/* The step of a frame. RETURNS: its item at hand, borrowed, or NULL.
 *   end  where the way to the frame ended */
static SV *frame_item(pTHX_ walk *w, const pstx_store_frame *f, SV *end)
{
    MAGIC *mg;
    SV **slot;
    IV at = f->at;
    switch (f->kind) {
    case PSTX_FRAME_ARRAY:
        if (!at)
            return NULL;
        pst_path_add_index(&w->path, PST_PATH_ITEM, at - 1);
        return !pstx_is_tied(aTHX_ f->sv) && at - 1 <= AvFILLp((AV *)f->sv)
            ? AvARRAY((AV *)f->sv)[at - 1] : NULL;
    case PSTX_FRAME_TIED_KEY:
    case PSTX_FRAME_TIED_IDX:
        pst_path_add(&w->path, PST_PATH_TIED_SCALAR);
        mg = end ? scalar_tie(aTHX_ end, PERL_MAGIC_tiedelem) : NULL;
        return mg ? mg->mg_obj : NULL;
    case PSTX_FRAME_HOOK:
        pst_path_add_index(&w->path, PST_PATH_FROZEN, at);
        return at < f->count ? AvARRAY(f->list)[at] : NULL;
    default:
        if (!f->key)
            return NULL;
        pst_path_add_key(&w->path, HEK_KEY(f->key), (size_t)HEK_LEN(f->key), cBOOL(HEK_UTF8(f->key)));
        if (pstx_is_tied(aTHX_ f->sv))
            return NULL;
        slot = hv_fetch((HV *)f->sv, HEK_KEY(f->key), HEK_UTF8(f->key) ? -HEK_LEN(f->key)
                                                                       : HEK_LEN(f->key), 0);
        return slot ? *slot : NULL;
    }
}

SV *pstx_path_of_store(pTHX_ const pstx_store *st)
{
    walk w;
    SV *sv;
    size_t i;
    if (st->stopped_at)
        return st->stopped_at;
    pst_path_init(&w.path);
    w.left = st->tags + st->frame_count + 1;
    w.target = st->frame_count ? st->frames[0].sv : st->via_ref;
    sv = st->root;
    if (sv && follow(aTHX_ &w, sv))
        sv = walk_item(aTHX_ &w, sv);
    for (i = 0; i < st->frame_count; i++) {
        SV *item = frame_item(aTHX_ &w, &st->frames[i], sv);
        w.target = i + 1 < st->frame_count ? st->frames[i + 1].sv : st->via_ref;
        sv = walk_item(aTHX_ &w, item);
    }
    return text_of(aTHX_ &w.path);
}

/* ---- retrieving: the frames tell all but the keys -------------------------------------------- */

static enum pst_path_kind tied_step(const pstx_rframe *f)
{
    return f->sv && SvTYPE(f->sv) == SVt_PVAV ? PST_PATH_TIED_ARRAY
         : f->sv && SvTYPE(f->sv) == SVt_PVHV ? PST_PATH_TIED_HASH : PST_PATH_TIED_SCALAR;
}

/* Is what the frame builds a scalar, which a reference to it makes a step? */
static bool builds_scalar(const pstx_rframe *f)
{
    switch (f->kind) {
    case PSTX_R_REF:
    case PSTX_R_TIED_KEY:
    case PSTX_R_TIED_KEY_KEY:
    case PSTX_R_TIED_IDX:
    case PSTX_R_VSTRING: return true;
    case PSTX_R_TIED:    return tied_step(f) == PST_PATH_TIED_SCALAR;
    default:             return false;
    }
}

/* Does the frame await what is behind a tie? */
static bool is_tie(const pstx_rframe *f)
{
    return f->kind == PSTX_R_TIED || f->kind == PSTX_R_TIED_KEY || f->kind == PSTX_R_TIED_IDX;
}

static void add_frame(pst_path *path, const pstx_rframe *f, const pstx_path_key *key)
{
    switch (f->kind) {
    case PSTX_R_ARRAY:
        pst_path_add_index(path, PST_PATH_ITEM, f->at);
        break;
    case PSTX_R_HASH:
    case PSTX_R_HASH_KEY:
        pst_path_add_key(path, key->bytes, key->len, key->utf8);
        break;
    case PSTX_R_TIED:
    case PSTX_R_HOOK_TIE:
    case PSTX_R_HOOK_DROP:
        pst_path_add(path, tied_step(f));
        break;
    case PSTX_R_TIED_KEY:
    case PSTX_R_TIED_KEY_KEY:
    case PSTX_R_TIED_IDX:
        pst_path_add(path, PST_PATH_TIED_SCALAR);
        break;
    default:
        break;
    }
}

/* The path through the first `count` frames. */
static SV *path_of_frames(pTHX_ const pstx_retrieve *rt, size_t count)
{
    pst_path path;
    pstx_path_key *keys;
    SV *text;
    bool referred = true;       /* a reference leads to the next frame */
    size_t i;
    uint64_t inner;
    ENTER;
    Newxz(keys, rt->frame_count + 1, pstx_path_key);
    SAVEFREEPV(keys);
    pstx_ahead_find_keys(aTHX_ rt, keys);
    pst_path_init(&path);
    for (i = 0; i < count; i++) {
        const pstx_rframe *f = &rt->frames[i];
        if (referred && builds_scalar(f))
            pst_path_add(&path, PST_PATH_REFERENT);
        for (inner = f->kind == PSTX_R_REF ? f->left : 0; inner; inner--)
            pst_path_add(&path, PST_PATH_REFERENT);
        if (f->kind == PSTX_R_HOOK && (i + 1 < rt->frame_count || rt->ahead == PSTX_AHEAD_OBJECT))
            pst_path_add_index(&path, PST_PATH_FROZEN, -1);
        if (i + 1 == rt->frame_count && !(rt->run.opt.flags & PSTX_TIE_OK) && is_tie(f))
            continue;           /* refused: what is tied is the place, not what is behind it */
        add_frame(&path, f, &keys[i]);
        if (f->kind != PSTX_R_BLESS)
            referred = f->kind == PSTX_R_REF || f->kind == PSTX_R_HOOK;
    }
    text = text_of(aTHX_ &path);
    LEAVE;
    return text;
}

SV *pstx_path_of_retrieve(pTHX_ const pstx_retrieve *rt)
{
    return rt->stopped_at ? rt->stopped_at : path_of_frames(aTHX_ rt, rt->frame_count);
}

SV *pstx_path_of_item(pTHX_ pstx_retrieve *rt, const SV *sv)
{
    const pstx_rframe *top = rt->frame_count ? &rt->frames[rt->frame_count - 1] : NULL;
    const bool own = top && top->sv == sv;
    const bool whole = !own || (top->kind <= PSTX_R_HASH && !top->left);
    const uint8_t ahead = rt->ahead;
    SV *path;
    rt->ahead = whole ? PSTX_AHEAD_DONE : PSTX_AHEAD_OBJECT;
    rt->frame_count -= own && whole;
    path = path_of_frames(aTHX_ rt, rt->frame_count - (own && !whole));
    rt->frame_count += own && whole;
    rt->ahead = ahead;
    return path;
}

SV *pstx_path_of_run(pTHX_ const pstx_run *run)
{
    return run->kind == PSTX_STORING ? pstx_path_of_store(aTHX_ (const pstx_store *)run)
                                     : pstx_path_of_retrieve(aTHX_ (const pstx_retrieve *)run);
}
