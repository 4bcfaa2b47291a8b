/* pst_path.c - see pst_path.h. */
#include "pst_path.h"
#include "pst_numfmt.h"

/* ---- collecting ------------------------------------------------------------------------- */

void pst_path_init(pst_path *path)
{
    path->count = 0;
}

static pst_path_step *new_step(pst_path *path, enum pst_path_kind kind)
{
    uint64_t at = path->count++;
    pst_path_step *step = at < PST_PATH_HEAD ? &path->head[at]
                        : &path->tail[(at - PST_PATH_HEAD) % PST_PATH_TAIL];
    memset(step, 0, sizeof *step);
    step->kind = kind;
    return step;
}

void pst_path_add(pst_path *path, enum pst_path_kind kind)
{
    (void)new_step(path, kind);
}

void pst_path_add_index(pst_path *path, enum pst_path_kind kind, int64_t index)
{
    new_step(path, kind)->index = index;
}

void pst_path_add_key(pst_path *path, const char *key, size_t len, bool utf8)
{
    pst_path_step *step = new_step(path, PST_PATH_VALUE);
    step->key = key;
    step->key_len = len;
    step->utf8 = utf8;
}

/* ---- the text ---------------------------------------------------------------------------- */

static char *put(char *out, const char *text)
{
    size_t len = strlen(text);
    memcpy(out, text, len);
    return out + len;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(unsigned char c)
{
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Does perl take the key between braces for itself, without quotes? */
static bool is_bare(const pst_path_step *step)
{
    const char *key = step->key;
    size_t len = step->key_len, i;
    if (len == 0 || len > PST_PATH_KEY_MAX)
        return false;
    if (is_digit((unsigned char)key[0]) && (len > 9 || (key[0] == '0' && len > 1)))
        return false;
    for (i = 0; i < len; i++)
        if (!is_word((unsigned char)key[i])
            || (is_digit((unsigned char)key[0]) && !is_digit((unsigned char)key[i])))
            return false;
    return true;
}

/* The character at key[*at], *at moved behind it. What is no UTF-8 counts byte by byte. */
static uint32_t next_char(const pst_path_step *step, size_t *at)
{
    const unsigned char *p = (const unsigned char *)step->key + *at;
    uint32_t c = p[0];
    size_t len = !step->utf8 || c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 1, i;
    if (len > step->key_len - *at)
        len = 1;
    for (i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            len = 1;
    (*at)++;
    if (len == 1)
        return c;
    c &= 0x7fu >> len;
    for (i = 1; i < len; i++, (*at)++)
        c = c << 6 | (p[i] & 0x3f);
    return c;
}

static char *put_char(char *out, uint32_t c)
{
    int shift = 28;
    if (c >= 0x20 && c < 0x7f) {
        if (c == '"' || c == '\\' || c == '$' || c == '@')
            *out++ = '\\';
        *out++ = (char)c;
        return out;
    }
    out = put(out, "\\x{");
    while (shift && !(c >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *out++ = "0123456789abcdef"[c >> shift & 15];
    *out++ = '}';
    return out;
}

static char *put_key(char *out, const pst_path_step *step)
{
    size_t at = 0, count = 0;
    *out++ = '{';
    if (!step->key)
        *out++ = '?';
    else if (is_bare(step)) {
        memcpy(out, step->key, step->key_len);
        out += step->key_len;
    }
    else {
        *out++ = '"';
        for (; at < step->key_len && count < PST_PATH_KEY_MAX; count++)
            out = put_char(out, next_char(step, &at));
        *out++ = '"';
        if (at < step->key_len)
            out = put(out, "...");
    }
    *out++ = '}';
    return out;
}

static char *put_index(char *out, int64_t index)
{
    *out++ = '[';
    if (index < 0)
        *out++ = '?';
    else
        out += pst_format_i64(out, index);
    *out++ = ']';
    return out;
}

/* What stands before the path that the step goes on from. */
static char *put_opening(char *out, const pst_path_step *step)
{
    switch (step->kind) {
    case PST_PATH_REFERENT:    return put(out, "${");
    case PST_PATH_TIED_ARRAY:  return put(out, "tied(@{");
    case PST_PATH_TIED_HASH:   return put(out, "tied(%{");
    case PST_PATH_TIED_SCALAR: return put(out, "tied(");
    case PST_PATH_FROZEN:      return put(out, "(");
    default:                   return out;
    }
}

/* What stands behind it. *arrow: must a subscript that follows have an arrow? */
static char *put_closing(char *out, const pst_path_step *step, bool *arrow)
{
    const bool need_arrow = *arrow;
    *arrow = true;
    switch (step->kind) {
    case PST_PATH_REFERENT:    return put(out, "}");
    case PST_PATH_TIED_ARRAY:
    case PST_PATH_TIED_HASH:   return put(out, "})");
    case PST_PATH_TIED_SCALAR: return put(out, ")");
    default:                   break;
    }
    *arrow = false;
    if (step->kind == PST_PATH_FROZEN)
        return put_index(put(out, "->STORABLE_freeze)"), step->index);
    if (need_arrow)
        out = put(out, "->");
    return step->kind == PST_PATH_ITEM ? put_index(out, step->index) : put_key(out, step);
}

/* The step at this place of the text; NULL for the dots in the middle. */
static const pst_path_step *shown(const pst_path *path, uint64_t at)
{
    const uint64_t most = PST_PATH_HEAD + PST_PATH_TAIL;
    if (at < PST_PATH_HEAD)
        return &path->head[at];
    if (path->count <= most)
        return &path->tail[at - PST_PATH_HEAD];
    if (at == PST_PATH_HEAD)
        return NULL;
    return &path->tail[(path->count - PST_PATH_HEAD + at - PST_PATH_HEAD - 1) % PST_PATH_TAIL];
}

size_t pst_path_format(const pst_path *path, char *out)
{
    const uint64_t most = PST_PATH_HEAD + PST_PATH_TAIL;
    const uint64_t count = path->count <= most ? path->count : most + 1;
    char *p = out;
    bool arrow = true;
    uint64_t i;
    for (i = count; i-- > 0; )
        if (shown(path, i))
            p = put_opening(p, shown(path, i));
    *p++ = '$';
    for (i = 0; i < count; i++) {
        const pst_path_step *step = shown(path, i);
        if (step)
            p = put_closing(p, step, &arrow);
        else {
            p = put(p, "...");
            arrow = false;
        }
    }
    return (size_t)(p - out);
}
