/* pst_inflate.c - unpacking gzip (RFC 1951 and 1952), for the programs; see pst_unpack.h.
 *
 * Codes of up to FAST_BITS bits are looked up; the few symbols with longer ones are found bit
 * by bit. So tables are small: a damaged file may ask for new ones every few bytes. What is
 * wrong with the input sticks in `wrong` and ends every loop; reading past the end gives zeros,
 * and `wrong`.
 */
#include "pst_unpack.h"

enum {
    MAX_BITS = 15, FAST_BITS = 10, FAST = 1 << FAST_BITS,
    HISTORY = 32768, OUT_SIZE = 2 * HISTORY,
    LITERALS = 288, DISTANCES = 32
};

/* A prefix code. Codes of one length are numbers in a row, given to symbols in their order. */
typedef struct code {
    uint16_t fast[FAST];             /* by the next bits: symbol << 4 | bits; 0: longer, or none */
    uint16_t count[MAX_BITS + 1];    /* symbols with codes of so many bits */
    uint16_t symbols[LITERALS];      /* by length of code, then by number */
} code;

typedef struct inflate {
    pst_cursor  in;
    pst_window  window;
    const char *wrong;
    uint64_t    bits;           /* the next bits, lowest first */
    unsigned    bit_count;
    unsigned    missing;        /* bytes asked for beyond the end */
    bool      (*write)(void *host, const void *bytes, size_t len);
    void       *host;
    uint8_t     out[OUT_SIZE];  /* the last HISTORY bytes at least, once there are so many */
    size_t      out_len, written;
    uint32_t    crc, len;       /* of the member, so far */
    uint32_t    crc_table[8][256];
    bool        fixed;          /* the codes are those that the format fixes */
    code        literals, distances;
} inflate;

/* ---- bits ---------------------------------------------------------------------------------- */

static void need_bits(inflate *s, unsigned count)
{
    while (s->bit_count < count) {
        const uint8_t *p = pst_cursor_take(&s->in, 1);
        s->bits |= (uint64_t)(p ? *p : 0) << s->bit_count;
        s->bit_count += 8;
        /* Codes are looked up with more bits than they have, so some zeros may be asked for. */
        if (!p && ++s->missing > MAX_BITS / 8 + 1) {
            s->wrong = "the gzip data are cut off";
            return;
        }
    }
}

static unsigned take_bits(inflate *s, unsigned count)
{
    unsigned v;
    need_bits(s, count);
    v = (unsigned)(s->bits & ((UINT64_C(1) << count) - 1));
    s->bits >>= count;
    s->bit_count -= count;
    return v;
}

/* The next byte, after the rest of the present one is dropped. RETURNS: -1 at the end. */
static int take_byte(inflate *s)
{
    const uint8_t *p;
    if (s->bit_count >= 8)
        return (int)take_bits(s, 8);
    s->bit_count = 0;
    s->bits = 0;
    p = pst_cursor_take(&s->in, 1);
    return p ? *p : -1;
}

static uint32_t take_le32(inflate *s)
{
    uint32_t v = 0;
    unsigned i;
    for (i = 0; i < 32; i += 8) {
        int byte = take_byte(s);
        if (byte < 0) {
            s->wrong = "the gzip data are cut off";
            return 0;
        }
        v |= (uint32_t)byte << i;
    }
    return v;
}

/* ---- output -------------------------------------------------------------------------------- */

/* crc_table[n][b]: what byte b does to the checksum when n bytes follow it. */
static void make_crc_table(uint32_t table[8][256])
{
    unsigned i, bit, n;
    for (i = 0; i < 256; i++) {
        uint32_t v = i;
        for (bit = 0; bit < 8; bit++)
            v = v & 1 ? v >> 1 ^ 0xedb88320 : v >> 1;
        table[0][i] = v;
    }
    for (n = 1; n < 8; n++)
        for (i = 0; i < 256; i++)
            table[n][i] = table[n - 1][i] >> 8 ^ table[0][table[n - 1][i] & 255];
}

static uint32_t crc32(uint32_t table[8][256], uint32_t crc, const uint8_t *p, size_t len)
{
    crc = ~crc;
    for (; len >= 8; p += 8, len -= 8)
        crc = table[7][(crc ^ p[0]) & 255] ^ table[6][(crc >> 8 ^ p[1]) & 255]
            ^ table[5][(crc >> 16 ^ p[2]) & 255] ^ table[4][crc >> 24 ^ p[3]]
            ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
    for (; len--; p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
    return ~crc;
}

/* Hand out what is new; keep the history. */
static void hand_out(inflate *s)
{
    size_t len = s->out_len - s->written;
    s->crc = crc32(s->crc_table, s->crc, s->out + s->written, len);
    s->len += (uint32_t)len;
    if (len && !s->write(s->host, s->out + s->written, len))
        s->wrong = "there is no room for what it unpacks to";
    if (s->out_len > HISTORY) {
        memmove(s->out, s->out + s->out_len - HISTORY, HISTORY);
        s->out_len = HISTORY;
    }
    s->written = s->out_len;
}

static void put(inflate *s, uint8_t byte)
{
    if (s->out_len == OUT_SIZE)
        hand_out(s);
    s->out[s->out_len++] = byte;
}

/* ---- codes --------------------------------------------------------------------------------- */

/* A code, from the lengths of its symbols' codes. RETURNS: false if they make none. */
static bool make_code(code *c, const uint8_t *lengths, unsigned count)
{
    unsigned next[MAX_BITS + 2] = { 0 }, first[MAX_BITS + 2] = { 0 }, i, value = 0, used = 0;
    memset(c->fast, 0, sizeof c->fast);
    memset(c->count, 0, sizeof c->count);
    for (i = 0; i < count; i++)
        c->count[lengths[i]]++;
    c->count[0] = 0;
    for (i = 1; i <= MAX_BITS; i++) {
        next[i] = value;
        value = (value + c->count[i]) << 1;
        first[i + 1] = first[i] + c->count[i];
        used += (unsigned)c->count[i] << (MAX_BITS - i);
    }
    if (used > 1u << MAX_BITS)
        return false;
    for (i = 0; i < count; i++) {
        unsigned bits = lengths[i], reversed = 0, at;
        if (!bits)
            continue;
        value = next[bits]++;
        c->symbols[first[bits]++] = (uint16_t)i;
        if (bits > FAST_BITS)
            continue;
        for (at = 0; at < bits; at++)
            reversed |= (value >> at & 1) << (bits - 1 - at);
        for (; reversed < FAST; reversed += 1u << bits)
            c->fast[reversed] = (uint16_t)(i << 4 | bits);
    }
    return true;
}

/* The symbol of the next bits, as in code.fast. RETURNS: 0 if they begin no code. */
static unsigned find_symbol(const code *c, uint64_t next)
{
    unsigned bits, value = 0, first = 0, index = 0;
    for (bits = 1; bits <= MAX_BITS; bits++, next >>= 1) {
        value = value << 1 | (unsigned)(next & 1);
        first <<= 1;
        if (value - first < c->count[bits])
            return (unsigned)c->symbols[index + value - first] << 4 | bits;
        first += c->count[bits];
        index += c->count[bits];
    }
    return 0;
}

static unsigned take_symbol(inflate *s, const code *c)
{
    unsigned entry;
    need_bits(s, MAX_BITS);
    entry = c->fast[s->bits & (FAST - 1)];
    if (!entry)
        entry = find_symbol(c, s->bits);
    if (!entry) {
        s->wrong = "the gzip data are damaged";
        return 0;
    }
    s->bits >>= entry & 15;
    s->bit_count -= entry & 15;
    return entry >> 4;
}

static void fixed_codes(inflate *s)
{
    uint8_t lengths[LITERALS];
    if (s->fixed)
        return;
    s->fixed = true;
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    (void)make_code(&s->literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    (void)make_code(&s->distances, lengths, DISTANCES);
}

static void dynamic_codes(inflate *s)
{
    static const uint8_t order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    uint8_t lengths[LITERALS + DISTANCES + 138] = { 0 }, code_lengths[19] = { 0 };
    unsigned literals = take_bits(s, 5) + 257, distances = take_bits(s, 5) + 1, codes = take_bits(s, 4) + 4;
    unsigned i;
    s->fixed = false;
    for (i = 0; i < codes; i++)
        code_lengths[order[i]] = (uint8_t)take_bits(s, 3);
    if (literals > LITERALS || !make_code(&s->literals, code_lengths, 19)) {
        s->wrong = "the gzip data are damaged";
        return;
    }
    for (i = 0; i < literals + distances && !s->wrong; ) {
        unsigned symbol = take_symbol(s, &s->literals), repeat = 1;
        uint8_t value = (uint8_t)(symbol < 16 ? symbol : symbol == 16 && i ? lengths[i - 1] : 0);
        if (symbol == 16)
            repeat = 3 + take_bits(s, 2);
        else if (symbol == 17)
            repeat = 3 + take_bits(s, 3);
        else if (symbol == 18)
            repeat = 11 + take_bits(s, 7);
        while (repeat--)
            lengths[i++] = value;
    }
    if (!s->wrong && (!make_code(&s->literals, lengths, literals)
                      || !make_code(&s->distances, lengths + literals, distances)))
        s->wrong = "the gzip data are damaged";
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* Repeat `len` bytes from `distance` bytes ago. */
static void repeat(inflate *s, unsigned len, unsigned distance)
{
    if (s->out_len + len > OUT_SIZE)
        hand_out(s);
    if (distance > s->out_len) {
        s->wrong = "the gzip data are damaged";
        return;
    }
    for (; len--; s->out_len++)
        s->out[s->out_len] = s->out[s->out_len - distance];
}

static void coded_block(inflate *s)
{
    static const uint16_t length_base[29] = {
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258 };
    static const uint8_t length_bits[29] = {
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
    static const uint16_t distance_base[30] = {
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
        2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };
    while (!s->wrong) {
        unsigned symbol = take_symbol(s, &s->literals), len, distance;
        if (symbol < 256) {
            if (!s->wrong)
                put(s, (uint8_t)symbol);
            continue;
        }
        if (symbol == 256)
            return;
        if (symbol > 285) {
            s->wrong = "the gzip data are damaged";
            return;
        }
        len = length_base[symbol - 257] + take_bits(s, length_bits[symbol - 257]);
        distance = take_symbol(s, &s->distances);
        if (distance > 29) {
            s->wrong = "the gzip data are damaged";
            return;
        }
        distance = distance_base[distance] + take_bits(s, distance < 2 ? 0 : distance / 2 - 1);
        if (!s->wrong)
            repeat(s, len, distance);
    }
}

static void stored_block(inflate *s)
{
    unsigned len, check;
    (void)take_bits(s, s->bit_count & 7);
    len = take_bits(s, 16);
    check = take_bits(s, 16);
    if (len != (check ^ 0xffff)) {
        s->wrong = "the gzip data are damaged";
        return;
    }
    while (len-- && !s->wrong) {
        int byte = take_byte(s);
        if (byte < 0)
            s->wrong = "the gzip data are cut off";
        else
            put(s, (uint8_t)byte);
    }
}

static void blocks(inflate *s)
{
    bool last = false;
    while (!last && !s->wrong) {
        last = take_bits(s, 1) != 0;
        switch (take_bits(s, 2)) {
        case 0:  stored_block(s); break;
        case 1:  fixed_codes(s); coded_block(s); break;
        case 2:
            dynamic_codes(s);
            if (!s->wrong)
                coded_block(s);
            break;
        default: s->wrong = "the gzip data are damaged"; break;
        }
    }
}

/* ---- gzip ---------------------------------------------------------------------------------- */

/* The member's header. RETURNS: false if none is there. */
static bool gzip_header(inflate *s)
{
    enum { CRC = 2, EXTRA = 4, NAME = 8, COMMENT = 16 };
    const uint8_t *p = pst_cursor_take(&s->in, 10);
    unsigned flags, text;
    if (!p || p[0] != 0x1f || p[1] != 0x8b || p[2] != 8)
        return false;
    flags = p[3];
    if (flags & EXTRA) {
        p = pst_cursor_take(&s->in, 2);
        if (!p || !pst_cursor_take(&s->in, (size_t)p[0] | (size_t)p[1] << 8))
            return false;
    }
    for (text = NAME; text <= COMMENT; text <<= 1)
        while (flags & text) {
            p = pst_cursor_take(&s->in, 1);
            if (!p)
                return false;
            if (!*p)
                break;
        }
    return !(flags & CRC) || pst_cursor_take(&s->in, 2);
}

static void member(inflate *s)
{
    uint32_t crc, len;
    s->out_len = s->written = 0;
    s->crc = s->len = 0;
    blocks(s);
    if (!s->wrong)
        hand_out(s);
    if (s->wrong)
        return;
    (void)take_bits(s, s->bit_count & 7);
    crc = take_le32(s);
    len = take_le32(s);
    if (!s->wrong && (crc != s->crc || len != s->len))
        s->wrong = "the gzip data are damaged (checksum)";
}

const char *pst_gunzip(const pst_memory *memory, const pst_source *source,
                       bool (*write)(void *host, const void *bytes, size_t len), void *host)
{
    inflate *s = (inflate *)memory->resize(memory->host, NULL, sizeof *s);
    const char *wrong;
    if (!s)
        return "out of memory";
    memset(s, 0, sizeof *s);
    s->write = write;
    s->host = host;
    make_crc_table(s->crc_table);
    pst_window_init(&s->window, source, memory);
    pst_window_seek(&s->window, &s->in, 0);
    if (!gzip_header(s))
        s->wrong = "the gzip header is damaged";
    while (!s->wrong) {
        member(s);
        if (s->wrong || !gzip_header(s))
            break;
    }
    wrong = s->wrong;
    pst_window_release(&s->window);
    pst_memory_free(memory, s);
    return wrong;
}
