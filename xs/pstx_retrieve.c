/* pstx_retrieve.c - building Perl data: scalars, arrays, classes, and the walk itself. */
#include "pstx_retrieve.h"
#include "pstx_bless.h"
#include "pstx_object.h"

/* ---- frames, blessing ----------------------------------------------------------------------------- */

PST_INLINE SV *register_item(pTHX_ pstx_retrieve *rt, SV *sv)
{
    pstx_retrieve_add_tag(aTHX_ rt, sv);
    if (PST_UNLIKELY(rt->bless != NULL)) {
        HV *stash = rt->bless;
        rt->bless = NULL;
        pstx_retrieve_bless(aTHX_ rt, sv, stash);
    }
    return sv;
}

SV *pstx_retrieve_register(pTHX_ pstx_retrieve *rt, SV *sv)
{
    return register_item(aTHX_ rt, sv);
}

void pstx_retrieve_drop(pTHX_ pstx_retrieve *rt, SV *sv)
{
    if (SvIMMORTAL(sv))
        return;
    pstx_retrieve_own_tags(aTHX_ rt);
    SvREFCNT_dec_NN(sv);
}

SV *pstx_retrieve_refuse(pTHX_ pstx_retrieve *rt, SV *sv, uint8_t marker)
{
    pstx_retrieve_drop(aTHX_ rt, sv);
    (void)pst_reader_fail(&rt->r, PST_ERR_MARKER, 0, marker);
    return NULL;
}

void pstx_bless_by_perl(pTHX_ SV **blesser, SV *sv, HV *stash)
{
    if (!*blesser)
        *blesser = newSV_type(SVt_IV);
    SvRV_set(*blesser, sv);              /* borrowed: taken back before anybody looks */
    SvROK_on(*blesser);
    (void)sv_bless(*blesser, stash);
    SvROK_off(*blesser);
    SvRV_set(*blesser, NULL);
}

void pstx_retrieve_bless(pTHX_ pstx_retrieve *rt, SV *sv, HV *stash)
{
    if (SvIMMORTAL(sv)) {
        (void)pst_reader_fail(&rt->r, PST_ERR_MARKER, 0, PST_BLESS);
        return;
    }
    pstx_bless(aTHX_ &rt->blesser, sv, stash);
}

pstx_rframe *pstx_retrieve_push(pTHX_ pstx_retrieve *rt, enum pstx_rframe_kind kind, SV *sv)
{
    pstx_rframe *f;
    PERL_UNUSED_CONTEXT;
    if (PST_UNLIKELY(rt->frame_count == rt->frame_room)) {
        rt->frame_room = rt->frame_room ? rt->frame_room * 2 : 32;
        Renew(rt->frames, rt->frame_room, pstx_rframe);
    }
    f = &rt->frames[rt->frame_count++];
    f->kind = (uint8_t)kind;
    f->sv = sv;
    f->value = NULL;
    f->left = 0;
    f->claim = 0;
    f->at = 0;
    f->tie_level = 0;
    return f;
}

size_t pstx_retrieve_claim(pstx_retrieve *rt, uint64_t count, size_t bytes)
{
    pstx_rframe *f = &rt->frames[rt->frame_count - 1];
    size_t left = pst_cursor_left(&rt->r.in);
    size_t most = left > rt->claimed ? (left - rt->claimed) / bytes : 0;
    size_t claim = count < most ? (size_t)count : most;
    f->claim = claim * bytes;
    rt->claimed += f->claim;
    return claim;
}

/* ---- classes --------------------------------------------------------------------------------------- */

static pstx_rclass *class_new(pTHX_ pstx_retrieve *rt, const char *name, STRLEN len)
{
    pstx_rclass *cls;
    if (rt->class_count == rt->class_room) {
        rt->class_room = rt->class_room ? rt->class_room * 2 : 8;
        Renew(rt->classes, rt->class_room, pstx_rclass);
    }
    cls = &rt->classes[rt->class_count];
    cls->name = newSVpvn(name, len);
    cls->overload_tried = false;
    rt->class_count++;
    /* Where nothing is blessed, no package is made. */
    cls->stash = rt->run.opt.flags & PSTX_BLESS_OK ? gv_stashpvn(name, (U32)len, GV_ADD) : NULL;
    SvREFCNT_inc_simple_void(cls->stash);
    return cls;
}

void pstx_retrieve_check_class(pTHX_ pstx_retrieve *rt, SV *name, enum pstx_ahead ahead)
{
    rt->ahead = (uint8_t)ahead;
    if (rt->run.opt.classes_run_code)
        pstx_retrieve_user_code(aTHX_ rt);
    if (!pstx_object_allows(aTHX_ &rt->run, name))
        pstx_croak(aTHX_ PSTX_MSG_CLASS_REFUSED, SVfARG(name), pstx_trust_name(&rt->run.opt));
    rt->ahead = PSTX_AHEAD_UNKNOWN;
}

pstx_rclass *pstx_retrieve_class(pTHX_ pstx_retrieve *rt, const pst_token *t, enum pstx_ahead ahead)
{
    if (t->bytes && rt->run.opt.trust != PSTX_TRUST_FULL) {
        SV *name = newSVpvn_flags((const char *)t->bytes, (STRLEN)t->len, SVs_TEMP);
        pstx_retrieve_check_class(aTHX_ rt, name, ahead);
        return class_new(aTHX_ rt, SvPVX(name), SvCUR(name));
    }
    if (t->bytes)
        return class_new(aTHX_ rt, (const char *)t->bytes, (STRLEN)t->len);
    if (t->len < rt->class_count)
        return &rt->classes[t->len];
    rt->ahead = (uint8_t)ahead;
    (void)pst_reader_fail(&rt->r, PST_ERR_CLASS_INDEX, rt->class_count, (uint64_t)(int64_t)(int32_t)t->len);
    return NULL;
}

/* ---- scalars --------------------------------------------------------------------------------------- */

#if NVSIZE == 8
#  define NEW_NV(rt, t) pstx_new_float(aTHX_ pst_reader_double(&(rt)->r, (t)))
#else
/* An NV of more than 8 bytes: as this machine keeps it, or put together from its parts. */
static SV *new_wide_nv(pTHX_ pstx_retrieve *rt, const pst_token *t)
{
    const pst_float f = pst_reader_float(&rt->r, t);
    NV nv;
    if (rt->r.nv_native && t->len == sizeof nv) {
        memcpy(&nv, t->bytes, sizeof nv);
        return newSVnv(nv);
    }
    if (f.infinite || f.nan)
        return newSVnv((NV)pst_float_to_double(&f));
    nv = Perl_ldexp((NV)f.high, f.exponent + 64) + Perl_ldexp((NV)f.low, f.exponent);
    return newSVnv(f.negative ? -nv : nv);
}
#  define NEW_NV(rt, t) new_wide_nv(aTHX_ (rt), (t))
#endif

/* The scalar that a token is. RETURNS: +1, not yet registered; NULL if it is no scalar. */
PST_INLINE SV *new_scalar(pTHX_ pstx_retrieve *rt, const pst_token *t)
{
    switch (t->marker) {
    case PST_INTEGER:
    case PST_SCALAR:
    case PST_UTF8STR:       return pstx_retrieve_plain(aTHX_ t);
    case PST_DOUBLE:        return NEW_NV(rt, t);
    case PST_UNDEF:         return newSV(0);
    case PST_SV_UNDEF:
    case PST_SVUNDEF_ELEM:  return &PL_sv_undef;
    case PST_SV_YES:        return &PL_sv_yes;
    case PST_SV_NO:         return &PL_sv_no;
    case PST_BOOLEAN_TRUE:  return newSVsv(&PL_sv_yes);
    case PST_BOOLEAN_FALSE: return newSVsv(&PL_sv_no);
    default:                return NULL;
    }
}

/* ---- arrays ----------------------------------------------------------------------------------------- */

/* Room for one more item; memory grows only with what has really been read. */
static void make_array_room(pTHX_ AV *av, const pstx_rframe *f)
{
    SSize_t step = f->at / 2 + 4;
    av_extend(av, f->at + (f->left < (uint64_t)step ? (SSize_t)f->left : step));
}

/* The same by perl's own means: hooks may have tied, filled or locked the array. */
static void array_item_checked(pTHX_ pstx_rframe *f, SV *sv)
{
    AV *av = (AV *)f->sv;
    f->value = sv;                         /* ours if perl dies */
    if (sv != PSTX_HOLE && !pstx_is_tied(aTHX_ (SV *)av) && av_store(av, f->at, sv))
        f->value = NULL;
    f->at++;
    f->left--;
    sv = f->value;
    f->value = NULL;
    SvREFCNT_dec(sv);
    if (!f->left && !pstx_is_tied(aTHX_ (SV *)av) && AvFILLp(av) < f->at - 1)
        av_fill(av, f->at - 1);
}

/* Put an item (consumed), or PSTX_HOLE, into the next slot. */
PST_INLINE void array_item(pTHX_ const pstx_retrieve *rt, pstx_rframe *f, SV *sv)
{
    AV *av = (AV *)f->sv;
    if (PST_UNLIKELY(rt->user_code)) {
        array_item_checked(aTHX_ f, sv);
        return;
    }
    if (PST_UNLIKELY(f->at > AvMAX(av)))
        make_array_room(aTHX_ av, f);
    AvARRAY(av)[f->at] = sv;
    AvFILLp(av) = f->at++;
    f->left--;
}

PST_FLATTEN PST_NOINLINE static SV *retrieve_array(pTHX_ pstx_retrieve *rt, const pst_token *t)
{
    AV *av = newAV();
    size_t claim;
    pstx_rframe *f = pstx_retrieve_push(aTHX_ rt, PSTX_R_ARRAY, (SV *)av);
    f->left = t->len;
    (void)pstx_retrieve_register(aTHX_ rt, (SV *)av);
    if (!t->len)
        return pstx_retrieve_pop(aTHX_ rt);
    if (PSTX_ARRAY_TOO_LONG(t->len)) {
        (void)pst_reader_fail(&rt->r, PST_ERR_LENGTH, PST_I32_MAX, t->len);
        return NULL;
    }
    claim = pstx_retrieve_claim(rt, t->len, 1);
    if (claim)
        av_extend(av, (SSize_t)claim - 1);
    return NULL;
}

/* No further than the limit of items allows. */
static SV **stop_at_limit(const pstx_retrieve *rt, SV **slot, SV **stop)
{
    const UV count = rt->tag_count, most = rt->run.opt.max_items;
    const UV left = most > count ? most - count : 0;
    return left < (UV)(stop - slot) ? slot + left : stop;
}

/* Take plain scalars into slots. RETURNS: the slot behind them. Not inline: there it would lose
 * its registers. Flat: gcc takes newSV_type() for too large, though little is left of it. */
PST_FLATTEN PST_NOINLINE static SV **plain_slots(pTHX_ pstx_retrieve *rt, SV **slot, SV **stop)
{
    pst_token t;
    while (slot < stop && pst_reader_plain(&rt->r, &t))
        *slot++ = pstx_retrieve_plain(aTHX_ &t);
    return slot;
}

/* The top frame is an array that nobody else can see: take items as long as they are
 * plain scalars in their common forms, or references to what is there already. */
PST_INLINE void plain_items(pTHX_ pstx_retrieve *rt, pstx_rframe *f)
{
    AV *av = (AV *)f->sv;
    const SSize_t first = f->at;
    SV **slot, **stop;
    do {
        const SSize_t room = AvMAX(av) + 1 - f->at;
        slot = AvARRAY(av) + f->at;
        stop = slot + (f->left < (uint64_t)room ? (SSize_t)f->left : room);
        if (PST_UNLIKELY(rt->run.opt.strict))
            stop = stop_at_limit(rt, slot, stop);
        slot = plain_slots(aTHX_ rt, slot, stop);
        if (slot < stop)
            slot = pstx_retrieve_known_refs(aTHX_ rt, slot, stop);
        f->left -= (uint64_t)(slot - AvARRAY(av) - f->at);
        f->at = slot - AvARRAY(av);
        AvFILLp(av) = f->at - 1;
        if (slot < stop || f->at <= AvMAX(av))
            break;
        if (f->left)
            make_array_room(aTHX_ av, f);
    } while (f->left);
    if (f->at != first)
        pstx_retrieve_tag_items(aTHX_ rt, av, first, (size_t)(f->at - first));
}

/* The top frame is an array: take items as long as they are plain scalars.
 * RETURNS: false on error; else *t is a token of another kind, or f->left is 0. */
static bool array_run(pTHX_ pstx_retrieve *rt, pstx_rframe *f, pst_token *t)
{
    for (;;) {
        SV *sv;
        if (PST_LIKELY(!rt->user_code))
            plain_items(aTHX_ rt, f);
        if (!f->left)
            return true;
        if (!pst_reader_next(&rt->r, t))
            return false;
        sv = new_scalar(aTHX_ rt, t);
        if (!sv)
            return true;
        pstx_retrieve_add_tag(aTHX_ rt, sv);
        array_item(aTHX_ rt, f, t->marker == PST_SV_UNDEF ? PSTX_HOLE : sv);
        if (PST_UNLIKELY(rt->r.error.code != PST_OK))     /* one item too many */
            return false;
    }
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

PST_INLINE SV *deliver_one(pTHX_ pstx_retrieve *rt, SV *sv)
{
    pstx_rframe *f = &rt->frames[rt->frame_count - 1];
    switch (f->kind) {
    case PSTX_R_ARRAY:
        array_item(aTHX_ rt, f, sv == &PL_sv_undef ? PSTX_HOLE : pstx_retrieve_as_scalar(aTHX_ sv));
        return f->left ? NULL : pstx_retrieve_pop(aTHX_ rt);
    case PSTX_R_HASH:
        if (!pstx_retrieve_hash_value(aTHX_ rt, f, pstx_retrieve_as_scalar(aTHX_ sv)) || f->left)
            return NULL;
        pstx_retrieve_hash_end(aTHX_ rt, f);
        return pstx_retrieve_pop(aTHX_ rt);
    case PSTX_R_REF:
        if (f->left || rt->user_code || rt->ref_markers[rt->ref_count - 1] != PST_REF)
            return pstx_retrieve_deliver_special(aTHX_ rt, f, sv);
        rt->ref_count--;
        rt->depth--;
        SvRV_set(f->sv, sv);
        SvROK_on(f->sv);
        return pstx_retrieve_pop(aTHX_ rt);
    default:
        return pstx_retrieve_deliver_special(aTHX_ rt, f, sv);
    }
}

SV *pstx_retrieve_deliver(pTHX_ pstx_retrieve *rt, SV *sv)
{
    return deliver_one(aTHX_ rt, sv);
}

/* Deliver `sv` to the frame on top, and what that completes to the next one. RETURNS:
 * false when the root is whole or the reader has failed. */
PST_INLINE bool deliver(pTHX_ pstx_retrieve *rt, SV *sv)
{
    while (sv && rt->frame_count)
        sv = deliver_one(aTHX_ rt, sv);
    if (sv)
        rt->root = sv;
    return !sv && rt->r.error.code == PST_OK;
}

/* One item, the token being read. RETURNS: +1 if it is whole, else NULL. */
PST_INLINE SV *retrieve_item(pTHX_ pstx_retrieve *rt, pst_token *t)
{
    SV *sv;
    switch (t->marker) {
    case PST_ARRAY:     return retrieve_array(aTHX_ rt, t);
    case PST_HASH:      return pstx_retrieve_hash(aTHX_ rt, t, false);
    case PST_FLAG_HASH: return pstx_retrieve_hash(aTHX_ rt, t, true);
    case PST_REF:       return pstx_retrieve_ref(aTHX_ rt, PST_REF);
    default:
        sv = new_scalar(aTHX_ rt, t);
        return sv ? register_item(aTHX_ rt, sv) : pstx_retrieve_special(aTHX_ rt, t);
    }
}

SV *pstx_retrieve_item(pTHX_ pstx_retrieve *rt, pst_token *t)
{
    return retrieve_item(aTHX_ rt, t);
}

/* Take what the top frame can have without a step of the walk. RETURNS: false on error;
 * else *t holds a token, unless the frame is whole (f->left is 0). */
PST_INLINE bool frame_run(pTHX_ pstx_retrieve *rt, pstx_rframe *f, pst_token *t)
{
    if (f->kind == PSTX_R_ARRAY)
        return array_run(aTHX_ rt, f, t);
    return pstx_retrieve_hash_run(aTHX_ rt) && (!f->left || pst_reader_next(&rt->r, t));
}

/* Read the whole image. RETURNS: false if the reader has failed. */
static bool retrieve_walk(pTHX_ pstx_retrieve *rt)
{
    pst_token t;
    t.marker = 0;
    for (;;) {
        pstx_rframe *f = rt->frame_count ? &rt->frames[rt->frame_count - 1] : NULL;
        SV *sv;
        if (f && f->kind <= PSTX_R_HASH && !rt->bless) {
            if (!frame_run(aTHX_ rt, f, &t))
                return false;
            if (!f->left) {
                if (f->kind == PSTX_R_HASH)
                    pstx_retrieve_hash_end(aTHX_ rt, f);
                sv = pstx_retrieve_pop(aTHX_ rt);
                if (!deliver(aTHX_ rt, sv))
                    return rt->root != NULL;
                continue;
            }
        }
        else if (!pst_reader_next(&rt->r, &t))
            return false;
        if (t.marker == PST_REF)
            (void)pstx_retrieve_ref_to_new(aTHX_ rt, &t);
        sv = retrieve_item(aTHX_ rt, &t);
        if (sv ? !deliver(aTHX_ rt, sv) : rt->r.error.code != PST_OK)
            return rt->root != NULL;
    }
}

/* ---- runs ------------------------------------------------------------------------------------------------ */

/* The image must not depend on the caller's scalar any more, which hooks can change. */
static void hold_image(pTHX_ pstx_retrieve *rt)
{
    pst_cursor *c = &rt->r.in;
    const uint8_t *own;
    rt->holder = newSV(0);
    sv_setsv_nomg(rt->holder, rt->image);
    own = (const uint8_t *)SvPVX_const(rt->holder);
    c->pos = own + (c->pos - c->start);
    c->end = own + (c->end - c->start);
    c->start = own;
    rt->image = NULL;
}

void pstx_retrieve_user_code(pTHX_ pstx_retrieve *rt)
{
    pstx_input_commit(aTHX_ &rt->r, &rt->input);
    if (rt->user_code)
        return;
    rt->user_code = true;
    pstx_run_user_code(aTHX_ &rt->run);
    pstx_retrieve_own_tags(aTHX_ rt);
    if (rt->image)
        hold_image(aTHX_ rt);
}

static void retrieve_destroy(pTHX_ pstx_run *run)
{
    pstx_retrieve *rt = (pstx_retrieve *)run;
    size_t i;
    for (i = 0; i < PSTX_KEY_MEMOS; i++)
        SvREFCNT_dec(rt->memos[i].key);
    Safefree(rt->tags);
    Safefree(rt->tag_runs);
    Safefree(rt->frames);
    Safefree(rt->ref_markers);
    pstx_seen_release(&rt->tie_levels);
    Safefree(rt->classes);
    Safefree(rt);
}

/* Drop the references that a run has held. */
static void drop_references(pTHX_ pstx_retrieve *rt)
{
    size_t i;
    if (rt->blesser) {
        SvROK_off(rt->blesser);
        SvRV_set(rt->blesser, NULL);
        SvREFCNT_dec(rt->blesser);
    }
    for (i = 0; i < rt->class_count; i++) {
        SvREFCNT_dec(rt->classes[i].name);
        SvREFCNT_dec(rt->classes[i].stash);
    }
    SvREFCNT_dec(rt->holder);
    if (!rt->finished)
        pstx_abandon(aTHX_ rt);
    else if (rt->own_tags)
        for (i = 0; i < rt->tag_count; i++)
            SvREFCNT_dec(rt->tags[i]);
}

static void retrieve_release(pTHX_ pstx_run *run)
{
    enum { KEEP_ROOM = 1000, KEEP_TAGS = 65536 };   /* a spare context shall be small */
    pstx_retrieve *rt = (pstx_retrieve *)run;
    pstx_input_commit(aTHX_ &rt->r, &rt->input);
    pstx_input_release(&rt->input);
    drop_references(aTHX_ rt);
    rt->holder = rt->image = rt->blesser = rt->root = NULL;
    rt->bless = NULL;
    rt->stopped_at = NULL;
    rt->file = rt->own_tags = rt->user_code = rt->finished = rt->root_is_result = false;
    rt->tag_count = rt->tag_run_count = rt->unlisted = 0;
    rt->frame_count = rt->class_count = rt->claimed = 0;
    rt->ref_count = 0;
    pstx_seen_clear(&rt->tie_levels);
    rt->magic_bytes = 0;
    rt->tag_room = rt->tag_allocated;
    rt->ahead = PSTX_AHEAD_UNKNOWN;
    if (rt->tag_allocated > KEEP_TAGS || rt->ref_room > KEEP_TAGS || rt->tag_run_room > KEEP_ROOM
        || rt->frame_room > KEEP_ROOM || rt->class_room > KEEP_ROOM || !pstx_run_keep(run))
        retrieve_destroy(aTHX_ run);
}

/* May this reader go on with what the header says? PERL: croaks. */
static void check_header(pTHX_ pstx_retrieve *rt)
{
    pst_header host, *h = &rt->r.header;
    size_t iv_size = IVSIZE;
    pst_err err = pst_header_read(h, &rt->r.in);
    /* The version is judged first, even if the rest of the header is not there. */
    if (h->major > PST_MAJOR || (h->major == PST_MAJOR && h->minor > PSTX_READ_MINOR
                                 && !rt->run.opt.accept_future_minor))
        err = PST_ERR_MAJOR;
    if (err == PST_OK && !h->netorder) {
        pst_header_host(&host, rt->run.opt.order_len, NVSIZE);
        err = pst_header_compare(h, &host);
        if (err != PST_OK)
            iv_size = h->order_len;
        if (err != PST_OK && rt->run.opt.accept_foreign && pst_header_readable(h) == PST_OK)
            err = PST_OK;
    }
    if (err != PST_OK)
        pstx_croak_header(aTHX_ &rt->r, err, rt->file);
    pst_reader_configure(&rt->r, IVSIZE, NVSIZE);
    rt->r.iv_size = (uint8_t)iv_size;
    rt->run.netorder = h->netorder;
}

/* An object's run: nothing may be missing, nothing left over. PERL: croaks. */
static void check_strictly(pTHX_ pstx_retrieve *rt, bool whole)
{
    const char *kind = rt->file ? "file" : "string";
    const pst_err code = rt->r.error.code;
    if (rt->input.over || pst_cursor_off(&rt->r.in) > rt->run.opt.max_bytes)
        pstx_croak(aTHX_ PSTX_MSG_BYTES_LIMIT, rt->run.opt.max_bytes);
    if (code == PST_ERR_ITEMS)
        pstx_croak(aTHX_ PSTX_MSG_ITEMS_LIMIT, rt->run.opt.max_items);
    if (code == PST_ERR_TRUNCATED) {
        const size_t unread = (size_t)(rt->r.closed_end - rt->r.in.pos);
        pstx_croak(aTHX_ PSTX_MSG_CUT, kind, (UV)rt->r.error.offset, (UV)(rt->r.error.offset + unread));
    }
    if (code == PST_ERR_MARKER)
        rt->ahead = PSTX_AHEAD_BAD_MARKER;
    if (!whole || code != PST_OK)
        pstx_croak_body(aTHX_ &rt->r, rt->file);
    if (rt->image || rt->holder ? pst_cursor_left(&rt->r.in) != 0
                                : rt->input.owned && pst_cursor_need(&rt->r.in, 1))
        pstx_croak(aTHX_ PSTX_MSG_TRAILING, kind);
}

/* Read header and body. RETURNS: mortal. */
static SV *retrieve_image(pTHX_ pstx_retrieve *rt)
{
    SV *result = &PL_sv_undef;
    bool whole;
    check_header(aTHX_ rt);
    whole = pst_reader_is_old(&rt->r) ? pstx_retrieve_walk_old(aTHX_ rt) : retrieve_walk(aTHX_ rt);
    if (rt->run.opt.strict)
        check_strictly(aTHX_ rt, whole);
    if (whole) {
        rt->finished = true;
        result = sv_2mortal(rt->root_is_result ? rt->root : newRV_noinc(rt->root));
    }
    else if (rt->r.error.code != PST_ERR_TRUNCATED)
        pstx_croak_body(aTHX_ &rt->r, rt->file);
    pstx_run_succeeded(aTHX_ &rt->run);
    return result;
}

/* The FLAGS argument, read before anything depends on what user code could change.
 * RETURNS: false if none is given. PERL: may run user code. */
static bool flags_given(pTHX_ SV *flags, I32 *value)
{
    if (!flags)
        return false;
    SvGETMAGIC(flags);
    if (!SvOK(flags))
        return false;
    *value = (I32)SvIV_nomg(flags);
    return true;
}

/* How large is an object's input? UV_MAX if that is not known. PERL: croaks. */
static void check_size(pTHX_ const pstx_retrieve *rt, UV size)
{
    if (!size)
        pstx_croak(aTHX_ PSTX_MSG_EMPTY, rt->file ? "file" : "string");
    if (size != UV_MAX && size > rt->run.opt.max_bytes)
        pstx_croak(aTHX_ PSTX_MSG_INPUT_LIMIT, rt->run.opt.max_bytes);
}

static pstx_retrieve *retrieve_new(pTHX)
{
    pstx_retrieve *rt = (pstx_retrieve *)pstx_run_new(aTHX_ PSTX_RETRIEVING, sizeof *rt);
    rt->run.release = retrieve_release;
    rt->run.destroy = retrieve_destroy;
    rt->run.cloning = false;
    rt->tmps_base = PL_tmps_ix;
    return rt;
}

static void begin_run(pTHX_ pstx_retrieve *rt, const pstx_object *object)
{
    pstx_run_begin(aTHX_ &rt->run, object);
    rt->depth = 1;                          /* the reference to the root */
    rt->max_depth = object ? object->max_depth : UV_MAX;
    pstx_retrieve_limit_tags(rt);
}

/* The bytes of an image; UTF-8 text is turned back into bytes in a copy.
 * RETURNS: borrowed from `image` or from a mortal. PERL: croaks on wide characters. */
static const char *image_bytes(pTHX_ pstx_retrieve *rt, SV *image, STRLEN *len)
{
    const char *bytes = SvPV_nomg_const(image, *len);
    rt->image = image;
    if (!SvUTF8(image))
        return bytes;
    rt->image = sv_2mortal(newSVpvn_utf8(bytes, *len, TRUE));
    if (!sv_utf8_downgrade(rt->image, TRUE))
        pstx_croak(aTHX_ PSTX_MSG_WIDE_IMAGE);
    return SvPV_nomg_const(rt->image, *len);
}

SV *pstx_retrieve_memory(pTHX_ SV *image, SV *flags, bool cloning, const pstx_object *object)
{
    pstx_retrieve *rt;
    SV *result;
    const char *bytes;
    STRLEN len;
    I32 given = 0;
    const bool is_given = flags_given(aTHX_ flags, &given);
    rt = retrieve_new(aTHX);
    rt->run.cloning = cloning;
    ENTER;
    begin_run(aTHX_ rt, object);
    if ((cloning && !object) || is_given)
        rt->run.opt.flags = cloning ? PSTX_FLAGS_ALL : given;
    if (!SvPOKp(image))
        pstx_croak(aTHX_ PSTX_MSG_NOT_A_STRING);
    bytes = image_bytes(aTHX_ rt, image, &len);
    pst_reader_init(&rt->r, (const uint8_t *)bytes, len);
    if (object)
        check_size(aTHX_ rt, len);
    result = retrieve_image(aTHX_ rt);
    LEAVE;
    return result;
}

SV *pstx_retrieve_handle(pTHX_ IO *handle, SV *flags, bool owned, const pstx_object *object)
{
    pstx_retrieve *rt;
    SV *result;
    I32 given = 0;
    const bool is_given = flags_given(aTHX_ flags, &given);
    rt = retrieve_new(aTHX);
    rt->file = true;
    ENTER;
    begin_run(aTHX_ rt, object);
    if (is_given)
        rt->run.opt.flags = given;
    pstx_input_begin(aTHX_ &rt->r, &rt->input, handle, owned);
    rt->r.header.file = true;
    if (object && owned)
        check_size(aTHX_ rt, pstx_input_size(aTHX_ &rt->input));
    rt->input.max_off = object ? object->max_bytes : UV_MAX;
    result = retrieve_image(aTHX_ rt);
    LEAVE;
    return result;
}
