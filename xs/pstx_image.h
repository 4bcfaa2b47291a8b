/* pstx_image.h - looking into images from Perl: the commands, and Permafrost::Image.
 *
 * Layer: glue over pst_cli and pst_inspect, which do the work.
 */
#ifndef PSTX_IMAGE_H
#define PSTX_IMAGE_H

#include "pstx.h"

/* Run an image command, as the program `permafrost`, with output to STDOUT and STDERR.
 *   items, args  the arguments: the program's name, the command, and so on
 * RETURNS: the exit status. PERL: croaks on arguments with wide characters. */
int pstx_image_command(pTHX_ SSize_t items, SV **args);

/* Permafrost::Image->convert: an image for another machine, order or version.
 *   order          a name for pst_convert_target(); NULL: as in `image`
 *   minor          -1: as in `image`
 *   exact, nested  see pst_conversion
 * RETURNS: +1. PERL: croaks if it cannot be converted. */
SV *pstx_image_convert(pTHX_ SV *image, const char *order, int minor, bool exact, bool nested);

/* Run a command as `permafrost` does, with output to strings.
 *   image   bytes that stand for the file "-"; NULL if there are none
 *   result  gets three mortals: exit status, output, messages */
void pstx_image_capture(pTHX_ SV *image, SSize_t items, SV **args, SV **result);

/* What gzip or base64 unpacks to; anything else as it is.
 *   most  see pst_unpack()
 * RETURNS: mortal; NULL with *reason if it is damaged or too much. */
SV *pstx_image_unpack(pTHX_ SV *image, UV most, const char **reason);

/* The image that tagged JSON describes. RETURNS: mortal; an empty string with *message (mortal)
 * set if it does not. */
SV *pstx_image_from_json(pTHX_ SV *json, SV **message);

/* ---- a tree, object by object: Permafrost::Image::Tree ---- */

/* Walk over the image in `image`, which is copied (on write, where perl can).
 * RETURNS: a reference to be blessed, mortal. */
SV *pstx_tree_new(pTHX_ SV *image);

/* The next object, or the end of one. `tree` may be anything. RETURNS: a mortal reference to a hash; undef at the end.
 * *message (mortal) is set after an error, and *name, that of its code. */
SV *pstx_tree_next(pTHX_ SV *tree, SV **message, const char **name);

#endif
