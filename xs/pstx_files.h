/* pstx_files.h - the functions as users call them: arguments, files, handles.
 *
 * Layer: glue. Opening, locking and naming files is Perl's work (lib/Permafrost.pm has the
 * subs that are called here); the order of things is decided here: an image is whole
 * before a file is opened, so that what cannot be stored leaves the old file untouched.
 * All return mortals or immortals.
 */
#ifndef PSTX_FILES_H
#define PSTX_FILES_H

#include "pstx.h"

/* In all of them `object` is the one whose method was called, NULL for the function; methods
 * throw Permafrost::Error objects where functions return undef. */

/* freeze and nfreeze; thaw. `items` is the number of arguments. PERL: croaks, runs user code. */
SV *pstx_freeze(pTHX_ const pstx_object *object, SV *ref, SSize_t items, bool netorder);
SV *pstx_thaw(pTHX_ const pstx_object *object, SV *image, SV *flags);

/* What store would write into a file. PERL: croaks, runs user code. */
SV *pstx_file_image(pTHX_ const pstx_object *object, SV *ref, bool netorder);

/* store and its sisters; store_fd, nstore_fd. RETURNS: true, or undef if not all could be
 * written ($! tells). PERL: croaks, runs user code. */
SV *pstx_store_file(pTHX_ const pstx_object *object, SV *ref, SV *file, SSize_t items, bool netorder, bool lock);
SV *pstx_store_fd(pTHX_ const pstx_object *object, SV *ref, SV *handle, SSize_t items, bool netorder);

/* retrieve, lock_retrieve; fd_retrieve. RETURNS: a reference, or undef for a truncated
 * image. PERL: croaks, runs user code. */
SV *pstx_retrieve_file(pTHX_ const pstx_object *object, SV *file, SV *flags, bool lock);
SV *pstx_retrieve_fd(pTHX_ const pstx_object *object, SV *handle, SV *flags);

/* Push what the header at the start of `bytes` says on perl's stack: format (-1: before
 * versions), netorder, major, minor, header length, order text, sizes of int, long,
 * pointer and NV (0 where it does not say). Nothing if it is not whole. */
void pstx_push_header(pTHX_ SV *bytes, bool file);

/* Make `old` do what `replacement` does, prototype included; references to `old` stay
 * good. */
void pstx_replace_code(pTHX_ CV *old, CV *replacement);

#endif
