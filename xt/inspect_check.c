/* inspect_check.c - the commands on pairs of images of the same data: see xt/inspect.pl.
 *
 *   inspect_check [N] <pairs          of one in N pairs let each allocation fail
 *   inspect_check FILE...             only tagged JSON and back, of each file
 *
 * The standard input has native (freeze) and network (nfreeze) images in turn, each with its
 * length in 4 bytes, big-endian. Of each image: tagged JSON is JSON, and the same bytes are made
 * of it; plain JSON is JSON; it is well formed; every command says the same of a source that is
 * read through a window of a few bytes as of memory. Of each pair: the data are the same. With
 * failing allocations every command ends, has no memory left, and says that it had none.
 * Exit status 1 and the first failures on a failure.
 */
#include "check_memory.h"
#include "pst_json_parse.h"

static unsigned long images, pairs, windows, failed_allocations, wrong;

static size_t read_at(void *host, uint64_t off, uint8_t *out, size_t len)
{
    const bytes *b = (const bytes *)host;
    if (off >= b->len)
        return 0;
    if (len > b->len - off)
        len = (size_t)(b->len - off);
    memcpy(out, b->start + off, len);
    return len;
}

/* ---- commands ------------------------------------------------------------------------------- */

typedef struct variant { const char *name; int (*run)(pst_job *job); bool json, summary; uint64_t depth; } variant;

static const variant variants[] = {
    { "json", pst_json, false, false, UINT64_MAX },
    { "json --tagged", pst_json_tagged, false, false, UINT64_MAX },
    { "dump", pst_dump, false, false, UINT64_MAX },
    { "dump --depth 1", pst_dump, false, false, 1 },
    { "dump --json", pst_dump, true, false, UINT64_MAX },
    { "explain", pst_explain, false, false, UINT64_MAX },
    { "explain --json", pst_explain, true, false, UINT64_MAX },
    { "explain --json --summary", pst_explain, true, true, UINT64_MAX },
    { "head", pst_head, false, false, UINT64_MAX },
    { "head --json", pst_head, true, false, UINT64_MAX },
    { "check", pst_check, false, false, UINT64_MAX },
    { "check --json", pst_check, true, false, UINT64_MAX },
    { "diff --json", pst_diff, true, false, UINT64_MAX }
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static int run(const variant *v, const pst_source *source, const pst_source *other, bytes *out)
{
    static pst_out o, e;
    static bytes messages;
    pst_job job;
    int status;
    memset(&job, 0, sizeof job);
    out->len = messages.len = 0;
    pst_out_init(&o, append, out);
    pst_out_init(&e, append, &messages);
    job.source = source;
    job.other = other;
    job.memory = &memory;
    job.out = &o;
    job.err = &e;
    job.name = job.other_name = "image";
    job.json = v->json;
    job.summary = v->summary;
    job.max_depth = v->depth;
    status = v->run(&job);
    (void)pst_out_flush(&o);
    (void)pst_out_flush(&e);
    return status;
}

static void fail(const char *what, const char *which)
{
    if (wrong++ < 10)
        printf("not ok: image %lu: %s: %s\n", images, which, what);
}

static bool equal(const bytes *a, const bytes *b)
{
    return a->len == b->len && memcmp(a->start, b->start, a->len) == 0;
}

static void expect_json(const bytes *text, const char *which)
{
    pst_json_text j;
    if (!pst_json_parse(&j, &memory, text->start, text->len))
        fail(j.error, which);
    pst_json_text_release(&j);
}

/* ---- what is checked ---------------------------------------------------------------------------- */

static void there_and_back(const bytes *image)
{
    static const variant back = { "convert --from-json", pst_json_read, false, false, 0 };
    static bytes text, again;
    pst_source source;
    pst_source_memory(&source, image->start, image->len);
    if (run(&variants[1], &source, NULL, &text) != PST_FINE)
        fail("status", variants[1].name);
    expect_json(&text, variants[1].name);
    pst_source_memory(&source, text.start, text.len);
    if (run(&back, &source, NULL, &again) != PST_FINE || !equal(&again, image))
        fail("other bytes", back.name);
}

/* Every command on memory and on windows. */
static void both_sources(bytes *image)
{
    static bytes by_memory, by_window;
    pst_source memory_source, window_source;
    size_t i;
    pst_source_memory(&memory_source, image->start, image->len);
    memset(&window_source, 0, sizeof window_source);
    window_source.len = image->len;
    window_source.read_at = read_at;
    window_source.host = image;
    for (i = 0; i < VARIANTS; i++) {
        int status = run(&variants[i], &memory_source, &memory_source, &by_memory);
        if (status != PST_FINE)
            fail("status", variants[i].name);
        if (variants[i].json || i == 0)
            expect_json(&by_memory, variants[i].name);
        window_source.window = 1 + (images + i) % 40;
        windows++;
        if (run(&variants[i], &window_source, &window_source, &by_window) != status || !equal(&by_memory, &by_window))
            fail("a window makes a difference", variants[i].name);
    }
    if (live)
        fail("memory is left", "all");
}

static void starve(bytes *image)
{
    static bytes out;
    pst_source source;
    size_t i;
    memset(&source, 0, sizeof source);
    source.len = image->len;
    source.read_at = read_at;
    source.host = image;
    source.window = 64;
    for (i = 0; i < VARIANTS; i++) {
        long n;
        int status = PST_TROUBLE;
        for (n = 0; n < 2000 && status == PST_TROUBLE; n++) {
            allocations_left = n;
            status = run(&variants[i], &source, &source, &out);
            failed_allocations += status == PST_TROUBLE;
            if (live) {
                fail("memory is left", variants[i].name);
                live = 0;
            }
        }
        allocations_left = -1;
        if (status != PST_FINE)
            fail("a failing allocation has the wrong status", variants[i].name);
    }
}

static void same_data(const bytes *a, const bytes *b)
{
    static bytes out;
    pst_source first, second;
    pst_source_memory(&first, a->start, a->len);
    pst_source_memory(&second, b->start, b->len);
    (void)run(&variants[VARIANTS - 1], &first, &second, &out);
    append(&out, "", 1);
    if (!strstr((const char *)out.start, "\"same_data\":true"))
        fail((const char *)out.start, "diff");
}

/* ---- input -------------------------------------------------------------------------------------------- */

static void check_files(int count, char **names)
{
    static bytes image;
    for (; count--; names++) {
        uint8_t part[4096];
        size_t got;
        FILE *in = fopen(*names, "rb");
        image.len = 0;
        images++;
        if (!in)
            fail("cannot be opened", *names);
        while (in && (got = fread(part, 1, sizeof part, in)) > 0)
            append(&image, part, got);
        if (in)
            fclose(in);
        there_and_back(&image);
    }
}

int main(int argc, char **argv)
{
    static bytes native, network;
    unsigned long starve_each = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    if (argc > 1 && !starve_each)
        check_files(argc - 1, argv + 1);
    else
        while (read_bytes(stdin, &native) && read_bytes(stdin, &network)) {
            pairs++;
            images++;
            there_and_back(&native);
            both_sources(&native);
            images++;
            there_and_back(&network);
            both_sources(&network);
            same_data(&native, &network);
            if (starve_each && pairs % starve_each == 0) {
                starve(&native);
                starve(&network);
            }
        }
    printf("%lu images, %lu pairs, %lu commands through windows, %lu allocations failed; %lu wrong\n", images, pairs,
           windows, failed_allocations, wrong);
    return wrong != 0 || images == 0;
}
