/* fuzz_inspect.c - fuzz target: any bytes through every image command.
 *
 * In memory and through a window of a few bytes the output must be the same; JSON must be JSON if
 * the image is whole; explain must have a row for every byte of it, once; tagged JSON must give
 * the same bytes back.
 */
#include "fuzz_output.h"
#include "pst_image.h"
#include "pst_inspect.h"
#include "pst_json_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static size_t read_at(void *host, uint64_t off, uint8_t *out, size_t len)
{
    pst_source *s = (pst_source *)host;
    return pst_source_read(s, off, out, len);
}

/* RETURNS: the command's status. */
static int run(int (*command)(pst_job *job), const pst_source *source, bool json, bool summary, output *out)
{
    static pst_out o, e;
    static output messages;
    pst_job job;
    int status;
    memset(&job, 0, sizeof job);
    out->len = messages.len = 0;
    pst_out_init(&o, append, out);
    pst_out_init(&e, append, &messages);
    job.source = job.other = source;
    job.memory = pst_memory_malloc();
    job.out = &o;
    job.err = &e;
    job.name = job.other_name = "";
    job.json = json;
    job.summary = summary;
    job.max_depth = UINT64_MAX;
    status = command(&job);
    (void)pst_out_flush(&o);
    (void)pst_out_flush(&e);
    fuzz_check(status != PST_TROUBLE, "trouble");
    fuzz_check(status == PST_FINE || command == pst_check || messages.len, "no message");
    return status;
}

static void check_json(const output *text)
{
    pst_json_text j;
    fuzz_check(pst_json_parse(&j, pst_memory_malloc(), text->start, text->len), "no JSON");
    pst_json_text_release(&j);
}

/* The sum of all "length" members. */
static size_t lengths(const output *rows)
{
    static const char name[] = "\"length\":";
    size_t sum = 0, at;
    for (at = 0; at + sizeof name < rows->len; at++)
        if (memcmp(rows->start + at, name, sizeof name - 1) == 0)
            sum += strtoul((const char *)rows->start + at + sizeof name - 1, NULL, 10);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const struct { int (*run)(pst_job *job); bool json, summary; } commands[] = {
        { pst_head, true, false }, { pst_dump, false, false }, { pst_dump, true, false }, { pst_json, false, false },
        { pst_json_tagged, false, false }, { pst_explain, false, false }, { pst_explain, true, false },
        { pst_explain, true, true }, { pst_check, true, false }, { pst_diff, true, false }
    };
    static output a, b;
    pst_source source, window;
    size_t i;
    if (len > 4096)
        return 0;                   /* paths make some output longer than the image by far */
    pst_source_memory(&source, bytes, len);
    memset(&window, 0, sizeof window);
    window.len = len;
    window.read_at = read_at;
    window.host = &source;
    window.window = 1 + (len ? bytes[len / 2] % 40u : 0);
    for (i = 0; i < sizeof commands / sizeof *commands; i++) {
        int status = run(commands[i].run, &source, commands[i].json, commands[i].summary, &a);
        if (status == PST_FINE && (commands[i].json || commands[i].run == pst_json || commands[i].run == pst_json_tagged))
            check_json(&a);
        if (status == PST_FINE && commands[i].run == pst_explain && commands[i].json && !commands[i].summary)
            fuzz_check(lengths(&a) == len, "explain: not every byte once");
        fuzz_check(run(commands[i].run, &window, commands[i].json, commands[i].summary, &b) == status, "another status");
        fuzz_check(a.len == b.len && (!a.len || memcmp(a.start, b.start, a.len) == 0), "another output");
    }
    if (run(pst_json_tagged, &source, false, false, &a) == PST_FINE) {
        pst_source text;
        pst_source_memory(&text, a.start, a.len);
        fuzz_check(run(pst_json_read, &text, false, false, &b) == PST_FINE, "tagged JSON is refused");
        fuzz_check(b.len == len && memcmp(b.start, bytes, len) == 0, "tagged JSON: other bytes");
    }
    return 0;
}
