/* Permafrost.xs - the XSUBs: argument checks, and a call into the glue. */
#include "pstx.h"
#include "pstx_store.h"
#include "pstx_retrieve.h"
#include "pstx_clone.h"
#include "pstx_files.h"
#include "pstx_image.h"
#include "pstx_object.h"

#ifdef __GNUC__     /* the one symbol that perl must find; all others are hidden */
__attribute__((visibility("default"))) XS_EXTERNAL(boot_Permafrost);
#endif

/* Functions are methods, too: then `object` is set, and the arguments stand behind it, from
 * `at` on. */

MODULE = Permafrost    PACKAGE = Permafrost

PROTOTYPES: DISABLE

BOOT:
    pstx_globals_boot(aTHX);

void
CLONE(...)
CODE:
    PERL_UNUSED_VAR(items);
    pstx_globals_clone(aTHX);

# freeze REF; nfreeze REF: the image in memory, native or network order.
void
freeze(...)
ALIAS:
    nfreeze = 1
PPCODE:
    pstx_object options;
    const pstx_object *object = pstx_object_load(aTHX_ items ? ST(0) : NULL, &options);
    const SSize_t at = object ? 1 : 0;
    SV *ref = items > at ? ST(at) : &PL_sv_undef;
    PUTBACK;
    ref = pstx_freeze(aTHX_ object, ref, items - at, ix != 0);
    SPAGAIN;
    XPUSHs(ref);

# The names of Storable's XSUBs: one argument, the image in memory.
void
mstore(SV *ref)
PROTOTYPE: $
ALIAS:
    net_mstore = 1
PPCODE:
    PUTBACK;
    ref = pstx_freeze(aTHX_ NULL, ref, 1, ix != 0);
    SPAGAIN;
    XPUSHs(ref);

# thaw IMAGE [, FLAGS]
void
thaw(...)
PPCODE:
    pstx_object options;
    const pstx_object *object = pstx_object_load(aTHX_ items ? ST(0) : NULL, &options);
    const SSize_t at = object ? 1 : 0;
    SV *image = items > at ? ST(at) : &PL_sv_undef, *flags = items > 1 && !object ? ST(1) : NULL;
    PUTBACK;
    image = pstx_thaw(aTHX_ object, image, flags);
    SPAGAIN;
    XPUSHs(image);

# Storable's XSUB: mretrieve IMAGE [, FLAGS]
void
mretrieve(SV *image, SV *flags = NULL)
PROTOTYPE: $;$
PPCODE:
    SvGETMAGIC(image);
    PUTBACK;
    if (!SvOK(image))
        pstx_croak(aTHX_ PSTX_MSG_NOT_A_STRING);
    image = pstx_retrieve_memory(aTHX_ image, flags, false, NULL);
    SPAGAIN;
    XPUSHs(image);

void
dclone(SV *sv)
PROTOTYPE: $
PPCODE:
    SvGETMAGIC(sv);
    PUTBACK;
    sv = pstx_clone(aTHX_ sv);
    SPAGAIN;
    XPUSHs(sv);

# store REF, FILE and its three sisters: 1 = network order, 2 = locked.
void
store(...)
ALIAS:
    nstore = 1
    lock_store = 2
    lock_nstore = 3
PPCODE:
    pstx_object options;
    const pstx_object *object = pstx_object_load(aTHX_ items ? ST(0) : NULL, &options);
    const SSize_t at = object ? 1 : 0;
    SV *ref = items > at ? ST(at) : &PL_sv_undef, *file = items > at + 1 ? ST(at + 1) : &PL_sv_undef;
    PUTBACK;
    ref = pstx_store_file(aTHX_ object, ref, file, items - at, (ix & 1) != 0, (ix & 2) != 0);
    SPAGAIN;
    XPUSHs(ref);

# store_fd REF, HANDLE
void
store_fd(...)
ALIAS:
    nstore_fd = 1
PPCODE:
    pstx_object options;
    const pstx_object *object = pstx_object_load(aTHX_ items ? ST(0) : NULL, &options);
    const SSize_t at = object ? 1 : 0;
    SV *ref = items > at ? ST(at) : &PL_sv_undef, *handle = items > at + 1 ? ST(at + 1) : &PL_sv_undef;
    PUTBACK;
    ref = pstx_store_fd(aTHX_ object, ref, handle, items - at, ix != 0);
    SPAGAIN;
    XPUSHs(ref);

# Storable's XSUB: pstore HANDLE, REF
void
pstore(SV *handle, SV *ref)
PROTOTYPE: $$
ALIAS:
    net_pstore = 1
PPCODE:
    PUTBACK;
    ref = pstx_store_fd(aTHX_ NULL, ref, handle, 2, ix != 0);
    SPAGAIN;
    XPUSHs(ref);

# retrieve FILE [, FLAGS]; lock_retrieve
void
retrieve(...)
ALIAS:
    lock_retrieve = 1
PPCODE:
    pstx_object options;
    const pstx_object *object = pstx_object_load(aTHX_ items ? ST(0) : NULL, &options);
    const SSize_t at = object ? 1 : 0;
    SV *file = items > at ? ST(at) : &PL_sv_undef, *flags = items > 1 && !object ? ST(1) : NULL;
    PUTBACK;
    file = pstx_retrieve_file(aTHX_ object, file, flags, ix != 0);
    SPAGAIN;
    XPUSHs(file);

# fd_retrieve HANDLE [, FLAGS]
void
fd_retrieve(...)
ALIAS:
    retrieve_fd = 1
PPCODE:
    pstx_object options;
    const pstx_object *object = pstx_object_load(aTHX_ items ? ST(0) : NULL, &options);
    const SSize_t at = object ? 1 : 0;
    SV *handle = items > at ? ST(at) : &PL_sv_undef, *flags = items > 1 && !object ? ST(1) : NULL;
    PERL_UNUSED_VAR(ix);
    PUTBACK;
    handle = pstx_retrieve_fd(aTHX_ object, handle, flags);
    SPAGAIN;
    XPUSHs(handle);

# Storable's XSUB: pretrieve HANDLE [, FLAGS]
void
pretrieve(SV *handle, SV *flags = NULL)
PROTOTYPE: $;$
PPCODE:
    PUTBACK;
    handle = pstx_retrieve_fd(aTHX_ NULL, handle, flags);
    SPAGAIN;
    XPUSHs(handle);

# Answers for the innermost run.
void
is_storing()
PROTOTYPE:
ALIAS:
    is_retrieving = 1
    last_op_in_netorder = 2
PPCODE:
    const pstx_globals *globals = pstx_globals_get(aTHX);
    const pstx_run *run = globals->run;
    XPUSHs(boolSV(ix == 2 ? (run ? run->netorder : globals->last_netorder)
                : run && run->kind == (ix ? PSTX_RETRIEVING : PSTX_STORING)));

# _header(BYTES, IS_FILE): what stands in a header, as a list for read_magic().
void
_header(SV *bytes, bool file)
PPCODE:
    PUTBACK;
    pstx_push_header(aTHX_ bytes, file);
    SPAGAIN;

# _replace(OLD_CODE, NEW_CODE): OLD_CODE does what NEW_CODE does from now on, in place.
void
_replace(CV *old, CV *replacement)
PPCODE:
    PUTBACK;
    pstx_replace_code(aTHX_ old, replacement);
    SPAGAIN;

# _options(): attach the package variables again, after globs have been joined.
void
_options()
PPCODE:
    pstx_options_boot(aTHX_ pstx_globals_get(aTHX));

# _versions(): major; minor written, and the newest known to this perl's Storable; to Permafrost.
void
_versions()
PPCODE:
    EXTEND(SP, 4);
    mPUSHi(PST_MAJOR);
    mPUSHi(PSTX_WRITE_MINOR);
    mPUSHi(PSTX_READ_MINOR);
    mPUSHi(PST_MINOR_READ);

# $object->clone(REF)
void
clone(SV *self, SV *ref)
PPCODE:
    pstx_object options;
    const pstx_object *object = pstx_object_load(aTHX_ self, &options);
    PUTBACK;
    ref = object ? pstx_object_clone(aTHX_ object, ref) : NULL;
    if (!ref)
        pstx_croak(aTHX_ PSTX_MSG_NO_OBJECT_METHOD, "clone");
    SPAGAIN;
    XPUSHs(ref);

# _make_object(SELF, OPTIONS): attach the options, which have been checked.
void
_make_object(SV *self, HV *options)
PPCODE:
    pstx_object_make(aTHX_ self, options);

# _object_options(SELF): the hash of _make_object(), undef if it is no such object.
void
_object_options(SV *self)
PPCODE:
    XPUSHs(pstx_object_options(aTHX_ self));

# _file_image(OBJECT, REF, NETORDER): what store would write into a file.
void
_file_image(SV *self, SV *ref, bool netorder)
PPCODE:
    pstx_object options;
    const pstx_object *object = pstx_object_load(aTHX_ self, &options);
    PUTBACK;
    ref = pstx_file_image(aTHX_ object, ref, netorder);
    SPAGAIN;
    XPUSHs(ref);

# _sync(HANDLE): have the system write what it holds back. True if it did.
void
_sync(SV *handle)
PPCODE:
    XPUSHs(boolSV(pstx_sync(aTHX_ sv_2io(handle))));

# _error_names(): the names of the codes, by number.
void
_error_names()
PPCODE:
    int code;
    EXTEND(SP, PST_ERR_COUNT);
    for (code = 0; code < PST_ERR_COUNT; code++)
        mPUSHs(newSVpv(pst_error_name((pst_err)code), 0));

# _retrieve_all(OBJECT, HANDLE): the image that is all there is on a handle.
void
_retrieve_all(SV *self, SV *handle)
PPCODE:
    pstx_object options;
    const pstx_object *object = pstx_object_load(aTHX_ self, &options);
    PUTBACK;
    handle = pstx_retrieve_handle(aTHX_ sv_2io(handle), NULL, true, object);
    SPAGAIN;
    XPUSHs(handle);

MODULE = Permafrost    PACKAGE = Permafrost::Image

# _command(PROGRAM, COMMAND, ARGUMENTS): an image command; the exit status.
int
_command(...)
CODE:
    RETVAL = items ? pstx_image_command(aTHX_ items, &ST(0)) : 2;
OUTPUT:
    RETVAL

# _convert(IMAGE, ORDER or undef, MINOR or -1, EXACT, NESTED): the image rewritten.
SV *
_convert(SV *image, SV *order, int minor, bool exact, bool nested)
CODE:
    RETVAL = pstx_image_convert(aTHX_ image, SvOK(order) ? SvPVbyte_nolen(order) : NULL, minor, exact, nested);
OUTPUT:
    RETVAL

# _capture(IMAGE or undef, PROGRAM, COMMAND, ARGUMENTS): status, output, messages.
void
_capture(SV *image, ...)
PPCODE:
    SV *result[3];
    if (items < 2)
        croak_xs_usage(cv, "image, program, ...");
    pstx_image_capture(aTHX_ SvOK(image) ? image : NULL, items - 1, &ST(1), result);
    EXTEND(SP, 3);
    PUSHs(result[0]);
    PUSHs(result[1]);
    PUSHs(result[2]);

# _unpack(IMAGE, MOST): without gzip and base64 around it; or undef, and why.
void
_unpack(SV *image, UV most)
PPCODE:
    const char *reason = NULL;
    image = pstx_image_unpack(aTHX_ image, most, &reason);
    XPUSHs(image ? image : &PL_sv_undef);
    if (reason)
        XPUSHs(sv_2mortal(newSVpv(reason, 0)));

# _from_json(JSON): image, and a message if there is none.
void
_from_json(SV *json)
PPCODE:
    SV *message, *image = pstx_image_from_json(aTHX_ json, &message);
    EXTEND(SP, 2);
    PUSHs(image);
    PUSHs(message ? message : &PL_sv_undef);

MODULE = Permafrost    PACKAGE = Permafrost::Image::Tree

# _new(IMAGE): a reference to be blessed.
void
_new(SV *image)
PPCODE:
    XPUSHs(pstx_tree_new(aTHX_ image));

# _next(TREE): a hash, undef at the end; after an error also its message and its name.
void
_next(SV *tree)
PPCODE:
    const char *name = NULL;
    SV *message, *next = pstx_tree_next(aTHX_ tree, &message, &name);
    XPUSHs(next);
    if (message) {
        XPUSHs(message);
        XPUSHs(sv_2mortal(newSVpv(name, 0)));
    }
