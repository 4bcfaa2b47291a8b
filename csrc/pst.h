/* pst.h - libpst: images of Perl's Storable, read, written and converted without Perl.
 *
 * What is where, from the simplest use to the innermost parts:
 *
 *   pst_image.h    an image in memory, read event by event or written: start here
 *   pst_convert.h  an image rewritten for another machine, byte order or version
 *   pst_walk.h     the events, the grammar behind them, images of any size and source
 *   pst_writer.h   what makes up an image, piece by piece
 *   pst_reader.h   one token after the other, without memory, inline
 *   pst_header.h   the header to and from a struct
 *   pst_numfmt.h   numbers to text as perl prints them
 *   pst_float.h    floats of other machines
 *   pst_error.h    error codes;   pst_tags.h   the markers of the format
 *
 * The library has no variables, never prints, never exits, and depends on nothing but C99.
 * Functions return false or NULL when they have failed; the first error sticks, so one may check
 * late. A complete program is in doc/C-API.md, the format in doc/FORMAT.md of the Permafrost
 * distribution.
 */
#ifndef PST_H
#define PST_H

#include "pst_config.h"
#include "pst_error.h"
#include "pst_tags.h"
#include "pst_header.h"
#include "pst_numfmt.h"
#include "pst_float.h"
#include "pst_reader.h"
#include "pst_writer.h"
#include "pst_memory.h"
#include "pst_source.h"
#include "pst_walk.h"
#include "pst_convert.h"
#include "pst_image.h"

#endif
