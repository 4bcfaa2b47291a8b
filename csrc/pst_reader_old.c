/* pst_reader_old.c - images of Storable before 0.7: majors 1 and 0. See pst_reader.h. */
#include "pst_reader.h"

/* Marks around tokens. */
enum {
    OLD_ITEM  = 'i', OLD_NO_ITEM  = 'I',    /* arrays */
    OLD_VALUE = 'v', OLD_NO_VALUE = 'V',    /* hashes */
    OLD_KEY   = 'k',
    OLD_CLASS = 'b', OLD_BIG_CLASS = 'B',   /* class notices */
    OLD_END   = 'X'
};

bool pst_reader_is_old(const pst_reader *r)
{
    return r->header.major < 2;
}

bool pst_reader_is_tagged(const pst_reader *r)
{
    return r->header.major < 1 || r->header.old_magic;
}

bool pst_reader_old_tag(pst_reader *r, uint64_t *tag)
{
    size_t size = r->header.netorder || r->header.long_size != 8 ? 4 : 8;
    const uint8_t *p = pst_cursor_take(&r->in, size);
    if (!p)
        return pst_reader_truncated(r);
    *tag = size == 8 ? pst_load64(p) : pst_load32(p);
    return true;
}

bool pst_reader_old_next(pst_reader *r, pst_token *t)
{
    const uint8_t *p;
    if (!pst_reader_is_tagged(r))
        return pst_reader_next(r, t);
    p = pst_cursor_take(&r->in, 1);
    if (!p)
        return pst_reader_truncated(r);
    if (*p > PST_TIED_SCALAR)
        return pst_reader_fail(r, PST_ERR_MARKER, PST_TIED_SCALAR, *p);
    if (*p == PST_OBJECT) {
        t->marker = t->wire = PST_OBJECT;
        return true;
    }
    r->in.pos--;            /* a byte just taken may be given back */
    return pst_reader_next(r, t);
}

/* One of two marks. */
static bool read_mark(pst_reader *r, uint8_t there, uint8_t missing, bool *present)
{
    uint8_t mark = 0;
    if (!pst_reader_u8(r, &mark))
        return false;
    *present = mark == there;
    return *present || mark == missing || pst_reader_fail(r, PST_ERR_MARKER, there, mark);
}

bool pst_reader_old_item(pst_reader *r, bool *present)
{
    return read_mark(r, OLD_ITEM, OLD_NO_ITEM, present);
}

bool pst_reader_old_value(pst_reader *r, bool *present)
{
    return read_mark(r, OLD_VALUE, OLD_NO_VALUE, present);
}

bool pst_reader_old_key_mark(pst_reader *r)
{
    bool present;
    return read_mark(r, OLD_KEY, OLD_KEY, &present);
}

bool pst_reader_old_notice(pst_reader *r, pst_token *t, bool *end)
{
    uint8_t mark = 0;
    if (!pst_reader_u8(r, &mark))
        return false;
    *end = mark == OLD_END;
    if (*end)
        return true;
    if (mark == OLD_CLASS)
        return pst_reader_short(r, t);
    if (mark == OLD_BIG_CLASS)
        return pst_reader_long(r, t, PST_SCALAR);
    return pst_reader_truncated(r);     /* Storable takes it for the end, too */
}
