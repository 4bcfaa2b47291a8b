/* fuzz_header.c - fuzz target: any bytes as a header, of a file or in memory.
 *
 * What is understood must be within the input; a header that can be read is written again and
 * must come back as it was.
 */
#include "fuzz_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void same(const pst_header *a, const pst_header *b)
{
    fuzz_check(a->netorder == b->netorder && a->major == b->major && a->minor == b->minor, "version");
    if (a->netorder)
        return;
    fuzz_check(a->order_len == b->order_len && memcmp(a->order, b->order, sizeof a->order) == 0, "byte order");
    fuzz_check(a->int_size == b->int_size && a->long_size == b->long_size
               && a->ptr_size == b->ptr_size && a->nv_size == b->nv_size, "sizes");
}

static void write_again(const pst_header *h)
{
    uint8_t out[PST_HEADER_MAX];
    pst_cursor in;
    pst_header again;
    size_t len = pst_header_write(h, out);
    fuzz_check(len <= sizeof out, "longer than the longest");
    memset(&again, 0, sizeof again);
    again.file = h->file;
    pst_cursor_init(&in, out, len);
    fuzz_check(pst_header_read(&again, &in) == PST_OK, "cannot be read again");
    fuzz_check(pst_cursor_left(&in) == 0, "not all read again");
    same(h, &again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    int file;
    for (file = 0; file < 2; file++) {
        pst_cursor in;
        pst_header h, host;
        memset(&h, 0, sizeof h);
        h.file = file != 0;
        pst_cursor_init(&in, bytes, len);
        if (pst_header_read(&h, &in) != PST_OK)
            continue;
        fuzz_check(pst_cursor_off(&in) <= len, "beyond the input");
        fuzz_check((size_t)h.order_off + h.order_len <= len, "byte order beyond the input");
        fuzz_check(h.order[sizeof h.order - 1] == '\0', "byte order without an end");
        (void)pst_header_swapped(&h);
        pst_header_host(&host, 8, 8);
        fuzz_check(pst_header_compare(&host, &host) == PST_OK, "the host is unlike itself");
        if (!h.netorder && pst_header_compare(&h, &host) == PST_OK)
            fuzz_check(pst_header_readable(&h) == PST_OK, "this machine's, and not readable");
        /* What is written is today's format. */
        if (h.major == PST_MAJOR && !h.old_magic && pst_header_readable(&h) == PST_OK
            && (h.netorder || pst_header_has_nv(&h)))
            write_again(&h);
    }
    return 0;
}
