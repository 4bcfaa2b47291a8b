/* BenchNative.xs - what the benchmarks need in C: the floor, that is, a loop that makes the
 * same SVs as a thaw and does nothing else, and one that goes through data as freeze does; and the
 * marks in a run under callgrind.
 *
 * The floor does not look at data while it is timed. compile() turns them, once, into a list
 * of steps, each with its arguments at hand (length, hash value of the key, stash...), and
 * make() only runs through that list and calls perl. What it uses are perl's own functions
 * for extensions: what they cost, every deserializer pays that uses them.
 */
#define PERL_NO_GET_CONTEXT
#include "EXTERN.h"
#include "perl.h"
#include "XSUB.h"
#include "pst_config.h"
#include <time.h>

#if defined(__has_include)
#  if __has_include(<valgrind/callgrind.h>)
#    include <valgrind/callgrind.h>
#  endif
#endif
#ifndef CALLGRIND_DUMP_STATS_AT     /* no valgrind here: instructions says so */
#  define CALLGRIND_DUMP_STATS_AT(name) PERL_UNUSED_VAR(name)
#  define CALLGRIND_START_INSTRUMENTATION
#  define CALLGRIND_STOP_INSTRUMENTATION
#endif

/* From here on, in bytes, perl prefers sharing a string's buffer to copying it. */
#define FLOOR_SHARE_FROM 1250

typedef enum floor_op {
    FLOOR_UNDEF, FLOOR_IV, FLOOR_NV, FLOOR_PV,
    FLOOR_SHARED_PV,                /* a string that shares its buffer with the source */
    FLOOR_REF, FLOOR_ARRAY, FLOOR_HASH,
    FLOOR_AGAIN                     /* something that was made before */
} floor_op;

typedef struct floor_step {
    floor_op op;
    bool     special;               /* has a number or a stash */
    I32      number;                /* its place in `made` if it is met again, or -1 */
    HV      *stash;                 /* of an object */
    SV      *source;                /* of SHARED_PV */
    const char *bytes;              /* PV */
    STRLEN   len;                   /* bytes of PV */
    Size_t   count;                 /* items of ARRAY, HASH */
    IV       iv;
    NV       nv;
    U32      utf8;                  /* SVf_UTF8 or 0 */
    const char *key;                /* under which a hash holds it, or NULL */
    I32      key_len;
    U32      key_hash;
    int      key_flags;             /* for hv_common() */
} floor_step;

typedef struct floor_program {
    SV         *data;               /* of a clone: owned, keys and bytes are borrowed from it; or
                                     * NULL, they are ours then: after a thaw nobody need know the
                                     * keys, and perl has to make them */
    floor_step *steps;
    Size_t      count, room;
    SV        **made;               /* what is met again, by number */
    I32         made_count;
    bool        copy;               /* a clone: long strings share their buffers */
} floor_program;

static floor_step *
floor_add(floor_program *p, floor_op op)
{
    floor_step *step;
    if (p->count == p->room) {
        p->room = p->room ? 2 * p->room : 64;
        Renew(p->steps, p->room, floor_step);
    }
    step = &p->steps[p->count++];
    Zero(step, 1, floor_step);
    step->op = op;
    step->number = -1;
    return step;
}

/* RETURNS: the bytes, of which those of a clone stay where they are. */
static const char *
floor_bytes(pTHX_ floor_program *p, const char *bytes, STRLEN len)
{
    return p->copy ? bytes : savepvn(bytes, len);
}

static void
floor_key(pTHX_ floor_program *p, Size_t at, const HEK *key)
{
    floor_step *step = &p->steps[at];
    if (!key)
        return;
    step->key_len = HEK_LEN(key);
    step->key = floor_bytes(aTHX_ p, HEK_KEY(key), (STRLEN)HEK_LEN(key));
    step->key_hash = HEK_HASH(key);
    step->key_flags = HEK_UTF8(key) ? HVhek_UTF8 : 0;
}

static void floor_compile(pTHX_ floor_program *p, SV *sv, const HEK *key, HV *seen);

static void
floor_compile_hash(pTHX_ floor_program *p, HV *hv, HV *seen)
{
    HE *he;
    hv_iterinit(hv);
    while ((he = hv_iternext(hv)))
        floor_compile(aTHX_ p, HeVAL(he), HeKEY_hek(he), seen);
}

static void
floor_compile_array(pTHX_ floor_program *p, AV *av, HV *seen)
{
    SSize_t i;
    for (i = 0; i <= av_top_index(av); i++) {
        SV **item = av_fetch(av, i, 0);
        if (!item)
            croak("the floor has no holes in arrays");
        floor_compile(aTHX_ p, *item, NULL, seen);
    }
}

/* A scalar that is no reference. */
static void
floor_compile_scalar(pTHX_ floor_program *p, SV *sv)
{
    floor_step *step = floor_add(p, FLOOR_UNDEF);
    if (SvPOK(sv)) {
        step->op = p->copy && SvCUR(sv) >= FLOOR_SHARE_FROM ? FLOOR_SHARED_PV : FLOOR_PV;
        step->source = sv;
        step->len = SvCUR(sv);
        step->bytes = floor_bytes(aTHX_ p, SvPVX_const(sv), step->len);
        step->utf8 = SvUTF8(sv);
    }
    else if (SvIOK(sv)) {
        step->op = FLOOR_IV;
        step->iv = SvIVX(sv);
    }
    else if (SvNOK(sv)) {
        step->op = FLOOR_NV;
        step->nv = SvNVX(sv);
    }
}

/* RETURNS: whether `sv` has been compiled already; then its number is in the new step.
 * Otherwise it gets a number if it can be met again. */
static bool
floor_compile_again(pTHX_ floor_program *p, SV *sv, HV *seen, I32 *number)
{
    SV **slot;
    *number = -1;
    if (SvREFCNT(sv) < 2)
        return FALSE;
    slot = hv_fetch(seen, (const char *)&sv, sizeof sv, 1);
    if (SvOK(*slot)) {
        floor_add(p, FLOOR_AGAIN)->number = (I32)SvIV(*slot);
        return TRUE;
    }
    *number = p->made_count++;
    sv_setiv(*slot, *number);
    return FALSE;
}

static void
floor_compile(pTHX_ floor_program *p, SV *sv, const HEK *key, HV *seen)
{
    Size_t at = p->count;
    I32 number;
    if (floor_compile_again(aTHX_ p, sv, seen, &number)) {
        floor_key(aTHX_ p, at, key);
        return;
    }
    if (SvROK(sv)) {
        floor_add(p, FLOOR_REF);
        floor_compile(aTHX_ p, SvRV(sv), NULL, seen);
    }
    else if (SvTYPE(sv) == SVt_PVAV) {
        floor_add(p, FLOOR_ARRAY)->count = (Size_t)(av_top_index((AV *)sv) + 1);
        floor_compile_array(aTHX_ p, (AV *)sv, seen);
    }
    else if (SvTYPE(sv) == SVt_PVHV) {
        floor_add(p, FLOOR_HASH)->count = (Size_t)HvUSEDKEYS((HV *)sv);
        floor_compile_hash(aTHX_ p, (HV *)sv, seen);
    }
    else if (SvTYPE(sv) < SVt_PVAV && !SvMAGICAL(sv))
        floor_compile_scalar(aTHX_ p, sv);
    else
        croak("the floor makes plain data only");
    floor_key(aTHX_ p, at, key);
    p->steps[at].number = number;
    p->steps[at].stash = SvOBJECT(sv) ? SvSTASH(sv) : NULL;
    p->steps[at].special = number >= 0 || SvOBJECT(sv);
}

static SV *floor_run(pTHX_ floor_program *p, const floor_step **next);

/* RETURNS: +1, what the next steps make; what is most frequent first. */
PERL_STATIC_INLINE SV *
floor_item(pTHX_ floor_program *p, const floor_step **next)
{
    const floor_step *step = *next;
    if (!step->special && step->op <= FLOOR_PV) {
        ++*next;
        switch (step->op) {
        case FLOOR_IV: return newSViv(step->iv);
        case FLOOR_NV: return newSVnv(step->nv);
        case FLOOR_PV: return newSVpvn_flags(step->bytes, step->len, step->utf8);
        default:       return newSV(0);
        }
    }
    return floor_run(aTHX_ p, next);
}

static SV *
floor_array(pTHX_ floor_program *p, AV *av, Size_t count, const floor_step **next)
{
    SV **item, **end;
    if (count) {
        av_extend(av, (SSize_t)count - 1);
        item = AvARRAY(av);
        for (end = item + count; item < end; item++)
            *item = floor_item(aTHX_ p, next);
        AvFILLp(av) = (SSize_t)count - 1;
    }
    return (SV *)av;
}

static SV *
floor_hash(pTHX_ floor_program *p, HV *hv, Size_t count, const floor_step **next)
{
    if (count > HvMAX(hv))
        hv_ksplit(hv, count);
    while (count--) {
        const floor_step *step = *next;
        SV *value = floor_item(aTHX_ p, next);
        (void)hv_common(hv, NULL, step->key, (STRLEN)step->key_len, step->key_flags,
            HV_FETCH_ISSTORE | HV_FETCH_JUST_SV, value, step->key_hash);
    }
    return (SV *)hv;
}

/* Runs the steps from *next on that make one thing. RETURNS: +1. */
static SV *
floor_run(pTHX_ floor_program *p, const floor_step **next)
{
    const floor_step *step = (*next)++;
    SV *sv = NULL;
    switch (step->op) {
    case FLOOR_UNDEF: sv = newSV(0); break;
    case FLOOR_IV:    sv = newSViv(step->iv); break;
    case FLOOR_NV:    sv = newSVnv(step->nv); break;
    case FLOOR_PV:    sv = newSVpvn_flags(step->bytes, step->len, step->utf8); break;
    case FLOOR_SHARED_PV:
        sv = newSV(0);
        sv_setsv_flags(sv, step->source, SV_COW_SHARED_HASH_KEYS | SV_COW_OTHER_PVS | SV_NOSTEAL);
        break;
    case FLOOR_REF:   sv = newRV_noinc(floor_item(aTHX_ p, next)); break;
    case FLOOR_ARRAY: sv = floor_array(aTHX_ p, newAV(), step->count, next); break;
    case FLOOR_HASH:  sv = floor_hash(aTHX_ p, newHV(), step->count, next); break;
    case FLOOR_AGAIN: return SvREFCNT_inc_simple_NN(p->made[step->number]);
    }
    if (step->number >= 0)
        p->made[step->number] = sv;
    if (step->stash) {
        SvUPGRADE(sv, SVt_PVMG);
        SvOBJECT_on(sv);
        SvSTASH_set(sv, (HV *)SvREFCNT_inc_simple_NN((SV *)step->stash));
    }
    return sv;
}

/* RETURNS: +1, the data once more. */
static SV *
floor_make(pTHX_ floor_program *p)
{
    const floor_step *next = p->steps;
    return floor_run(aTHX_ p, &next);
}

static floor_program *
floor_of(pTHX_ SV *object)
{
    if (!sv_derived_from(object, "BenchNative::Floor"))
        croak("not a BenchNative::Floor");
    return INT2PTR(floor_program *, SvIV(SvRV(object)));
}

static NV
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (NV)t.tv_sec + (NV)t.tv_nsec * 1e-9;
}

/* ---- the floor of freeze ------------------------------------------------------------------ */

static U8 *walk_string(U8 *p, U8 marker, const char *bytes, STRLEN len)
{
    *p++ = marker;
    if (len <= 255)
        *p++ = (U8)len;
    else {
        const U32 long_len = (U32)len;
        memcpy(p, &long_len, 4);
        p += 4;
    }
    pst_copy(p, bytes, len);
    return p + len;
}

/* What hangs on `sv`, as bytes in the order of an image, without tags, classes, checks. */
static U8 *walk_value(pTHX_ SV *sv, U8 *p)
{
    if (SvROK(sv)) {
        SV *target = SvRV(sv);
        *p++ = 4;
        if (SvTYPE(target) == SVt_PVAV) {
            SV **items = AvARRAY((AV *)target);
            const U32 count = (U32)(AvFILLp((AV *)target) + 1);
            U32 i;
            *p = 2;
            memcpy(p + 1, &count, 4);
            for (p += 5, i = 0; i < count; i++)
                p = walk_value(aTHX_ items[i], p);
        }
        else if (SvTYPE(target) == SVt_PVHV) {
            HE **buckets = HvARRAY((HV *)target);
            const U32 count = (U32)HvTOTALKEYS((HV *)target);
            U32 left = count;
            Size_t i;
            *p = 3;
            memcpy(p + 1, &count, 4);
            for (p += 5, i = 0; left; i++) {
                HE *he;
                for (he = buckets[i]; he; he = HeNEXT(he), left--) {
                    const I32 len = HeKLEN(he);
                    p = walk_value(aTHX_ HeVAL(he), p);
                    memcpy(p, &len, 4);
                    pst_copy(p + 4, HeKEY(he), (size_t)len);
                    p += 4 + len;
                }
            }
        }
        else
            p = walk_value(aTHX_ target, p);
    }
    else if (SvPOK(sv))
        p = walk_string(p, 10, SvPVX_const(sv), SvCUR(sv));
    else if (SvIOK(sv)) {
        const IV iv = SvIVX(sv);
        if (iv >= -128 && iv <= 127) {
            *p++ = 8;
            *p++ = (U8)(iv + 128);
        }
        else {
            *p++ = 6;
            memcpy(p, &iv, sizeof iv);
            p += sizeof iv;
        }
    }
    else if (SvNOK(sv)) {
        const NV nv = SvNVX(sv);
        *p++ = 7;
        memcpy(p, &nv, sizeof nv);
        p += sizeof nv;
    }
    else
        *p++ = 5;
    return p;
}

MODULE = BenchNative    PACKAGE = BenchNative

PROTOTYPES: DISABLE

# have_callgrind(): whether mark() and count() were built with valgrind's headers.
bool
have_callgrind()
CODE:
#ifdef RUNNING_ON_VALGRIND
    RETVAL = TRUE;
#else
    RETVAL = FALSE;
#endif
OUTPUT:
    RETVAL

# count(ON): callgrind counts from here on, or no more.
void
count(bool on)
CODE:
    if (on) {
        CALLGRIND_START_INSTRUMENTATION;
    }
    else {
        CALLGRIND_STOP_INSTRUMENTATION;
    }

# mark(NAME): callgrind writes what it has counted since the last mark, under this name.
void
mark(const char *name)
CODE:
    CALLGRIND_DUMP_STATS_AT(name);

# floor(DATA, COPY): the program that makes DATA, a reference, again. COPY: as a clone of it,
# which shares the buffers of long strings.
SV *
floor(SV *data, bool copy)
PREINIT:
    floor_program *p;
    HV *seen;
CODE:
    if (!SvROK(data))
        croak("not a reference");
    Newxz(p, 1, floor_program);
    RETVAL = sv_setref_pv(newSV(0), "BenchNative::Floor", p);
    p->copy = copy;
    p->data = copy ? newRV_inc(SvRV(data)) : NULL;
    seen = (HV *)sv_2mortal((SV *)newHV());
    floor_compile(aTHX_ p, data, NULL, seen);
    Newxz(p->made, p->made_count + 1, SV *);
OUTPUT:
    RETVAL

# make(PROGRAM): the data once more.
SV *
make(SV *program)
CODE:
    RETVAL = floor_make(aTHX_ floor_of(aTHX_ program));
OUTPUT:
    RETVAL

# split(PROGRAM, COUNT): (seconds to make, seconds to free) the data COUNT times; reading the
# clock, which is in both, is measured and taken off.
void
split(SV *program, UV count)
PREINIT:
    floor_program *p;
    NV making = 0, freeing = 0, clock_takes, t0, t1, t2;
    UV i;
PPCODE:
    p = floor_of(aTHX_ program);
    t0 = seconds();
    for (i = 0; i < 1000; i++)
        (void)seconds();
    clock_takes = (seconds() - t0) / 1001 * (NV)count;
    for (i = 0; i < count; i++) {
        SV *sv;
        t0 = seconds();
        sv = floor_make(aTHX_ p);
        t1 = seconds();
        SvREFCNT_dec_NN(sv);
        t2 = seconds();
        making += t1 - t0;
        freeing += t2 - t1;
    }
    EXTEND(SP, 2);
    mPUSHn(making - clock_takes);
    mPUSHn(freeing - clock_takes);

# walk([DATA, ROOM]): the floor of freeze: goes through DATA, which must be a tree, and copies what an
# image would hold of it into a new string, for which ROOM bytes are enough. What every walk of perl's
# data has to do, and nothing else.
SV *
walk(SV *arg)
PREINIT:
    SV *data;
    STRLEN room;
CODE:
    if (!SvROK(arg) || SvTYPE(SvRV(arg)) != SVt_PVAV || AvFILLp((AV *)SvRV(arg)) != 1)
        croak("walk([DATA, ROOM])");
    data = AvARRAY((AV *)SvRV(arg))[0];
    room = (STRLEN)SvUV(AvARRAY((AV *)SvRV(arg))[1]);
    RETVAL = newSV(room);
    SvPOK_only(RETVAL);
    SvCUR_set(RETVAL, (STRLEN)(walk_value(aTHX_ data, (U8 *)SvPVX(RETVAL)) - (U8 *)SvPVX(RETVAL)));
    if (SvCUR(RETVAL) > room)
        croak("%" UVuf " bytes were written where %" UVuf " had room", (UV)SvCUR(RETVAL), (UV)room);
OUTPUT:
    RETVAL

MODULE = BenchNative    PACKAGE = BenchNative::Floor

void
DESTROY(SV *self)
PREINIT:
    floor_program *p;
    Size_t i;
CODE:
    p = floor_of(aTHX_ self);
    for (i = 0; i < p->count && !p->copy; i++) {
        Safefree(p->steps[i].key);
        Safefree(p->steps[i].bytes);
    }
    SvREFCNT_dec(p->data);
    Safefree(p->steps);
    Safefree(p->made);
    Safefree(p);
