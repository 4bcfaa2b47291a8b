/* pstx_retrieve_tags.c - from tags to what they name.
 *
 * Nearly all items of large images are plain scalars, one behind the other in an array,
 * and are never named again. Listing each would cost a quarter of the memory of the items
 * themselves, so such a run is kept as one record. The list is made whole before
 * anything but the run itself can touch the arrays.
 */
#include "pstx_path.h"

void pstx_retrieve_limit_tags(pstx_retrieve *rt)
{
    const pstx_options *opt = &rt->run.opt;
    rt->tag_room = opt->strict && opt->max_items >= rt->tag_count && opt->max_items < rt->tag_allocated
        ? (size_t)opt->max_items : rt->tag_allocated;
}

void pstx_retrieve_more_tags(pTHX_ pstx_retrieve *rt, SV *sv)
{
    if (rt->run.opt.strict && rt->tag_count >= rt->run.opt.max_items) {
        if (!rt->stopped_at)
            rt->stopped_at = pstx_path_of_item(aTHX_ rt, sv);
        (void)pst_reader_fail(&rt->r, PST_ERR_ITEMS, rt->run.opt.max_items, rt->tag_count + 1);
    }
    if (rt->tag_count == rt->tag_allocated) {
        rt->tag_allocated = rt->tag_allocated ? rt->tag_allocated * 2 : 64;
        Renew(rt->tags, rt->tag_allocated, SV *);
    }
    if (rt->tag_count == rt->run.opt.max_items)
        rt->tag_room = rt->tag_allocated;
    else
        pstx_retrieve_limit_tags(rt);
}

void pstx_retrieve_tag_items(pTHX_ pstx_retrieve *rt, AV *av, SSize_t at, size_t count)
{
    enum { SHORTEST_RUN = 16 };
    pstx_tag_run *run;
    if (count < SHORTEST_RUN || rt->own_tags || rt->run.opt.strict) {     /* a limit needs the count */
        size_t i;
        for (i = 0; i < count; i++)
            pstx_retrieve_add_tag(aTHX_ rt, AvARRAY(av)[at + (SSize_t)i]);
        return;
    }
    if (rt->tag_run_count == rt->tag_run_room) {
        rt->tag_run_room = rt->tag_run_room ? rt->tag_run_room * 2 : 8;
        Renew(rt->tag_runs, rt->tag_run_room, pstx_tag_run);
    }
    run = &rt->tag_runs[rt->tag_run_count++];
    run->first = pstx_retrieve_tag_count(rt);
    run->count = count;
    run->listed = rt->tag_count;
    run->av = av;
    run->at = at;
    rt->unlisted += count;
}

/* The last run that begins at or before `tag`, or NULL. */
static const pstx_tag_run *run_before(const pstx_retrieve *rt, uint64_t tag)
{
    size_t low = 0, high = rt->tag_run_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rt->tag_runs[middle].first <= tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &rt->tag_runs[low - 1] : NULL;
}

SV *pstx_retrieve_tag_in_runs(const pstx_retrieve *rt, uint64_t tag)
{
    const pstx_tag_run *run;
    if (tag >= pstx_retrieve_tag_count(rt))
        return NULL;
    run = run_before(rt, tag);
    if (!run)
        return rt->tags[tag];
    tag -= run->first;
    if (tag < run->count)
        return AvARRAY(run->av)[run->at + (SSize_t)tag];
    return rt->tags[run->listed + (size_t)tag - run->count];
}

SV **pstx_retrieve_known_refs(pTHX_ pstx_retrieve *rt, SV **slot, SV **stop)
{
    enum { BYTES = 6 };                /* REF, OBJECT, the tag */
    pst_cursor *in = &rt->r.in;
    while (slot < stop && pst_cursor_left(in) >= BYTES && in->pos[0] == PST_REF && in->pos[1] == PST_OBJECT
           && rt->depth < rt->max_depth) {
        SV *rv, *target = pstx_retrieve_tag(rt, pst_load_be32(in->pos + 2));
        if (PST_UNLIKELY(!target))
            break;
        pst_cursor_skip_nocheck(in, BYTES);
        if (PST_UNLIKELY(rt->tie_levels.count))
            pstx_retrieve_count_object(rt, target);
        rv = newSV_type(SVt_IV);
        SvRV_set(rv, SvREFCNT_inc_simple_NN(target));
        SvROK_on(rv);
        *slot++ = rv;
    }
    return slot;
}

/* List the tags of all runs, too. */
static void list_all(pstx_retrieve *rt)
{
    const size_t count = pstx_retrieve_tag_count(rt);
    size_t to = count, from = rt->tag_count;
    if (count > rt->tag_allocated) {
        rt->tag_room = rt->tag_allocated = count;
        Renew(rt->tags, rt->tag_allocated, SV *);
    }
    while (rt->tag_run_count) {       /* from behind: what is moved goes up */
        const pstx_tag_run *run = &rt->tag_runs[--rt->tag_run_count];
        size_t behind = from - run->listed;
        to -= behind;
        from -= behind;
        Move(rt->tags + from, rt->tags + to, behind, SV *);
        to -= run->count;
        Copy(AvARRAY(run->av) + run->at, rt->tags + to, run->count, SV *);
    }
    rt->tag_count = count;
    rt->unlisted = 0;
}

void pstx_retrieve_own_tags(pTHX_ pstx_retrieve *rt)
{
    size_t i;
    PERL_UNUSED_CONTEXT;
    if (rt->own_tags)
        return;
    if (rt->unlisted)
        list_all(rt);
    rt->own_tags = true;
    for (i = 0; i < rt->tag_count; i++)
        SvREFCNT_inc_simple_void(rt->tags[i]);
}
