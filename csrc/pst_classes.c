/* pst_classes.c - see pst_classes.h. */
#include "pst_classes.h"

void pst_classes_init(pst_classes *c, const pst_memory *memory)
{
    memset(c, 0, sizeof *c);
    c->memory = memory;
}

void pst_classes_release(pst_classes *c)
{
    pst_memory_free(c->memory, c->names);
    pst_memory_free(c->memory, c->list);
}

static bool add(pst_classes *c, const uint8_t *name, size_t len)
{
    uint8_t *names = (uint8_t *)pst_memory_array(c->memory, c->names, &c->names_room, c->names_len + len + 1, 1);
    struct pst_class *list;
    if (!names)
        return false;
    c->names = names;
    list = (struct pst_class *)pst_memory_array(c->memory, c->list, &c->room, c->count + 1, sizeof *list);
    if (!list)
        return false;
    c->list = list;
    memcpy(names + c->names_len, name, len);
    list[c->count].at = c->names_len;
    list[c->count++].len = len;
    c->names_len += len;
    return true;
}

bool pst_classes_see(pst_classes *c, const pst_event *ev)
{
    bool names = (ev->kind == PST_EV_BEGIN && ev->token.marker == PST_BLESS)
              || (ev->kind == PST_EV_HOOK_CLASS && ev->token.bytes) || ev->kind == PST_EV_NOTICE;
    return !names || add(c, ev->token.bytes, (size_t)ev->token.len);
}

const uint8_t *pst_classes_name(const pst_classes *c, uint64_t number, size_t *len)
{
    if (number >= c->count)
        return NULL;
    *len = c->list[number].len;
    return c->names + c->list[number].at;
}
