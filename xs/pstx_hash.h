/* pstx_hash.h - entries into a hash that nobody else has seen yet.
 *
 * Layer: glue. hv_common() looks every key up twice: in the hash, and in perl's table of
 * shared keys. Where the shared key is at hand already and the hash is under construction,
 * neither is needed: an entry is taken from perl's own list of free ones and linked in as
 * perl would do it. All of this is an opportunity, not a duty: what does not fit at once
 * (no free entry, a hash that would have to grow, a key that is there already, keys whose
 * order a test has fixed) is left to hv_common(). PERL: none, in both functions.
 */
#ifndef PSTX_HASH_H
#define PSTX_HASH_H

#include "pstx_compat.h"
#include "pst_config.h"

/* Make the empty hash `hv` ready for `count` keys: with as many buckets as Storable gives
 * it, so that where keys come in a fixed order it is the same. */
PST_INLINE void pstx_hash_presize(pTHX_ HV *hv, size_t count)
{
#if PSTX_DIRECT_HASH
    if (count <= 4) {                 /* these fit into the buckets that perl begins with */
        HE **buckets;
        Newxz(buckets, HvMAX(hv) + 1, HE *);
        HvARRAY(hv) = buckets;
        PERL_UNUSED_CONTEXT;
        return;
    }
#endif
    if (count > 4)
        hv_ksplit(hv, (IV)count + 1);
}

/* An entry for the shared key `hek`, which has no flags but that for UTF-8.
 * RETURNS: borrowed, without a value yet; NULL if it is hv_common()'s turn. */
PST_INLINE HE *pstx_hash_entry(pTHX_ HV *hv, HEK *hek)
{
#if PSTX_DIRECT_HASH
    void **free_entries = PSTX_FREE_ENTRIES;
    HE *he = (HE *)*free_entries, **bucket, *other;
    const size_t keys = HvTOTALKEYS(hv);
    if (PST_UNLIKELY(!he || keys + keys / 2 + 2 > HvMAX(hv) || !HvARRAY(hv)))
        return NULL;
    bucket = HvARRAY(hv) + (HEK_HASH(hek) & HvMAX(hv));
    for (other = *bucket; other; other = HeNEXT(other))    /* a key of flags may be the same one */
        if (HeKEY_hek(other) == hek || (HvHASKFLAGS(hv) && HeHASH(other) == HEK_HASH(hek)))
            return NULL;
    if (*bucket && PL_HASH_RAND_BITS_ENABLED) {
        if (PL_HASH_RAND_BITS_ENABLED > 1)
            return NULL;
        PL_hash_rand_bits = (PL_hash_rand_bits << 1 | PL_hash_rand_bits >> (sizeof(UV) * 8 - 1)) + 1;
        if (PL_hash_rand_bits & 2)
            bucket = &HeNEXT(*bucket);          /* below the top, so that nobody can tell the order */
    }
    *free_entries = HeNEXT(he);
    HeKEY_hek(he) = share_hek_hek(hek);
    HeVAL(he) = NULL;
    HeNEXT(he) = *bucket;
    *bucket = he;
    HvTOTALKEYS(hv) = keys + 1;
    if (HEK_FLAGS(hek))
        HvHASKFLAGS_on(hv);
    return he;
#else
    PERL_UNUSED_CONTEXT;
    PERL_UNUSED_ARG(hv);
    PERL_UNUSED_ARG(hek);
    return NULL;
#endif
}

#endif
