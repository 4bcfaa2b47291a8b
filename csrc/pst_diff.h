/* pst_diff.h - what the parts of pst_diff() share.
 *
 * Layer: core, private to pst_diff.c, pst_diff_text.c and pst_diff_hash.c.
 */
#ifndef PST_DIFF_H
#define PST_DIFF_H

#include "pst_inspect.h"
#include "pst_classes.h"
#include "pst_place.h"
#include "pst_shared.h"

/* A value of a hash, by its key. */
typedef struct pst_diff_entry {
    const uint8_t *key;
    size_t         len;
    uint8_t        flags;
    uint64_t       off;
} pst_diff_entry;

typedef struct pst_diff_entries {
    pst_diff_entry *list;
    size_t          count, room;
} pst_diff_entries;

/* One of the two images, as far as one comparison is. */
typedef struct pst_diff_side {
    pst_walk  w;
    pst_event ev;
    bool      more;              /* ev is an event to be compared */
} pst_diff_side;

/* A comparison: of the roots, of two values of a hash, or of two shared objects. */
typedef struct pst_diff_level {
    pst_diff_side    a, b;
    char            *prefix;     /* the path of the roots, "$" at first */
    size_t           prefix_len;
    pst_diff_entries pairs_a, pairs_b;    /* values to be compared, the last ones next */
    char            *hash_prefix;         /* the path of their hash */
    size_t           hash_prefix_len;
} pst_diff_level;

/* What both sides have as a whole. */
typedef struct pst_diff_image {
    pst_source  source;
    uint8_t    *bytes;           /* owned */
    pst_classes classes;
    pst_shared  shared;
} pst_diff_image;

/* Places in the one image and in the other that have been found to be the same object; a hash
 * table by the first. */
typedef struct pst_diff_pairs {
    uint64_t *slots;             /* two numbers each; UINT64_MAX: empty */
    size_t    count, size;
} pst_diff_pairs;

typedef struct pst_diff_run {
    pst_job         *job;
    pst_out         *o;
    pst_diff_image   a, b;
    pst_diff_level **levels;
    size_t           count, room;
    pst_diff_pairs   a_to_b, b_to_a;
    uint64_t         differences, forms, orders;
    bool             no_memory;
} pst_diff_run;

/* Text collected in memory; pst_diff_append() is the write of a pst_out. */
typedef struct pst_diff_text {
    const pst_memory *memory;
    char             *start;
    size_t            len, room;
} pst_diff_text;

PST_EXTERN_C_BEGIN

/* ---- pst_diff_text.c ---- */

/* More of a text. RETURNS: false without memory. */
bool pst_diff_append(void *text, const void *bytes, size_t len);

/* The path of what the first `depth` frames of `s`, one of the level's sides, enclose.
 * RETURNS: to be freed; NULL without memory. */
char *pst_diff_place(pst_diff_run *d, const pst_diff_level *l, const pst_diff_side *s, size_t depth, bool scalar,
                     size_t *len);

/* The path of a value of the level's hash. RETURNS: as above. */
char *pst_diff_value_path(pst_diff_run *d, const pst_diff_level *l, const pst_diff_entry *e, size_t *len);

/* Say that two things differ, at a path or where the sides are; a or b NULL: only the other
 * has it. */
void pst_diff_report_at(pst_diff_run *d, const char *path, size_t len, const pst_diff_side *a, const pst_diff_side *b);
void pst_diff_report(pst_diff_run *d, const pst_diff_level *l, const pst_diff_side *a, const pst_diff_side *b);

/* ---- pst_diff_hash.c ---- */

/* The hash frame whose pair the event begins or that it ends; NULL if it is none. */
pst_frame *pst_diff_hash_of(pst_diff_side *s);

/* Are both at the same key? */
bool pst_diff_same_key(const pst_diff_side *a, const pst_frame *fa, const pst_diff_side *b, const pst_frame *fb);

/* Both are in a hash, but not at the same key: list the rest of it as pairs, and go to its
 * end. RETURNS: false if that cannot be done. */
bool pst_diff_by_key(pst_diff_run *d, pst_diff_level *l, const pst_frame *fa, const pst_frame *fb);

PST_EXTERN_C_END

/* Are two strings of bytes, either of which may be NULL if it has none, the same? */
PST_INLINE bool pst_diff_same_bytes(const uint8_t *a, uint64_t a_len, const uint8_t *b, uint64_t b_len)
{
    return a_len == b_len && (a_len == 0 || memcmp(a, b, (size_t)a_len) == 0);
}

#endif
