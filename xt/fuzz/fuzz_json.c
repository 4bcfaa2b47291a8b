/* fuzz_json.c - fuzz target: any bytes as tagged JSON, as base64 and gzip, and as a path.
 *
 * JSON that is taken makes bytes; if these are an image, its tagged JSON makes the same ones.
 */
#include "fuzz_output.h"
#include "pst_image.h"
#include "pst_inspect.h"
#include "pst_place.h"
#include "pst_unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static int run(int (*command)(pst_job *job), const uint8_t *bytes, size_t len, output *out)
{
    static pst_out o, e;
    static output messages;
    pst_source source;
    pst_job job;
    int status;
    memset(&job, 0, sizeof job);
    pst_source_memory(&source, bytes, len);
    out->len = messages.len = 0;
    pst_out_init(&o, append, out);
    pst_out_init(&e, append, &messages);
    job.source = &source;
    job.memory = pst_memory_malloc();
    job.out = &o;
    job.err = &e;
    job.name = "";
    status = command(&job);
    if (!pst_out_flush(&o) || !pst_out_flush(&e))
        return PST_TROUBLE;
    fuzz_check(status == PST_FINE || messages.len, "no message");
    return status;
}

/* ---- what unpacking asks of a host ---- */

static void *spool_new(pst_host *h) { (void)h; return calloc(1, sizeof(output)); }
static void spool_source(void *spool, pst_source *source)
{
    const output *o = (const output *)spool;
    pst_source_memory(source, o->start, o->len);
    source->host = spool;
}
static void close_source(pst_host *h, pst_source *source)
{
    output *o = (output *)source->host;
    (void)h;
    if (o)
        free(o->start);
    free(o);
    source->host = NULL;
}

static void unpack(const uint8_t *bytes, size_t len)
{
    pst_host host;
    pst_source source;
    memset(&host, 0, sizeof host);
    host.memory = pst_memory_malloc();
    host.close = close_source;
    host.spool_new = spool_new;
    host.spool_write = append;
    host.spool_source = spool_source;
    pst_source_memory(&source, bytes, len);
    fuzz_check(pst_unpack(&host, &source, 0, NULL) || host.reason, "no reason");
    (void)pst_sniff(&source);
    close_source(&host, &source);
}

static void path(const uint8_t *bytes, size_t len)
{
    char *text = (char *)malloc(len + 1);
    pst_steps steps;
    fuzz_check(text != NULL, "no memory");
    pst_copy((uint8_t *)text, bytes, len);
    text[len] = '\0';
    (void)pst_steps_init(&steps, text);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static output image, text, again;

    if (len > 65536)
        return 0;
    unpack(bytes, len);
    path(bytes, len);
    if (run(pst_json_read, bytes, len, &image) != PST_FINE || run(pst_json_tagged, image.start, image.len, &text) != PST_FINE)
        return 0;
    fuzz_check(run(pst_json_read, text.start, text.len, &again) == PST_FINE, "tagged JSON is refused");
    fuzz_check(again.len == image.len && (!image.len || memcmp(again.start, image.start, image.len) == 0), "other bytes");
    return 0;
}
