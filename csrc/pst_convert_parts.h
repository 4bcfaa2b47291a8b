/* pst_convert_parts.h - what the files of the converter share.
 *
 * Layer: core, private to pst_convert*.c. One converter rewrites one image; for an image in a
 * hook's string there is another, which writes to memory.
 */
#ifndef PST_CONVERT_PARTS_H
#define PST_CONVERT_PARTS_H

#include "pst_convert.h"

typedef struct pst_converter {
    pst_conversion       *c;
    const pst_source     *source;
    struct pst_converter *outer;        /* NULL for the image that was asked for */
    int                   level;        /* of nested images */
    pst_walk              walk;
    pst_writer            out;
    bool                  write_failed;
    uint64_t              event_off;    /* of what is being converted */
    uint8_t               refused;      /* the marker without an equivalent */
    pst_error             error;
    /* a hook record: what is held back until its string is known */
    bool                  hook_extra;   /* the flags have an extra byte */
    bool                  class_named;  /* by name, else class_len is its number */
    uint8_t              *class_name;
    uint64_t              class_len;
    size_t                class_room;
} pst_converter;

PST_EXTERN_C_BEGIN

void pst_converter_init(pst_converter *x, pst_conversion *c, const pst_source *source,
                        pst_converter *outer);
void pst_converter_release(pst_converter *x);

/* Header and body. RETURNS: false after an error, which is in x->error. */
bool pst_converter_run(pst_converter *x);

/* Note why it ended early: the reader's reason, or the writer's if the walk has gone well.
 * RETURNS: false. */
bool pst_converter_fail(pst_converter *x, bool walked);

/* ---- pst_convert_object.c: a marker with its fixed part; a key; what follows a pattern ---- */
bool pst_convert_object(pst_converter *x, const pst_event *ev);
bool pst_convert_key(pst_converter *x, const pst_event *ev);
bool pst_convert_regexp_flags(pst_converter *x, const pst_event *ev);

/* ---- pst_convert_old.c: the body of an image in an old format; the header is written ---- */
bool pst_convert_old(pst_converter *x);

PST_EXTERN_C_END

#endif
