/* pstx_sort.c - see pstx_sort.h.
 *
 * To call a function that compares two keys, by way of the entry and the key of each, costs
 * more than all the rest of the work. So eight bytes of each key are fetched once, as a number,
 * and the numbers are sorted: many by one byte after the other, the first one first, few by
 * insertion. Only where these eight are equal, the next eight are looked at, and after some
 * such rounds keys are compared as a whole. So no keys, however long and alike, cost more than
 * they would with the C library's sort alone, and the rounds bound the recursion.
 */
#include "pstx_sort.h"
#include <stdlib.h>

enum {
    FEW    = 24,      /* sorted by insertion */
    ALIKE  = 8,       /* as many with equal numbers are compared as a whole at once */
    ROUNDS = 8        /* of eight bytes each, besides what all keys begin with */
};

typedef struct item {
    uint64_t word;    /* eight bytes of the key, the first one uppermost */
    HE      *entry;
} item;

/* ---- whole keys ------------------------------------------------------------------------------ */

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

static int compare_items(const void *a, const void *b)
{
    return compare_keys(HeKEY_hek(((const item *)a)->entry), HeKEY_hek(((const item *)b)->entry));
}

static void sort_whole_keys(item *items, size_t count)
{
    size_t i, j;
    if (count > ALIKE) {
        qsort(items, count, sizeof *items, compare_items);
        return;
    }
    for (i = 1; i < count; i++) {
        const item one = items[i];
        for (j = i; j > 0 && compare_items(&one, &items[j - 1]) < 0; j--)
            items[j] = items[j - 1];
        items[j] = one;
    }
}

/* ---- eight bytes as a number ------------------------------------------------------------------ */

PST_INLINE uint64_t load_be64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return pst_host_is_little() ? pst_swap64(v) : v;
}

/* The bytes of a key from `at` on, zeros behind its end. */
PST_INLINE uint64_t word_at(const HEK *key, size_t at)
{
    const size_t len = (size_t)HEK_LEN(key);
    if (len >= at + 8)
        return load_be64(HEK_KEY(key) + at);
    if (len <= at)
        return 0;
    /* Of a shorter rest its last byte and the seven before it, which are the key's or the HEK's
     * own (its hash value and its length); they are shifted out. */
    return load_be64(HEK_KEY(key) + len - 8) << (64 - 8 * (len - at));
}

/* The first eight bytes of a key as it is spelled in UTF-8. (EBCDIC has another: the keys are
 * then compared as a whole.) */
static uint64_t word_as_utf8(const HEK *key)
{
#ifndef EBCDIC
    const U8 *p = (const U8 *)HEK_KEY(key), *end = p + HEK_LEN(key);
    char text[9] = "";
    size_t at = 0;
    if (HEK_UTF8(key))
        return word_at(key, 0);
    for (; p < end && at < 8; p++)
        if (*p < 0x80)
            text[at++] = (char)*p;
        else {
            text[at++] = (char)(0xc0 | *p >> 6);
            text[at++] = (char)(0x80 | (*p & 0x3f));
        }
    return load_be64(text);
#else
    PERL_UNUSED_ARG(key);
    return 0;
#endif
}

/* Take the bytes from `at` on. RETURNS: the bits in which the numbers differ. */
static uint64_t take_words(item *items, size_t count, size_t at)
{
    const uint64_t first = word_at(HeKEY_hek(items[0].entry), at);
    uint64_t differ = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        items[i].word = word_at(HeKEY_hek(items[i].entry), at);
        differ |= items[i].word ^ first;
    }
    return differ;
}

/* How many bytes are the same in all keys; up to `at` they are. */
static size_t common_bytes(const item *items, size_t count, size_t at)
{
    const HEK *first = HeKEY_hek(items[0].entry);
    size_t common = (size_t)HEK_LEN(first), i;
    for (i = 1; i < count && common > at; i++) {
        const HEK *key = HeKEY_hek(items[i].entry);
        const size_t len = (size_t)HEK_LEN(key) < common ? (size_t)HEK_LEN(key) : common;
        size_t same = at;
        if (len > at && memcmp(HEK_KEY(first) + at, HEK_KEY(key) + at, len - at) == 0)
            same = len;
        while (same < len && HEK_KEY(first)[same] == HEK_KEY(key)[same])
            same++;
        common = same;
    }
    return common > at ? common : at;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static void insert_by_words(item *items, size_t count)
{
    size_t i, j;
    for (i = 1; i < count; i++) {
        const item one = items[i];
        for (j = i; j > 0 && one.word < items[j - 1].word; j--)
            items[j] = items[j - 1];
        items[j] = one;
    }
}

/* By the bytes that stand `shift` bits up in the numbers and by those below. Calls itself once
 * for each of them at most: eight levels. */
static void sort_by_words(item *items, item *spare, size_t count, int shift)
{
    size_t place[256], i, from = 0;
    for (;; shift -= 8) {
        memset(place, 0, sizeof place);
        for (i = 0; i < count; i++)
            place[items[i].word >> shift & 0xff]++;
        if (place[items[0].word >> shift & 0xff] < count)
            break;
        if (!shift)
            return;      /* all are equal */
    }
    for (i = 0; i < 256; i++) {
        const size_t here = place[i];
        place[i] = from;
        from += here;
    }
    for (i = 0; i < count; i++)
        spare[place[items[i].word >> shift & 0xff]++] = items[i];
    Copy(spare, items, count, item);
    for (i = from = 0; from < count; from = place[i++]) {
        const size_t here = place[i] - from;
        if (here > FEW && shift)
            sort_by_words(items + from, spare, here, shift - 8);
        else if (here > 1 && shift)
            insert_by_words(items + from, here);
    }
}

static void sort_from(item *items, item *spare, size_t count, size_t at, int round);

/* Keys whose numbers are equal; `at`: how many bytes have been looked at. */
static void sort_equal_words(item *items, item *spare, size_t count, size_t at, int round)
{
    size_t i, end;
    for (i = 0; i < count; i = end) {
        for (end = i + 1; end < count && items[end].word == items[i].word; end++)
            ;
        if (end - i > ALIKE && round > 0)
            sort_from(items + i, spare, end - i, at, round - 1);
        else if (end - i > 1)
            sort_whole_keys(items + i, end - i);
    }
}

/* Keys that are equal up to `at`. `round` falls with each level of recursion. */
static void sort_from(item *items, item *spare, size_t count, size_t at, int round)
{
    uint64_t differ = take_words(items, count, at);
    if (!(differ >> 56)) {               /* more is common to all: begin behind that */
        at = common_bytes(items, count, at);
        differ = take_words(items, count, at);
    }
    if (!differ) {                       /* one ends here, and others go on with zeros */
        sort_whole_keys(items, count);
        return;
    }
    if (count > FEW)
        sort_by_words(items, spare, count, 56);
    else
        insert_by_words(items, count);
    sort_equal_words(items, spare, count, at + 8, round);
}

/* ---- entries ----------------------------------------------------------------------------------- */

static void sort_mixed(item *items, item *spare, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        items[i].word = word_as_utf8(HeKEY_hek(items[i].entry));
    if (count > FEW)
        sort_by_words(items, spare, count, 56);
    else
        insert_by_words(items, count);
    sort_equal_words(items, spare, count, 0, 0);
}

void pstx_sort_entries(HE **entries, size_t count, bool mixed)
{
    item few[FEW], *items = few;
    size_t i;
    if (count <= 2) {
        if (count == 2 && compare_keys(HeKEY_hek(entries[0]), HeKEY_hek(entries[1])) > 0) {
            HE *first = entries[0];
            entries[0] = entries[1];
            entries[1] = first;
        }
        return;
    }
    if (count > FEW)
        Newx(items, 2 * count, item);
    for (i = 0; i < count; i++)
        items[i].entry = entries[i];
    if (PST_UNLIKELY(mixed))
        sort_mixed(items, items + count, count);
    else
        sort_from(items, items + count, count, 0, ROUNDS);
    for (i = 0; i < count; i++)
        entries[i] = items[i].entry;
    if (items != few)
        Safefree(items);
}
