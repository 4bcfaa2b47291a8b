/* pst_convert.h - an image rewritten for another machine, order or version.
 *
 * Layer: core; a client of the walk and the writer. What is written is what the other machine's
 * Storable would write of the same data, as far as the image tells: tags and class numbers stay
 * as they are, so an image streams through, and memory goes with its nesting. Nothing is built,
 * blessed, loaded or run.
 *
 * What changes on the way, and what cannot be had back:
 *
 *   to network order    an integer beyond 32 bits becomes its decimal text, a float text of 15
 *                       digits (17 with `digits`); from there they remain texts
 *   to integers of 4    an integer beyond 32 bits becomes its decimal text
 *   to other floats     a longer float is rounded to the nearest
 *   to an older minor   booleans become "1" and "", an array item &PL_sv_undef a hole, weak
 *                       references strong ones, v-strings lose their v-string, character
 *                       strings and keys become bytes if their characters are below 256
 *
 * What has no older equivalent (regexps, code, restricted hashes, characters above 255, sizes
 * beyond 31 bits) is an error, PST_ERR_NO_EQUIVALENT.
 *
 * An image in an old format (major 0 or 1) becomes one of today's. It is walked twice, and takes
 * memory for each object with a class, in major 0 for each object.
 */
#ifndef PST_CONVERT_H
#define PST_CONVERT_H

#include "pst_walk.h"
#include "pst_writer.h"

/* Images within images, this many deep, are looked for; what is deeper stays as it is. */
enum { PST_NESTED_MAX = 16 };

/* An image that was found in a hook's string. Valid during the call. */
typedef struct pst_nested {
    const pst_walk   *walk;       /* of the outer image: pst_walk_off() and the frames tell where */
    const pst_header *header;     /* of the inner image */
    uint64_t          off, len;   /* its bytes in the outer image */
    bool              converted;  /* or left as it is */
} pst_nested;

typedef struct pst_conversion {
    /* Set by the caller; all borrowed. */
    const pst_source *source;
    const pst_memory *memory;
    pst_header        target;     /* order and sizes to write; the rest is not looked at */
    bool              keep_order; /* instead: those of the image */
    int               minor;      /* version 2.minor; -1: that of the image, 11 for old formats */
    int               digits;     /* PST_DIGITS_PERL or PST_DIGITS_EXACT */
    bool              nested;     /* convert images in hook strings, too */
    bool            (*write)(void *host, const void *bytes, size_t len);   /* false: failed */
    void            (*found)(void *host, const pst_nested *nested);        /* or NULL */
    void             *host;       /* for both */
    /* Set by pst_convert(). */
    pst_header        was;        /* of the image, as far as it was read */
    pst_error         error;      /* code, and the offset in the image */
    uint64_t          end;        /* where the image ends in the source, once it is converted */
    uint64_t          older_count;  /* markers turned into older ones */
} pst_conversion;

PST_EXTERN_C_BEGIN

/* Fill `target` by a name: "network", "native" (this machine, with PST_NATIVE_IV_SIZE and
 * PST_NATIVE_NV_SIZE) or one of the byte orders 1234, 4321, 12345678, 87654321 (int 4; long and
 * pointer of 4, or 8 with an order of 8; NV 8), perhaps with the sizes of int, long, pointer and NV
 * behind it: 12345678/4/4/4/8. RETURNS: false if it is none of them; `target` is as it was. */
bool pst_convert_target(pst_header *target, const char *name);

/* Convert an image from `source` to `write`. A magic is written if the image has one. What is
 * behind the image is left out. RETURNS: false after an error, then `error` tells; something
 * may have been written already. */
bool pst_convert(pst_conversion *c);

PST_EXTERN_C_END

#endif
