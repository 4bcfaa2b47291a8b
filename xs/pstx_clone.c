/* pstx_clone.c - dclone. */
#include "pstx_clone.h"
#include "pstx_store.h"
#include "pstx_retrieve.h"

/* Through an image: the reference for what the walk from data to data must do. */
static SV *clone_through_image(pTHX_ SV *ref)
{
    pst_header header;
    pst_header_host(&header, IVSIZE, NVSIZE);
    return pstx_retrieve_memory(aTHX_ pstx_store_image(aTHX_ ref, &header, true), NULL, true);
}

SV *pstx_clone(pTHX_ SV *ref)
{
    if (!SvROK(ref))
        pstx_croak(aTHX_ PSTX_MSG_NOT_A_REF_CLONE);
    return clone_through_image(aTHX_ ref);
}
