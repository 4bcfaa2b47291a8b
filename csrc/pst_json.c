/* pst_json.c - the data as plain JSON, as one would expect it of thaw and a JSON module.
 *
 * References are followed, classes are left out. What comes a second time is named by the
 * path of where it came first: {"$ref":"$->{rows}[3]"}, so that output stays finite and no
 * longer than the image deserves. What JSON has no word for is an object with a $name.
 */
#include "pst_inspect.h"
#include "pst_classes.h"
#include "pst_shared.h"

typedef struct json {
    pst_job    *job;
    pst_out    *o;
    pst_walk    w;
    pst_shared  shared;
    pst_classes classes;
    uint64_t    old_tag;
    uint64_t    last_tag;      /* whose back-reference is in `last`, if last_len is not 0 */
    size_t      last_len;
    uint8_t     last[200];
} json;

static void string(pst_out *o, const char *name, const uint8_t *bytes, uint64_t len)
{
    pst_out_str(o, name);
    pst_out_json(o, bytes, len, false);
}

/* What stands between the frame's last child and the next one. RETURNS: false if the child
 * is not there: a placeholder. */
PST_INLINE bool prefix(json *j, const pst_event *ev)
{
    pst_out *o = j->o;
    pst_frame *f;
    if (!ev->depth)
        return true;
    f = &j->w.frames[ev->depth - 1];
    if (f->kind == PST_F_ARRAY) {
        if (f->user++)
            pst_out_char(o, ',');
    }
    else if (f->kind == PST_F_HASH) {
        if (ev->leaf && f->key_state == PST_KEY_BYTES && (f->key_flags & PST_KEY_PLACEHOLDER))
            return false;
        if (f->user++)
            pst_out_char(o, ',');
        if (f->key_state == PST_KEY_BYTES)
            pst_out_json(o, pst_walk_key(&j->w, f), f->of.key_len,
                         (f->key_flags & PST_KEY_UTF8) != 0);
        else
            pst_out_str(o, "\"?\"");
        pst_out_char(o, ':');
    }
    else if (f->kind == PST_F_HOOK) {
        if (pst_frame_at_tie(f))
            pst_out_str(o, ",\"tied\":");
        else
            pst_out_str(o, f->user++ ? "," : "\"objects\":[");
    }
    else if (f->kind == PST_F_TIED_KEY && f->at)
        pst_out_str(o, ",\"key\":");
    return true;
}

/* OBJECT: where it stands. The last one is kept as it was written: often it comes again. */
static bool back_reference(json *j, uint64_t tag)
{
    pst_out *o = j->o;
    uint64_t before;
    if (j->last_len && j->last_tag == tag) {
        pst_out_bytes(o, j->last, j->last_len);
        return true;
    }
    if (!j->shared.built && !pst_shared_build(&j->shared, j->job->source))
        return false;
    pst_out_room(o, PST_OUT_SIZE / 2);
    before = pst_buf_off(&o->buf);
    pst_out_str(o, "{\"$ref\":\"");
    o->in_json = true;
    pst_shared_path(&j->shared, o, tag);
    o->in_json = false;
    pst_out_str(o, "\"}");
    j->last_tag = tag;
    j->last_len = (size_t)(pst_buf_off(&o->buf) - before);
    if (j->last_len > sizeof j->last || j->last_len > pst_buf_len(&o->buf))
        j->last_len = 0;
    else
        memcpy(j->last, o->buf.pos - j->last_len, j->last_len);
    return true;
}

static void open_object(json *j, const pst_token *t)
{
    pst_out *o = j->o;
    switch (t->marker) {
    case PST_ARRAY:       pst_out_char(o, '['); break;
    case PST_HASH:
    case PST_FLAG_HASH:   pst_out_char(o, '{'); break;
    case PST_CODE:        pst_out_str(o, "{\"$code\":"); break;
    case PST_REGEXP:      string(o, "{\"$regexp\":", t->bytes, t->len); break;
    case PST_HOOK:        pst_out_str(o, "{\"$hook\":{"); break;
    case PST_TIED_ARRAY: case PST_TIED_HASH: case PST_TIED_SCALAR: case PST_TIED_KEY: case PST_TIED_IDX:
        pst_out_str(o, "{\"$tied\":");
        break;
    default: break;       /* references, classes and version strings are looked through */
    }
}

static void close_object(json *j, unsigned marker)
{
    switch (marker) {
    case PST_ARRAY:     pst_out_char(j->o, ']'); break;
    case PST_HASH:
    case PST_FLAG_HASH:
    case PST_CODE:
    case PST_REGEXP:
    case PST_TIED_ARRAY: case PST_TIED_HASH: case PST_TIED_SCALAR: case PST_TIED_KEY: case PST_TIED_IDX:
        pst_out_char(j->o, '}');
        break;
    case PST_HOOK:      pst_out_str(j->o, "}}"); break;
    default: break;
    }
}

static void hook_class(json *j, const pst_event *ev)
{
    pst_frame *f = &j->w.frames[ev->depth - 1];
    size_t len = 0;
    const uint8_t *name = pst_classes_name(&j->classes, f->of.class_number, &len);
    string(j->o, f->user ? "],\"class\":" : "\"class\":", name ? name : (const uint8_t *)"?", name ? len : 1);
}

/* One event. RETURNS: false without memory. */
static bool event(json *j, pst_event *ev)
{
    pst_out *o = j->o;
    const pst_token *t = &ev->token;
    switch (ev->kind) {
    case PST_EV_BEGIN:
        if (!j->w.old && !prefix(j, ev))
            return true;
        if (t->marker == PST_OBJECT)
            return back_reference(j, j->w.tagged ? j->old_tag : t->len);
        if (ev->leaf)
            pst_print_json_leaf(o, &j->w, t);
        else
            open_object(j, t);
        return t->marker != PST_BLESS || pst_classes_see(&j->classes, ev);
    case PST_EV_OLD:
        j->old_tag = t->len;
        (void)prefix(j, ev);
        return true;
    case PST_EV_MISSING:
        (void)prefix(j, ev);
        pst_out_str(o, "null");
        return true;
    case PST_EV_END:          close_object(j, j->w.frames[ev->depth].marker); return true;
    case PST_EV_REGEXP_FLAGS: string(o, ",\"flags\":", t->bytes, t->len); return true;
    case PST_EV_INDEX:
        pst_out_str(o, ",\"index\":");
        pst_out_i64(o, t->iv);
        return true;
    case PST_EV_HOOK_CLASS:
        if (!pst_classes_see(&j->classes, ev))
            return false;
        hook_class(j, ev);
        return true;
    case PST_EV_HOOK_STRING:  string(o, ",\"string\":", t->bytes, t->len); return true;
    case PST_EV_HOOK_COUNT:
        pst_out_str(o, t->len ? ",\"list\":[" : ",\"list\":[]");
        j->w.frames[ev->depth - 1].user = 0;
        return true;
    case PST_EV_HOOK_TAG:
        if (j->w.frames[ev->depth - 1].user++)
            pst_out_char(o, ',');
        if (!back_reference(j, t->len))
            return false;
        if (!j->w.frames[ev->depth - 1].left)
            pst_out_char(o, ']');
        return true;
    default: return true;
    }
}

int pst_json(pst_job *job)
{
    json j;
    pst_event ev;
    int status = PST_FINE;
    bool fine = true;
    memset(&j, 0, sizeof j);
    j.job = job;
    j.o = job->out;
    pst_shared_init(&j.shared, job->memory);
    pst_classes_init(&j.classes, job->memory);
    if (pst_walk_init(&j.w, job->source, job->memory, true)) {
        j.w.quiet_keys = true;
        while (fine && pst_walk_next(&j.w, &ev))
            fine = event(&j, &ev) && !j.o->failed;
        pst_out_char(j.o, '\n');
    }
    if (!fine)
        status = PST_TROUBLE;
    else if (j.w.r.error.code != PST_OK)
        status = pst_job_problem(job, &j.w);
    pst_shared_release(&j.shared);
    pst_classes_release(&j.classes);
    pst_walk_release(&j.w);
    return status;
}
