/* pstx_retrieve_old.c - walking images of majors 0 and 1.
 *
 * The items are built by the same functions as today's. Here stands what is different:
 * old tags, the marks around items, and class notices behind an object, which bless what
 * has just been built.
 */
#include "pstx_retrieve.h"

/* State of this walk. Old tags are arbitrary numbers of 64 bits, which may be more than a
 * pointer has, and the image chooses them: perl's hashes are made for that. */
typedef struct old_walk {
    pstx_retrieve *rt;
    HV            *tags;       /* old tag (8 bytes) -> today's tag */
    bool           tagged;
} old_walk;

static void free_walk(pTHX_ void *walk)
{
    SvREFCNT_dec((SV *)((old_walk *)walk)->tags);
    Safefree(walk);
}

/* The first object with this old tag counts. PERL: none. */
static void remember_old_tag(pTHX_ old_walk *walk, uint64_t old_tag, UV tag)
{
    SV **slot = hv_fetch(walk->tags, (const char *)&old_tag, sizeof old_tag, TRUE);
    if (!SvOK(*slot))
        sv_setuv(*slot, tag);
}

/* An object's notices, up to its end mark. */
static bool read_notices(pTHX_ pstx_retrieve *rt, SV *sv)
{
    pst_token t;
    bool end = false;
    for (;;) {
        if (!pst_reader_old_notice(&rt->r, &t, &end))
            return false;
        if (end)
            return true;
        if (rt->run.opt.trust != PSTX_TRUST_FULL)
            pstx_retrieve_check_class(aTHX_ rt, newSVpvn_flags((const char *)t.bytes, (STRLEN)t.len, SVs_TEMP),
                                      PSTX_AHEAD_UNKNOWN);
        if (rt->run.opt.flags & PSTX_BLESS_OK)
            pstx_retrieve_bless(aTHX_ rt, sv, gv_stashpvn((const char *)t.bytes, (U32)t.len, GV_ADD));
    }
}

/* Arrays that end in missing items are left short. */
static void drop_last_holes(pTHX_ SV *sv)
{
    PERL_UNUSED_CONTEXT;
    if (SvTYPE(sv) != SVt_PVAV || SvRMAGICAL(sv))
        return;
    while (AvFILLp((AV *)sv) >= 0 && AvARRAY((AV *)sv)[AvFILLp((AV *)sv)] == PSTX_HOLE)
        AvFILLp((AV *)sv)--;
}

/* Deliver an item, and what it completes, each with its notices. RETURNS: false when the
 * root is whole or the reader has failed. */
static bool deliver_old(pTHX_ old_walk *walk, SV *sv, bool notices)
{
    pstx_retrieve *rt = walk->rt;
    for (;;) {
        pstx_rframe *f;
        if (notices) {
            if (!read_notices(aTHX_ rt, sv)) {
                SvREFCNT_dec(sv);
                return false;
            }
            if (walk->tagged)
                drop_last_holes(aTHX_ sv);
        }
        notices = true;
        if (!rt->frame_count)
            break;
        f = &rt->frames[rt->frame_count - 1];
        if (f->kind == PSTX_R_BLESS) {
            (void)pstx_retrieve_pop(aTHX_ rt);
            continue;
        }
        if (walk->tagged && f->kind == PSTX_R_HASH && !pst_reader_old_key_mark(&rt->r)) {
            SvREFCNT_dec(sv);
            return false;
        }
        sv = pstx_retrieve_deliver(aTHX_ rt, sv);
        if (!sv)
            return rt->r.error.code == PST_OK;
    }
    rt->root = sv;
    /* Then the image was that of the reference itself. */
    rt->root_is_result = walk->tagged && SvROK(sv) && SvOBJECT(SvRV(sv));
    return false;
}

/* The mark before an item. RETURNS: false on error; *present: does an object follow? */
static bool read_item_mark(pTHX_ old_walk *walk, bool *present)
{
    pstx_retrieve *rt = walk->rt;
    pstx_rframe *f = rt->frame_count ? &rt->frames[rt->frame_count - 1] : NULL;
    PERL_UNUSED_CONTEXT;
    *present = true;
    if (!f || !walk->tagged)
        return true;
    if (f->kind == PSTX_R_ARRAY)
        return pst_reader_old_item(&rt->r, present);
    return f->kind != PSTX_R_HASH || pst_reader_old_value(&rt->r, present);
}

/* An OBJECT, its old tag being read. RETURNS: +1, NULL if there is none. PERL: croaks. */
static SV *object_by_old_tag(pTHX_ old_walk *walk, uint64_t old_tag)
{
    SV **slot = hv_fetch(walk->tags, (const char *)&old_tag, sizeof old_tag, FALSE), *sv;
    if (!slot)
        pstx_croak(aTHX_ PSTX_MSG_OLD_TAG, (UV)old_tag);
    sv = walk->rt->tags[SvUVX(*slot)];
    pstx_retrieve_count_object(walk->rt, sv);
    return SvREFCNT_inc(sv);
}

/* One object. RETURNS: +1 if it is whole, else NULL. */
static SV *old_item(pTHX_ old_walk *walk, bool *notices)
{
    pstx_retrieve *rt = walk->rt;
    uint64_t old_tag = 0;
    pst_token t;
    if (walk->tagged && !pst_reader_old_tag(&rt->r, &old_tag))
        return NULL;
    if (!pst_reader_old_next(&rt->r, &t))
        return NULL;
    *notices = t.marker != PST_OBJECT;
    if (!*notices && walk->tagged)
        return object_by_old_tag(aTHX_ walk, old_tag);
    if (walk->tagged)
        remember_old_tag(aTHX_ walk, old_tag, rt->tag_count);
    if (walk->tagged && (t.marker == PST_ARRAY || t.marker == PST_HASH) && t.len > PST_I32_MAX)
        t.len = 0;                        /* a negative count is none, says Storable */
    if (t.marker == PST_BLESS || t.marker == PST_IX_BLESS)
        (void)pstx_retrieve_push(aTHX_ rt, PSTX_R_BLESS, NULL);
    return pstx_retrieve_item(aTHX_ rt, &t);
}

bool pstx_retrieve_walk_old(pTHX_ pstx_retrieve *rt)
{
    old_walk *walk;
    Newxz(walk, 1, old_walk);
    SAVEDESTRUCTOR_X(free_walk, walk);
    walk->rt = rt;
    walk->tagged = pst_reader_is_tagged(&rt->r);
    if (walk->tagged)
        walk->tags = newHV();
    pstx_retrieve_own_tags(aTHX_ rt);
    for (;;) {
        bool present, notices = false;
        SV *sv;
        if (!read_item_mark(aTHX_ walk, &present))
            return false;
        if (present)
            sv = old_item(aTHX_ walk, &notices);
        else
            sv = rt->frames[rt->frame_count - 1].kind == PSTX_R_ARRAY ? &PL_sv_undef : newSV(0);
        if (sv ? !deliver_old(aTHX_ walk, sv, notices) : rt->r.error.code != PST_OK)
            return rt->root != NULL;
    }
}
