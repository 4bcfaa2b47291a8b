/* pstx_sort.h - hash entries in the order of their keys.
 *
 * Layer: glue. The order is that of perl's cmp without locale: by code points, whatever way
 * the keys are spelled. PERL: none, but for the allocation, which ends the program when memory
 * is gone as perl's own does.
 */
#ifndef PSTX_SORT_H
#define PSTX_SORT_H

#include "pstx_compat.h"
#include "pst_config.h"

/* Sort `count` entries of one hash.
 *   mixed  some keys may be UTF-8 */
void pstx_sort_entries(HE **entries, size_t count, bool mixed);

#endif
