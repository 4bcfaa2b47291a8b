/* pstx_io.c - see pstx_io.h. */
#include "pstx_io.h"

enum {
    READ_BLOCK      = 256 * 1024,   /* what is read at a time from a handle of our own */
    READ_AHEAD_MAX = 64 * 1024     /* how far memory goes ahead of what has really arrived */
};

/* Put `have` unread bytes at the start of the memory, with room for `size` in all. */
static void make_room(pst_cursor *c, pstx_input *input, size_t have, size_t size)
{
    const uint8_t *unread = c->pos;
    if (input->memory_size < size) {
        char *bigger;
        Newx(bigger, size, char);
        if (have)
            Move(unread, bigger, have, char);
        Safefree(input->memory);
        input->memory = bigger;
        input->memory_size = size;
    }
    else if (have)
        Move(unread, input->memory, have, char);
    c->start_off = pst_cursor_off(c);
    c->start = c->pos = (const uint8_t *)input->memory;
    c->end = c->start + have;
    input->borrowed = false;
}

/* Read into the memory until `need` bytes are there. Memory grows with what arrives, so
 * a length that the input cannot honour costs nothing. */
static bool read_span(pTHX_ pst_cursor *c, pstx_input *input, size_t need)
{
    size_t have = pst_cursor_left(c);
    while (have < need) {
        size_t want = input->owned && need < READ_BLOCK ? READ_BLOCK : need;
        size_t step = have + READ_AHEAD_MAX > have * 2 ? have + READ_AHEAD_MAX : have * 2;
        SSize_t got;
        if (want > step && need > step)
            want = step;
        make_room(c, input, have, want > input->memory_size ? want : input->memory_size);
        got = PerlIO_read(input->io, input->memory + have, want - have);
        if (got <= 0)
            return false;
        have += (size_t)got;
        c->end = c->start + have;
    }
    return true;
}

/* Can the window be PerlIO's own buffer? */
static bool borrow_buffer(pTHX_ pst_cursor *c, pstx_input *input, size_t need)
{
    SSize_t count;
    if (input->owned || pst_cursor_left(c) || !PerlIO_fast_gets(input->io))
        return false;
    count = PerlIO_get_cnt(input->io);
    if (count <= 0) {
        if (PerlIO_fill(input->io) != 0)
            return false;
        count = PerlIO_get_cnt(input->io);
    }
    if (count < 0 || (size_t)count < need)
        return false;
    c->start_off = pst_cursor_off(c);
    c->start = c->pos = (const uint8_t *)PerlIO_get_ptr(input->io);
    c->end = c->start + count;
    input->borrowed = true;
    return true;
}

static void commit(pTHX_ pst_cursor *c, pstx_input *input)
{
    if (!input->borrowed)
        return;
    PerlIO_set_ptrcnt(input->io, (STDCHAR *)c->pos,
                      PerlIO_get_cnt(input->io) - (SSize_t)(c->pos - c->start));
    c->start_off = pst_cursor_off(c);
    c->start = c->pos = c->end = NULL;
    input->borrowed = false;
}

static PerlIO *stream_of(IO *handle)
{
    return IoIFP(handle) ? IoIFP(handle) : IoOFP(handle);
}

static bool refill(pst_cursor *c, size_t need)
{
    dTHX;
    pstx_input *input = (pstx_input *)c->host;
    commit(aTHX_ c, input);
    if (!input->io || stream_of(input->handle) != input->io)    /* a hook has closed it */
        return false;
    if (need > input->max_off || pst_cursor_off(c) > input->max_off - need) {
        input->over = true;
        return false;
    }
    return borrow_buffer(aTHX_ c, input, need) || read_span(aTHX_ c, input, need);
}

void pstx_input_begin(pTHX_ pst_reader *r, pstx_input *input, IO *handle, bool owned)
{
    PERL_UNUSED_CONTEXT;
    pst_reader_init(r, NULL, 0);
    r->in.refill = refill;
    r->in.host = input;
    input->handle = handle;
    input->io = stream_of(handle);
    input->owned = owned;
    input->max_off = UV_MAX;
}

UV pstx_input_size(pTHX_ const pstx_input *input)
{
    Stat_t st;
    int fd = PerlIO_fileno(input->io);
    PERL_UNUSED_CONTEXT;
    return fd >= 0 && PerlLIO_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (UV)st.st_size : UV_MAX;
}

void pstx_input_commit(pTHX_ pst_reader *r, pstx_input *input)
{
    if (input->io)
        commit(aTHX_ &r->in, input);
}

void pstx_input_release(pstx_input *input)
{
    Safefree(input->memory);
    Zero(input, 1, pstx_input);
}

bool pstx_write(pTHX_ PerlIO *io, const char *bytes, STRLEN len)
{
    PERL_UNUSED_CONTEXT;
    while (len) {
        SSize_t done = PerlIO_write(io, bytes, len);
        if (done <= 0)
            return false;
        bytes += done;
        len -= (STRLEN)done;
    }
    return true;
}

bool pstx_sync(pTHX_ IO *handle)
{
    PerlIO *io = stream_of(handle);
    PERL_UNUSED_CONTEXT;
    if (!io || (IoOFP(handle) && PerlIO_flush(IoOFP(handle)) != 0))
        return false;
#ifdef HAS_FSYNC
    return fsync(PerlIO_fileno(io)) == 0;
#else
    return true;
#endif
}
