/* pst_inspect.c - what the commands share: errors as sentences, leaves as text. */
#include "pst_inspect.h"
#include "pst_place.h"

const char *pst_marker_name(unsigned marker)
{
    static const char *const names[] = {
#define PST_TAG_NAME(value, name, minor) #name,
        PST_TAG_LIST(PST_TAG_NAME)
#undef PST_TAG_NAME
    };
    return marker < PST_TAG_COUNT ? names[marker] : "?";
}

/* Markers that a newer Storable may know. */
static void print_marker_problem(pst_out *o, const pst_walk *w)
{
    const pst_error *e = &w->r.error;
    if (e->have >= PST_TAG_COUNT && w->r.header.minor > PST_MINOR_READ) {
        pst_out_str(o, "needs a newer Storable: marker ");
        pst_out_u64(o, e->have);
        pst_out_str(o, " of format 2.");
        pst_out_u64(o, w->r.header.minor);
        return;
    }
    pst_out_str(o, e->have < PST_TAG_COUNT ? "misplaced marker " : "unknown marker ");
    pst_out_u64(o, e->have);
    if (e->have < PST_TAG_COUNT) {
        pst_out_str(o, " (");
        pst_out_str(o, pst_marker_name((unsigned)e->have));
        pst_out_char(o, ')');
    }
}

static void print_two(pst_out *o, const char *text, uint64_t have, const char *between, uint64_t want)
{
    pst_out_str(o, text);
    pst_out_u64(o, have);
    pst_out_str(o, between);
    pst_out_u64(o, want);
}

static void print_what_it_is(pst_out *o, const pst_source *source)
{
    const char *what = pst_sniff(source);
    pst_out_str(o, "not a Storable image");
    if (what) {
        pst_out_str(o, ", but ");
        pst_out_str(o, what);
    }
}

static void print_problem(pst_out *o, const pst_walk *w)
{
    const pst_error *e = &w->r.error;
    const pst_header *h = &w->r.header;
    switch (e->code) {
    case PST_ERR_TRUNCATED:
        pst_out_str(o, w->window.source->len ? "the image is cut off" : "empty");
        break;
    case PST_ERR_NOT_STORABLE: print_what_it_is(o, w->window.source); break;
    case PST_ERR_MAJOR:        print_two(o, "needs a newer Storable: format ", h->major, ".", h->minor); break;
    case PST_ERR_BYTE_ORDER:
        pst_out_str(o, "byte order ");
        pst_out_quoted(o, (const uint8_t *)h->order, h->order_len < 8 ? h->order_len : 8, false, 8);
        pst_out_str(o, " is none that is known");
        break;
    case PST_ERR_INT_SIZE:     print_two(o, "an int of ", h->int_size, " bytes, where only 4 is known, not ", h->int_size); break;
    case PST_ERR_LONG_SIZE:    print_two(o, "a long of ", h->long_size, " bytes is not 4 or ", 8); break;
    case PST_ERR_PTR_SIZE:     print_two(o, "a pointer of ", h->ptr_size, " bytes is not 4 or ", 8); break;
    case PST_ERR_NV_SIZE:      print_two(o, "a float of ", h->nv_size, " bytes is not 8, 12 or ", 16); break;
    case PST_ERR_MARKER:       print_marker_problem(o, w); break;
    case PST_ERR_TAG:          print_two(o, "object #", e->have, " is named, there are ", e->want); break;
    case PST_ERR_CLASS_INDEX:  print_two(o, "class #", e->have, " is named, there are ", e->want); break;
    case PST_ERR_CLASS_LENGTH:
    case PST_ERR_LENGTH:       print_two(o, "a length of ", e->have, " bytes, the most is ", e->want); break;
    case PST_ERR_NO_EQUIVALENT:
        pst_out_str(o, pst_marker_name((unsigned)e->have));
        pst_out_str(o, " has no equivalent in format 2.");
        pst_out_u64(o, e->want);
        break;
    case PST_ERR_MEMORY:       pst_out_str(o, "out of memory"); break;
    default:                   pst_out_str(o, pst_error_name(e->code)); break;
    }
}

void pst_problem(pst_out *o, const pst_walk *w)
{
    print_problem(o, w);
    if (w->r.error.code == PST_ERR_NOT_STORABLE || !w->window.source->len)
        return;
    pst_out_str(o, " (byte ");
    pst_out_u64(o, w->r.error.offset);
    if (w->depth) {
        pst_out_str(o, ", at ");
        pst_print_place(o, w, w->depth, false);
    }
    pst_out_char(o, ')');
}

int pst_job_problem(pst_job *job, const pst_walk *w)
{
    pst_out_str(job->err, job->name);
    pst_out_str(job->err, ": ");
    pst_problem(job->err, w);
    pst_out_char(job->err, '\n');
    return w->r.error.code == PST_ERR_MEMORY ? PST_TROUBLE : PST_FINDINGS;
}

void pst_json_path(pst_out *o, const pst_walk *w, size_t depth, bool scalar)
{
    pst_out_char(o, '"');
    o->in_json = true;
    pst_print_place(o, w, depth, scalar);
    o->in_json = false;
    pst_out_char(o, '"');
}

bool pst_token_double(const pst_walk *w, const pst_token *t, double *v)
{
    if (t->len != 8 && t->len != 12 && t->len != 16)
        return false;
    *v = pst_reader_double(&w->r, t);
    return true;
}

static void print_double(pst_out *o, const pst_walk *w, const pst_token *t, bool json)
{
    double v;
    char text[PST_NUMFMT_MAX];
    size_t len;
    bool quoted;
    if (!pst_token_double(w, t, &v)) {
        pst_out_str(o, json ? "\"0x" : "0x");
        pst_out_hex(o, t->bytes, (size_t)t->len);
        pst_out_str(o, json ? "\"" : "");
        return;
    }
    len = pst_format_double(text, v, PST_DIGITS_PERL);
    quoted = json && (v != v || v - v != 0);           /* JSON has no name for NaN and Inf */
    if (quoted)
        pst_out_char(o, '"');
    pst_out_bytes(o, text, len);
    if (quoted)
        pst_out_char(o, '"');
}

void pst_print_leaf(pst_out *o, const pst_walk *w, const pst_token *t)
{
    switch (t->marker) {
    case PST_INTEGER: pst_out_i64(o, t->iv); break;
    case PST_DOUBLE:  print_double(o, w, t, false); break;
    case PST_SCALAR:  pst_out_quoted(o, t->bytes, t->len, false, 200); break;
    case PST_UTF8STR: pst_out_quoted(o, t->bytes, t->len, true, 200); break;
    default: break;
    }
}

void pst_print_json_leaf(pst_out *o, const pst_walk *w, const pst_token *t)
{
    switch (t->marker) {
    case PST_INTEGER:       pst_out_i64(o, t->iv); break;
    case PST_DOUBLE:        print_double(o, w, t, true); break;
    case PST_SCALAR:        pst_out_json(o, t->bytes, t->len, false); break;
    case PST_UTF8STR:       pst_out_json(o, t->bytes, t->len, true); break;
    case PST_SV_YES:
    case PST_BOOLEAN_TRUE:  pst_out_str(o, "true"); break;
    case PST_SV_NO:
    case PST_BOOLEAN_FALSE: pst_out_str(o, "false"); break;
    default:                pst_out_str(o, "null"); break;
    }
}
