/* pstx_store_special.c - tied things, regexps, code, and what cannot be stored. */
#include "pstx_store.h"
#include "pstx_hooks.h"
#include "pstx_object.h"

/* ---- tied things: the object behind the tie is written, nothing is read through it --------- */

/* The object behind a tie. A variable tied to itself has none. */
static enum pstx_step descend_to_tie(pTHX_ pstx_store *st, MAGIC *mg, SV **sv)
{
    if (mg->mg_obj) {
        *sv = mg->mg_obj;
        return PSTX_STEP_DESCEND;
    }
    PERL_UNUSED_CONTEXT;
    st->tags++;
    (void)pst_write_marker(&st->w, PST_UNDEF);
    return PSTX_STEP_DONE;
}

void pstx_store_check_tie(pTHX_ const pstx_store *st)
{
    if (st->run.opt.trust != PSTX_TRUST_FULL)
        pstx_croak(aTHX_ PSTX_MSG_TYING_DISABLED);
}

enum pstx_step pstx_store_tied(pTHX_ pstx_store *st, enum pst_tag tag, MAGIC *mg, SV **sv)
{
    pstx_store_check_tie(aTHX_ st);
    (void)pst_write_marker(&st->w, tag);
    return descend_to_tie(aTHX_ st, mg, sv);
}

enum pstx_step pstx_store_tied_item(pTHX_ pstx_store *st, MAGIC *mg, SV **sv)
{
    pstx_store_frame *f;
    pstx_store_check_tie(aTHX_ st);
    if (mg->mg_ptr) {
        SV *key = mg->mg_len == HEf_SVKEY ? (SV *)mg->mg_ptr
                : newSVpvn_flags(mg->mg_ptr, (STRLEN)mg->mg_len, SVs_TEMP);
        (void)pst_write_marker(&st->w, PST_TIED_KEY);
        (void)pstx_store_push(aTHX_ st, PSTX_FRAME_TIED_KEY, key);
    }
    else {
        (void)pst_write_marker(&st->w, PST_TIED_IDX);
        f = pstx_store_push(aTHX_ st, PSTX_FRAME_TIED_IDX, *sv);
        f->number = (IV)mg->mg_len;
    }
    return descend_to_tie(aTHX_ st, mg, sv);
}

SV *pstx_store_tied_next(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    SV *key = NULL;
    if (f->kind == PSTX_FRAME_TIED_KEY)
        key = f->sv;        /* the tie's magic keeps it alive */
    else
        (void)pst_write_index(&st->w, (int32_t)f->number);
    pstx_store_pop(aTHX_ st);
    return key;
}

/* ---- regexps ------------------------------------------------------------------------------------ */

/* Blessed into what class it may be, "Regexp" must be allowed. PERL: croaks, runs user code. */
static void check_regexp(pTHX_ pstx_store *st)
{
    SV *name;
    if (st->run.opt.trust == PSTX_TRUST_FULL)
        return;
    name = newSVpvs_flags("Regexp", SVs_TEMP);
    if (st->run.opt.classes_run_code)
        pstx_store_user_code(aTHX_ st);
    if (!pstx_object_allows(aTHX_ &st->run, name))
        pstx_croak(aTHX_ PSTX_MSG_CLASS_REFUSED, SVfARG(name), pstx_trust_name(&st->run.opt));
}

enum pstx_step pstx_store_regexp(pTHX_ pstx_store *st, SV *sv)
{
    AV *parts;
    STRLEN pattern_len, flags_len;
    const char *pattern, *flags;
    check_regexp(aTHX_ st);
    if (!pstx_store_knows(st, PST_MINOR_OF_REGEXP))
        pstx_store_unknown(aTHX_ st, "Regular expressions");
    parts = newAV();
    ENTER;
    SAVEFREESV(parts);
    pstx_call_list(aTHX_ NULL, (SV *)get_cv("re::regexp_pattern", GV_ADD), newRV_inc(sv), NULL, parts);
    pattern = SvPV(*av_fetch(parts, 0, 1), pattern_len);
    flags = SvPV(*av_fetch(parts, 1, 1), flags_len);
    (void)pst_write_regexp(&st->w, pattern, pattern_len, flags, flags_len);
    LEAVE;
    return PSTX_STEP_DONE;
}

/* ---- code ----------------------------------------------------------------------------------------- */

/* The source text of a sub. RETURNS: mortal. PERL: croaks, runs user code. */
static SV *deparse(pTHX_ const pstx_run *run, SV *cv)
{
    SV *deparser, *text;
    const char *bytes;
    STRLEN len;
    load_module(PERL_LOADMOD_NOIMPORT, newSVpvs("B::Deparse"), NULL);
    deparser = pstx_call_method(aTHX_ run, newSVpvs_flags("B::Deparse", 0), "new", NULL);
    text = pstx_call_method(aTHX_ run, SvREFCNT_inc(deparser), "coderef2text", newRV_inc(cv));
    bytes = SvPV_force(text, len);
    if (!len || bytes[len - 1] == ';')        /* no body: an XSUB, or only declared */
        pstx_croak(aTHX_ PSTX_MSG_DEPARSE_EMPTY);
    return text;
}

enum pstx_step pstx_store_code(pTHX_ pstx_store *st, SV *sv)
{
    SV *text;
    STRLEN len;
    const char *bytes;
    if (!st->run.opt.deparse)
        return pstx_store_refused(aTHX_ st, sv);
    if (!pstx_store_knows(st, PST_MINOR_OF_CODE))
        pstx_store_unknown(aTHX_ st, "Code references");
    if (pstx_store_must_restart(st, true))
        return PSTX_STEP_RESTART;
    pstx_store_user_code(aTHX_ st);
    text = deparse(aTHX_ &st->run, sv);
    bytes = SvPV(text, len);
    (void)pst_write_marker(&st->w, PST_CODE);
    st->tags++;                       /* the text has a number of its own */
    (void)pst_write_string(&st->w, bytes, len, cBOOL(SvUTF8(text)));
    return PSTX_STEP_DONE;
}

/* ---- what cannot be stored ----------------------------------------------------------------------- */

enum pstx_step pstx_store_refused(pTHX_ pstx_store *st, SV *sv)
{
    const char *type = sv_reftype(sv, FALSE);
    SV *text;
    if (!st->run.opt.forgive_me)
        pstx_croak(aTHX_ PSTX_MSG_CANT_STORE, type);
    if (pstx_store_must_restart(st, true))
        return PSTX_STEP_RESTART;
    pstx_store_user_code(aTHX_ st);
    pstx_warn(aTHX_ PSTX_MSG_CANT_STORE_ITEM, type, PTR2UV(sv));
    text = sv_2mortal(Perl_newSVpvf(aTHX_ "You lost %s(0x%" UVxf ")", type, PTR2UV(sv)));
    (void)pst_write_string(&st->w, SvPVX(text), SvCUR(text), false);
    return PSTX_STEP_DONE;
}
