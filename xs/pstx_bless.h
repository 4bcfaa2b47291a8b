/* pstx_bless.h - blessing what has just been made.
 *
 * Layer: glue. sv_bless() wants a reference, looks for magic, upgrades scalars, and drops
 * the class there was. A new array or hash has none of that: a flag and the class are all.
 * PERL: croaks on what cannot be blessed.
 */
#ifndef PSTX_BLESS_H
#define PSTX_BLESS_H

#include "pstx_compat.h"
#include "pst_config.h"

/* Bless `sv` by perl's own function, through the reference *blesser (+1), which is made if it
 * is NULL. */
void pstx_bless_by_perl(pTHX_ SV **blesser, SV *sv, HV *stash);

/* The same, by hand where that is enough. */
PST_INLINE void pstx_bless(pTHX_ SV **blesser, SV *sv, HV *stash)
{
#if PSTX_DIRECT_BLESS
    const U32 odd = SVs_OBJECT | SVf_READONLY | SVf_PROTECT | SVs_GMG | SVs_SMG | SVs_RMG;
    if (PST_LIKELY((SvTYPE(sv) == SVt_PVHV || SvTYPE(sv) == SVt_PVAV) && !(SvFLAGS(sv) & odd))) {
        SvOBJECT_on(sv);
        SvSTASH_set(sv, (HV *)SvREFCNT_inc_simple_NN((SV *)stash));
        return;
    }
#endif
    pstx_bless_by_perl(aTHX_ blesser, sv, stash);
}

#endif
