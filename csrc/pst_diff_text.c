/* pst_diff_text.c - what pst_diff() says: paths and values. */
#include "pst_diff.h"

/* ---- paths --------------------------------------------------------------------------------- */

bool pst_diff_append(void *host, const void *bytes, size_t len)
{
    pst_diff_text *t = (pst_diff_text *)host;
    char *more = (char *)pst_memory_array(t->memory, t->start, &t->room, t->len + len + 1, 1);
    if (!more)
        return false;
    t->start = more;
    memcpy(more + t->len, bytes, len);
    t->len += len;
    return true;
}

/* Paths are prefixes of paths: without a bound deep data would need the square of the depth. */
static void shorten(char *path, size_t *len)
{
    enum { HEAD = 1000, TAIL = 1000 };
    if (*len <= HEAD + TAIL + 3)
        return;
    memcpy(path + HEAD, "...", 3);
    memmove(path + HEAD + 3, path + *len - TAIL, TAIL);
    *len = HEAD + 3 + TAIL;
}

char *pst_diff_place(pst_diff_run *d, const pst_diff_level *l, const pst_diff_side *s, size_t depth, bool scalar,
                     size_t *len)
{
    pst_diff_text t = { NULL, NULL, 0, 0 };
    pst_out *o = (pst_out *)d->job->memory->resize(d->job->memory->host, NULL, sizeof *o);
    const pst_walk *w = &s->w;
    pst_place p;
    size_t i, root = 0;
    char *whole;
    t.memory = d->job->memory;
    if (!o)
        return NULL;
    pst_out_init(o, pst_diff_append, &t);
    pst_place_init(&p);
    p.referred = !w->fragment;
    for (i = 0; i < depth; i++)
        pst_place_add(&p, &w->frames[i], w->frames[i].key_state == PST_KEY_BYTES ? pst_walk_key(w, &w->frames[i]) : NULL);
    pst_place_print(&p, o, scalar);
    (void)pst_out_flush(o);
    pst_memory_free(d->job->memory, o);
    /* The first dollar that opens no dereference is the root. */
    while (root < t.len && !(t.start[root] == '$' && (root + 1 == t.len || t.start[root + 1] != '{')))
        root++;
    whole = (char *)d->job->memory->resize(d->job->memory->host, NULL, l->prefix_len + t.len + 1);
    if (whole && root < t.len) {
        size_t skip = root + 1;
        if (l->prefix_len > 1 && t.len - skip >= 2 && memcmp(t.start + skip, "->", 2) == 0)
            skip += 2;
        memcpy(whole, t.start, root);
        memcpy(whole + root, l->prefix, l->prefix_len);
        memcpy(whole + root + l->prefix_len, t.start + skip, t.len - skip);
        *len = root + l->prefix_len + t.len - skip;
    }
    pst_memory_free(d->job->memory, t.start);
    if (whole)
        shorten(whole, len);
    return whole;
}

char *pst_diff_value_path(pst_diff_run *d, const pst_diff_level *l, const pst_diff_entry *e, size_t *len)
{
    pst_diff_text t = { NULL, NULL, 0, 0 };
    pst_out *o = (pst_out *)d->job->memory->resize(d->job->memory->host, NULL, sizeof *o);
    t.memory = d->job->memory;
    if (!o)
        return NULL;
    pst_out_init(o, pst_diff_append, &t);
    pst_out_bytes(o, l->hash_prefix, l->hash_prefix_len);
    pst_out_str(o, l->hash_prefix_len == 1 || l->hash_prefix[l->hash_prefix_len - 1] == ')' ? "->" : "");
    pst_print_key(o, e->key, e->len, (e->flags & PST_KEY_UTF8) != 0);
    (void)pst_out_flush(o);
    pst_memory_free(d->job->memory, o);
    *len = t.len;
    if (t.start)
        shorten(t.start, len);
    return t.start;
}

/* ---- what is said ------------------------------------------------------------------------------ */

/* A value in few words. */
static void describe(pst_out *o, const pst_diff_image *m, const pst_diff_side *s)
{
    const pst_event *ev = &s->ev;
    const pst_token *t = &ev->token;
    size_t len = 0;
    const uint8_t *name;
    if (ev->kind == PST_EV_HOOK_STRING || ev->kind == PST_EV_REGEXP_FLAGS) {
        pst_out_quoted(o, t->bytes, t->len, false, 60);
        return;
    }
    if (ev->kind == PST_EV_HOOK_TAG || (ev->kind == PST_EV_BEGIN && t->marker == PST_OBJECT)) {
        pst_out_str(o, "the same as ");
        pst_shared_path(&m->shared, o, t->len);
        return;
    }
    if (ev->kind == PST_EV_HOOK_CLASS || t->marker == PST_BLESS || t->marker == PST_IX_BLESS) {
        name = t->bytes ? t->bytes : pst_classes_name(&m->classes, t->len, &len);
        pst_out_str(o, "class ");
        pst_out_quoted(o, name, t->bytes ? t->len : len, false, 60);
        return;
    }
    if (ev->kind == PST_EV_INDEX) {
        pst_out_i64(o, t->iv);
        return;
    }
    pst_out_str(o, ev->kind == PST_EV_MISSING ? "missing" : pst_marker_name(t->marker));
    if (t->marker == PST_ARRAY || t->marker == PST_HASH || t->marker == PST_FLAG_HASH) {
        pst_out_str(o, " of ");
        pst_out_u64(o, t->len);
    }
    else if (ev->leaf && (t->marker == PST_INTEGER || t->marker == PST_DOUBLE || t->marker == PST_SCALAR
                          || t->marker == PST_UTF8STR)) {
        pst_out_char(o, ' ');
        pst_print_leaf(o, &s->w, t);
    }
}

static void member(pst_diff_run *d, const char *name, const pst_diff_image *m, const pst_diff_side *s)
{
    pst_out *o = d->o;
    pst_out_str(o, name);
    if (!s) {
        pst_out_str(o, "null");
        return;
    }
    pst_out_char(o, '"');
    o->in_json = true;
    describe(o, m, s);
    o->in_json = false;
    pst_out_char(o, '"');
}

/* One difference at a path; a or b NULL: only the other has it. */
void pst_diff_report_at(pst_diff_run *d, const char *path, size_t len, const pst_diff_side *a, const pst_diff_side *b)
{
    pst_out *o = d->o;
    if (d->job->json) {
        pst_out_str(o, d->differences ? ",\n{\"path\":" : "{\"path\":");
        pst_out_json(o, (const uint8_t *)path, len, true);
        member(d, ",\"a\":", &d->a, a);
        member(d, ",\"b\":", &d->b, b);
        pst_out_char(o, '}');
    }
    else {
        pst_out_color(o, PST_KEY_COLOR);
        pst_out_bytes(o, path, len);
        pst_out_color(o, PST_PLAIN);
        pst_out_str(o, ": ");
        if (a)
            describe(o, &d->a, a);
        else
            pst_out_str(o, "only in the second:");
        pst_out_str(o, a && b ? " | " : b ? " " : "");
        if (b)
            describe(o, &d->b, b);
        else
            pst_out_str(o, ", only in the first");
        pst_out_char(o, '\n');
    }
    d->differences++;
}

void pst_diff_report(pst_diff_run *d, const pst_diff_level *l, const pst_diff_side *a, const pst_diff_side *b)
{
    const pst_diff_side *s = a ? a : b;
    const pst_event *ev = &s->ev;
    bool piece = ev->kind != PST_EV_BEGIN && ev->kind != PST_EV_MISSING;
    bool scalar = ev->kind == PST_EV_BEGIN && ev->leaf && ev->token.marker != PST_OBJECT;
    size_t len = 0;
    char *path = pst_diff_place(d, l, s, ev->depth - (piece && ev->depth), scalar, &len);
    if (!path)
        d->no_memory = true;
    else
        pst_diff_report_at(d, path, len, a, b);
    pst_memory_free(d->job->memory, path);
}
