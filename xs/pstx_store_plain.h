/* pstx_store_plain.h - the way that most data go: plain scalars in runs, written with the place in a
 * register, and hashes without flags, which are listed before they are walked.
 *
 * Layer: glue; the walk has it inline. Plain are strings of up to 255 bytes, integers and floats
 * that nobody else refers to. A run does not grow the image, croak or run user code: what is not
 * plain, and what finds no room, is left to pstx_store_leaf() and the walk. The bytes are those of
 * pst_write_string(), pst_write_integer() and pst_write_double(); a writer of freeze always
 * writes with this machine's sizes.
 */
#ifndef PSTX_STORE_PLAIN_H
#define PSTX_STORE_PLAIN_H

#include "pst_digits.h"
#include "pstx_sort.h"
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
    if (w->netorder) {
        size_t len;
        if (PST_UNLIKELY(w->digits != PST_DIGITS_PERL || !(len = pst_format_common((char *)p + 2, v))))
            return pst_put_double_text(p, v, w->digits);
        p[0] = PST_SCALAR;
        p[1] = (uint8_t)len;
        return p + 2 + len;
    }
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
    U32 kind;
    if (SvTYPE(sv) > SVt_PVNV || PSTX_IS_SHARED(sv))
        return NULL;
    kind = flags & (SVf_ROK | SVf_POK | SVf_IOK | SVf_IVisUV);   /* a boolean is a string and an integer */
    if (kind == SVf_POK) {
        const size_t len = SvCUR(sv);
        if (len > PST_SHORT_STRING_MAX || room < 2 + len)
            return NULL;
        p[0] = flags & SVf_UTF8 ? PST_UTF8STR : PST_SCALAR;
        p[1] = (uint8_t)len;
        pst_copy(p + 2, SvPVX_const(sv), len);
        return p + 2 + len;
    }
    if (kind == SVf_IOK)
        return room < 1 + sizeof(IV) ? NULL : pstx_put_iv(p, w->netorder, SvIVX(sv));
#if NVSIZE == 8
    if (kind == 0 && flags & SVf_NOK && !pst_is_integral(SvNVX(sv)))
        return pstx_put_nv(p, room, w, SvNVX(sv));
#endif
    return NULL;
}

/* The flags of a key that tell how it is spelled. */
PST_INLINE uint8_t pstx_spelling_of(const HEK *hek)
{
    return (uint8_t)((HEK_UTF8(hek) ? PST_KEY_UTF8 : 0) | (HEK_WASUTF8(hek) ? PST_KEY_WASUTF8 : 0));
}

/* A key, of a FLAG_HASH with its flags, for which there is room. In native order it stands in memory
 * as it is written: the length, then the bytes. RETURNS: where it ends. */
PST_INLINE uint8_t *pstx_put_key(uint8_t *p, bool netorder, bool flagged, const HEK *hek)
{
    const uint32_t len = (uint32_t)HEK_LEN(hek);
    const size_t all = 4 + (size_t)len;
    if (flagged)
        *p++ = pstx_spelling_of(hek);
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

/* Values with their keys, of a FLAG_HASH with their flags, up to the first value that is not plain or
 * `stop`. A restricted hash is for others: there each value tells whether it is locked. RETURNS: the
 * entry with that value. */
PST_INLINE HE *const *pstx_store_plain_entries(pstx_store *st, HE *const *next, HE *const *stop, bool flagged)
{
    HE *const *first = next;
    uint8_t *p = st->w.buf.pos, *const end = st->w.buf.end;
    if (PST_UNLIKELY(st->all))
        return next;
    for (; next < stop; next++) {
        const HEK *key = HeKEY_hek(*next);
        const size_t behind_it = (flagged ? 5 : 4) + (size_t)HEK_LEN(key), room = (size_t)(end - p);
        uint8_t *behind;
        if (PST_UNLIKELY(room < behind_it))
            break;
        behind = pstx_put_plain(p, room - behind_it, &st->w, HeVAL(*next));
        if (!behind)
            break;
        p = pstx_put_key(behind, st->w.netorder, flagged, key);
    }
    st->w.buf.pos = p;
    st->tags += (uint32_t)(next - first);
    return next;
}

/* ---- hashes ------------------------------------------------------------------------------------ */

enum { PSTX_LIST_MAX = 64 };    /* hashes up to this size, and those to be sorted, are listed */

/* Ask for the values and their buffers, in two rounds, so that the waiting for one overlaps
 * with that for all others. */
PST_INLINE void pstx_prefetch_values(HE *const *entries, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        PST_PREFETCH(HeVAL(entries[i]));
    for (i = 0; i < count && count <= PSTX_LIST_MAX; i++) {
        const SV *value = HeVAL(entries[i]);
        PST_PREFETCH(SvANY(value));
        PST_PREFETCH(value->sv_u.svu_pv);
    }
}

/* List the entries, placeholders included, in perl's order, behind the lists that there are;
 * st->entry_count is as it was. RETURNS: the list, borrowed. */
PST_INLINE HE **pstx_list_entries(pstx_store *st, const HV *hv, size_t count, U32 permutation)
{
    enum { WORTH_PREFETCHING = 4 };
    HE *const *buckets = HvARRAY(hv);
    const size_t max = HvMAX(hv);
    HE **out, **list, **stop;
    size_t i;
    if (PST_UNLIKELY(st->entry_count + count > st->entry_room)) {
        st->entry_room = (st->entry_count + count) * 2;
        Renew(st->entries, st->entry_room, HE *);
    }
    out = list = st->entries + st->entry_count;
    stop = out + count;
    permutation &= (U32)max;
    for (i = 0; i <= max; i++) {
        HE *he = buckets[i ^ permutation];
        for (; he; he = HeNEXT(he)) {
            *out++ = he;
            if (out == stop)
                goto listed;
        }
    }
listed:
    if (count >= WORTH_PREFETCHING)
        pstx_prefetch_values(list, count);
    return list;
}

/* A frame for a hash without flags that goes on with `next`. RETURNS: the value to be written now,
 * if it is a reference and nothing has stopped the walk, else NULL. */
PST_INLINE SV *pstx_list_frame(pTHX_ pstx_store *st, HV *hv, HE *const *list, HE *const *next, HE *const *stop)
{
    SV *value = HeVAL(*next);
    pstx_store_frame *f = pstx_store_push(aTHX_ st, PSTX_FRAME_HASH_LIST, (SV *)hv);
    f->first = st->entry_count;
    st->entry_count += (size_t)(stop - list);
    if (PST_LIKELY(SvROK(value) && value != &PL_sv_placeholder && st->w.error.code == PST_OK))
        f->key = HeKEY_hek(*next++);
    else
        value = NULL;
    f->at = next - st->entries;
    f->count = stop - next;
    return value;
}

/* HASH or FLAG_HASH, the items up to the first that is not plain, and a frame for what is left.
 * RETURNS: the item that must be written next, borrowed, or NULL: then ask the top frame.
 * PERL: croaks. */
PST_INLINE SV *pstx_store_hash_begin(pTHX_ pstx_store *st, HV *hv)
{
    const size_t count = HvTOTALKEYS(hv);
    const bool sorted = st->sorted;
    HE **list, *const *next;

    pstx_store_deeper(aTHX_ st, st->run.opt.depth_limit_hash, st->via_ref != (SV *)hv);
    if (PST_UNLIKELY((SvREADONLY(hv) | HvHASKFLAGS(hv)) || (count > PSTX_LIST_MAX && !sorted))) {
        pstx_store_hash_special(aTHX_ st, hv, count, sorted);
        return NULL;
    }
    (void)pst_write_count(&st->w, PST_HASH, count);
    if (!count)
        return NULL;
    if (!sorted && !HvHASAUX(hv))
        (void)hv_iterinit(hv);
    list = pstx_list_entries(st, hv, count, sorted ? 0 : PSTX_HASH_ITER_XOR(hv));
    if (sorted)
        pstx_sort_entries(list, count, false);
    next = pstx_store_plain_entries(st, list, list + count, false);
    return next < list + count ? pstx_list_frame(aTHX_ st, hv, list, next, list + count) : NULL;
}

/* A hash without flags that is listed: most are. Its frame is of the kind HASH_LIST. RETURNS: as
 * pstx_store_hash_next(). PERL: croaks. */
PST_INLINE SV *pstx_store_list_next(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    HE *const *next = st->entries + f->at, *const *stop = next + f->count;
    if (f->key)                         /* back from its value */
        goto key;
    while (next < stop) {
        SV *value = HeVAL(*next);
        f->key = HeKEY_hek(*next);      /* for the path of an error */
        next++;
        if (PST_UNLIKELY(value == &PL_sv_placeholder))
            pstx_store_immortal_undef(aTHX_ st);
        else if (!pstx_store_leaf(aTHX_ st, value)) {
            f->count = stop - next;
            f->at = next - st->entries;
            return value;
        }
    key:
        (void)pst_write_key(&st->w, HEK_KEY(f->key), (uint32_t)HEK_LEN(f->key));
        next = pstx_store_plain_entries(st, next, stop, false);
    }
    pstx_store_pop(aTHX_ st);
    return NULL;
}

#endif
