/* pst_error.h - error codes of the codec and where an error happened.
 *
 * Layer: core. PST_ERROR_LIST is the only place that names a code: the enum, and the
 * short English names that pst_error_name() returns, are made from it. Sentences for
 * users are the host's business (the Perl glue has them in xs/pstx_error.c).
 */
#ifndef PST_ERROR_H
#define PST_ERROR_H

#include "pst_config.h"

/* X(code, name): the name is stable, for programs. */
#define PST_ERROR_LIST(X) \
    X(PST_OK,                "ok")                 /* nothing wrong */ \
    X(PST_ERR_TRUNCATED,     "truncated")          /* the input ends inside the image */ \
    X(PST_ERR_NOT_STORABLE,  "not_storable")       /* a file without the magic */ \
    X(PST_ERR_MAJOR,         "major_version")      /* a newer major than we know */ \
    X(PST_ERR_MINOR,         "minor_version")      /* a newer minor, and not accepted */ \
    X(PST_ERR_BYTE_ORDER,    "byte_order")         /* header: order of an IV */ \
    X(PST_ERR_INT_SIZE,      "int_size")           /* header: sizeof(int) */ \
    X(PST_ERR_LONG_SIZE,     "long_size")          /* header: sizeof(long) */ \
    X(PST_ERR_PTR_SIZE,      "ptr_size")           /* header: sizeof(char *) */ \
    X(PST_ERR_NV_SIZE,       "nv_size")            /* header: sizeof(NV) */ \
    X(PST_ERR_MARKER,        "marker")             /* an unknown or misplaced marker */ \
    X(PST_ERR_TAG,           "tag")                /* OBJECT or hook tag not yet defined */ \
    X(PST_ERR_CLASS_INDEX,   "class_index")        /* class number not yet defined */ \
    X(PST_ERR_CLASS_LENGTH,  "class_length")       /* a class name beyond any memory */ \
    X(PST_ERR_LENGTH,        "length")             /* a length or count beyond any memory */ \
    X(PST_ERR_MEMORY,        "memory")             /* the host could not give memory */ \
    X(PST_ERR_OUTPUT,        "output")             /* the host could not take output */

typedef enum pst_err {
#define PST_ERROR_ENUM(code, name) code,
    PST_ERROR_LIST(PST_ERROR_ENUM)
#undef PST_ERROR_ENUM
    PST_ERR_COUNT
} pst_err;

/* What went wrong, and where. The first error sticks; later calls do nothing.
 *   code    PST_OK while all is well
 *   marker  the marker being read or written
 *   offset  bytes from the start of the image (header included)
 *   want    what would have been right (a size, a limit), 0 if it means nothing
 *   have    what was found */
typedef struct pst_error {
    pst_err  code;
    uint8_t  marker;
    uint64_t offset;
    uint64_t want, have;
} pst_error;

PST_EXTERN_C_BEGIN
/* The stable name of a code. RETURNS: a static string, never NULL. */
const char *pst_error_name(pst_err code);
PST_EXTERN_C_END

#endif
