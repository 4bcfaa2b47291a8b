/* pstx_clone.h - dclone, and the clone of objects.
 *
 * Layer: glue.
 */
#ifndef PSTX_CLONE_H
#define PSTX_CLONE_H

#include "pstx_object.h"

/* A deep copy of what `ref` refers to. RETURNS: a reference to it, mortal.
 * PERL: croaks, runs user code (hooks). */
SV *pstx_clone(pTHX_ SV *ref);

/* A deep copy of what `ref` refers to, under an object's options. RETURNS: a reference,
 * mortal. PERL: croaks, runs user code. */
SV *pstx_object_clone(pTHX_ const pstx_object *object, SV *ref);

/* Free what is kept for the next copy, at the interpreter's end. PERL: none. */
void pstx_clone_forget(pTHX_ pstx_globals *globals);

#endif
