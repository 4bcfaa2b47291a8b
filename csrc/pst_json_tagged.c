/* pst_json_tagged.c - an image as JSON from which the same bytes can be made again; the
 * format is described in doc/TAGGED-JSON.md.
 */
#include "pst_inspect.h"
#include "pst_utf8.h"

/* `user` of a frame counts what has been written of its list. Of a FLAG_HASH the top bit says
 * that a pair with an object as its key is still open, of an ARRAY the next that no list was
 * begun. */
#define PAIR_OPEN (UINT64_C(1) << 63)
#define NEGATIVE  (UINT64_C(1) << 62)

typedef struct tagged {
    pst_out *o;
    pst_walk w;
} tagged;

static void open_member(pst_out *o, const char *name)
{
    pst_out_str(o, "{\"$");
    pst_out_str(o, name);
    pst_out_str(o, "\":");
}

/* Bytes as a string of characters below 256. */
static void latin1(pst_out *o, const pst_token *t)
{
    pst_out_json(o, t->bytes, t->len, false);
}

static void hex(pst_out *o, const uint8_t *bytes, uint64_t len)
{
    pst_out_str(o, "{\"$HEX\":\"");
    pst_out_hex(o, bytes, (size_t)len);
    pst_out_str(o, "\"}");
}

/* Perl's UTF-8 as text, or if JSON cannot express it, in hexadecimal. */
static void utf8(pst_out *o, const uint8_t *bytes, uint64_t len)
{
    if (pst_utf8_valid(bytes, len))
        pst_out_json(o, bytes, len, true);
    else
        hex(o, bytes, len);
}

/* ---- header ------------------------------------------------------------------------------ */

static void size_member(pst_out *o, const char *name, unsigned value)
{
    pst_out_str(o, name);
    pst_out_u64(o, value);
}

static void header(tagged *j)
{
    pst_out *o = j->o;
    const pst_header *h = &j->w.r.header;
    pst_out_str(o, "{\"$STORABLE\":{\"magic\":");
    pst_out_str(o, !h->file ? "null" : h->old_magic ? "\"perl-store\"" : "\"pst0\"");
    if (h->unversioned) {
        uint8_t first = 0;
        (void)pst_source_read(j->w.window.source, 10, &first, 1);
        size_member(o, ",\"first\":", first);
    }
    else {
        size_member(o, ",\"major\":", h->major);
        if (h->major >= 2)
            size_member(o, ",\"minor\":", h->minor);
    }
    pst_out_str(o, ",\"order\":");
    pst_out_json_str(o, h->netorder ? "network" : h->order);
    if (!h->netorder) {
        size_member(o, ",\"int\":", h->int_size);
        size_member(o, ",\"long\":", h->long_size);
        size_member(o, ",\"pointer\":", h->ptr_size);
        if (pst_header_has_nv(h))
            size_member(o, ",\"nv\":", h->nv_size);
    }
    pst_out_str(o, "},\n\"root\":");
}

/* ---- what stands before a value -------------------------------------------------------------- */

/* Names of our own begin with a dollar, so keys that do get another one. */
static void plain_key(pst_out *o, const uint8_t *key, size_t len)
{
    pst_out_str(o, len && key[0] == '$' ? "\"$" : "\"");
    pst_out_json_body(o, key, len, false);
    pst_out_str(o, "\":");
}

static void hash_key(tagged *j, const pst_frame *f)
{
    pst_out *o = j->o;
    const uint8_t *key = f->key_state == PST_KEY_BYTES ? pst_walk_key(&j->w, f) : NULL;
    if (f->marker == PST_HASH) {
        plain_key(o, key ? key : (const uint8_t *)"?", key ? f->of.key_len : 1);
        return;
    }
    pst_out_char(o, '[');
    if (!key) {
        pst_out_str(o, "null,0,");    /* the key is an object; it and its flags come behind */
        return;
    }
    if (f->key_flags & PST_KEY_UTF8)
        utf8(o, key, f->of.key_len);
    else
        pst_out_json(o, key, f->of.key_len, false);
    pst_out_char(o, ',');
    pst_out_u64(o, f->key_flags);
    pst_out_char(o, ',');
}

static void close_pair(pst_out *o, pst_frame *f)
{
    if (f->user & PAIR_OPEN)
        pst_out_char(o, ']');
    f->user &= ~PAIR_OPEN;
}

static void prefix(tagged *j, size_t depth)
{
    pst_out *o = j->o;
    pst_frame *f;
    if (!depth)
        return;
    f = &j->w.frames[depth - 1];
    switch (f->kind) {
    case PST_F_ARRAY:
        pst_out_str(o, f->user++ ? "," : "");
        break;
    case PST_F_HASH:
        if (pst_frame_at_key(f)) {
            pst_out_char(o, ',');
            break;
        }
        close_pair(o, f);
        pst_out_str(o, f->user++ ? ",\n" : "");
        hash_key(j, f);
        break;
    case PST_F_HOOK:
        if (pst_frame_at_tie(f))
            pst_out_str(o, ",\"tied\":");
        else
            pst_out_str(o, f->user++ ? ",[" : ",\"objects\":[[");
        break;
    case PST_F_TIED_KEY:
        pst_out_str(o, f->at ? ",\"key\":" : "");
        break;
    default:
        break;
    }
}

/* ---- values ------------------------------------------------------------------------------------ */

/* Is the marker that stands there the one that a writer would choose? */
static bool is_usual(const tagged *j, const pst_token *t)
{
    switch (t->wire) {
    case PST_LSCALAR:
    case PST_LUTF8STR:
    case PST_LVSTRING: return t->len > PST_SHORT_STRING_MAX;
    case PST_NETINT:   return j->w.r.header.netorder && (t->iv < -128 || t->iv > 127);
    case PST_INTEGER:  return !j->w.r.header.netorder && (t->iv < -128 || t->iv > 127);
    default:           return true;
    }
}

static void integer(tagged *j, const pst_token *t)
{
    bool usual = is_usual(j, t);
    if (!usual)
        open_member(j->o, pst_marker_name(t->wire));
    pst_out_i64(j->o, t->iv);
    if (!usual)
        pst_out_char(j->o, '}');
}

static void string(tagged *j, const pst_token *t)
{
    pst_out *o = j->o;
    bool usual = t->wire == PST_LOBJECT || is_usual(j, t);
    if (t->marker == PST_UTF8STR) {
        open_member(o, usual ? "UTF8STR" : "LUTF8STR");
        utf8(o, t->bytes, t->len);
        pst_out_char(o, '}');
        return;
    }
    if (!usual)
        open_member(o, "LSCALAR");
    latin1(o, t);
    if (!usual)
        pst_out_char(o, '}');
}

static void leaf(tagged *j, const pst_token *t)
{
    pst_out *o = j->o;
    switch (t->marker) {
    case PST_INTEGER:       integer(j, t); break;
    case PST_SCALAR:
    case PST_UTF8STR:       string(j, t); break;
    case PST_UNDEF:         pst_out_str(o, "null"); break;
    case PST_BOOLEAN_TRUE:  pst_out_str(o, "true"); break;
    case PST_BOOLEAN_FALSE: pst_out_str(o, "false"); break;
    case PST_DOUBLE:
        open_member(o, "DOUBLE");
        pst_print_json_leaf(o, &j->w, t);
        pst_out_str(o, ",\"bytes\":\"");
        pst_out_hex(o, t->bytes, (size_t)t->len);
        pst_out_str(o, "\"}");
        break;
    case PST_OBJECT:
        open_member(o, "OBJECT");
        if (j->w.tagged)
            pst_out_str(o, "null");
        else
            pst_out_u64(o, t->len);
        pst_out_char(o, '}');
        break;
    default:
        open_member(o, pst_marker_name(t->marker));
        pst_out_str(o, "null}");
        break;
    }
}

/* BLESS and IX_BLESS: the byte that announces a long length or number is told if a writer
 * would not have chosen it. */
static void class_of(tagged *j, const pst_event *ev)
{
    pst_out *o = j->o;
    const pst_token *t = &ev->token;
    uint8_t byte = pst_event_bytes(&j->w, ev)[1];
    open_member(o, pst_marker_name(t->marker));
    if (t->bytes)
        latin1(o, t);
    else
        pst_out_u64(o, t->len);
    if (byte >= PST_LONG_LEN && (byte > PST_LONG_LEN || t->len <= PST_SHORT_CLASS_MAX))
        size_member(o, ",\"long\":", byte);
    pst_out_str(o, ",\"of\":");
}

static void open_object(tagged *j, const pst_event *ev)
{
    pst_out *o = j->o;
    const pst_token *t = &ev->token;
    if ((t->marker == PST_ARRAY || t->marker == PST_HASH) && t->len && !j->w.frames[ev->depth].left) {
        open_member(o, pst_marker_name(t->marker));
        pst_out_u64(o, t->len);     /* the oldest format: a negative count, so nothing follows */
        j->w.frames[ev->depth].user |= NEGATIVE;
        return;
    }
    switch (t->marker) {
    case PST_ARRAY: pst_out_char(o, '['); break;
    case PST_HASH:  pst_out_char(o, '{'); break;
    case PST_FLAG_HASH:
        open_member(o, "FLAG_HASH");
        pst_out_u64(o, t->flags);
        pst_out_str(o, ",\"keys\":[");
        break;
    case PST_BLESS:
    case PST_IX_BLESS: class_of(j, ev); break;
    case PST_VSTRING:
        open_member(o, t->wire == PST_VSTRING || is_usual(j, t) ? "VSTRING" : "LVSTRING");
        latin1(o, t);
        pst_out_str(o, ",\"of\":");
        break;
    case PST_REGEXP:
        open_member(o, "REGEXP");
        latin1(o, t);
        size_member(o, ",\"op\":", t->flags);
        break;
    default:
        open_member(o, pst_marker_name(t->marker));
        break;
    }
}

static void begin(tagged *j, const pst_event *ev)
{
    pst_out *o = j->o;
    if (!j->w.old)
        prefix(j, ev->depth);
    if (ev->token.wire == PST_LOBJECT)
        pst_out_str(o, "{\"$LOBJECT\":");
    if (!ev->leaf) {
        j->w.frames[ev->depth].hook.huge |= ev->token.wire == PST_LOBJECT;
        open_object(j, ev);
        return;
    }
    leaf(j, &ev->token);
    if (ev->token.wire == PST_LOBJECT)
        pst_out_char(o, '}');
}

/* Was there a LOBJECT before the marker? */
static bool was_huge(const pst_frame *f)
{
    return (f->kind == PST_F_HOOK || f->kind == PST_F_ARRAY || f->kind == PST_F_HASH) && f->hook.huge;
}

static void end(tagged *j, const pst_event *ev)
{
    pst_out *o = j->o;
    pst_frame *f = &j->w.frames[ev->depth];
    if (f->kind == PST_F_HASH)
        close_pair(o, f);
    if (f->kind == PST_F_ARRAY && !(f->user & NEGATIVE))
        pst_out_char(o, ']');
    else
        pst_out_str(o, f->marker == PST_FLAG_HASH || (f->kind == PST_F_OLD && f->user) ? "]}" : "}");
    if (was_huge(f))
        pst_out_char(o, '}');
}

/* ---- pieces -------------------------------------------------------------------------------------- */

static void hook_piece(tagged *j, const pst_event *ev)
{
    pst_out *o = j->o;
    const pst_token *t = &ev->token;
    pst_frame *f = &j->w.frames[ev->depth - 1];
    switch (ev->kind) {
    case PST_EV_HOOK_FLAGS:
        if (f->user) {
            size_member(o, ",", f->hook.flags);
            pst_out_char(o, ']');
        }
        else {
            pst_out_u64(o, f->hook.flags);
            if (f->hook.extra)
                size_member(o, ",\"extra\":", f->hook.extra);
        }
        break;
    case PST_EV_HOOK_CLASS:
        pst_out_str(o, f->user ? "],\"class\":" : ",\"class\":");
        if (t->bytes)
            latin1(o, t);
        else
            pst_out_u64(o, t->len);
        break;
    case PST_EV_HOOK_STRING:
        pst_out_str(o, ",\"string\":");
        latin1(o, t);
        break;
    case PST_EV_HOOK_COUNT:
        pst_out_str(o, f->hook.wide_tags ? ",\"wide\":true,\"list\":[" : ",\"list\":[");
        f->user = 0;
        break;
    default:
        if (f->user++)
            pst_out_char(o, ',');
        pst_out_u64(o, t->len);
        break;
    }
    if ((ev->kind == PST_EV_HOOK_COUNT || ev->kind == PST_EV_HOOK_TAG) && !f->left)
        pst_out_char(o, ']');
}

/* An object of an old format, or a class notice behind it. */
static void old_piece(tagged *j, const pst_event *ev)
{
    pst_out *o = j->o;
    pst_frame *f;
    if (ev->kind == PST_EV_NOTICE) {
        f = &j->w.frames[ev->depth - 1];
        pst_out_str(o, f->user++ ? ",[\"" : ",\"notices\":[[\"");
        pst_out_char(o, (char)*pst_event_bytes(&j->w, ev));
        pst_out_str(o, "\",");
        latin1(o, &ev->token);
        pst_out_char(o, ']');
        return;
    }
    prefix(j, ev->depth);
    if (ev->kind == PST_EV_MISSING) {
        pst_out_str(o, "{\"$MISSING\":null}");
        return;
    }
    open_member(o, "OLD");
    if (j->w.tagged) {
        pst_out_char(o, '"');
        pst_out_hex(o, pst_event_bytes(&j->w, ev), (size_t)(ev->end - ev->off));
        pst_out_char(o, '"');
    }
    else
        pst_out_str(o, "null");
    pst_out_str(o, ",\"is\":");
}

static void event(tagged *j, const pst_event *ev)
{
    pst_out *o = j->o;
    switch (ev->kind) {
    case PST_EV_BEGIN: begin(j, ev); break;
    case PST_EV_END:   end(j, ev); break;
    case PST_EV_KEY:
        if (j->w.frames[ev->depth - 1].marker != PST_FLAG_HASH)
            break;
        if (ev->token.flags & PST_KEY_ISSV) {
            size_member(o, ",", ev->token.flags);
            j->w.frames[ev->depth - 1].user |= PAIR_OPEN;
        }
        else
            pst_out_char(o, ']');
        break;
    case PST_EV_INDEX:
        pst_out_str(o, ",\"index\":");
        pst_out_i64(o, ev->token.iv);
        break;
    case PST_EV_REGEXP_FLAGS:
        pst_out_str(o, ",\"flags\":");
        latin1(o, &ev->token);
        break;
    case PST_EV_OLD:
    case PST_EV_MISSING:
    case PST_EV_NOTICE: old_piece(j, ev); break;
    case PST_EV_MARK:   break;
    default:            hook_piece(j, ev); break;
    }
}

static void trailing(tagged *j)
{
    const pst_source *source = j->w.window.source;
    uint64_t off = pst_walk_off(&j->w);
    uint8_t bytes[256];
    size_t len;
    if (off == source->len)
        return;
    pst_out_str(j->o, ",\n\"trailing\":\"");
    while ((len = pst_source_read(source, off, bytes, sizeof bytes)) != 0) {
        pst_out_hex(j->o, bytes, len);
        off += len;
    }
    pst_out_char(j->o, '"');
}

int pst_json_tagged(pst_job *job)
{
    tagged j;
    pst_event ev;
    int status = PST_FINE;
    j.o = job->out;
    if (pst_walk_init(&j.w, job->source, job->memory, true)) {
        header(&j);
        while (pst_walk_next(&j.w, &ev) && !j.o->failed)
            event(&j, &ev);
        if (j.w.done)
            trailing(&j);
        pst_out_str(j.o, "}\n");
    }
    if (j.w.r.error.code != PST_OK)
        status = pst_job_problem(job, &j.w);
    pst_walk_release(&j.w);
    return status;
}
