/* pstx_image.c - see pstx_image.h. */
#include "pstx_image.h"
#include "pst_classes.h"
#include "pst_convert.h"
#include "pst_host.h"
#include "pst_place.h"
#include "pst_unpack.h"

/* ---- the program ------------------------------------------------------------------------------ */

static bool write_to(PerlIO *io, const void *bytes, size_t len)
{
    dTHX;
    return PerlIO_write(io, bytes, len) == (SSize_t)len && PerlIO_flush(io) == 0;
}

static bool write_out(void *host, const void *bytes, size_t len)
{
    dTHX;
    (void)host;
    return write_to(PerlIO_stdout(), bytes, len);
}

static bool write_err(void *host, const void *bytes, size_t len)
{
    dTHX;
    (void)host;
    return write_to(PerlIO_stderr(), bytes, len);
}

/* Arguments as C strings, freed with the caller's scope. PERL: croaks. */
static const char **arguments(pTHX_ SSize_t items, SV **args)
{
    const char **argv;
    SSize_t i;
    Newx(argv, items + 1, const char *);
    SAVEFREEPV(argv);
    for (i = 0; i < items; i++)
        argv[i] = SvPVbyte_nolen(args[i]);
    return argv;
}

int pstx_image_command(pTHX_ SSize_t items, SV **args)
{
    const char **argv = arguments(aTHX_ items, args);
    pst_host host;
    pst_host_init(&host);
    host.write_out = write_out;
    host.write_err = write_err;
    host.out_color = pst_host_color(1);
    host.progress = pst_host_color(2);
    return pst_cli(&host, argv[0], (int)items - 1, argv + 1);
}

/* ---- conversion --------------------------------------------------------------------------------- */

static bool append(void *host, const void *bytes, size_t len)
{
    dTHX;
    sv_catpvn_nomg((SV *)host, (const char *)bytes, len);
    return true;
}

/* Die for a conversion that has failed. */
static void croak_conversion(pTHX_ const pst_conversion *c) __attribute__noreturn__;
static void croak_conversion(pTHX_ const pst_conversion *c)
{
    SV *text = sv_2mortal(newSVpvs(""));
    pst_out *out;
    Newx(out, 1, pst_out);
    SAVEFREEPV(out);
    pst_out_init(out, append, text);
    pst_convert_problem(out, c, 0);
    (void)pst_out_flush(out);
    pstx_croak(aTHX_ PSTX_MSG_CONVERSION, SVfARG(text));
}

SV *pstx_image_convert(pTHX_ SV *image, const char *order, int minor, bool exact, bool nested)
{
    pst_conversion c;
    pst_source source;
    STRLEN len;
    const char *bytes = SvPVbyte(image, len);
    SV *result = sv_2mortal(newSVpvs(""));
    Zero(&c, 1, pst_conversion);
    pst_source_memory(&source, bytes, len);
    c.source = &source;
    c.memory = pst_host_memory();
    c.keep_order = !order;
    if (order && !pst_convert_target(&c.target, order))
        pstx_croak(aTHX_ PSTX_MSG_NO_ORDER, order);
    c.minor = minor;
    c.digits = exact ? PST_DIGITS_EXACT : PST_DIGITS_PERL;
    c.nested = nested;
    c.write = append;
    c.host = result;
    if (!pst_convert(&c))
        croak_conversion(aTHX_ &c);
    return SvREFCNT_inc_simple_NN(result);
}

/* ---- the same into scalars ----------------------------------------------------------------------- */

typedef struct capture {
    pst_host host;
    bool   (*open_file)(pst_host *h, const char *name, pst_source *source);
    SV      *image, *out, *err;
} capture;

static bool append_out(void *host, const void *bytes, size_t len)
{
    dTHX;
    sv_catpvn(((capture *)host)->out, (const char *)bytes, len);
    return true;
}

static bool append_err(void *host, const void *bytes, size_t len)
{
    dTHX;
    sv_catpvn(((capture *)host)->err, (const char *)bytes, len);
    return true;
}

/* "-" is the image in the scalar. */
static bool open_image(pst_host *h, const char *name, pst_source *source)
{
    capture *c = (capture *)h->host;
    if (!c->image || strcmp(name, "-") != 0)
        return c->open_file(h, name, source);
    pst_source_memory(source, SvPVX_const(c->image), SvCUR(c->image));
    return true;
}

/* Bytes of our own: the caller's scalar may be anything. PERL: croaks on wide characters. */
static SV *bytes_of(pTHX_ SV *sv)
{
    SV *copy = sv_2mortal(newSVsv(sv));
    (void)SvPVbyte_force(copy, PL_na);
    return copy;
}

void pstx_image_capture(pTHX_ SV *image, SSize_t items, SV **args, SV **result)
{
    const char **argv = arguments(aTHX_ items, args);
    capture c;
    int status;
    c.image = image ? bytes_of(aTHX_ image) : NULL;
    c.out = sv_2mortal(newSVpvs(""));
    c.err = sv_2mortal(newSVpvs(""));
    pst_host_init(&c.host);
    c.open_file = c.host.open;
    c.host.open = open_image;
    c.host.host = &c;
    c.host.write_out = append_out;
    c.host.write_err = append_err;
    status = pst_cli(&c.host, argv[0], (int)items - 1, argv + 1);
    result[0] = sv_2mortal(newSViv(status));
    result[1] = c.out;
    result[2] = c.err;
}

SV *pstx_image_unpack(pTHX_ SV *image, UV most, const char **reason)
{
    SV *bytes = bytes_of(aTHX_ image), *result = bytes;
    pst_host host;
    pst_source source;
    pst_host_init(&host);
    pst_source_memory(&source, SvPVX_const(bytes), SvCUR(bytes));
    if (!pst_unpack(&host, &source, most, NULL)) {
        *reason = host.reason;
        result = NULL;
    }
    else if (source.host) {
        result = sv_2mortal(newSV((STRLEN)source.len + 1));
        SvPOK_on(result);
        SvCUR_set(result, pst_source_read(&source, 0, (uint8_t *)SvPVX(result), (size_t)source.len));
        *SvEND(result) = '\0';
    }
    host.close(&host, &source);
    return result;
}

SV *pstx_image_from_json(pTHX_ SV *json, SV **message)
{
    capture c;
    pst_out *out, *err;
    pst_source source;
    pst_job job;
    SV *text = bytes_of(aTHX_ json);
    Newx(out, 2, pst_out);
    SAVEFREEPV(out);
    err = out + 1;
    c.out = sv_2mortal(newSVpvs(""));
    c.err = sv_2mortal(newSVpvs(""));
    pst_out_init(out, append_out, &c);
    pst_out_init(err, append_err, &c);
    pst_source_memory(&source, SvPVX_const(text), SvCUR(text));
    Zero(&job, 1, pst_job);
    job.source = &source;
    job.memory = pst_host_memory();
    job.out = out;
    job.err = err;
    job.name = "JSON";
    *message = NULL;
    if (pst_json_read(&job) != PST_FINE)
        *message = c.err;
    (void)pst_out_flush(out);
    (void)pst_out_flush(err);
    return c.out;
}

/* ---- trees -------------------------------------------------------------------------------------------- */

typedef struct pstx_tree {
    SV         *image;       /* +1 */
    pst_source  source;
    pst_walk    walk;
    pst_classes classes;
    bool        fine;
} pstx_tree;

/* Of the scalar behind a tree's reference. A number in it would do, but an image can bless any
 * number into the class. */
static int tree_free(pTHX_ SV *sv, MAGIC *mg)
{
    pstx_tree *t = (pstx_tree *)mg->mg_ptr;
    PERL_UNUSED_ARG(sv);
    mg->mg_ptr = NULL;
    if (!t)
        return 0;
    pst_classes_release(&t->classes);
    pst_walk_release(&t->walk);
    SvREFCNT_dec(t->image);
    Safefree(t);
    return 0;
}

/* A new thread has no part in it. */
static int tree_dup(pTHX_ MAGIC *mg, CLONE_PARAMS *params)
{
    PERL_UNUSED_CONTEXT;
    PERL_UNUSED_ARG(params);
    mg->mg_ptr = NULL;
    return 0;
}

static const MGVTBL tree_magic = { NULL, NULL, NULL, NULL, tree_free, NULL, tree_dup, NULL };

SV *pstx_tree_new(pTHX_ SV *image)
{
    pstx_tree *t;
    SV *bytes = bytes_of(aTHX_ image), *holder = newSV_type(SVt_PVMG);
    SV *tree = sv_2mortal(newRV_noinc(holder));
    MAGIC *mg;
    Newxz(t, 1, pstx_tree);
    mg = sv_magicext(holder, NULL, PERL_MAGIC_ext, &tree_magic, (const char *)t, 0);
    mg->mg_flags |= MGf_DUP;
    t->image = SvREFCNT_inc_simple_NN(bytes);
    pst_source_memory(&t->source, SvPVX_const(bytes), SvCUR(bytes));
    pst_classes_init(&t->classes, pst_host_memory());
    t->fine = pst_walk_init(&t->walk, &t->source, pst_host_memory(), true);
    return tree;
}

/* What is wrong, or a path. RETURNS: +1. */
static SV *place_or_problem(pTHX_ const pst_walk *w, const pst_event *ev)
{
    SV *text = newSVpvs("");
    pst_out *o;
    Newx(o, 1, pst_out);
    pst_out_init(o, append, text);
    if (ev)
        pst_print_place(o, w, ev->depth, ev->kind == PST_EV_BEGIN && ev->leaf && ev->token.marker != PST_OBJECT);
    else
        pst_problem(o, w);
    (void)pst_out_flush(o);
    Safefree(o);
    return text;
}

#define PUT(hash, key, value) ((void)hv_stores((hash), key, (value)))

/* The value of a leaf. RETURNS: +1. */
static SV *leaf_value(pTHX_ const pst_walk *w, const pst_token *t)
{
    SV *sv;
    double v;
    switch (t->marker) {
    case PST_INTEGER:       return newSViv((IV)t->iv);
    case PST_DOUBLE:        return pst_token_double(w, t, &v) ? newSVnv(v) : newSV(0);
    case PST_SCALAR:        return newSVpvn((const char *)t->bytes, (STRLEN)t->len);
    case PST_UTF8STR:
        sv = newSVpvn((const char *)t->bytes, (STRLEN)t->len);
        if (is_utf8_string((const U8 *)SvPVX_const(sv), SvCUR(sv)))
            SvUTF8_on(sv);
        return sv;
    case PST_SV_YES:
    case PST_BOOLEAN_TRUE:  return newSVsv(&PL_sv_yes);
    case PST_SV_NO:
    case PST_BOOLEAN_FALSE: return newSVsv(&PL_sv_no);
    default:                return newSV(0);
    }
}

static void put_class(pTHX_ HV *hash, const pstx_tree *t, uint64_t number)
{
    size_t len = 0;
    const uint8_t *name = pst_classes_name(&t->classes, number, &len);
    if (name)
        PUT(hash, "class", newSVpvn((const char *)name, len));
}

/* Which child of the frame around it this is. */
static void put_step(pTHX_ HV *hash, const pst_walk *w, size_t depth)
{
    const pst_frame *f = depth ? &w->frames[depth - 1] : NULL;
    if (f && f->kind == PST_F_ARRAY)
        PUT(hash, "index", newSVuv((UV)f->at));
    else if (f && f->kind == PST_F_HASH && f->key_state == PST_KEY_BYTES) {
        SV *key = newSVpvn((const char *)pst_walk_key(w, f), f->of.key_len);
        if ((f->key_flags & PST_KEY_UTF8) && is_utf8_string((const U8 *)SvPVX_const(key), SvCUR(key)))
            SvUTF8_on(key);
        PUT(hash, "key", key);
        if (f->marker == PST_FLAG_HASH)
            PUT(hash, "key_flags", newSVuv(f->key_flags));
    }
}

static void put_begin(pTHX_ HV *hash, const pstx_tree *t, const pst_event *ev)
{
    const pst_token *token = &ev->token;
    const pst_walk *w = &t->walk;
    if (ev->tag != PST_NO_TAG)
        PUT(hash, "tag", newSVuv((UV)ev->tag));
    put_step(aTHX_ hash, w, ev->depth);
    switch (token->marker) {
    case PST_OBJECT:     PUT(hash, "target", newSVuv((UV)token->len)); return;
    case PST_ARRAY:
    case PST_HASH:
    case PST_FLAG_HASH:  PUT(hash, "count", newSVuv((UV)token->len)); return;
    case PST_BLESS:      put_class(aTHX_ hash, t, w->class_count - 1); return;
    case PST_IX_BLESS:   put_class(aTHX_ hash, t, token->len); return;
    case PST_VSTRING:
    case PST_REGEXP:     PUT(hash, "value", newSVpvn((const char *)token->bytes, (STRLEN)token->len)); return;
    default:
        if (ev->leaf)
            PUT(hash, "value", leaf_value(aTHX_ w, token));
    }
}

/* One event as a hash. RETURNS: mortal; NULL if it is not one of those that are told. */
static SV *event_hash(pTHX_ const pstx_tree *t, const pst_event *ev)
{
    HV *hash;
    const pst_token *token = &ev->token;
    const char *name = ev->kind == PST_EV_BEGIN ? (ev->leaf ? "leaf" : "begin") : ev->kind == PST_EV_END ? "end"
                     : ev->kind == PST_EV_HOOK_CLASS || ev->kind == PST_EV_NOTICE ? "class"
                     : ev->kind == PST_EV_HOOK_STRING ? "string" : ev->kind == PST_EV_HOOK_TAG ? "reference" : NULL;
    if (!name)
        return NULL;
    hash = (HV *)sv_2mortal((SV *)newHV());
    PUT(hash, "event", newSVpv(name, 0));
    PUT(hash, "depth", newSVuv((UV)ev->depth));
    PUT(hash, "offset", newSVuv((UV)ev->off));
    PUT(hash, "length", newSVuv((UV)(ev->end - ev->off)));
    PUT(hash, "path", place_or_problem(aTHX_ &t->walk, ev));
    if (ev->kind == PST_EV_BEGIN) {
        PUT(hash, "marker", newSVpv(pst_marker_name(token->wire == PST_LOBJECT ? token->marker : token->wire), 0));
        put_begin(aTHX_ hash, t, ev);
    }
    else if (ev->kind == PST_EV_END)
        PUT(hash, "marker", newSVpv(pst_marker_name(t->walk.frames[ev->depth].marker), 0));
    else if (ev->kind == PST_EV_HOOK_TAG)
        PUT(hash, "target", newSVuv((UV)token->len));
    else if (ev->kind == PST_EV_HOOK_STRING)
        PUT(hash, "value", newSVpvn((const char *)token->bytes, (STRLEN)token->len));
    else
        put_class(aTHX_ hash, t, t->walk.frames[ev->depth - 1].of.class_number);
    return sv_2mortal(newRV_inc((SV *)hash));
}

SV *pstx_tree_next(pTHX_ SV *tree, SV **message, const char **name)
{
    const MAGIC *mg = SvROK(tree) && SvTYPE(SvRV(tree)) >= SVt_PVMG
                    ? mg_findext(SvRV(tree), PERL_MAGIC_ext, &tree_magic) : NULL;
    pstx_tree *t = mg ? (pstx_tree *)mg->mg_ptr : NULL;
    pst_event ev;
    SV *hash;
    *message = NULL;
    if (!t)
        return &PL_sv_undef;
    while (t->fine && pst_walk_next(&t->walk, &ev)) {
        (void)pst_classes_see(&t->classes, &ev);
        hash = event_hash(aTHX_ t, &ev);
        if (hash)
            return hash;
    }
    if (t->walk.r.error.code != PST_OK)
        *message = sv_2mortal(place_or_problem(aTHX_ &t->walk, NULL));
    *name = pst_error_name(t->walk.r.error.code);
    t->fine = false;
    return &PL_sv_undef;
}
