/* pstx_object.h - objects with options: Permafrost->new(...).
 *
 * Layer: glue. lib/Permafrost.pm has the methods' names and checks the options; here they are
 * kept, as magic of the object, so nobody can change them and a thread's copy has its own.
 * Every function that users call as a method too takes a pstx_object, NULL for the function.
 */
#ifndef PSTX_OBJECT_H
#define PSTX_OBJECT_H

#include "pstx.h"

/* Attach the checked options in the hash to an object.
 *   options  kept; has all keys, see new() in Permafrost.pm
 * PERL: none. */
void pstx_object_make(pTHX_ SV *self, HV *options);

/* The options of an object, into *object. RETURNS: object, or NULL if `sv` (may be NULL) is no
 * object that new() has made. object->classes is borrowed from a mortal. PERL: none. */
const pstx_object *pstx_object_load_blessed(pTHX_ SV *sv, pstx_object *object);

/* The same; quick where `sv` is no object at all. */
PST_INLINE const pstx_object *pstx_object_load(pTHX_ SV *sv, pstx_object *object)
{
    return sv && SvROK(sv) && SvOBJECT(SvRV(sv)) ? pstx_object_load_blessed(aTHX_ sv, object) : NULL;
}

/* The hash that pstx_object_make() got. RETURNS: a new reference to it, mortal, or undef. */
SV *pstx_object_options(pTHX_ SV *self);

/* Take the options over into a run. PERL: none. */
void pstx_object_apply(pTHX_ const pstx_object *object, pstx_options *opt);

/* Does the run admit objects of the class, by its name as it stands in the image? The caller
 * has prepared for user code if opt.classes_run_code. PERL: croaks, runs user code. */
bool pstx_object_allows(pTHX_ const pstx_run *run, SV *name);

/* The value of the option trust, for messages. */
const char *pstx_trust_name(const pstx_options *opt);

#endif
