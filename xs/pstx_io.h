/* pstx_io.h - images to and from PerlIO handles.
 *
 * Layer: glue.
 */
#ifndef PSTX_IO_H
#define PSTX_IO_H

#include "pstx.h"

/* The window that a reader has on a handle. While it lies in PerlIO's own buffer nothing
 * is copied and nothing beyond the image is consumed; what spans the buffer's end is read
 * into memory of our own, just the bytes needed. */
typedef struct pstx_input {
    IO     *handle;       /* borrowed */
    PerlIO *io;           /* its stream when the run began */
    char   *memory;       /* owned, for pieces that span buffers */
    size_t  memory_size;
    bool    borrowed;     /* the window is PerlIO's buffer */
    bool    owned;        /* the handle is ours: read in large blocks, beyond the image too */
    UV      max_off;      /* nothing that ends behind it is read; UV_MAX: no limit */
    bool    over;         /* that was asked for */
} pstx_input;

/* Let the reader read from a handle. */
void pstx_input_begin(pTHX_ pst_reader *r, pstx_input *input, IO *handle, bool owned);

/* How many bytes the file behind the handle has. RETURNS: UV_MAX if it is no regular file. */
UV pstx_input_size(pTHX_ const pstx_input *input);

/* Tell PerlIO how much was read, before anybody else may use the handle, and at the end. */
void pstx_input_commit(pTHX_ pst_reader *r, pstx_input *input);

/* Free the memory and be ready for the next handle. */
void pstx_input_release(pstx_input *input);

/* Send what was written to the handle to the disk, where the system can do it. RETURNS: false
 * if that failed (errno tells). */
bool pstx_sync(pTHX_ IO *handle);

/* Write all of these bytes. RETURNS: false if the handle did not take it all (errno tells).
 * PERL: may run user code (layers in Perl). */
bool pstx_write(pTHX_ PerlIO *io, const char *bytes, STRLEN len);

#endif
