/* pstx_spill.h - where the first parts of a large image wait until it is whole.
 *
 * Layer: glue. store opens its file when the image is whole, and store_fd sends nothing before.
 * What goes beyond PSTX_SPILL_LEN does not wait in memory but in a file beside the other, or in
 * the directory for temporary files. That has no name, so it is gone whatever happens. Nothing
 * here but pstx_spill_send() runs user code, not even signal handlers: the data are being walked.
 */
#ifndef PSTX_SPILL_H
#define PSTX_SPILL_H

#include "pstx.h"

enum { PSTX_SPILL_LEN = 64 << 20 };     /* bytes that stay in memory */

typedef struct pstx_spill pstx_spill;

/* For an image that will go to `file`; nothing is opened yet. RETURNS: borrowed from the
 * caller's savestack scope. PERL: none. */
pstx_spill *pstx_spill_new(pTHX_ SV *file);

/* The same for an image that will go to a handle. */
pstx_spill *pstx_spill_new_temporary(pTHX);

/* Put bytes behind those that are there. RETURNS: false if that cannot be done: they stay the
 * caller's. PERL: none. */
bool pstx_spill_take(pTHX_ pstx_spill *spill, const char *bytes, size_t len);

/* Forget what is there. */
void pstx_spill_reset(pstx_spill *spill);

/* Write all that is there. RETURNS: false, with errno, if that failed. PERL: runs user code
 * (layers of handles, signal handlers). */
bool pstx_spill_send(pTHX_ const pstx_spill *spill, PerlIO *io);

/* How many bytes are there, at the start of the file behind *fd. */
UV pstx_spill_held(const pstx_spill *spill, int *fd);

#endif
