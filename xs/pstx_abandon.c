/* pstx_abandon.c - freeing what a failed run has built.
 *
 * A damaged image or a dying hook leaves a structure behind that is partly unfinished and
 * may be circular. Objects that are still under construction are never shown to their
 * DESTROY; finished ones are. What still hangs together afterwards is circular, or held by
 * somebody outside (a hook may have kept an object). The first kind is taken apart, the
 * second is left alone with all that it reaches.
 */
#include "pstx_retrieve.h"

/* Cut the references that a container holds. */
static void take_apart(pTHX_ SV *sv)
{
    pstx_unbless(aTHX_ sv);
    if (SvIMMORTAL(sv))
        return;
    if (SvTYPE(sv) == SVt_PVAV || SvTYPE(sv) == SVt_PVHV)
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

/* ---- who holds whom ------------------------------------------------------------------------ */

/* What is left, and for each how many references to it come from the others. */
typedef struct leftovers {
    pstx_seen seen;        /* address -> position in tags */
    uint32_t *inner;       /* by position: references from among the leftovers */
    uint32_t *passing;     /* by position: references from perl's temporaries */
    uint32_t *held;        /* by position: our own references, one for each tag */
    bool     *keep;        /* by position: reachable from outside */
    bool     *loose;       /* by position: not circular, goes by itself */
    uint32_t *todo;        /* positions whose children are still to be looked at */
    size_t    todo_count;
} leftovers;

typedef void (*child_visitor)(leftovers *left, uint32_t child);

static void visit(leftovers *left, const SV *sv, child_visitor visitor)
{
    uint32_t at;
    if (sv && pstx_seen_get(&left->seen, sv, &at))
        visitor(left, at);
}

/* Visit what a counted reference leads to from `sv`. */
static void each_child(pTHX_ leftovers *left, SV *sv, child_visitor visitor)
{
    SSize_t i;
    MAGIC *mg = SvTYPE(sv) >= SVt_PVMG ? SvMAGIC(sv) : NULL;
    PERL_UNUSED_CONTEXT;
    for (; mg; mg = mg->mg_moremagic)
        if (mg->mg_flags & MGf_REFCOUNTED)
            visit(left, mg->mg_obj, visitor);
    if (SvTYPE(sv) == SVt_PVAV) {
        for (i = 0; i <= AvFILLp((AV *)sv); i++)
            visit(left, AvARRAY((AV *)sv)[i], visitor);
    }
    else if (SvTYPE(sv) == SVt_PVHV) {
        for (i = 0; HvARRAY((HV *)sv) && (size_t)i <= HvMAX((HV *)sv); i++) {
            const HE *he;
            for (he = HvARRAY((HV *)sv)[i]; he; he = HeNEXT(he))
                visit(left, HeVAL(he), visitor);
        }
    }
    else if (SvTYPE(sv) < SVt_PVAV && SvROK(sv) && !SvWEAKREF(sv))
        visit(left, SvRV(sv), visitor);
}

static void count_inner(leftovers *left, uint32_t child)
{
    left->inner[child]++;
}

static void count_passing(leftovers *left, uint32_t child)
{
    left->passing[child]++;
}

/* One reference less from among the leftovers: is it the last? */
static void let_go(leftovers *left, uint32_t child)
{
    if (--left->inner[child] || left->keep[child])
        return;
    left->loose[child] = true;
    left->todo[left->todo_count++] = child;
}

static void keep_it(leftovers *left, uint32_t child)
{
    if (left->keep[child])
        return;
    left->keep[child] = true;
    left->todo[left->todo_count++] = child;
}

/* References of temporaries that this run has made, such as the arguments of a hook that
 * has died: perl has not freed them yet, but it will. */
static void count_temporaries(pTHX_ const pstx_retrieve *rt, leftovers *left)
{
    SSize_t i, k;
    for (i = rt->tmps_base + 1; i <= PL_tmps_ix; i++) {
        SV *sv = PL_tmps_stack[i];
        if (!sv || SvIS_FREED(sv))
            continue;
        visit(left, sv, count_passing);
        each_child(aTHX_ left, sv, count_passing);
        if (SvTYPE(sv) == SVt_PVAV)            /* the list of a hook: references */
            for (k = 0; k <= AvFILLp((AV *)sv); k++)
                if (AvARRAY((AV *)sv)[k])
                    each_child(aTHX_ left, AvARRAY((AV *)sv)[k], count_passing);
    }
}

/* Is tags[at] still there, and not the same as an earlier one? */
static bool is_leftover(const pstx_retrieve *rt, const leftovers *left, uint32_t at)
{
    uint32_t first;
    return rt->tags[at] && pstx_seen_get(&left->seen, rt->tags[at], &first) && first == at;
}

/* Mark what is held from outside, and all that hangs on it. */
static void find_kept(pTHX_ pstx_retrieve *rt, leftovers *left)
{
    uint32_t i;
    for (i = 0; i < rt->tag_count; i++)
        if (is_leftover(rt, left, i))
            each_child(aTHX_ left, rt->tags[i], count_inner);
    count_temporaries(aTHX_ rt, left);
    for (i = 0; i < rt->tag_count; i++)
        if (is_leftover(rt, left, i) && SvREFCNT(rt->tags[i]) > left->inner[i] + left->passing[i] + left->held[i])
            keep_it(left, i);
    while (left->todo_count)
        each_child(aTHX_ left, rt->tags[left->todo[--left->todo_count]], keep_it);
}

/* Mark what nothing among the leftovers holds, and then what only such things hold. */
static void find_loose(pTHX_ pstx_retrieve *rt, leftovers *left)
{
    uint32_t i;
    for (i = 0; i < rt->tag_count; i++)
        if (is_leftover(rt, left, i) && !left->keep[i] && !left->inner[i] && !left->loose[i]) {
            left->loose[i] = true;
            left->todo[left->todo_count++] = i;
        }
    while (left->todo_count)
        each_child(aTHX_ left, rt->tags[left->todo[--left->todo_count]], let_go);
}

static void take_leftovers_apart(pTHX_ pstx_retrieve *rt)
{
    leftovers left;
    uint32_t i;
    Zero(&left, 1, leftovers);
    Newxz(left.inner, rt->tag_count, uint32_t);
    Newxz(left.passing, rt->tag_count, uint32_t);
    Newxz(left.held, rt->tag_count, uint32_t);
    Newxz(left.loose, rt->tag_count, bool);
    Newxz(left.keep, rt->tag_count, bool);
    Newx(left.todo, rt->tag_count, uint32_t);
    for (i = 0; i < rt->tag_count; i++) {
        uint32_t at = i;
        if (rt->tags[i]) {
            (void)pstx_seen_add(&left.seen, rt->tags[i], &at);
            left.held[at]++;              /* ours; a tag or two, if a hook attached it twice */
        }
    }
    find_kept(aTHX_ rt, &left);
    find_loose(aTHX_ rt, &left);
    for (i = 0; i < rt->tag_count; i++)
        if (is_leftover(rt, &left, i) && !left.keep[i] && !left.loose[i])
            take_apart(aTHX_ rt->tags[i]);
    pstx_seen_release(&left.seen);
    Safefree(left.inner);
    Safefree(left.passing);
    Safefree(left.held);
    Safefree(left.loose);
    Safefree(left.keep);
    Safefree(left.todo);
}

/* ---- the whole --------------------------------------------------------------------------------- */

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

/* The references around the one that a REF frame names. */
static void drop_outer_refs(pTHX_ pstx_retrieve *rt, pstx_rframe *f)
{
    for (; f->left; f->left--) {
        SV *rv = rt->tags[--f->at];
        pstx_unbless(aTHX_ rv);
        SvREFCNT_dec_NN(rv);
    }
}

void pstx_abandon(pTHX_ pstx_retrieve *rt)
{
    enum { PASSES = 4 };
    size_t i;
    int pass;
    pstx_retrieve_own_tags(aTHX_ rt);
    for (i = 0; i < rt->frame_count; i++)
        if (rt->frames[i].sv)
            pstx_unbless(aTHX_ rt->frames[i].sv);
    for (i = 0; i < rt->frame_count; i++)
        if (rt->frames[i].kind == PSTX_R_REF)
            drop_outer_refs(aTHX_ rt, &rt->frames[i]);
    while (rt->frame_count) {
        pstx_rframe *f = &rt->frames[--rt->frame_count];
        SV *sv = f->sv, *value = f->value;
        SvREFCNT_dec(sv);
        SvREFCNT_dec(value);
    }
    SvREFCNT_dec(rt->root);
    for (pass = 0; pass < PASSES && free_unshared(aTHX_ rt); pass++)
        ;
    for (i = 0; i < rt->tag_count; i++)
        if (rt->tags[i]) {
            take_leftovers_apart(aTHX_ rt);
            break;
        }
    for (i = 0; i < rt->tag_count; i++)
        SvREFCNT_dec(rt->tags[i]);
}
