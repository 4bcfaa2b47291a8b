/* check_image.c - how fast the codec alone is: check_image FILE COUNT
 *
 * Reads an image of memory (no magic) from FILE, decodes every token of it COUNT times, with
 * all bounds checked and nothing built, and prints the seconds that took, the
 * number of items, and a sum of what was decoded, which keeps the compiler from leaving that
 * out. Exit status: 0 fine, 1 the image is damaged, 2 usage or input.
 */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pst_reader.h"

/* An open container. */
typedef struct frame {
    uint64_t left;       /* items that are still to come */
    uint8_t  marker;     /* PST_ARRAY, PST_HASH, PST_FLAG_HASH; PST_REF: just items */
    bool     index;      /* PST_TIED_IDX: an index follows the items */
} frame;

typedef struct check {
    pst_reader r;
    frame     *frames;
    size_t     count, room;
    uint64_t   tags;     /* items so far */
    uint64_t   sum;      /* of what plain items are: so the compiler cannot leave them out */
} check;

static bool push(check *c, uint8_t marker, uint64_t items)
{
    frame *f;
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->frames = realloc(c->frames, c->room * sizeof *c->frames);
        if (!c->frames)
            abort();
    }
    f = &c->frames[c->count++];
    f->left = items;
    f->marker = marker == PST_HASH || marker == PST_FLAG_HASH || marker == PST_ARRAY ? marker : PST_REF;
    f->index = marker == PST_TIED_IDX;
    return true;
}

/* Closes what is complete, reads the keys that stand behind values. */
static bool item_is_done(check *c)
{
    while (c->count) {
        frame *f = &c->frames[c->count - 1];
        int64_t index;
        pst_token t = { 0 };
        if (f->left) {
            f->left--;
            if (f->marker == PST_HASH && !pst_reader_key(&c->r, &t))
                return false;
            if (f->marker == PST_FLAG_HASH) {
                if (!pst_reader_flag_key(&c->r, &t))
                    return false;
                if (t.flags & PST_KEY_ISSV)
                    return push(c, PST_REF, 1);
            }
            if (f->left)
                return true;
        }
        if (f->index && !pst_reader_index(&c->r, &index))
            return false;
        c->count--;
    }
    return true;
}

/* A hook record from `h` on, which has the flags read last; the inner objects are done. */
static bool hook_record(check *c, pst_hook *h)
{
    pst_token t;
    uint64_t count, tag;
    if (!pst_reader_hook_class(&c->r, h, &t) || !pst_reader_hook_string(&c->r, h, &t)
        || !pst_reader_hook_list(&c->r, h, &count))
        return false;
    while (count--)
        if (!pst_reader_hook_tag(&c->r, h, &tag))
            return false;
    return true;
}

static bool check_item(check *c);

/* Inner objects of hooks nest, in this program, by recursion: its input is our own. */
static bool check_hook(check *c, const pst_token *t)
{
    pst_hook h = { 0 };
    h.huge = t->flags != 0;
    if (!pst_reader_hook_flags(&c->r, &h, true))
        return false;
    while (h.flags & PST_HOOK_RECURSE)
        if (!check_item(c) || !pst_reader_hook_flags(&c->r, &h, false))
            return false;
    return hook_record(c, &h);
}

static bool check_other(check *c, pst_token *t);

/* An integer, or the length of a string. */
static uint64_t worth(const pst_token *t)
{
    return t->marker == PST_INTEGER ? (uint64_t)t->iv : t->len;
}

/* Plain items of an array, but for its last one, as long as they come. With a reader of its own,
 * whose address nobody else knows, the place in the image stays in a register. */
static void check_run(check *c, frame *f)
{
    pst_reader r = c->r;
    uint64_t left = f->left, sum = c->sum;
    pst_token t;
    while (left > 1 && pst_reader_plain(&r, &t)) {
        sum += worth(&t);
        left--;
    }
    c->r.in = r.in;
    c->sum = sum;
    c->tags += f->left - left;
    f->left = left;
}

/* Tokens up to the end of the container on top, or up to one that opens another. */
static bool check_tokens(check *c)
{
    frame *f = &c->frames[c->count - 1];
    pst_token t;
    if (f->marker == PST_ARRAY)
        check_run(c, f);
    while (pst_reader_plain(&c->r, &t) || pst_reader_next(&c->r, &t)) {
        switch (t.marker) {
        case PST_INTEGER: case PST_DOUBLE: case PST_SCALAR: case PST_UTF8STR:
        case PST_UNDEF: case PST_SV_UNDEF: case PST_SV_YES: case PST_SV_NO:
            c->tags++;
            if (f->left > 1 && f->marker != PST_FLAG_HASH) {
                f->left--;
                if (f->marker == PST_HASH && !pst_reader_key(&c->r, &t))
                    return false;
                continue;
            }
            return item_is_done(c);
        default:
            return check_other(c, &t);
        }
    }
    return false;
}

/* A token that is seldom, or opens a container. */
static bool check_other(check *c, pst_token *t)
{
    switch (t->marker) {
    case PST_OBJECT:
        if (t->len >= c->tags)
            return pst_reader_fail(&c->r, PST_ERR_MARKER, c->tags, PST_OBJECT);
        return item_is_done(c);
    case PST_BLESS: case PST_IX_BLESS:
        return push(c, PST_REF, 1);
    case PST_ARRAY: case PST_HASH: case PST_FLAG_HASH:
        c->tags++;
        return t->len ? push(c, t->marker, t->len) : item_is_done(c);
    case PST_REF: case PST_OVERLOAD: case PST_WEAKREF: case PST_WEAKOVERLOAD: case PST_CODE:
    case PST_TIED_ARRAY: case PST_TIED_HASH: case PST_TIED_SCALAR: case PST_TIED_IDX: case PST_VSTRING:
        c->tags++;
        return push(c, t->marker, 1);
    case PST_TIED_KEY:
        c->tags++;
        return push(c, t->marker, 2);
    case PST_REGEXP:
        c->tags++;
        return pst_reader_regexp_flags(&c->r, t) && item_is_done(c);
    case PST_HOOK:
        c->tags++;
        return check_hook(c, t) && item_is_done(c);
    default:
        c->tags++;
        return item_is_done(c);
    }
}

/* One item with all that is in it. */
static bool check_item(check *c)
{
    check outer = *c;
    bool fine = true;
    c->frames = NULL;
    c->count = c->room = 0;
    push(c, PST_REF, 1);
    while (fine && c->count)
        fine = check_tokens(c);
    free(c->frames);
    c->frames = outer.frames;
    c->count = outer.count;
    c->room = outer.room;
    return fine;
}

/* RETURNS: items of the image, 0 if it is damaged; adds to *sum. */
static uint64_t check_image(const uint8_t *bytes, size_t len, uint64_t *sum)
{
    bool fine;
    check c = { 0 };
    pst_reader_init(&c.r, bytes, len);
    if (pst_header_read(&c.r.header, &c.r.in) != PST_OK || pst_header_readable(&c.r.header) != PST_OK
        || pst_reader_is_old(&c.r))
        return 0;
    pst_reader_configure(&c.r, sizeof(int64_t), sizeof(double));
    fine = check_item(&c) && pst_cursor_left(&c.r.in) == 0;
    *sum += c.sum;
    return fine ? c.tags : 0;
}

/* RETURNS: the contents of the file, allocated, or NULL. */
static uint8_t *read_file(const char *name, size_t *len)
{
    FILE *in = fopen(name, "rb");
    uint8_t *bytes = NULL;
    long size;
    if (!in)
        return NULL;
    if (fseek(in, 0, SEEK_END) == 0 && (size = ftell(in)) > 0 && fseek(in, 0, SEEK_SET) == 0) {
        *len = (size_t)size;
        bytes = malloc(*len);
        if (bytes && fread(bytes, 1, *len, in) != *len) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(in);
    return bytes;
}

int main(int argc, char **argv)
{
    struct timespec start, end;
    unsigned long count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, i;
    size_t len = 0;
    uint8_t *bytes = count ? read_file(argv[1], &len) : NULL;
    uint64_t items = 0, sum = 0;
    if (!bytes) {
        fprintf(stderr, count ? "check_image: %s cannot be read\n" : "usage: %s FILE COUNT\n",
            count ? argv[1] : argv[0]);
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (i = 0; i < count; i++)
        if (!(items = check_image(bytes, len, &sum)))
            break;
    clock_gettime(CLOCK_MONOTONIC, &end);
    free(bytes);
    if (!items) {
        fprintf(stderr, "check_image: %s: damaged\n", argv[1]);
        return 1;
    }
    printf("%.9f %llu %llu\n", (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9,
        (unsigned long long)items, (unsigned long long)sum);
    return 0;
}
