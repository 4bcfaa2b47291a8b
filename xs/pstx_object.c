/* pstx_object.c - see pstx_object.h. */
#include "pstx_object.h"
#include "pstx_hooks.h"

/* mg_ptr is the struct, which perl copies for new threads; mg_obj the hash it came from. */
static const MGVTBL object_magic = { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL };

static SV *option(pTHX_ HV *options, const char *name)
{
    SV **slot = hv_fetch(options, name, (I32)strlen(name), 0);
    return slot ? *slot : &PL_sv_undef;
}

/* A limit: undef is none. */
static UV limit(pTHX_ HV *options, const char *name)
{
    SV *sv = option(aTHX_ options, name);
    return SvOK(sv) ? SvUV(sv) : UV_MAX;
}

void pstx_object_make(pTHX_ SV *self, HV *options)
{
    pstx_object object;
    const char *trust = SvPV_nolen(option(aTHX_ options, "trust"));
    const UV minor = limit(aTHX_ options, "max_minor");
    Zero(&object, 1, pstx_object);
    object.netorder  = strEQ(SvPV_nolen(option(aTHX_ options, "order")), "network");
    object.canonical = cBOOL(SvTRUE(option(aTHX_ options, "canonical")));
    object.exact     = cBOOL(SvTRUE(option(aTHX_ options, "exact_numbers")));
    object.atomic    = cBOOL(SvTRUE(option(aTHX_ options, "atomic")));
    object.trust     = strEQ(trust, "full") ? PSTX_TRUST_FULL
                     : strEQ(trust, "classes") ? PSTX_TRUST_CLASSES : PSTX_TRUST_DATA;
    object.max_minor = minor < PSTX_ANY_MINOR ? (uint8_t)minor : PSTX_ANY_MINOR;
    object.max_depth = limit(aTHX_ options, "max_depth");
    object.max_bytes = limit(aTHX_ options, "max_bytes");
    object.max_items = limit(aTHX_ options, "max_items");
    sv_magicext(SvRV(self), (SV *)options, PERL_MAGIC_ext, &object_magic,
                (const char *)&object, sizeof object);
}

static MAGIC *find_object(pTHX_ SV *sv)
{
    PERL_UNUSED_CONTEXT;
    if (!sv || !SvROK(sv) || !SvOBJECT(SvRV(sv)) || SvTYPE(SvRV(sv)) < SVt_PVMG || !SvMAGIC(SvRV(sv)))
        return NULL;
    return mg_findext(SvRV(sv), PERL_MAGIC_ext, &object_magic);
}

const pstx_object *pstx_object_load_blessed(pTHX_ SV *sv, pstx_object *object)
{
    const MAGIC *mg = find_object(aTHX_ sv);
    if (!mg)
        return NULL;
    memcpy(object, mg->mg_ptr, sizeof *object);
    object->classes = NULL;
    if (object->trust == PSTX_TRUST_CLASSES)    /* user code may drop the object meanwhile */
        object->classes = sv_2mortal(SvREFCNT_inc(SvRV(option(aTHX_ (HV *)mg->mg_obj, "_allowed"))));
    return object;
}

SV *pstx_object_options(pTHX_ SV *self)
{
    const MAGIC *mg = find_object(aTHX_ self);
    return mg ? sv_2mortal(newRV_inc(mg->mg_obj)) : &PL_sv_undef;
}

void pstx_object_apply(pTHX_ const pstx_object *object, pstx_options *opt)
{
    PERL_UNUSED_CONTEXT;
    opt->strict = true;
    opt->trust = object->trust;
    opt->exact = object->exact;
    opt->max_minor = object->max_minor;
    opt->max_items = object->max_items;
    opt->max_bytes = object->max_bytes;
    opt->canonical = object->canonical;
    opt->depth_limit = object->max_depth > (UV)IV_MAX ? -1 : (IV)object->max_depth;
    opt->depth_limit_hash = opt->depth_limit;
    opt->forgive_me = false;
    opt->accept_future_minor = opt->accept_foreign = true;
    opt->flags = object->trust == PSTX_TRUST_FULL ? PSTX_FLAGS_ALL
               : object->trust == PSTX_TRUST_CLASSES ? PSTX_BLESS_OK : 0;
    if (object->trust != PSTX_TRUST_FULL) {
        opt->deparse = false;
        opt->eval = NULL;
    }
    opt->classes = SvREFCNT_inc(object->classes);
    opt->classes_run_code = object->classes && SvTYPE(object->classes) == SVt_PVCV;
}

bool pstx_object_allows(pTHX_ const pstx_run *run, SV *name)
{
    SV *args[1];
    if (run->opt.trust != PSTX_TRUST_CLASSES)
        return run->opt.trust == PSTX_TRUST_FULL;
    if (!run->opt.classes_run_code)
        return cBOOL(hv_exists_ent((HV *)run->opt.classes, name, 0));
    args[0] = newSVsv(name);
    return cBOOL(SvTRUE(pstx_call_scalar(aTHX_ run, run->opt.classes, args, 1)));
}

const char *pstx_trust_name(const pstx_options *opt)
{
    return opt->trust == PSTX_TRUST_FULL ? "full" : opt->trust == PSTX_TRUST_CLASSES ? "classes" : "data";
}
