/* pstx_seen.h - addresses already met: pointer -> number.
 *
 * Layer: glue. An open-addressing table that is emptied in constant time (each slot
 * carries the generation in which it was filled), so that a run which meets no shared
 * object pays nothing and the memory serves the next run. PERL: none, but for the
 * allocation, which ends the program when memory is gone as perl's own does.
 */
#ifndef PSTX_SEEN_H
#define PSTX_SEEN_H

#include "pstx_compat.h"
#include "pst_config.h"

typedef struct pstx_seen_slot {
    const void *key;
    uint32_t    value;
    uint32_t    generation;
} pstx_seen_slot;

typedef struct pstx_seen {
    pstx_seen_slot *slots;      /* NULL until the first entry */
    size_t          mask;       /* slots - 1, a power of two */
    size_t          count;
    uint32_t        generation; /* of the current run; slots of others are empty */
} pstx_seen;

/* Forget everything, keep the memory (unless it is large). */
void pstx_seen_clear(pstx_seen *seen);

/* Free the memory. */
void pstx_seen_release(pstx_seen *seen);

/* Double the table; for pstx_seen_add(). */
void pstx_seen_enlarge(pstx_seen *seen);

/* Where the search for an address begins. */
PST_INLINE size_t pstx_seen_hash(const pstx_seen *seen, const void *key)
{
    return (size_t)(((uint64_t)PTR2UV(key) * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & seen->mask;
}

/* The slot of `key`: its own, or the empty one where it belongs. */
PST_INLINE pstx_seen_slot *pstx_seen_slot_of(const pstx_seen *seen, const void *key)
{
    size_t at = pstx_seen_hash(seen, key);
    for (;;) {
        pstx_seen_slot *slot = &seen->slots[at];
        if (slot->generation != seen->generation || slot->key == key)
            return slot;
        at = (at + 1) & seen->mask;
    }
}

/* Enter `key` with `value`, unless it is there. RETURNS: true if it was there; then
 * *value is its number. */
PST_INLINE bool pstx_seen_add(pstx_seen *seen, const void *key, uint32_t *value)
{
    pstx_seen_slot *slot;
    if (PST_UNLIKELY(!seen->slots || seen->count > seen->mask / 4 * 3))
        pstx_seen_enlarge(seen);
    slot = pstx_seen_slot_of(seen, key);
    if (slot->generation == seen->generation) {
        *value = slot->value;
        return true;
    }
    slot->key = key;
    slot->value = *value;
    slot->generation = seen->generation;
    seen->count++;
    return false;
}

/* Look `key` up. RETURNS: true if it is there; then *value is its number. */
PST_INLINE bool pstx_seen_get(const pstx_seen *seen, const void *key, uint32_t *value)
{
    pstx_seen_slot *slot;
    if (!seen->slots)
        return false;
    slot = pstx_seen_slot_of(seen, key);
    if (slot->generation != seen->generation)
        return false;
    *value = slot->value;
    return true;
}

#endif
