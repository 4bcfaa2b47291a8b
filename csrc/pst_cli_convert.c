/* pst_cli_convert.c - the command `convert`. */
#include "pst_cli.h"
#include "pst_convert.h"
#include "pst_place.h"

/* One file on its way. */
typedef struct conversion {
    pst_job       *job;
    pst_conversion c;
    void          *replacement;   /* in place: what the result is written to */
    pst_out       *notes;         /* where notes go: not among the bytes of an image */
    uint64_t       base;          /* where the image begins in the file: there may be several */
    uint64_t       len;           /* bytes written */
    uint64_t       found_count;   /* nested images */
    bool           refused;       /* by the replacement */
} conversion;

static bool write_image(void *host, const void *bytes, size_t len)
{
    conversion *v = (conversion *)host;
    v->len += len;
    if (!v->replacement) {
        pst_out_bytes(v->job->out, bytes, len);
        return !v->job->out->failed;
    }
    v->refused = !v->job->host->replace_write(v->replacement, bytes, len);
    return !v->refused;
}

static int complain(const pst_job *job, const char *name, const char *reason)
{
    pst_out_str(job->err, name);
    pst_out_str(job->err, ": ");
    pst_out_str(job->err, reason ? reason : "cannot be converted");
    pst_out_char(job->err, '\n');
    return PST_TROUBLE;
}

/* ---- what is in the way, and where --------------------------------------------------------- */

/* Walk until the event that contains `off`, keys being known. The frames left are those around
 * the object that it belongs to. RETURNS: is there one? */
static bool walk_to(pst_walk *w, const pst_source *source, const pst_memory *memory, uint64_t off)
{
    pst_event ev;
    if (!pst_walk_init(w, source, memory, true))
        return false;
    while (pst_walk_next(w, &ev))
        if (ev.end > off) {
            w->depth = ev.depth - (ev.kind >= PST_EV_HOOK_FLAGS && ev.kind <= PST_EV_HOOK_TAG);
            return true;
        }
    return false;
}

void pst_convert_problem(pst_out *o, const pst_conversion *c, uint64_t base)
{
    pst_walk w;
    (void)walk_to(&w, c->source, c->memory, c->error.offset);
    w.r.error = c->error;
    w.r.error.offset += base;
    pst_problem(o, &w);
    pst_walk_release(&w);
}

static int print_error(const conversion *v)
{
    pst_out *o = v->job->err;
    pst_out_str(o, v->job->name);
    pst_out_str(o, ": ");
    pst_convert_problem(o, &v->c, v->base);
    pst_out_char(o, '\n');
    return v->c.error.code == PST_ERR_MEMORY ? PST_TROUBLE : PST_FINDINGS;
}

static void print_order(pst_out *o, const pst_header *h)
{
    pst_out_str(o, h->netorder ? "network" : h->order);
}

/* An image in a hook's string. */
static void found(void *host, const pst_nested *nested)
{
    conversion *v = (conversion *)host;
    pst_out *o = v->notes;
    pst_walk w;
    (void)walk_to(&w, nested->walk->window.source, v->job->memory, nested->off);
    if (v->job->json && v->job->convert.in_place) {
        pst_out_str(o, v->found_count++ ? "," : ",\"nested\":[");
        pst_out_str(o, "{\"order\":");
        pst_out_json_str(o, nested->header->netorder ? "network" : nested->header->order);
        pst_out_str(o, ",\"bytes\":");
        pst_out_u64(o, nested->len);
        pst_out_str(o, ",\"path\":");
        pst_json_path(o, &w, w.depth, false);
        pst_out_str(o, nested->converted ? ",\"converted\":true}" : ",\"converted\":false}");
    }
    else {
        pst_out_str(o, v->job->name);
        pst_out_str(o, ": an image (");
        print_order(o, nested->header);
        pst_out_str(o, ", ");
        pst_out_count(o, nested->len, "byte");
        pst_out_str(o, ") in the string of the hook at ");
        pst_print_place(o, &w, w.depth, false);
        pst_out_str(o, nested->converted ? ", converted\n" : ", left as it is: --nested converts it\n");
    }
    pst_walk_release(&w);
}

/* ---- targets --------------------------------------------------------------------------------- */

/* The header of the image in --like FILE. RETURNS: a status. */
static int read_like(conversion *v)
{
    pst_job *job = v->job;
    const char *name = job->convert.like;
    pst_source source;
    pst_walk w;
    bool fine;
    if (!job->host->open(job->host, name, &source))
        return complain(job, name, job->host->reason);
    fine = pst_walk_init(&w, &source, job->memory, false);
    if (fine) {
        v->c.target = w.r.header;
        if (job->convert.minor < 0 && w.r.header.major == PST_MAJOR)
            v->c.minor = w.r.header.minor;
    }
    pst_walk_release(&w);
    job->host->close(job->host, &source);
    return fine ? PST_FINE : complain(job, name, "is no image");
}

static int choose_target(conversion *v)
{
    const pst_convert_options *options = &v->job->convert;
    v->c.minor = options->minor;
    v->c.keep_order = !options->order && !options->like;
    if (options->like)
        return read_like(v);
    if (options->order && !pst_convert_target(&v->c.target, options->order))
        return complain(v->job, options->order, "is no order: network, native, or a text such as 12345678, "
                        "perhaps with sizes of int, long, pointer and float: 12345678/4/4/4/8");
    return PST_FINE;
}


/* ---- the command --------------------------------------------------------------------------------- */

static void print_done(const conversion *v)
{
    pst_out *o = v->job->out;
    const pst_job *job = v->job;
    if (job->json) {
        pst_out_str(o, v->found_count ? "]" : "");
        pst_out_str(o, ",\"from\":");
        pst_out_json_str(o, v->c.was.netorder ? "network" : v->c.was.order);
        pst_out_str(o, ",\"to\":");
        pst_out_json_str(o, v->c.target.netorder ? "network" : v->c.target.order);
        pst_out_str(o, ",\"bytes\":");
        pst_out_u64(o, job->source->len);
        pst_out_str(o, ",\"new_bytes\":");
        pst_out_u64(o, v->len);
        pst_out_str(o, ",\"older\":");
        pst_out_u64(o, v->c.older_count);
        pst_out_str(o, "}\n");
        return;
    }
    pst_out_str(o, job->name);
    pst_out_str(o, ": ");
    print_order(o, &v->c.was);
    pst_out_str(o, " to ");
    print_order(o, &v->c.target);
    pst_out_str(o, ", ");
    pst_out_count(o, job->source->len, "byte");
    pst_out_str(o, " to ");
    pst_out_u64(o, v->len);
    if (v->c.older_count) {
        pst_out_str(o, ", ");
        pst_out_count(o, v->c.older_count, "marker");
        pst_out_str(o, " made older");
    }
    pst_out_char(o, '\n');
}

/* What lies behind an image in its file, as a source of its own. */
static size_t read_behind(void *host, uint64_t off, uint8_t *out, size_t len)
{
    const conversion *v = (const conversion *)host;
    return pst_source_read(v->job->source, v->base + off, out, len);
}

static void source_behind(conversion *v, pst_source *behind)
{
    const pst_source *all = v->job->source;
    if (all->bytes)
        pst_source_memory(behind, all->bytes + v->base, (size_t)(all->len - v->base));
    else {
        behind->bytes = NULL;
        behind->len = all->len - v->base;
        behind->read_at = read_behind;
        behind->host = v;
    }
}

static int convert_one(conversion *v, const pst_source *source)
{
    pst_job *job = v->job;
    v->c.source = source;
    v->c.memory = job->memory;
    v->c.digits = job->convert.exact ? PST_DIGITS_EXACT : PST_DIGITS_PERL;
    v->c.nested = job->convert.nested;
    v->c.write = write_image;
    v->c.found = found;
    v->c.host = v;
    if (pst_convert(&v->c))
        return PST_FINE;
    if (v->refused)
        return complain(job, job->name, job->host->reason);
    return v->c.error.code == PST_ERR_OUTPUT ? PST_TROUBLE : print_error(v);
}

/* Bytes behind the last image that are none: in place they would be lost. */
static int print_rest(const conversion *v)
{
    pst_out *o = v->job->err;
    pst_out_str(o, v->job->name);
    pst_out_str(o, ": ");
    pst_out_count(o, v->job->source->len - v->base, "byte");
    pst_out_str(o, " behind the image at byte ");
    pst_out_u64(o, v->base);
    pst_out_str(o, v->job->convert.in_place ? ": the file stays as it is\n" : ", left out\n");
    return PST_FINDINGS;
}

/* All images of a file: store_fd writes several to one. */
static int convert(conversion *v)
{
    pst_source source = *v->job->source;
    uint64_t older = 0;
    int status;
    for (;;) {
        status = convert_one(v, &source);
        v->c.older_count = older += v->c.older_count;
        v->base += v->c.end;
        if (status != PST_FINE || v->base == v->job->source->len)
            return status;
        source_behind(v, &source);
        if (!v->c.was.file || !pst_source_has_magic(&source))
            return print_rest(v);
    }
}

static int convert_in_place(conversion *v)
{
    pst_job *job = v->job;
    pst_host *host = job->host;
    int status;
    if (job->packed)
        return complain(job, job->name, "is packed: unpack it first");
    v->replacement = host->replace_new(host, job->name);
    if (!v->replacement)
        return complain(job, job->name, host->reason);
    if (job->json) {
        pst_out_str(job->out, "{\"file\":");
        pst_out_json_str(job->out, job->name);
    }
    status = convert(v);
    if (status != PST_FINE) {
        (void)host->replace_end(host, v->replacement, false, NULL);
        if (job->json) {
            pst_out_str(job->out, v->found_count ? "]" : "");
            pst_out_str(job->out, ",\"failed\":true}\n");
        }
        return status;
    }
    if (!host->replace_end(host, v->replacement, true, job->convert.backup))
        return complain(job, job->name, host->reason);
    print_done(v);
    return PST_FINE;
}

int pst_cli_convert(pst_job *job)
{
    conversion v;
    int status;
    memset(&v, 0, sizeof v);
    v.job = job;
    job->counts.files++;
    v.notes = job->convert.in_place ? job->out : job->err;
    status = choose_target(&v);
    if (status != PST_FINE)
        return status;
    return job->convert.in_place ? convert_in_place(&v) : convert(&v);
}
