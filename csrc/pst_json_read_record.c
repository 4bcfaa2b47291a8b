/* pst_json_read_record.c - hook records and objects of old formats, from tagged JSON. */
#include "pst_json_read.h"

/* ---- hook records ---------------------------------------------------------------------------------- */

bool pst_back_hook(pst_back *b, size_t object, bool huge)
{
    size_t objects = pst_json_member(&b->j, object, "objects"), count = 0;
    int64_t flags, extra;
    if (!pst_back_integer(b, object + 2, 0, 255, &flags))
        return false;
    pst_back_u8(b, PST_HOOK);
    pst_back_u8(b, (unsigned)flags);
    if ((flags & PST_HOOK_KIND) == PST_HOOK_EXTRA) {
        if (!pst_back_member(b, object, "extra", PST_EXTRA_SCALAR, PST_EXTRA_HASH, &extra))
            return false;
        pst_back_u8(b, (unsigned)extra);
    }
    if (objects != SIZE_MAX)
        count = b->j.values[objects].count;
    if (!pst_back_push(b, PST_BACK_HOOK_REST, object, 0, huge))
        return false;
    b->ops[b->op_count - 1].byte = (uint8_t)flags;
    return !count || pst_back_push(b, PST_BACK_HOOK_OBJECTS, objects + 1, count, false);
}

/* A length of one byte, or of four if a flag says so. */
static bool put_hook_length(pst_back *b, size_t value, uint64_t len, bool big)
{
    if (!big && len > 255)
        return pst_back_fail(b, value, "longer than the hook's flags allow");
    if (big)
        pst_back_u32(b, len);
    else
        pst_back_u8(b, (unsigned)len);
    return true;
}

static bool put_hook_list(pst_back *b, size_t object, unsigned flags)
{
    size_t list = pst_json_member(&b->j, object, "list"), at, left;
    bool wide = pst_json_member(&b->j, object, "wide") != SIZE_MAX;
    if (list == SIZE_MAX || b->j.values[list].type != PST_JSON_ARRAY)
        return pst_back_fail(b, object, "list is no list");
    left = b->j.values[list].count;
    if (!put_hook_length(b, list, wide ? (uint32_t)(0 - (uint32_t)left) : left, (flags & PST_HOOK_BIG_LIST) != 0))
        return false;
    for (at = list + 1; left; left--, at++) {
        int64_t tag;
        if (!pst_back_integer(b, at, 0, wide ? INT64_MAX : UINT32_MAX, &tag))
            return false;
        pst_back_number(b, (uint64_t)tag, wide ? 8 : 4, wide ? b->little : false);
    }
    return true;
}

/* The flags that count are those read last: of the record itself, or behind its objects. */
bool pst_back_hook_rest(pst_back *b, const pst_back_op *p)
{
    size_t class_name = pst_json_member(&b->j, p->value, "class"), len = 0;
    size_t string = pst_json_member(&b->j, p->value, "string");
    size_t tied = pst_json_member(&b->j, p->value, "tied");
    unsigned flags = p->byte;
    int64_t number = 0;
    bool indexed = (flags & PST_HOOK_INDEXED) != 0;
    if (class_name == SIZE_MAX || string == SIZE_MAX)
        return pst_back_fail(b, p->value, "a member is missing");
    if (indexed ? !pst_back_integer(b, class_name, 0, UINT32_MAX, &number) : !pst_back_text(b, class_name, false, &len))
        return false;
    if (!put_hook_length(b, class_name, indexed ? (uint64_t)number : len, (flags & PST_HOOK_BIG_CLASS) != 0))
        return false;
    pst_out_bytes(b->o, b->text, len);
    if (!pst_back_text(b, string, false, &len))
        return false;
    if (p->flag)
        pst_back_number(b, len, 8, b->little);
    else if (!put_hook_length(b, string, len, (flags & PST_HOOK_BIG_STRING) != 0))
        return false;
    pst_out_bytes(b->o, b->text, len);
    if ((flags & PST_HOOK_HAS_LIST) && !put_hook_list(b, p->value, flags))
        return false;
    return tied == SIZE_MAX || pst_back_push(b, PST_BACK_VALUE, tied, 0, false);
}

/* One [object, flags]: the object now, its flags behind it. */
bool pst_back_hook_object(pst_back *b, const pst_back_op *p)
{
    const pst_json_value *v = &b->j.values[p->value];
    size_t flags, i;
    int64_t byte;
    if (v->type != PST_JSON_ARRAY || v->count != 2)
        return pst_back_fail(b, p->value, "no [object, flags]");
    flags = b->j.values[p->value + 1].next;
    if (!pst_back_integer(b, flags, 0, 255, &byte))
        return false;
    for (i = b->op_count; i-- > 0 && b->ops[i].kind != PST_BACK_HOOK_REST; )
        ;
    b->ops[i].byte = (uint8_t)byte;
    return (p->count == 1 || pst_back_push(b, PST_BACK_HOOK_OBJECTS, v->next, p->count - 1, false))
        && pst_back_push(b, PST_BACK_BYTE, flags, 0, false) && pst_back_push(b, PST_BACK_VALUE, p->value + 1, 0, false);
}

/* ---- old formats --------------------------------------------------------------------------------------- */

/* {"$OLD":"tag's bytes","is":value,"notices":[["b","Class"],...]} */
bool pst_back_old(pst_back *b, size_t object)
{
    size_t is = pst_json_member(&b->j, object, "is");
    size_t len = 0;
    if (is == SIZE_MAX)
        return pst_back_fail(b, object, "a member is missing");
    if (b->tagged) {
        if (!pst_back_text(b, object + 2, false, &len) || !pst_back_hex(b, object + 2, &len))
            return false;
        if (len != (b->h.netorder || b->h.long_size != 8 ? 4u : 8u))
            return pst_back_fail(b, object + 2, "an old tag of another size");
        pst_out_bytes(b->o, b->text, len);
    }
    return pst_back_push(b, PST_BACK_OLD_END, object, is, false) && pst_back_push(b, PST_BACK_VALUE, is, 0, false);
}

bool pst_back_old_end(pst_back *b, const pst_back_op *p)
{
    size_t list = pst_json_member(&b->j, p->value, "notices"), at, left, len;
    const pst_json_value *is = &b->j.values[p->count];
    if (is->type == PST_JSON_OBJECT && is->count && pst_json_is(&b->j, p->count + 1, "$OBJECT"))
        return true;
    left = list == SIZE_MAX ? 0 : b->j.values[list].count;
    for (at = list + 1; left; left--, at = b->j.values[at].next) {
        bool big = pst_json_is(&b->j, at + 1, "B");
        if (b->j.values[at].type != PST_JSON_ARRAY || b->j.values[at].count != 2
            || (!big && !pst_json_is(&b->j, at + 1, "b")))
            return pst_back_fail(b, at, "no class notice");
        if (!pst_back_text(b, at + 2, false, &len))
            return false;
        pst_back_u8(b, big ? 'B' : 'b');
        if (!put_hook_length(b, at, len, big))
            return false;
        pst_out_bytes(b->o, b->text, len);
    }
    pst_back_u8(b, 'X');
    return true;
}
