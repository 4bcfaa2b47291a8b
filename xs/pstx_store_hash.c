/* pstx_store_hash.c - walking hashes: order, flags and keys.
 *
 * The order is perl's own iteration order, read off the bucket array, so the hash's
 * iterator is not touched. Before user code runs, which may change or free a hash that is
 * being walked, the keys still to come are copied, and from then on looked up.
 */
#include "pstx_store_plain.h"

/* ---- moving on ------------------------------------------------------------------------------- */

enum { CHUNK = 32 };     /* entries of a large hash that are listed at a time */

/* The next entry of a bucket walk. */
PST_INLINE HE *next_in_buckets(pstx_store_frame *f)
{
    HV *hv = (HV *)f->sv;
    HE *he = f->entry ? HeNEXT(f->entry) : NULL;
    while (!he && f->bucket <= HvMAX(hv)) {
        he = HvARRAY(hv)[(f->bucket ^ (U32)f->at) & HvMAX(hv)];
        f->bucket++;
    }
    PST_PREFETCH(HvARRAY(hv)[((f->bucket + 1) ^ (U32)f->at) & HvMAX(hv)]);
    return f->entry = he;
}

/* The next entry of a frame that still looks at the hash itself. */
PST_INLINE HE *next_entry(const pstx_store *st, pstx_store_frame *f)
{
    return f->kind == PSTX_FRAME_HASH ? next_in_buckets(f) : st->entries[f->at++];
}

static size_t hek_size(const HEK *hek)
{
    return HEK_BASESIZE + (size_t)HEK_LEN(hek) + 2;     /* a NUL and the flags follow the key */
}

/* Copy the keys that are still to come, and the one at hand, and forget the entries. */
static void detach(const pstx_store *st, pstx_store_frame *f)
{
    const size_t align = sizeof(void *) - 1;
    size_t count = (size_t)f->count + 1, bytes = count * sizeof(HEK *), i;
    pstx_store_frame walk = *f;
    HEK **keys;
    char *copy;
    if (f->key)
        bytes += (hek_size(f->key) + align) & ~align;
    for (i = 1; i < count; i++)
        bytes += (hek_size(HeKEY_hek(next_entry(st, &walk))) + align) & ~align;
    keys = (HEK **)safemalloc(bytes);
    copy = (char *)(keys + count);
    for (i = f->key ? 0 : 1, walk = *f; i < count; i++) {
        const HEK *hek = i ? HeKEY_hek(next_entry(st, &walk)) : f->key;
        size_t size = hek_size(hek);
        keys[i] = (HEK *)copy;
        memcpy(copy, hek, size);
        copy += (size + align) & ~align;
    }
    f->entry = NULL;
    f->keys = keys;
    if (f->key)
        f->key = keys[0];
    f->at = 1;
    f->kind = PSTX_FRAME_HASH_KEYS;
}

void pstx_store_hash_detach(pTHX_ pstx_store *st)
{
    size_t i;
    PERL_UNUSED_CONTEXT;
    for (i = st->frame_count; i-- > 0; ) {
        pstx_store_frame *f = &st->frames[i];
        if (f->kind == PSTX_FRAME_HASH_LIST)
            st->entry_count = f->first;     /* lists lie in the order of the frames */
        if (f->kind == PSTX_FRAME_HASH || f->kind == PSTX_FRAME_HASH_LIST)
            detach(st, f);
    }
}

/* ---- header, keys, items ---------------------------------------------------------------------- */

/* For readers before minor 5: a restricted hash becomes a plain one, if nothing but its
 * restriction is lost. PERL: croaks. */
PST_COLD static void drop_flags(pTHX_ const pstx_store *st, pstx_store_frame *f)
{
    HV *hv = (HV *)f->sv;
    size_t i;
    if (HvPLACEHOLDERS_get(hv))
        pstx_store_unknown(aTHX_ st, "Keys that a restricted hash allows but does not have");
    for (i = 0; HvARRAY(hv) && i <= HvMAX(hv); i++) {
        const HE *he;
        for (he = HvARRAY(hv)[i]; he; he = HeNEXT(he))
            if (HEK_UTF8(HeKEY_hek(he)))
                pstx_store_unknown(aTHX_ st, "Keys of wide characters");
    }
    f->flagged = f->restricted = false;
}

/* Write what is plain of a listed FLAG_HASH, from the entry that comes next. */
static void flagged_run(pstx_store *st, pstx_store_frame *f)
{
    HE *const *next = st->entries + f->at;
    const IV done = pstx_store_plain_entries(st, next, next + f->count, true) - next;
    f->at += done;
    f->count -= done;
}

void pstx_store_hash_special(pTHX_ pstx_store *st, HV *hv, size_t count, bool sorted)
{
    pstx_store_frame *f = pstx_store_push(aTHX_ st, PSTX_FRAME_HASH, (SV *)hv);
    f->count = (IV)count;
    f->restricted = cBOOL(SvREADONLY(hv));
    f->flagged = f->restricted || HvHASKFLAGS(hv);
    if (PST_UNLIKELY(f->flagged && !pstx_store_knows(st, PST_MINOR_OF_FLAG_HASH)))
        drop_flags(aTHX_ st, f);
    if (f->flagged)
        (void)pst_write_flag_hash(&st->w, f->restricted ? PST_HASH_RESTRICTED : 0, count);
    else
        (void)pst_write_count(&st->w, PST_HASH, count);
    if (!count)
        return;
    if (!sorted && !HvHASAUX(hv))
        (void)hv_iterinit(hv);          /* makes the permutation that perl iterates by */
    if (!sorted && count > PSTX_LIST_MAX) {
        f->at = (IV)PSTX_HASH_ITER_XOR(hv);
        f->chunk = CHUNK;
        return;
    }
    (void)pstx_list_entries(st, hv, count, sorted ? 0 : PSTX_HASH_ITER_XOR(hv));
    f->kind = PSTX_FRAME_HASH_LIST;
    f->first = st->entry_count;
    f->at = (IV)f->first;
    st->entry_count += count;
    if (sorted)
        pstx_sort_entries(st->entries + f->first, count, cBOOL(HvHASKFLAGS(hv)));
    if (f->flagged && !f->restricted)
        flagged_run(st, f);
}

static uint8_t flags_of_key(const pstx_store_frame *f, const HEK *hek, const SV *value)
{
    unsigned flags = pstx_spelling_of(hek);
    if (f->restricted && SvREADONLY(value))
        flags |= PST_KEY_LOCKED;
    if (value == &PL_sv_placeholder)
        flags |= PST_KEY_PLACEHOLDER;
    return (uint8_t)flags;
}

/* Step to the next key. RETURNS: its value, borrowed. */
PST_INLINE SV *next_value(pTHX_ const pstx_store *st, pstx_store_frame *f)
{
    SV *value;
    if (PST_LIKELY(f->kind != PSTX_FRAME_HASH_KEYS)) {
        HE *he = next_entry(st, f);
        f->key = HeKEY_hek(he);
        value = HeVAL(he);
    }
    else {      /* a key that has gone meanwhile is written as a placeholder */
        SV **slot;
        f->key = f->keys[f->at++];
        slot = hv_fetch((HV *)f->sv, HEK_KEY(f->key), HEK_UTF8(f->key) ? -HEK_LEN(f->key)
                                                                       : HEK_LEN(f->key), 0);
        value = slot ? *slot : &PL_sv_placeholder;
    }
    if (PST_UNLIKELY(f->flagged))
        f->key_flags = flags_of_key(f, f->key, value);
    return value;
}

/* A hook that asks by another spelling of a key changes the key's UTF-8 flag: what counts
 * is how it is spelled after its value has been written. */
static void refresh_spelling(pTHX_ pstx_store_frame *f)
{
    HE *he = (HE *)hv_common((HV *)f->sv, NULL, HEK_KEY(f->key), (STRLEN)HEK_LEN(f->key),
                             HEK_UTF8(f->key) ? HVhek_UTF8 : 0, 0, NULL, 0);
    if (!he)
        return;
    f->key_flags &= (uint8_t)~PST_KEY_WASUTF8;
    if (HEK_WASUTF8(HeKEY_hek(he)))
        f->key_flags |= PST_KEY_WASUTF8;
}

PST_INLINE void store_key(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    if (PST_UNLIKELY(f->flagged && f->kind == PSTX_FRAME_HASH_KEYS))
        refresh_spelling(aTHX_ f);
    if (PST_UNLIKELY(f->flagged))
        (void)pst_write_flag_key(&st->w, f->key_flags, HEK_KEY(f->key), (uint32_t)HEK_LEN(f->key));
    else
        (void)pst_write_key(&st->w, HEK_KEY(f->key), (uint32_t)HEK_LEN(f->key));
}

/* A large hash without flags: the entries that come next are listed, and written as far as they are
 * plain. Where few are, few are listed. Returns as pstx_store_hash_next(). */
static SV *buckets_next(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    HE *list[CHUNK];
    U32 buckets[CHUNK];                 /* where the walk stands behind each */
    if (f->key)                         /* back from its value */
        store_key(aTHX_ st, f);
    while (f->count > 0) {
        pstx_store_frame walk = *f;
        const IV most = f->count < (IV)f->chunk ? f->count : (IV)f->chunk;
        IV n, done;
        SV *value;
        for (n = 0; n < most; n++) {
            list[n] = next_in_buckets(&walk);
            PST_PREFETCH(HeKEY_hek(list[n]));
            buckets[n] = walk.bucket;
        }
        pstx_prefetch_values(list, (size_t)n);
        done = pstx_store_plain_entries(st, list, list + n, false) - list;
        f->chunk = done == n && n == CHUNK ? CHUNK : (U32)(done < CHUNK - 2 ? done + 2 : CHUNK);
        f->count -= done;
        if (done == n) {
            f->entry = list[n - 1];
            f->bucket = walk.bucket;
            continue;
        }
        f->entry = list[done];
        f->bucket = buckets[done];
        f->key = HeKEY_hek(f->entry);
        f->count--;
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

SV *pstx_store_hash_next(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    const bool runs = f->kind == PSTX_FRAME_HASH_LIST && f->flagged && !f->restricted;
    if (PST_LIKELY(f->kind == PSTX_FRAME_HASH && !f->flagged))
        return buckets_next(aTHX_ st, f);
    if (f->key) {                       /* back from its value */
        store_key(aTHX_ st, f);
        if (runs)
            flagged_run(st, f);
    }
    while (f->count > 0) {
        SV *value = next_value(aTHX_ st, f);
        f->count--;
        if (PST_UNLIKELY(value == &PL_sv_placeholder))
            pstx_store_immortal_undef(aTHX_ st);
        else if (!pstx_store_leaf(aTHX_ st, value))
            return value;
        store_key(aTHX_ st, f);
        if (runs)
            flagged_run(st, f);
    }
    pstx_store_pop(aTHX_ st);
    return NULL;
}
