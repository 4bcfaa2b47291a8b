/* pst_error.h - error codes of the codec and where an error happened.
 *
 * Layer: core. PST_ERROR_LIST is the only place that names a code: the enum, and the
 * short English names that pst_error_name() returns, are made from it. The
 * sentences that Perl programs read are in xs/pstx_error.h, those of the commands in pst_inspect.c.
 */
#ifndef PST_ERROR_H
#define PST_ERROR_H

#include "pst_config.h"

/* X(code, name): names and numbers are stable, for programs; new ones come at the end. The
 * ones from PST_ERR_DEPTH to PST_ERR_FILE are the host's: the codec itself reports none of
 * them. */
#define PST_ERROR_LIST(X) \
    X(PST_OK,                "ok")                 /* nothing wrong */ \
    X(PST_ERR_TRUNCATED,     "truncated")          /* the input ends inside the image */ \
    X(PST_ERR_NOT_STORABLE,  "not_storable")       /* a file without the magic */ \
    X(PST_ERR_MAJOR,         "major_version")      /* a newer major than we know */ \
    X(PST_ERR_MINOR,         "minor_version")      /* writing: what older readers do not know */ \
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
    X(PST_ERR_OUTPUT,        "output")             /* the host could not take output */ \
    X(PST_ERR_TRAILING,      "trailing")           /* bytes behind the image */ \
    X(PST_ERR_DEPTH,         "depth")              /* a limit: levels of nesting */ \
    X(PST_ERR_ITEMS,         "items")              /* a limit: objects in the image */ \
    X(PST_ERR_BYTES,         "bytes")              /* a limit: size of the image */ \
    X(PST_ERR_CLASS,         "class")              /* a class that is not allowed */ \
    X(PST_ERR_TIE,           "tie")                /* a tied variable that is not allowed */ \
    X(PST_ERR_CODE,          "code")               /* code that is not allowed, or no code */ \
    X(PST_ERR_ITEM,          "item")               /* something that no image can hold */ \
    X(PST_ERR_HOOK,          "hook")               /* a hook that breaks the rules */ \
    X(PST_ERR_OVERLOAD,      "overload")           /* overloading that cannot be restored */ \
    X(PST_ERR_DIED,          "died")               /* host code that the run has called died */ \
    X(PST_ERR_ARGUMENT,      "argument")           /* what was asked makes no sense */ \
    X(PST_ERR_FILE,          "file")               /* a file that cannot be read or written */ \
    X(PST_ERR_NO_EQUIVALENT, "no_equivalent")      /* an older version has nothing like it */

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
