/* pst_ahead.h - the key of a value that has only begun.
 *
 * Layer: core, private to pst_walk. The key stands where the value ends. To find that place
 * the value is scanned, and then, when it is walked, the values within are asked for one by
 * one. Scanning each of them anew would cost time by the square of the depth, remembering
 * all of them memory by the size. So a scan of S bytes remembers the ends of those values
 * within that are larger than S / 1024: at each level of nesting at most 1024. The others
 * are scanned again when they are met, and so no byte more often than log1024(size) times.
 */
#ifndef PST_AHEAD_H
#define PST_AHEAD_H

#include "pst_walk.h"

typedef struct pst_ahead pst_ahead;

PST_EXTERN_C_BEGIN

/* RETURNS: NULL without memory. */
pst_ahead *pst_ahead_new(const pst_walk *walk);
void pst_ahead_free(pst_ahead *a);

/* The key of the value of `hash` that begins at `off`; offsets must not go back.
 *   *state  PST_KEY_UNKNOWN if the value is damaged
 * RETURNS: false without memory; t->bytes is borrowed until the next call. */
bool pst_ahead_key(pst_ahead *a, const pst_frame *hash, uint64_t off, pst_token *t, uint8_t *state);

PST_EXTERN_C_END

#endif
