/* pst_check.c - is an image well formed? If not, where and why. */
#include "pst_inspect.h"
#include "pst_place.h"

enum verdict { FINE, EMPTY, OTHER, CUT, DAMAGED, NEWER, TRAILING, PACKED };

/* Stable names, for programs. */
static const char *const verdicts[] = {
    "fine", "empty", "not_storable", "truncated", "damaged", "newer", "trailing", "unpack"
};

typedef struct check {
    pst_job  *job;
    pst_walk  w;
    uint64_t  newest_off;     /* where the marker stands that needs the newest Storable */
    uint8_t   newest;         /* 0: none that not every perl knows */
} check;

/* Could it be an image at all? Without a magic the first byte must be a version. */
static bool looks_like_one(const pst_source *source)
{
    uint8_t first = 0;
    if (pst_source_has_magic(source))
        return true;
    return pst_source_read(source, 0, &first, 1) == 1 && first >= 4 && first <= 7;
}

static enum verdict judge(check *c)
{
    const pst_source *source = c->job->source;
    const pst_error *e = &c->w.r.error;
    if (!source->len)
        return EMPTY;
    if (e->code == PST_OK)
        return pst_walk_off(&c->w) < source->len ? TRAILING : FINE;
    if (!looks_like_one(source))      /* an old image in memory would have been read */
        return OTHER;
    if (e->code == PST_ERR_MAJOR || (e->code == PST_ERR_MARKER && e->have >= PST_TAG_COUNT
                                     && c->w.r.header.minor > PST_MINOR_READ))
        return NEWER;
    return e->code == PST_ERR_TRUNCATED ? CUT : DAMAGED;
}

/* ---- what is said --------------------------------------------------------------------------- */

static void print_version(pst_out *o, const pst_header *h)
{
    pst_out_str(o, h->file ? "file image " : "image ");
    pst_out_u64(o, h->major);
    pst_out_char(o, '.');
    pst_out_u64(o, h->minor);
    pst_out_str(o, h->netorder ? ", network order" : ", native order ");
    pst_out_str(o, h->netorder ? "" : h->order);
}

/* The path of the marker that the walk is asked for. */
static void print_marker_place(pst_out *o, const check *c)
{
    pst_walk w;
    pst_event ev;
    if (pst_walk_init(&w, c->job->source, c->job->memory, true))
        while (pst_walk_next(&w, &ev))
            if (ev.off == c->newest_off && ev.kind == PST_EV_BEGIN) {
                pst_print_place(o, &w, ev.depth, ev.leaf);
                break;
            }
    pst_walk_release(&w);
}

static void print_fine(pst_out *o, const check *c)
{
    pst_out_str(o, "fine, ");
    print_version(o, &c->w.r.header);
    pst_out_str(o, ", ");
    pst_out_count(o, c->job->source->len, "byte");
    if (c->newest) {
        pst_out_str(o, "; needs Storable 3.27 (perl 5.38) because of ");
        pst_out_str(o, pst_marker_name(c->newest));
        pst_out_str(o, " at ");
        print_marker_place(o, c);
    }
}

/* What is wrong, where. The place needs keys, so the walk is made once more with them. */
static void print_problem(pst_out *o, const check *c)
{
    pst_walk w;
    pst_event ev;
    if (pst_walk_init(&w, c->job->source, c->job->memory, true))
        while (pst_walk_next(&w, &ev))
            ;
    pst_problem(o, &w);
    pst_walk_release(&w);
}

static void print_message(pst_out *o, const check *c, enum verdict v)
{
    const char *what;
    switch (v) {
    case FINE:   print_fine(o, c); break;
    case EMPTY:  pst_out_str(o, "empty"); break;
    case PACKED: pst_out_str(o, c->job->unpack_error); break;
    case OTHER:
        what = pst_sniff(c->job->source);
        pst_out_str(o, what ? "not a Storable image, but " : "not a Storable image");
        pst_out_str(o, what ? what : "");
        break;
    case TRAILING:
        pst_out_count(o, c->job->source->len - pst_walk_off(&c->w), "byte");
        pst_out_str(o, " behind the image, which ends at byte ");
        pst_out_u64(o, pst_walk_off(&c->w));
        break;
    default:     print_problem(o, c); break;
    }
    if (c->job->packed) {
        pst_out_str(o, " (in ");
        pst_out_str(o, c->job->packed);
        pst_out_char(o, ')');
    }
}

static bool to_json(void *host, const void *bytes, size_t len)
{
    pst_out_json_body((pst_out *)host, (const uint8_t *)bytes, len, true);
    return true;
}

static void print_json(const check *c, enum verdict v, pst_out *message)
{
    pst_out *o = c->job->out;
    const pst_header *h = &c->w.r.header;
    pst_out_str(o, c->job->counts.files > 1 ? ",\n{\"file\":" : "{\"file\":");
    pst_out_json_str(o, c->job->name);
    pst_out_str(o, ",\"verdict\":\"");
    pst_out_str(o, verdicts[v]);
    pst_out_str(o, "\",\"bytes\":");
    pst_out_u64(o, c->job->source->len);
    if (v != FINE && v != EMPTY && v != OTHER && v != PACKED) {
        pst_out_str(o, ",\"offset\":");
        pst_out_u64(o, v == TRAILING ? pst_walk_off(&c->w) : c->w.r.error.offset);
    }
    if (v != FINE && v != EMPTY && v != PACKED && c->w.r.error.code != PST_OK) {
        pst_out_str(o, ",\"error\":");
        pst_out_json_str(o, pst_error_name(c->w.r.error.code));
    }
    if (v == FINE || v == TRAILING) {
        pst_out_str(o, ",\"order\":");
        pst_out_json_str(o, h->netorder ? "network" : h->order);
        pst_out_str(o, ",\"major\":");
        pst_out_u64(o, h->major);
        pst_out_str(o, ",\"minor\":");
        pst_out_u64(o, h->minor);
    }
    pst_out_str(o, ",\"message\":\"");
    print_message(message, c, v);
    (void)pst_out_flush(message);
    pst_out_str(o, "\"}");
}

static int report(const check *c, enum verdict v)
{
    pst_job *job = c->job;
    pst_out *o = job->out, *message;
    bool note = v == OTHER && job->in_tree && !pst_sniff_is_mistake(job->source);
    job->counts.files++;
    *(v == FINE ? &job->counts.fine : note ? &job->counts.others : &job->counts.findings) += 1;
    if (job->json) {
        message = (pst_out *)job->memory->resize(job->memory->host, NULL, sizeof *message);
        if (!message)
            return PST_TROUBLE;
        pst_out_init(message, to_json, o);
        print_json(c, v, message);
        pst_memory_free(job->memory, message);
    }
    else {
        pst_out_str(o, job->name);
        pst_out_str(o, ": ");
        pst_out_color(o, v == FINE ? PST_GOOD_COLOR : note ? PST_DIM_COLOR : PST_BAD_COLOR);
        print_message(o, c, v);
        pst_out_color(o, PST_PLAIN);
        pst_out_char(o, '\n');
    }
    return v == FINE || note ? PST_FINE : PST_FINDINGS;
}

static int walk(check *c)
{
    pst_event ev;
    if (pst_walk_init(&c->w, c->job->source, c->job->memory, false))
        while (pst_walk_next(&c->w, &ev))
            if (!c->newest && ev.kind == PST_EV_BEGIN && ev.token.wire >= PST_BOOLEAN_TRUE) {
                c->newest = ev.token.wire;
                c->newest_off = ev.off;
            }
    return c->w.r.error.code == PST_ERR_MEMORY ? PST_TROUBLE : PST_FINE;
}

int pst_check(pst_job *job)
{
    check c;
    int status = PST_FINE;
    memset(&c, 0, sizeof c);
    c.job = job;
    if (job->unpack_error)
        return report(&c, PACKED);
    status = walk(&c);
    if (status == PST_FINE)
        status = report(&c, judge(&c));
    pst_walk_release(&c.w);
    return status;
}
