/* pst_memory.h - the memory that inspecting an image needs, from the host.
 *
 * Layer: core. The codec itself needs none; what walks over an image keeps a stack, which
 * grows with the nesting. The host passes an allocator, so that tests can let it fail and
 * programs can count.
 */
#ifndef PST_MEMORY_H
#define PST_MEMORY_H

#include "pst_config.h"

/* resize(host, NULL, n) allocates n bytes, resize(host, p, n) moves p to n bytes as
 * realloc does, resize(host, p, 0) frees p and returns NULL. NULL otherwise means that
 * there is no memory; p is then as it was. */
typedef struct pst_memory {
    void *(*resize)(void *host, void *p, size_t size);
    void  *host;
} pst_memory;

/* Make room for `need` items of `size` bytes in the array `p` that has room for *room.
 * RETURNS: the array, perhaps moved, and *room; NULL without memory (p is as it was). */
PST_INLINE void *pst_memory_array(const pst_memory *m, void *p, size_t *room, size_t need,
                                  size_t size)
{
    size_t more = *room + *room / 2 + 16;
    if (need <= *room)
        return p;
    if (more < need)
        more = need;
    if (more > SIZE_MAX / 2 / size)
        return NULL;
    p = m->resize(m->host, p, more * size);
    if (p)
        *room = more;
    return p;
}

/* Free an array; NULL is fine. */
PST_INLINE void pst_memory_free(const pst_memory *m, void *p)
{
    if (p)
        (void)m->resize(m->host, p, 0);
}

#endif
