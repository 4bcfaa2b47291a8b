/* failing_allocs.c - commands of the core, and its writer, while memory runs out.
 *
 *   failing_allocs COMMAND ARGUMENT... -- IMAGE...    the command is run on each of the images, which is
 *                                                     what "-" and every name opens
 *   failing_allocs --writer
 *
 * Runs once to count the requests for memory, and then once for each of them, which fails: that
 * one alone, and that one with all after it. The command must then say that it is in trouble, or
 * do what it did; all memory must have been given back; and what was written when the writer
 * failed must be the beginning of what it writes. Prints how many runs there were.
 */
#include "pst_cli.h"
#include "pst_writer.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct bytes { uint8_t *start; size_t len, room; } bytes;

/* Requests so far; the first that fails, 0 for none; do those after it fail, too? */
static size_t requests, fail_at, live;
static bool   fail_all;

static const char *image = "";

static bool refused(void)
{
    requests++;
    return fail_at && (requests == fail_at || (fail_all && requests > fail_at));
}

static void *resize(void *host, void *p, size_t size)
{
    void *q;
    (void)host;
    if (!size) {
        live -= p != NULL;
        free(p);
        return NULL;
    }
    if (refused())
        return NULL;
    q = realloc(p, size);
    if (!p && q)
        live++;
    return q;
}

static const pst_memory memory = { resize, NULL };

static bool append(bytes *b, const void *from, size_t len)
{
    if (b->len + len > b->room) {
        b->room = (b->len + len) * 2;
        b->start = (uint8_t *)realloc(b->start, b->room);
    }
    if (len)
        memcpy(b->start + b->len, from, len);
    b->len += len;
    return true;
}

static void complain(const char *what, size_t at)
{
    fprintf(stderr, "%s, request %lu%s: %s\n", image, (unsigned long)at, fail_all ? " and all after it" : "", what);
    exit(1);
}

/* ---- commands ----------------------------------------------------------------------------- */

static bytes input, output;

static bool write_out(void *host, const void *from, size_t len) { (void)host; return append(&output, from, len); }
static bool write_err(void *host, const void *from, size_t len) { (void)host; (void)from; (void)len; return true; }

static bool open_input(pst_host *h, const char *name, pst_source *source)
{
    (void)h;
    (void)name;
    pst_source_memory(source, input.start, input.len);
    return true;
}
static void close_source(pst_host *h, pst_source *source) { (void)h; (void)source; }

/* One spool at a time; its memory is not the core's. */
static bytes spool;
static void *spool_new(pst_host *h)
{
    (void)h;
    spool.len = 0;
    return refused() ? NULL : &spool;
}
static bool spool_write(void *s, const void *from, size_t len) { return !refused() && append((bytes *)s, from, len); }
static void spool_source(void *s, pst_source *source)
{
    pst_source_memory(source, ((bytes *)s)->start, ((bytes *)s)->len);
}

static int list(pst_host *h, const char *name, bool (*each)(void *context, const char *name), void *context)
{
    (void)h; (void)name; (void)each; (void)context;
    return 0;
}

static int command(int argc, const char *const *argv)
{
    pst_host h;
    memset(&h, 0, sizeof h);
    h.memory = &memory;
    h.write_out = write_out;
    h.write_err = write_err;
    h.open = open_input;
    h.close = close_source;
    h.spool_new = spool_new;
    h.spool_write = spool_write;
    h.spool_source = spool_source;
    h.list = list;
    output.len = requests = 0;
    return pst_cli(&h, "failing_allocs", argc, argv);
}

/* ---- the writer ----------------------------------------------------------------------------- */

static bool grow(pst_buf *b, size_t need)
{
    size_t used = pst_buf_len(b), size = used + need;      /* as often as can be */
    uint8_t *bigger = (uint8_t *)resize(NULL, b->start, size);
    if (!bigger)
        return false;
    b->start = bigger;
    b->pos = bigger + used;
    b->end = bigger + size;
    return true;
}

static void write_everything(pst_writer *w)
{
    static char text[70000];
    pst_header h;
    pst_hook_record hook;
    uint64_t count;
    memset(&hook, 0, sizeof hook);
    pst_header_host(&h, 8, 8);
    h.netorder = w->netorder;
    (void)(pst_write_header(w, &h) && pst_write_count(w, PST_ARRAY, 3) && pst_write_count(w, PST_HASH, (uint64_t)1 << 32));
    (void)(pst_write_flag_hash(w, 1, 2) && pst_write_flag_hash(w, 0, (uint64_t)1 << 33) && pst_write_marker(w, PST_REF));
    (void)(pst_write_integer(w, -128) && pst_write_integer(w, 70000) && pst_write_integer(w, INT64_MIN));
    (void)(pst_write_unsigned(w, UINT64_MAX) && pst_write_double(w, 0.5) && pst_write_double(w, 3) && pst_write_double(w, 1e300));
    (void)(pst_write_string(w, "short", 5, false) && pst_write_string(w, text, sizeof text, true));
    (void)(pst_write_object(w, 5) && pst_write_object(w, (uint64_t)1 << 40) && pst_write_vstring(w, "v1.2", 4));
    (void)(pst_write_vstring(w, text, 300) && pst_write_bless(w, "Class", 5) && pst_write_bless(w, text, 1000));
    (void)(pst_write_bless_index(w, 5) && pst_write_bless_index(w, 500) && pst_write_index(w, -1));
    (void)(pst_write_regexp(w, "a+", 2, "i", 1) && pst_write_regexp(w, text, 1000, "", 0));
    (void)(pst_write_key(w, "key", 3) && pst_write_flag_key(w, PST_KEY_UTF8, text, 2000));
    for (count = 0; count < 1000; count += 400) {
        hook.kind = count ? PST_EXTRA_HASH : PST_HOOK_ARRAY;
        hook.class_name = hook.string = text;
        hook.class_len = hook.string_len = count;
        hook.list_count = count ? 2 : 0;
        (void)(pst_write_hook_recurse(w, hook.kind, true) && pst_write_hook(w, &hook));
        (void)(!count || (pst_write_hook_tag(w, 1) && pst_write_hook_tag(w, 2)));
    }
}

static bytes written;

/* What the writer writes, in `written`. RETURNS: 0, 2 if it has failed. */
static int writer(bool netorder)
{
    pst_writer w;
    int status;
    pst_writer_init(&w, netorder, 8);
    w.buf.grow = grow;
    requests = written.len = 0;
    write_everything(&w);
    append(&written, w.buf.start, pst_buf_len(&w.buf));
    (void)resize(NULL, w.buf.start, 0);
    status = w.error.code == PST_OK ? 0 : 2;
    if (status && (w.error.code != PST_ERR_MEMORY || w.error.offset > written.len))
        complain("the writer has another error", fail_at);
    return status;
}

/* ---- all runs -------------------------------------------------------------------------------- */

static int run(int argc, char **argv, bool netorder)
{
    return argc ? command(argc, (const char *const *)argv) : writer(netorder);
}

/* RETURNS: the number of runs. */
static size_t run_all(int argc, char **argv, bool netorder)
{
    bytes *made = argc ? &output : &written, whole = { NULL, 0, 0 };
    size_t runs = 1, most;
    int fine = run(argc, argv, netorder), status;
    append(&whole, made->start, made->len);
    most = requests;
    if (live)
        complain("memory was not given back", 0);
    for (fail_at = 1; fail_at <= most; fail_at++)
        for (fail_all = false;; fail_all = true) {
            status = run(argc, argv, netorder);
            runs++;
            if (live)
                complain("memory was not given back", fail_at);
            if (status != 2 && (status != fine || made->len != whole.len
                                || (made->len && memcmp(made->start, whole.start, made->len) != 0)))
                complain("the answer was another, without a word", fail_at);
            if (!argc && (made->len > whole.len || (made->len && memcmp(made->start, whole.start, made->len) != 0)))
                complain("not the beginning of what is written", fail_at);
            if (fail_all)
                break;
        }
    fail_at = 0;
    free(whole.start);
    return runs;
}

/* Read the file into `input`. RETURNS: false if it cannot be read. */
static bool read_input(const char *name)
{
    static uint8_t block[65536];
    size_t got;
    FILE *in = fopen(name, "rb");
    if (!in)
        return false;
    input.len = 0;
    while ((got = fread(block, 1, sizeof block, in)) > 0)
        append(&input, block, got);
    fclose(in);
    image = name;
    return true;
}

int main(int argc, char **argv)
{
    size_t runs = 0;
    int words = 1, i;
    while (words < argc && strcmp(argv[words], "--") != 0)
        words++;
    if (argc == 2 && strcmp(argv[1], "--writer") == 0)
        runs = run_all(0, NULL, false) + run_all(0, NULL, true);
    for (i = words + 1; i < argc; i++) {
        if (!read_input(argv[i]))
            return 2;
        runs += run_all(words - 1, argv + 1, false);
    }
    printf("%lu runs\n", (unsigned long)runs);
    free(input.start);
    free(output.start);
    free(spool.start);
    free(written.start);
    return runs ? 0 : 2;
}
