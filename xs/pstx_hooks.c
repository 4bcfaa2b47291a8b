/* pstx_hooks.c - calling Perl code, and hook records on the way out. */
#include "pstx_hooks.h"
#include "pstx_store.h"

/* ---- calls --------------------------------------------------------------------------------------- */

CV *pstx_find_method(pTHX_ HV *stash, const char *name)
{
    GV *gv = gv_fetchmethod_autoload(stash, name, FALSE);
    return gv ? GvCV(gv) : NULL;
}

/* Each call has a stack of its own, as perl gives it to overloading and DESTROY: a `last`
 * or `goto` in the callee cannot leave through our frames, it is an error.
 *
 * Does this run add its caller's line to what a callee dies with? */
static I32 eval_flag(const pstx_run *run)
{
    return run && (!run->cloning || run->opt.strict) ? G_EVAL : 0;
}

/* Call what lies on perl's stack since PUSHMARK. RETURNS: the number of results. */
static SSize_t call(pTHX_ const pstx_run *run, SV *code, I32 flags)
{
    SSize_t count = call_sv(code, flags | eval_flag(run));
    if (eval_flag(run) && (SvROK(ERRSV) || SvTRUE(ERRSV)))
        pstx_croak_again(aTHX_ ERRSV);
    return count;
}

void pstx_call_list(pTHX_ const pstx_run *run, SV *code, SV *first, SV *second, AV *results)
{
    dSP;
    SSize_t count, i;
    ENTER;
    SAVETMPS;
    PUSHSTACKi(PERLSI_MAGIC);
    PUSHMARK(SP);
    EXTEND(SP, 2);
    PUSHs(sv_2mortal(first));
    if (second)
        PUSHs(sv_2mortal(second));
    PUTBACK;
    count = call(aTHX_ run, code, G_LIST);
    SPAGAIN;
    if (count)
        av_extend(results, count - 1);
    for (i = 0; i < count; i++)
        av_push(results, SvREFCNT_inc_NN(SP[i - count + 1]));
    SP -= count;
    PUTBACK;
    POPSTACK;
    FREETMPS;
    LEAVE;
}

/* The scalar result of a call. RETURNS: mortal. */
static SV *scalar_result(pTHX_ const pstx_run *run, SV *code, I32 flags)
{
    SV *result;
    (void)call(aTHX_ run, code, G_SCALAR | flags);
    {
        dSP;
        result = POPs;
        PUTBACK;
        POPSTACK;
    }
    SvREFCNT_inc_simple_void_NN(result);
    FREETMPS;
    LEAVE;
    return sv_2mortal(result);
}

SV *pstx_call_scalar(pTHX_ const pstx_run *run, SV *code, SV **args, size_t count)
{
    dSP;
    size_t i;
    ENTER;
    SAVETMPS;
    PUSHSTACKi(PERLSI_MAGIC);
    PUSHMARK(SP);
    EXTEND(SP, (SSize_t)count);
    for (i = 0; i < count; i++)
        PUSHs(sv_2mortal(args[i]));
    PUTBACK;
    return scalar_result(aTHX_ run, code, 0);
}

SV *pstx_call_method(pTHX_ const pstx_run *run, SV *invocant, const char *name, SV *arg)
{
    dSP;
    ENTER;
    SAVETMPS;
    PUSHSTACKi(PERLSI_MAGIC);
    PUSHMARK(SP);
    EXTEND(SP, 2);
    PUSHs(sv_2mortal(invocant));
    if (arg)
        PUSHs(sv_2mortal(arg));
    PUTBACK;
    return scalar_result(aTHX_ run, newSVpvn_flags(name, strlen(name), SVs_TEMP), G_METHOD);
}

void pstx_call_thaw(pTHX_ const pstx_run *run, CV *method, SV *object, SV *frozen, AV *list)
{
    SSize_t count = AvFILLp(list) + 1, i;
    dSP;
    ENTER;
    SAVETMPS;
    PUSHSTACKi(PERLSI_MAGIC);
    PUSHMARK(SP);
    EXTEND(SP, count + 3);
    PUSHs(sv_2mortal(newRV_inc(object)));
    PUSHs(sv_2mortal(newSViv(PSTX_CLONING_ARG(run))));
    PUSHs(frozen);
    for (i = 0; i < count; i++)
        PUSHs(AvARRAY(list)[i]);
    PUTBACK;
    (void)call(aTHX_ run, (SV *)method, G_SCALAR | G_DISCARD);
    SPAGAIN;
    POPSTACK;
    FREETMPS;
    LEAVE;
}

/* perl's loader as a sub, so that what it dies with can be caught like a hook's. */
XS_INTERNAL(load_module_xsub)
{
    dXSARGS;
    if (items == 1)
        load_module(PERL_LOADMOD_NOIMPORT, newSVpv(SvPV_nolen(ST(0)), 0), NULL);
    XSRETURN_EMPTY;
}

void pstx_load_class(pTHX_ const pstx_run *run, SV *name)
{
    SV *args[1], *loader = sv_2mortal((SV *)newXS(NULL, load_module_xsub, __FILE__));
    args[0] = newSVsv(name);
    (void)pstx_call_scalar(aTHX_ run, loader, args, 1);
}

/* ---- STORABLE_freeze --------------------------------------------------------------------------------- */

/* Numbers of types as Storable's message has them. */
enum { ODD_TIED_ITEM = 5, ODD_CODE = 6, ODD_REGEXP = 7, ODD_OTHER = 8 };

static SV *class_name_mortal(pTHX_ const pstx_class *cls)
{
    return sv_2mortal(newSVpvn_utf8(cls->name, cls->name_len,
                                    HvNAME_get(cls->stash) && HvNAMEUTF8(cls->stash)));
}

static void refuse_kind(pTHX_ const pstx_class *cls, const SV *sv, int number) __attribute__noreturn__;
static void refuse_kind(pTHX_ const pstx_class *cls, const SV *sv, int number)
{
    SV *hook = cls->freeze ? PSTX_HOOK_NAME(cls->freeze) : NULL;
    if (hook)
        pstx_croak(aTHX_ PSTX_MSG_HOOK_KIND_OF, sv_reftype((SV *)sv, FALSE),
                   SVfARG(class_name_mortal(aTHX_ cls)), SVfARG(hook));
    pstx_croak(aTHX_ PSTX_MSG_HOOK_KIND, number);
}

/* The kind of a hook record for what was blessed; for tied things the object behind the
 * tie is to be written after it, *mg tells. PERL: croaks on what hooks cannot stand on. */
static uint8_t hook_kind(pTHX_ const pstx_class *cls, SV *sv, MAGIC **mg)
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
    case SVt_PVCV:   refuse_kind(aTHX_ cls, sv, ODD_CODE);
    case SVt_REGEXP:
        if (PSTX_REGEXPS_HAVE_HOOKS)
            return PST_HOOK_SCALAR;
        refuse_kind(aTHX_ cls, sv, ODD_REGEXP);
    case SVt_PVGV:
    case SVt_PVFM:
    case SVt_PVIO:   refuse_kind(aTHX_ cls, sv, ODD_OTHER);
    default:
        if (SvGMAGICAL(sv) && SvSMAGICAL(sv) && mg_find(sv, PERL_MAGIC_tiedelem))
            refuse_kind(aTHX_ cls, sv, ODD_TIED_ITEM);
        *mg = SvGMAGICAL(sv) && SvSMAGICAL(sv) ? mg_find(sv, PERL_MAGIC_tiedscalar) : NULL;
        return *mg ? PST_EXTRA_SCALAR : PST_HOOK_SCALAR;
    }
}

/* Call the hook. RETURNS: what it returned, borrowed from st->keep, alive to the end of
 * the run: the addresses of what it refers to must stay unique. */
static AV *call_freeze(pTHX_ pstx_store *st, SV *sv, CV *hook)
{
    AV *results = newAV();
    pstx_store_user_code(aTHX_ st);
    if (!st->keep)
        st->keep = newAV();
    av_push(st->keep, (SV *)results);
    pstx_call_list(aTHX_ &st->run, (SV *)hook, newRV_inc(sv), newSViv(PSTX_CLONING_ARG(&st->run)), results);
    return results;
}

/* An empty list: no hook for this class in the rest of the run. */
static enum pstx_step hook_declined(pTHX_ pstx_store *st, SV **sv, size_t class_at)
{
    pstx_class *cls = &st->classes[class_at];
    if (pstx_store_named_class(st, cls)->index >= 0)
        pstx_croak(aTHX_ PSTX_MSG_TOO_LATE, st->run.cloning ? "cloning" : "storing",
                   SVfARG(class_name_mortal(aTHX_ cls)));
    SvREFCNT_dec(cls->freeze);
    cls->freeze = NULL;
    pstx_store_bless(st, cls);
    return pstx_store_body(aTHX_ st, sv);
}

enum pstx_step pstx_store_hook(pTHX_ pstx_store *st, SV **sv, size_t class_at)
{
    MAGIC *mg;
    uint8_t kind = hook_kind(aTHX_ &st->classes[class_at], *sv, &mg);
    AV *results;
    if (mg)
        pstx_store_check_tie(aTHX_ st);
    results = call_freeze(aTHX_ st, *sv, st->classes[class_at].freeze);
    pstx_class *cls = &st->classes[class_at];
    pstx_store_frame *f;
    if (AvFILLp(results) < 0)
        return hook_declined(aTHX_ st, sv, class_at);
    if (AvFILLp(results) > 0 && pstx_find_method(aTHX_ cls->stash, "STORABLE_attach"))
        pstx_croak(aTHX_ PSTX_MSG_HOOK_ATTACH_REFS, SVfARG(class_name_mortal(aTHX_ cls)));
    f = pstx_store_push(aTHX_ st, PSTX_FRAME_HOOK, *sv);
    f->depth += st->run.opt.strict;        /* objects count what the hook returns as a level */
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
        (void)pst_write_hook_tag(&st->w, tag);
    }
}

SV *pstx_store_hook_next(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    MAGIC *mg = NULL;
    SV *tie, *item = next_new_item(aTHX_ st, f);
    if (item) {
        (void)pst_write_hook_recurse(&st->w, f->hook_kind, !f->recursed);
        f->recursed = true;
        if (st->run.opt.strict) {
            st->via_ref = item;
            pstx_store_deeper(aTHX_ st, st->run.opt.depth_limit, false);
        }
        return item;
    }
    write_record(aTHX_ st, f);
    if (f->hook_kind >= PST_EXTRA_SCALAR)
        (void)hook_kind(aTHX_ &st->classes[f->number], f->sv, &mg);
    tie = mg ? mg->mg_obj : NULL;
    if (f->hook_kind >= PST_EXTRA_SCALAR && !tie) {
        st->tags++;
        (void)pst_write_marker(&st->w, PST_UNDEF);
    }
    pstx_store_pop(aTHX_ st);
    return tie;
}
