/* pst_config.h - what every file of the codec shares: types, attributes, unaligned access.
 *
 * Layer: core. Needs C99 (or C++11) and nothing else; no Perl, no stdio, no globals.
 *
 * All loads and stores go through memcpy, so no address is ever assumed to be aligned
 * and no byte is read through a wrongly typed pointer; compilers turn each of them into
 * one instruction where the machine allows it.
 */
#ifndef PST_CONFIG_H
#define PST_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#  define PST_LIKELY(x)   __builtin_expect(!!(x), 1)
#  define PST_UNLIKELY(x) __builtin_expect(!!(x), 0)
#  define PST_COLD        __attribute__((cold, noinline))
#  define PST_NOINLINE    __attribute__((noinline))
#  define PST_FLATTEN     __attribute__((flatten))    /* all calls in it inline that can be */
#  define PST_INLINE      static inline __attribute__((always_inline, unused))
#else
#  define PST_LIKELY(x)   (x)
#  define PST_UNLIKELY(x) (x)
#  define PST_COLD
#  define PST_NOINLINE
#  define PST_FLATTEN
#  define PST_INLINE      static inline
#endif

/* Instructions on 16 bytes at once that every amd64 has. What is written with them is written
 * without them, too; PST_PORTABLE asks for that. */
#if defined(__SSE2__) && defined(__x86_64__) && !defined(PST_PORTABLE)
#  define PST_SSE2 1
#else
#  define PST_SSE2 0
#endif

#ifdef __cplusplus
#  define PST_EXTERN_C_BEGIN extern "C" {
#  define PST_EXTERN_C_END   }
#else
#  define PST_EXTERN_C_BEGIN
#  define PST_EXTERN_C_END
#endif

/* Is this machine little-endian? A compile-time constant to every optimizer. */
PST_INLINE bool pst_host_is_little(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* The bytes of a value in the opposite order. */
PST_INLINE uint32_t pst_swap32(uint32_t v)
{
    v = ((v & 0x00ff00ffu) << 8) | ((v >> 8) & 0x00ff00ffu);
    return (v << 16) | (v >> 16);
}

/* The same of 8 bytes. */
PST_INLINE uint64_t pst_swap64(uint64_t v)
{
    return ((uint64_t)pst_swap32((uint32_t)v) << 32) | pst_swap32((uint32_t)(v >> 32));
}

/* Loads of host order from any address. */
PST_INLINE uint32_t pst_load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The same of 8 bytes. */
PST_INLINE uint64_t pst_load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Big-endian load and store, whatever the host. */
PST_INLINE uint32_t pst_load_be32(const uint8_t *p)
{
    uint32_t v = pst_load32(p);
    return pst_host_is_little() ? pst_swap32(v) : v;
}

/* The way back. */
PST_INLINE void pst_store_be32(uint8_t *p, uint32_t v)
{
    if (pst_host_is_little())
        v = pst_swap32(v);
    memcpy(p, &v, sizeof v);
}

/* memcpy for lengths that are mostly small: no call up to 32 bytes. The two halves of a
 * copy may overlap, so every length takes the same few moves. */
PST_INLINE void pst_copy(uint8_t *to, const void *from, size_t len)
{
    const uint8_t *p = (const uint8_t *)from;
    if (len > 16) {
        uint8_t low[16], high[16];
        if (PST_UNLIKELY(len > 32)) {
            memcpy(to, p, len);
            return;
        }
        memcpy(low, p, 16);
        memcpy(high, p + len - 16, 16);
        memcpy(to, low, 16);
        memcpy(to + len - 16, high, 16);
    }
    else if (len >= 8) {
        uint64_t low = pst_load64(p), high = pst_load64(p + len - 8);
        memcpy(to, &low, 8);
        memcpy(to + len - 8, &high, 8);
    }
    else if (len >= 4) {
        uint32_t low = pst_load32(p), high = pst_load32(p + len - 4);
        memcpy(to, &low, 4);
        memcpy(to + len - 4, &high, 4);
    }
    else if (len) {
        to[0] = p[0];
        to[len / 2] = p[len / 2];
        to[len - 1] = p[len - 1];
    }
}

/* Are two short byte strings of the same length equal? No call up to 16 bytes. */
PST_INLINE bool pst_equal(const void *a, const void *b, size_t len)
{
    const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
    if (len > 16)
        return memcmp(x, y, len) == 0;
    if (len >= 8)
        return pst_load64(x) == pst_load64(y) && pst_load64(x + len - 8) == pst_load64(y + len - 8);
    if (len >= 4)
        return pst_load32(x) == pst_load32(y) && pst_load32(x + len - 4) == pst_load32(y + len - 4);
    return len == 0 || (x[0] == y[0] && x[len / 2] == y[len / 2] && x[len - 1] == y[len - 1]);
}

#if defined(__GNUC__) || defined(__clang__)
#  define PST_PREFETCH(p) __builtin_prefetch(p)
#else
#  define PST_PREFETCH(p) ((void)(p))
#endif

#endif
