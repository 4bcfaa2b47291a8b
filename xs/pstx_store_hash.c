/* pstx_store_hash.c - walking hashes: order, flags and keys.
 *
 * The order is perl's own iteration order. Without user code in the run the bucket array
 * is read directly and the hash's iterator is not touched; where hooks may change the
 * hash meanwhile, perl's iterator is used (saved and restored), or, sorted, a list of
 * keys.
 */
#include "pstx_store.h"
#include <stdlib.h>

/* ---- canonical order ------------------------------------------------------------------------- */

/* As perl's cmp: by code points. */
static int compare_keys(const HEK *a, const HEK *b)
{
    I32 a_len = HEK_LEN(a), b_len = HEK_LEN(b);
    int order;
    if (PST_UNLIKELY(!HEK_UTF8(a) != !HEK_UTF8(b))) {
        dTHX;
        return HEK_UTF8(b)
            ? bytes_cmp_utf8((const U8 *)HEK_KEY(a), (STRLEN)a_len, (const U8 *)HEK_KEY(b), (STRLEN)b_len)
            : -bytes_cmp_utf8((const U8 *)HEK_KEY(b), (STRLEN)b_len, (const U8 *)HEK_KEY(a), (STRLEN)a_len);
    }
    order = memcmp(HEK_KEY(a), HEK_KEY(b), (size_t)(a_len < b_len ? a_len : b_len));
    return order ? order : a_len - b_len;
}

static int compare_entries(const void *a, const void *b)
{
    return compare_keys(HeKEY_hek(*(HE *const *)a), HeKEY_hek(*(HE *const *)b));
}

/* Every entry, placeholders included, in any order. */
static void collect_entries(HV *hv, HE **out)
{
    U32 i;
    for (i = 0; HvARRAY(hv) && i <= HvMAX(hv); i++) {
        HE *he;
        for (he = HvARRAY(hv)[i]; he; he = HeNEXT(he))
            *out++ = he;
    }
}

static HE **sorted_entries(pTHX_ HV *hv, size_t count)
{
    HE **entries;
    PERL_UNUSED_CONTEXT;
    Newx(entries, count ? count : 1, HE *);
    collect_entries(hv, entries);
    qsort(entries, count, sizeof *entries, compare_entries);
    return entries;
}

/* The keys alone, for runs in which entries may vanish. RETURNS: +1. */
static AV *sorted_keys(pTHX_ HV *hv, size_t count)
{
    HE **entries = sorted_entries(aTHX_ hv, count);
    AV *keys = newAV();
    size_t i;
    av_extend(keys, (SSize_t)count);
    for (i = 0; i < count; i++)
        av_push(keys, newSVhek(HeKEY_hek(entries[i])));
    Safefree(entries);
    return keys;
}

/* ---- moving on --------------------------------------------------------------------------------- */

/* perl's iterator, started without freeing an entry that `each` still stands on. */
static void iterator_begin(pTHX_ pstx_store_frame *f)
{
    HV *hv = (HV *)f->sv;
    f->saved_riter = HvRITER_get(hv);
    f->saved_eiter = HvEITER_get(hv);
    f->lazy_delete = cBOOL(HvLAZYDEL(hv));
    HvLAZYDEL_off(hv);
    HvRITER_set(hv, -1);
    HvEITER_set(hv, NULL);
}

void pstx_store_hash_restore(pTHX_ pstx_store_frame *f)
{
    HV *hv = (HV *)f->sv;
    if (HvLAZYDEL(hv)) {              /* deleted while we stood on it */
        HvLAZYDEL_off(hv);
        hv_free_ent(hv, HvEITER_get(hv));
    }
    HvRITER_set(hv, f->saved_riter);
    HvEITER_set(hv, f->saved_eiter);
    if (f->lazy_delete)
        HvLAZYDEL_on(hv);
}

/* Set f->entry to the next entry, NULL at the end. */
PST_INLINE void advance_bucket(pstx_store_frame *f)
{
    HV *hv = (HV *)f->sv;
    HE *he = f->entry ? HeNEXT(f->entry) : NULL;
    while (!he && f->bucket <= HvMAX(hv)) {
        he = HvARRAY(hv)[(f->bucket ^ (U32)f->at) & HvMAX(hv)];
        f->bucket++;
    }
    f->entry = he;
}

static void advance(pTHX_ pstx_store_frame *f)
{
    HV *hv = (HV *)f->sv;
    switch (f->kind) {
    case PSTX_FRAME_HASH_ITER:
        f->entry = hv_iternext_flags(hv, HV_ITERNEXT_WANTPLACEHOLDERS);
        break;
    case PSTX_FRAME_HASH_SORTED:
        f->entry = f->sorted[f->at++];
        break;
    case PSTX_FRAME_HASH_KEYS:
        f->entry = hv_fetch_ent(hv, AvARRAY(f->list)[f->at++], 0, 0);
        break;
    default:
        advance_bucket(f);
    }
}

/* ---- header, keys, items --------------------------------------------------------------------------- */

void pstx_store_hash_begin(pTHX_ pstx_store *st, HV *hv)
{
    size_t count = HvTOTALKEYS(hv);
    pstx_store_frame *f;
    enum pstx_frame_kind kind = st->run.opt.canonical && !st->run.cloning
        ? st->user_code ? PSTX_FRAME_HASH_KEYS : PSTX_FRAME_HASH_SORTED
        : st->user_code ? PSTX_FRAME_HASH_ITER : PSTX_FRAME_HASH;

    pstx_store_deeper(aTHX_ st, st->run.opt.depth_limit_hash, st->via_ref != (SV *)hv);
    f = pstx_store_push(aTHX_ st, kind, (SV *)hv);
    f->count = (IV)count;
    f->restricted = cBOOL(SvREADONLY(hv));
    f->flagged = f->restricted || HvHASKFLAGS(hv);
    if (f->flagged)
        (void)pst_write_flag_hash(&st->w, f->restricted ? PST_HASH_RESTRICTED : 0, count);
    else
        (void)pst_write_count(&st->w, PST_HASH, count);
    if (!count)
        return;
    switch (kind) {
    case PSTX_FRAME_HASH_SORTED: f->sorted = sorted_entries(aTHX_ hv, count); break;
    case PSTX_FRAME_HASH_KEYS:   f->list = sorted_keys(aTHX_ hv, count); break;
    case PSTX_FRAME_HASH_ITER:   iterator_begin(aTHX_ f); break;
    default:
        if (!HvHASAUX(hv))
            (void)hv_iterinit(hv);      /* makes the permutation that perl iterates by */
        f->at = (IV)PSTX_HASH_ITER_XOR(hv);
    }
}

static unsigned key_flags(const pstx_store_frame *f, const HEK *hek, const SV *value)
{
    unsigned flags = 0;
    if (HEK_UTF8(hek))
        flags |= PST_KEY_UTF8;
    if (HEK_WASUTF8(hek))
        flags |= PST_KEY_WASUTF8;
    if (f->restricted && SvREADONLY(value))
        flags |= PST_KEY_LOCKED;
    if (value == &PL_sv_placeholder)
        flags |= PST_KEY_PLACEHOLDER;
    return flags;
}

PST_INLINE void store_key(pTHX_ pstx_store *st, const pstx_store_frame *f)
{
    const HEK *hek = HeKEY_hek(f->entry);
    if (PST_UNLIKELY(f->flagged))
        (void)pst_write_flag_key(&st->w, key_flags(f, hek, HeVAL(f->entry)), HEK_KEY(hek),
                                 (uint32_t)HEK_LEN(hek));
    else
        (void)pst_write_key(&st->w, HEK_KEY(hek), (uint32_t)HEK_LEN(hek));
}

SV *pstx_store_hash_next(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    if (f->entry)                       /* back from its value */
        store_key(aTHX_ st, f);
    while (f->count > 0) {
        SV *value;
        f->count--;
        if (PST_LIKELY(f->kind == PSTX_FRAME_HASH))
            advance_bucket(f);
        else
            advance(aTHX_ f);
        if (PST_UNLIKELY(!f->entry))
            pstx_croak(aTHX_ PSTX_MSG_HASH_CHANGED, SVfARG(sv_2mortal(newRV_inc(f->sv))));
        value = HeVAL(f->entry);
        if (PST_UNLIKELY(value == &PL_sv_placeholder))
            pstx_store_immortal_undef(aTHX_ st);
        else if (!pstx_store_leaf(aTHX_ st, value))
            return value;
        store_key(aTHX_ st, f);
    }
    pstx_store_pop(aTHX_ st);
    return NULL;
}
