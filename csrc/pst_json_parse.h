/* pst_json_parse.h - JSON text to a flat list of its values.
 *
 * Layer: core. The values stand in the list in the order of the text, each container before
 * what is in it; of an object each name stands before its value. No recursion, no copies:
 * strings and numbers are places in the text. Memory: 40 bytes for each value.
 */
#ifndef PST_JSON_PARSE_H
#define PST_JSON_PARSE_H

#include "pst_memory.h"

enum pst_json_type { PST_JSON_NULL, PST_JSON_TRUE, PST_JSON_FALSE, PST_JSON_NUMBER,
                     PST_JSON_STRING, PST_JSON_ARRAY, PST_JSON_OBJECT };

typedef struct pst_json_value {
    uint8_t  type;       /* enum pst_json_type */
    size_t   at, len;    /* STRING (without its quotes), NUMBER: where in the text */
    size_t   count;      /* ARRAY: items; OBJECT: names and values together */
    size_t   next;       /* number of the value behind this one and all that is in it */
} pst_json_value;

typedef struct pst_json_text {
    const uint8_t    *text;
    size_t            len;
    const pst_memory *memory;
    pst_json_value   *values;      /* owned */
    size_t            count, room;
    const char       *error;       /* what is wrong; NULL if nothing is */
    size_t            error_at;    /* where in the text */
} pst_json_text;

PST_EXTERN_C_BEGIN

/* Parse `text`, which stays the caller's. Release also after an error.
 * RETURNS: false, with error. */
bool pst_json_parse(pst_json_text *j, const pst_memory *memory, const uint8_t *text, size_t len);
void pst_json_text_release(pst_json_text *j);

/* The value of a name in the object `object`. RETURNS: SIZE_MAX if there is none. */
size_t pst_json_member(const pst_json_text *j, size_t object, const char *name);

/* Is the string just this (plain ASCII, nothing escaped)? */
bool pst_json_is(const pst_json_text *j, size_t value, const char *text);

/* An integer. RETURNS: false if the value is none or does not fit. */
bool pst_json_integer(const pst_json_text *j, size_t value, int64_t *v);

/* The characters of a string into `out`, which has room for value.len bytes: as UTF-8, or
 * one byte each. RETURNS: bytes; SIZE_MAX if a character does not fit into a byte. */
size_t pst_json_string(const pst_json_text *j, size_t value, bool utf8, uint8_t *out);

PST_EXTERN_C_END

#endif
