/* pstx_image.h - looking into images from Perl: the commands, and Permafrost::Image.
 *
 * Layer: glue over pst_cli and pst_inspect, which do the work.
 */
#ifndef PSTX_IMAGE_H
#define PSTX_IMAGE_H

#include "pstx.h"

/* Run an image command, as the program `permafrost`, with output to STDOUT and STDERR.
 *   items, args  the arguments: the program's name, the command, and so on
 * RETURNS: the exit status. PERL: may run user code (tied handles are passed by). */
int pstx_image_command(pTHX_ SSize_t items, SV **args);

/* Permafrost::Image->convert: an image for another machine, order or version.
 *   order          a name for pst_convert_target(); NULL: as in `image`
 *   minor          -1: as in `image`
 *   exact, nested  see pst_conversion
 * RETURNS: +1. PERL: croaks if it cannot be converted. */
SV *pstx_image_convert(pTHX_ SV *image, const char *order, int minor, bool exact, bool nested);

#endif
