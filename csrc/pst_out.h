/* pst_out.h - text to a callback of the host: what every command writes through.
 *
 * Layer: core. Text collects in a buffer of fixed size and leaves it by the host's `write`;
 * `pst` hands it to stdio, `permafrost` to PerlIO or a scalar. The first failure sticks in
 * `failed`; from then on everything is thrown away, so callers may check late.
 */
#ifndef PST_OUT_H
#define PST_OUT_H

#include "pst_buf.h"
#include "pst_numfmt.h"

enum { PST_OUT_SIZE = 32 * 1024 };

typedef struct pst_out {
    pst_buf buf;
    bool  (*write)(void *host, const void *bytes, size_t len);   /* false: failed */
    void   *host;
    bool    failed;
    bool    color;       /* the host's terminal understands colours */
    bool    in_json;     /* what pst_out_quoted() writes stands within a JSON string */
    uint8_t room[PST_OUT_SIZE];
} pst_out;

/* Colours, by what they mean. */
enum pst_color { PST_PLAIN, PST_MARKER_COLOR, PST_KEY_COLOR, PST_VALUE_COLOR, PST_CLASS_COLOR,
                 PST_DIM_COLOR, PST_BAD_COLOR, PST_GOOD_COLOR };

PST_EXTERN_C_BEGIN

/* Not to be moved afterwards. */
void pst_out_init(pst_out *o, bool (*write)(void *host, const void *bytes, size_t len), void *host);

/* Hand over what is there. RETURNS: false if anything has failed so far. */
bool pst_out_flush(pst_out *o);

/* Text, as it is, and numbers in decimal. Errors show in pst_out_flush(). */
void pst_out_bytes(pst_out *o, const void *bytes, size_t len);
void pst_out_str(pst_out *o, const char *text);
void pst_out_char(pst_out *o, char c);
void pst_out_u64(pst_out *o, uint64_t v);
void pst_out_i64(pst_out *o, int64_t v);
void pst_out_spaces(pst_out *o, uint64_t count);
void pst_out_hex(pst_out *o, const uint8_t *bytes, size_t len);        /* 0a1b */

/* `v` in hexadecimal with at least `digits` digits. */
void pst_out_hex_u64(pst_out *o, uint64_t v, unsigned digits);

/* "1 item", "2 items": English plural by adding an s. */
void pst_out_count(pst_out *o, uint64_t count, const char *what);

/* Switch the colour, if there are colours. */
void pst_out_color(pst_out *o, enum pst_color color);

/* A string for people: quotes, escapes as perl's, cut after `most` bytes.
 *   utf8  the bytes are UTF-8; printable characters are shown */
void pst_out_quoted(pst_out *o, const uint8_t *bytes, uint64_t len, bool utf8, uint64_t most);

/* A JSON string. Bytes are characters below 256; with utf8 they are UTF-8, and what is not
 * valid becomes U+FFFD. */
void pst_out_json(pst_out *o, const uint8_t *bytes, uint64_t len, bool utf8);
void pst_out_json_body(pst_out *o, const uint8_t *bytes, uint64_t len, bool utf8);   /* no quotes */
void pst_out_json_str(pst_out *o, const char *text);

PST_EXTERN_C_END

/* Room for `need` bytes (a few hundred at most) for the _nocheck functions of pst_buf.h. */
PST_INLINE void pst_out_room(pst_out *o, size_t need)
{
    if (PST_UNLIKELY((size_t)(o->buf.end - o->buf.pos) < need))
        (void)o->buf.grow(&o->buf, need);
}

#endif
