/* pstx_retrieve_hook.c - hook records on the way in: STORABLE_thaw and STORABLE_attach. */
#include "pstx_retrieve.h"
#include "pstx_hooks.h"

/* The empty object that the hook will fill. */
static SV *new_shell(pTHX_ const pst_hook *h)
{
    switch (h->flags & PST_HOOK_KIND) {
    case PST_HOOK_ARRAY: return (SV *)newAV();
    case PST_HOOK_HASH:  return (SV *)newHV();
    case PST_HOOK_EXTRA:
        return h->extra == PST_EXTRA_ARRAY ? (SV *)newAV()
             : h->extra == PST_EXTRA_HASH  ? (SV *)newHV() : newSV(0);
    default:             return newSV(0);
    }
}

/* References to the objects of the list. RETURNS: mortal array, NULL after an error. */
static AV *read_list(pTHX_ pstx_retrieve *rt, pst_hook *h)
{
    uint64_t count, tag;
    SV *sv;
    AV *list = (AV *)sv_2mortal((SV *)newAV());
    if (!pst_reader_hook_list(&rt->r, h, &count))
        return NULL;
    for (; count; count--) {
        if (!pst_reader_hook_tag(&rt->r, h, &tag))
            return NULL;
        if (!(sv = pstx_retrieve_tag(rt, tag))) {
            (void)pst_reader_fail(&rt->r, PST_ERR_TAG, pstx_retrieve_tag_count(rt), (uint64_t)(int64_t)(int32_t)tag);
            return NULL;
        }
        pstx_retrieve_count_object(rt, sv);
        av_push(list, newRV_inc(sv));
    }
    return list;
}

/* Class->STORABLE_attach(cloning, string) makes the object. RETURNS: +1. */
static SV *attach(pTHX_ pstx_retrieve *rt, CV *method, SV *name, SV *frozen, AV *list)
{
    SV *args[3], *made;
    if (AvFILLp(list) >= 0)
        pstx_croak(aTHX_ PSTX_MSG_ATTACH_REFS);
    args[0] = newSVsv(name);
    args[1] = newSViv(PSTX_CLONING_ARG(&rt->run));
    args[2] = SvREFCNT_inc_simple_NN(frozen);
    made = pstx_call_scalar(aTHX_ &rt->run, (SV *)method, args, 3);
    if (!SvROK(made) || !sv_isobject(made) || !sv_derived_from_sv(made, name, 0))
        pstx_croak(aTHX_ PSTX_MSG_ATTACH_RESULT, SVfARG(name));
    return SvREFCNT_inc_simple_NN(SvRV(made));
}

/* The thaw hook of a class; its module is loaded if it has none yet. PERL: croaks. */
static CV *find_thaw(pTHX_ pstx_retrieve *rt, HV *stash, SV *name)
{
    CV *method = pstx_find_method(aTHX_ stash, "STORABLE_thaw");
    if (method)
        return method;
    pstx_load_class(aTHX_ &rt->run, name);
    method = pstx_find_method(aTHX_ stash, "STORABLE_thaw");
    if (!method)
        pstx_croak(aTHX_ PSTX_MSG_NO_THAW, SVfARG(name), SVfARG(name));
    return method;
}

/* The object of the frame gets its contents. RETURNS: was another object attached?
 * PERL: croaks, runs user code. */
static bool run_hook(pTHX_ pstx_retrieve *rt, size_t frame_at, size_t class_at, SV *frozen, AV *list)
{
    SV *name = sv_2mortal(SvREFCNT_inc_simple_NN(rt->classes[class_at].name));
    HV *stash = rt->classes[class_at].stash;
    SV *sv = rt->frames[frame_at].sv;
    CV *method;
    pstx_retrieve_user_code(aTHX_ rt);
    method = pstx_find_method(aTHX_ stash, "STORABLE_attach");
    if (method) {
        SV *made = attach(aTHX_ rt, method, name, frozen, list);
        pstx_rframe *f = &rt->frames[frame_at];
        f->sv = made;
        rt->tags[f->at] = SvREFCNT_inc_simple_NN(made);
        SvREFCNT_dec(sv);        /* the frame's */
        SvREFCNT_dec(sv);        /* the tag's */
        return true;
    }
    pstx_retrieve_bless(aTHX_ rt, sv, stash);
    method = find_thaw(aTHX_ rt, stash, name);
    pstx_call_thaw(aTHX_ &rt->run, method, sv, frozen, list);
    return false;
}

/* What follows the sub-objects: class, string, list; then the hook is called.
 * RETURNS: as pstx_retrieve_special(). */
static SV *finish_hook(pTHX_ pstx_retrieve *rt, size_t frame_at)
{
    pst_hook h = rt->frames[frame_at].hook;
    pstx_rclass *cls;
    size_t class_at;
    SV *frozen;
    AV *list;
    pst_token t;
    pstx_rframe *f;
    bool attached;
    if (!pst_reader_hook_class(&rt->r, &h, &t) || !(cls = pstx_retrieve_class(aTHX_ rt, &t, PSTX_AHEAD_HOOK_REST)))
        return NULL;
    class_at = (size_t)(cls - rt->classes);
    if (!pst_reader_hook_string(&rt->r, &h, &t))
        return NULL;
    frozen = sv_2mortal(newSVpvn((const char *)t.bytes, (STRLEN)t.len));
    list = read_list(aTHX_ rt, &h);
    if (!list)
        return NULL;
    rt->ahead = PSTX_AHEAD_HOOK_DONE;
    attached = (rt->run.opt.flags & PSTX_BLESS_OK) && run_hook(aTHX_ rt, frame_at, class_at, frozen, list);
    rt->ahead = PSTX_AHEAD_UNKNOWN;
    f = &rt->frames[frame_at];
    if (!h.extra)
        return pstx_retrieve_pop(aTHX_ rt);
    if (!(rt->run.opt.flags & PSTX_TIE_OK))
        pstx_croak(aTHX_ PSTX_MSG_TYING_DISABLED);
    if (!attached && !pstx_retrieve_open_tie(rt))
        return NULL;
    f->kind = attached ? PSTX_R_HOOK_DROP : PSTX_R_HOOK_TIE;
    f->flags = h.extra == PST_EXTRA_SCALAR ? PERL_MAGIC_tiedscalar : PERL_MAGIC_tied;
    return NULL;
}

SV *pstx_retrieve_hook(pTHX_ pstx_retrieve *rt, pst_token *t)
{
    pst_hook h;
    pstx_rframe *f;
    size_t frame_at = rt->frame_count;
    SV *sv;
    h.huge = t->flags != 0;
    if (!pst_reader_hook_flags(&rt->r, &h, true))
        return NULL;
    sv = new_shell(aTHX_ &h);
    f = pstx_retrieve_push(aTHX_ rt, PSTX_R_HOOK, sv);
    f->hook = h;
    f->at = (SSize_t)pstx_retrieve_tag_count(rt);
    rt->bless = NULL;                      /* the record names the class */
    (void)pstx_retrieve_register(aTHX_ rt, sv);
    if (!(h.flags & PST_HOOK_RECURSE))
        return finish_hook(aTHX_ rt, frame_at);
    pstx_retrieve_own_tags(aTHX_ rt);      /* sub-objects live on their tags */
    if (!pstx_retrieve_deeper(rt))
        pstx_retrieve_too_deep(aTHX_ rt);
    return NULL;
}

SV *pstx_retrieve_hook_item(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *item)
{
    size_t frame_at = (size_t)(f - rt->frames);
    SvREFCNT_dec(item);
    if (!pst_reader_hook_flags(&rt->r, &f->hook, false))
        return NULL;
    if (f->hook.flags & PST_HOOK_RECURSE)
        return NULL;
    rt->depth--;
    return finish_hook(aTHX_ rt, frame_at);
}
