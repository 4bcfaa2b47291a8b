/* pst_buf.h - the growing output buffer: the only code that enlarges output.
 *
 * Layer: core. The host owns the memory (the Perl glue lends the buffer of the scalar
 * that freeze returns, so nothing is copied at the end). When room runs out the host's
 * `grow` must make `need` bytes available behind `pos`: by enlarging the memory (it may
 * move; start, pos and end are then set anew) or by sending the bytes so far away
 * and moving `pos` back to `start` (then it adds them to `sent`).
 */
#ifndef PST_BUF_H
#define PST_BUF_H

#include "pst_config.h"

typedef struct pst_buf {
    uint8_t *start;  /* first byte held */
    uint8_t *pos;    /* where the next byte goes */
    uint8_t *end;    /* one past the room */
    uint64_t sent;   /* bytes that have already left the buffer */
    bool   (*grow)(struct pst_buf *b, size_t need);  /* false: no memory, or output failed */
    void    *host;   /* for grow */
} pst_buf;

/* Bytes held now. */
PST_INLINE size_t pst_buf_len(const pst_buf *b)
{
    return (size_t)(b->pos - b->start);
}

/* Offset in the image of the next byte. */
PST_INLINE uint64_t pst_buf_off(const pst_buf *b)
{
    return b->sent + pst_buf_len(b);
}

/* Make sure that `need` bytes fit. */
PST_INLINE bool pst_buf_reserve(pst_buf *b, size_t need)
{
    if (PST_LIKELY((size_t)(b->end - b->pos) >= need))
        return true;
    return b->grow(b, need);
}

/* Append one byte, or `len` bytes, for which room has been reserved. */
PST_INLINE void pst_buf_put_u8_nocheck(pst_buf *b, unsigned v)
{
    *b->pos++ = (uint8_t)v;
}

/* Write into room that is there. */
PST_INLINE void pst_buf_put_nocheck(pst_buf *b, const void *bytes, size_t len)
{
    pst_copy(b->pos, bytes, len);
    b->pos += len;
}

/* The size to which a buffer of `size` bytes should grow so that `need` more bytes fit:
 * at least half as large again, so that the copies stay linear in all. RETURNS: bytes,
 * 0 on overflow. */
PST_INLINE size_t pst_buf_next_size(size_t size, size_t used, size_t need)
{
    size_t half_more = size + size / 2 + 64;
    if (need > SIZE_MAX / 2 - used)
        return 0;
    return used + need > half_more ? used + need : half_more;
}

#endif
