/* pst_walk_plain.c - small plain objects, passed over without an event for each part. */
#include "pst_walk.h"

/* The bytes behind the marker of a leaf at p, `left` being there behind it. RETURNS: SIZE_MAX if
 * it is none, or its end is not seen. */
PST_INLINE size_t leaf_size(const pst_walk *w, const uint8_t *p, size_t left)
{
    uint32_t len;
    switch (*p) {
    case PST_UNDEF: case PST_SV_UNDEF: case PST_SV_YES: case PST_SV_NO: case PST_SVUNDEF_ELEM: return 0;
    case PST_BYTE:    return 1;
    case PST_OBJECT:
    case PST_NETINT:  return 4;
    case PST_INTEGER: return w->r.iv_size;
    case PST_DOUBLE:  return w->r.nv_size;
    case PST_SCALAR:
    case PST_UTF8STR: return left ? 1u + p[1] : SIZE_MAX;
    case PST_LSCALAR:
    case PST_LUTF8STR:
        if (left < 4)
            return SIZE_MAX;
        len = pst_load32(p + 1);
        len = w->r.swap ? pst_swap32(len) : len;
        return len < left ? 4 + (size_t)len : SIZE_MAX;
    default:          return SIZE_MAX;
    }
}

enum { PLAIN_DEPTH = 16, PLAIN_SIZE = 4096 };

/* The end of a small object at p of nothing but references, arrays, hashes and leaves. *tags: its
 * tags. RETURNS: NULL if it is something else, or is damaged, or goes beyond `end`. */
static const uint8_t *plain_end(const pst_walk *w, const uint8_t *p, const uint8_t *end, uint64_t *tags)
{
    struct { uint32_t left; bool hash; } open[PLAIN_DEPTH];
    unsigned depth = 0;
    uint64_t count = 0;
    for (;;) {
        size_t left = (size_t)(end - p), size;
        uint32_t n;
        if (left < 2 || (count++, *p == PST_REF)) {
            if (left < 2)
                return NULL;
            p++;
            continue;
        }
        if (*p == PST_ARRAY || *p == PST_HASH) {
            if (left < 5 || depth == PLAIN_DEPTH)
                return NULL;
            n = pst_load32(p + 1);
            open[depth].left = w->r.swap ? pst_swap32(n) : n;
            open[depth].hash = *p == PST_HASH;
            p += 5;
            if (open[depth].left) {
                depth++;
                continue;
            }
        }
        else {
            size = leaf_size(w, p, left - 1);
            if (size > left - 1)
                return NULL;
            if (*p == PST_OBJECT) {
                uint32_t tag = pst_load_be32(p + 1);
                count--;
                if (!w->fragment && tag >= w->tag_count + count)
                    return NULL;
                if (w->named)
                    w->named(w->named_host, tag);
            }
            p += 1 + size;
        }
        for (; depth; depth--) {       /* what is whole now */
            if (open[depth - 1].hash) {
                if (end - p < 4)
                    return NULL;
                n = pst_load32(p);
                n = w->r.swap ? pst_swap32(n) : n;
                if (n > (size_t)(end - p) - 4)
                    return NULL;
                p += 4 + (size_t)n;
            }
            if (--open[depth - 1].left)
                break;
        }
        if (!depth) {
            *tags = count;
            return p;
        }
    }
}

bool pst_walk_pass_plain(pst_walk *w)
{
    const uint8_t *p = w->r.in.pos, *end = w->r.in.end;
    uint64_t tags = 0;
    if (w->old || p == end || (*p != PST_REF && *p != PST_ARRAY && *p != PST_HASH))
        return false;
    if (end - p > PLAIN_SIZE)
        end = p + PLAIN_SIZE;
    p = plain_end(w, p, end, &tags);
    if (!p || tags > w->skim_until - w->tag_count)
        return false;
    w->tag_count += tags;
    w->r.in.pos = p;
    return true;
}
