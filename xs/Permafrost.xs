/* Permafrost.xs - the XSUBs: argument checks, and a call into the glue. */
#include "pstx.h"
#include "pstx_store.h"
#include "pstx_retrieve.h"
#include "pstx_clone.h"
#include "pstx_files.h"
#include "pstx_image.h"

#ifdef __GNUC__     /* the one symbol that perl must find; all others are hidden */
__attribute__((visibility("default"))) XS_EXTERNAL(boot_Permafrost);
#endif

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
    SV *ref = items ? ST(0) : &PL_sv_undef;
    PUTBACK;
    ref = pstx_freeze(aTHX_ ref, items, ix != 0);
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
    ref = pstx_freeze(aTHX_ ref, 1, ix != 0);
    SPAGAIN;
    XPUSHs(ref);

# thaw IMAGE [, FLAGS]
void
thaw(...)
PPCODE:
    SV *image = items ? ST(0) : &PL_sv_undef, *flags = items > 1 ? ST(1) : NULL;
    SvGETMAGIC(image);
    PUTBACK;
    image = SvOK(image) ? pstx_retrieve_memory(aTHX_ image, flags, false) : &PL_sv_undef;
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
    image = pstx_retrieve_memory(aTHX_ image, flags, false);
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
    SV *ref = items ? ST(0) : &PL_sv_undef, *file = items > 1 ? ST(1) : NULL;
    PUTBACK;
    ref = pstx_store_file(aTHX_ ref, file, items, (ix & 1) != 0, (ix & 2) != 0);
    SPAGAIN;
    XPUSHs(ref);

# store_fd REF, HANDLE
void
store_fd(...)
ALIAS:
    nstore_fd = 1
PPCODE:
    SV *ref = items ? ST(0) : &PL_sv_undef, *handle = items > 1 ? ST(1) : &PL_sv_undef;
    PUTBACK;
    ref = pstx_store_fd(aTHX_ ref, handle, items, ix != 0);
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
    ref = pstx_store_fd(aTHX_ ref, handle, 2, ix != 0);
    SPAGAIN;
    XPUSHs(ref);

# retrieve FILE [, FLAGS]; lock_retrieve
void
retrieve(...)
ALIAS:
    lock_retrieve = 1
PPCODE:
    SV *file = items ? ST(0) : &PL_sv_undef, *flags = items > 1 ? ST(1) : NULL;
    PUTBACK;
    file = pstx_retrieve_file(aTHX_ file, flags, ix != 0);
    SPAGAIN;
    XPUSHs(file);

# fd_retrieve HANDLE [, FLAGS]
void
fd_retrieve(...)
ALIAS:
    retrieve_fd = 1
PPCODE:
    SV *handle = items ? ST(0) : &PL_sv_undef, *flags = items > 1 ? ST(1) : NULL;
    PERL_UNUSED_VAR(ix);
    PUTBACK;
    handle = pstx_retrieve_fd(aTHX_ handle, flags);
    SPAGAIN;
    XPUSHs(handle);

# Storable's XSUB: pretrieve HANDLE [, FLAGS]
void
pretrieve(SV *handle, SV *flags = NULL)
PROTOTYPE: $;$
PPCODE:
    PUTBACK;
    handle = pstx_retrieve_fd(aTHX_ handle, flags);
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

# _versions(): major, minor written, minor read.
void
_versions()
PPCODE:
    EXTEND(SP, 3);
    mPUSHi(PST_MAJOR);
    mPUSHi(PSTX_WRITE_MINOR);
    mPUSHi(PST_MINOR_READ);

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
