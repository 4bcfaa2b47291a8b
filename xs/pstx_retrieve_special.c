/* pstx_retrieve_special.c - references, tied things, vstrings, regexps, code, OBJECT. */
#include "pstx_retrieve.h"
#include "pstx_hooks.h"
#include "pstx_object.h"

/* ---- how deep ties are nested -------------------------------------------------------------------------- */

/* Perl frees what is behind a tie by recursion. Ties in ties by the hundred come from no program;
 * by the ten thousand they would overflow its stack. */
enum { TIES_NESTED_MAX = 200, REFS_FOLLOWED_MAX = 64 };

static void raise_level(pstx_rframe *f, uint32_t level)
{
    if (level > f->tie_level)
        f->tie_level = (uint8_t)level;
}

void pstx_retrieve_pass_level(pstx_retrieve *rt, const pstx_rframe *f)
{
    uint32_t level = f->tie_level;
    if (f->sv)
        (void)pstx_seen_add(&rt->tie_levels, f->sv, &level);
    if (rt->frame_count)
        raise_level(&rt->frames[rt->frame_count - 1], f->tie_level);
}

/* Of references that follow one another only the outermost has been remembered. Those that lead
 * in a circle lead to no tie; `mark` is one of the last half of those followed. */
void pstx_retrieve_count_object(pstx_retrieve *rt, const SV *sv)
{
    const SV *mark = sv;
    uint32_t level = 0;
    unsigned followed = 0;
    if (!rt->tie_levels.count || !rt->frame_count)
        return;
    while (!pstx_seen_get(&rt->tie_levels, sv, &level)) {
        if (!pstx_retrieve_is_scalar(sv) || !SvROK(sv))
            return;
        sv = SvRV(sv);
        if (sv == mark)
            return;
        if (++followed > REFS_FOLLOWED_MAX) {
            level = TIES_NESTED_MAX;
            break;
        }
        if ((followed & (followed - 1)) == 0)
            mark = sv;
    }
    raise_level(&rt->frames[rt->frame_count - 1], level);
}

/* The frame's tie is complete. RETURNS: false if it is nested too deep. */
static bool close_tie(pstx_retrieve *rt, pstx_rframe *f)
{
    if (f->tie_level >= TIES_NESTED_MAX)
        return pst_reader_fail(&rt->r, PST_ERR_MEMORY, TIES_NESTED_MAX, f->tie_level);
    f->tie_level++;
    return true;
}

/* ---- OBJECT and classes --------------------------------------------------------------------------- */

static SV *retrieve_object(pTHX_ pstx_retrieve *rt, const pst_token *t)
{
    SV *sv = pstx_retrieve_tag(rt, t->len);
    PERL_UNUSED_CONTEXT;
    rt->bless = NULL;
    if (sv) {
        pstx_retrieve_count_object(rt, sv);
        return SvREFCNT_inc_simple_NN(sv);
    }
    rt->ahead = PSTX_AHEAD_DONE;
    (void)pst_reader_fail(&rt->r, PST_ERR_TAG, pstx_retrieve_tag_count(rt),
                          t->wire == PST_LOBJECT ? t->len : (uint64_t)(int64_t)(int32_t)t->len);
    return NULL;
}

/* The class of a well-known attack. */
#define EXPLOIT_CLASS "CGITempFile"
enum { EXPLOIT_LEN = sizeof EXPLOIT_CLASS - 1 };

/* Does a scalar with this text come next? Nothing is consumed. */
static bool next_is(pstx_retrieve *rt, const char *text, size_t len)
{
    pst_reader ahead;
    pst_token t;
    if (!pst_cursor_need(&rt->r.in, len + 2))
        return false;
    ahead = rt->r;
    ahead.in.refill = NULL;              /* only what lies in the window: it must not move */
    return pst_reader_next(&ahead, &t) && t.marker == PST_SCALAR && t.len == len
        && memEQ(t.bytes, text, len);
}

/* An attack by a well-known image, on which Storable, too, says something. */
PST_COLD static void warn_of_exploit(pTHX_ pstx_retrieve *rt, const pstx_rclass *cls)
{
    if (!strEQ(SvPVX(cls->name), EXPLOIT_CLASS) || !next_is(rt, "mt-config.cgi", 13))
        return;
    pstx_retrieve_user_code(aTHX_ rt);
    pstx_warn(aTHX_ PSTX_MSG_EXPLOIT);
}

/* BLESS: the class waits for the object that comes next. */
static SV *retrieve_bless(pTHX_ pstx_retrieve *rt, const pst_token *t)
{
    pstx_rclass *cls = pstx_retrieve_class(aTHX_ rt, t, PSTX_AHEAD_OBJECT);
    if (cls && PST_UNLIKELY(SvCUR(cls->name) == EXPLOIT_LEN))
        warn_of_exploit(aTHX_ rt, cls);
    if (cls)
        rt->bless = rt->run.opt.flags & PSTX_BLESS_OK ? cls->stash : NULL;
    return NULL;
}

/* ---- the memory of magic ------------------------------------------------------------------------------ */

enum {
    TIE_BYTES   = 160,          /* what perl takes, about: a scalar with a body, and its magic */
    WEAK_BYTES  = 112,
    MAGIC_FREE  = 1 << 20,
    MAGIC_SHARE = 24            /* of these for each byte of image: what real data needs is less */
};

/* Magic takes much memory for a byte or two of image. RETURNS: false if there is more of it than
 * real data could have. */
static bool take_magic(pstx_retrieve *rt, size_t bytes)
{
    rt->magic_bytes += bytes;
    return rt->magic_bytes <= MAGIC_FREE + MAGIC_SHARE * pst_cursor_off(&rt->r.in)
        || pst_reader_fail(&rt->r, PST_ERR_MEMORY, MAGIC_FREE, rt->magic_bytes);
}

/* ---- references -------------------------------------------------------------------------------------- */

void pstx_retrieve_too_deep(pTHX_ pstx_retrieve *rt)
{
    rt->ahead = PSTX_AHEAD_OBJECT;
    pstx_croak(aTHX_ PSTX_MSG_TOO_DEEP);
}

static void push_marker(pstx_retrieve *rt, uint8_t marker)
{
    if (rt->ref_count == rt->ref_room) {
        rt->ref_room = rt->ref_room ? rt->ref_room * 2 : 64;
        Renew(rt->ref_markers, rt->ref_room, uint8_t);
    }
    rt->ref_markers[rt->ref_count++] = marker;
}

/* A reference has one byte in the image: if it follows another it gets no frame of its own. */
SV *pstx_retrieve_ref(pTHX_ pstx_retrieve *rt, uint8_t marker)
{
    pstx_rframe *f = rt->frame_count ? &rt->frames[rt->frame_count - 1] : NULL;
    SV *rv = newSV_type(SVt_IV);
    push_marker(rt, marker);
    if (f && f->kind == PSTX_R_REF) {
        f->sv = rv;
        f->left++;
    }
    else
        f = pstx_retrieve_push(aTHX_ rt, PSTX_R_REF, rv);
    f->at = (SSize_t)pstx_retrieve_tag_count(rt);
    (void)pstx_retrieve_register(aTHX_ rt, rv);
    if (!pstx_retrieve_deeper(rt))
        pstx_retrieve_too_deep(aTHX_ rt);
    return NULL;
}

/* The class of an IX_BLESS at `p`, if it is known and nothing but a class. */
static HV *known_class(const pstx_retrieve *rt, const uint8_t *p)
{
    const pstx_rclass *cls = p[1] < rt->class_count ? &rt->classes[p[1]] : NULL;
    if (!cls || (p[1] & PST_LONG_LEN) || SvCUR(cls->name) == EXPLOIT_LEN || !(rt->run.opt.flags & PSTX_BLESS_OK))
        return NULL;
    return cls->stash;
}

bool pstx_retrieve_ref_to_new(pTHX_ pstx_retrieve *rt, pst_token *t)
{
    enum { CLASS_BYTES = 2, COUNT_BYTES = 5, TAGS = 2 };
    const pstx_rframe *top = rt->frame_count ? &rt->frames[rt->frame_count - 1] : NULL;
    const uint8_t *p = rt->r.in.pos;
    HV *stash = NULL;
    pstx_rframe *f;
    if (pst_cursor_left(&rt->r.in) < CLASS_BYTES + COUNT_BYTES || rt->bless || (top && top->kind == PSTX_R_REF)
        || rt->depth >= rt->max_depth || rt->tag_room - rt->tag_count < TAGS)
        return false;
    if (*p == PST_IX_BLESS) {
        stash = known_class(rt, p);
        if (!stash)
            return false;
        p += CLASS_BYTES;
    }
    if (*p != PST_HASH && *p != PST_ARRAY)
        return false;
    rt->r.in.pos = p;
    (void)pst_reader_next(&rt->r, t);
    push_marker(rt, PST_REF);
    f = pstx_retrieve_push(aTHX_ rt, PSTX_R_REF, newSV_type(SVt_IV));
    f->at = (SSize_t)pstx_retrieve_tag_count(rt);
    pstx_retrieve_add_tag(aTHX_ rt, f->sv);
    rt->depth++;
    rt->bless = stash;
    return true;
}

/* The innermost reference of a frame is whole. RETURNS: +1. */
static SV *end_ref(pTHX_ pstx_retrieve *rt, pstx_rframe *f)
{
    SV *rv = f->sv;
    rt->ref_count--;
    if (!f->left)
        return pstx_retrieve_pop(aTHX_ rt);
    f->left--;
    f->sv = pstx_retrieve_tag(rt, (uint64_t)--f->at);
    return rv;
}

/* Load the module of a class for its overloading, once per run. */
static void load_for_overloading(pTHX_ pstx_retrieve *rt, HV *stash)
{
    size_t i;
    for (i = 0; i < rt->class_count; i++)
        if (rt->classes[i].stash == stash) {
            if (rt->classes[i].overload_tried)
                return;
            rt->classes[i].overload_tried = true;
            break;
        }
    pstx_retrieve_user_code(aTHX_ rt);
    pstx_load_class(aTHX_ &rt->run, sv_2mortal(newSVpv(HvNAME_get(stash), 0)));
}

/* The referent of an OVERLOAD must be an object of a class with overloading. */
static void check_overloading(pTHX_ pstx_retrieve *rt, SV *target)
{
    HV *stash;
    SV *name;
    rt->ahead = PSTX_AHEAD_DONE;
    if (!SvOBJECT(target))
        pstx_croak(aTHX_ PSTX_MSG_NO_OVERLOAD_PLAIN, sv_reftype(target, FALSE), PTR2UV(target));
    stash = SvSTASH(target);
    if (!Gv_AMG(stash))
        load_for_overloading(aTHX_ rt, stash);
    if (Gv_AMG(stash)) {
        rt->ahead = PSTX_AHEAD_UNKNOWN;
        PSTX_OVERLOADED_NOW(target);
        return;
    }
    name = sv_2mortal(newSVpv(HvNAME_get(stash), 0));
    pstx_croak(aTHX_ PSTX_MSG_NO_OVERLOAD, sv_reftype(target, FALSE), PTR2UV(target),
               SVfARG(name), SVfARG(name));
}

/* Has it been referred to weakly before? */
static bool has_backrefs(const SV *target)
{
    return SvTYPE(target) == SVt_PVHV ? HvHASAUX((const HV *)target)
         : SvTYPE(target) >= SVt_PVMG && SvMAGIC(target) != NULL;
}

static SV *finish_ref(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *target)
{
    SV *rv = f->sv;
    uint8_t marker = rt->ref_markers[rt->ref_count - 1];
    rt->depth--;
    if (PST_UNLIKELY(rt->user_code && (SvOK(rv) || SvTYPE(rv) > SVt_PVMG)))
        sv_setsv(rv, sv_2mortal(newRV_noinc(target)));    /* a hook has put something there */
    else {
        SvRV_set(rv, target);
        SvROK_on(rv);
    }
    if (marker == PST_REF)
        return end_ref(aTHX_ rt, f);
    if (marker == PST_OVERLOAD || marker == PST_WEAKOVERLOAD)
        check_overloading(aTHX_ rt, target);
    if (marker == PST_WEAKREF || marker == PST_WEAKOVERLOAD) {
        /* The referent may live on nothing but this reference until a later OBJECT. */
        pstx_retrieve_own_tags(aTHX_ rt);
        if (!has_backrefs(target) && !take_magic(rt, WEAK_BYTES))
            return NULL;
        if (SvREFCNT(target) > 1 || SvIMMORTAL(target))
            sv_rvweaken(rv);
    }
    return end_ref(aTHX_ rt, f);
}

/* ---- tied things -------------------------------------------------------------------------------------- */

bool pstx_retrieve_open_tie(pstx_retrieve *rt)
{
    return take_magic(rt, TIE_BYTES);
}

/* Can `sv` be tied to it? Perl makes ties to references only. What is tied itself would be
 * asked for ever. */
static bool may_be_tied_to(const SV *sv, const SV *object)
{
    return object != sv && (!pstx_retrieve_is_scalar(object) || !SvGMAGICAL(object));
}

static SV *retrieve_tied(pTHX_ pstx_retrieve *rt, uint8_t marker)
{
    SV *sv = marker == PST_TIED_ARRAY ? (SV *)newAV()
           : marker == PST_TIED_HASH  ? (SV *)newHV() : newSV(0);
    pstx_rframe *f = pstx_retrieve_push(aTHX_ rt, marker == PST_TIED_KEY ? PSTX_R_TIED_KEY
                                                : marker == PST_TIED_IDX ? PSTX_R_TIED_IDX
                                                : PSTX_R_TIED, sv);
    f->flags = marker == PST_TIED_SCALAR ? PERL_MAGIC_tiedscalar : PERL_MAGIC_tied;
    if (!(rt->run.opt.flags & PSTX_TIE_OK)) {
        rt->ahead = PSTX_AHEAD_OBJECT;
        pstx_croak(aTHX_ PSTX_MSG_TYING_DISABLED);
    }
    (void)pstx_retrieve_register(aTHX_ rt, sv);
    (void)pstx_retrieve_open_tie(rt);
    return NULL;
}

/* Tie what the frame holds to the object. An undefined one was a variable tied to itself. */
static SV *finish_tied(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *object)
{
    int how = f->flags;
    bool self;
    SV *sv = f->sv;
    if (!may_be_tied_to(sv, object))
        return pstx_retrieve_refuse(aTHX_ rt, object, PST_TIED_SCALAR);
    f->value = object = pstx_retrieve_as_scalar(aTHX_ object);     /* ours if sv_magic() dies */
    if (!close_tie(rt, f))
        return NULL;
    self = how == PERL_MAGIC_tiedscalar && !SvOK(object);
    sv_magic(sv, self ? NULL : object, how, NULL, 0);
    f->value = NULL;
    (void)pstx_retrieve_pop(aTHX_ rt);
    pstx_retrieve_drop(aTHX_ rt, object);
    return sv;
}

static SV *finish_tied_key(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *key)
{
    SV *container = f->value, *sv = f->sv;
    if (!pstx_retrieve_is_scalar(key) || SvGMAGICAL(key))
        return pstx_retrieve_refuse(aTHX_ rt, key, PST_TIED_KEY);
    sv_2mortal(key);
    if (!close_tie(rt, f))
        return NULL;
    SvUPGRADE(sv, SVt_PVMG);
    sv_magic(sv, container, PERL_MAGIC_tiedelem, (char *)key, HEf_SVKEY);
    f->value = NULL;
    (void)pstx_retrieve_pop(aTHX_ rt);
    SvREFCNT_dec(container);
    return sv;
}

static SV *finish_tied_idx(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *container)
{
    int64_t index;
    SV *sv = f->sv;
    if (!may_be_tied_to(sv, container))
        return pstx_retrieve_refuse(aTHX_ rt, container, PST_TIED_IDX);
    f->value = container = pstx_retrieve_as_scalar(aTHX_ container);
    if (!pst_reader_index(&rt->r, &index) || !close_tie(rt, f))
        return NULL;
    SvUPGRADE(sv, SVt_PVMG);
    sv_magic(sv, container, PERL_MAGIC_tiedelem, NULL, (I32)index);
    f->value = NULL;
    (void)pstx_retrieve_pop(aTHX_ rt);
    SvREFCNT_dec(container);
    return sv;
}

/* ---- vstrings ---------------------------------------------------------------------------------------- */

/* The class that waits is for the scalar that follows. */
static SV *retrieve_vstring(pTHX_ pstx_retrieve *rt, const pst_token *t)
{
    pstx_rframe *f = pstx_retrieve_push(aTHX_ rt, PSTX_R_VSTRING, NULL);
    if (t->len)
        f->value = newSVpvn((const char *)t->bytes, (STRLEN)t->len);
    return NULL;
}

static SV *finish_vstring(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *sv)
{
    SV *literal = f->value;
    if (SvTYPE(sv) > SVt_PVMG || SvROK(sv) || SvIMMORTAL(sv)) {
        f->value = sv;
        SvREFCNT_dec(literal);
        (void)pst_reader_fail(&rt->r, PST_ERR_MARKER, 0, PST_VSTRING);
        return NULL;
    }
    f->sv = sv;                        /* the frame's if sv_magic() dies */
    sv_magic(sv, NULL, PERL_MAGIC_vstring, literal ? SvPVX(literal) : "", literal ? (I32)SvCUR(literal) : 0);
    SvRMAGICAL_on(sv);                 /* what SvVOK() asks for */
    f->value = NULL;
    (void)pstx_retrieve_pop(aTHX_ rt);
    SvREFCNT_dec(literal);
    return sv;
}

/* ---- regexps -------------------------------------------------------------------------------------------- */

/* The body of qr// as perl makes it: by the operator itself, run in a scope without the
 * caller's pragmas. RETURNS: +1, the regexp, not yet registered. */
static SV *compile_regexp(pTHX_ pstx_retrieve *rt, SV *pattern, SV *flags)
{
    SV *args[2], *ref, *regexp;
    pstx_retrieve_user_code(aTHX_ rt);   /* (?{...}) cannot run, but overload::constant may */
    args[0] = pattern;
    args[1] = flags;
    ref = pstx_call_scalar(aTHX_ &rt->run, (SV *)get_cv("Permafrost::_make_re", GV_ADD), args, 2);
    if (!SvROK(ref) || SvTYPE(SvRV(ref)) != SVt_REGEXP) {
        (void)pst_reader_fail(&rt->r, PST_ERR_MARKER, 0, PST_REGEXP);
        return NULL;
    }
    regexp = SvREFCNT_inc_simple_NN(SvRV(ref));
    return regexp;
}

static SV *retrieve_regexp(pTHX_ pstx_retrieve *rt, pst_token *t)
{
    SV *regexp, *pattern = newSVpvn_flags((const char *)t->bytes, (STRLEN)t->len, SVs_TEMP);
    if (rt->run.opt.trust != PSTX_TRUST_FULL)
        pstx_retrieve_check_class(aTHX_ rt, newSVpvs_flags("Regexp", SVs_TEMP), PSTX_AHEAD_REGEXP_FLAGS);
    if (!pst_reader_regexp_flags(&rt->r, t))
        return NULL;
    regexp = compile_regexp(aTHX_ rt, SvREFCNT_inc_simple_NN(pattern),
                            newSVpvn((const char *)t->bytes, (STRLEN)t->len));
    if (!regexp)
        return NULL;
    return pstx_retrieve_register(aTHX_ rt, regexp);
}

/* ---- code ------------------------------------------------------------------------------------------------- */

/* Compile "sub ..." as $Storable::Eval says. RETURNS: the code reference, mortal.
 * PERL: croaks, runs user code. */
static SV *eval_code(pTHX_ pstx_retrieve *rt, SV *source)
{
    SV *error, *code;
    AV *results = (AV *)sv_2mortal((SV *)newAV());
    pstx_retrieve_user_code(aTHX_ rt);
    pstx_call_list(aTHX_ &rt->run, (SV *)get_cv("Permafrost::_eval_code", GV_ADD),
                   newSVsv(rt->run.opt.eval), newSVsv(source), results);
    code = *av_fetch(results, 0, 1);
    error = *av_fetch(results, 1, 1);
    if (SvTRUE(error))
        pstx_croak_eval(aTHX_ source, error);
    if (!SvROK(code) || SvTYPE(SvRV(code)) != SVt_PVCV)
        pstx_croak(aTHX_ PSTX_MSG_NOT_CODE, SVfARG(source));
    return code;
}

static SV *retrieve_code(pTHX_ pstx_retrieve *rt, pst_token *t)
{
    size_t own_tag = pstx_retrieve_tag_count(rt);
    SV *source, *text, *result;
    rt->bless = NULL;                  /* Storable blesses no code on the way in */
    if (rt->run.opt.trust != PSTX_TRUST_FULL) {
        rt->ahead = PSTX_AHEAD_OBJECT;
        pstx_croak(aTHX_ PSTX_MSG_CODE_REFUSED, pstx_trust_name(&rt->run.opt));
    }
    (void)pstx_retrieve_register(aTHX_ rt, &PL_sv_undef);   /* until the sub is there */
    if (!pst_cursor_need(&rt->r.in, 1)) {
        pst_reader_set_truncated(&rt->r);
        return NULL;
    }
    if (!pst_reader_next(&rt->r, t))
        pstx_croak(aTHX_ PSTX_MSG_NO_CODE);
    if (t->marker != PST_SCALAR && t->marker != PST_UTF8STR)
        pstx_croak(aTHX_ PSTX_MSG_UNEXPECTED_TYPE, (int)t->wire, "retrieve_code");
    text = t->marker == PST_UTF8STR ? pstx_retrieve_mend_utf8(aTHX_ (const char *)t->bytes, (STRLEN)t->len) : NULL;
    if (!text)
        text = sv_2mortal(newSVpvn_utf8((const char *)t->bytes, (STRLEN)t->len, t->marker == PST_UTF8STR));
    pstx_retrieve_own_tags(aTHX_ rt);
    (void)pstx_retrieve_register(aTHX_ rt, text);
    source = sv_2mortal(newSVpvs("sub "));
    sv_catsv_nomg(source, text);
    if (rt->run.opt.eval)
        result = SvREFCNT_inc(SvRV(eval_code(aTHX_ rt, source)));
    else if (rt->run.opt.forgive_me)
        result = newSVsv(source);
    else
        pstx_croak(aTHX_ PSTX_MSG_EVAL_DISABLED);
    rt->tags[own_tag] = SvREFCNT_inc_simple_NN(result);
    return result;
}

/* ---- the two entries ----------------------------------------------------------------------------------------- */

SV *pstx_retrieve_special(pTHX_ pstx_retrieve *rt, pst_token *t)
{
    switch (t->marker) {
    case PST_OBJECT:       return retrieve_object(aTHX_ rt, t);
    case PST_BLESS:
    case PST_IX_BLESS:     return retrieve_bless(aTHX_ rt, t);
    case PST_REF:
    case PST_OVERLOAD:
    case PST_WEAKREF:
    case PST_WEAKOVERLOAD: return pstx_retrieve_ref(aTHX_ rt, t->marker);
    case PST_TIED_ARRAY:
    case PST_TIED_HASH:
    case PST_TIED_SCALAR:
    case PST_TIED_KEY:
    case PST_TIED_IDX:     return retrieve_tied(aTHX_ rt, t->marker);
    case PST_VSTRING:      return retrieve_vstring(aTHX_ rt, t);
    case PST_REGEXP:       return retrieve_regexp(aTHX_ rt, t);
    case PST_CODE:         return retrieve_code(aTHX_ rt, t);
    case PST_HOOK:         return pstx_retrieve_hook(aTHX_ rt, t);
    default:
        (void)pst_reader_fail(&rt->r, PST_ERR_MARKER, 0, t->wire);
        return NULL;
    }
}

SV *pstx_retrieve_deliver_special(pTHX_ pstx_retrieve *rt, pstx_rframe *f, SV *sv)
{
    switch (f->kind) {
    case PSTX_R_HASH_KEY:
        if (!pstx_retrieve_hash_key(aTHX_ rt, f, sv) || f->left)
            return NULL;
        pstx_retrieve_hash_end(aTHX_ rt, f);
        return pstx_retrieve_pop(aTHX_ rt);
    case PSTX_R_REF:          return finish_ref(aTHX_ rt, f, sv);
    case PSTX_R_TIED:
    case PSTX_R_HOOK_TIE:     return finish_tied(aTHX_ rt, f, sv);
    case PSTX_R_HOOK_DROP:
        SvREFCNT_dec(sv);
        return pstx_retrieve_pop(aTHX_ rt);
    case PSTX_R_TIED_KEY:
        if (!may_be_tied_to(f->sv, sv))
            return pstx_retrieve_refuse(aTHX_ rt, sv, PST_TIED_KEY);
        f->kind = PSTX_R_TIED_KEY_KEY;
        f->value = pstx_retrieve_as_scalar(aTHX_ sv);
        return NULL;
    case PSTX_R_TIED_KEY_KEY: return finish_tied_key(aTHX_ rt, f, sv);
    case PSTX_R_TIED_IDX:     return finish_tied_idx(aTHX_ rt, f, sv);
    case PSTX_R_VSTRING:      return finish_vstring(aTHX_ rt, f, sv);
    default:                  return pstx_retrieve_hook_item(aTHX_ rt, f, sv);
    }
}
