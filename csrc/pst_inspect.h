/* pst_inspect.h - looking at images: what the commands of `pst` and `permafrost` do.
 *
 * Layer: core; clients of the walk, that is, of the reader. Each command gets a job and
 * writes text or JSON through its output, so that all programs print the same. Nothing is
 * built, blessed, loaded or run.
 *
 * All commands return PST_FINE, PST_FINDINGS (the image is damaged, or the command looks for
 * something and has found it) or PST_TROUBLE (no memory; output that fails is found in
 * job->out->failed). What is wrong with a damaged image goes to job->err, one line.
 */
#ifndef PST_INSPECT_H
#define PST_INSPECT_H

#include "pst_out.h"
#include "pst_source.h"
#include "pst_walk.h"

enum { PST_FINE = 0, PST_FINDINGS = 1, PST_TROUBLE = 2 };

struct pst_host;

/* What `convert` is to do. */
typedef struct pst_convert_options {
    const char *order;      /* a name for pst_convert_target(), or NULL */
    const char *like;       /* an image to take the order from, or NULL; without both it stays */
    const char *backup;     /* in place: behind the old file's name; NULL: no backup */
    int         minor;      /* -1: that of the image, or of `like` */
    bool        exact, nested, in_place;
} pst_convert_options;

typedef struct pst_job {
    const pst_source *source;      /* the image; borrowed like all that follows */
    const pst_memory *memory;
    pst_out          *out, *err;
    const char       *name;        /* of the image, for messages */
    bool              json;        /* JSON instead of text */
    uint64_t          max_depth;   /* dump: levels shown; UINT64_MAX for all */
    const char       *path;        /* dump: only what stands there; NULL for all */
    bool              packed;      /* the source was unpacked from what the file holds */
    struct pst_host  *host;
    pst_convert_options convert;
} pst_job;

PST_EXTERN_C_BEGIN

/* ---- pst_head.c: what the header says, who writes such, the size in the other order ---- */
int pst_head(pst_job *job);

/* ---- pst_dump.c: the data as a tree ---- */
int pst_dump(pst_job *job);

/* ---- pst_json.c: the data as JSON ---- */
int pst_json(pst_job *job);

/* ---- pst_cli_convert.c: the image rewritten, to the output or into the file's place ---- */
int pst_cli_convert(pst_job *job);

/* Why a conversion has failed, as pst_problem() says it. */
struct pst_conversion;
void pst_convert_problem(pst_out *o, const struct pst_conversion *c);

/* ---- pst_inspect.c: shared parts ---- */

/* What stopped a walk, as a sentence with offset and path, without end of line. */
void pst_problem(pst_out *o, const pst_walk *w);

/* The same as a line on job->err. RETURNS: PST_FINDINGS; PST_TROUBLE without memory. */
int pst_job_problem(pst_job *job, const pst_walk *w);

/* The name of a marker; "?" if there is none. */
const char *pst_marker_name(unsigned marker);

/* A float of the image. RETURNS: false if its layout is not known. */
bool pst_token_double(const pst_walk *w, const pst_token *t, double *v);

/* The path of what the first `depth` frames enclose as a JSON string. */
void pst_json_path(pst_out *o, const pst_walk *w, size_t depth, bool scalar);

/* A scalar leaf for people, as perl would write it; or for JSON. */
void pst_print_leaf(pst_out *o, const pst_walk *w, const pst_token *t);
void pst_print_json_leaf(pst_out *o, const pst_walk *w, const pst_token *t);

PST_EXTERN_C_END

#endif
