/* pst_place.c - see pst_place.h. */
#include "pst_place.h"
#include "pst_utf8.h"

void pst_place_init(pst_place *p)
{
    pst_path_init(&p->path);
    p->referred = true;
}

static enum pst_path_kind tied_step(const pst_frame *f)
{
    bool array = f->kind == PST_F_HOOK ? f->hook.extra == PST_EXTRA_ARRAY : f->marker == PST_TIED_ARRAY;
    bool hash = f->kind == PST_F_HOOK ? f->hook.extra == PST_EXTRA_HASH : f->marker == PST_TIED_HASH;
    return array ? PST_PATH_TIED_ARRAY : hash ? PST_PATH_TIED_HASH : PST_PATH_TIED_SCALAR;
}

static bool is_reference(const pst_frame *f)
{
    return f->marker == PST_REF || f->marker == PST_OVERLOAD || f->marker == PST_WEAKREF
        || f->marker == PST_WEAKOVERLOAD;
}

/* Is what the frame encloses a scalar, which a reference to it makes a step? */
static bool is_scalar(const pst_frame *f)
{
    return f->kind == PST_F_TIED_KEY || f->kind == PST_F_TIED_IDX
        || (f->kind == PST_F_ONE && (is_reference(f) || f->marker == PST_VSTRING || f->marker == PST_TIED_SCALAR));
}

void pst_place_add(pst_place *p, const pst_frame *f, const uint8_t *key)
{
    bool reference = f->kind == PST_F_ONE && is_reference(f);
    if (f->kind == PST_F_OLD || (f->kind == PST_F_ONE && (f->marker == PST_BLESS || f->marker == PST_IX_BLESS)))
        return;
    if (p->referred && is_scalar(f))
        pst_path_add(&p->path, PST_PATH_REFERENT);
    p->referred = reference || f->kind == PST_F_HOOK;
    switch (f->kind) {
    case PST_F_ARRAY:
        pst_path_add_index(&p->path, PST_PATH_ITEM, (int64_t)f->at);
        break;
    case PST_F_HASH:
        pst_path_add_key(&p->path, (const char *)key, f->of.key_len, (f->key_flags & PST_KEY_UTF8) != 0);
        break;
    case PST_F_HOOK:
        if (pst_frame_at_tie(f))
            pst_path_add(&p->path, tied_step(f));
        else
            pst_path_add_index(&p->path, PST_PATH_FROZEN, -1);
        break;
    case PST_F_TIED_KEY:
    case PST_F_TIED_IDX:
        pst_path_add(&p->path, PST_PATH_TIED_SCALAR);
        break;
    default:
        if (f->marker >= PST_TIED_ARRAY && f->marker <= PST_TIED_SCALAR)
            pst_path_add(&p->path, tied_step(f));
        break;
    }
}

/* ASCII text, escaped if it stands in a JSON string. */
static void print_text(pst_out *o, const char *text, size_t len)
{
    for (; len--; text++) {
        if (o->in_json && (*text == '"' || *text == '\\'))
            pst_out_char(o, '\\');
        pst_out_char(o, *text);
    }
}

void pst_place_print(pst_place *p, pst_out *o, bool scalar)
{
    char text[PST_PATH_MAX];
    if (scalar && p->referred)
        pst_path_add(&p->path, PST_PATH_REFERENT);
    print_text(o, text, pst_path_format(&p->path, text));
}

void pst_print_place(pst_out *o, const pst_walk *w, size_t depth, bool scalar)
{
    enum { MOST = 64 };         /* frames at each end that are looked at: enough for the text */
    pst_place p;
    size_t i;
    pst_place_init(&p);
    for (i = 0; i < depth; i++) {
        const pst_frame *f = &w->frames[i];
        if (i == MOST && depth > 2 * MOST)
            f = &w->frames[i = depth - MOST];
        pst_place_add(&p, f, f->key_state == PST_KEY_BYTES ? pst_walk_key(w, f) : NULL);
    }
    pst_place_print(&p, o, scalar);
}

void pst_print_key(pst_out *o, const uint8_t *key, size_t len, bool utf8)
{
    char text[PST_PATH_MAX];
    pst_path path;
    size_t text_len;
    pst_path_init(&path);
    pst_path_add_key(&path, (const char *)key, len, utf8);
    text_len = pst_path_format(&path, text);
    print_text(o, text + 3, text_len - 3);      /* without $-> */
}

/* ---- paths from users ------------------------------------------------------------------- */

/* The end of the step at p, NULL if it is none. */
static const char *step_end(const char *p)
{
    if (*p == '[') {
        for (p++; *p >= '0' && *p <= '9'; p++)
            ;
        return *p == ']' && p[-1] != '[' ? p + 1 : NULL;
    }
    if (*p != '{')
        return NULL;
    p++;
    if (*p == '"' || *p == '\'') {
        char quote = *p++;
        while (*p && *p != quote)
            p += *p == '\\' && p[1] ? 2 : 1;
        return *p && p[1] == '}' ? p + 2 : NULL;
    }
    while (*p && *p != '}')
        p++;
    return *p ? p + 1 : NULL;
}

/* Arrows and dereferences say nothing that the image would not. */
static const char *skip_arrows(const char *p)
{
    while (*p == '}' || strncmp(p, "->", 2) == 0)
        p += *p == '}' ? 1 : 2;
    return p;
}

bool pst_steps_init(pst_steps *s, const char *text)
{
    const char *p = text;
    s->error = NULL;
    while (strncmp(p, "${", 2) == 0)
        p += 2;
    if (*p == '$')
        p++;
    s->text = p = skip_arrows(p);
    while (*p) {
        p = step_end(p);
        if (!p) {
            s->error = "a path looks like $->{rows}[3]";
            return false;
        }
        p = skip_arrows(p);
    }
    return true;
}

bool pst_steps_done(const pst_steps *s)
{
    return *s->text == '\0';
}

/* The next character of UTF-8 text, or of bytes that are none. */
static uint32_t next_char(const uint8_t **p, const uint8_t *end, bool utf8)
{
    unsigned n = utf8 ? pst_utf8_char(*p, (size_t)(end - *p)) : 1;
    uint32_t c = pst_utf8_decode(*p, n);
    *p += n ? n : 1;
    return c;
}

/* The character that a user has written: itself, \x{HEX}, or any other behind a backslash. */
static uint32_t written_char(const uint8_t **p, const uint8_t *end)
{
    uint32_t c = 0;
    if (**p != '\\' || *p + 1 == end)
        return next_char(p, end, true);
    ++*p;
    if (end - *p < 4 || (*p)[0] != 'x' || (*p)[1] != '{')
        return next_char(p, end, true);
    for (*p += 2; *p < end && **p != '}'; ++*p) {
        uint8_t d = **p;
        c = c << 4 | (uint32_t)(d <= '9' ? d - '0' : (d | 32) - 'a' + 10);
    }
    if (*p < end)
        ++*p;
    return c;
}

/* Compares a key with the inside of {...}. */
static bool same_key(const char *text, const char *text_end, const uint8_t *key, size_t len, bool utf8)
{
    const uint8_t *p = (const uint8_t *)text, *end = (const uint8_t *)text_end, *key_end = key + len;
    if (*p == '"' || *p == '\'') {
        p++;
        end--;
    }
    while (p < end && key < key_end)
        if (written_char(&p, end) != next_char(&key, key_end, utf8))
            return false;
    return p == end && key == key_end;
}

bool pst_steps_match(pst_steps *s, const pst_walk *w, const pst_frame *f)
{
    const char *p = s->text, *end;
    uint64_t index = 0;
    if (f->kind != PST_F_ARRAY && f->kind != PST_F_HASH)
        return true;
    end = step_end(p);
    if (!end)
        return false;
    if (*p == '[') {
        for (p++; *p != ']'; p++)
            index = index * 10 + (uint64_t)(*p - '0');
        if (f->kind != PST_F_ARRAY || index != f->at)
            return false;
    }
    else if (f->kind != PST_F_HASH || f->key_state != PST_KEY_BYTES
             || !same_key(p + 1, end - 1, pst_walk_key(w, f), f->of.key_len, (f->key_flags & PST_KEY_UTF8) != 0))
        return false;
    s->text = skip_arrows(end);
    return true;
}
