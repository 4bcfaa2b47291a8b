/* pst_header.c - see pst_header.h. */
#include "pst_header.h"
#include "pst_tags.h"

static const char magic_now[] = "pst0";
static const char magic_old[] = "perl-store";

static const char order_little[] = "12345678";
static const char order_big[]    = "87654321";

void pst_header_host(pst_header *h, size_t iv_size, size_t nv_size)
{
    memset(h, 0, sizeof *h);
    h->major = PST_MAJOR;
    h->minor = PST_MINOR_WRITE;
    h->order_len = (uint8_t)iv_size;
    /* The text counts the bytes of an IV: 1234 is the start of the one, 4321 the end
     * of the other. */
    if (pst_host_is_little())
        memcpy(h->order, order_little, iv_size);
    else
        memcpy(h->order, order_big + 8 - iv_size, iv_size);
    h->int_size  = sizeof(int);
    h->long_size = sizeof(long);
    h->ptr_size  = sizeof(char *);
    h->nv_size   = (uint8_t)nv_size;
}

size_t pst_header_write(const pst_header *h, uint8_t *out)
{
    uint8_t *p = out;
    if (h->file) {
        memcpy(p, magic_now, 4);
        p += 4;
    }
    *p++ = (uint8_t)(h->major << 1 | (h->netorder ? 1 : 0));
    *p++ = h->minor;
    if (h->netorder)
        return (size_t)(p - out);
    *p++ = h->order_len;
    memcpy(p, h->order, h->order_len);
    p += h->order_len;
    *p++ = h->int_size;
    *p++ = h->long_size;
    *p++ = h->ptr_size;
    if (pst_header_has_nv(h))
        *p++ = h->nv_size;
    return (size_t)(p - out);
}

/* Reads the magic, if there must be one. */
static pst_err read_magic(pst_cursor *in, bool *old)
{
    const size_t now_len = sizeof magic_now - 1, old_len = sizeof magic_old - 1;
    char text[sizeof magic_old];
    const uint8_t *p = pst_cursor_take(in, now_len);
    *old = false;
    if (!p)
        return PST_ERR_TRUNCATED;
    if (memcmp(p, magic_now, now_len) == 0)
        return PST_OK;
    memcpy(text, p, now_len);
    p = pst_cursor_take(in, old_len - now_len);
    if (!p)
        return PST_ERR_TRUNCATED;
    memcpy(text + now_len, p, old_len - now_len);
    *old = true;
    return memcmp(text, magic_old, old_len) == 0 ? PST_OK : PST_ERR_NOT_STORABLE;
}

bool pst_header_has_nv(const pst_header *h)
{
    return h->major > 2 || (h->major == 2 && h->minor >= 2);
}

/* Reads the description of the writing machine, from the byte-order text on. */
static pst_err read_machine(pst_header *h, pst_cursor *in, uint8_t order_len)
{
    bool has_nv = pst_header_has_nv(h);
    const uint8_t *p = pst_cursor_take(in, order_len);
    size_t keep = order_len < 8 ? order_len : 8;
    if (!p)
        return PST_ERR_TRUNCATED;
    h->order_off = (uint8_t)(pst_cursor_off(in) - order_len);
    h->order_len = order_len;
    memcpy(h->order, p, keep);
    h->order[keep] = '\0';
    p = pst_cursor_take(in, has_nv ? 4 : 3);
    if (!p)
        return PST_ERR_TRUNCATED;
    h->int_size  = p[0];
    h->long_size = p[1];
    h->ptr_size  = p[2];
    h->nv_size   = has_nv ? p[3] : 0;
    return PST_OK;
}

pst_err pst_header_read(pst_header *h, pst_cursor *in)
{
    bool old = false, file = h->file;
    const uint8_t *p;
    uint8_t major;
    pst_err err;

    memset(h, 0, sizeof *h);
    h->file = file;
    if (file && (err = read_magic(in, &old)) != PST_OK)
        return err;
    p = pst_cursor_take(in, 1);
    if (!p)
        return PST_ERR_TRUNCATED;
    h->old_magic = old;
    if (old && *p > 1) {             /* format -1: no version, the text's length */
        h->unversioned = true;
        h->netorder = *p & 1;        /* but an odd one is taken for network order */
        return h->netorder ? PST_OK : read_machine(h, in, *p);
    }
    h->netorder = *p & 1;
    major = *p >> 1;
    if (major >= 2) {
        p = pst_cursor_take(in, 1);
        if (!p)
            return PST_ERR_TRUNCATED;
        h->minor = *p;
    }
    h->major = major;
    if (h->netorder)
        return PST_OK;
    p = pst_cursor_take(in, 1);
    return p ? read_machine(h, in, *p) : PST_ERR_TRUNCATED;
}

pst_err pst_header_compare(const pst_header *h, const pst_header *host)
{
    if (h->order_len != host->order_len || memcmp(h->order, host->order, host->order_len) != 0)
        return PST_ERR_BYTE_ORDER;
    if (h->int_size != host->int_size)
        return PST_ERR_INT_SIZE;
    if (h->long_size != host->long_size)
        return PST_ERR_LONG_SIZE;
    if (h->ptr_size != host->ptr_size)
        return PST_ERR_PTR_SIZE;
    if (pst_header_has_nv(h) && h->nv_size != host->nv_size)
        return PST_ERR_NV_SIZE;
    return PST_OK;
}

/* Little or big, and the right text for its length? */
static bool known_order(const pst_header *h, bool *little)
{
    if (h->order_len != 4 && h->order_len != 8)
        return false;
    *little = memcmp(h->order, order_little, h->order_len) == 0;
    return *little || memcmp(h->order, order_big + 8 - h->order_len, h->order_len) == 0;
}

pst_err pst_header_readable(const pst_header *h)
{
    bool little;
    if (h->netorder)
        return PST_OK;
    if (!known_order(h, &little))
        return PST_ERR_BYTE_ORDER;
    if (h->int_size != 4)
        return PST_ERR_INT_SIZE;
    if (h->long_size != 4 && h->long_size != 8)
        return PST_ERR_LONG_SIZE;
    if (h->ptr_size != 4 && h->ptr_size != 8)
        return PST_ERR_PTR_SIZE;
    if (!pst_header_has_nv(h) || h->nv_size == 8 || h->nv_size == 12 || h->nv_size == 16)
        return PST_OK;
    return PST_ERR_NV_SIZE;
}

bool pst_header_swapped(const pst_header *h)
{
    bool little = false;
    if (!h->netorder)
        (void)known_order(h, &little);
    return little != pst_host_is_little();
}
