/* pstx_image.c - see pstx_image.h. */
#include "pstx_image.h"
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
