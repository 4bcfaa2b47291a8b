/* pst_dump.c - the data as a tree.
 *
 * One line for each container, scalar and piece. What holds just one thing (references,
 * classes, ties) shares the line of that thing. With --json each object is one JSON object
 * in a list, with its path.
 */
#include "pst_inspect.h"
#include "pst_classes.h"
#include "pst_place.h"
#include "pst_shared.h"

typedef struct dump {
    pst_job    *job;
    pst_out    *o;
    pst_walk    w;
    pst_shared  shared;
    pst_classes classes;
    pst_steps   steps;
    size_t      from;        /* frames around what is shown */
    bool        found;       /* what --path names has been met */
    bool        inside;      /* it is being shown */
    bool        any;         /* JSON: something stands in the list */
    uint64_t    old_tag;
} dump;

/* Does the frame hold one thing only, on the same line? */
static bool is_inline(const pst_frame *f)
{
    return f->kind == PST_F_ONE || f->kind == PST_F_TIED_IDX || f->kind == PST_F_OLD;
}

/* Levels of the tree around `depth` frames: those that began lines. It is kept in
 * frames[].user, plus 1, so that it need not be counted each time. */
static uint64_t level_of(dump *d, size_t depth)
{
    pst_frame *f;
    if (depth <= d->from)
        return 0;
    f = &d->w.frames[depth - 1];
    if (!f->user) {
        size_t i = depth - 1;
        while (i > d->from && !d->w.frames[i - 1].user)
            i--;
        for (; i < depth; i++) {
            uint64_t before = i > d->from ? d->w.frames[i - 1].user - 1 : 0;
            d->w.frames[i].user = 1 + before + !is_inline(&d->w.frames[i]);
        }
    }
    return f->user - 1;
}

static void new_line(dump *d, size_t depth)
{
    const uint64_t deep = 60;
    uint64_t at;
    if (d->any)
        pst_out_char(d->o, '\n');
    d->any = true;
    at = level_of(d, depth);
    pst_out_spaces(d->o, 2 * (at < deep ? at : deep));
    if (at > deep) {                 /* else a deep image would be spaces for the most part */
        pst_out_char(d->o, '<');
        pst_out_u64(d->o, at);
        pst_out_str(d->o, "> ");
    }
}

/* Which child this is: [3], {key}. */
static void label(dump *d, const pst_frame *f)
{
    pst_out *o = d->o;
    pst_out_color(o, PST_KEY_COLOR);
    if (f->kind == PST_F_ARRAY) {
        pst_out_char(o, '[');
        pst_out_u64(o, f->at);
        pst_out_char(o, ']');
    }
    else if (f->kind == PST_F_HASH) {
        if (pst_frame_at_key(f))
            pst_out_str(o, "<key>");
        else if (f->key_state == PST_KEY_BYTES)
            pst_print_key(o, pst_walk_key(&d->w, f), f->of.key_len, (f->key_flags & PST_KEY_UTF8) != 0);
        else
            pst_out_str(o, "{?}");
    }
    else if (f->kind == PST_F_TIED_KEY)
        pst_out_str(o, f->at ? "<key>" : "<tied>");
    else
        pst_out_str(o, pst_frame_at_tie(f) ? "<tied>" : "<object>");
    pst_out_color(o, PST_PLAIN);
    pst_out_char(o, ' ');
    if (f->kind == PST_F_HASH && f->key_state == PST_KEY_BYTES && f->marker == PST_FLAG_HASH) {
        static const char *const flags[] = { "utf8", "was-utf8", "locked", "object", "placeholder" };
        unsigned i;
        for (i = 0; i < 5; i++)
            if (f->key_flags >> i & 1) {
                pst_out_str(o, flags[i]);
                pst_out_char(o, ' ');
            }
    }
}

/* Go to the line on which the object at `depth` is shown. */
static void place(dump *d, size_t depth)
{
    const pst_frame *f = depth > d->from ? &d->w.frames[depth - 1] : NULL;
    if (f && is_inline(f)) {
        pst_out_char(d->o, ' ');
        return;
    }
    new_line(d, depth);
    if (f)
        label(d, f);
}

static void class_name(dump *d, uint64_t number)
{
    size_t len = 0;
    const uint8_t *name = pst_classes_name(&d->classes, number, &len);
    pst_out_color(d->o, PST_CLASS_COLOR);
    pst_out_quoted(d->o, name ? name : (const uint8_t *)"?", name ? len : 1, false, 200);
    pst_out_color(d->o, PST_PLAIN);
}

static void print_tag(dump *d, uint64_t tag, uint64_t known_as)
{
    if (tag == PST_NO_TAG)
        return;
    pst_out_color(d->o, PST_DIM_COLOR);
    pst_out_str(d->o, " #");
    pst_out_u64(d->o, tag);
    pst_out_color(d->o, PST_PLAIN);
    if (pst_shared_is(&d->shared, known_as))
        pst_out_str(d->o, " shared");
}

static void marker(dump *d, const pst_token *t)
{
    pst_out_color(d->o, PST_MARKER_COLOR);
    pst_out_str(d->o, pst_marker_name(t->wire == PST_LOBJECT ? t->marker : t->wire));
    if (t->wire == PST_LOBJECT)
        pst_out_str(d->o, " (LOBJECT)");
    pst_out_color(d->o, PST_PLAIN);
}

/* What the fixed part says. */
static void details(dump *d, const pst_event *ev)
{
    pst_out *o = d->o;
    const pst_token *t = &ev->token;
    switch (t->marker) {
    case PST_OBJECT: {
        uint64_t tag = d->w.tagged ? d->old_tag : t->len;
        pst_out_str(o, " #");
        pst_out_u64(o, tag);
        pst_out_str(o, " = ");
        pst_shared_path(&d->shared, o, tag);
        break;
    }
    case PST_ARRAY:
        pst_out_char(o, ' ');
        pst_out_count(o, t->len, "item");
        break;
    case PST_HASH:
    case PST_FLAG_HASH:
        pst_out_char(o, ' ');
        pst_out_count(o, t->len, "key");
        if (t->marker == PST_FLAG_HASH && (t->flags & PST_HASH_RESTRICTED))
            pst_out_str(o, " restricted");
        break;
    case PST_BLESS:
        pst_out_char(o, ' ');
        class_name(d, d->w.class_count - 1);
        break;
    case PST_IX_BLESS:
        pst_out_char(o, ' ');
        class_name(d, t->len);
        break;
    case PST_VSTRING:
    case PST_REGEXP:
        pst_out_char(o, ' ');
        pst_out_quoted(o, t->bytes, t->len, false, 200);
        break;
    case PST_WEAKREF:
    case PST_WEAKOVERLOAD:
        pst_out_str(o, " weak");
        break;
    case PST_INTEGER: case PST_DOUBLE: case PST_SCALAR: case PST_UTF8STR:
        pst_out_char(o, ' ');
        pst_out_color(o, PST_VALUE_COLOR);
        pst_print_leaf(o, &d->w, t);
        pst_out_color(o, PST_PLAIN);
        break;
    default: break;
    }
}

/* A piece of a hook record on a line of its own. */
static void hook_piece(dump *d, const pst_event *ev)
{
    pst_out *o = d->o;
    const pst_token *t = &ev->token;
    const pst_frame *f = &d->w.frames[ev->depth - 1];
    switch (ev->kind) {
    case PST_EV_HOOK_CLASS:
        new_line(d, ev->depth);
        pst_out_str(o, "class ");
        class_name(d, f->of.class_number);
        break;
    case PST_EV_HOOK_STRING:
        new_line(d, ev->depth);
        pst_out_str(o, "string ");
        pst_out_color(o, PST_VALUE_COLOR);
        pst_out_quoted(o, t->bytes, t->len, false, 200);
        pst_out_color(o, PST_PLAIN);
        break;
    case PST_EV_HOOK_TAG:
        new_line(d, ev->depth);
        pst_out_str(o, "reference to #");
        pst_out_u64(o, t->len);
        pst_out_str(o, " = ");
        pst_shared_path(&d->shared, o, t->len);
        break;
    default: break;
    }
}

/* The parts of an event that are shown. */
static void show_text(dump *d, const pst_event *ev)
{
    pst_out *o = d->o;
    switch (ev->kind) {
    case PST_EV_OLD:
        d->old_tag = ev->token.len;
        place(d, ev->depth);
        if (d->w.tagged) {
            pst_out_str(o, "old tag ");
            pst_out_u64(o, ev->token.len);
        }
        break;
    case PST_EV_MISSING:
        place(d, ev->depth);
        pst_out_str(o, "missing");
        break;
    case PST_EV_NOTICE:
        pst_out_str(o, " blessed ");
        class_name(d, d->w.class_count - 1);
        break;
    case PST_EV_BEGIN:
        place(d, ev->depth);
        marker(d, &ev->token);
        details(d, ev);
        print_tag(d, ev->tag, d->w.tagged ? d->old_tag : ev->tag);
        break;
    case PST_EV_INDEX:
        pst_out_str(o, " index ");
        pst_out_i64(o, ev->token.iv);
        break;
    case PST_EV_REGEXP_FLAGS:
        pst_out_str(o, " flags ");
        pst_out_quoted(o, ev->token.bytes, ev->token.len, false, 200);
        break;
    default:
        hook_piece(d, ev);
    }
}

static void json_class(dump *d, uint64_t number)
{
    size_t len = 0;
    const uint8_t *name = pst_classes_name(&d->classes, number, &len);
    pst_out_str(d->o, ",\"class\":");
    pst_out_json(d->o, name ? name : (const uint8_t *)"?", name ? len : 1, false);
}

static void json_value(dump *d, const pst_event *ev)
{
    pst_out *o = d->o;
    const pst_token *t = &ev->token;
    switch (t->marker) {
    case PST_ARRAY: case PST_HASH: case PST_FLAG_HASH:
        pst_out_str(o, ",\"count\":");
        pst_out_u64(o, t->len);
        if (t->marker == PST_FLAG_HASH && (t->flags & PST_HASH_RESTRICTED))
            pst_out_str(o, ",\"restricted\":true");
        break;
    case PST_OBJECT:
        pst_out_str(o, ",\"of\":\"");
        o->in_json = true;
        pst_shared_path(&d->shared, o, d->w.tagged ? d->old_tag : t->len);
        o->in_json = false;
        pst_out_char(o, '"');
        break;
    case PST_BLESS:    json_class(d, d->w.class_count - 1); break;
    case PST_IX_BLESS: json_class(d, t->len); break;
    case PST_VSTRING: case PST_REGEXP:
        pst_out_str(o, ",\"value\":");
        pst_out_json(o, t->bytes, t->len, false);
        break;
    default:
        if (ev->leaf) {
            pst_out_str(o, ",\"value\":");
            pst_print_json_leaf(o, &d->w, t);
        }
    }
}

static void show_json(dump *d, const pst_event *ev)
{
    pst_out *o = d->o;
    if (ev->kind == PST_EV_OLD)
        d->old_tag = ev->token.len;
    if (ev->kind != PST_EV_BEGIN && ev->kind != PST_EV_NOTICE && ev->kind != PST_EV_HOOK_CLASS)
        return;
    pst_out_str(o, d->any ? ",\n{\"path\":" : "[{\"path\":");
    d->any = true;
    pst_json_path(o, &d->w, ev->depth, ev->leaf);
    pst_out_str(o, ",\"offset\":");
    pst_out_u64(o, ev->off);
    if (ev->kind == PST_EV_BEGIN) {
        pst_out_str(o, ",\"marker\":");
        pst_out_json_str(o, pst_marker_name(ev->token.wire == PST_LOBJECT ? ev->token.marker : ev->token.wire));
        if (ev->tag != PST_NO_TAG) {
            pst_out_str(o, ",\"tag\":");
            pst_out_u64(o, ev->tag);
            if (pst_shared_is(&d->shared, d->w.tagged ? d->old_tag : ev->tag))
                pst_out_str(o, ",\"shared\":true");
        }
        json_value(d, ev);
    }
    else
        json_class(d, d->w.frames[ev->depth - 1].of.class_number);
    pst_out_char(o, '}');
}

/* Is the object that begins, or the piece, among what is to be shown? */
static bool is_wanted(dump *d, const pst_event *ev)
{
    bool begins = ev->kind == PST_EV_BEGIN || ev->kind == PST_EV_OLD || ev->kind == PST_EV_MISSING;
    if (!d->inside && begins && !d->found && ev->depth == d->from) {
        if (!ev->depth || pst_steps_match(&d->steps, &d->w, &d->w.frames[ev->depth - 1])) {
            if (pst_steps_done(&d->steps))
                d->inside = d->found = true;
            else if (!ev->leaf)
                d->from = ev->depth + 1;
        }
    }
    return d->inside && ev->depth >= d->from && level_of(d, ev->depth) <= d->job->max_depth;
}

static bool event(dump *d, const pst_event *ev)
{
    bool wanted;
    if (!pst_classes_see(&d->classes, ev))
        return false;
    wanted = is_wanted(d, ev);
    if (wanted && ev->kind != PST_EV_MARK && ev->kind != PST_EV_END) {
        if (d->job->json)
            show_json(d, ev);
        else
            show_text(d, ev);
    }
    if (d->inside && ev->depth == d->from && (ev->kind == PST_EV_END || ev->leaf))
        d->inside = false;
    return true;
}

static int walk(dump *d)
{
    pst_event ev;
    bool fine = true;
    ev.leaf = false;
    while (fine && pst_walk_next(&d->w, &ev)) {
        if (ev.kind != PST_EV_BEGIN)
            ev.leaf = false;
        fine = event(d, &ev);
        if (d->o->failed || (d->found && !d->inside && d->job->path))
            break;
    }
    if (d->any)
        pst_out_str(d->o, d->job->json ? "]\n" : "\n");
    if (!fine)
        return PST_TROUBLE;
    if (d->w.r.error.code != PST_OK)
        return pst_job_problem(d->job, &d->w);
    if (!d->found && !d->o->failed) {
        pst_out_str(d->job->err, d->job->name);
        pst_out_str(d->job->err, ": nothing stands at ");
        pst_out_str(d->job->err, d->job->path);
        pst_out_char(d->job->err, '\n');
        return PST_FINDINGS;
    }
    return PST_FINE;
}

int pst_dump(pst_job *job)
{
    dump d;
    int status = PST_TROUBLE;
    memset(&d, 0, sizeof d);
    d.job = job;
    d.o = job->out;
    (void)pst_steps_init(&d.steps, job->path ? job->path : "$");
    pst_shared_init(&d.shared, job->memory);
    pst_classes_init(&d.classes, job->memory);
    if (!pst_walk_init(&d.w, job->source, job->memory, true))
        status = pst_job_problem(job, &d.w);
    else if (pst_shared_build(&d.shared, job->source)) {
        d.w.quiet_keys = true;
        status = walk(&d);
    }
    pst_shared_release(&d.shared);
    pst_classes_release(&d.classes);
    pst_walk_release(&d.w);
    return status;
}
