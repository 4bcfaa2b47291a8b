/* pst_head.c - what the header says, and who writes such. */
#include "pst_inspect.h"
#include "pst_other_order.h"

/* What is known of versions of the format: who writes them (from images of such perls). */
static const char *who_writes(const pst_header *h)
{
    if (h->unversioned || h->major == 0)
        return "Storable before 0.6";
    if (h->major == 1)
        return "Storable 0.6";
    switch (h->minor) {
    case 7:  return "Storable 2.15 to 2.21 and their like, that is, perl 5.8 and 5.10";
    case 8:  return "Storable 2.29 and its like, that is, perl 5.14 or so";
    case 9:  return "Storable 2.3x and 2.4x on perls before 5.19";
    case 10: return "Storable on perls around 5.19";
    case 11: return "Storable on perl 5.19 and later (all of today's), Permafrost";
    case 12: return "no known writer; Storable 3.27 and later read it";
    default: return h->minor < 7 ? "Storable before 2.15" : "a Storable newer than this program";
    }
}

static const char *machine(const pst_header *h)
{
    bool little = h->order[0] == '1';
    if (h->order_len == 8 && h->long_size == 8)
        return little ? "64-bit little-endian: x86-64, arm64, riscv64, ppc64le"
                      : "64-bit big-endian: s390x, ppc64, sparc64";
    if (h->order_len == 8)
        return little ? "32-bit little-endian, perl with 64-bit integers: i386, armhf; 64-bit Windows"
                      : "32-bit big-endian, perl with 64-bit integers: powerpc, mips";
    return little ? "32-bit little-endian, perl with 32-bit integers: i386, arm"
                  : "32-bit big-endian, perl with 32-bit integers: powerpc, mips, sparc";
}

static const char *floats(const pst_header *h)
{
    switch (h->nv_size) {
    case 0:  return "as on that machine";
    case 8:  return "double";
    case 12: return "long double, x87";
    case 16: return "long double or __float128";
    default: return "of an unknown kind";
    }
}

static void field(pst_out *o, const char *name)
{
    pst_out_color(o, PST_KEY_COLOR);
    pst_out_str(o, name);
    pst_out_color(o, PST_PLAIN);
    pst_out_spaces(o, 16 - strlen(name));
}

static void line(pst_out *o, const char *name, const char *text)
{
    field(o, name);
    pst_out_str(o, text);
    pst_out_char(o, '\n');
}

static void size(pst_out *o, const char *name, unsigned bytes)
{
    pst_out_str(o, name);
    pst_out_u64(o, bytes);
}

static const char *kind(const pst_header *h)
{
    return !h->file ? "image in memory, as freeze writes it (no magic)"
         : h->old_magic ? "image in a file, with the magic perl-store"
         : "image in a file, with the magic pst0";
}

typedef struct sizes {
    uint64_t header, body, trailing;
    bool     whole;
    pst_other_order other;
} sizes;

static void print_text(pst_out *o, const pst_header *h, const sizes *s)
{
    line(o, "kind", kind(h));
    field(o, "version");
    pst_out_u64(o, h->major);
    pst_out_char(o, '.');
    pst_out_u64(o, h->minor);
    pst_out_char(o, '\n');
    field(o, "order");
    if (h->netorder)
        pst_out_str(o, "network");
    else {
        pst_out_str(o, "native, ");
        pst_out_str(o, h->order);
    }
    pst_out_char(o, '\n');
    if (!h->netorder) {
        field(o, "sizes");
        size(o, "IV ", h->order_len);
        size(o, ", int ", h->int_size);
        size(o, ", long ", h->long_size);
        size(o, ", pointer ", h->ptr_size);
        size(o, ", NV ", h->nv_size);
        pst_out_str(o, " bytes\n");
    }
    line(o, "written by", who_writes(h));
    line(o, "machine", h->netorder ? "any" : machine(h));
    if (!h->netorder)
        line(o, "floats", floats(h));
    field(o, "header");
    pst_out_count(o, s->header, "byte");
    pst_out_char(o, '\n');
    field(o, "body");
    pst_out_count(o, s->body, "byte");
    pst_out_str(o, s->whole ? "\n" : ", damaged\n");
    if (s->trailing) {
        field(o, "trailing");
        pst_out_count(o, s->trailing, "byte");
        pst_out_str(o, " behind the image\n");
    }
    if (s->whole && h->major == PST_MAJOR) {
        int64_t change = s->other.header_change + s->other.body_change;
        field(o, s->other.to_network ? "network order" : "native order");
        pst_out_count(o, (uint64_t)((int64_t)(s->header + s->body) + change), "byte");
        pst_out_str(o, change <= 0 ? ", " : ", +");
        pst_out_i64(o, change);
        pst_out_str(o, s->other.to_network ? "\n" : " (on this machine)\n");
    }
}

static void json_u64(pst_out *o, const char *name, uint64_t v)
{
    pst_out_str(o, ",\"");
    pst_out_str(o, name);
    pst_out_str(o, "\":");
    pst_out_u64(o, v);
}

static void json_str(pst_out *o, const char *name, const char *text)
{
    pst_out_str(o, ",\"");
    pst_out_str(o, name);
    pst_out_str(o, "\":");
    pst_out_json_str(o, text);
}

static void print_json(pst_out *o, const pst_header *h, const sizes *s)
{
    pst_out_str(o, h->file ? "{\"file\":true" : "{\"file\":false");
    json_u64(o, "major", h->major);
    json_u64(o, "minor", h->minor);
    json_str(o, "order", h->netorder ? "network" : h->order);
    if (!h->netorder) {
        json_u64(o, "iv_size", h->order_len);
        json_u64(o, "int_size", h->int_size);
        json_u64(o, "long_size", h->long_size);
        json_u64(o, "ptr_size", h->ptr_size);
        json_u64(o, "nv_size", h->nv_size);
    }
    json_str(o, "written_by", who_writes(h));
    json_str(o, "machine", h->netorder ? "any" : machine(h));
    json_u64(o, "header_bytes", s->header);
    json_u64(o, "body_bytes", s->body);
    json_u64(o, "trailing_bytes", s->trailing);
    pst_out_str(o, s->whole ? ",\"damaged\":false" : ",\"damaged\":true");
    if (s->whole && h->major == PST_MAJOR)
        json_u64(o, "other_order_bytes",
                 (uint64_t)((int64_t)(s->header + s->body) + s->other.header_change + s->other.body_change));
    pst_out_str(o, "}\n");
}

int pst_head(pst_job *job)
{
    pst_walk w;
    pst_event ev;
    sizes s;
    int status = PST_FINE;
    bool header = pst_walk_init(&w, job->source, job->memory, false);
    if (header) {
        s.header = pst_walk_off(&w);
        pst_other_order_init(&s.other, &w.r.header);
        while (pst_walk_next(&w, &ev))
            (void)pst_other_order_see(&s.other, &w, &ev);
        s.whole = w.done;
        s.trailing = w.done ? job->source->len - pst_walk_off(&w) : 0;
        s.body = job->source->len - s.header - s.trailing;
        if (job->json)
            print_json(job->out, &w.r.header, &s);
        else
            print_text(job->out, &w.r.header, &s);
    }
    if (w.r.error.code != PST_OK)
        status = pst_job_problem(job, &w);
    pst_walk_release(&w);
    return status;
}
