/* pst_cli.c - see pst_cli.h. */
#include "pst_cli.h"
#include "pst_place.h"
#include "pst_unpack.h"

/* The number stands in lib/Permafrost.pm. csrc/Makefile hands it over under this name, perl's
 * build as VERSION. */
#ifndef PST_VERSION
#  ifdef VERSION
#    define PST_VERSION VERSION
#  else
#    define PST_VERSION "(of no release)"
#  endif
#endif

/* Options, as bits of what a command takes. */
enum {
    OPT_JSON = 1, OPT_DEPTH = 2, OPT_PATH = 4, OPT_TAGGED = 8, OPT_SUMMARY = 16, OPT_RECURSIVE = 32,
    OPT_FROM_JSON = 64, OPT_MAX_UNPACKED = 128,
    OPT_ORDER = 0x10000, OPT_LIKE = 0x20000, OPT_MINOR = 0x40000, OPT_EXACT = 0x80000,
    OPT_NESTED = 0x100000, OPT_IN_PLACE = 0x200000, OPT_BACKUP = 0x400000,
    OPT_ALL = OPT_MAX_UNPACKED,     /* of every command */
    OPT_CONVERT = OPT_ORDER | OPT_LIKE | OPT_MINOR | OPT_EXACT | OPT_NESTED | OPT_IN_PLACE | OPT_BACKUP
};

struct command {
    const char *name;
    unsigned    options;
    int       (*run)(pst_job *job);        /* for each image */
    const char *summary;
};

static int run_json(pst_job *job)
{
    return job->tagged ? pst_json_tagged(job) : pst_json(job);
}

static int run_convert(pst_job *job)
{
    return job->from_json ? pst_json_read(job) : pst_cli_convert(job);
}

static const struct command commands[] = {
    { "head", OPT_JSON, pst_head, "what the header says, who writes such, sizes" },
    { "dump", OPT_JSON | OPT_DEPTH | OPT_PATH, pst_dump, "the data as a tree" },
    { "check", OPT_JSON | OPT_RECURSIVE, pst_check, "is it well formed; if not, where and why" },
    { "explain", OPT_JSON | OPT_SUMMARY, pst_explain, "every byte: what it is, and what the other order would change" },
    { "json", OPT_JSON | OPT_TAGGED, run_json, "the data as JSON; with --tagged all that is in the image" },
    { "diff", OPT_JSON, pst_diff, "two images: where the bytes differ, and the data" },
    { "convert", OPT_JSON | OPT_CONVERT | OPT_FROM_JSON, run_convert,
      "the image for another machine, order or version" },
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const struct option { unsigned bit; const char *name, *argument, *summary; } options[] = {
    { OPT_JSON,  "--json",  NULL,   "print JSON" },
    { OPT_TAGGED, "--tagged", NULL, "lossless: convert --from-json makes the same image of it" },
    { OPT_RECURSIVE, "-r", NULL, "all files below the directories that are named" },
    { OPT_SUMMARY, "--summary", NULL, "counts and bytes by marker only" },
    { OPT_DEPTH, "--depth", "N",    "show N levels" },
    { OPT_PATH,  "--path",  "PATH", "show only what stands at PATH, such as '$->{rows}[3]'" },
    { OPT_FROM_JSON, "--from-json", NULL, "make the image that tagged JSON describes" },
    { OPT_ORDER, "--order", "ORDER", "network, native, or a byte order: 12345678, 4321/4/4/4/8" },
    { OPT_LIKE,  "--like",  "FILE", "order, sizes and version of another image" },
    { OPT_MINOR, "--minor", "N",    "version 2.N: newer markers become older ones" },
    { OPT_EXACT, "--exact", NULL,   "network order: floats as texts of 17 digits, not 15" },
    { OPT_NESTED, "--nested", NULL, "images in the strings of hooks, too" },
    { OPT_IN_PLACE, "--in-place", NULL, "write each file anew, all or nothing" },
    { OPT_BACKUP, "--backup", "[=SUFFIX]", "keep the old file as FILE.bak, or FILE with SUFFIX" },
    { OPT_MAX_UNPACKED, "--max-unpacked", "BYTES", "gzip: unpack up to so much, not 64 times the file" },
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

typedef struct cli {
    pst_host      *host;
    const char    *program;
    const struct command *command;
    pst_job        job;
    pst_out       *out, *err;
    const char   **files;         /* as they were named */
    int            file_count;
    bool           recursive;
    uint64_t       max_unpacked;  /* 0: see pst_unpack.h */
    char         **found;         /* in directories; the last one is the next */
    size_t         found_count, found_room;
} cli;

/* ---- usage ------------------------------------------------------------------------------- */

static void column(pst_out *o, const char *text, const char *more, size_t width)
{
    const bool apart = more && more[0] != '[';
    size_t len = strlen(text) + (more ? apart + strlen(more) : 0);
    pst_out_str(o, "  ");
    pst_out_str(o, text);
    if (more) {
        pst_out_str(o, apart ? " " : "");
        pst_out_str(o, more);
    }
    pst_out_spaces(o, len < width ? width - len : 1);
}

static void print_options(pst_out *o, unsigned bits)
{
    size_t i;
    for (i = 0; i < OPTION_COUNT; i++) {
        if (!(options[i].bit & bits))
            continue;
        column(o, options[i].name, options[i].argument, 22);
        pst_out_str(o, options[i].summary);
        pst_out_char(o, '\n');
    }
}

static void usage(const cli *c, pst_out *o)
{
    size_t i;
    pst_out_str(o, "Usage: ");
    pst_out_str(o, c->program);
    if (c->command) {
        pst_out_char(o, ' ');
        pst_out_str(o, c->command->name);
        pst_out_str(o, c->command->run == pst_diff ? " [OPTION...] FILE FILE\n\n" : " [OPTION...] FILE...\n\n");
        pst_out_str(o, c->command->summary);
        pst_out_str(o, "\n\n");
        print_options(o, c->command->options | OPT_ALL);
    }
    else {
        pst_out_str(o, " COMMAND [OPTION...] FILE...\n\nLooks into images that perl's Storable or Permafrost wrote.\n\n");
        for (i = 0; i < COMMAND_COUNT; i++) {
            column(o, commands[i].name, NULL, 16);
            pst_out_str(o, commands[i].summary);
            pst_out_char(o, '\n');
        }
        pst_out_str(o, "\nCOMMAND --help tells its options.\n");
    }
    pst_out_str(o, "\nFILE may be - for standard input, and gzip or base64.\n"
                   "Exit status: 0 fine, 1 findings, 2 usage or input and output.\n");
}

static int wrong_usage(const cli *c, const char *what, const char *which)
{
    pst_out_str(c->err, c->program);
    pst_out_str(c->err, ": ");
    pst_out_str(c->err, what);
    if (which)
        pst_out_quoted(c->err, (const uint8_t *)which, strlen(which), true, 200);
    pst_out_str(c->err, "; try --help\n");
    return PST_TROUBLE;
}

/* ---- arguments --------------------------------------------------------------------------- */

static bool parse_number(const char *text, uint64_t *value)
{
    uint64_t v = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9' && v < UINT64_C(1000000000000000000); p++)
        v = v * 10 + (uint64_t)(*p - '0');
    *value = v;
    return p > text && !*p;
}

/* Take one option. RETURNS: PST_FINE, or PST_TROUBLE with a message. */
static int take_option(cli *c, const struct option *option, const char *value)
{
    pst_convert_options *convert = &c->job.convert;
    pst_steps steps;
    uint64_t number;
    switch (option->bit) {
    case OPT_JSON:   c->job.json = true; break;
    case OPT_TAGGED: c->job.tagged = true; break;
    case OPT_SUMMARY: c->job.summary = true; break;
    case OPT_RECURSIVE: c->recursive = true; break;
    case OPT_FROM_JSON: c->job.from_json = true; break;
    case OPT_DEPTH:
        if (!parse_number(value, &c->job.max_depth))
            return wrong_usage(c, "no number: ", value);
        break;
    case OPT_MAX_UNPACKED:
        if (!parse_number(value, &c->max_unpacked) || !c->max_unpacked)
            return wrong_usage(c, "no number of bytes: ", value);
        break;
    case OPT_PATH:
        if (!pst_steps_init(&steps, value))
            return wrong_usage(c, steps.error, NULL);
        c->job.path = value;
        break;
    case OPT_ORDER:    convert->order = value; break;
    case OPT_LIKE:     convert->like = value; break;
    case OPT_EXACT:    convert->exact = true; break;
    case OPT_NESTED:   convert->nested = true; break;
    case OPT_IN_PLACE: convert->in_place = true; break;
    case OPT_BACKUP:   convert->backup = value && *value ? value : ".bak"; break;
    case OPT_MINOR:
        if (!parse_number(value, &number) || number > 255)
            return wrong_usage(c, "no minor version: ", value);
        convert->minor = (int)number;
        break;
    default: break;
    }
    return PST_FINE;
}

static const struct option *find_option(const cli *c, const char *text, size_t len)
{
    size_t i;
    for (i = 0; i < OPTION_COUNT; i++)
        if ((options[i].bit & (c->command->options | OPT_ALL)) && strlen(options[i].name) == len
            && memcmp(options[i].name, text, len) == 0)
            return &options[i];
    return NULL;
}

/* Options of `convert` that do not go together. RETURNS: as parse(). */
static int check_convert(const cli *c)
{
    const pst_convert_options *convert = &c->job.convert;
    if (convert->order && convert->like)
        return wrong_usage(c, "--order and --like exclude each other", NULL);
    if (c->job.from_json)
        return convert->order || convert->like || convert->minor >= 0 || convert->in_place || c->file_count > 1
             ? wrong_usage(c, "--from-json takes one file and no other option", NULL) : -1;
    if (!convert->order && !convert->like && convert->minor < 0)
        return wrong_usage(c, "convert to what? --order, --like or --minor is missing", NULL);
    if (!convert->in_place && c->file_count > 1)
        return wrong_usage(c, "several files need --in-place", NULL);
    if (!convert->in_place && (convert->backup || c->job.json))
        return wrong_usage(c, convert->backup ? "--backup needs --in-place" : "--json needs --in-place", NULL);
    return -1;
}

/* Options and files, in any order; -- ends the options. RETURNS: a status; -1 to go on. */
static int parse(cli *c, int argc, const char *const *argv)
{
    int i;
    bool ended = false;
    for (i = 1; i < argc; i++) {
        const char *a = argv[i], *value = strchr(a, '=');
        const struct option *option;
        bool needed;
        if (ended || a[0] != '-' || !a[1]) {
            c->files[c->file_count++] = a;
            continue;
        }
        if (strcmp(a, "--") == 0) {
            ended = true;
            continue;
        }
        if (strcmp(a, "--help") == 0) {
            usage(c, c->out);
            return PST_FINE;
        }
        option = find_option(c, a, value ? (size_t)(value - a) : strlen(a));
        if (!option)
            return wrong_usage(c, "no such option: ", a);
        needed = option->argument && option->argument[0] != '[';
        if (needed && !value && ++i == argc)
            return wrong_usage(c, "a value is missing for ", a);
        if (!option->argument && value)
            return wrong_usage(c, "no value is taken by ", option->name);
        if (take_option(c, option, value ? value + 1 : needed ? argv[i] : NULL) != PST_FINE)
            return PST_TROUBLE;
    }
    if (!c->file_count || (c->command->run == pst_diff && c->file_count < 2))
        return wrong_usage(c, "a file is missing", NULL);
    if (c->command->run == pst_diff && c->file_count > 2)
        return wrong_usage(c, "two files are compared, no more", NULL);
    return c->command->options & OPT_CONVERT ? check_convert(c) : -1;
}

/* ---- running ----------------------------------------------------------------------------- */

static int complain(cli *c, const char *name)
{
    pst_out_str(c->err, name);
    pst_out_str(c->err, ": ");
    pst_out_str(c->err, c->host->reason ? c->host->reason : "cannot be read");
    pst_out_char(c->err, '\n');
    return PST_TROUBLE;
}

static int run_file(cli *c, const char *name)
{
    pst_source source;
    int status;
    bool check = c->command->run == pst_check;
    c->job.name = name;
    c->job.packed = c->job.unpack_error = NULL;
    if (!c->host->open(c->host, name, &source))
        return complain(c, name);
    c->job.source = &source;
    if (pst_unpack(c->host, &source, c->max_unpacked, &c->job.packed))
        status = c->command->run(&c->job);
    else if (check) {
        c->job.unpack_error = c->host->reason;
        status = c->command->run(&c->job);
    }
    else
        status = complain(c, name);
    c->host->close(c->host, &source);
    return status;
}

/* diff: both files. */
static int run_two(cli *c)
{
    pst_source source[2];
    int i, opened = 0, status = PST_FINE;
    for (i = 0; i < 2 && status == PST_FINE; i++) {
        if (!c->host->open(c->host, c->files[i], &source[i]))
            status = complain(c, c->files[i]);
        else if (++opened && !pst_unpack(c->host, &source[i], c->max_unpacked, NULL))
            status = complain(c, c->files[i]);
    }
    if (status == PST_FINE) {
        c->job.source = &source[0];
        c->job.name = c->files[0];
        c->job.other = &source[1];
        c->job.other_name = c->files[1];
        status = c->command->run(&c->job);
    }
    while (opened)
        c->host->close(c->host, &source[--opened]);
    return status;
}

/* ---- trees of files ------------------------------------------------------------------------- */

/* pst_host.list: a name in a directory. */
static bool found(void *context, const char *name)
{
    cli *c = (cli *)context;
    const pst_memory *m = c->job.memory;
    size_t len = strlen(name) + 1;
    char *copy = (char *)m->resize(m->host, NULL, len);
    char **list;
    if (!copy)
        return false;
    memcpy(copy, name, len);
    list = (char **)pst_memory_array(m, c->found, &c->found_room, c->found_count + 1, sizeof *list);
    if (!list) {
        pst_memory_free(m, copy);
        return false;
    }
    c->found = list;
    c->found[c->found_count++] = copy;
    return true;
}

/* The names found from `from` on in the other order: the first one is to be the next. */
static void reverse(cli *c, size_t from)
{
    size_t to = c->found_count;
    for (; from + 1 < to; from++) {
        char *x = c->found[--to];
        c->found[to] = c->found[from];
        c->found[from] = x;
    }
}

static bool converts_many(const cli *c)
{
    return c->job.convert.in_place && c->file_count > 1;
}

static bool shows_progress(const cli *c)
{
    return c->host->progress && (c->recursive || converts_many(c));
}

/* The line of the progress goes; what is said from now on begins in its place. */
static void end_progress(cli *c)
{
    if (shows_progress(c))
        (void)pst_out_flush(c->err);
}

/* Shows on a terminal how far a check or a conversion of many files is. What removes the line
 * again waits in the buffer, before all that may be said later. */
static void progress(cli *c, const char *name)
{
    size_t len = strlen(name);
    if (!shows_progress(c))
        return;
    end_progress(c);
    (void)pst_out_flush(c->out);
    pst_out_count(c->err, c->job.counts.files, "file");
    if (c->recursive) {
        pst_out_str(c->err, ", ");
        pst_out_count(c->err, c->job.counts.findings, "finding");
        pst_out_str(c->err, ", ");
        pst_out_count(c->err, c->found_count, "name");
        pst_out_str(c->err, " to go: ...");
    }
    else {
        pst_out_str(c->err, " of ");
        pst_out_u64(c->err, (uint64_t)c->file_count);
        pst_out_str(c->err, " done: ...");
    }
    pst_out_str(c->err, name + (len > 30 ? len - 30 : 0));
    (void)pst_out_flush(c->err);
    pst_out_str(c->err, "\r\033[K");
}

/* A name: a file, or with -r a directory, whose names are put on the list. */
static int run_name(cli *c, const char *name)
{
    size_t from = c->found_count;
    int is_directory = c->recursive ? c->host->list(c->host, name, found, c) : 0;
    if (is_directory < 0)
        return complain(c, name);
    if (is_directory) {
        reverse(c, from);
        return PST_FINE;
    }
    if (c->job.counts.files % 16 == 0 || converts_many(c))
        progress(c, name);
    return run_file(c, name);
}

static int run_tree(cli *c, const char *name)
{
    int status = run_name(c, name), worst = status;
    c->job.in_tree = true;
    while (c->found_count && !c->out->failed) {
        char *next = c->found[--c->found_count];
        status = run_name(c, next);
        pst_memory_free(c->job.memory, next);
        if (status > worst)
            worst = status;
    }
    c->job.in_tree = false;
    return worst;
}

/* ---- all files ------------------------------------------------------------------------------- */

static void name_line(cli *c, int i)
{
    bool check = c->command->run == pst_check;
    if (c->file_count == 1 || c->job.json || check || c->command->run == run_json || c->command->run == run_convert)
        return;
    pst_out_str(c->out, i ? "\n" : "");
    pst_out_str(c->out, c->files[i]);
    pst_out_str(c->out, ":\n");
}

static void print_counts(cli *c)
{
    const pst_check_counts *n = &c->job.counts;
    if (c->job.json) {
        pst_out_str(c->out, "],\n\"fine\":");
        pst_out_u64(c->out, n->fine);
        pst_out_str(c->out, ",\"findings\":");
        pst_out_u64(c->out, n->findings);
        pst_out_str(c->out, ",\"others\":");
        pst_out_u64(c->out, n->others);
        pst_out_str(c->out, "}\n");
    }
    else if (n->files > 1) {
        pst_out_count(c->out, n->fine, "image");
        pst_out_str(c->out, " fine, ");
        pst_out_count(c->out, n->findings, "finding");
        if (n->others) {
            pst_out_str(c->out, ", ");
            pst_out_count(c->out, n->others, "other file");
        }
        pst_out_char(c->out, '\n');
    }
}

static int run_files(cli *c)
{
    int i, status, worst = PST_FINE;
    bool check = c->command->run == pst_check;
    if (check && c->job.json)
        pst_out_str(c->out, "{\"files\":[");
    for (i = 0; i < c->file_count && !c->out->failed; i++) {
        name_line(c, i);
        status = run_tree(c, c->files[i]);
        if (status > worst)
            worst = status;
    }
    end_progress(c);
    if (check)
        print_counts(c);
    return worst;
}

static const struct command *find_command(const char *name)
{
    size_t i;
    for (i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int run(cli *c, int argc, const char *const *argv)
{
    int status;
    if (argc < 1) {
        usage(c, c->err);
        return PST_TROUBLE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "help") == 0) {
        usage(c, c->out);
        return PST_FINE;
    }
    if (strcmp(argv[0], "--version") == 0) {
        pst_out_str(c->out, c->program);
        pst_out_str(c->out, " " PST_VERSION "\n");
        return PST_FINE;
    }
    c->command = find_command(argv[0]);
    if (!c->command)
        return wrong_usage(c, "no such command: ", argv[0]);
    status = parse(c, argc, argv);
    return status >= 0 ? status : c->command->run == pst_diff ? run_two(c) : run_files(c);
}

int pst_cli(pst_host *host, const char *program, int argc, const char *const *argv)
{
    const pst_memory *m = host->memory;
    cli c;
    int status = PST_TROUBLE;
    memset(&c, 0, sizeof c);
    c.host = host;
    c.program = program;
    c.job.memory = m;
    c.job.host = host;
    c.job.convert.minor = -1;
    c.job.max_depth = UINT64_MAX;
    c.out = (pst_out *)m->resize(m->host, NULL, sizeof *c.out);
    c.err = (pst_out *)m->resize(m->host, NULL, sizeof *c.err);
    c.files = (const char **)m->resize(m->host, NULL, sizeof *c.files * (size_t)(argc + 1));
    if (c.out && c.err && c.files) {
        pst_out_init(c.out, host->write_out, host->host);
        pst_out_init(c.err, host->write_err, host->host);
        c.out->color = host->out_color;
        c.job.out = c.out;
        c.job.err = c.err;
        status = run(&c, argc, argv);
        if (!pst_out_flush(c.out)) {
            pst_out_str(c.err, program);
            pst_out_str(c.err, ": the output could not be written\n");
            status = PST_TROUBLE;
        }
        (void)pst_out_flush(c.err);
    }
    pst_memory_free(m, c.out);
    pst_memory_free(m, c.err);
    while (c.found_count)
        pst_memory_free(m, c.found[--c.found_count]);
    pst_memory_free(m, (void *)c.found);
    pst_memory_free(m, (void *)c.files);
    return status;
}
