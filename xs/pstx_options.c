/* pstx_options.c - every package variable, read once per run into a struct.
 *
 * $Permafrost::X and $Storable::X are one variable: the whole globs are aliased, because
 * `local` replaces the scalar of a glob. The recursion limits alone are kept apart
 * (stock Storable needs low ones to survive) until Permafrost::AsStorable joins them.
 */
#include "pstx_object.h"

/* Aliased with Storable's? */
static const struct { const char *name; bool shared; } variables[PSTX_VAR_COUNT] = {
    { "canonical", true },            /* in the order of enum pstx_variable */
    { "forgive_me", true },
    { "accept_future_minor", true },
    { "downgrade_restricted", true },
    { "drop_utf8", true },
    { "flags", true },
    { "Deparse", true },
    { "Eval", true },
    { "accept_foreign", false },
    { "recursion_limit", false },
    { "recursion_limit_hash", false },
    { "atomic", false },
    { "interwork_56_64bit", true }
};

/* *Permafrost::NAME, made the same glob as *Storable::NAME if shared. */
static GV *variable_glob(pTHX_ const char *name, bool shared)
{
    GV *own = gv_fetchpv(Perl_form(aTHX_ "Permafrost::%s", name), GV_ADDMULTI, SVt_PV);
    if (shared) {
        GV *theirs = gv_fetchpv(Perl_form(aTHX_ "Storable::%s", name), GV_ADDMULTI, SVt_PV);
        SV *value = GvSV(own);
        if (GvGP(own) != GvGP(theirs)) {
            if (value && SvOK(value) && !SvOK(GvSVn(theirs)))   /* set before we came */
                sv_setsv(GvSVn(theirs), value);
            sv_setsv((SV *)own, (SV *)theirs);
        }
    }
    return own;
}

static void default_to(pTHX_ GV *gv, IV value)
{
    SV *sv = GvSVn(gv);
    if (!SvOK(sv))
        sv_setiv(sv, value);
}

void pstx_options_boot(pTHX_ pstx_globals *globals)
{
    const char *strict = PerlEnv_getenv("PERMAFROST_STRICT");
    int i;
    for (i = 0; i < PSTX_VAR_COUNT; i++)
        globals->variables[i] = variable_glob(aTHX_ variables[i].name, variables[i].shared);
    default_to(aTHX_ globals->variables[PSTX_VAR_ACCEPT_FUTURE_MINOR], 1);
    default_to(aTHX_ globals->variables[PSTX_VAR_DOWNGRADE_RESTRICTED], 1);
    default_to(aTHX_ globals->variables[PSTX_VAR_FLAGS], PSTX_FLAGS_ALL);
    default_to(aTHX_ globals->variables[PSTX_VAR_RECURSION_LIMIT], -1);
    default_to(aTHX_ globals->variables[PSTX_VAR_RECURSION_LIMIT_HASH], -1);
    default_to(aTHX_ globals->variables[PSTX_VAR_ACCEPT_FOREIGN],
               !(strict && *strict && strcmp(strict, "0") != 0));
}

PST_INLINE SV *value_of(const pstx_globals *globals, enum pstx_variable which)
{
    return GvSV(globals->variables[which]);
}

PST_INLINE bool is_true(pTHX_ const pstx_globals *globals, enum pstx_variable which)
{
    SV *sv = value_of(globals, which);
    return sv && SvTRUE(sv);
}

bool pstx_option_true(pTHX_ const pstx_globals *globals, enum pstx_variable which)
{
    return is_true(aTHX_ globals, which);
}

IV pstx_option_number(pTHX_ const pstx_globals *globals, enum pstx_variable which)
{
    SV *sv = value_of(globals, which);
    return sv && SvOK(sv) ? SvIV(sv) : 0;
}

size_t pstx_order_len(pTHX_ const pstx_object *object)
{
#if IVSIZE > LONGSIZE
    if (!object && is_true(aTHX_ pstx_globals_get(aTHX), PSTX_VAR_INTERWORK_56))
        return LONGSIZE;
#endif
    PERL_UNUSED_CONTEXT;
    PERL_UNUSED_ARG(object);
    return IVSIZE;
}

static void read_for_storing(pTHX_ const pstx_globals *globals, pstx_options *opt)
{
    opt->canonical = is_true(aTHX_ globals, PSTX_VAR_CANONICAL);
    opt->deparse = is_true(aTHX_ globals, PSTX_VAR_DEPARSE);
    opt->depth_limit = pstx_option_number(aTHX_ globals, PSTX_VAR_RECURSION_LIMIT);
    opt->depth_limit_hash = pstx_option_number(aTHX_ globals, PSTX_VAR_RECURSION_LIMIT_HASH);
    /* Depth is counted by references, also for a limit of hashes alone. */
    if (opt->depth_limit == -1 && opt->depth_limit_hash != -1)
        opt->depth_limit = IV_MAX;
}

static SV *read_eval(pTHX_ const pstx_globals *globals)
{
    return is_true(aTHX_ globals, PSTX_VAR_EVAL) ? SvREFCNT_inc(value_of(globals, PSTX_VAR_EVAL)) : NULL;
}

void pstx_options_read(pTHX_ pstx_run *run, const pstx_object *object)
{
    const pstx_globals *globals = run->globals;
    pstx_options *opt = &run->opt;
    opt->order_len = (uint8_t)pstx_order_len(aTHX_ object);
    if (object) {
        const bool full = object->trust == PSTX_TRUST_FULL;
        pstx_object_apply(aTHX_ object, opt);
        if (full && run->kind == PSTX_STORING)
            opt->deparse = is_true(aTHX_ globals, PSTX_VAR_DEPARSE);
        else if (full)
            opt->eval = read_eval(aTHX_ globals);
        return;
    }
    opt->strict = false;
    opt->trust = PSTX_TRUST_FULL;
    opt->max_minor = PSTX_ANY_MINOR;
    opt->forgive_me = is_true(aTHX_ globals, PSTX_VAR_FORGIVE_ME);
    if (run->kind == PSTX_STORING) {
        read_for_storing(aTHX_ globals, opt);
        return;
    }
    opt->accept_future_minor = is_true(aTHX_ globals, PSTX_VAR_ACCEPT_FUTURE_MINOR);
    opt->accept_foreign = is_true(aTHX_ globals, PSTX_VAR_ACCEPT_FOREIGN);
    opt->eval = read_eval(aTHX_ globals);
    opt->flags = (I32)pstx_option_number(aTHX_ globals, PSTX_VAR_FLAGS);
}
