/* pst_host.h - files for the programs, on the C library and POSIX.
 *
 * Layer: program; not part of libpst. Fills a pst_host but for what it prints to.
 */
#ifndef PST_HOST_H
#define PST_HOST_H

#include "pst_cli.h"

PST_EXTERN_C_BEGIN

/* Memory from malloc. */
const pst_memory *pst_host_memory(void);

/* Everything but write_out, write_err, out_color, progress. Nothing needs to be released. */
void pst_host_init(pst_host *h);

/* Does the terminal behind this descriptor understand colours? */
bool pst_host_color(int fd);

PST_EXTERN_C_END

#endif
