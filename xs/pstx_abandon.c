/* pstx_abandon.c - freeing what a failed run has built.
 *
 * A damaged image or a dying hook leaves a structure behind that is partly unfinished and
 * may be circular. Objects that are still under construction are never shown to their
 * DESTROY; finished ones are. What still hangs together afterwards is taken apart.
 */
#include "pstx_retrieve.h"

/* Take the blessing away without calling DESTROY. */
static void unbless(pTHX_ SV *sv)
{
    HV *stash;
    PERL_UNUSED_CONTEXT;
    if (!sv || !SvOBJECT(sv))
        return;
    stash = SvSTASH(sv);
    SvOBJECT_off(sv);
    SvSTASH_set(sv, NULL);
    SvREFCNT_dec(stash);
}

/* Cut the references that a container holds. */
static void take_apart(pTHX_ SV *sv)
{
    unbless(aTHX_ sv);
    if (SvIMMORTAL(sv))
        return;
    SvREADONLY_off(sv);
    if (SvTYPE(sv) >= SVt_PVMG && SvRMAGICAL(sv)) {
        sv_unmagic(sv, PERL_MAGIC_tied);
        sv_unmagic(sv, PERL_MAGIC_tiedscalar);
        sv_unmagic(sv, PERL_MAGIC_tiedelem);
    }
    if (SvTYPE(sv) == SVt_PVAV)
        av_clear((AV *)sv);
    else if (SvTYPE(sv) == SVt_PVHV)
        hv_clear((HV *)sv);
    else if (SvTYPE(sv) < SVt_PVAV && SvROK(sv))
        sv_unref(sv);
}

/* Free, parents first, all that nobody but the tags holds. RETURNS: how many. */
static size_t free_unshared(pTHX_ pstx_retrieve *rt)
{
    size_t freed = 0, i;
    for (i = 0; i < rt->tag_count; i++) {
        SV *sv = rt->tags[i];
        if (sv && SvREFCNT(sv) == 1) {
            rt->tags[i] = NULL;
            SvREFCNT_dec_NN(sv);
            freed++;
        }
    }
    return freed;
}

void pstx_abandon(pTHX_ pstx_retrieve *rt)
{
    enum { PASSES = 4 };
    size_t i;
    int pass;
    pstx_retrieve_own_tags(aTHX_ rt);
    for (i = 0; i < rt->frame_count; i++)
        unbless(aTHX_ rt->frames[i].sv);
    while (rt->frame_count) {
        pstx_rframe *f = &rt->frames[--rt->frame_count];
        SV *sv = f->sv, *value = f->value;
        SvREFCNT_dec(sv);
        SvREFCNT_dec(value);
    }
    SvREFCNT_dec(rt->root);
    for (pass = 0; pass < PASSES && free_unshared(aTHX_ rt); pass++)
        ;
    /* What is left is circular, or user code holds it: that must stay as it is. */
    for (i = 0; i < rt->tag_count && !rt->user_code; i++)
        if (rt->tags[i])
            take_apart(aTHX_ rt->tags[i]);
    for (i = 0; i < rt->tag_count; i++)
        SvREFCNT_dec(rt->tags[i]);
}
