/* pstx.h - what the files of the Perl glue share.
 *
 * Layer: glue. One operation on one root is a run; a run has one context struct, which
 * is freed by the savestack on every way out (see pstx_context.c). Runs nest when hooks
 * call back: `outer` links them. In comments, RETURNS says who owns what comes back
 * (+1: the caller; mortal; borrowed) and PERL what may happen inside (none, croaks, runs
 * user code).
 */
#ifndef PSTX_H
#define PSTX_H

#include "pstx_compat.h"
#include "pst_reader.h"
#include "pst_writer.h"
#include "pstx_error.h"
#include "pstx_seen.h"

/* ---- options ---------------------------------------------------------------------- */

/* Whose classes, hooks and ties a run of an object admits. */
enum pstx_trust { PSTX_TRUST_FULL, PSTX_TRUST_CLASSES, PSTX_TRUST_DATA };

enum { PSTX_ANY_MINOR = 255 };

/* Options of an object (see pstx_object.h). Limits: UV_MAX is none. */
typedef struct pstx_object {
    bool    netorder, canonical, exact, atomic;
    uint8_t trust;             /* enum pstx_trust */
    uint8_t max_minor;         /* newest markers to be written, PSTX_ANY_MINOR */
    UV      max_depth;         /* references from the root on, with the one to the root */
    UV      max_bytes;         /* of the whole image */
    UV      max_items;         /* objects in the image */
    SV     *classes;           /* trust 'classes': a hash of names, or code that is asked */
} pstx_object;

/* Package variables or an object's options, read once per run. */
typedef struct pstx_options {
    bool strict;               /* a run of an object: errors are objects, and undef is one; */
    uint8_t trust;             /* what follows up to `classes` counts only then, but this */
    uint8_t max_minor;
    bool exact;
    bool classes_run_code;
    UV   max_items, max_bytes;
    SV  *classes;              /* +1 or NULL */
    bool canonical;
    bool forgive_me;
    bool accept_future_minor;
    bool accept_foreign;       /* images of other machines are read, not refused */
    uint8_t order_len;         /* of this machine's byte-order text; see pstx_order_len() */
    I32  flags;                /* PSTX_BLESS_OK, PSTX_TIE_OK */
    IV   depth_limit;          /* -1: none */
    IV   depth_limit_hash;
    bool deparse;
    SV  *eval;                 /* +1, NULL if false */
} pstx_options;

enum { PSTX_BLESS_OK = 2, PSTX_TIE_OK = 4, PSTX_FLAGS_ALL = 6 };

/* ---- per interpreter ------------------------------------------------------------------ */

enum pstx_variable {
    PSTX_VAR_CANONICAL, PSTX_VAR_FORGIVE_ME, PSTX_VAR_ACCEPT_FUTURE_MINOR,
    PSTX_VAR_DOWNGRADE_RESTRICTED, PSTX_VAR_DROP_UTF8, PSTX_VAR_FLAGS, PSTX_VAR_DEPARSE,
    PSTX_VAR_EVAL, PSTX_VAR_ACCEPT_FOREIGN, PSTX_VAR_RECURSION_LIMIT,
    PSTX_VAR_RECURSION_LIMIT_HASH, PSTX_VAR_ATOMIC, PSTX_VAR_INTERWORK_56, PSTX_VAR_COUNT
};

struct pstx_run;

typedef struct pstx_globals {
    struct pstx_run *run;            /* innermost run, NULL outside */
    struct pstx_run *spare[2];       /* contexts kept for the next run, by enum pstx_kind */
    void *spare_clone;               /* the same for dclone */
    bool last_netorder;              /* of the last run outside all others */
    GV  *variables[PSTX_VAR_COUNT];  /* borrowed from the stash */
} pstx_globals;

/* The globals of this interpreter. RETURNS: borrowed. PERL: none. */
pstx_globals *pstx_globals_get(pTHX);

/* Set them up, at load and in each new thread. PERL: none. */
void pstx_globals_boot(pTHX);
void pstx_globals_clone(pTHX);

/* ---- runs -------------------------------------------------------------------------------- */

enum pstx_kind { PSTX_STORING, PSTX_RETRIEVING };

typedef struct pstx_run {
    struct pstx_run *outer;
    void           (*release)(pTHX_ struct pstx_run *run);   /* ends the run */
    void           (*destroy)(pTHX_ struct pstx_run *run);   /* frees the context */
    pstx_globals    *globals;
    SV              *saved_errsv;    /* $@ before the first user code, NULL until then */
    pstx_options     opt;
    enum pstx_kind   kind;
    bool             netorder;
    bool             cloning;
} pstx_run;

/* $cloning as hooks see it. */
#define PSTX_CLONING_ARG(run) ((run)->cloning ? 4 : 0)

/* A context of `size` bytes, zeroed, or the spare one of its kind, as its last run left
 * it. RETURNS: to be given to pstx_run_begin(). PERL: none. */
pstx_run *pstx_run_new(pTHX_ enum pstx_kind kind, size_t size);

/* In release(): keep the context as the spare one. RETURNS: false if there is one
 * already; then it must be freed. */
bool pstx_run_keep(pstx_run *run);

/* Free the spare contexts, at the interpreter's end. */
void pstx_globals_release(pTHX);

/* Records in an array lie scattered in memory: ask for what the items after the one at `at` refer to
 * before it is needed. PERL: none. */
PST_INLINE void pstx_prefetch_items(const AV *av, SSize_t at)
{
    SV *const *items = AvARRAY(av);
    if (at + 2 <= AvFILLp(av)) {
        const SV *far_item = items[at + 2], *near_item = items[at + 1];
        if (far_item && SvROK(far_item))
            PST_PREFETCH(SvRV(far_item));
        if (near_item && SvROK(near_item)) {
            const SV *target = SvRV(near_item);
            PST_PREFETCH(SvANY(target));
            PST_PREFETCH(target->sv_u.svu_array);
        }
    }
}

/* Is this array or hash tied? (Magic alone does not say so: weak references are magic.) */
PST_INLINE bool pstx_is_tied(pTHX_ SV *sv)
{
    return SvRMAGICAL(sv) && mg_find(sv, PERL_MAGIC_tied) != NULL;
}

/* A string of bytes. RETURNS: +1. PERL: none. */
PST_INLINE SV *pstx_new_string(pTHX_ const char *bytes, STRLEN len)
{
#if PSTX_DIRECT_SCALARS
    STRLEN size = (len + 2 + 15) & ~(STRLEN)15;      /* a NUL, and perl's COW count */
    SV *sv = newSV_type(SVt_PV);
    char *buffer = (char *)PSTX_MALLOC(size);
    pst_copy((uint8_t *)buffer, bytes, len);
    buffer[len] = '\0';
    SvPV_set(sv, buffer);
    SvCUR_set(sv, len);
    SvLEN_set(sv, size);
    SvPOK_on(sv);
    SvTAINT(sv);
    return sv;
#else
    return newSVpvn(bytes, len);
#endif
}

/* An integer. RETURNS: +1. PERL: none. */
PST_INLINE SV *pstx_new_integer(pTHX_ int64_t iv)
{
#if IVSIZE < 8
    if (iv == (IV)iv)
        return newSViv((IV)iv);
    return iv > 0 && iv <= (int64_t)UV_MAX ? newSVuv((UV)iv) : newSVnv((NV)iv);    /* as a literal */
#elif PSTX_DIRECT_SCALARS
    SV *sv = newSV_type(SVt_IV);
    SvIV_set(sv, iv);
    SvIOK_on(sv);
    SvTAINT(sv);
    return sv;
#else
    return newSViv(iv);
#endif
}

/* The same of a float. */
PST_INLINE SV *pstx_new_float(pTHX_ NV nv)
{
#if PSTX_DIRECT_SCALARS
    SV *sv = newSV_type(SVt_NV);
    SvNV_set(sv, nv);
    SvNOK_on(sv);
    SvTAINT(sv);
    return sv;
#else
    return newSVnv(nv);
#endif
}

/* Begin a run: link it, read the options, and have release() called when the caller's
 * savestack scope ends, by LEAVE or by die. The caller has done ENTER.
 *   object  whose options count instead of the package variables, or NULL
 * PERL: may run user code (tied option variables). */
void pstx_run_begin(pTHX_ pstx_run *run, const pstx_object *object);

/* To be called before the first user code of a run: keeps $@. PERL: none. */
void pstx_run_user_code(pTHX_ pstx_run *run);

/* To be called when a run has succeeded: gives $@ back. PERL: none. */
void pstx_run_succeeded(pTHX_ pstx_run *run);

/* Bytes of the byte-order text in native headers: those of an IV, but those of a long where
 * $Permafrost::interwork_56_64bit asks for perl 5.6's headers. Objects do not heed it. */
size_t pstx_order_len(pTHX_ const pstx_object *object);

/* Read the package variables, or those few that count for an object, too, and its options.
 * PERL: may run user code (tied variables). */
void pstx_options_read(pTHX_ pstx_run *run, const pstx_object *object);

/* The number in one of them. Undefined counts as 0, as with Storable: a limit of nothing,
 * no flags. PERL: may run user code (tied variables). */
IV pstx_option_number(pTHX_ const pstx_globals *globals, enum pstx_variable which);
bool pstx_option_true(pTHX_ const pstx_globals *globals, enum pstx_variable which);

/* Attach the variables to their globs. PERL: none. */
void pstx_options_boot(pTHX_ pstx_globals *globals);

#endif
