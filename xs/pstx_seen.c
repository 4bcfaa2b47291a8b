/* pstx_seen.c - see pstx_seen.h. */
#include "pstx_seen.h"

enum {
    FIRST_SLOTS = 64,
    KEEP_SLOTS  = 4096   /* larger tables are given back after the run */
};

void pstx_seen_clear(pstx_seen *seen)
{
    seen->count = 0;
    if (seen->mask >= KEEP_SLOTS)
        pstx_seen_release(seen);
    else if (++seen->generation == 0 && seen->slots) {   /* wrapped: old marks could match */
        Zero(seen->slots, seen->mask + 1, pstx_seen_slot);
        seen->generation = 1;
    }
}

void pstx_seen_release(pstx_seen *seen)
{
    Safefree(seen->slots);
    Zero(seen, 1, pstx_seen);
}

void pstx_seen_enlarge(pstx_seen *seen)
{
    pstx_seen old = *seen;
    size_t slots = old.slots ? (old.mask + 1) * 2 : FIRST_SLOTS, i;
    Newxz(seen->slots, slots, pstx_seen_slot);
    seen->mask = slots - 1;
    if (seen->generation == 0)
        seen->generation = 1;
    if (!old.slots)
        return;
    for (i = 0; i <= old.mask; i++)
        if (old.slots[i].generation == old.generation)
            *pstx_seen_slot_of(seen, old.slots[i].key) = old.slots[i];
    Safefree(old.slots);
}
