/* pst_error.c - names of error codes. */
#include "pst_error.h"

const char *pst_error_name(pst_err code)
{
    static const char *const names[] = {
#define PST_ERROR_NAME(code, name) name,
        PST_ERROR_LIST(PST_ERROR_NAME)
#undef PST_ERROR_NAME
    };
    return (unsigned)code < PST_ERR_COUNT ? names[code] : "unknown";
}
