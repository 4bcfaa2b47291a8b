/* pstx_store_plain.h - writing plain scalars in runs, with the place to write to in a register.
 *
 * Layer: glue. Plain are strings of up to 255 bytes, integers and, in native order, floats, which
 * nobody else refers to. Nothing here grows the image, croaks or runs user code: what is not
 * plain, and what finds no room, is left to pstx_store_leaf() and the walk. The bytes are those of
 * pst_write_string(), pst_write_integer() and pst_write_double(); a writer of freeze always
 * writes with this machine's sizes.
 */
#ifndef PSTX_STORE_PLAIN_H
#define PSTX_STORE_PLAIN_H

#include "pstx_store.h"

#include <stddef.h>

/* An integer. RETURNS: where it ends; NULL for one that network order wants as text. */
PST_INLINE uint8_t *pstx_put_iv(uint8_t *p, bool netorder, IV iv)
{
    if (iv >= -128 && iv <= 127) {
        p[0] = PST_BYTE;
        p[1] = (uint8_t)(iv + 128);
        return p + 2;
    }
    if (netorder) {
        if (PST_UNLIKELY(iv != (int32_t)iv))
            return NULL;
        *p = PST_NETINT;
        pst_store_be32(p + 1, (uint32_t)iv);
        return p + 5;
    }
    *p = PST_INTEGER;
    memcpy(p + 1, &iv, sizeof iv);
    return p + 1 + sizeof iv;
}

/* A double that is no integer. */
PST_INLINE uint8_t *pstx_put_nv(uint8_t *p, size_t room, const pst_writer *w, double v)
{
    if (PST_UNLIKELY(room < PST_DOUBLE_TEXT_MAX))
        return NULL;
    if (w->netorder)
        return pst_put_double_text(p, v, w->digits);
    *p = PST_DOUBLE;
    memcpy(p + 1, &v, sizeof v);
    return p + 1 + sizeof v;
}

/* A plain scalar, if `room` bytes can take it.
 *   sv  an item of a container, not NULL; weak references and the like are for others
 * RETURNS: where it ends; NULL, with nothing written, if it is not plain. */
PST_INLINE uint8_t *pstx_put_plain(uint8_t *p, size_t room, const pst_writer *w, const SV *sv)
{
    const U32 flags = SvFLAGS(sv);
    if (SvTYPE(sv) > SVt_PVNV || SvREFCNT(sv) != 1)
        return NULL;
    /* A boolean is all of them. */
    switch (flags & (SVf_ROK | SVf_POK | SVf_IOK)) {
    case SVf_POK: {
        const size_t len = SvCUR(sv);
        if (len > PST_SHORT_STRING_MAX || room < 2 + len)
            return NULL;
        p[0] = flags & SVf_UTF8 ? PST_UTF8STR : PST_SCALAR;
        p[1] = (uint8_t)len;
        pst_copy(p + 2, SvPVX_const(sv), len);
        return p + 2 + len;
    }
    case SVf_IOK:
        return room < 1 + sizeof(IV) || SvIsUV(sv) ? NULL : pstx_put_iv(p, w->netorder, SvIVX(sv));
#if NVSIZE == 8
    case 0:
        return flags & SVf_NOK && !pst_is_integral(SvNVX(sv)) ? pstx_put_nv(p, room, w, SvNVX(sv)) : NULL;
#endif
    default:
        return NULL;
    }
}

/* A key of a plain hash, for which there is room. In native order it stands in memory as it is
 * written: the length, then the bytes. RETURNS: where it ends. */
PST_INLINE uint8_t *pstx_put_key(uint8_t *p, bool netorder, const HEK *hek)
{
    const uint32_t len = (uint32_t)HEK_LEN(hek);
    const size_t all = 4 + (size_t)len;
    pst_copy(p, (const uint8_t *)hek + offsetof(HEK, hek_len), all);
    if (netorder)
        pst_store_be32(p, len);
    return p + all;
}

/* Items of an array, up to the first that is missing or not plain. RETURNS: how many. */
PST_INLINE IV pstx_store_plain_items(pstx_store *st, SV *const *items, IV count)
{
    uint8_t *p = st->w.buf.pos, *const end = st->w.buf.end;
    IV i;
    if (PST_UNLIKELY(st->all))
        return 0;
    for (i = 0; i < count && items[i]; i++) {
        uint8_t *behind = pstx_put_plain(p, (size_t)(end - p), &st->w, items[i]);
        if (!behind)
            break;
        p = behind;
    }
    st->w.buf.pos = p;
    st->tags += (uint32_t)i;
    return i;
}

/* Values with their keys, up to the first value that is not plain or `stop`. RETURNS: that one. */
PST_INLINE HE *const *pstx_store_plain_entries(pstx_store *st, HE *const *next, HE *const *stop)
{
    HE *const *first = next;
    uint8_t *p = st->w.buf.pos, *const end = st->w.buf.end;
    if (PST_UNLIKELY(st->all))
        return next;
    for (; next < stop; next++) {
        const HEK *key = HeKEY_hek(*next);
        const size_t behind_it = 4 + (size_t)HEK_LEN(key), room = (size_t)(end - p);
        uint8_t *behind;
        if (PST_UNLIKELY(room < behind_it))
            break;
        behind = pstx_put_plain(p, room - behind_it, &st->w, HeVAL(*next));
        if (!behind)
            break;
        p = pstx_put_key(behind, st->w.netorder, key);
    }
    st->w.buf.pos = p;
    st->tags += (uint32_t)(next - first);
    return next;
}

#endif
