/* pst_image.c - see pst_image.h. */
#include <stdlib.h>

#include "pst_image.h"

struct pst_image {
    pst_source source;
    pst_walk   walk;
};

static void *resize(void *host, void *p, size_t size)
{
    (void)host;
    if (size)
        return realloc(p, size);
    free(p);
    return NULL;
}

const pst_memory *pst_memory_malloc(void)
{
    static const pst_memory memory = { resize, NULL };
    return &memory;
}

pst_image *pst_image_open(const void *bytes, size_t len)
{
    pst_image *image = (pst_image *)malloc(sizeof *image);
    if (!image)
        return NULL;
    pst_source_memory(&image->source, bytes, len);
    (void)pst_walk_init(&image->walk, &image->source, pst_memory_malloc(), false);
    return image;
}

void pst_image_close(pst_image *image)
{
    if (!image)
        return;
    pst_walk_release(&image->walk);
    free(image);
}

const pst_header *pst_image_header(const pst_image *image)
{
    return &image->walk.r.header;
}

bool pst_image_next(pst_image *image, pst_event *ev)
{
    return pst_walk_next(&image->walk, ev);
}

const pst_error *pst_image_error(const pst_image *image)
{
    return &image->walk.r.error;
}

double pst_image_double(const pst_image *image, const pst_token *token)
{
    return pst_reader_double(&image->walk.r, token);
}

/* pst_buf.grow: everything stays in memory. */
static bool grow(pst_buf *b, size_t need)
{
    size_t used = pst_buf_len(b);
    size_t size = pst_buf_next_size((size_t)(b->end - b->start), used, need);
    uint8_t *bigger = size ? (uint8_t *)realloc(b->start, size) : NULL;
    if (!bigger)
        return false;
    b->start = bigger;
    b->pos = bigger + used;
    b->end = bigger + size;
    return true;
}

pst_writer *pst_writer_new(const pst_header *target)
{
    pst_writer *w = (pst_writer *)malloc(sizeof *w);
    if (!w)
        return NULL;
    pst_writer_init(w, true, 8);
    w->buf.grow = grow;
    pst_writer_configure(w, target);
    if (pst_write_header(w, target))
        return w;
    pst_writer_free(w);
    return NULL;
}

void pst_writer_free(pst_writer *w)
{
    if (w)
        free(w->buf.start);
    free(w);
}
