/* pstx_error.c - see pstx_error.h. */
#include "pstx_error.h"
#include "pstx_path.h"

enum place { PLACE_NONE, PLACE_RUN, PLACE_DATA };

static const struct { const char *format; pst_err code; enum place place; } messages[] = {
#define PSTX_MESSAGE_ENTRY(name, code, place, format) { format, PST_ERR_##code, PLACE_##place },
    PSTX_MESSAGE_LIST(PSTX_MESSAGE_ENTRY)
#undef PSTX_MESSAGE_ENTRY
};

/* Take the comma off that some texts end in, before ", at FILE line N.". RETURNS: was there
 * one? */
static bool cut_comma(pTHX_ SV *text)
{
    PERL_UNUSED_CONTEXT;
    if (!SvCUR(text) || SvEND(text)[-1] != ',')
        return false;
    SvCUR_set(text, SvCUR(text) - 1);
    *SvEND(text) = '\0';
    return true;
}

void pstx_throw(pTHX_ pst_err code, SV *text, const uint64_t *offset, SV *path)
{
    HV *error = newHV();
    SV *ref = sv_2mortal(newRV_noinc((SV *)error));
    const char *before = cut_comma(aTHX_ text) ? "," : "";
    (void)hv_stores(error, "code", newSViv(code));
    (void)hv_stores(error, "name", newSVpv(pst_error_name(code), 0));
    (void)hv_stores(error, "message", newSVsv(text));
    (void)hv_stores(error, "offset", offset ? newSVuv((UV)*offset) : newSV(0));
    (void)hv_stores(error, "path", path ? newSVsv(path) : newSV(0));
    (void)hv_stores(error, "at", Perl_newSVpvf(aTHX_ "%s%" SVf, before,
                        SVfARG(Perl_mess_sv(aTHX_ newSVpvs_flags("", SVs_TEMP), 0))));
    croak_sv(sv_bless(ref, gv_stashpvs("Permafrost::Error", GV_ADD)));
}

/* Die as a run of an object does. */
static void throw_from(pTHX_ const pstx_run *run, pst_err code, enum place place, SV *text)
    __attribute__noreturn__;
static void throw_from(pTHX_ const pstx_run *run, pst_err code, enum place place, SV *text)
{
    const pst_reader *r = run->kind == PSTX_RETRIEVING ? &((const pstx_retrieve *)run)->r : NULL;
    uint64_t offset = !r ? 0 : r->error.code != PST_OK ? r->error.offset : pst_cursor_off(&r->in);
    pstx_throw(aTHX_ code, text, r ? &offset : NULL,
               place == PLACE_DATA ? pstx_path_of_run(aTHX_ run) : NULL);
}

/* Die with the text. Functions that imitate Storable say where when they write: what they
 * read they cannot name in Storable's words. */
static void die_of(pTHX_ pst_err code, enum place place, SV *text) __attribute__noreturn__;
static void die_of(pTHX_ pst_err code, enum place place, SV *text)
{
    const pstx_run *run = place == PLACE_NONE ? NULL : pstx_globals_get(aTHX)->run;
    if (run && run->opt.strict)
        throw_from(aTHX_ run, code, place, text);
    if (run && place == PLACE_DATA && run->kind == PSTX_STORING) {
        const char *end = cut_comma(aTHX_ text) ? "," : "";
        croak("%" SVf " (at %" SVf ")%s", SVfARG(text), SVfARG(pstx_path_of_run(aTHX_ run)), end);
    }
    croak("%" SVf, SVfARG(text));
}

/* RETURNS: the text of a message, mortal. */
static SV *text_of(pTHX_ pstx_message message, va_list *args)
{
    SV *text = sv_newmortal();
    sv_vsetpvfn(text, messages[message].format, strlen(messages[message].format), args, NULL, 0, NULL);
    return text;
}

void pstx_croak(pTHX_ pstx_message message, ...)
{
    SV *text;
    va_list args;
    va_start(args, message);
    text = text_of(aTHX_ message, &args);
    va_end(args);
    die_of(aTHX_ messages[message].code, messages[message].place, text);
}

void pstx_croak_outside(pTHX_ const struct pstx_object *object, pstx_message message, ...)
{
    SV *text;
    va_list args;
    va_start(args, message);
    text = text_of(aTHX_ message, &args);
    va_end(args);
    if (object)
        pstx_throw(aTHX_ messages[message].code, text, NULL, NULL);
    croak("%" SVf, SVfARG(text));
}

void pstx_warn(pTHX_ pstx_message message, ...)
{
    va_list args;
    va_start(args, message);
    vwarn(messages[message].format, &args);
    va_end(args);
}

void pstx_croak_again(pTHX_ SV *error)
{
    STRLEN len;
    SV *copy = sv_2mortal(newSVsv(error));
    const char *text;
    if (SvROK(copy))
        croak_sv(copy);
    text = SvPV_force(copy, len);
    if (len && text[len - 1] == '\n') {
        len--;
        if (len && text[len - 1] == '.')
            len--;
        SvCUR_set(copy, len);
        *SvEND(copy) = '\0';
        sv_catpvs(copy, ",");
    }
    if (pstx_globals_get(aTHX)->run && pstx_globals_get(aTHX)->run->opt.strict)
        throw_from(aTHX_ pstx_globals_get(aTHX)->run, PST_ERR_DIED, PLACE_DATA, copy);
    croak("%" SVf, SVfARG(copy));
}

void pstx_croak_eval(pTHX_ SV *source, SV *error)
{
    pstx_croak_again(aTHX_ sv_2mortal(Perl_newSVpvf(aTHX_ messages[PSTX_MSG_EVAL_FAILED].format,
                                                    SVfARG(source), SVfARG(error))));
}

static const char *kind_of(bool file)
{
    return file ? "file" : "string";
}

/* A machine as a native header describes it. RETURNS: mortal. */
static SV *machine(pTHX_ const pst_header *h)
{
    SV *text = sv_2mortal(Perl_newSVpvf(aTHX_ "%s, int %d, long %d, pointer %d", h->order,
                                        (int)h->int_size, (int)h->long_size, (int)h->ptr_size));
    if (pst_header_has_nv(h))
        sv_catpvf(text, ", NV %d", (int)h->nv_size);
    return text;
}

/* The image is not from a machine like this one; if it is from one that could be read, both are
 * named. */
static void croak_foreign(pTHX_ const pst_header *h, pstx_message message) __attribute__noreturn__;
static void croak_foreign(pTHX_ const pst_header *h, pstx_message message)
{
    pst_header host;
    SV *more = sv_2mortal(newSVpvs(""));
    if (pst_header_readable(h) == PST_OK) {
        pst_header_host(&host, pstx_order_len(aTHX_ NULL), NVSIZE);
        Perl_sv_setpvf(aTHX_ more, messages[PSTX_MSG_MACHINES].format,
                       SVfARG(machine(aTHX_ h)), SVfARG(machine(aTHX_ &host)));
    }
    pstx_croak(aTHX_ message, SvPV_nolen(more));
}

void pstx_croak_header(pTHX_ const struct pst_reader *r, pst_err err, bool file)
{
    switch (err) {
    case PST_ERR_NOT_STORABLE: pstx_croak(aTHX_ PSTX_MSG_NOT_STORABLE);
    case PST_ERR_BYTE_ORDER:   croak_foreign(aTHX_ &r->header, PSTX_MSG_BYTE_ORDER);
    case PST_ERR_INT_SIZE:     croak_foreign(aTHX_ &r->header, PSTX_MSG_INT_SIZE);
    case PST_ERR_LONG_SIZE:    croak_foreign(aTHX_ &r->header, PSTX_MSG_LONG_SIZE);
    case PST_ERR_PTR_SIZE:     croak_foreign(aTHX_ &r->header, PSTX_MSG_PTR_SIZE);
    case PST_ERR_NV_SIZE:      croak_foreign(aTHX_ &r->header, PSTX_MSG_NV_SIZE);
    case PST_ERR_MAJOR:
        pstx_croak(aTHX_ PSTX_MSG_VERSION, (int)r->header.major, (int)r->header.minor,
                   PST_MAJOR, PSTX_READ_MINOR);
    default:
        pstx_croak(aTHX_ PSTX_MSG_MAGIC, kind_of(file));
    }
}

void pstx_croak_body(pTHX_ const struct pst_reader *r, bool file)
{
    const pst_error *e = &r->error;
    const pst_header *h = &r->header;
    switch (e->code) {
    case PST_ERR_MARKER:
        if (h->major == PST_MAJOR && h->minor > PSTX_READ_MINOR)
            pstx_croak(aTHX_ PSTX_MSG_NEWER_DATA, (int)h->major, (int)h->minor, (int)e->have,
                       PST_MAJOR, PSTX_READ_MINOR, PSTX_LAST_TAG);
        if (h->major != PST_MAJOR)
            pstx_croak(aTHX_ PSTX_MSG_CORRUPTED_OLD, kind_of(file),
                       h->unversioned ? -1 : (int)h->major, (int)h->minor,
                       PST_MAJOR, PSTX_READ_MINOR);
        pstx_croak(aTHX_ PSTX_MSG_CORRUPTED, kind_of(file), (int)h->major, (int)h->minor);
    case PST_ERR_TAG:         pstx_croak(aTHX_ PSTX_MSG_NO_OBJECT, (IV)e->have);
    case PST_ERR_CLASS_INDEX: pstx_croak(aTHX_ PSTX_MSG_NO_CLASS, (IV)e->have);
    case PST_ERR_CLASS_LENGTH:
        pstx_croak(aTHX_ PSTX_MSG_CLASS_LENGTH, (UV)e->have);
    case PST_ERR_LENGTH:      pstx_croak(aTHX_ PSTX_MSG_TOO_LARGE);
    default:
        pstx_croak(aTHX_ PSTX_MSG_CORRUPTED, kind_of(file), (int)h->major, (int)h->minor);
    }
}
