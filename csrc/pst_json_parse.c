/* pst_json_parse.c - see pst_json_parse.h. */
#include "pst_json_parse.h"
#include "pst_utf8.h"

/* Where a parse is. */
typedef struct parse {
    pst_json_text *j;
    size_t         at;
    size_t         open;     /* the innermost container, SIZE_MAX outside of all */
} parse;

static bool fail(parse *p, const char *error)
{
    if (!p->j->error) {
        p->j->error = error;
        p->j->error_at = p->at;
    }
    return false;
}

static void skip_space(parse *p)
{
    const pst_json_text *j = p->j;
    while (p->at < j->len && (j->text[p->at] == ' ' || j->text[p->at] == '\n'
                              || j->text[p->at] == '\r' || j->text[p->at] == '\t'))
        p->at++;
}

/* A new value. While a container is open its `next` is the one around it. */
static pst_json_value *add(parse *p, enum pst_json_type type)
{
    pst_json_text *j = p->j;
    pst_json_value *v = (pst_json_value *)pst_memory_array(j->memory, j->values, &j->room, j->count + 1, sizeof *v);
    if (!v) {
        (void)fail(p, "out of memory");
        return NULL;
    }
    j->values = v;
    if (p->open != SIZE_MAX)
        v[p->open].count++;
    v += j->count++;
    v->type = (uint8_t)type;
    v->at = p->at;
    v->len = v->count = 0;
    v->next = j->count;
    return v;
}

static unsigned hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10u;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10u;
    return 16;
}

/* Four hexadecimal digits. RETURNS: false if they are none. */
static bool hex4(const uint8_t *p, size_t len, uint32_t *v)
{
    unsigned i;
    *v = 0;
    if (len < 4)
        return false;
    for (i = 0; i < 4; i++) {
        unsigned d = hex_value(p[i]);
        if (d > 15)
            return false;
        *v = *v << 4 | d;
    }
    return true;
}

/* What a backslash begins, at p (behind it). *used: bytes. RETURNS: false if it is nothing. */
static bool escaped(const uint8_t *p, size_t len, uint32_t *c, size_t *used)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *name;
    uint32_t low;
    if (!len)
        return false;
    *used = 1;
    name = *p ? strchr(names, *p) : NULL;
    if (name) {
        *c = (uint8_t)values[name - names];
        return true;
    }
    if (*p != 'u' || !hex4(p + 1, len - 1, c) || (*c >= 0xdc00 && *c < 0xe000))
        return false;
    *used = 5;
    if (*c < 0xd800 || *c >= 0xe000)
        return true;
    if (len < 11 || p[5] != '\\' || p[6] != 'u' || !hex4(p + 7, len - 7, &low) || low < 0xdc00 || low >= 0xe000)
        return false;
    *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
    *used = 11;
    return true;
}

static bool parse_string(parse *p)
{
    pst_json_text *j = p->j;
    pst_json_value *v;
    size_t start;
    p->at++;
    v = add(p, PST_JSON_STRING);
    if (!v)
        return false;
    for (start = p->at; p->at < j->len && j->text[p->at] != '"'; ) {
        const uint8_t *text = j->text + p->at;
        size_t used = 0;
        uint32_t c;
        if (*text < ' ')
            return fail(p, "a control character in a string");
        if (*text == '\\') {
            if (!escaped(text + 1, j->len - p->at - 1, &c, &used))
                return fail(p, "an unknown escape in a string");
            used++;
        }
        else
            used = pst_utf8_char(text, j->len - p->at);
        if (!used)
            return fail(p, "no UTF-8 in a string");
        p->at += used;
    }
    if (p->at == j->len)
        return fail(p, "a string without an end");
    v->len = p->at++ - start;
    return true;
}

static bool is_digit(const parse *p)
{
    return p->at < p->j->len && p->j->text[p->at] >= '0' && p->j->text[p->at] <= '9';
}

static bool digits(parse *p)
{
    if (!is_digit(p))
        return fail(p, "a digit is missing");
    while (is_digit(p))
        p->at++;
    return true;
}

static bool at_char(const parse *p, char c)
{
    return p->at < p->j->len && p->j->text[p->at] == (uint8_t)c;
}

static bool parse_number(parse *p)
{
    size_t start = p->at;
    pst_json_value *v = add(p, PST_JSON_NUMBER);
    if (!v)
        return false;
    p->at += at_char(p, '-');
    if (at_char(p, '0'))
        p->at++;             /* and nothing behind it */
    else if (!digits(p))
        return false;
    if (at_char(p, '.')) {
        p->at++;
        if (!digits(p))
            return false;
    }
    if (at_char(p, 'e') || at_char(p, 'E')) {
        p->at++;
        p->at += at_char(p, '-') || at_char(p, '+');
        if (!digits(p))
            return false;
    }
    v->len = p->at - start;
    return true;
}

static bool parse_word(parse *p)
{
    static const char *const words[] = { "null", "true", "false" };
    unsigned i;
    for (i = 0; i < 3; i++) {
        size_t len = strlen(words[i]);
        if (p->j->len - p->at < len || memcmp(p->j->text + p->at, words[i], len) != 0)
            continue;
        if (!add(p, (enum pst_json_type)(PST_JSON_NULL + i)))
            return false;
        p->at += len;
        return true;
    }
    return fail(p, "a value is missing");
}

/* The innermost container ends. */
static void close_container(parse *p)
{
    pst_json_value *v = &p->j->values[p->open];
    size_t around = v->next;
    v->next = p->j->count;
    p->open = around;
    p->at++;
}

static bool open_container(parse *p, enum pst_json_type type)
{
    pst_json_value *v = add(p, type);
    if (!v)
        return false;
    v->next = p->open;
    p->open = p->j->count - 1;
    p->at++;
    return true;
}

/* A value or its beginning, after space. *opened: a container was opened. */
static bool parse_value(parse *p, bool *opened)
{
    *opened = false;
    skip_space(p);
    if (p->at == p->j->len)
        return fail(p, "the text is cut off");
    switch (p->j->text[p->at]) {
    case '"': return parse_string(p);
    case '[':
    case '{':
        *opened = true;
        return open_container(p, at_char(p, '[') ? PST_JSON_ARRAY : PST_JSON_OBJECT);
    case '-': return parse_number(p);
    default:  return is_digit(p) ? parse_number(p) : parse_word(p);
    }
}

static bool is_object(const parse *p)
{
    return p->j->values[p->open].type == PST_JSON_OBJECT;
}

/* In an object: a name and its colon. */
static bool parse_name(parse *p)
{
    skip_space(p);
    if (!at_char(p, '"'))
        return fail(p, "a name is missing");
    if (!parse_string(p))
        return false;
    skip_space(p);
    if (!at_char(p, ':'))
        return fail(p, "a colon is missing");
    p->at++;
    return true;
}

/* Behind a value: close what ends, up to a comma, or to the end. RETURNS: false on error. */
static bool after_value(parse *p, bool *more)
{
    for (*more = false; p->open != SIZE_MAX; ) {
        skip_space(p);
        if (at_char(p, ',')) {
            p->at++;
            *more = true;
            return !is_object(p) || parse_name(p);
        }
        if (!at_char(p, is_object(p) ? '}' : ']'))
            return fail(p, "a comma or an end is missing");
        close_container(p);
    }
    return true;
}

bool pst_json_parse(pst_json_text *j, const pst_memory *memory, const uint8_t *text, size_t len)
{
    parse p;
    bool more = true, opened;
    memset(j, 0, sizeof *j);
    j->text = text;
    j->len = len;
    j->memory = memory;
    p.j = j;
    p.at = 0;
    p.open = SIZE_MAX;
    while (more) {
        if (!parse_value(&p, &opened))
            return false;
        if (opened) {
            skip_space(&p);
            if (!at_char(&p, is_object(&p) ? '}' : ']')) {
                if (is_object(&p) && !parse_name(&p))
                    return false;
                continue;
            }
        }
        if (!after_value(&p, &more))
            return false;
    }
    skip_space(&p);
    return p.at == len || fail(&p, "something stands behind the value");
}

void pst_json_text_release(pst_json_text *j)
{
    pst_memory_free(j->memory, j->values);
    j->values = NULL;
}

bool pst_json_is(const pst_json_text *j, size_t value, const char *text)
{
    const pst_json_value *v = &j->values[value];
    size_t len = strlen(text);
    return v->type == PST_JSON_STRING && v->len == len && memcmp(j->text + v->at, text, len) == 0;
}

size_t pst_json_member(const pst_json_text *j, size_t object, const char *name)
{
    size_t at = object + 1, left = j->values[object].count;
    for (; left > 1; left -= 2) {
        if (pst_json_is(j, at, name))
            return at + 1;
        at = j->values[at + 1].next;
    }
    return SIZE_MAX;
}

bool pst_json_integer(const pst_json_text *j, size_t value, int64_t *out)
{
    const pst_json_value *v = &j->values[value];
    const uint8_t *p = j->text + v->at, *end = p + v->len;
    bool negative = v->len && *p == '-';
    uint64_t n = 0, most = negative ? UINT64_C(1) << 63 : (UINT64_C(1) << 63) - 1;
    if (v->type != PST_JSON_NUMBER)
        return false;
    for (p += negative; p < end; p++) {
        unsigned d = *p - (unsigned)'0';
        if (d > 9 || n > (most - d) / 10)
            return false;
        n = n * 10 + d;
    }
    *out = negative ? (int64_t)(0 - n) : (int64_t)n;
    return true;
}

static size_t put_utf8(uint8_t *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (uint8_t)(0xc0 | c >> 6);
        out[1] = (uint8_t)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (uint8_t)(0xe0 | c >> 12);
        out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | c >> 18);
    out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (c & 0x3f));
    return 4;
}

size_t pst_json_string(const pst_json_text *j, size_t value, bool utf8, uint8_t *out)
{
    const pst_json_value *v = &j->values[value];
    const uint8_t *p = j->text + v->at, *end = p + v->len;
    uint8_t *to = out;
    while (p < end) {
        uint32_t c = *p;
        size_t used = 1;
        if (c == '\\') {
            (void)escaped(p + 1, (size_t)(end - p) - 1, &c, &used);
            used++;
        }
        else if (c >= 0x80) {
            used = pst_utf8_char(p, (size_t)(end - p));
            c = pst_utf8_decode(p, (unsigned)used);
        }
        p += used;
        if (utf8)
            to += put_utf8(to, c);
        else if (c > 0xff)
            return SIZE_MAX;
        else
            *to++ = (uint8_t)c;
    }
    return (size_t)(to - out);
}
