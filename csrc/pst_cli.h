/* pst_cli.h - the commands of `pst` and `permafrost`: their table and their options.
 *
 * Layer: core. Both programs parse their arguments here, so that they understand the same and
 * print the same. What touches the world (files, terminals) goes through the host: csrc's is
 * pst_host.c, on the C library; the Perl glue writes through PerlIO.
 */
#ifndef PST_CLI_H
#define PST_CLI_H

#include "pst_inspect.h"

/* What the programs' surroundings can do. Functions that fail return false and leave a reason
 * in `reason`, a static string or one that lives until the next call. */
typedef struct pst_host {
    const pst_memory *memory;
    void             *host;
    const char       *reason;
    bool              out_color;       /* standard output is a terminal with colours */
    bool              progress;        /* standard error is a terminal */

    bool (*write_out)(void *host, const void *bytes, size_t len);
    bool (*write_err)(void *host, const void *bytes, size_t len);

    /* A file, or standard input for "-". To be closed. */
    bool (*open)(struct pst_host *h, const char *name, pst_source *source);
    void (*close)(struct pst_host *h, pst_source *source);

    /* A source that is written first: what has been unpacked. NULL without memory. */
    void *(*spool_new)(struct pst_host *h);
    bool  (*spool_write)(void *spool, const void *bytes, size_t len);
    void  (*spool_source)(void *spool, pst_source *source);      /* close() it */

    /* A file that is to take the place of NAME: written beside it, put there at the end. Its
     * mode stays. replace_end() frees it in any case; `keep` false leaves NAME as it is;
     * `backup`, if not NULL, is put behind NAME to make the name that the old file keeps. */
    void *(*replace_new)(struct pst_host *h, const char *name);
    bool  (*replace_write)(void *replacement, const void *bytes, size_t len);
    bool  (*replace_end)(struct pst_host *h, void *replacement, bool keep, const char *backup);

    /* The names in a directory, one call of `each` for each, with the directory before them;
     * sorted. RETURNS: 1, 0 if NAME is no directory, -1 with a reason. */
    int  (*list)(struct pst_host *h, const char *name, bool (*each)(void *context, const char *name),
                 void *context);
} pst_host;

PST_EXTERN_C_BEGIN

/* Run a command.
 *   program    how it is called, for messages
 *   argc, argv the arguments, without the program's name; the first is the command
 * RETURNS: the exit status: 0 fine, 1 findings, 2 usage or input and output. */
int pst_cli(pst_host *host, const char *program, int argc, const char *const *argv);

PST_EXTERN_C_END

#endif
