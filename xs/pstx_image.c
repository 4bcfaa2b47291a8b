/* pstx_image.c - see pstx_image.h. */
#include "pstx_image.h"
#include "pst_convert.h"
#include "pst_host.h"

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

int pstx_image_command(pTHX_ SSize_t items, SV **args)
{
    pst_host host;
    const char **argv;
    SSize_t i;
    Newx(argv, items, const char *);
    SAVEFREEPV(argv);
    for (i = 0; i < items; i++)
        argv[i] = SvPVbyte_nolen(args[i]);
    pst_host_init(&host);
    host.write_out = write_out;
    host.write_err = write_err;
    host.out_color = pst_host_color(1);
    host.progress = pst_host_color(2);
    return pst_cli(&host, argv[0], (int)items - 1, argv + 1);
}

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
    pst_convert_problem(out, c);
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
