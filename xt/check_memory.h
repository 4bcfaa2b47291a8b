/* check_memory.h - what the checks of images have in memory: images and output, and an allocator
 * that can be made to fail, for xt/convert_check.c and xt/inspect_check.c.
 */
#ifndef CHECK_MEMORY_H
#define CHECK_MEMORY_H

#include "pst_inspect.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct bytes { uint8_t *start; size_t len, room; } bytes;

/* Allocations until they fail, -1: never; and how many have not been given back. */
static long allocations_left = -1, live;

static void *resize(void *host, void *p, size_t size)
{
    void *q;
    (void)host;
    if (!size) {
        live -= p != NULL;
        free(p);
        return NULL;
    }
    if (allocations_left == 0)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    q = realloc(p, size);
    live += q && !p;
    return q;
}

static const pst_memory memory = { resize, NULL };

static void make_room(bytes *b, size_t room)
{
    if (room <= b->room)
        return;
    b->start = (uint8_t *)realloc(b->start, room);
    if (!b->start)
        abort();
    b->room = room;
}

/* A sink: append to the bytes that are `host`. */
static bool append(void *host, const void *data, size_t len)
{
    bytes *b = (bytes *)host;
    if (b->len + len > b->room)
        make_room(b, (b->len + len) * 2);
    if (len)
        memcpy(b->start + b->len, data, len);
    b->len += len;
    return true;
}

/* Read bytes behind their length in 4 bytes, big-endian. RETURNS: false at the end. */
static bool read_bytes(FILE *in, bytes *b)
{
    uint8_t head[4];
    size_t want;
    b->len = 0;
    if (fread(head, 1, sizeof head, in) != sizeof head)
        return false;
    want = pst_load_be32(head);
    make_room(b, want + 1);
    b->len = fread(b->start, 1, want, in);
    return b->len == want;
}

#endif
