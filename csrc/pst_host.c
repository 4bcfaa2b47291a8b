/* pst_host.c - see pst_host.h. */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pst_host.h"

#ifndef O_BINARY
#  define O_BINARY 0
#endif

/* What was read from a pipe, or unpacked: in memory, and beyond that in a temporary file. */
enum { SPOOL_MEMORY = 64 * 1024 * 1024 };

/* Behind a pst_source: a descriptor, or a spool. */
typedef struct opened {
    int      fd;          /* -1: none */
    FILE    *temporary;   /* whose descriptor it is */
    uint8_t *memory;
    size_t   len, room;
    uint64_t spilled;     /* bytes in the temporary file */
} opened;

static void *resize(void *host, void *p, size_t size)
{
    (void)host;
    if (size)
        return realloc(p, size);
    free(p);
    return NULL;
}

const pst_memory *pst_host_memory(void)
{
    static const pst_memory memory = { resize, NULL };
    return &memory;
}

static size_t read_at(void *host, uint64_t off, uint8_t *out, size_t len)
{
    const opened *f = (const opened *)host;
    size_t done = 0;
    if (lseek(f->fd, (off_t)off, SEEK_SET) < 0)
        return 0;
    while (done < len) {
        ssize_t got = read(f->fd, out + done, len - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

/* ---- spools -------------------------------------------------------------------------------- */

static void *spool_new(pst_host *h)
{
    opened *f = (opened *)calloc(1, sizeof *f);
    (void)h;
    if (f)
        f->fd = -1;
    return f;
}

/* Move what is in memory to the temporary file. */
static bool spill(opened *f)
{
    if (!f->temporary)
        f->temporary = tmpfile();
    if (!f->temporary || fwrite(f->memory, 1, f->len, f->temporary) != f->len)
        return false;
    f->spilled += f->len;
    f->len = 0;
    return true;
}

static bool spool_write(void *spool, const void *bytes, size_t len)
{
    opened *f = (opened *)spool;
    uint8_t *bigger = (uint8_t *)pst_memory_array(pst_host_memory(), f->memory, &f->room, f->len + len, 1);
    if (!bigger)
        return false;
    f->memory = bigger;
    memcpy(f->memory + f->len, bytes, len);
    f->len += len;
    return f->len < SPOOL_MEMORY || spill(f);
}

static void spool_source(void *spool, pst_source *source)
{
    opened *f = (opened *)spool;
    pst_source_memory(source, f->memory, f->len);
    if (f->temporary && spill(f) && fflush(f->temporary) == 0) {
        f->fd = fileno(f->temporary);
        source->bytes = NULL;
        source->len = f->spilled;
        source->read_at = read_at;
    }
    source->host = f;
}

static bool spool_descriptor(pst_host *h, int fd, pst_source *source)
{
    static const char no_room[] = "there is no room for it";
    uint8_t part[16384];
    void *spool = spool_new(h);
    ssize_t got = 0;
    bool fine = spool != NULL;
    while (fine && ((got = read(fd, part, sizeof part)) > 0 || (got < 0 && errno == EINTR)))
        fine = got < 0 || spool_write(spool, part, (size_t)got);
    if (!spool) {
        h->reason = no_room;
        return false;
    }
    spool_source(spool, source);
    if (fine && got == 0)
        return true;
    h->reason = fine ? strerror(errno) : no_room;
    h->close(h, source);
    return false;
}

/* ---- files --------------------------------------------------------------------------------- */

static void close_source(pst_host *h, pst_source *source)
{
    opened *f = (opened *)source->host;
    (void)h;
    if (!f)
        return;
    if (f->temporary)
        (void)fclose(f->temporary);
    else if (f->fd > 0)
        (void)close(f->fd);
    free(f->memory);
    free(f);
    source->host = NULL;
}

static bool open_file(pst_host *h, const char *name, pst_source *source)
{
    struct stat st;
    opened *f;
    int fd;
    if (strcmp(name, "-") == 0)
        return spool_descriptor(h, 0, source);
    fd = open(name, O_RDONLY | O_BINARY);
    if (fd < 0 || fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
        h->reason = fd < 0 || !S_ISDIR(st.st_mode) ? strerror(errno) : "is a directory";
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    if (!S_ISREG(st.st_mode)) {
        bool fine = spool_descriptor(h, fd, source);
        (void)close(fd);
        return fine;
    }
    f = (opened *)spool_new(h);
    if (!f) {
        (void)close(fd);
        h->reason = "out of memory";
        return false;
    }
    f->fd = fd;
    memset(source, 0, sizeof *source);
    source->len = (uint64_t)st.st_size;
    source->read_at = read_at;
    source->host = f;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *join(const char *dir, const char *name)
{
    size_t dir_len = strlen(dir), len = strlen(name);
    char *path = (char *)malloc(dir_len + len + 2);
    if (!path)
        return NULL;
    memcpy(path, dir, dir_len);
    if (dir_len && dir[dir_len - 1] != '/')
        path[dir_len++] = '/';
    memcpy(path + dir_len, name, len + 1);
    return path;
}

/* The names in an open directory. RETURNS: NULL without memory (or without names). */
static char **read_names(DIR *d, const char *dir, size_t *count)
{
    char **names = NULL;
    size_t room = 0;
    struct dirent *e;
    *count = 0;
    while ((e = readdir(d)) != NULL) {
        char **more;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        more = (char **)pst_memory_array(pst_host_memory(), names, &room, *count + 1, sizeof *names);
        if (!more)
            break;
        names = more;
        names[*count] = join(dir, e->d_name);
        if (names[*count])
            ++*count;
    }
    return names;
}

static int list(pst_host *h, const char *name, bool (*each)(void *context, const char *name), void *context)
{
    struct stat st;
    size_t count, i;
    char **names;
    DIR *d;
    bool on = true;
    if (strcmp(name, "-") == 0 || lstat(name, &st) != 0 || !S_ISDIR(st.st_mode))
        return 0;
    d = opendir(name);
    if (!d) {
        h->reason = strerror(errno);
        return -1;
    }
    names = read_names(d, name, &count);
    (void)closedir(d);
    if (count)
        qsort(names, count, sizeof *names, by_name);
    for (i = 0; i < count; i++) {
        on = on && each(context, names[i]);
        free(names[i]);
    }
    free(names);
    return 1;
}

/* ---- files that take the place of others ------------------------------------------------------ */

typedef struct replacement {
    int   fd;
    char *name;         /* of the file that goes, links followed */
    char *temporary;    /* beside it */
} replacement;

/* RETURNS: a + b, to be freed; NULL without memory. */
static char *concat(const char *a, const char *b)
{
    size_t a_len = strlen(a), b_len = strlen(b);
    char *text = (char *)malloc(a_len + b_len + 1);
    if (text) {
        memcpy(text, a, a_len);
        memcpy(text + a_len, b, b_len + 1);
    }
    return text;
}

static void free_replacement(replacement *r)
{
    if (r->fd >= 0)
        (void)close(r->fd);
    free(r->name);
    free(r->temporary);
    free(r);
}

static void *replace_new(pst_host *h, const char *name)
{
    replacement *r = (replacement *)calloc(1, sizeof *r);
    struct stat st;
    h->reason = "out of memory";
    if (!r)
        return NULL;
    r->fd = -1;
    r->name = realpath(name, NULL);
    if (!r->name || stat(r->name, &st) != 0)
        h->reason = strerror(errno);
    else if (!S_ISREG(st.st_mode))
        h->reason = "is no file that can be replaced";
    else if ((r->temporary = concat(r->name, ".new-XXXXXX")) != NULL) {
        r->fd = mkstemp(r->temporary);
        if (r->fd < 0)
            h->reason = strerror(errno);
        else if (fchown(r->fd, st.st_uid, st.st_gid) != 0 && geteuid() == 0)
            h->reason = strerror(errno);
        else if (fchmod(r->fd, st.st_mode & 07777) != 0)
            h->reason = strerror(errno);
        else
            return r;
        if (r->fd >= 0)
            (void)unlink(r->temporary);
    }
    free_replacement(r);
    return NULL;
}

static bool replace_write(void *host, const void *bytes, size_t len)
{
    const replacement *r = (const replacement *)host;
    const char *p = (const char *)bytes;
    while (len) {
        ssize_t put = write(r->fd, p, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        p += put;
        len -= (size_t)put;
    }
    return true;
}

/* The old file keeps a name of its own, and its old one until the new file has it. */
static bool keep_old(const replacement *r, const char *backup)
{
    char *name = concat(r->name, backup);
    bool fine = name && (unlink(name) == 0 || errno == ENOENT)
             && (link(r->name, name) == 0 || rename(r->name, name) == 0);
    if (!name)
        errno = ENOMEM;
    free(name);
    return fine;
}

static bool replace_end(pst_host *h, void *host, bool keep, const char *backup)
{
    replacement *r = (replacement *)host;
    bool fine = !keep || (fsync(r->fd) == 0 && (!backup || keep_old(r, backup))
                          && rename(r->temporary, r->name) == 0);
    if (!fine)
        h->reason = strerror(errno);
    if (!keep || !fine)
        (void)unlink(r->temporary);
    free_replacement(r);
    return fine;
}

bool pst_host_color(int fd)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    return isatty(fd) && term && strcmp(term, "dumb") != 0 && !(no_color && *no_color);
}

void pst_host_init(pst_host *h)
{
    memset(h, 0, sizeof *h);
    h->memory = pst_host_memory();
    h->open = open_file;
    h->close = close_source;
    h->spool_new = spool_new;
    h->spool_write = spool_write;
    h->spool_source = spool_source;
    h->list = list;
    h->replace_new = replace_new;
    h->replace_write = replace_write;
    h->replace_end = replace_end;
}
