/* pstx_path.h - where in the data a run is: for messages.
 *
 * Layer: glue. A path is made from the frames of a run when an error needs it; a run keeps
 * nothing for it. The notation is that of pst_path.h.
 */
#ifndef PSTX_PATH_H
#define PSTX_PATH_H

#include "pstx_retrieve.h"
#include "pstx_store.h"

/* The path of what the run is at. RETURNS: mortal. PERL: none. */
SV *pstx_path_of_store(pTHX_ const pstx_store *st);
SV *pstx_path_of_retrieve(pTHX_ const pstx_retrieve *rt);

/* The path of `sv`, which has just been made: its own frame, if it has one, is on top.
 * RETURNS: mortal. PERL: none. */
SV *pstx_path_of_item(pTHX_ pstx_retrieve *rt, const SV *sv);

/* Of a run of either kind. */
SV *pstx_path_of_run(pTHX_ const pstx_run *run);

/* A key found behind its value. */
typedef struct pstx_path_key {
    const char *bytes;      /* borrowed from the image; NULL: not found */
    size_t      len;
    bool        utf8;
} pstx_path_key;

/* Read on behind the place where the run has stopped, as rt->ahead says what comes there, and
 * find the keys of the hashes that are under construction. Only what lies in the window is
 * read; nothing is consumed.
 *   keys  one for each frame, zeroed
 * PERL: none. */
void pstx_ahead_find_keys(pTHX_ const pstx_retrieve *rt, pstx_path_key *keys);

#endif
