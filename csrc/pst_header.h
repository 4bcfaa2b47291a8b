/* pst_header.h - the header of an image, to and from a struct.
 *
 * Layer: core. A header says how the image was written (network or native order) and,
 * when native, by what kind of machine. Images in files start with a magic, images in
 * memory do not; the rest is the same. Reading fills the struct with what stands there
 * and judges nothing but the shape; what a reader can live with is asked afterwards.
 */
#ifndef PST_HEADER_H
#define PST_HEADER_H

#include "pst_cursor.h"
#include "pst_error.h"

/* The longest header that pst_header_write() makes: magic, 2 version bytes, 1 + 8 of
 * byte order, 4 sizes. */
#define PST_HEADER_MAX 19

typedef struct pst_header {
    bool    file;        /* starts with a magic */
    bool    old_magic;   /* the magic of files before 0.6 */
    bool    unversioned; /* format -1: no version byte at all */
    bool    netorder;    /* network order: no machine description follows */
    uint8_t major;       /* 2 today; 1 and 0 are the old formats (also -1, read as 0) */
    uint8_t minor;       /* 0 when major < 2 */
    uint8_t order_off;   /* where the byte-order text begins; 0 if there is none */
    uint8_t order_len;   /* bytes of byte-order text = sizeof(IV) of the writer */
    char    order[9];    /* the text, cut to 8 bytes, NUL-terminated */
    uint8_t int_size, long_size, ptr_size;  /* bytes */
    uint8_t nv_size;     /* bytes; 0 where the format does not say (before 2.2) */
    bool    nv_quad;     /* floats of 16 little-endian bytes shall be written as IEEE quads, not x87; */
                         /* headers of images do not say, so false in those that were read */
} pst_header;

/* Bytes of an integer and a float of this machine's perl, for what does not get them from a
 * caller: a build for a perl where they are others says so (see Makefile.PL). */
#ifndef PST_NATIVE_IV_SIZE
#define PST_NATIVE_IV_SIZE 8
#endif
#ifndef PST_NATIVE_NV_SIZE
#define PST_NATIVE_NV_SIZE 8
#endif
#ifndef PST_NATIVE_NV_QUAD      /* 1: the float is an IEEE quad */
#define PST_NATIVE_NV_QUAD 0
#endif

PST_EXTERN_C_BEGIN

/* Fill `h` with the native header of this machine, as an image in memory.
 *   iv_size, nv_size  bytes of the host language's integer and float (Perl: IV, NV) */
void pst_header_host(pst_header *h, size_t iv_size, size_t nv_size);

/* Write `h` (magic if h->file) to `out`, which has room for PST_HEADER_MAX bytes.
 * RETURNS: bytes written. */
size_t pst_header_write(const pst_header *h, uint8_t *out);

/* Read a header; h->file must say whether a magic is expected.
 * RETURNS: PST_OK; PST_ERR_TRUNCATED (too short even for the header;
 * major and minor are set if they were there);
 * PST_ERR_NOT_STORABLE (no magic where one must be). */
pst_err pst_header_read(pst_header *h, pst_cursor *in);

/* Does a header of this version tell the size of an NV (if native)? */
bool pst_header_has_nv(const pst_header *h);

/* The first way in which the native header `h` differs from `host`, in the order in
 * which Storable looks. RETURNS: PST_OK, or PST_ERR_BYTE_ORDER, _INT_SIZE, _LONG_SIZE,
 * _PTR_SIZE, _NV_SIZE. */
pst_err pst_header_compare(const pst_header *h, const pst_header *host);

/* Can a reader of this library decode what a machine like `h` wrote?
 * RETURNS: as pst_header_compare(). */
pst_err pst_header_readable(const pst_header *h);

/* Is the multi-byte order of `h` (network counts as big-endian) not this machine's? */
bool pst_header_swapped(const pst_header *h);

PST_EXTERN_C_END

#endif
