/* pstx_hooks.h - finding and calling Perl code: STORABLE_freeze, _thaw, _attach and others.
 *
 * Layer: glue. Every call happens in a scope of its own; what it returns is counted for
 * the caller, so that no temporary of the callee outlives the call.
 */
#ifndef PSTX_HOOKS_H
#define PSTX_HOOKS_H

#include "pstx.h"

/* In all calls, `run` is the run on whose behalf they are made, or NULL. When the callee
 * dies, a run other than dclone's adds the user's line to the text, as Storable does
 * ("text at HOOK line 3, at CALLER line 8."); exception objects pass unchanged. */

/* Call `code` with `first` (consumed) and, unless NULL, `second` (consumed) in list
 * context; the results are appended to `results`. PERL: croaks, runs user code. */
void pstx_call_list(pTHX_ const pstx_run *run, SV *code, SV *first, SV *second, AV *results);

/* Call `code` with the `count` arguments (consumed) in scalar context.
 * RETURNS: mortal. PERL: croaks, runs user code. */
SV *pstx_call_scalar(pTHX_ const pstx_run *run, SV *code, SV **args, size_t count);

/* Call the method `name` of `invocant` (consumed) with `arg` (consumed, may be NULL) in
 * scalar context. RETURNS: mortal. PERL: croaks, runs user code. */
SV *pstx_call_method(pTHX_ const pstx_run *run, SV *invocant, const char *name, SV *arg);

/* $object->STORABLE_thaw(cloning, frozen, list...). PERL: croaks, runs user code. */
void pstx_call_thaw(pTHX_ const pstx_run *run, CV *method, SV *object, SV *frozen, AV *list);

/* Load the module of a class. PERL: croaks, runs user code. */
void pstx_load_class(pTHX_ const pstx_run *run, SV *name);

/* The method `name` of a class. RETURNS: borrowed, or NULL. PERL: none. */
CV *pstx_find_method(pTHX_ HV *stash, const char *name);

#endif
