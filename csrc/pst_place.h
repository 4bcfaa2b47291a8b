/* pst_place.h - where a walk is, as a path: $->{rows}[3], in the notation of pst_path.h.
 *
 * Layer: core.
 */
#ifndef PST_PLACE_H
#define PST_PLACE_H

#include "pst_out.h"
#include "pst_path.h"
#include "pst_walk.h"

/* A path under construction, frame by frame. */
typedef struct pst_place {
    pst_path path;
    bool     referred;    /* a reference leads to what comes next */
} pst_place;

PST_EXTERN_C_BEGIN

void pst_place_init(pst_place *p);

/* The step into the child that a frame is at; a hash's `key` is borrowed until the end, NULL
 * if it is not known. */
void pst_place_add(pst_place *p, const pst_frame *f, const uint8_t *key);

/* Print it.
 *   scalar  what stands there is no container: the reference to it is a step */
void pst_place_print(pst_place *p, pst_out *o, bool scalar);

/* All of that: the path of what the first `depth` frames enclose. */
void pst_print_place(pst_out *o, const pst_walk *w, size_t depth, bool scalar);

/* One {key}. */
void pst_print_key(pst_out *o, const uint8_t *key, size_t len, bool utf8);

/* A path as a user writes it: arrows may be left out, so may ${...} around it all. */
typedef struct pst_steps {
    const char *text;       /* the rest of the path */
    const char *error;      /* why it is no path; NULL if it is */
} pst_steps;

/* Start on `text`, NUL-terminated: checks that it is a path. RETURNS: false, with error. */
bool pst_steps_init(pst_steps *s, const char *text);

/* Does the frame's child lie on the path? If so the step is taken from s->text. */
bool pst_steps_match(pst_steps *s, const pst_walk *w, const pst_frame *f);

/* Is the path at its end? */
bool pst_steps_done(const pst_steps *s);

PST_EXTERN_C_END

#endif
