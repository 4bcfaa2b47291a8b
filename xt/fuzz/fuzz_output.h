/* fuzz_output.h - what a fuzz target has been told to write, kept in memory. */
#ifndef FUZZ_OUTPUT_H
#define FUZZ_OUTPUT_H

#include "fuzz_walk.h"
#include <stdlib.h>

typedef struct output {
    uint8_t *start;      /* free() it */
    size_t   len, room;
    size_t   most;       /* beyond so many bytes output fails; 0: never */
} output;

/* A sink: append to the output that is `host`. */
static bool append(void *host, const void *bytes, size_t len)
{
    output *o = (output *)host;
    if (o->most && o->len + len > o->most)
        return false;
    if (o->len + len > o->room) {
        o->room = (o->len + len) * 2;
        o->start = (uint8_t *)realloc(o->start, o->room);
        fuzz_check(o->start != NULL, "no memory");
    }
    pst_copy(o->start + o->len, bytes, len);
    o->len += len;
    return true;
}

#endif
