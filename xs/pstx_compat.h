/* pstx_compat.h - the only place with PERL_VERSION tests (5.16 to 5.42).
 *
 * Layer: glue. Includes perl's headers for all of xs/ and gives one name to what perls
 * do in different ways. For 5.16 to 5.30 it is written after perl's documentation (the
 * perl5*delta pages and perlapi); the README says which perls are tested.
 *
 * With PSTX_OLDEST_PERL any perl gets what the oldest one would: no shortcut, no name that came
 * after 5.16. That shows that all this works without them; how a perl behaves it does not
 * change.
 */
#ifndef PSTX_COMPAT_H
#define PSTX_COMPAT_H

#define PERL_NO_GET_CONTEXT
#include "EXTERN.h"
#include "perl.h"
#include "XSUB.h"

#define PSTX_PERL_AT_LEAST(minor) (PERL_REVISION > 5 || (PERL_REVISION == 5 && PERL_VERSION >= (minor)))

/* May names and insides of this version be used? */
#ifdef PSTX_OLDEST_PERL
#  define PSTX_MAY_USE(minor) 0
#  undef HvAMAGIC
#  undef HvHASAUX
#  undef Perl_ldexp
#  undef SvIsBOOL
#  undef SvREFCNT_dec_NN
#  undef SvTRUE_nomg_NN
#  undef SV_COW_OTHER_PVS
#  undef TAINTING_get
#  undef TAINT_get
#  undef TAINT_set
#  undef cv_name
#else
#  define PSTX_MAY_USE(minor) PSTX_PERL_AT_LEAST(minor)
#endif

#ifndef HvHASAUX
#  define HvHASAUX(hv) SvOOK(hv)
#endif

/* Where hash iteration starts in the bucket array: perls from 5.18 on permute it. */
#ifdef PERL_HASH_RANDOMIZE_KEYS
#  define PSTX_HASH_ITER_XOR(hv) (HvAUX(hv)->xhv_rand)
#else
#  define PSTX_HASH_ITER_XOR(hv) 0
#endif

/* Perl 5.20 and later tell `&PL_sv_undef` in an array (SVUNDEF_ELEM) from a hole; before, it was
 * the hole. */
#define PSTX_HAS_SVUNDEF_ELEM PSTX_PERL_AT_LEAST(19)
#define PSTX_HOLE (PSTX_HAS_SVUNDEF_ELEM ? (SV *)NULL : &PL_sv_undef)

/* Before 5.20 perl counts the items of an array as I32. */
#define PSTX_ARRAY_TOO_LONG(count) (!PSTX_PERL_AT_LEAST(19) && (count) > I32_MAX)

/* The minor version that Storable writes on this perl. */
#define PSTX_WRITE_MINOR (PSTX_PERL_AT_LEAST(19) ? 11 : 9)

/* The newest minor version that this perl's Storable knows. */
#define PSTX_READ_MINOR (PSTX_PERL_AT_LEAST(37) ? 12 : PSTX_WRITE_MINOR)

/* The newest marker that this perl's Storable says it can handle. */
#define PSTX_LAST_TAG (PSTX_PERL_AT_LEAST(37) ? 35 : 33)

/* Storable calls the hooks of objects that are regular expressions, as those of scalars, from a
 * version on that comes with 5.37. */
#define PSTX_REGEXPS_HAVE_HOOKS PSTX_PERL_AT_LEAST(37)

/* The full name of a hook, if that Storable names it where it refuses what it stands on; NULL
 * if it does not. RETURNS: mortal. */
#ifdef cv_name
#  define PSTX_HOOK_NAME(cv) (PSTX_PERL_AT_LEAST(37) ? cv_name((cv), NULL, 0) : NULL)
#else
#  define PSTX_HOOK_NAME(cv) NULL
#endif

/* Booleans keep their kind in copies from 5.36 on; Storable writes markers for them from
 * 3.27 on, which comes with 5.37. */
#if PSTX_PERL_AT_LEAST(37) && defined(SvIsBOOL)
#  define PSTX_WRITE_BOOLEANS 1
#else
#  define PSTX_WRITE_BOOLEANS 0
#endif
#ifdef SvIsBOOL
#  define PSTX_IS_BOOL(sv) SvIsBOOL(sv)
#else
#  define PSTX_IS_BOOL(sv) 0
#endif

/* Storable writes booleans that are read-only as strings. */
#define PSTX_IS_WRITTEN_BOOL(sv) (PSTX_WRITE_BOOLEANS && PSTX_IS_BOOL(sv) && !SvREADONLY(sv))

/* Can an address be met again, going by the number of references? An immortal's is so large that it
 * always can; but with -DDEBUGGING it is 1000 to begin with, and goes down. Immortals are readonly. */
#ifdef DEBUGGING
#  define PSTX_IS_SHARED(sv) (SvREFCNT(sv) > 1 || SvREADONLY(sv))
#else
#  define PSTX_IS_SHARED(sv) (SvREFCNT(sv) > 1)
#endif

/* Is a package overloaded? Before 5.18 objects had the flag, not packages. */
#ifdef HvAMAGIC
#  define PSTX_IS_OVERLOADED(stash) (HvAMAGIC(stash) && Gv_AMG(stash))
#else
#  define PSTX_IS_OVERLOADED(stash) cBOOL(Gv_AMG(stash))
#endif

/* To be called for an object whose package may have become overloaded only after the object was
 * blessed. */
#if PSTX_PERL_AT_LEAST(17)
#  define PSTX_OVERLOADED_NOW(object) NOOP
#else
#  define PSTX_OVERLOADED_NOW(object) (SvFLAGS(object) |= SVf_AMAGIC)
#endif

/* Take the blessing away from what may be an object, without calling DESTROY. PERL: none. */
PERL_STATIC_INLINE void pstx_unbless(pTHX_ SV *sv)
{
    HV *stash;
    PERL_UNUSED_CONTEXT;
    if (!SvOBJECT(sv))
        return;
    stash = SvSTASH(sv);
    SvOBJECT_off(sv);
    SvSTASH_set(sv, NULL);
#if !PSTX_PERL_AT_LEAST(17)
    SvFLAGS(sv) &= ~SVf_AMAGIC;
    PL_sv_objcount--;
#endif
    SvREFCNT_dec(stash);
}

/* The slot of a hash entry, made (with no value yet) if it is not there. The key is a
 * scalar, or bytes with perl's flags for them; hash 0 means not known.
 * RETURNS: borrowed HE, or NULL. PERL: may croak on a restricted hash. */
#define PSTX_HV_SLOT(hv, keysv, key, len, flags, hash) \
    ((HE *)hv_common((hv), (keysv), (key), (len), (flags), HV_FETCH_LVALUE | HV_FETCH_EMPTY_HE, NULL, (hash)))

/* A new scalar of a type whose head is filled by hand: inline in perl from 5.36 on.
 * A string made so has no more room than it needs, and takes no detour. */
#define PSTX_DIRECT_SCALARS PSTX_MAY_USE(36)

/* Hash entries made by hand (pstx_hash.h): only on perls on which the tests have shown that
 * the hashes are perl's own. Perl keeps free entries on a list of its own, under the type
 * that needs no body. */
#define PSTX_FREE_ENTRIES (&PL_body_roots[SVt_NULL])
#if defined(PERL_HASH_RANDOMIZE_KEYS) && !defined(PURIFY) \
    && !defined(NODEFAULT_SHAREKEYS) && PSTX_MAY_USE(36) && !PSTX_MAY_USE(37)
#  define PSTX_DIRECT_HASH 1
#else
#  define PSTX_DIRECT_HASH 0
#endif

/* To bless a container is to set a flag and a class: before, there were counts to keep, later
 * there are classes into which nothing can be blessed. */
#define PSTX_DIRECT_BLESS (PSTX_MAY_USE(22) && !PSTX_MAY_USE(37))

/* Memory that perl frees with its scalars: malloc itself where perl adds nothing to it. */
#if defined(MYMALLOC) || defined(PERL_TRACK_MEMPOOL) || defined(PERL_IMPLICIT_SYS) \
    || defined(PERL_MEM_LOG) || defined(PERL_DEBUG_READONLY_COW)
#  define PSTX_MALLOC(size) safemalloc(size)
#else
#  define PSTX_MALLOC(size) pstx_malloc(size)
PERL_STATIC_INLINE void *pstx_malloc(size_t size)
{
    void *memory = malloc(size);
    return LIKELY(memory != NULL) ? memory : safemalloc(size);     /* which knows how to die */
}
#endif

/* For sv_setsv_flags(): share the buffer, to be copied on write. Perl's own name for this is
 * empty outside perl. */
#ifdef SV_COW_OTHER_PVS
#  define PSTX_SHARE_BUFFER (SV_COW_SHARED_HASH_KEYS | SV_COW_OTHER_PVS)
#else
#  define PSTX_SHARE_BUFFER 0
#endif

/* Where a handle must be and undef is, perl itself has something to say about it from 5.41 on. */
#define PSTX_UNDEF_IS_NO_SYMBOL PSTX_PERL_AT_LEAST(41)

/* x * 2**exponent; the name came with 5.22. */
#ifndef Perl_ldexp
#  if defined(USE_QUADMATH)
#    define Perl_ldexp(x, exponent) ldexpq((x), (exponent))
#  elif defined(USE_LONG_DOUBLE)
#    define Perl_ldexp(x, exponent) ldexpl((x), (exponent))
#  else
#    define Perl_ldexp(x, exponent) ldexp((x), (exponent))
#  endif
#endif

/* Names that came with 5.18, 5.32 and 5.36. */
#ifndef G_LIST
#  define G_LIST G_ARRAY
#endif
#ifndef SvREFCNT_dec_NN
#  define SvREFCNT_dec_NN(sv) SvREFCNT_dec(sv)
#endif
#ifndef TAINTING_get
#  define TAINTING_get (PL_tainting)
#endif
#ifndef TAINT_get
#  define TAINT_get (PL_tainted)
#endif
#ifndef TAINT_set
#  define TAINT_set(s) (PL_tainted = (s))
#endif
#ifndef SvTRUE_nomg_NN
#  define SvTRUE_nomg_NN(sv) SvTRUE_nomg(sv)
#endif

#endif
