/* pst_explain.c - what every byte of an image means, and what the other order would change. */
#include "pst_inspect.h"
#include "pst_classes.h"
#include "pst_other_order.h"
#include "pst_place.h"

enum { ROW = 12, MEANING = 40 };     /* bytes in a row; columns of the meaning */

/* Rows of the summary beyond the markers. */
enum { SUM_HEADER = PST_TAG_COUNT, SUM_KEYS, SUM_HOOK_PARTS, SUM_OTHER, SUM_COUNT };

typedef struct explain {
    pst_job        *job;
    pst_out        *o;
    pst_walk        w;
    pst_classes     classes;
    pst_other_order other;
    bool            any;                  /* JSON: something stands in the list */
    uint64_t        counts[SUM_COUNT], bytes[SUM_COUNT];
    uint64_t        old_tag;
} explain;

/* ---- rows -------------------------------------------------------------------------------- */

/* Where the meaning's text goes: its length must be known before the path. */
typedef struct meaning { char text[400]; size_t len; } meaning;

static void say(meaning *m, const char *text)
{
    size_t len = strlen(text);
    if (len > sizeof m->text - m->len)
        len = sizeof m->text - m->len;
    memcpy(m->text + m->len, text, len);
    m->len += len;
}

static void say_u64(meaning *m, uint64_t v)
{
    char text[PST_NUMFMT_MAX];
    text[pst_format_u64(text, v)] = '\0';
    say(m, text);
}

static void say_i64(meaning *m, int64_t v)
{
    char text[PST_NUMFMT_MAX];
    text[pst_format_i64(text, v)] = '\0';
    say(m, text);
}

static void say_count(meaning *m, uint64_t count, const char *what)
{
    say_u64(m, count);
    say(m, " ");
    say(m, what);
    say(m, count == 1 ? "" : "s");
}

/* A pst_out that writes into a meaning, for what knows only outputs. */
static bool to_meaning(void *host, const void *bytes, size_t len)
{
    meaning *m = (meaning *)host;
    if (len > sizeof m->text - m->len)
        len = sizeof m->text - m->len;
    memcpy(m->text + m->len, bytes, len);
    m->len += len;
    return true;
}

/* A string in quotes, cut to what a line holds. */
static void say_quoted(meaning *m, const uint8_t *bytes, uint64_t len, bool utf8)
{
    pst_out o;
    pst_out_init(&o, to_meaning, m);
    pst_out_quoted(&o, bytes, len, utf8, MEANING);
    (void)pst_out_flush(&o);
}

/* The first row has the marker apart, and is filled up for the columns that follow. */
static void hex_row(pst_out *o, const uint8_t *p, size_t len, bool first)
{
    pst_out_hex(o, p, 1);
    pst_out_str(o, first ? " " : "");
    pst_out_hex(o, p + 1, len - 1);
    if (first)
        pst_out_spaces(o, 2 * (ROW - len) + 2);
}

static void offset(pst_out *o, uint64_t off)
{
    pst_out_color(o, PST_DIM_COLOR);
    pst_out_hex_u64(o, off, 8);
    pst_out_color(o, PST_PLAIN);
    pst_out_str(o, "  ");
}

/* Where the event's object stands. */
static void path(explain *x, const pst_event *ev)
{
    bool scalar = ev->kind == PST_EV_BEGIN && ev->leaf && ev->token.marker != PST_OBJECT;
    if (x->job->json)
        pst_json_path(x->o, &x->w, ev->depth, scalar);
    else
        pst_print_place(x->o, &x->w, ev->depth, scalar);
}

/* One event as rows of text. `ev` NULL: a part of the header. */
static void text_rows(explain *x, uint64_t off, const uint8_t *bytes, size_t len, const char *name,
                      const meaning *m, const pst_event *ev)
{
    pst_out *o = x->o;
    const size_t row_len = ROW;
    size_t at, name_len = strlen(name);
    offset(o, off);
    hex_row(o, bytes, len < row_len ? len : row_len, true);
    pst_out_color(o, PST_MARKER_COLOR);
    pst_out_str(o, name);
    pst_out_color(o, PST_PLAIN);
    pst_out_spaces(o, name_len < 13 ? 13 - name_len : 1);
    pst_out_bytes(o, m->text, m->len);
    if (ev) {
        pst_out_spaces(o, m->len < MEANING ? MEANING - m->len : 2);
        pst_out_color(o, PST_KEY_COLOR);
        path(x, ev);
        pst_out_color(o, PST_PLAIN);
    }
    pst_out_char(o, '\n');
    for (at = row_len; at < len && !o->failed; at += row_len) {
        offset(o, off + at);
        hex_row(o, bytes + at, len - at < row_len ? len - at : row_len, false);
        pst_out_char(o, '\n');
    }
}

static void json_row(explain *x, uint64_t off, const uint8_t *bytes, size_t len, const char *name,
                     const meaning *m, const pst_event *ev)
{
    pst_out *o = x->o;
    pst_out_str(o, x->any ? ",\n{\"offset\":" : "[{\"offset\":");
    x->any = true;
    pst_out_u64(o, off);
    pst_out_str(o, ",\"length\":");
    pst_out_u64(o, len);
    pst_out_str(o, ",\"bytes\":\"");
    pst_out_hex(o, bytes, len);
    pst_out_str(o, "\",\"marker\":");
    pst_out_json_str(o, name);
    pst_out_str(o, ",\"meaning\":");
    pst_out_json(o, (const uint8_t *)m->text, m->len, true);
    if (ev) {
        pst_out_str(o, ",\"path\":");
        path(x, ev);
    }
    pst_out_char(o, '}');
}

static void row(explain *x, uint64_t off, const uint8_t *bytes, size_t len, const char *name,
                const meaning *m, const pst_event *ev)
{
    if (!x->job->summary)
        (x->job->json ? json_row : text_rows)(x, off, bytes, len, name, m, ev);
}

/* ---- header ------------------------------------------------------------------------------ */

/* The next `len` bytes of the header. */
static void header_part(explain *x, uint64_t *off, size_t len, const char *what, uint64_t value, const char *unit)
{
    uint8_t bytes[16];
    meaning m;
    m.len = 0;
    say(&m, what);
    if (unit) {
        say_u64(&m, value);
        say(&m, unit);
    }
    len = pst_source_read(x->job->source, *off, bytes, len < sizeof bytes ? len : sizeof bytes);
    row(x, *off, bytes, len, "header", &m, NULL);
    *off += len;
}

static void header(explain *x)
{
    const pst_header *h = &x->w.r.header;
    uint64_t off = 0;
    if (h->file)
        header_part(x, &off, h->old_magic ? 10 : 4, "magic: an image in a file", 0, NULL);
    if (!h->unversioned)
        header_part(x, &off, 1, h->netorder ? "network order, format " : "native order, format ", h->major, "");
    else if (h->netorder)
        header_part(x, &off, 1, "network order", 0, NULL);
    if (h->major >= 2)
        header_part(x, &off, 1, "minor version ", h->minor, "");
    if (!h->netorder) {
        header_part(x, &off, 1u + h->order_len, h->order[0] == '1' ? "byte order: little-endian, integers of "
                    : "byte order: big-endian, integers of ", h->order_len, " bytes");
        header_part(x, &off, 1, "int has ", h->int_size, " bytes");
        header_part(x, &off, 1, "long has ", h->long_size, " bytes");
        header_part(x, &off, 1, "a pointer has ", h->ptr_size, " bytes");
        if (pst_header_has_nv(h))
            header_part(x, &off, 1, "a float has ", h->nv_size, " bytes");
    }
    x->counts[SUM_HEADER] = 1;
    x->bytes[SUM_HEADER] = off;
}

/* ---- events -------------------------------------------------------------------------------- */

static void say_class(explain *x, meaning *m, uint64_t number)
{
    size_t len = 0;
    const uint8_t *name = pst_classes_name(&x->classes, number, &len);
    say(m, "class #");
    say_u64(m, number);
    say(m, " ");
    say_quoted(m, name ? name : (const uint8_t *)"?", name ? len : 1, false);
}

static void say_leaf(explain *x, meaning *m, const pst_token *t)
{
    pst_out o;
    if (t->marker == PST_SCALAR || t->marker == PST_UTF8STR) {
        say_count(m, t->len, "byte");
        say(m, ": ");
        say_quoted(m, t->bytes, t->len, t->marker == PST_UTF8STR);
        return;
    }
    pst_out_init(&o, to_meaning, m);
    pst_print_leaf(&o, &x->w, t);
    (void)pst_out_flush(&o);
}

/* What the other order would make of it. */
static void say_change(const explain *x, meaning *m, const pst_event *ev, enum pst_change change)
{
    char text[PST_NUMFMT_MAX];
    double v;
    switch (change) {
    case PST_INTEGER_SIZE:
        say(m, ev->token.wire == PST_INTEGER ? " (network: NETINT)" : " (native: INTEGER)");
        break;
    case PST_INTEGER_TO_TEXT: say(m, " (network: a string)"); break;
    case PST_DOUBLE_TO_TEXT:
    case PST_DOUBLE_LOSES:
        if (!pst_token_double(&x->w, &ev->token, &v))
            break;
        text[pst_format_double(text, v, PST_DIGITS_PERL)] = '\0';
        say(m, " (network: \"");
        say(m, text);
        say(m, change == PST_DOUBLE_LOSES ? "\", loses digits)" : "\")");
        break;
    default: break;
    }
}

/* The fixed part of an object. flat switch */
static void say_object(explain *x, meaning *m, const pst_event *ev)
{
    const pst_token *t = &ev->token;
    switch (t->marker) {
    case PST_OBJECT:
        say(m, "object #");
        say_u64(m, x->w.tagged ? x->old_tag : t->len);
        say(m, " again");
        break;
    case PST_ARRAY:     say_count(m, t->len, "item"); break;
    case PST_HASH:      say_count(m, t->len, "key"); break;
    case PST_FLAG_HASH:
        say_count(m, t->len, "key");
        say(m, ", hash flags ");
        say_u64(m, t->flags);
        break;
    case PST_BLESS:     say_class(x, m, x->w.class_count - 1); break;
    case PST_IX_BLESS:  say_class(x, m, t->len); break;
    case PST_VSTRING:   say_quoted(m, t->bytes, t->len, false); break;
    case PST_REGEXP:
        say(m, "pattern ");
        say_quoted(m, t->bytes, t->len, false);
        break;
    case PST_REF:       say(m, "a reference"); break;
    case PST_OVERLOAD:  say(m, "a reference to something overloaded"); break;
    case PST_WEAKREF:   say(m, "a weak reference"); break;
    case PST_WEAKOVERLOAD: say(m, "a weak reference to something overloaded"); break;
    case PST_UNDEF:     say(m, "undef"); break;
    case PST_SV_UNDEF:  say(m, "perl's own undef: a hole in an array"); break;
    case PST_SVUNDEF_ELEM: say(m, "perl's own undef as an array item"); break;
    case PST_SV_YES:    say(m, "perl's own true"); break;
    case PST_SV_NO:     say(m, "perl's own false"); break;
    case PST_BOOLEAN_TRUE:  say(m, "true"); break;
    case PST_BOOLEAN_FALSE: say(m, "false"); break;
    case PST_HOOK:      say(m, "an object with a hook"); break;
    case PST_CODE:      say(m, "the source of a sub"); break;
    case PST_TIED_ARRAY: case PST_TIED_HASH: case PST_TIED_SCALAR: case PST_TIED_KEY: case PST_TIED_IDX:
        say(m, "what is behind a tie");
        break;
    default:            say_leaf(x, m, t); break;
    }
}

static void say_hook(explain *x, meaning *m, const pst_event *ev)
{
    const pst_token *t = &ev->token;
    const pst_frame *f = &x->w.frames[ev->depth - 1];
    static const char *const kinds[] = { "scalar", "array", "hash", "tied" };
    switch (ev->kind) {
    case PST_EV_HOOK_FLAGS:
        say(m, kinds[f->hook.flags & PST_HOOK_KIND]);
        say(m, f->hook.flags & PST_HOOK_INDEXED ? ", class by number" : ", class by name");
        say(m, f->hook.flags & PST_HOOK_HAS_LIST ? ", with a list" : "");
        say(m, f->hook.flags & PST_HOOK_RECURSE ? ", an object comes first" : "");
        break;
    case PST_EV_HOOK_CLASS: say_class(x, m, f->of.class_number); break;
    case PST_EV_HOOK_STRING:
        say_count(m, t->len, "byte");
        say(m, ": ");
        say_quoted(m, t->bytes, t->len, false);
        break;
    case PST_EV_HOOK_COUNT:
        say(m, "list of ");
        say_count(m, t->len, "reference");
        break;
    default:
        say(m, "object #");
        say_u64(m, t->len);
        break;
    }
}

/* Marks and notices of old formats. */
static const char *say_old(explain *x, meaning *m, const pst_event *ev)
{
    switch (ev->kind) {
    case PST_EV_OLD:
        x->old_tag = ev->token.len;
        say(m, "object #");
        say_u64(m, ev->token.len);
        return "old tag";
    case PST_EV_MARK:    say(m, "it is there"); return "mark";
    case PST_EV_MISSING: say(m, "it is missing"); return "mark";
    case PST_EV_NOTICE:  say_class(x, m, x->w.class_count - 1); return "class";
    default:             say(m, "end of the object"); return "mark";
    }
}

/* The name in the third column; the meaning. */
static const char *explain_event(explain *x, meaning *m, const pst_event *ev, size_t *sum)
{
    const pst_token *t = &ev->token;
    *sum = SUM_OTHER;
    switch (ev->kind) {
    case PST_EV_BEGIN:
        say_object(x, m, ev);
        if (t->wire == PST_LOBJECT)
            say(m, " (LOBJECT: 8 bytes of length)");
        *sum = t->wire == PST_LOBJECT ? t->marker : t->wire;
        return pst_marker_name((unsigned)*sum);
    case PST_EV_KEY:
        say_quoted(m, t->bytes, t->flags & PST_KEY_ISSV ? 0 : t->len, (t->flags & PST_KEY_UTF8) != 0);
        if (t->flags) {
            say(m, ", key flags ");
            say_u64(m, t->flags);
        }
        *sum = SUM_KEYS;
        return "key";
    case PST_EV_INDEX:        say_i64(m, t->iv); return "index";
    case PST_EV_REGEXP_FLAGS: say_quoted(m, t->bytes, t->len, false); return "flags";
    case PST_EV_HOOK_FLAGS:   *sum = SUM_HOOK_PARTS; say_hook(x, m, ev); return "hook flags";
    case PST_EV_HOOK_CLASS:   *sum = SUM_HOOK_PARTS; say_hook(x, m, ev); return "hook class";
    case PST_EV_HOOK_STRING:  *sum = SUM_HOOK_PARTS; say_hook(x, m, ev); return "hook string";
    case PST_EV_HOOK_COUNT:
    case PST_EV_HOOK_TAG:     *sum = SUM_HOOK_PARTS; say_hook(x, m, ev); return "hook list";
    default:                  return say_old(x, m, ev);
    }
}

static bool event(explain *x, pst_event *ev)
{
    meaning m;
    size_t sum;
    const char *name;
    enum pst_change change;
    bool begins = ev->kind == PST_EV_BEGIN || ev->kind == PST_EV_OLD || ev->kind == PST_EV_MARK
               || ev->kind == PST_EV_MISSING || ev->kind == PST_EV_END;
    if (!pst_classes_see(&x->classes, ev))
        return false;
    if (ev->end == ev->off)
        return true;
    m.len = 0;
    name = explain_event(x, &m, ev, &sum);
    change = pst_other_order_see(&x->other, &x->w, ev);
    say_change(x, &m, ev, change);
    x->counts[sum]++;
    x->bytes[sum] += ev->end - ev->off;
    ev->depth -= !begins;                     /* a piece belongs to the object around it */
    row(x, ev->off, pst_event_bytes(&x->w, ev), (size_t)(ev->end - ev->off), name, &m, ev);
    return true;
}

/* ---- behind it all ------------------------------------------------------------------------------ */

static const char *sum_name(size_t i)
{
    static const char *const others[] = { "header", "keys", "parts of hooks", "other parts" };
    return i < PST_TAG_COUNT ? pst_marker_name((unsigned)i) : others[i - PST_TAG_COUNT];
}

static void print_right(pst_out *o, uint64_t v, size_t width)
{
    char text[PST_NUMFMT_MAX];
    size_t len = pst_format_u64(text, v);
    pst_out_spaces(o, len < width ? width - len : 0);
    pst_out_bytes(o, text, len);
}

static void print_sums(explain *x)
{
    pst_out *o = x->o;
    size_t i;
    pst_out_str(o, "                     count        bytes\n");
    for (i = 0; i < SUM_COUNT; i++) {
        size_t len = strlen(sum_name(i));
        if (!x->counts[i])
            continue;
        pst_out_str(o, sum_name(i));
        pst_out_spaces(o, 16 - len);
        print_right(o, x->counts[i], 10);
        print_right(o, x->bytes[i], 13);
        pst_out_char(o, '\n');
    }
}

static void json_sums(explain *x)
{
    pst_out *o = x->o;
    bool any = false;
    size_t i;
    pst_out_str(o, "{\"markers\":{");
    for (i = 0; i < SUM_COUNT; i++) {
        if (!x->counts[i])
            continue;
        pst_out_str(o, any ? "," : "");
        any = true;
        pst_out_json_str(o, sum_name(i));
        pst_out_str(o, ":{\"count\":");
        pst_out_u64(o, x->counts[i]);
        pst_out_str(o, ",\"bytes\":");
        pst_out_u64(o, x->bytes[i]);
        pst_out_char(o, '}');
    }
    pst_out_str(o, "}");
}

/* One kind of change. */
static void change_line(explain *x, uint64_t count, const char *what, const char *key)
{
    pst_out *o = x->o;
    if (x->job->json) {
        pst_out_str(o, ",\"");
        pst_out_str(o, key);
        pst_out_str(o, "\":");
        pst_out_u64(o, count);
    }
    else if (count) {
        pst_out_str(o, "  ");
        pst_out_u64(o, count);
        pst_out_str(o, what);
    }
}

static void other_order(explain *x, uint64_t len)
{
    pst_out *o = x->o;
    const pst_other_order *c = &x->other;
    int64_t change = c->header_change + c->body_change;
    if (x->job->json)
        pst_out_str(o, c->to_network ? "{\"order\":\"network\",\"bytes\":" : "{\"order\":\"native\",\"bytes\":");
    else
        pst_out_str(o, c->to_network ? "In network order: " : "In this machine's native order: ");
    if (x->job->json)
        pst_out_u64(o, (uint64_t)((int64_t)len + change));
    else {
        pst_out_count(o, (uint64_t)((int64_t)len + change), "byte");
        pst_out_str(o, change > 0 ? ", +" : ", ");
        pst_out_i64(o, change);
        pst_out_str(o, "; the header ");
        pst_out_str(o, c->header_change > 0 ? "+" : "");
        pst_out_i64(o, c->header_change);
        pst_out_char(o, '\n');
    }
    change_line(x, c->shorter_integers, c->to_network ? " x INTEGER becomes NETINT\n" : " x NETINT becomes INTEGER\n",
                "resized_integers");
    change_line(x, c->text_integers, " x INTEGER becomes a decimal string\n", "integers_to_strings");
    change_line(x, c->text_doubles, " x DOUBLE becomes a decimal string\n", "doubles_to_strings");
    change_line(x, c->lost_doubles, " of these lose digits\n", "doubles_losing_digits");
    if (x->job->json)
        pst_out_char(o, '}');
}

static void trailing(explain *x)
{
    uint64_t off = pst_walk_off(&x->w), len = x->job->source->len;
    uint8_t bytes[256];
    size_t n;
    meaning m;
    m.len = 0;
    say(&m, "behind the image");
    x->counts[SUM_OTHER] += off < len;
    x->bytes[SUM_OTHER] += len - off;
    while ((n = pst_source_read(x->job->source, off, bytes, sizeof bytes)) != 0) {
        row(x, off, bytes, n, "trailing", &m, NULL);
        off += n;
    }
}

static void finish(explain *x)
{
    bool now = x->w.done && !x->w.old;
    if (x->w.done)
        trailing(x);
    if (x->job->json && !x->job->summary) {
        pst_out_str(x->o, x->any ? "]\n" : "[]\n");
        return;
    }
    if (x->job->summary)
        (x->job->json ? json_sums : print_sums)(x);
    if (x->job->json)
        pst_out_str(x->o, now ? ",\"other_order\":" : "");
    if (!x->job->json)
        pst_out_str(x->o, now ? "\n" : "");
    if (now)
        other_order(x, pst_walk_off(&x->w));
    pst_out_str(x->o, x->job->json ? "}\n" : "");
}

int pst_explain(pst_job *job)
{
    const pst_memory *memory = job->memory;
    explain *x = (explain *)memory->resize(memory->host, NULL, sizeof *x);
    pst_event ev;
    int status = PST_FINE;
    bool fine = true;
    if (!x)
        return PST_TROUBLE;
    memset(x, 0, sizeof *x);
    x->job = job;
    x->o = job->out;
    pst_classes_init(&x->classes, memory);
    if (pst_walk_init(&x->w, job->source, memory, true)) {
        pst_other_order_init(&x->other, &x->w.r.header);
        header(x);
        while (fine && pst_walk_next(&x->w, &ev))
            fine = event(x, &ev) && !x->o->failed;
        if (fine)
            finish(x);
    }
    if (!fine)
        status = PST_TROUBLE;
    else if (x->w.r.error.code != PST_OK)
        status = pst_job_problem(job, &x->w);
    pst_classes_release(&x->classes);
    pst_walk_release(&x->w);
    pst_memory_free(memory, x);
    return status;
}
