/* pstx_hooks.c - calling Perl code, and hook records on the way out. */
#include "pstx_hooks.h"
#include "pstx_store.h"

/* ---- calls --------------------------------------------------------------------------------------- */

CV *pstx_find_method(pTHX_ HV *stash, const char *name)
{
    GV *gv = gv_fetchmethod_autoload(stash, name, FALSE);
    return gv ? GvCV(gv) : NULL;
}

AV *pstx_call_list(pTHX_ SV *code, SV *first, SV *second)
{
    dSP;
    AV *results = newAV();
    SSize_t count, i;
    sv_2mortal((SV *)results);           /* until the call has come back */
    ENTER;
    SAVETMPS;
    PUSHMARK(SP);
    EXTEND(SP, 2);
    PUSHs(sv_2mortal(first));
    if (second)
        PUSHs(sv_2mortal(second));
    PUTBACK;
    count = call_sv(code, G_LIST);
    SPAGAIN;
    if (count) {
        av_extend(results, count - 1);
        for (i = 0; i < count; i++) {
            SV *sv = SP[i - count + 1];
            /* A temporary may be taken over; anything else may change later. */
            av_push(results, SvREFCNT_inc_simple_NN(sv));
        }
        SP -= count;
    }
    PUTBACK;
    FREETMPS;
    LEAVE;
    return (AV *)SvREFCNT_inc_simple_NN((SV *)results);
}

SV *pstx_call_scalar(pTHX_ SV *code, SV **args, size_t count)
{
    dSP;
    SV *result;
    size_t i;
    ENTER;
    SAVETMPS;
    PUSHMARK(SP);
    EXTEND(SP, (SSize_t)count);
    for (i = 0; i < count; i++)
        PUSHs(sv_2mortal(args[i]));
    PUTBACK;
    (void)call_sv(code, G_SCALAR);
    SPAGAIN;
    result = SvREFCNT_inc(POPs);
    PUTBACK;
    FREETMPS;
    LEAVE;
    return sv_2mortal(result);
}

SV *pstx_call_method(pTHX_ SV *invocant, const char *name, SV *arg)
{
    SV *method = sv_2mortal(newSVpv(name, 0));
    SV *result;
    dSP;
    ENTER;
    SAVETMPS;
    PUSHMARK(SP);
    EXTEND(SP, 2);
    PUSHs(sv_2mortal(invocant));
    if (arg)
        PUSHs(sv_2mortal(arg));
    PUTBACK;
    (void)call_sv(method, G_SCALAR | G_METHOD);
    SPAGAIN;
    result = SvREFCNT_inc(POPs);
    PUTBACK;
    FREETMPS;
    LEAVE;
    return sv_2mortal(result);
}

/* ---- STORABLE_freeze --------------------------------------------------------------------------------- */

/* Numbers of types as Storable's message has them. */
enum { ODD_CODE = 6, ODD_REGEXP = 7, ODD_OTHER = 8 };

/* The kind of a hook record for what was blessed; for tied things the object behind the
 * tie is to be written after it, *mg tells. PERL: croaks on what hooks cannot stand on. */
static uint8_t hook_kind(pTHX_ SV *sv, MAGIC **mg)
{
    bool array = SvTYPE(sv) == SVt_PVAV;
    *mg = NULL;
    switch (SvTYPE(sv)) {
    case SVt_PVAV:
    case SVt_PVHV:
        *mg = SvRMAGICAL(sv) ? mg_find(sv, PERL_MAGIC_tied) : NULL;
        if (*mg)
            return array ? PST_EXTRA_ARRAY : PST_EXTRA_HASH;
        return array ? PST_HOOK_ARRAY : PST_HOOK_HASH;
    case SVt_PVCV:   pstx_croak(aTHX_ PSTX_MSG_HOOK_KIND, ODD_CODE);
    case SVt_REGEXP: pstx_croak(aTHX_ PSTX_MSG_HOOK_KIND, ODD_REGEXP);
    case SVt_PVGV:
    case SVt_PVFM:
    case SVt_PVIO:   pstx_croak(aTHX_ PSTX_MSG_HOOK_KIND, ODD_OTHER);
    default:
        *mg = SvRMAGICAL(sv) ? mg_find(sv, PERL_MAGIC_tiedscalar) : NULL;
        return *mg ? PST_EXTRA_SCALAR : PST_HOOK_SCALAR;
    }
}

/* Call the hook. RETURNS: what it returned, borrowed from st->keep, alive to the end of
 * the run: the addresses of what it refers to must stay unique. */
static AV *call_freeze(pTHX_ pstx_store *st, SV *sv, CV *hook)
{
    AV *results;
    pstx_run_user_code(aTHX_ &st->run);
    results = pstx_call_list(aTHX_ (SV *)hook, newRV_inc(sv), newSViv(PSTX_CLONING_ARG(&st->run)));
    if (!st->keep)
        st->keep = newAV();
    av_push(st->keep, (SV *)results);
    return results;
}

static SV *class_name_mortal(pTHX_ const pstx_class *cls)
{
    return sv_2mortal(newSVpvn_utf8(cls->name, cls->name_len,
                                    HvNAME_get(cls->stash) && HvNAMEUTF8(cls->stash)));
}

/* An empty list: no hook for this class in the rest of the run. */
static enum pstx_step hook_declined(pTHX_ pstx_store *st, SV **sv, size_t class_at)
{
    pstx_class *cls = &st->classes[class_at];
    if (pstx_store_named_class(st, cls)->index >= 0)
        pstx_croak(aTHX_ PSTX_MSG_TOO_LATE, st->run.cloning ? "cloning" : "storing",
                   SVfARG(class_name_mortal(aTHX_ cls)));
    cls->freeze = NULL;
    pstx_store_bless(aTHX_ st, cls);
    return pstx_store_body(aTHX_ st, sv);
}

enum pstx_step pstx_store_hook(pTHX_ pstx_store *st, SV **sv, size_t class_at)
{
    MAGIC *mg;
    uint8_t kind = hook_kind(aTHX_ *sv, &mg);
    AV *results = call_freeze(aTHX_ st, *sv, st->classes[class_at].freeze);
    pstx_class *cls = &st->classes[class_at];
    pstx_store_frame *f;
    if (AvFILLp(results) < 0)
        return hook_declined(aTHX_ st, sv, class_at);
    if (AvFILLp(results) > 0 && pstx_find_method(aTHX_ cls->stash, "STORABLE_attach"))
        pstx_croak(aTHX_ PSTX_MSG_HOOK_ATTACH_REFS, SVfARG(class_name_mortal(aTHX_ cls)));
    f = pstx_store_push(aTHX_ st, PSTX_FRAME_HOOK, *sv);
    f->hook_kind = kind;
    f->list = results;
    f->number = (IV)class_at;
    f->at = 1;
    f->count = AvFILLp(results) + 1;
    return PSTX_STEP_DONE;
}

/* What item f->at refers to. PERL: croaks if it is no reference. */
static SV *hook_item(pTHX_ pstx_store *st, const pstx_store_frame *f, IV at)
{
    SV *item = AvARRAY(f->list)[at];
    if (!SvROK(item))
        pstx_croak(aTHX_ PSTX_MSG_HOOK_ITEM, (int)at,
                   SVfARG(class_name_mortal(aTHX_ &st->classes[f->number])));
    return SvRV(item);
}

/* The first item that is not in the image yet. RETURNS: borrowed, NULL if all are. */
static SV *next_new_item(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    uint32_t tag;
    for (; f->at < f->count; f->at++) {
        SV *target = hook_item(aTHX_ st, f, f->at);
        if (!pstx_seen_get(&st->seen, target, &tag))
            return target;
    }
    return NULL;
}

static void write_record(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    pst_hook_record record;
    pstx_class *cls = &st->classes[f->number], *named = pstx_store_named_class(st, cls);
    SV *frozen = AvARRAY(f->list)[0];
    STRLEN len = 0;
    uint32_t tag = 0;
    IV at;
    Zero(&record, 1, pst_hook_record);
    record.kind = f->hook_kind;
    record.recursed = f->recursed;
    record.indexed = named->index >= 0;
    if (!record.indexed)
        named->index = st->class_numbers++;
    record.class_name = named->name;
    record.class_len = record.indexed ? (uint64_t)named->index : named->name_len;
    /* Only dclone warns of an undefined string, as with Storable. */
    record.string = SvOK(frozen) || st->run.cloning ? SvPV(frozen, len) : "";
    record.string_len = len;
    record.list_count = (uint64_t)(f->count - 1);
    (void)pst_write_hook(&st->w, &record);
    for (at = 1; at < f->count; at++) {
        if (!pstx_seen_get(&st->seen, hook_item(aTHX_ st, f, at), &tag))
            pstx_croak(aTHX_ PSTX_MSG_HOOK_LOST_ITEM, (int)at, SVfARG(class_name_mortal(aTHX_ cls)));
        (void)pst_write_hook_tag(&st->w, &record, tag);
    }
}

SV *pstx_store_hook_next(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    MAGIC *mg = NULL;
    SV *tie, *item = next_new_item(aTHX_ st, f);
    if (item) {
        (void)pst_write_hook_recurse(&st->w, f->hook_kind, !f->recursed);
        f->recursed = true;
        return item;
    }
    write_record(aTHX_ st, f);
    if (f->hook_kind >= PST_EXTRA_SCALAR)
        (void)hook_kind(aTHX_ f->sv, &mg);
    tie = mg ? mg->mg_obj : NULL;
    if (f->hook_kind >= PST_EXTRA_SCALAR && !tie) {
        st->tags++;
        (void)pst_write_marker(&st->w, PST_UNDEF);
    }
    pstx_store_pop(aTHX_ st);
    return tie;
}
