/* pstx_clone.h - dclone.
 *
 * Layer: glue.
 */
#ifndef PSTX_CLONE_H
#define PSTX_CLONE_H

#include "pstx.h"

/* A deep copy of what `ref` refers to. RETURNS: a reference to it, mortal.
 * PERL: croaks, runs user code (hooks). */
SV *pstx_clone(pTHX_ SV *ref);

#endif
