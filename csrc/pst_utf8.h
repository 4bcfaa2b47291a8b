/* pst_utf8.h - is it UTF-8?
 *
 * Layer: core, private. Strict: no surrogates, nothing above U+10FFFF, no longer form than
 * needed. Perl's own UTF-8 may have all that; such strings are shown in other ways.
 */
#ifndef PST_UTF8_H
#define PST_UTF8_H

#include "pst_config.h"

/* The length of the character at p, 0 if none is. */
PST_INLINE unsigned pst_utf8_char(const uint8_t *p, size_t len)
{
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4 || len < 2 || (p[1] & 0xc0) != 0x80)
        return 0;
    if (p[0] < 0xe0)
        return 2;
    if (len < 3 || (p[2] & 0xc0) != 0x80)
        return 0;
    if (p[0] < 0xf0)
        return (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ? 0 : 3;
    if (len < 4 || (p[3] & 0xc0) != 0x80)
        return 0;
    return (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f) ? 0 : 4;
}

/* The number of the character at p, whose length is known; 0 and 1: the byte's. */
PST_INLINE uint32_t pst_utf8_decode(const uint8_t *p, unsigned len)
{
    switch (len) {
    case 2:  return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
    case 3:  return (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
    case 4:  return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12
                  | (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
    default: return p[0];
    }
}

/* Is all of it UTF-8? */
PST_INLINE bool pst_utf8_valid(const uint8_t *p, uint64_t len)
{
    uint64_t at = 0;
    while (at < len) {
        unsigned n;
        if (len - at >= 8 && !(pst_load64(p + at) & UINT64_C(0x8080808080808080))) {
            at += 8;
            continue;
        }
        n = pst_utf8_char(p + at, (size_t)(len - at));
        if (!n)
            return false;
        at += n;
    }
    return true;
}

#endif
