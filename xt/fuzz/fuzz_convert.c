/* fuzz_convert.c - fuzz target: any bytes through the converter, to every kind of machine.
 *
 * The last byte of the input chooses the machine and the version. What can be converted is an
 * image again, of the same length if its order was kept, and converting it once more changes
 * nothing; there and back again, it is what came out at first. What cannot be converted is an
 * error with a place within the input.
 */
#include "fuzz_output.h"
#include "pst_image.h"
#include "pst_convert.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void found(void *host, const pst_nested *nested)
{
    (void)host;
    fuzz_check(nested->off + nested->len <= nested->walk->window.source->len, "a nested image beyond the input");
}

/* RETURNS: was it converted? target NULL keeps the order. */
static bool convert(const uint8_t *bytes, size_t len, const char *target, int minor, bool nested, output *out,
                    pst_conversion *c)
{
    pst_source source;
    bool fine;
    memset(c, 0, sizeof *c);
    pst_source_memory(&source, bytes, len);
    c->source = &source;
    c->memory = pst_memory_malloc();
    c->keep_order = !target;
    fuzz_check(!target || pst_convert_target(&c->target, target), "no target");
    c->minor = minor;
    c->digits = PST_DIGITS_PERL;
    c->nested = nested;
    c->write = append;
    c->found = found;
    c->host = out;
    out->len = 0;
    fine = pst_convert(c);
    fuzz_check(fine == (c->error.code == PST_OK), "an error without a code");
    fuzz_check(c->error.offset <= len && c->end <= len, "a place beyond the input");
    return fine;
}

/* Where the image ends; 0 if it is not whole. */
static size_t image_len(const uint8_t *bytes, size_t len)
{
    pst_source source;
    pst_walk walk;
    pst_event ev;
    size_t end = 0;
    pst_source_memory(&source, bytes, len);
    if (pst_walk_init(&walk, &source, pst_memory_malloc(), false)) {
        while (pst_walk_next(&walk, &ev))
            ;
        end = walk.done ? (size_t)pst_walk_off(&walk) : 0;
    }
    pst_walk_release(&walk);
    return end;
}

static void check_same(const output *a, const output *b, const char *what)
{
    fuzz_check(a->len == b->len && (!a->len || memcmp(a->start, b->start, a->len) == 0), what);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const char *const targets[] = {
        NULL, "network", "native", "1234", "4321", "12345678", "87654321", "12345678/4/4/4/8", "1234/4/4/4/12",
        "4321/4/4/4/12", "12345678/4/8/8/16", "87654321/4/8/8/16", "4321/4/4/4/16"
    };
    enum { COUNT = sizeof targets / sizeof *targets };
    const unsigned choice = len ? bytes[len - 1] : 0;
    const char *target = targets[choice % COUNT];
    const int minor = choice & 0x80 ? (int)(choice >> 3 & 15) : -1;
    output kept = { NULL, 0, 0, 0 }, there = { NULL, 0, 0, 0 }, again = { NULL, 0, 0, 0 };
    pst_conversion c;
    if (convert(bytes, len, NULL, -1, false, &kept, &c)) {
        fuzz_check(c.was.netorder || c.was.major < PST_MAJOR || kept.len == image_len(bytes, len), "kept order: another length");
        fuzz_check(image_len(kept.start, kept.len) == kept.len, "kept order: no image");
        fuzz_check(convert(kept.start, kept.len, NULL, -1, false, &again, &c), "kept order: not again");
        check_same(&kept, &again, "kept order: changed the second time");
    }
    if (convert(bytes, len, target, minor, (choice & 1) != 0, &there, &c)) {
        fuzz_check(image_len(there.start, there.len) == there.len, "converted: no image");
        fuzz_check(convert(there.start, there.len, target, minor, false, &again, &c), "converted: not again");
        check_same(&there, &again, "converted: changed the second time");
        fuzz_check(convert(there.start, there.len, NULL, -1, false, &again, &c), "converted: not kept");
        check_same(&there, &again, "converted: not as it is");
    }
    free(kept.start);
    free(there.start);
    free(again.start);
    return 0;
}
