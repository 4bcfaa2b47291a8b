/* pstx_retrieve_hash.c - building hashes: keys, flags, restriction. */
#include "pstx_retrieve.h"
#include "pstx_hash.h"

/* A key comes for the first time, or again after others: remember it. */
PST_NOINLINE static void remember_key(pTHX_ pstx_key_memo *memo, const char *key, uint32_t len, bool utf8)
{
    SvREFCNT_dec(memo->key);
    memo->key = NULL;
    memo->kind = len | (utf8 ? PSTX_KEY_MEMO_UTF8 : 0);
    memo->hash = 0;
    if (!utf8)                    /* else it depends on whether perl keeps it in UTF-8 */
        PERL_HASH(memo->hash, key, len);
    Copy(key, memo->bytes, len, char);
}

/* It has come for the second time: share it with all hashes. What perl would spell in another
 * way is forgotten instead. */
PST_NOINLINE static void share_key(pTHX_ pstx_key_memo *memo)
{
    const bool utf8 = (memo->kind & PSTX_KEY_MEMO_UTF8) != 0;
    const I32 len = (I32)(memo->kind & ~PSTX_KEY_MEMO_UTF8);
    SV *key = NULL;
    if (!utf8 || !pstx_retrieve_mend_utf8(aTHX_ memo->bytes, (STRLEN)len))
        key = newSVpvn_share(memo->bytes, utf8 ? -len : len, memo->hash);
    if (key && cBOOL(SvUTF8(key)) == utf8) {
        memo->key = key;
        memo->hash = SvSHARED_HASH(key);
        return;
    }
    SvREFCNT_dec(key);
    memo->kind = 0;
}

/* Where a key is remembered: by its first and last letters and its length. */
PST_INLINE pstx_key_memo *memo_place(pstx_retrieve *rt, const char *key, uint32_t len)
{
    const uint8_t *p = (const uint8_t *)key;
    uint32_t mix = len >= 4 ? pst_load32(p) ^ pst_load32(p + len - 4) * 5
                            : (uint32_t)p[0] << 8 | p[len - 1];
    return &rt->memos[((mix + len) * UINT32_C(0x9E3779B1)) >> 24];
}

/* The memo of a key, or NULL if keys like this are not remembered. */
PST_INLINE pstx_key_memo *memo_of(pTHX_ pstx_retrieve *rt, const pstx_rframe *f, const char *key,
                                  uint32_t len, bool utf8)
{
    pstx_key_memo *memo;
    if (len - 1 >= sizeof memo->bytes || f->left > PSTX_KEY_MEMO_MAX)
        return NULL;
    memo = memo_place(rt, key, len);
    if (PST_UNLIKELY(memo->kind != (len | (utf8 ? PSTX_KEY_MEMO_UTF8 : 0)) || !pst_equal(memo->bytes, key, len)))
        remember_key(aTHX_ memo, key, len, utf8);
    else if (PST_UNLIKELY(!memo->key))
        share_key(aTHX_ memo);
    return memo;
}

PST_FLATTEN SV *pstx_retrieve_hash(pTHX_ pstx_retrieve *rt, const pst_token *t, bool flagged)
{
    HV *hv = newHV();
    size_t claim;
    pstx_rframe *f = pstx_retrieve_push(aTHX_ rt, PSTX_R_HASH, (SV *)hv);
    f->left = t->len;
    f->flagged = flagged;
    f->flags = flagged ? t->flags : 0;
    (void)pstx_retrieve_register(aTHX_ rt, (SV *)hv);
    if (!t->len)             /* not even locked, as with Storable */
        return pstx_retrieve_pop(aTHX_ rt);
    claim = pstx_retrieve_claim(rt, t->len, 5);    /* a pair has 5 bytes at least */
    pstx_hash_presize(aTHX_ hv, claim);
    return NULL;
}

/* A repeated key: the first value stays alive, a later OBJECT may name it. */
PST_COLD static void replace_value(pTHX_ pstx_retrieve *rt, pstx_rframe *f, HE *he)
{
    SV *old = HeVAL(he);
    pstx_retrieve_own_tags(aTHX_ rt);
    HeVAL(he) = NULL;
    if (old == &PL_sv_placeholder)
        f->at--;
    else
        SvREFCNT_dec(old);
}

/* Put value (+1, consumed) into the slot of its key. */
PST_INLINE void put_value(pTHX_ pstx_retrieve *rt, pstx_rframe *f, HE *he, SV *value)
{
    f->value = NULL;                    /* the frame held it as long as perl could die */
    if (PST_UNLIKELY(HeVAL(he) != NULL))
        replace_value(aTHX_ rt, f, he);
    HeVAL(he) = value;
}

/* The slot of a key that is shared. */
PST_INLINE HE *shared_slot(pTHX_ const pstx_retrieve *rt, const pstx_rframe *f, const pstx_key_memo *memo)
{
    HE *he = rt->user_code ? NULL
           : pstx_hash_entry(aTHX_ (HV *)f->sv, SvSHARED_HEK_FROM_PV(SvPVX_const(memo->key)));
    return he ? he : PSTX_HV_SLOT((HV *)f->sv, memo->key, NULL, 0, 0, memo->hash);
}

/* The slot of a plain key, made if it is not there. */
PST_INLINE HE *slot_of(pTHX_ pstx_retrieve *rt, const pstx_rframe *f, const char *key, uint32_t len)
{
    const pstx_key_memo *memo = memo_of(aTHX_ rt, f, key, len, false);
    if (PST_LIKELY(memo && memo->key))
        return shared_slot(aTHX_ rt, f, memo);
    return PSTX_HV_SLOT((HV *)f->sv, NULL, key, len, 0, memo ? memo->hash : 0);
}

/* The same for a key in UTF-8, which is mended if it must be. */
static HE *utf8_slot_of(pTHX_ pstx_retrieve *rt, const pstx_rframe *f, const char *key, uint32_t len, int hek_flags)
{
    const pstx_key_memo *memo = hek_flags == HVhek_UTF8 ? memo_of(aTHX_ rt, f, key, len, true) : NULL;
    SV *mended;
    if (PST_LIKELY(memo && memo->key))
        return shared_slot(aTHX_ rt, f, memo);
    mended = pstx_retrieve_mend_utf8(aTHX_ key, len);
    if (PST_UNLIKELY(mended != NULL))
        return PSTX_HV_SLOT((HV *)f->sv, mended, NULL, 0, 0, 0);
    return PSTX_HV_SLOT((HV *)f->sv, NULL, key, len, hek_flags, 0);
}

/* The value of a placeholder, which is `value` (+1, consumed) in the image. */
static SV *placeholder_for(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *value)
{
    f->value = NULL;
    pstx_retrieve_drop(aTHX_ rt, value);
    f->at++;                             /* perl is told at the end: growing drops them */
    return &PL_sv_placeholder;
}

PST_NOINLINE static void put_flagged(pTHX_ pstx_retrieve *rt, pstx_rframe *f, unsigned flags, const char *key,
                        uint32_t len, SV *value)
{
    HE *he;
    const int hek_flags = (flags & PST_KEY_UTF8 ? HVhek_UTF8 : 0)
                        | (flags & PST_KEY_WASUTF8 ? HVhek_WASUTF8 : 0);
    if ((f->flags & PST_HASH_RESTRICTED) && (flags & PST_KEY_LOCKED) && !SvIMMORTAL(value))
        SvREADONLY_on(value);
    if (PST_UNLIKELY(flags & PST_KEY_PLACEHOLDER))
        value = placeholder_for(aTHX_ rt, f, value);
    if (!hek_flags)
        he = slot_of(aTHX_ rt, f, key, len);
    else if (flags & PST_KEY_UTF8)
        he = utf8_slot_of(aTHX_ rt, f, key, len, hek_flags);
    else
        he = PSTX_HV_SLOT((HV *)f->sv, NULL, key, len, hek_flags, 0);
    put_value(aTHX_ rt, f, he, value);
}

/* A hook has tied the hash that is being built: nothing is put through its tie. */
static void drop_value(pTHX_ pstx_rframe *f)
{
    SV *value = f->value;
    f->value = NULL;
    SvREFCNT_dec(value);
}

/* Take a value with the key that follows. RETURNS: false on error. */
PST_INLINE bool hash_value(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *value)
{
    pst_token t;
    f->value = value;          /* ours until the key is known */
    if (PST_UNLIKELY(f->flagged)) {
        if (!pst_reader_flag_key(&rt->r, &t))
            return false;
        if (t.flags & PST_KEY_ISSV) {
            f->kind = PSTX_R_HASH_KEY;
            f->hook.flags = t.flags;
            return true;
        }
    }
    else if (!pst_reader_key(&rt->r, &t))
        return false;
    f->left--;
    if (PST_UNLIKELY(rt->user_code && pstx_is_tied(aTHX_ f->sv)))
        drop_value(aTHX_ f);
    else if (PST_UNLIKELY(f->flagged))
        put_flagged(aTHX_ rt, f, t.flags, (const char *)t.bytes, (uint32_t)t.len, value);
    else
        put_value(aTHX_ rt, f, slot_of(aTHX_ rt, f, (const char *)t.bytes, (uint32_t)t.len), value);
    return true;
}

bool pstx_retrieve_hash_value(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *value)
{
    return hash_value(aTHX_ rt, f, value);
}

PST_FLATTEN bool pstx_retrieve_hash_run(pTHX_ pstx_retrieve *rt)
{
    pstx_rframe *f = &rt->frames[rt->frame_count - 1];
    pst_token t;
    while (f->left && rt->r.error.code == PST_OK && pst_reader_plain(&rt->r, &t)) {
        SV *sv = pstx_retrieve_plain(aTHX_ &t);
        pstx_retrieve_add_tag(aTHX_ rt, sv);
        if (!hash_value(aTHX_ rt, f, sv))
            return false;
        if (PST_UNLIKELY(f->kind != PSTX_R_HASH))     /* its key is an object */
            break;
    }
    return rt->r.error.code == PST_OK;      /* else one item too many */
}

bool pstx_retrieve_hash_key(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *key)
{
    SV *value = f->value;
    STRLEN len;
    const char *bytes;
    if (SvROK(key) || !pstx_retrieve_is_scalar(key)) {     /* never written by any Storable */
        (void)pstx_retrieve_refuse(aTHX_ rt, key, PST_KEY_ISSV);
        return false;
    }
    sv_2mortal(key);
    if (!SvOK(key))                    /* perl warns, which may run a handler */
        pstx_retrieve_user_code(aTHX_ rt);
    bytes = SvPV_nomg(key, len);
    if (len >= PST_I32_MAX)
        return pst_reader_fail(&rt->r, PST_ERR_LENGTH, PST_I32_MAX - 1, len);
    f->kind = PSTX_R_HASH;
    f->left--;
    if (rt->user_code && pstx_is_tied(aTHX_ f->sv))
        drop_value(aTHX_ f);
    else
        put_flagged(aTHX_ rt, f, (f->hook.flags & ~(unsigned)PST_KEY_UTF8) | (SvUTF8(key) ? PST_KEY_UTF8 : 0),
                    bytes, (uint32_t)len, value);
    return true;
}

/* How many there really are: hooks may have changed the hash. */
static SSize_t count_placeholders(pTHX_ HV *hv)
{
    SSize_t count = 0;
    STRLEN i;
    PERL_UNUSED_CONTEXT;
    for (i = 0; HvARRAY(hv) && i <= HvMAX(hv); i++) {
        const HE *he;
        for (he = HvARRAY(hv)[i]; he; he = HeNEXT(he))
            count += HeVAL(he) == &PL_sv_placeholder;
    }
    return count;
}

void pstx_retrieve_hash_end(pTHX_ const pstx_retrieve *rt, pstx_rframe *f)
{
    HV *hv = (HV *)f->sv;
    if (f->at)
        HvPLACEHOLDERS_set(hv, rt->user_code ? count_placeholders(aTHX_ hv) : f->at);
    if (f->flags & PST_HASH_RESTRICTED)
        SvREADONLY_on(f->sv);
}
