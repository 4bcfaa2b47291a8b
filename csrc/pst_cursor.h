/* pst_cursor.h - the bounded input cursor: the only code that moves an input pointer.
 *
 * Layer: core. A cursor looks at a window of contiguous bytes. For an image in memory
 * the window is the image and `refill` is NULL. For a handle the host's `refill` moves
 * the window on: it must make at least `need` bytes available from pos on (keeping those
 * not yet read), or return false when the input ends before that. It may move the bytes,
 * so a pointer returned by pst_cursor_take() is valid only until the next cursor call.
 */
#ifndef PST_CURSOR_H
#define PST_CURSOR_H

#include "pst_config.h"

typedef struct pst_cursor {
    const uint8_t *pos;        /* next byte */
    const uint8_t *end;        /* one past the window */
    const uint8_t *start;      /* first byte of the window */
    uint64_t       start_off;  /* image offset of `start` */
    bool         (*refill)(struct pst_cursor *c, size_t need);
    void          *host;       /* for refill */
} pst_cursor;

/* Start on `len` bytes in memory. The bytes stay the caller's and must outlive the cursor;
 * they may be NULL if there are none. */
PST_INLINE void pst_cursor_init(pst_cursor *c, const uint8_t *bytes, size_t len)
{
    c->pos = c->start = bytes;
    c->end = len ? bytes + len : bytes;
    c->start_off = 0;
    c->refill = NULL;
    c->host = NULL;
}

/* Bytes left in the window (all that is left, for memory input). */
PST_INLINE size_t pst_cursor_left(const pst_cursor *c)
{
    return (size_t)(c->end - c->pos);
}

/* Offset in the image of the next byte. */
PST_INLINE uint64_t pst_cursor_off(const pst_cursor *c)
{
    return c->start_off + (uint64_t)(c->pos - c->start);
}

/* Are `need` more bytes there? Asks the host for them if the window is too small. */
PST_INLINE bool pst_cursor_need(pst_cursor *c, size_t need)
{
    if (PST_LIKELY(pst_cursor_left(c) >= need))
        return true;
    return c->refill && c->refill(c, need);
}

/* The next `len` bytes, consumed. RETURNS: borrowed from the window, or NULL if the
 * input is too short (then nothing is consumed). */
PST_INLINE const uint8_t *pst_cursor_take(pst_cursor *c, size_t len)
{
    const uint8_t *p;
    if (PST_UNLIKELY(!pst_cursor_need(c, len)))
        return NULL;
    p = c->pos;
    c->pos += len;
    return p;
}

/* Step over bytes that are known to lie in the window. */
PST_INLINE void pst_cursor_skip_nocheck(pst_cursor *c, size_t len)
{
    c->pos += len;
}

#endif
