/* pstx_spill.c - see pstx_spill.h. */
#include "pstx_spill.h"
#include "pstx_io.h"
#include <fcntl.h>

#ifdef O_CLOEXEC
#  define CLOSE_ON_EXEC O_CLOEXEC
#else
#  define CLOSE_ON_EXEC 0
#endif

struct pstx_spill {
    SV  *file;      /* +1 */
    int  fd;        /* -1: not opened */
    UV   len;       /* bytes in it */
    bool off;       /* it has failed once: the rest stays in memory */
};

static void spill_free(pTHX_ void *arg)
{
    pstx_spill *spill = (pstx_spill *)arg;
    if (spill->fd >= 0)
        (void)PerlLIO_close(spill->fd);
    SvREFCNT_dec(spill->file);
    Safefree(spill);
}

pstx_spill *pstx_spill_new(pTHX_ SV *file)
{
    pstx_spill *spill;
    Newxz(spill, 1, pstx_spill);
    spill->fd = -1;
    spill->off = TAINTING_get && SvTAINTED(file);    /* perl will refuse to open it */
    spill->file = SvREFCNT_inc_simple_NN(file);
    SAVEDESTRUCTOR_X(spill_free, spill);
    return spill;
}

pstx_spill *pstx_spill_new_temporary(pTHX)
{
    const char *dir = TAINTING_get ? NULL : PerlEnv_getenv("TMPDIR");
    SV *name = sv_2mortal(newSVpv(dir && *dir ? dir : "/tmp", 0));
    sv_catpvs(name, "/image");
    return pstx_spill_new(aTHX_ name);
}

/* Make the file, beside the other, and take its name away. */
static bool open_file(pTHX_ pstx_spill *spill)
{
#ifdef O_EXCL
    const char *name = SvPV_nolen_const(spill->file), *slash = strrchr(name, '/');
    const int dir_len = slash ? (int)(slash - name) + 1 : 0;
    Stat_t st;
    int count;
    if (PerlLIO_stat(name, &st) == 0 && !S_ISREG(st.st_mode))
        return false;           /* beside a device is no place for files */
    for (count = 0; count < 100 && spill->fd < 0; count++) {
        SV *own = sv_2mortal(Perl_newSVpvf(aTHX_ "%.*s.permafrost-%" IVdf "-%d.tmp", dir_len, name,
                                           (IV)PerlProc_getpid(), count));
        spill->fd = PerlLIO_open3(SvPVX(own), O_RDWR | O_CREAT | O_EXCL | CLOSE_ON_EXEC, 0600);
        if (spill->fd >= 0 && PerlLIO_unlink(SvPVX(own)) != 0) {
            (void)PerlLIO_close(spill->fd);
            spill->fd = -1;
            return false;
        }
    }
#endif
    return spill->fd >= 0;
}

bool pstx_spill_take(pTHX_ pstx_spill *spill, const char *bytes, size_t len)
{
    dSAVE_ERRNO;
    size_t done = 0;
    if (!spill->off && (spill->fd >= 0 || open_file(aTHX_ spill))) {
        while (done < len) {
            SSize_t now = PerlLIO_write(spill->fd, bytes + done, len - done);
            if (now < 0 && errno != EINTR)
                break;
            done += now > 0 ? (size_t)now : 0;
        }
    }
    if (done < len)
        spill->off = true;          /* what has been written of it is not counted */
    else
        spill->len += len;
    RESTORE_ERRNO;
    return done == len;
}

void pstx_spill_reset(pstx_spill *spill)
{
    if (!spill->len)
        return;
    spill->len = 0;
    spill->off = PerlLIO_lseek(spill->fd, 0, SEEK_SET) != 0;
}

bool pstx_spill_send(pTHX_ const pstx_spill *spill, PerlIO *io)
{
    enum { PIECE = 1 << 16 };
    char *piece;
    UV left = spill->len;
    SSize_t got = 0;
    if (!left)
        return true;
    if (PerlLIO_lseek(spill->fd, 0, SEEK_SET) != 0)
        return false;
    Newx(piece, PIECE, char);
    SAVEFREEPV(piece);
    for (; left; left -= (UV)got) {
        got = PerlLIO_read(spill->fd, piece, left < PIECE ? (size_t)left : PIECE);
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got == 0) {
            errno = EIO;            /* somebody else has cut it */
            return false;
        }
        else if (got < 0 || !pstx_write(aTHX_ io, piece, (STRLEN)got))
            return false;
    }
    return true;
}

UV pstx_spill_held(const pstx_spill *spill, int *fd)
{
    *fd = spill->fd;
    return spill->len;
}
