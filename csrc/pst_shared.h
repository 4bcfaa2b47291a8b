/* pst_shared.h - what is referred to more than once, and where it stands first.
 *
 * Layer: core. OBJECT names an earlier object by its tag. For people that is a path. Two
 * passes over the image find out: the first notes the tags that are referred to, the second
 * the paths of their objects, as steps that share what they have in common. Memory goes with
 * the number of shared objects and of those around them, not with the size of the image.
 */
#ifndef PST_SHARED_H
#define PST_SHARED_H

#include "pst_place.h"

typedef struct pst_shared {
    const pst_memory    *memory;
    struct shared_tag   *tags;      /* sorted */
    size_t               tag_count, tag_room;
    struct shared_node  *nodes;     /* steps of paths, each with the one before it */
    size_t               node_count, node_room;
    uint8_t             *keys;
    size_t               keys_len, keys_room;
    bool                 built;
} pst_shared;

PST_EXTERN_C_BEGIN

void pst_shared_init(pst_shared *s, const pst_memory *memory);
void pst_shared_release(pst_shared *s);

/* Make both passes. Of a damaged image what comes before the damage is known.
 * RETURNS: false without memory. */
bool pst_shared_build(pst_shared *s, const pst_source *source);

/* Is the object with this tag (oldest format: old tag) named by an OBJECT? */
bool pst_shared_is(const pst_shared *s, uint64_t tag);

/* Where in the image the object with this tag begins, with its class if it has one in front.
 * RETURNS: UINT64_MAX if it is not shared. */
uint64_t pst_shared_off(const pst_shared *s, uint64_t tag);

/* Does a shared object begin at this place, in that sense? */
bool pst_shared_at(const pst_shared *s, uint64_t off);

/* Print where the object with this tag stands; "?" if that is not known. */
void pst_shared_path(const pst_shared *s, pst_out *o, uint64_t tag);

PST_EXTERN_C_END

#endif
