/* pst_source.h - an image as input that can be read at any place.
 *
 * Layer: core. A key stands behind its value on the wire, and people want to see it before:
 * so whoever shows an image must be able to look ahead. A source is either memory, read in
 * place, or a callback that reads at an offset (a file, a pipe that was spooled). Of the
 * latter each reader holds a window of its own, which grows only for strings longer than it.
 */
#ifndef PST_SOURCE_H
#define PST_SOURCE_H

#include "pst_cursor.h"
#include "pst_memory.h"

typedef struct pst_source {
    const uint8_t *bytes;   /* the image, or NULL if it must be read; borrowed */
    uint64_t       len;     /* bytes in all */
    /* Read up to `len` bytes at `off`. RETURNS: bytes read, less only at the end or after
     * an error of the host. */
    size_t       (*read_at)(void *host, uint64_t off, uint8_t *out, size_t len);
    void          *host;
    size_t         window;  /* bytes to be read at a time at least; 0: a good number */
} pst_source;

/* What a cursor on a source needs beside it. Neither it nor the cursor may be moved. */
typedef struct pst_window {
    const pst_source *source;
    const pst_memory *memory;
    uint8_t          *bytes;      /* owned */
    size_t            size;
    uint64_t          keep_off;   /* bytes from here on stay in the window when it moves on */
    bool              no_memory;  /* why the last refill failed */
} pst_window;

PST_EXTERN_C_BEGIN

/* A source in memory; the bytes stay the caller's. */
void pst_source_memory(pst_source *s, const void *bytes, size_t len);

/* Copy up to `len` bytes at `off`. RETURNS: bytes copied. */
size_t pst_source_read(const pst_source *s, uint64_t off, void *out, size_t len);

void pst_window_init(pst_window *w, const pst_source *source, const pst_memory *memory);
void pst_window_release(pst_window *w);

/* Let the cursor go on at `off`. What the window holds already is not read again. */
void pst_window_seek(pst_window *w, pst_cursor *c, uint64_t off);

PST_EXTERN_C_END

/* The bytes at `off`, which lie in the cursor's window. RETURNS: borrowed, until the next
 * cursor call. */
PST_INLINE const uint8_t *pst_window_at(const pst_cursor *c, uint64_t off)
{
    return c->start + (size_t)(off - c->start_off);
}

#endif
