/* pstx_retrieve_utf8.c - text that says it is UTF-8: checked, and mended where it is not.
 *
 * Perl takes what is marked as UTF-8 for well-formed, and reads past the end of it if it is
 * not. So each such string and key is checked: the common characters here, eight bytes at a
 * time, all else by perl itself, which also admits what is UTF-8 to perl alone.
 */
#include "pstx_retrieve.h"

#ifndef EBCDIC
/* The next 8 bytes, read in little-endian order: how many of them are whole characters of one
 * kind, all of one byte, of two or of three? 0 if they are none of these. */
PST_INLINE size_t one_kind_of_characters(uint64_t v)
{
    const uint64_t twos = (v & UINT64_C(0x001e001e001e001e)) + UINT64_C(0x00fe00fe00fe00fe);
    const uint64_t threes = (v & UINT64_C(0x0f00000f)) | (v >> 8 & UINT64_C(0x20000020));
    if (!(v & UINT64_C(0x8080808080808080)))
        return 8;
    /* Not what would have had room in fewer bytes. */
    if ((v & UINT64_C(0x0000c0c0f0c0c0f0)) == UINT64_C(0x00008080e08080e0))
        return (threes & 0x2f) && threes >> 24 ? 6 : 0;
    if ((v & UINT64_C(0xc0e0c0e0c0e0c0e0)) == UINT64_C(0x80c080c080c080c0))
        return (twos & UINT64_C(0x0100010001000100)) == UINT64_C(0x0100010001000100) ? 8 : 0;
    return 0;
}

/* The length of the character at `p`, if it is well-formed and has up to three bytes, else 0. */
PST_INLINE size_t common_character(const U8 *p, const U8 *end)
{
    if (*p < 0x80)
        return 1;
    if (*p >= 0xc2 && *p < 0xe0)
        return end - p >= 2 && (p[1] & 0xc0) == 0x80 ? 2 : 0;
    if (*p < 0xe0 || *p >= 0xf0 || end - p < 3 || (*p == 0xe0 && p[1] < 0xa0))
        return 0;
    return (p[1] & 0xc0) == 0x80 && (p[2] & 0xc0) == 0x80 ? 3 : 0;
}
#endif

/* Step over what is well-formed at a glance: characters of up to three bytes. */
static const U8 *skip_common_utf8(const U8 *p, const U8 *end)
{
#ifndef EBCDIC
    size_t step;
    do {
        while (end - p >= 8 && pst_host_is_little() && (step = one_kind_of_characters(pst_load64(p))))
            p += step;
        if (p == end)
            return p;
        step = common_character(p, end);
        p += step;
    } while (step && p < end);
#else
    PERL_UNUSED_ARG(end);
#endif
    return p;
}

SV *pstx_retrieve_mend_utf8(pTHX_ const char *bytes, STRLEN len)
{
    const U8 *p = (const U8 *)bytes, *end = p + len, *good = skip_common_utf8(p, end);
    SV *mended;
    if (PST_LIKELY(good == end || is_utf8_string_loc(good, (STRLEN)(end - good), &good)))
        return NULL;
    mended = newSVpvn_flags("", 0, SVs_TEMP | SVf_UTF8);
    do {
        sv_catpvn_nomg(mended, (const char *)p, (STRLEN)(good - p));
        sv_catpvn_nomg(mended, "\xEF\xBF\xBD", 3);
        p = good + 1;
    } while (p < end && !is_utf8_string_loc(p, (STRLEN)(end - p), &good));
    sv_catpvn_nomg(mended, (const char *)p, (STRLEN)(end - p));
    return mended;
}

SV *pstx_retrieve_utf8(pTHX_ const pst_token *t)
{
    SV *mended, *sv;
    if (!t->len)                         /* nothing has no encoding, says Storable */
        return pstx_new_string(aTHX_ (const char *)t->bytes, 0);
    mended = pstx_retrieve_mend_utf8(aTHX_ (const char *)t->bytes, (STRLEN)t->len);
    if (PST_UNLIKELY(mended != NULL))
        return SvREFCNT_inc_simple_NN(mended);
    sv = pstx_new_string(aTHX_ (const char *)t->bytes, (STRLEN)t->len);
    SvUTF8_on(sv);
    return sv;
}
