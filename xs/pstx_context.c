/* pstx_context.c - one run = one context, freed on every way out.
 *
 * A die in a hook jumps over the C frames between it and the eval that catches it; only
 * the savestack is unwound. Therefore everything that a run owns hangs on its struct,
 * and the struct's release() is on the savestack from the first moment.
 */
#include "pstx_clone.h"

#define MY_CXT_KEY "Permafrost::_guts" XS_VERSION
typedef pstx_globals my_cxt_t;
START_MY_CXT

pstx_globals *pstx_globals_get(pTHX)
{
    dMY_CXT;
    return &MY_CXT;
}

static void globals_init(pTHX_ pstx_globals *globals)
{
    Zero(globals, 1, pstx_globals);
    pstx_options_boot(aTHX_ globals);
}

static void globals_end(pTHX_ void *unused)
{
    PERL_UNUSED_VAR(unused);
    pstx_globals_release(aTHX);
}

void pstx_globals_boot(pTHX)
{
    MY_CXT_INIT;
    globals_init(aTHX_ &MY_CXT);
    call_atexit(globals_end, NULL);     /* after the last DESTROY */
}

void pstx_globals_clone(pTHX)
{
#ifdef USE_ITHREADS
    MY_CXT_CLONE;
    globals_init(aTHX_ &MY_CXT);    /* the globs are this interpreter's own */
    call_atexit(globals_end, NULL);
#endif
}

static void run_end(pTHX_ void *arg)
{
    pstx_run *run = (pstx_run *)arg;
    run->globals->run = run->outer;
    if (!run->outer)
        run->globals->last_netorder = run->netorder;
    SvREFCNT_dec(run->saved_errsv);
    SvREFCNT_dec(run->opt.eval);
    run->saved_errsv = run->opt.eval = NULL;
    if (PST_UNLIKELY(run->opt.classes != NULL)) {
        SvREFCNT_dec_NN(run->opt.classes);
        run->opt.classes = NULL;
    }
    run->release(aTHX_ run);
}

pstx_run *pstx_run_new(pTHX_ enum pstx_kind kind, size_t size)
{
    pstx_globals *globals = pstx_globals_get(aTHX);
    pstx_run *run = globals->spare[kind];
    globals->spare[kind] = NULL;
    if (!run)
        run = (pstx_run *)safecalloc(1, size);
    run->globals = globals;
    run->kind = kind;
    return run;
}

bool pstx_run_keep(pstx_run *run)
{
    if (run->globals->spare[run->kind])
        return false;
    run->globals->spare[run->kind] = run;
    return true;
}

void pstx_globals_release(pTHX)
{
    pstx_globals *globals = pstx_globals_get(aTHX);
    int kind;
    for (kind = 0; kind < 2; kind++) {
        pstx_run *run = globals->spare[kind];
        globals->spare[kind] = NULL;
        if (run)
            run->destroy(aTHX_ run);
    }
    pstx_clone_forget(aTHX_ globals);
}

void pstx_run_begin(pTHX_ pstx_run *run, const pstx_object *object)
{
    run->outer = run->globals->run;
    run->globals->run = run;
    SAVEDESTRUCTOR_X(run_end, run);
    pstx_options_read(aTHX_ run, object);
}

void pstx_run_user_code(pTHX_ pstx_run *run)
{
    if (!run->saved_errsv)
        run->saved_errsv = newSVsv(ERRSV);
}

void pstx_run_succeeded(pTHX_ pstx_run *run)
{
    if (run->saved_errsv)
        sv_setsv(ERRSV, run->saved_errsv);
}
