/* pst_json_read.c - from JSON as pst_json_tagged.c writes it back to the image.
 *
 * The text is held whole. What is still to be written stands on a stack, so nesting costs
 * memory only: a value pushes what belongs to it, the last part first. Everything in the text
 * is checked; what does not describe an image is an error with its place.
 */
#include "pst_json_read.h"

bool pst_back_fail(pst_back *b, size_t value, const char *error)
{
    if (!b->error) {
        b->error = error;
        b->error_at = value < b->j.count ? b->j.values[value].at : 0;
    }
    return false;
}

bool pst_back_push(pst_back *b, enum pst_back_op_kind kind, size_t value, size_t count, bool flag)
{
    pst_back_op *p = (pst_back_op *)pst_memory_array(b->job->memory, b->ops, &b->op_room, b->op_count + 1, sizeof *p);
    if (!p)
        return pst_back_fail(b, value, "out of memory");
    b->ops = p;
    p += b->op_count++;
    p->kind = (uint8_t)kind;
    p->flag = flag;
    p->byte = 0;
    p->value = value;
    p->count = count;
    return true;
}

/* ---- what stands in the text ------------------------------------------------------------------ */

bool pst_back_integer(pst_back *b, size_t value, int64_t low, int64_t high, int64_t *v)
{
    if (value == SIZE_MAX || value >= b->j.count)
        return pst_back_fail(b, 0, "a member is missing");
    return (pst_json_integer(&b->j, value, v) && *v >= low && *v <= high)
        || pst_back_fail(b, value, "no integer, or none that fits here");
}

bool pst_back_member(pst_back *b, size_t object, const char *name, int64_t low, int64_t high, int64_t *v)
{
    size_t at = pst_json_member(&b->j, object, name);
    return at == SIZE_MAX ? pst_back_fail(b, object, "a member is missing") : pst_back_integer(b, at, low, high, v);
}

static int hex_digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hexadecimal digits to b->text. */
bool pst_back_hex(pst_back *b, size_t value, size_t *len)
{
    const pst_json_value *v = &b->j.values[value];
    const uint8_t *p = b->j.text + v->at;
    size_t i;
    if (v->type != PST_JSON_STRING || v->len % 2)
        return pst_back_fail(b, value, "no hexadecimal digits");
    for (i = 0; i < v->len; i += 2) {
        int high = hex_digit(p[i]), low = hex_digit(p[i + 1]);
        if (high < 0 || low < 0)
            return pst_back_fail(b, value, "no hexadecimal digits");
        b->text[i / 2] = (uint8_t)(high << 4 | low);
    }
    *len = v->len / 2;
    return true;
}

/* The bytes of a string, or of a {"$HEX":...}, to b->text. */
bool pst_back_text(pst_back *b, size_t value, bool utf8, size_t *len)
{
    const pst_json_value *v = &b->j.values[value];
    bool is_hex = v->type == PST_JSON_OBJECT && v->count == 2 && pst_json_is(&b->j, value + 1, "$HEX");
    size_t need = is_hex ? v[2].len : v->len;
    uint8_t *text = (uint8_t *)pst_memory_array(b->job->memory, b->text, &b->text_room, need + 1, 1);
    if (!text)
        return pst_back_fail(b, value, "out of memory");
    b->text = text;
    if (is_hex)
        return pst_back_hex(b, value + 2, len);
    if (v->type != PST_JSON_STRING)
        return pst_back_fail(b, value, "no string");
    *len = pst_json_string(&b->j, value, utf8, text);
    return *len != SIZE_MAX || pst_back_fail(b, value, "a character above 255 in a string of bytes");
}

/* ---- header ------------------------------------------------------------------------------------ */

static bool header_sizes(pst_back *b, size_t at)
{
    pst_header *h = &b->h;
    size_t order = pst_json_member(&b->j, at, "order"), len;
    int64_t v[4] = { 0, 0, 0, 0 };
    if (order == SIZE_MAX || !pst_back_text(b, order, false, &len))
        return pst_back_fail(b, at, "the order is missing");
    h->netorder = len == 7 && memcmp(b->text, "network", 7) == 0;
    if (h->netorder)
        return true;
    if (len != 4 && len != 8)
        return pst_back_fail(b, order, "no byte order");
    h->order_len = (uint8_t)len;
    memcpy(h->order, b->text, len);
    if (!pst_back_member(b, at, "int", 0, 255, &v[0]) || !pst_back_member(b, at, "long", 0, 255, &v[1])
        || !pst_back_member(b, at, "pointer", 0, 255, &v[2])
        || (pst_header_has_nv(h) && !pst_back_member(b, at, "nv", 0, 255, &v[3])))
        return false;
    h->int_size = (uint8_t)v[0];
    h->long_size = (uint8_t)v[1];
    h->ptr_size = (uint8_t)v[2];
    h->nv_size = (uint8_t)v[3];
    return pst_header_readable(h) == PST_OK || pst_back_fail(b, at, "a machine that is not known");
}

static bool header_version(pst_back *b, size_t at, int64_t *first)
{
    int64_t major = 0, minor = 0;
    size_t magic = pst_json_member(&b->j, at, "magic");
    pst_header *h = &b->h;
    if (magic == SIZE_MAX)
        return pst_back_fail(b, at, "the magic is missing");
    h->old_magic = pst_json_is(&b->j, magic, "perl-store");
    h->file = h->old_magic || pst_json_is(&b->j, magic, "pst0");
    h->unversioned = h->old_magic && pst_json_member(&b->j, at, "first") != SIZE_MAX;
    if (h->unversioned)
        return pst_back_member(b, at, "first", 2, 255, first);
    if (!pst_back_member(b, at, "major", 0, PST_MAJOR, &major)
        || (major >= 2 && !pst_back_member(b, at, "minor", 0, 255, &minor)))
        return false;
    h->major = (uint8_t)major;
    h->minor = (uint8_t)minor;
    return true;
}

static bool write_header(pst_back *b, size_t at)
{
    pst_header *h = &b->h;
    int64_t first = 0;
    if (!header_version(b, at, &first) || !header_sizes(b, at))
        return false;
    if (h->file)
        pst_out_str(b->o, h->old_magic ? "perl-store" : "pst0");
    if (h->unversioned)
        pst_back_u8(b, h->netorder ? (unsigned)first : h->order_len);
    else
        pst_back_u8(b, (unsigned)h->major << 1 | h->netorder);
    if (h->major >= 2)
        pst_back_u8(b, h->minor);
    if (!h->netorder) {
        if (!h->unversioned)
            pst_back_u8(b, h->order_len);
        pst_out_bytes(b->o, h->order, h->order_len);
        pst_back_u8(b, h->int_size);
        pst_back_u8(b, h->long_size);
        pst_back_u8(b, h->ptr_size);
        if (pst_header_has_nv(h))
            pst_back_u8(b, h->nv_size);
    }
    b->little = pst_header_swapped(h) != pst_host_is_little();
    b->tagged = h->major < 1 || h->old_magic;
    b->old = h->major < 2 || b->tagged;
    return true;
}

/* ---- scalars ------------------------------------------------------------------------------------ */

static bool put_string(pst_back *b, size_t value, unsigned short_marker, unsigned long_marker, bool huge, bool always_long)
{
    size_t len;
    bool utf8 = long_marker == PST_LUTF8STR;
    if (!pst_back_text(b, value, utf8, &len))
        return false;
    if (!huge && !always_long && len <= PST_SHORT_STRING_MAX) {
        pst_back_u8(b, short_marker);
        pst_back_u8(b, (unsigned)len);
    }
    else {
        pst_back_u8(b, long_marker);
        pst_back_length(b, len, huge);
    }
    pst_out_bytes(b->o, b->text, len);
    return true;
}

/* An integer, with the marker that a writer would choose. */
static bool put_integer(pst_back *b, size_t value)
{
    int64_t v;
    int64_t most = b->h.netorder || b->h.order_len == 4 ? INT32_MAX : INT64_MAX;
    if (!pst_back_integer(b, value, -most - 1, most, &v))
        return false;
    if (v >= -128 && v <= 127) {
        pst_back_u8(b, PST_BYTE);
        pst_back_u8(b, (unsigned)(v + 128));
    }
    else if (b->h.netorder) {
        pst_back_u8(b, PST_NETINT);
        pst_back_number(b, (uint64_t)v, 4, false);
    }
    else {
        pst_back_u8(b, PST_INTEGER);
        pst_back_number(b, (uint64_t)v, b->h.order_len, b->little);
    }
    return true;
}

/* One of the three, by name. */
static bool put_integer_as(pst_back *b, unsigned marker, size_t value)
{
    int64_t v, most = marker == PST_BYTE ? 127 : marker == PST_NETINT ? INT32_MAX : INT64_MAX;
    unsigned size = b->h.netorder ? PST_NATIVE_IV_SIZE : b->h.order_len;
    if (marker == PST_INTEGER && size == 4)
        most = INT32_MAX;
    if (!pst_back_integer(b, value, -most - 1, most, &v))
        return false;
    pst_back_u8(b, marker);
    if (marker == PST_BYTE)
        pst_back_u8(b, (unsigned)(v + 128));
    else if (marker == PST_NETINT)
        pst_back_number(b, (uint64_t)v, 4, false);
    else                       /* in network order it stands there as in the reader's memory */
        pst_back_number(b, (uint64_t)v, size, b->h.netorder ? pst_host_is_little() : b->little);
    return true;
}

static bool put_double(pst_back *b, size_t object)
{
    size_t bytes = pst_json_member(&b->j, object, "bytes"), len;
    if (bytes == SIZE_MAX)
        return pst_back_fail(b, object, "a member is missing");
    if (!pst_back_text(b, bytes, false, &len) || !pst_back_hex(b, bytes, &len))
        return false;
    if (len != (b->h.nv_size ? b->h.nv_size : (size_t)PST_NATIVE_NV_SIZE))
        return pst_back_fail(b, bytes, "a float of another size than the header's");
    pst_back_u8(b, PST_DOUBLE);
    pst_out_bytes(b->o, b->text, len);
    return true;
}

static bool put_object(pst_back *b, size_t value, bool huge)
{
    int64_t tag;
    if (b->tagged) {
        pst_back_u8(b, PST_OBJECT);
        return true;
    }
    if (!pst_back_integer(b, value, 0, huge ? INT64_MAX : UINT32_MAX, &tag))
        return false;
    pst_back_u8(b, PST_OBJECT);
    pst_back_number(b, (uint64_t)tag, huge ? 8 : 4, huge ? b->little : false);
    return true;
}

/* ---- containers --------------------------------------------------------------------------------- */

static bool open_array(pst_back *b, size_t value, bool huge)
{
    size_t count = b->j.values[value].count;
    pst_back_u8(b, PST_ARRAY);
    pst_back_length(b, count, huge);
    return pst_back_push(b, PST_BACK_ITEMS, value + 1, count, false);
}

static bool open_hash(pst_back *b, size_t value, bool huge)
{
    size_t count = b->j.values[value].count / 2;
    pst_back_u8(b, PST_HASH);
    pst_back_length(b, count, huge);
    return pst_back_push(b, PST_BACK_PAIRS, value + 1, count, false);
}

static bool open_flag_hash(pst_back *b, size_t object, bool huge)
{
    size_t keys = pst_json_member(&b->j, object, "keys");
    int64_t flags;
    if (!pst_back_integer(b, object + 2, 0, 255, &flags))
        return false;
    if (keys == SIZE_MAX || b->j.values[keys].type != PST_JSON_ARRAY)
        return pst_back_fail(b, object, "keys is no list");
    pst_back_u8(b, PST_FLAG_HASH);
    pst_back_u8(b, (unsigned)flags);
    pst_back_length(b, b->j.values[keys].count, huge);
    return pst_back_push(b, PST_BACK_FLAG_PAIRS, keys + 1, b->j.values[keys].count, false);
}

/* BLESS "Class", IX_BLESS number; then the object. */
static bool open_class(pst_back *b, size_t object, bool by_number)
{
    size_t of = pst_json_member(&b->j, object, "of"), len = 0;
    int64_t number = 0, byte = 0;
    bool is_long = pst_json_member(&b->j, object, "long") != SIZE_MAX;
    if (of == SIZE_MAX)
        return pst_back_fail(b, object, "a member is missing");
    if (by_number ? !pst_back_integer(b, object + 2, 0, UINT32_MAX, &number) : !pst_back_text(b, object + 2, false, &len))
        return false;
    if (is_long && !pst_back_member(b, object, "long", PST_LONG_LEN, 255, &byte))
        return false;
    if (!by_number)
        number = (int64_t)len;
    if (!is_long && number > PST_SHORT_CLASS_MAX)
        byte = PST_LONG_LEN;
    pst_back_u8(b, by_number ? PST_IX_BLESS : PST_BLESS);
    pst_back_u8(b, (unsigned)(byte ? byte : number));
    if (byte)
        pst_back_u32(b, (uint64_t)number);
    pst_out_bytes(b->o, b->text, len);
    return pst_back_push(b, PST_BACK_VALUE, of, 0, false);
}

static bool put_regexp(pst_back *b, size_t object)
{
    size_t flags = pst_json_member(&b->j, object, "flags"), len;
    int64_t op_flags;
    if (flags == SIZE_MAX)
        return pst_back_fail(b, object, "a member is missing");
    if (!pst_back_member(b, object, "op", 0, 255, &op_flags) || !pst_back_text(b, object + 2, false, &len))
        return false;
    if (!(op_flags & PST_REGEXP_BIG_PATTERN) && len > PST_SHORT_STRING_MAX)
        return pst_back_fail(b, object, "a pattern that is too long without 1 in op");
    pst_back_u8(b, PST_REGEXP);
    pst_back_u8(b, (unsigned)op_flags);
    if (op_flags & PST_REGEXP_BIG_PATTERN)
        pst_back_u32(b, len);
    else
        pst_back_u8(b, (unsigned)len);
    pst_out_bytes(b->o, b->text, len);
    if (!pst_back_text(b, flags, false, &len) || len > PST_SHORT_STRING_MAX)
        return pst_back_fail(b, flags, "flags that are too long");
    pst_back_u8(b, (unsigned)len);
    pst_out_bytes(b->o, b->text, len);
    return true;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/* The marker that a $NAME names; PST_TAG_COUNT if it is none. */
static unsigned marker_of(const pst_back *b, size_t name)
{
    const pst_json_value *v = &b->j.values[name];
    const char *text = (const char *)b->j.text + v->at;
    unsigned m;
    for (m = 0; m < PST_TAG_COUNT; m++) {
        const char *known = pst_marker_name(m);
        if (v->len == strlen(known) + 1 && memcmp(text + 1, known, v->len - 1) == 0)
            break;
    }
    return m;
}

/* A marker with one object behind it, perhaps something else behind that. */
static bool put_one(pst_back *b, unsigned marker, size_t object)
{
    size_t more;
    pst_back_u8(b, marker);
    if (marker == PST_TIED_KEY || marker == PST_TIED_IDX) {
        more = pst_json_member(&b->j, object, marker == PST_TIED_KEY ? "key" : "index");
        if (more == SIZE_MAX)
            return pst_back_fail(b, object, "a member is missing");
        if (!pst_back_push(b, marker == PST_TIED_KEY ? PST_BACK_VALUE : PST_BACK_INDEX, more, 0, false))
            return false;
    }
    return pst_back_push(b, PST_BACK_VALUE, object + 2, 0, false);
}

/* {"$ARRAY":count} and {"$HASH":count}: in the oldest format, a count of more than INT32_MAX is
 * negative, and nothing follows. */
static bool put_negative_count(pst_back *b, unsigned marker, size_t object)
{
    int64_t count = 0;
    if (!b->tagged)
        return pst_back_fail(b, object + 1, "no such marker");
    if (!pst_back_integer(b, object + 2, (int64_t)PST_I32_MAX + 1, UINT32_MAX, &count))
        return false;
    pst_back_u8(b, marker);
    pst_back_length(b, (uint64_t)count, false);
    return true;
}

/* An object whose first name is ours. flat switch */
static bool put_special(pst_back *b, size_t object, bool huge)
{
    size_t of = pst_json_member(&b->j, object, "of");
    unsigned marker = marker_of(b, object + 1);
    switch (marker) {
    case PST_OBJECT:    return put_object(b, object + 2, huge);
    case PST_ARRAY:
    case PST_HASH:      return put_negative_count(b, marker, object);
    case PST_LSCALAR:   return put_string(b, object + 2, PST_SCALAR, PST_LSCALAR, huge, true);
    case PST_UTF8STR:   return put_string(b, object + 2, PST_UTF8STR, PST_LUTF8STR, huge, false);
    case PST_LUTF8STR:  return put_string(b, object + 2, PST_UTF8STR, PST_LUTF8STR, huge, true);
    case PST_BYTE:
    case PST_NETINT:
    case PST_INTEGER:   return put_integer_as(b, marker, object + 2);
    case PST_DOUBLE:    return put_double(b, object);
    case PST_FLAG_HASH: return open_flag_hash(b, object, huge);
    case PST_BLESS:     return open_class(b, object, false);
    case PST_IX_BLESS:  return open_class(b, object, true);
    case PST_REGEXP:    return put_regexp(b, object);
    case PST_HOOK:      return pst_back_hook(b, object, huge);
    case PST_VSTRING:
    case PST_LVSTRING:
        if (of == SIZE_MAX)
            return pst_back_fail(b, object, "a member is missing");
        return put_string(b, object + 2, PST_VSTRING, PST_LVSTRING, false, marker == PST_LVSTRING)
            && pst_back_push(b, PST_BACK_VALUE, of, 0, false);
    case PST_SV_UNDEF: case PST_SV_YES: case PST_SV_NO: case PST_SVUNDEF_ELEM:
        pst_back_u8(b, marker);
        return true;
    case PST_REF: case PST_OVERLOAD: case PST_WEAKREF: case PST_WEAKOVERLOAD: case PST_CODE:
    case PST_TIED_ARRAY: case PST_TIED_HASH: case PST_TIED_SCALAR: case PST_TIED_KEY: case PST_TIED_IDX:
        return put_one(b, marker, object);
    default:
        if (pst_json_is(&b->j, object + 1, "$LOBJECT") && !huge) {
            pst_back_u8(b, PST_LOBJECT);
            return pst_back_push(b, PST_BACK_VALUE, object + 2, 0, true);
        }
        if (b->old && pst_json_is(&b->j, object + 1, "$OLD"))
            return pst_back_old(b, object);
        return pst_back_fail(b, object + 1, "no such marker");
    }
}

/* Does the name begin with just one dollar? */
static bool is_special(const pst_back *b, size_t object)
{
    const pst_json_value *v = &b->j.values[object];
    const uint8_t *name;
    if (v->count < 2 || !v[1].len)
        return false;
    name = b->j.text + v[1].at;
    return name[0] == '$' && (v[1].len == 1 || name[1] != '$');
}

static bool put_value(pst_back *b, const pst_back_op *p)
{
    const pst_json_value *v = &b->j.values[p->value];
    switch (v->type) {
    case PST_JSON_NULL:   pst_back_u8(b, PST_UNDEF); return true;
    case PST_JSON_TRUE:   pst_back_u8(b, PST_BOOLEAN_TRUE); return true;
    case PST_JSON_FALSE:  pst_back_u8(b, PST_BOOLEAN_FALSE); return true;
    case PST_JSON_NUMBER: return put_integer(b, p->value);
    case PST_JSON_STRING: return put_string(b, p->value, PST_SCALAR, PST_LSCALAR, p->flag, false);
    case PST_JSON_ARRAY:  return open_array(b, p->value, p->flag);
    default:
        return is_special(b, p->value) ? put_special(b, p->value, p->flag)
                                       : open_hash(b, p->value, p->flag);
    }
}

/* In the oldest format: is an item there, and its mark. */
static bool put_mark(pst_back *b, size_t value, bool array, bool *present)
{
    const pst_json_value *v = &b->j.values[value];
    *present = !(v->type == PST_JSON_OBJECT && v->count && pst_json_is(&b->j, value + 1, "$MISSING"));
    if (b->tagged)
        pst_back_u8(b, array ? (*present ? 'i' : 'I') : (*present ? 'v' : 'V'));
    else if (!*present)
        return pst_back_fail(b, value, "nothing can be missing in this format");
    return true;
}

/* The key of a HASH: a second dollar before a name means one. */
static bool put_key(pst_back *b, size_t name)
{
    size_t len, skip;
    if (!pst_back_text(b, name, false, &len))
        return false;
    skip = len && b->text[0] == '$';
    if (skip && (len < 2 || b->text[1] != '$'))
        return pst_back_fail(b, name, "a name of ours that is not the first one");
    if (b->tagged)
        pst_back_u8(b, 'k');
    pst_back_u32(b, len - skip);
    pst_out_bytes(b->o, b->text + skip, len - skip);
    return true;
}

/* [key, flags, value] or [null, 0, value, flags, key object]: what stands behind the value. */
static bool put_flag_key(pst_back *b, size_t list)
{
    const pst_json_value *v = &b->j.values[list];
    size_t flags_at = b->j.values[list + 1].next, len;
    int64_t flags;
    if (v->count == 5) {
        flags_at = b->j.values[flags_at + 1].next;
        if (!pst_back_integer(b, flags_at, 0, 255, &flags))
            return false;
        pst_back_u8(b, (unsigned)flags);
        return pst_back_push(b, PST_BACK_VALUE, flags_at + 1, 0, false);
    }
    if (!pst_back_integer(b, flags_at, 0, 255, &flags) || !pst_back_text(b, list + 1, (flags & PST_KEY_UTF8) != 0, &len))
        return false;
    pst_back_u8(b, (unsigned)flags);
    pst_back_u32(b, len);
    pst_out_bytes(b->o, b->text, len);
    return true;
}

/* The next of several: the rest is pushed again, below it. */
static bool put_items(pst_back *b, const pst_back_op *p)
{
    const pst_json_value *v = &b->j.values[p->value];
    size_t value = p->value;
    bool present = true;
    if (!p->count)
        return true;
    switch (p->kind) {
    case PST_BACK_ITEMS:
        if (!pst_back_push(b, PST_BACK_ITEMS, v->next, p->count - 1, false))
            return false;
        break;
    case PST_BACK_PAIRS:
        value = p->value + 1;
        if (!pst_back_push(b, PST_BACK_PAIRS, b->j.values[value].next, p->count - 1, false)
            || !pst_back_push(b, PST_BACK_KEY, p->value, 0, false))
            return false;
        break;
    default:
        if (v->type != PST_JSON_ARRAY || (v->count != 3 && v->count != 5))
            return pst_back_fail(b, p->value, "no [key, flags, value]");
        value = b->j.values[b->j.values[p->value + 1].next].next;
        return pst_back_push(b, PST_BACK_FLAG_PAIRS, v->next, p->count - 1, false)
            && pst_back_push(b, PST_BACK_FLAG_KEY, p->value, 0, false) && pst_back_push(b, PST_BACK_VALUE, value, 0, false);
    }
    if (b->old && !put_mark(b, value, p->kind == PST_BACK_ITEMS, &present))
        return false;
    return !present || pst_back_push(b, PST_BACK_VALUE, value, 0, false);
}

static bool run_op(pst_back *b, const pst_back_op *p)
{
    int64_t v;
    switch (p->kind) {
    case PST_BACK_VALUE:        return put_value(b, p);
    case PST_BACK_ITEMS:
    case PST_BACK_PAIRS:
    case PST_BACK_FLAG_PAIRS:   return put_items(b, p);
    case PST_BACK_KEY:          return put_key(b, p->value);
    case PST_BACK_FLAG_KEY:     return put_flag_key(b, p->value);
    case PST_BACK_HOOK_OBJECTS: return pst_back_hook_object(b, p);
    case PST_BACK_HOOK_REST:    return pst_back_hook_rest(b, p);
    case PST_BACK_OLD_END:      return pst_back_old_end(b, p);
    case PST_BACK_BYTE:
        if (!pst_back_integer(b, p->value, 0, 255, &v))
            return false;
        pst_back_u8(b, (unsigned)v);
        return true;
    default:
        if (!pst_back_integer(b, p->value, INT32_MIN, INT32_MAX, &v))
            return false;
        pst_back_u32(b, (uint64_t)v);
        return true;
    }
}

static bool write_image(pst_back *b)
{
    size_t header, root, trailing, len;
    if (b->j.values[0].type != PST_JSON_OBJECT)
        return pst_back_fail(b, 0, "no tagged JSON of an image");
    header = pst_json_member(&b->j, 0, "$STORABLE");
    root = pst_json_member(&b->j, 0, "root");
    trailing = pst_json_member(&b->j, 0, "trailing");
    if (header == SIZE_MAX || root == SIZE_MAX)
        return pst_back_fail(b, 0, "no tagged JSON of an image");
    if (!write_header(b, header) || !pst_back_push(b, PST_BACK_VALUE, root, 0, false))
        return false;
    while (b->op_count) {
        pst_back_op p = b->ops[--b->op_count];
        if (!run_op(b, &p))
            return false;
    }
    if (trailing == SIZE_MAX)
        return true;
    if (!pst_back_text(b, trailing, false, &len) || !pst_back_hex(b, trailing, &len))
        return false;
    pst_out_bytes(b->o, b->text, len);
    return true;
}

static void complain(pst_job *job, const char *error, size_t at)
{
    pst_out_str(job->err, job->name);
    pst_out_str(job->err, ": ");
    pst_out_str(job->err, error);
    pst_out_str(job->err, " (byte ");
    pst_out_u64(job->err, at);
    pst_out_str(job->err, " of the JSON text)\n");
}

int pst_json_read(pst_job *job)
{
    const pst_memory *m = job->memory;
    uint64_t len = job->source->len;
    uint8_t *text = len < SIZE_MAX / 2 ? (uint8_t *)m->resize(m->host, NULL, (size_t)len + 1) : NULL;
    pst_back b;
    int status = PST_FINE;
    if (!text)
        return PST_TROUBLE;
    memset(&b, 0, sizeof b);
    b.job = job;
    b.o = job->out;
    len = pst_source_read(job->source, 0, text, (size_t)len);
    if (!pst_json_parse(&b.j, m, text, (size_t)len)) {
        complain(job, b.j.error, b.j.error_at);
        status = PST_FINDINGS;
    }
    else if (!write_image(&b)) {
        complain(job, b.error, b.error_at);
        status = PST_FINDINGS;
    }
    pst_json_text_release(&b.j);
    pst_memory_free(m, b.ops);
    pst_memory_free(m, b.text);
    pst_memory_free(m, text);
    return status;
}
