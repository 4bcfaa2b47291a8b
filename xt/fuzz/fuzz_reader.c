/* fuzz_reader.c - fuzz target: any bytes through the reader, all at once and in pieces.
 *
 * The last byte of the input says how small the pieces are. Both ways must show the same
 * events and end in the same place. Each window is an allocation of its own, so that a
 * sanitizer sees who looks at a window that is gone.
 */
#include "fuzz_walk.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

typedef struct source {
    const uint8_t *bytes;
    size_t         len, given, step;
    uint8_t       *window;
} source;

/* The unread bytes and at least `need` in all, in a new window of just that size. */
static bool refill(pst_cursor *c, size_t need)
{
    source *s = (source *)c->host;
    size_t have = pst_cursor_left(c), left = s->len - s->given, more = need - have;
    uint8_t *window;
    if (more > left)
        return false;
    if (more < s->step)
        more = s->step < left ? s->step : left;
    window = (uint8_t *)malloc(have + more);
    fuzz_check(window != NULL, "no memory");
    pst_copy(window, c->pos, have);
    pst_copy(window + have, s->bytes + s->given, more);
    s->given += more;
    c->start_off = pst_cursor_off(c);
    free(s->window);
    s->window = window;
    c->start = c->pos = window;
    c->end = window + have + more;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    uint8_t none = 0;
    const uint8_t *image = len ? bytes : &none;
    bool file = len >= 4 && memcmp(bytes, "pst0", 4) == 0;
    uint64_t hash = 0, hash_in_pieces = 0;
    source s = {0};
    pst_reader r, pieces;
    bool whole;
    file = file || (len >= 10 && memcmp(bytes, "perl-store", 10) == 0);
    pst_reader_init(&r, image, len);
    whole = fuzz_walk(&r, file, fuzz_hash, &hash);
    fuzz_check(pst_cursor_off(&r.in) <= len, "beyond the input");
    fuzz_check(r.error.offset <= len, "an error beyond the input");

    s.bytes = image;
    s.len = len;
    s.step = len ? (size_t)bytes[len - 1] % 64 + 1 : 1;
    pst_reader_init(&pieces, NULL, 0);
    pieces.in.refill = refill;
    pieces.in.host = &s;
    fuzz_check(fuzz_walk(&pieces, file, fuzz_hash, &hash_in_pieces) == whole, "in pieces: another end");
    fuzz_check(hash == hash_in_pieces, "in pieces: other events");
    fuzz_check(r.error.code == pieces.error.code && r.error.offset == pieces.error.offset
               && r.error.want == pieces.error.want && r.error.have == pieces.error.have,
               "in pieces: another error");
    fuzz_check(pst_cursor_off(&r.in) == pst_cursor_off(&pieces.in), "in pieces: another place");
    free(s.window);
    return 0;
}
