/* pstx_error.c - see pstx_error.h. */
#include "pstx_error.h"
#include "pst_reader.h"

static const char *const formats[] = {
#define PSTX_MESSAGE_FORMAT(name, format) format,
    PSTX_MESSAGE_LIST(PSTX_MESSAGE_FORMAT)
#undef PSTX_MESSAGE_FORMAT
};

void pstx_croak(pTHX_ pstx_message message, ...)
{
    va_list args;
    va_start(args, message);
    vcroak(formats[message], &args);
    va_end(args);    /* not reached */
}

void pstx_warn(pTHX_ pstx_message message, ...)
{
    va_list args;
    va_start(args, message);
    vwarn(formats[message], &args);
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
        croak("%" SVf ",", SVfARG(copy));
    }
    croak("%" SVf, SVfARG(copy));
}

void pstx_croak_eval(pTHX_ SV *source, SV *error)
{
    pstx_croak_again(aTHX_ sv_2mortal(Perl_newSVpvf(aTHX_ formats[PSTX_MSG_EVAL_FAILED],
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
        pst_header_host(&host, IVSIZE, NVSIZE);
        Perl_sv_setpvf(aTHX_ more, formats[PSTX_MSG_MACHINES],
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
    case PST_ERR_MINOR:
        pstx_croak(aTHX_ PSTX_MSG_VERSION, (int)r->header.major, (int)r->header.minor,
                   PST_MAJOR, PSTX_WRITE_MINOR);
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
        if (h->major == PST_MAJOR && h->minor > PSTX_WRITE_MINOR)
            pstx_croak(aTHX_ PSTX_MSG_NEWER_DATA, (int)h->major, (int)h->minor, (int)e->have,
                       PST_MAJOR, PSTX_WRITE_MINOR, PSTX_LAST_TAG);
        if (h->major != PST_MAJOR)
            pstx_croak(aTHX_ PSTX_MSG_CORRUPTED_OLD, kind_of(file),
                       h->unversioned ? -1 : (int)h->major, (int)h->minor,
                       PST_MAJOR, PSTX_WRITE_MINOR);
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
