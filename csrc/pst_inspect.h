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

/* What check has found, over all its files. */
typedef struct pst_check_counts { uint64_t files, fine, findings, others; } pst_check_counts;

typedef struct pst_job {
    const pst_source *source;      /* the image; borrowed like all that follows */
    const pst_source *other;       /* diff: what it is compared with */
    const char       *other_name;
    const pst_memory *memory;
    pst_out          *out, *err;
    const char       *name;        /* of the image, for messages */
    bool              json;        /* JSON instead of text */
    bool              tagged;      /* json: lossless */
    bool              in_tree;     /* check: the file was not named, so it may be anything */
    const char       *packed;      /* what it was unpacked from: "gzip", "base64"; NULL */
    const char       *unpack_error;/* check: why it cannot be unpacked; NULL */
    pst_check_counts  counts;      /* check */
    bool              summary;     /* explain: counts and bytes by marker only */
    uint64_t          max_depth;   /* dump: levels shown; UINT64_MAX for all */
    const char       *path;        /* dump: only what stands there; NULL for all */
    bool              from_json;   /* convert: the source is tagged JSON */
    struct pst_host  *host;
    pst_convert_options convert;
} pst_job;

PST_EXTERN_C_BEGIN

/* ---- pst_head.c: what the header says, who writes such, the size in the other order ---- */
int pst_head(pst_job *job);

/* ---- pst_dump.c: the data as a tree ---- */
int pst_dump(pst_job *job);

/* ---- pst_explain.c: every byte, and what would be other in the other order ---- */
int pst_explain(pst_job *job);

/* ---- pst_json.c: the data as JSON ---- */
int pst_json(pst_job *job);

/* ---- pst_cli_convert.c: the image rewritten, to the output or into the file's place ---- */
int pst_cli_convert(pst_job *job);

/* Why a conversion has failed, as pst_problem() says it.
 *   base  where the image begins in its file */
struct pst_conversion;
void pst_convert_problem(pst_out *o, const struct pst_conversion *c, uint64_t base);

/* ---- pst_json_tagged.c: the image as JSON, lossless; see doc/TAGGED-JSON.md ---- */
int pst_json_tagged(pst_job *job);

/* ---- pst_json_read.c: and back: the job's source is such JSON, its output the image ---- */
int pst_json_read(pst_job *job);

/* ---- pst_check.c: is it well formed; one line, or one JSON object with a comma before it ---- */
int pst_check(pst_job *job);

/* ---- pst_diff.c: the image and job->other: bytes and data ---- */
int pst_diff(pst_job *job);

/* ---- pst_sniff.c: what it is if it is no image; NULL if nobody knows ---- */
const char *pst_sniff(const pst_source *source);

/* Is it what somebody wrote instead of an image, a stringified reference? (Other files may
 * well stand beside images.) */
bool pst_sniff_is_mistake(const pst_source *source);

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
