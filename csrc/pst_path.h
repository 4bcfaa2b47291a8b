/* pst_path.h - where in the data something is, as text: $->{rows}[3]{name}.
 *
 * Layer: core. The notation is Perl's own, with a lone `$` for the variable that holds the
 * reference given to freeze or returned by thaw. A path names a place that can hold a value;
 * a reference to an array or a hash is no step of its own, its subscript follows it. What
 * the steps look like:
 *
 *   [3]  {name}  {"a b"}      an item of an array, a value of a hash
 *   ${...}                    the scalar that the reference at ... refers to
 *   tied(@{...})  tied(%{...})  tied(...)      the object behind a tie
 *   (...->STORABLE_freeze)[1] what an object's hook has returned
 *   {?}  [?]                  a key or a number that is not known (in an image, the key
 *                             stands behind its value)
 *
 * A key is quoted unless it is a Perl name or a plain number. In quotes stand printable ASCII
 * characters, all others as \x{263a}; of a long key the beginning, and dots behind the quotes.
 * In the middle of a path of more than PST_PATH_HEAD + PST_PATH_TAIL steps stands "...".
 *
 * Steps are added from the root on; the first and last ones are kept, so a path of any
 * length costs no memory but this struct.
 */
#ifndef PST_PATH_H
#define PST_PATH_H

#include "pst_config.h"

enum { PST_PATH_HEAD = 12, PST_PATH_TAIL = 12, PST_PATH_KEY_MAX = 48 };

/* Room that the text of any path needs: a step has at most 10 bytes for each character of
 * its key, and 48 around it. */
#define PST_PATH_MAX ((PST_PATH_HEAD + PST_PATH_TAIL) * (PST_PATH_KEY_MAX * 10 + 48) + 16)

enum pst_path_kind {
    PST_PATH_ITEM,          /* of an array: index */
    PST_PATH_VALUE,         /* of a hash: key, NULL if it is not known */
    PST_PATH_REFERENT,      /* a scalar that a reference refers to */
    PST_PATH_TIED_ARRAY,    /* the object behind the tie */
    PST_PATH_TIED_HASH,
    PST_PATH_TIED_SCALAR,
    PST_PATH_FROZEN         /* of what STORABLE_freeze has returned: index, -1 if not known */
};

typedef struct pst_path_step {
    enum pst_path_kind kind;
    bool        utf8;       /* the key is perl's UTF-8; else its bytes are characters */
    const char *key;        /* borrowed until the path has been formatted */
    size_t      key_len;    /* bytes */
    int64_t     index;
} pst_path_step;

typedef struct pst_path {
    uint64_t      count;    /* steps added */
    pst_path_step head[PST_PATH_HEAD];
    pst_path_step tail[PST_PATH_TAIL];    /* a ring */
} pst_path;

PST_EXTERN_C_BEGIN

/* The path of the root: no steps. */
void pst_path_init(pst_path *path);

/* Add a step: ITEM or FROZEN with an index; VALUE with a key; the others. */
void pst_path_add_index(pst_path *path, enum pst_path_kind kind, int64_t index);
void pst_path_add_key(pst_path *path, const char *key, size_t len, bool utf8);
void pst_path_add(pst_path *path, enum pst_path_kind kind);

/* The text into `out` (PST_PATH_MAX bytes; no NUL is added), ASCII only.
 * RETURNS: its length in bytes. */
size_t pst_path_format(const pst_path *path, char *out);

PST_EXTERN_C_END

#endif
