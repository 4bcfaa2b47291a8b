/* pstx_files.c - see pstx_files.h. */
#include "pstx_files.h"
#include "pstx_hooks.h"
#include "pstx_object.h"
#include "pstx_io.h"
#include "pstx_retrieve.h"
#include "pstx_store.h"

/* ---- storing -------------------------------------------------------------------------------------- */

static SV *image_of(pTHX_ const pstx_object *object, SV *ref, bool netorder, bool file, pstx_spill *spill)
{
    pst_header header;
    pst_header_host(&header, pstx_order_len(aTHX_ object), NVSIZE);
    header.minor = object && object->max_minor < PSTX_WRITE_MINOR ? object->max_minor : PSTX_WRITE_MINOR;
    header.netorder = netorder || (object && object->netorder);
    header.file = file;
    return pstx_store_image(aTHX_ ref, &header, false, object, spill);
}

/* PERL: croaks unless `ref` is a reference. */
static void need_reference(pTHX_ const pstx_object *object, SV *ref)
{
    SvGETMAGIC(ref);
    if (!SvROK(ref) || (SvOBJECT(SvRV(ref)) && strEQ(sv_reftype(SvRV(ref), TRUE), "0")))
        pstx_croak_outside(aTHX_ object, PSTX_MSG_NOT_A_REF);   /* Storable asks whether ref() is true */
}

SV *pstx_freeze(pTHX_ const pstx_object *object, SV *ref, SSize_t items, bool netorder)
{
    need_reference(aTHX_ object, ref);
    if (items > 1)
        pstx_croak_outside(aTHX_ object, PSTX_MSG_TOO_MANY_ARGS);
    return image_of(aTHX_ object, ref, netorder, false, NULL);
}

SV *pstx_file_image(pTHX_ const pstx_object *object, SV *ref, bool netorder)
{
    need_reference(aTHX_ object, ref);
    return image_of(aTHX_ object, ref, netorder, true, NULL);
}

SV *pstx_thaw(pTHX_ const pstx_object *object, SV *image, SV *flags)
{
    SvGETMAGIC(image);
    if (object && !SvPOKp(image))
        pstx_croak_outside(aTHX_ object, PSTX_MSG_NOT_A_STRING);
    return SvOK(image) ? pstx_retrieve_memory(aTHX_ image, flags, false, object) : &PL_sv_undef;
}

SV *pstx_store_file(pTHX_ const pstx_object *object, SV *ref, SV *file, SSize_t items, bool netorder, bool lock)
{
    SV *args[7], *image, *name;
    pstx_spill *spill;
    bool atomic;
    int fd;
    UV spilled;
    need_reference(aTHX_ object, ref);
    if (items != 2)
        pstx_croak_outside(aTHX_ object, PSTX_MSG_ARG_NUMBER);
    name = sv_2mortal(newSVsv(file));        /* hooks may change it */
    atomic = object ? object->atomic : pstx_option_true(aTHX_ pstx_globals_get(aTHX), PSTX_VAR_ATOMIC);
    ENTER;
    spill = pstx_spill_new(aTHX_ name);
    image = image_of(aTHX_ object, ref, netorder, true, spill);
    spilled = pstx_spill_held(spill, &fd);
    args[0] = SvREFCNT_inc_simple_NN(image);
    args[1] = SvREFCNT_inc_simple_NN(name);
    args[2] = newSViv(lock);
    args[3] = newSViv(atomic);
    args[4] = newSViv(object != NULL);
    args[5] = newSViv(fd);
    args[6] = newSVuv(spilled);
    image = pstx_call_scalar(aTHX_ NULL, (SV *)get_cv("Permafrost::_write_file", GV_ADD), args, 7);
    LEAVE;
    return image;
}

/* A handle by name: qualified, or one of the three that every package has. */
static IO *named_io(pTHX_ SV *name)
{
    STRLEN len;
    const char *text = SvPV(name, len);
    GV *gv;
    if (!memchr(text, ':', len) && !memchr(text, '\'', len)
        && strNE(text, "STDIN") && strNE(text, "STDOUT") && strNE(text, "STDERR"))
        return NULL;
    gv = gv_fetchpvn_flags(text, len, SvUTF8(name), SVt_PVIO);
    return gv ? GvIO(gv) : NULL;
}

/* The file number that a tied handle claims to have. RETURNS: false if none. */
static bool tied_has_fileno(pTHX_ IO *io)
{
    MAGIC *mg = SvRMAGICAL(io) ? mg_find((SV *)io, PERL_MAGIC_tiedscalar) : NULL;
    return !mg || SvOK(pstx_call_method(aTHX_ NULL, SvREFCNT_inc(SvTIED_obj((SV *)io, mg)), "FILENO", NULL));
}

/* What users give as a handle. RETURNS: its IO, borrowed. PERL: croaks if it is none;
 * runs user code (tied handles). */
static IO *handle_io(pTHX_ const pstx_object *object, SV *handle)
{
    IO *io = NULL;
    SvGETMAGIC(handle);
    if (SvROK(handle)) {
        SV *target = SvRV(handle);
        if (SvTYPE(target) == SVt_PVIO)
            io = (IO *)target;
        else if (isGV_with_GP(target))
            io = GvIO((GV *)target);
        else
            pstx_croak_outside(aTHX_ object, PSTX_MSG_NOT_A_GLOB);
    }
    else if (isGV_with_GP(handle))
        io = GvIO((GV *)handle);
    else if (SvOK(handle))
        io = named_io(aTHX_ handle);
    else if (PSTX_UNDEF_IS_NO_SYMBOL && !object)
        pstx_croak_outside(aTHX_ object, PSTX_MSG_UNDEF_HANDLE);
    if (!io || !tied_has_fileno(aTHX_ io) || !(IoIFP(io) || IoOFP(io)))
        pstx_croak_outside(aTHX_ object, PSTX_MSG_BAD_HANDLE);
    return io;
}

SV *pstx_store_fd(pTHX_ const pstx_object *object, SV *ref, SV *handle, SSize_t items, bool netorder)
{
    IO *io;
    SV *image;
    pstx_spill *spill;
    bool done;
    need_reference(aTHX_ object, ref);
    if (items != 2)
        pstx_croak_outside(aTHX_ object, PSTX_MSG_TOO_MANY_ARGS);
    io = handle_io(aTHX_ object, handle);
    ENTER;
    SAVEFREESV(SvREFCNT_inc((SV *)io));     /* hooks may drop it */
    spill = pstx_spill_new_temporary(aTHX);
    image = image_of(aTHX_ object, ref, netorder, true, spill);
    done = IoOFP(io) && pstx_spill_send(aTHX_ spill, IoOFP(io))
        && IoOFP(io) && pstx_write(aTHX_ IoOFP(io), SvPVX_const(image), SvCUR(image));
    if (done && IoOFP(io) && (IoFLAGS(io) & IOf_FLUSH))
        done = PerlIO_flush(IoOFP(io)) == 0;
    LEAVE;
    if (!done && object)
        pstx_croak_outside(aTHX_ object, PSTX_MSG_OUTPUT, Strerror(errno));
    return done ? &PL_sv_yes : &PL_sv_undef;
}

/* ---- retrieving ------------------------------------------------------------------------------------ */

SV *pstx_retrieve_file(pTHX_ const pstx_object *object, SV *file, SV *flags, bool lock)
{
    SV *args[3], *handle;
    args[0] = newSVsv(file);
    args[1] = newSViv(lock);
    args[2] = newSViv(object != NULL);
    handle = pstx_call_scalar(aTHX_ NULL, (SV *)get_cv("Permafrost::_open_file", GV_ADD), args, 3);
    return pstx_retrieve_handle(aTHX_ sv_2io(handle), flags, true, object);
}

SV *pstx_retrieve_fd(pTHX_ const pstx_object *object, SV *handle, SV *flags)
{
    IO *io = handle_io(aTHX_ object, handle);
    SV *result;
    ENTER;
    SAVEFREESV(SvREFCNT_inc((SV *)io));     /* hooks may drop it */
    result = pstx_retrieve_handle(aTHX_ io, flags, false, object);
    LEAVE;
    return result;
}

/* ---- headers, code ---------------------------------------------------------------------------------- */

void pstx_push_header(pTHX_ SV *bytes, bool file)
{
    dSP;
    STRLEN len;
    const char *p = SvPVbyte(bytes, len);
    pst_cursor in;
    pst_header h;
    pst_cursor_init(&in, (const uint8_t *)p, len);
    h.file = file;
    if (pst_header_read(&h, &in) != PST_OK)
        return;
    EXTEND(SP, 10);
    mPUSHi(h.unversioned ? -1 : h.major);
    mPUSHi(h.netorder);
    mPUSHi(h.major);
    mPUSHi(h.minor);
    mPUSHi((IV)pst_cursor_off(&in));
    mPUSHp(p + h.order_off, h.order_len);
    mPUSHi(h.int_size);
    mPUSHi(h.long_size);
    mPUSHi(h.ptr_size);
    mPUSHi(h.nv_size);
    PUTBACK;
}

/* Marks a sub that passes on; mg_obj is the target, which perl duplicates for new threads. */
static const MGVTBL forward_magic = { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL };

/* The body of a sub that passes on to one written in Perl. */
XS_INTERNAL(forward)
{
    dXSARGS;
    MAGIC *mg = mg_findext((SV *)cv, PERL_MAGIC_ext, &forward_magic);
    PERL_UNUSED_VAR(items);
    PUSHMARK(MARK);
    (void)call_sv(mg->mg_obj, GIMME_V);
}

void pstx_replace_code(pTHX_ CV *old, CV *replacement)
{
    if (old == replacement || (CvISXSUB(old) && CvXSUB(old) == forward))
        return;
    if (!CvISXSUB(old)) {
        cv_undef(old);                  /* drops the body; references to the CV stay good */
        CvISXSUB_on(old);
    }
    if (CvISXSUB(replacement)) {
        CvXSUB(old) = CvXSUB(replacement);
        CvXSUBANY(old) = CvXSUBANY(replacement);
    }
    else {
        CvXSUB(old) = forward;
        sv_magicext((SV *)old, (SV *)replacement, PERL_MAGIC_ext, &forward_magic, NULL, 0);
    }
    if (SvPOK(replacement))
        sv_setpvn((SV *)old, SvPVX(replacement), SvCUR(replacement));
    else
        SvPOK_off(old);
}
