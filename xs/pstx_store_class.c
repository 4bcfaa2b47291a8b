/* pstx_store_class.c - the classes that a run of freeze meets: found by their stash, told by their
 * names, numbered as the image needs them.
 */
#include "pstx_object.h"
#include "pstx_store.h"

/* An earlier class whose name has the same bytes though it is another name to perl. */
static IV find_same_name(const pstx_store *st, const pstx_class *cls)
{
    size_t i;
    for (i = 0; i < st->class_count; i++) {
        const pstx_class *other = &st->classes[i];
        if (other->name_len == cls->name_len && memEQ(other->name, cls->name, cls->name_len))
            return (IV)i;
    }
    return -1;
}

static void class_new(pTHX_ pstx_store *st, HV *stash)
{
    pstx_class *cls;
    GV *hook;
    if (st->class_count == st->class_room) {
        st->class_room = st->class_room ? st->class_room * 2 : 8;
        Renew(st->classes, st->class_room, pstx_class);
    }
    cls = &st->classes[st->class_count];
    Zero(cls, 1, pstx_class);
    cls->stash = (HV *)SvREFCNT_inc_simple_NN((SV *)stash);
    cls->name = HvNAME_HEK(stash) ? HvNAME_get(stash) : "__ANON__";
    cls->name_len = HvNAME_HEK(stash) ? (STRLEN)HvNAMELEN_get(stash) : 8;
    cls->index = -1;
    st->odd_class_names = st->odd_class_names || (HvNAME_HEK(stash) && HvNAMEUTF8(stash));
    cls->same_name = st->odd_class_names ? find_same_name(st, cls) : -1;
    hook = gv_fetchmethod_autoload(stash, "STORABLE_freeze", FALSE);
    cls->freeze = hook ? (CV *)SvREFCNT_inc((SV *)GvCV(hook)) : NULL;
    cls->overloaded = PSTX_IS_OVERLOADED(stash);
    cls->allowed = st->run.opt.trust == PSTX_TRUST_FULL;
    st->class_count++;
}

pstx_class *pstx_store_find_class(pTHX_ pstx_store *st, HV *stash, size_t *recent)
{
    const void *key = HvNAME_HEK(stash) ? (const void *)HvNAME_HEK(stash) : (const void *)stash;
    uint32_t at = (uint32_t)st->class_count;
    if (!pstx_seen_add(&st->class_seen, key, &at))
        class_new(aTHX_ st, stash);
    *recent = at;
    return &st->classes[at];
}

pstx_class *pstx_store_check_class(pTHX_ pstx_store *st, pstx_class *cls)
{
    const size_t at = (size_t)(cls - st->classes);
    SV *name = newSVpvn_flags(cls->name, cls->name_len, SVs_TEMP);   /* as a reader sees it */
    if (st->run.opt.classes_run_code)
        pstx_store_user_code(aTHX_ st);
    if (!pstx_object_allows(aTHX_ &st->run, name))
        pstx_croak(aTHX_ PSTX_MSG_CLASS_REFUSED, SVfARG(name), pstx_trust_name(&st->run.opt));
    st->classes[at].allowed = true;
    return &st->classes[at];
}
