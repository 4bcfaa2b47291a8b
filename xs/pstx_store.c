/* pstx_store.c - walking Perl data: scalars, references, arrays, and the walk itself. */
#include "pstx_path.h"
#include "pstx_store_plain.h"
#include "pstx_object.h"

/* ---- frames -------------------------------------------------------------------------------- */

void pstx_store_more_frames(pstx_store *st)
{
    st->frame_room = st->frame_room ? st->frame_room * 2 : 32;
    Renew(st->frames, st->frame_room, pstx_store_frame);
}

void pstx_store_hold(pTHX_ pstx_store *st, SV *sv)
{
    PERL_UNUSED_CONTEXT;
    if (st->held_count == st->held_room) {
        st->held_room = st->held_room ? st->held_room * 2 : 64;
        Renew(st->held, st->held_room, SV *);
    }
    st->held[st->held_count++] = SvREFCNT_inc_simple_NN(sv);
}

void pstx_store_user_code(pTHX_ pstx_store *st)
{
    pstx_run_user_code(aTHX_ &st->run);
    pstx_store_hash_detach(aTHX_ st);
}

void pstx_store_count_depth(pTHX_ pstx_store *st, IV limit, bool count)
{
    if (count)
        st->depth++;
    if (st->depth > limit)
        pstx_croak(aTHX_ PSTX_MSG_TOO_DEEP);
}

/* ---- tags ------------------------------------------------------------------------------- */

bool pstx_store_seen_shared(pTHX_ pstx_store *st, SV *sv)
{
    uint32_t tag = st->tags;
    if (pstx_seen_add(&st->seen, sv, &tag)) {
        (void)pst_write_object(&st->w, tag);
        return true;
    }
    if (st->user_code)
        pstx_store_hold(aTHX_ st, sv);
    st->tags++;
    return false;
}

bool pstx_store_leaf_shared(pTHX_ pstx_store *st, SV *sv)
{
    if (sv == &PL_sv_undef)
        return false;
    if (!pstx_store_seen_shared(aTHX_ st, sv))
        pstx_store_scalar(aTHX_ st, sv);
    return true;
}

/* ---- scalars ----------------------------------------------------------------------------- */

/* A float as it lies in memory. An x87 one has 10 bytes; what fills it up to 12 or 16 is zero. */
static void store_native_nv(pstx_store *st, NV nv)
{
    uint8_t bytes[sizeof nv] = { 0 };
    memcpy(bytes, &nv, sizeof nv > 10 && NV_MANT_DIG == 64 && pst_host_is_little() ? 10 : sizeof nv);
    (void)pst_write_native_nv(&st->w, bytes, sizeof bytes);
}

#if NVSIZE == 8
#  define STORE_NV(st, sv) (void)pst_write_double(&(st)->w, (double)SvNVX(sv))
#else
/* A float wider than the core's double: perl itself decides whether it is an integer,
 * and makes its text. */
static void store_wide_nv(pTHX_ pstx_store *st, SV *sv)
{
    SV *copy = sv_2mortal(newSVnv(SvNVX(sv)));
    NV nv = SvNVX(copy);
    (void)SvIV_nomg(copy);
    if (SvIOK(copy) && !SvIsUV(copy))
        (void)pst_write_integer(&st->w, SvIVX(copy));
    else if (st->w.netorder) {                      /* what no IV holds stays a float in native order */
        STRLEN len;
        const char *text;
        if (st->w.digits == PST_DIGITS_EXACT && !SvIOK(copy)) {     /* so many tell any two floats apart */
            const char *format = "%.*" NVgf;                        /* perl's, unknown to the compiler */
            Perl_sv_setpvf(aTHX_ copy, format, (int)(NV_MANT_DIG * 30103L / 100000 + 2), nv);
        }
        text = SvPV_nomg(copy, len);
        (void)pst_write_string(&st->w, text, len, false);
    }
    else
        store_native_nv(st, nv);
}
#  define STORE_NV(st, sv) store_wide_nv(aTHX_ (st), (sv))
#endif

void pstx_store_unknown(pTHX_ const pstx_store *st, const char *what)
{
    pstx_croak(aTHX_ PSTX_MSG_MINOR, what, (int)st->run.opt.max_minor);
}

/* Readers before minor 5 know strings of bytes only. */
PST_COLD static void store_as_bytes(pTHX_ pstx_store *st, SV *sv)
{
    SV *copy = newSVpvn_flags(SvPVX_const(sv), SvCUR(sv), SVs_TEMP | SVf_UTF8);
    if (!sv_utf8_downgrade(copy, TRUE))
        pstx_store_unknown(aTHX_ st, "Strings of wide characters");
    (void)pst_write_string(&st->w, SvPVX_const(copy), SvCUR(copy), false);
}

PST_INLINE void store_pv(pTHX_ pstx_store *st, SV *sv)
{
    if (PST_UNLIKELY(SvUTF8(sv) && !pstx_store_knows(st, PST_MINOR_OF_UTF8STR))) {
        store_as_bytes(aTHX_ st, sv);
        return;
    }
    (void)pst_write_string(&st->w, SvPVX_const(sv), SvCUR(sv), cBOOL(SvUTF8(sv)));
}

/* Reads what a scalar with magic holds now ($1, $!). Storable looks at the scalar's flags before,
 * so what it was last assigned tells whether it goes out as text or as a number.
 * RETURNS: true if the value has been written, because that was another kind than it has now.
 * PERL: runs user code */
static bool store_read_anew(pTHX_ pstx_store *st, SV *sv)
{
    const bool tainted = cBOOL(TAINT_get);
    const U32 before = SvFLAGS(sv) & (SVf_POK | SVf_IOK | SVf_NOK);
    mg_get(sv);
    TAINT_set(tainted);                 /* the image's taint is ours to set */
    if (before == 0 || (before & SVf_POK ? SvPOK(sv) : !SvPOK(sv) && SvOK(sv)))
        return false;
    if (before & SVf_POK || (!(before & SVf_IOK) && st->w.netorder)) {
        STRLEN len;
        const char *text = SvPV_nomg(sv, len);
        (void)pst_write_string(&st->w, text, len, cBOOL(SvUTF8(sv)));
    }
    else if (before & SVf_IOK)
        (void)pst_write_integer(&st->w, SvIV_nomg(sv));
    else
        store_native_nv(st, SvNV_nomg(sv));
    return true;
}

/* Scalars with magic: taint is noted, what they hold is read anew, and a vstring's literal goes
 * before. An undefined one stays so: nobody has looked at it yet.
 * RETURNS: true if the value has been written. */
static bool store_magical(pTHX_ pstx_store *st, SV *sv)
{
    MAGIC *mg;
    if (TAINTING_get && SvTAINTED(sv))
        st->tainted = true;
    if (SvGMAGICAL(sv) && SvOK(sv) && store_read_anew(aTHX_ st, sv))
        return true;
    if (SvPOK(sv) && SvVOK(sv) && pstx_store_knows(st, PST_MINOR_OF_VSTRING) && (mg = mg_find(sv, PERL_MAGIC_vstring)))
        (void)pst_write_vstring(&st->w, mg->mg_ptr, (uint64_t)mg->mg_len);
    return false;
}

/* perl's immortals, and scalars of which only private flags tell a value. */
PST_COLD static void store_odd_scalar(pTHX_ pstx_store *st, SV *sv)
{
    if (!SvOK(sv))
        (void)pst_write_marker(&st->w, PST_UNDEF);
    else if (SvPOKp(sv))
        store_pv(aTHX_ st, sv);
    else if (SvNOKp(sv))
        STORE_NV(st, sv);
    else
        pstx_store_iv(st, sv);
}

void pstx_store_immortal_undef(pTHX_ pstx_store *st)
{
    uint32_t tag = st->tags++;
    if (st->user_code)           /* the first one's tag is what a hook's \undef gets */
        (void)pstx_seen_add(&st->seen, &PL_sv_undef, &tag);
    (void)pst_write_marker(&st->w, PST_SV_UNDEF);
}

void pstx_store_scalar(pTHX_ pstx_store *st, SV *sv)
{
    if (PST_UNLIKELY(SvMAGICAL(sv)) && store_magical(aTHX_ st, sv))
        return;
    if (PST_UNLIKELY(SvIMMORTAL(sv)) && (sv == &PL_sv_yes || sv == &PL_sv_no)) {
        (void)pst_write_marker(&st->w, sv == &PL_sv_yes ? PST_SV_YES : PST_SV_NO);
        return;
    }
    if (PSTX_IS_WRITTEN_BOOL(sv) && pstx_store_knows(st, PST_MINOR_OF_BOOLEAN_TRUE)) {
        (void)pst_write_marker(&st->w, SvTRUE_nomg_NN(sv) ? PST_BOOLEAN_TRUE : PST_BOOLEAN_FALSE);
        return;
    }
    if (SvPOK(sv))
        store_pv(aTHX_ st, sv);
    else if (SvIOK(sv))
        pstx_store_iv(st, sv);
    else if (SvNOK(sv))
        STORE_NV(st, sv);
    else
        store_odd_scalar(aTHX_ st, sv);
}

/* ---- references and arrays ------------------------------------------------------------------ */

static enum pstx_step store_ref(pTHX_ pstx_store *st, SV **sv)
{
    SV *target = SvRV(*sv);
    bool weak = cBOOL(SvWEAKREF(*sv));
    bool overloaded = SvOBJECT(target) && pstx_store_class(aTHX_ st, SvSTASH(target))->overloaded;
    if (weak && pstx_store_must_restart(st, false))
        return PSTX_STEP_RESTART;
    weak = weak && pstx_store_knows(st, PST_MINOR_OF_WEAKREF);
    (void)pst_write_marker(&st->w, weak ? overloaded ? PST_WEAKOVERLOAD : PST_WEAKREF
                                        : overloaded ? PST_OVERLOAD : PST_REF);
    st->via_ref = *sv = target;
    pstx_store_deeper(aTHX_ st, st->run.opt.depth_limit, true);
    return PSTX_STEP_DESCEND;
}

/* ARRAY, the items up to the first that is not plain, and a frame for what is left. PERL: croaks. */
PST_INLINE void array_begin(pTHX_ pstx_store *st, AV *av, bool magical)
{
    const IV count = magical ? av_len(av) + 1 : AvFILLp(av) + 1;
    IV done = 0;
    pstx_store_deeper(aTHX_ st, st->run.opt.depth_limit, st->via_ref != (SV *)av);
    (void)pst_write_count(&st->w, PST_ARRAY, (uint64_t)count);
    if (!magical)
        done = pstx_store_plain_items(st, AvARRAY(av), count);
    if (done < count) {
        pstx_store_frame *f = pstx_store_push(aTHX_ st, PSTX_FRAME_ARRAY, (SV *)av);
        f->count = count;
        f->at = done;
    }
}

static enum pstx_step store_array(pTHX_ pstx_store *st, AV *av)
{
    if (PST_UNLIKELY(!AvREAL(av)) && pstx_store_must_restart(st, false))
        return PSTX_STEP_RESTART;
    array_begin(aTHX_ st, av, cBOOL(SvRMAGICAL(av)));
    return PSTX_STEP_DONE;
}

/* What stands for an item that is missing (sv is NULL) or &PL_sv_undef itself. @- and @+ hold
 * nothing: perl makes their items, undefined until they are read, when it is asked for them. */
PST_COLD static enum pst_tag marker_of_no_item(const pstx_store *st, const AV *av, const SV *sv)
{
    if (sv)
        return PSTX_HAS_SVUNDEF_ELEM && pstx_store_knows(st, PST_MINOR_OF_SVUNDEF_ELEM) ? PST_SVUNDEF_ELEM
                                                                                       : PST_SV_UNDEF;
    return SvRMAGICAL(av) && mg_find((const SV *)av, PERL_MAGIC_regdata) ? PST_UNDEF : PST_SV_UNDEF;
}

/* Items up to the first that is no scalar for itself. */
static SV *array_next(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    AV *av = (AV *)f->sv;
    while (f->at < f->count) {
        /* The array may have shrunk: hooks may do anything. */
        SV *sv = f->at <= AvFILLp(av) ? AvARRAY(av)[f->at] : NULL;
        f->at++;
        if (PST_UNLIKELY(!sv || sv == &PL_sv_undef)) {
            st->tags++;
            (void)pst_write_marker(&st->w, marker_of_no_item(st, av, sv));
        }
        else if (!pstx_store_leaf(aTHX_ st, sv)) {
            pstx_prefetch_items(av, f->at - 1);
            return sv;
        }
        if (f->at < f->count && f->count == AvFILLp(av) + 1)
            f->at += pstx_store_plain_items(st, AvARRAY(av) + f->at, f->count - f->at);
    }
    pstx_store_pop(aTHX_ st);
    return NULL;
}

/* ---- the walk ----------------------------------------------------------------------------------- */

static enum pstx_step store_container(pTHX_ pstx_store *st, SV **sv)
{
    bool array = SvTYPE(*sv) == SVt_PVAV;
    if (SvRMAGICAL(*sv)) {
        MAGIC *mg = mg_find(*sv, PERL_MAGIC_tied);
        if (mg)
            return pstx_store_tied(aTHX_ st, array ? PST_TIED_ARRAY : PST_TIED_HASH, mg, sv);
    }
    if (array)
        return store_array(aTHX_ st, (AV *)*sv);
    *sv = pstx_store_hash_begin(aTHX_ st, (HV *)*sv);
    return *sv ? PSTX_STEP_DESCEND : PSTX_STEP_DONE;
}

/* Scalars that may carry magic. */
static enum pstx_step store_upgraded(pTHX_ pstx_store *st, SV **sv)
{
    MAGIC *mg;
    if (SvGMAGICAL(*sv) && SvSMAGICAL(*sv)) {    /* not while a tie's own method handles it */
        if ((mg = mg_find(*sv, PERL_MAGIC_tiedelem)))
            return pstx_store_tied_item(aTHX_ st, mg, sv);
        if ((mg = mg_find(*sv, PERL_MAGIC_tiedscalar)))
            return pstx_store_tied(aTHX_ st, PST_TIED_SCALAR, mg, sv);
    }
    if (SvROK(*sv))
        return store_ref(aTHX_ st, sv);
    if (SvGMAGICAL(*sv) && SvOK(*sv)) {          /* reading it may run user code */
        if (pstx_store_must_restart(st, true))
            return PSTX_STEP_RESTART;
        pstx_store_user_code(aTHX_ st);
    }
    pstx_store_scalar(aTHX_ st, *sv);
    return PSTX_STEP_DONE;
}

enum pstx_step pstx_store_body(pTHX_ pstx_store *st, SV **sv)
{
    switch (SvTYPE(*sv)) {
    case SVt_PVAV:
    case SVt_PVHV:
        return store_container(aTHX_ st, sv);
    case SVt_PVMG:
    case SVt_PVLV:
        return store_upgraded(aTHX_ st, sv);
    case SVt_REGEXP:
        return pstx_store_regexp(aTHX_ st, *sv);
    case SVt_PVCV:
        return pstx_store_code(aTHX_ st, *sv);
    case SVt_PVGV:
    case SVt_PVFM:
    case SVt_PVIO:
        return pstx_store_refused(aTHX_ st, *sv);
    default:
        if (SvTYPE(*sv) > SVt_PVMG)      /* what newer perls have: objects of feature class */
            return pstx_store_refused(aTHX_ st, *sv);
        if (SvROK(*sv))
            return store_ref(aTHX_ st, sv);
        pstx_store_scalar(aTHX_ st, *sv);
        return PSTX_STEP_DONE;
    }
}

static enum pstx_step store_item(pTHX_ pstx_store *st, SV **sv)
{
    pstx_class *cls;
    if (PST_UNLIKELY(*sv == &PL_sv_undef)) {
        pstx_store_immortal_undef(aTHX_ st);
        return PSTX_STEP_DONE;
    }
    if (pstx_store_seen(aTHX_ st, *sv))
        return PSTX_STEP_DONE;
    if (!SvOBJECT(*sv))
        return pstx_store_body(aTHX_ st, sv);
    cls = pstx_store_class(aTHX_ st, SvSTASH(*sv));
    if (PST_UNLIKELY(!cls->allowed))
        cls = pstx_store_check_class(aTHX_ st, cls);
    if (cls->freeze) {
        if (pstx_store_must_restart(st, true))
            return PSTX_STEP_RESTART;
        return pstx_store_hook(aTHX_ st, sv, (size_t)(cls - st->classes));
    }
    pstx_store_bless(st, cls);
    return pstx_store_body(aTHX_ st, sv);
}

/* Is this an array or a hash without magic, which has its items for itself? */
PST_INLINE bool is_plain_container(const SV *sv)
{
    if (SvRMAGICAL(sv))
        return false;
    return SvTYPE(sv) == SVt_PVHV || (SvTYPE(sv) == SVt_PVAV && AvREAL((const AV *)sv));
}

/* The commonest item that is no plain scalar, in one step: a reference that can be met but once, to
 * a container. RETURNS: false, with nothing written, for all else; if true, *item is what must be
 * written next, or NULL. PERL: croaks. */
PST_INLINE bool store_plain_ref(pTHX_ pstx_store *st, SV **item)
{
    const SV *sv = *item;
    pstx_class *cls = NULL;
    SV *target;
    if (SvTYPE(sv) > SVt_PVNV || (SvFLAGS(sv) & (SVf_ROK | SVprv_WEAKREF)) != SVf_ROK || pstx_store_shared(st, sv))
        return false;
    target = SvRV(sv);
    if (!is_plain_container(target))
        return false;
    if (SvOBJECT(target)) {
        cls = pstx_store_class(aTHX_ st, SvSTASH(target));
        if (cls->freeze || !cls->allowed)
            return false;
    }
    *item = NULL;
    st->tags++;
    st->via_ref = target;
    (void)pst_write_marker(&st->w, cls && cls->overloaded ? PST_OVERLOAD : PST_REF);
    pstx_store_deeper(aTHX_ st, st->run.opt.depth_limit, true);
    if (pstx_store_seen(aTHX_ st, target))
        return true;
    if (cls)
        pstx_store_bless(st, cls);
    if (SvTYPE(target) == SVt_PVHV)
        *item = pstx_store_hash_begin(aTHX_ st, (HV *)target);
    else
        array_begin(aTHX_ st, (AV *)target, false);
    return true;
}

/* The next item of the top frame. RETURNS: borrowed; NULL when the frame is done. */
PST_INLINE SV *frame_next(pTHX_ pstx_store *st, pstx_store_frame *f)
{
    st->depth = f->depth;
    if (f->kind == PSTX_FRAME_HASH_LIST && !f->flagged)
        return pstx_store_list_next(aTHX_ st, f);
    switch (f->kind) {
    case PSTX_FRAME_ARRAY:    return array_next(aTHX_ st, f);
    case PSTX_FRAME_TIED_KEY:
    case PSTX_FRAME_TIED_IDX: return pstx_store_tied_next(aTHX_ st, f);
    case PSTX_FRAME_HOOK:     return pstx_store_hook_next(aTHX_ st, f);
    default:                  return pstx_store_hash_next(aTHX_ st, f);
    }
}

/* Write `sv` and all that hangs on it. RETURNS: false if the walk must start over. */
static bool store_walk(pTHX_ pstx_store *st, SV *sv)
{
    for (;;) {
        if (!store_plain_ref(aTHX_ st, &sv)) {
            enum pstx_step step = store_item(aTHX_ st, &sv);
            if (step == PSTX_STEP_DESCEND)
                continue;
            if (step == PSTX_STEP_RESTART)
                return false;
            sv = NULL;
        }
        while (!sv) {
            if (!st->frame_count)
                return true;
            if (PST_UNLIKELY(st->w.error.code != PST_OK))
                return true;
            sv = frame_next(aTHX_ st, &st->frames[st->frame_count - 1]);
        }
    }
}

/* ---- runs -------------------------------------------------------------------------------------- */

/* Is an object's image, so far, within the limits of the options? If not, where was it seen? */
PST_COLD static bool check_limits(pTHX_ pstx_store *st)
{
    const pst_err err = pst_buf_off(&st->w.buf) > st->run.opt.max_bytes ? PST_ERR_BYTES
                      : st->tags > st->run.opt.max_items ? PST_ERR_ITEMS : PST_OK;
    if (err == PST_OK)
        return true;
    if (!st->stopped_at)
        st->stopped_at = pstx_path_of_store(aTHX_ st);
    return pst_writer_fail(&st->w, err);
}

PST_INLINE bool within_limits(pTHX_ pstx_store *st)
{
    return PST_LIKELY(!st->run.opt.strict) || check_limits(aTHX_ st);
}

/* Of the room that there is, an object's run sees so much that it must ask for more before it
 * goes beyond its limits: an item takes a byte at least. */
static void show_room(pstx_store *st, size_t need)
{
    pst_buf *buf = &st->w.buf;
    const pstx_options *opt = &st->run.opt;
    size_t room;
    buf->end = buf->start + SvLEN(st->image) - 1;       /* a NUL must fit */
    if (PST_LIKELY(!opt->strict))
        return;
    room = (size_t)(buf->end - buf->pos);
    if (room > opt->max_items - st->tags)
        room = (size_t)(opt->max_items - st->tags);
    if (room > opt->max_bytes - pst_buf_off(buf))
        room = (size_t)(opt->max_bytes - pst_buf_off(buf));
    buf->end = buf->pos + (room < need ? need : room);
}

/* A large image: put what there is out of the way. RETURNS: is the buffer empty now? */
static bool spill(pTHX_ pstx_store *st, size_t used)
{
    if (!st->spill || used < PSTX_SPILL_LEN
        || !pstx_spill_take(aTHX_ st->spill, (const char *)st->w.buf.start, used))
        return false;
    st->w.buf.sent += used;
    st->w.buf.pos = st->w.buf.start;
    return true;
}

/* The image grows inside the scalar that will be returned. */
static bool grow_image(pst_buf *buf, size_t need)
{
    dTHX;
    pstx_store *st = (pstx_store *)buf->host;
    SV *image = st->image;
    size_t used = pst_buf_len(buf);
    size_t room = SvLEN(image) - 1, size;
    if (!within_limits(aTHX_ st))
        return false;
    if (room - used < need && spill(aTHX_ st, used))
        used = 0;
    if (room - used >= need) {
        show_room(st, need);
        return true;
    }
    size = pst_buf_next_size(room, used, need);
    if (!size)
        return false;
    SvCUR_set(image, used);
    buf->start = (uint8_t *)SvGROW(image, size + 1);
    buf->pos = buf->start + used;
    show_room(st, need);
    return true;
}

static void forget(pTHX_ pstx_store *st)
{
    size_t i;
    while (st->frame_count)
        pstx_store_pop(aTHX_ st);
    st->entry_count = 0;
    for (i = 0; i < st->class_count; i++) {
        SvREFCNT_dec(st->classes[i].stash);
        SvREFCNT_dec(st->classes[i].freeze);
    }
    st->class_count = 0;
    st->class_numbers = 0;
    st->odd_class_names = false;
    if (st->class_seen.count)
        pstx_seen_clear(&st->class_seen);
    if (st->seen.count)
        pstx_seen_clear(&st->seen);
    st->tags = 0;
    st->depth = 0;
    st->via_ref = NULL;
    st->tainted = false;
}

static void store_destroy(pTHX_ pstx_run *run)
{
    pstx_store *st = (pstx_store *)run;
    PERL_UNUSED_CONTEXT;
    Safefree(st->held);
    Safefree(st->frames);
    Safefree(st->entries);
    Safefree(st->classes);
    pstx_seen_release(&st->seen);
    pstx_seen_release(&st->class_seen);
    Safefree(st);
}

static void store_release(pTHX_ pstx_run *run)
{
    enum { KEEP_ROOM = 1000 };     /* of anything; a spare context shall be small */
    pstx_store *st = (pstx_store *)run;
    forget(aTHX_ st);
    SvREFCNT_dec(st->image);
    SvREFCNT_dec(st->keep);
    st->image = st->root = NULL;
    st->keep = NULL;
    while (st->held_count)
        SvREFCNT_dec_NN(st->held[--st->held_count]);
    st->all = st->user_code = false;
    if (st->frame_room > KEEP_ROOM || st->entry_room > KEEP_ROOM || st->class_room > KEEP_ROOM
        || st->held_room > KEEP_ROOM || !pstx_run_keep(run))
        store_destroy(aTHX_ run);
}

static void begin_image(pTHX_ pstx_store *st, bool netorder)
{
    enum { FIRST_SIZE = 240 };
    SV *image = st->image = newSV(FIRST_SIZE);
    SvPOK_only(image);
    pst_writer_init(&st->w, netorder, IVSIZE);
    st->w.buf.host = st;
    st->w.buf.grow = grow_image;
    st->w.buf.start = st->w.buf.pos = (uint8_t *)SvPVX(image);
    st->w.buf.end = st->w.buf.start + SvLEN(image) - 1;
}

/* Give the finished image away, without much unused room. */
static SV *finish_image(pTHX_ pstx_store *st)
{
    SV *image = st->image;
    size_t len = pst_buf_len(&st->w.buf);
    st->image = NULL;
    SvPVX(image)[len] = '\0';
    SvCUR_set(image, len);
    if (SvLEN(image) - len > 256 + len / 4)
        SvPV_renew(image, len + 1);
    if (st->tainted)
        SvTAINTED_on(image);
    return image;
}

/* What is different in a walk for an object. */
PST_COLD static void begin_strictly(pstx_store *st, SV *root)
{
    const pstx_options *opt = &st->run.opt;
    st->via_ref = root;                 /* the reference to the root counts as a level */
    st->depth = 1;
    st->w.digits = opt->exact ? PST_DIGITS_EXACT : PST_DIGITS_PERL;
    if (opt->classes_run_code)
        st->all = st->user_code = true;
    show_room(st, 0);
    st->w.no_lobject = !pstx_store_knows(st, PST_MINOR_OF_LOBJECT);
    if (!pstx_store_knows(st, PST_MINOR_OF_UTF8STR))
        st->all = true;                 /* so that each string is looked at */
}

/* Header, and what a walk begins with. */
PST_INLINE void begin_walk(pstx_store *st, const pst_header *header, SV *root)
{
    st->w.buf.pos = st->w.buf.start;
    st->w.buf.sent = 0;
    if (st->spill)
        pstx_spill_reset(st->spill);
    (void)pst_write_header(&st->w, header);
    st->root = root;
    st->stopped_at = NULL;
    if (PST_UNLIKELY(st->run.opt.strict))
        begin_strictly(st, root);
}

/* The walk has been stopped. PERL: croaks. */
PST_COLD static void stopped(pTHX_ const pstx_store *st)
{
    switch (st->w.error.code) {
    case PST_ERR_BYTES: pstx_croak(aTHX_ PSTX_MSG_BYTES_LIMIT, st->run.opt.max_bytes);
    case PST_ERR_ITEMS: pstx_croak(aTHX_ PSTX_MSG_ITEMS_LIMIT, st->run.opt.max_items);
    case PST_ERR_MINOR: pstx_store_unknown(aTHX_ st, "Things of more than 2**31 - 1 bytes or items");
    default:            pstx_croak(aTHX_ PSTX_MSG_TOO_MANY_ITEMS);
    }
}

SV *pstx_store_image(pTHX_ SV *root, const pst_header *header, bool cloning, const pstx_object *object,
                     pstx_spill *spill)
{
    pstx_store *st = (pstx_store *)pstx_run_new(aTHX_ PSTX_STORING, sizeof *st);
    SV *image;
    st->run.release = store_release;
    st->run.destroy = store_destroy;
    st->run.netorder = header->netorder;
    st->run.cloning = cloning;
    st->spill = spill;
    ENTER;
    pstx_run_begin(aTHX_ &st->run, object);
    if (!SvROK(root))        /* options are read by now: tied ones may have done anything */
        pstx_croak(aTHX_ PSTX_MSG_NOT_A_REF);
    st->sorted = st->run.opt.canonical && !cloning;
    begin_image(aTHX_ st, header->netorder);
    begin_walk(st, header, SvRV(root));
    while (!store_walk(aTHX_ st, SvRV(root))) {
        forget(aTHX_ st);
        begin_walk(st, header, SvRV(root));
    }
    (void)within_limits(aTHX_ st);
    if (PST_UNLIKELY(st->w.error.code != PST_OK))
        stopped(aTHX_ st);
    image = sv_2mortal(finish_image(aTHX_ st));
    pstx_run_succeeded(aTHX_ &st->run);
    LEAVE;
    return image;
}
