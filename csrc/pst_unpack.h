/* pst_unpack.h - images that are packed: gzip, base64 (with line breaks, url-safe too).
 *
 * Layer: core.
 */
#ifndef PST_UNPACK_H
#define PST_UNPACK_H

#include "pst_cli.h"

PST_EXTERN_C_BEGIN

/* A kilobyte of gzip may unpack to a megabyte, and that, if it is gzip again, to a gigabyte. So
 * an image may be packed in so many layers, each of which unpacks to at most so many times the
 * bytes of the outermost, and a megabyte. */
enum { PST_UNPACK_LAYERS = 3, PST_UNPACK_TIMES = 64, PST_UNPACK_FREE = 1 << 20 };

/* If the source is no image but gzip or base64, put what it unpacks to in its place (also if
 * one is within the other). The old source is closed.
 *   most  bytes that a layer may unpack to; 0 for what is said above
 *   how   what was done, such as "gzip"; may be NULL
 * RETURNS: false with host->reason: damaged, too much, or no memory; the source is to be
 * closed. */
bool pst_unpack(pst_host *host, pst_source *source, uint64_t most, const char **how);

/* ---- pst_inflate.c -------------------------------------------------------------------------- */

/* Unpack a gzip file, all its members, to `write`. RETURNS: NULL, or what is wrong with it. */
const char *pst_gunzip(const pst_memory *memory, const pst_source *source,
                       bool (*write)(void *host, const void *bytes, size_t len), void *host);

PST_EXTERN_C_END

#endif
