/* pst_image.h - reading and writing an image in memory, behind a pointer.
 *
 * Layer: core; over pst_walk and pst_writer, for callers that do not want to lay out their
 * structs: other languages, small programs. Memory comes from malloc. Nothing here is shared
 * between two handles, so threads may use one each.
 *
 * Reading:
 *
 *   pst_image *image = pst_image_open(bytes, len);
 *   pst_event ev;
 *   while (pst_image_next(image, &ev))
 *       ...                                   look at ev.kind: see pst_walk.h
 *   if (pst_image_error(image)->code != PST_OK)
 *       ...                                   damaged, see pst_error.h
 *   pst_image_close(image);
 */
#ifndef PST_IMAGE_H
#define PST_IMAGE_H

#include "pst_walk.h"
#include "pst_writer.h"

typedef struct pst_image pst_image;

PST_EXTERN_C_BEGIN

/* Memory from malloc, for everything that wants a pst_memory. RETURNS: static. */
const pst_memory *pst_memory_malloc(void);

/* Start to read the image in `len` bytes, with or without a magic. The bytes stay the caller's
 * and must stay as they are until pst_image_close().
 * RETURNS: a handle, also for bytes that are no image (then the first pst_image_next() returns
 * false); NULL without memory. */
pst_image *pst_image_open(const void *bytes, size_t len);

/* Free the handle; NULL is fine. */
void pst_image_close(pst_image *image);

/* What the header says; of a damaged one what could be read. RETURNS: borrowed. */
const pst_header *pst_image_header(const pst_image *image);

/* The next event. Pointers in it are good until the next call.
 * RETURNS: false at the end of the image or after an error. */
bool pst_image_next(pst_image *image, pst_event *ev);

/* What went wrong, code PST_OK if nothing did. RETURNS: borrowed. */
const pst_error *pst_image_error(const pst_image *image);

/* The value of a DOUBLE token of the event that was read last, whatever machine wrote it. */
double pst_image_double(const pst_image *image, const pst_token *token);

/* A writer for the machine or the order that `target` describes (see pst_header_host() and
 * pst_convert_target()), its header written. What was written so far are the pst_buf_len(&w->buf)
 * bytes from w->buf.start on; they belong to the writer.
 * RETURNS: NULL without memory. */
pst_writer *pst_writer_new(const pst_header *target);
void pst_writer_free(pst_writer *w);

PST_EXTERN_C_END

#endif
