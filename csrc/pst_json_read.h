/* pst_json_read.h - what the parts of reading tagged JSON share.
 *
 * Layer: core, private to pst_json_read.c and pst_json_read_record.c. What is still to be
 * written stands on a stack, so nesting costs memory only: a value pushes what belongs to it,
 * the last part first.
 */
#ifndef PST_JSON_READ_H
#define PST_JSON_READ_H

#include "pst_inspect.h"
#include "pst_json_parse.h"

enum pst_back_op_kind {
    PST_BACK_VALUE,         /* the value; flag: LOBJECT stands before it */
    PST_BACK_ITEMS,         /* count array items from value on */
    PST_BACK_PAIRS,         /* count names with values from value on, of a HASH */
    PST_BACK_FLAG_PAIRS,    /* count lists [key, flags, value], of a FLAG_HASH */
    PST_BACK_KEY,           /* the name of a pair */
    PST_BACK_FLAG_KEY,      /* the list of a pair: flags and key */
    PST_BACK_INDEX,         /* four bytes */
    PST_BACK_HOOK_OBJECTS,  /* count lists [object, flags] */
    PST_BACK_BYTE,          /* the number as a byte */
    PST_BACK_HOOK_REST,     /* the hook's object: class, string, list; flag: LOBJECT */
    PST_BACK_OLD_END        /* the old object: class notices, end mark */
};

typedef struct pst_back_op {
    uint8_t kind;
    bool    flag;
    uint8_t byte;      /* HOOK_REST: flags */
    size_t  value, count;
} pst_back_op;

typedef struct pst_back {
    pst_job       *job;
    pst_out       *o;
    pst_json_text  j;
    pst_back_op   *ops;
    size_t         op_count, op_room;
    uint8_t       *text;       /* the string at hand */
    size_t         text_room;
    pst_header     h;
    bool           little, old, tagged;
    const char    *error;
    size_t         error_at;   /* in the JSON text */
} pst_back;

PST_EXTERN_C_BEGIN

/* Record the first error. RETURNS: false. */
bool pst_back_fail(pst_back *b, size_t value, const char *error);

/* Put something on the stack. RETURNS: false without memory. */
bool pst_back_push(pst_back *b, enum pst_back_op_kind kind, size_t value, size_t count, bool flag);

/* An integer between the bounds: a value; a member of an object. */
bool pst_back_integer(pst_back *b, size_t value, int64_t low, int64_t high, int64_t *v);
bool pst_back_member(pst_back *b, size_t object, const char *name, int64_t low, int64_t high, int64_t *v);

/* The bytes of a string, or of a {"$HEX":...}, to b->text. */
bool pst_back_text(pst_back *b, size_t value, bool utf8, size_t *len);

/* The bytes of a string of hexadecimal digits to b->text. */
bool pst_back_hex(pst_back *b, size_t value, size_t *len);

/* ---- pst_json_read_record.c: hook records, old formats ---- */

/* {"$HOOK":...}: its beginning; one [object, flags]; what follows the objects. */
bool pst_back_hook(pst_back *b, size_t object, bool huge);
bool pst_back_hook_object(pst_back *b, const pst_back_op *p);
bool pst_back_hook_rest(pst_back *b, const pst_back_op *p);

/* {"$OLD":...}: its tag; what stands behind the object. */
bool pst_back_old(pst_back *b, size_t object);
bool pst_back_old_end(pst_back *b, const pst_back_op *p);

PST_EXTERN_C_END

/* A byte. */
PST_INLINE void pst_back_u8(pst_back *b, unsigned v)
{
    pst_out_char(b->o, (char)v);
}

/* A number of 4 or 8 bytes, least significant first or last. */
PST_INLINE void pst_back_number(pst_back *b, uint64_t v, unsigned size, bool little)
{
    unsigned i;
    for (i = 0; i < size; i++)
        pst_back_u8(b, (unsigned)(v >> 8 * (little ? i : size - 1 - i)) & 0xff);
}

/* Four bytes in the image's order. */
PST_INLINE void pst_back_u32(pst_back *b, uint64_t v)
{
    pst_back_number(b, v, 4, b->little);
}

/* A length or count: 4 bytes, or 8 behind a LOBJECT. */
PST_INLINE void pst_back_length(pst_back *b, uint64_t len, bool huge)
{
    if (huge)
        pst_back_number(b, len, 8, b->little);
    else
        pst_back_u32(b, len);
}

#endif
