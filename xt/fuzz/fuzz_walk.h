/* fuzz_walk.h - walks the tokens of an image, for the fuzz targets.
 *
 * The nesting is a heap stack, as in every user of the reader. Each thing read is shown as an
 * event. The walk goes on until the root is whole or the reader has failed, and aborts the
 * process if the reader breaks its word: progress, offsets, sticky errors.
 */
#ifndef FUZZ_WALK_H
#define FUZZ_WALK_H

#include "pst_reader.h"

enum fuzz_what {
    FUZZ_TOKEN,         /* token; number: the bits of a DOUBLE */
    FUZZ_KEY,           /* token: flags, bytes, len */
    FUZZ_FLAG_KEY,
    FUZZ_INDEX,         /* number */
    FUZZ_REGEXP,        /* token: flags; its pattern was the token before */
    FUZZ_HOOK_RECURSE,  /* hook */
    FUZZ_HOOK_CLASS,    /* token */
    FUZZ_HOOK_STRING,   /* token */
    FUZZ_HOOK,          /* hook; number: tags to come */
    FUZZ_HOOK_TAG,      /* number */
    FUZZ_OLD_TAG,       /* number */
    FUZZ_OLD_MARK,      /* number: is something there */
    FUZZ_OLD_NOTICE     /* token: class */
};

typedef struct fuzz_event {
    enum fuzz_what what;
    pst_token      token;
    pst_hook       hook;
    unsigned       kind;    /* of the hook: PST_HOOK_* or PST_EXTRA_* */
    bool           first;   /* FUZZ_HOOK_RECURSE, FUZZ_HOOK: no sub-object came before */
    uint64_t       number;
} fuzz_event;

typedef void (*fuzz_visitor)(void *context, const fuzz_event *event);

/* Read header and body with `r`, which has been set on the input. A header that this machine
 * cannot read ends the walk. RETURNS: was there a whole image? */
bool fuzz_walk(pst_reader *r, bool file, fuzz_visitor visitor, void *context);

/* A hash of all events so far: a visitor for a uint64_t that begins as 0. Bytes that the
 * writer is free to choose do not count. */
void fuzz_hash(void *hash, const fuzz_event *event);

/* abort() with a word on stderr, unless `fine`. */
void fuzz_check(bool fine, const char *what);

#endif
