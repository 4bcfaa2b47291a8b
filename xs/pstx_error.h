/* pstx_error.h - what users read when something fails.
 *
 * Layer: glue. The only place with the texts of errors that functions and methods raise; the commands
 * have theirs in csrc. The wording is that of
 * Storable, whose users match it with regular expressions; perl appends where it
 * happened (" at FILE line N."), which is the caller's line, because XSUBs have none of
 * their own.
 */
#ifndef PSTX_ERROR_H
#define PSTX_ERROR_H

#include "pstx_compat.h"
#include "pst_error.h"

/* X(NAME, code, place, format): the code is a PST_ERR_*; the place tells what the message is
 * about: a place in the DATA of the innermost run, that RUN as a whole, or NONE of them. */
#define PSTX_MESSAGE_LIST(X) \
    /* arguments */ \
    X(NOT_A_REF, ARGUMENT, NONE, "not a reference") \
    X(NOT_A_REF_CLONE, ARGUMENT, NONE, "Not a reference") \
    X(TOO_MANY_ARGS, ARGUMENT, NONE, "too many arguments") \
    X(ARG_NUMBER, ARGUMENT, NONE, "wrong argument number") \
    X(NOT_A_STRING, ARGUMENT, NONE, "Not a scalar string") \
    X(WIDE_IMAGE, ARGUMENT, RUN, "Frozen string corrupt - contains characters outside 0-255") \
    X(BAD_HANDLE, ARGUMENT, NONE, "not a valid file descriptor") \
    X(NO_OBJECT_METHOD, ARGUMENT, NONE, "%s is a method of objects that Permafrost->new has made") \
    X(OUTPUT, OUTPUT, NONE, "Can't write to the handle: %s") \
    X(UNDEF_HANDLE, ARGUMENT, NONE, "Can't use an undefined value as a symbol reference") \
    X(NOT_A_GLOB, ARGUMENT, NONE, "Not a GLOB reference") \
    X(NO_ORDER, ARGUMENT, NONE, \
        "%s is no order: network, native, or a text such as 12345678, perhaps with sizes: 12345678/4/4/4/8") \
    X(CONVERSION, ARGUMENT, NONE, "The image cannot be converted: %" SVf) \
    /* storing */ \
    X(CANT_STORE, ITEM, DATA, "Can't store %s items") \
    X(CANT_STORE_ITEM, ITEM, NONE, "Can't store item %s(0x%" UVxf ")") \
    X(TOO_DEEP, DEPTH, DATA, "Max. recursion depth with nested structures exceeded") \
    X(TOO_LATE, HOOK, DATA, "Too late to ignore hooks for %s class \"%" SVf "\"") \
    X(HOOK_ITEM, HOOK, DATA, \
        "Item #%d returned by STORABLE_freeze for %" SVf " is not a reference") \
    X(HOOK_ATTACH_REFS, HOOK, DATA, \
        "Freeze cannot return references if %" SVf " class is using STORABLE_attach") \
    X(HOOK_KIND, HOOK, DATA, "Unexpected object type (%d) in store_hook()") \
    X(HOOK_KIND_OF, HOOK, DATA, \
        "Unexpected object type (%s) of class '%" SVf "' in store_hook() calling %" SVf) \
    X(HOOK_LOST_ITEM, HOOK, DATA, "Could not serialize item #%d from hook %" SVf) \
    X(DEPARSE_EMPTY, CODE, DATA, \
        "The result of B::Deparse::coderef2text was empty - maybe you're trying to serialize an XS function?,") \
    X(TOO_MANY_ITEMS, LENGTH, DATA, "Too many items for one image") \
    X(MINOR, MINOR, DATA, "%s cannot be stored for readers of minor version %d") \
    /* objects: what their options refuse */ \
    X(CLASS_REFUSED, CLASS, DATA, "Class %" SVf " is not allowed (trust is '%s')") \
    X(CODE_REFUSED, CODE, DATA, "Code is not allowed (trust is '%s')") \
    X(INPUT_LIMIT, BYTES, RUN, "Storable image larger than max_bytes, which is %" UVuf) \
    X(BYTES_LIMIT, BYTES, DATA, "Storable image larger than max_bytes, which is %" UVuf) \
    X(ITEMS_LIMIT, ITEMS, DATA, "Storable image of more items than max_items, which is %" UVuf) \
    X(EMPTY, TRUNCATED, RUN, "Storable %s is empty (0 bytes)") \
    X(CUT, TRUNCATED, DATA, "Storable %s is truncated at byte %" UVuf " of %" UVuf) \
    X(TRAILING, TRAILING, RUN, "Storable %s goes on behind the end of its image") \
    /* retrieving: header */ \
    X(MAGIC, TRUNCATED, RUN, "Magic number checking on storable %s failed") \
    X(NOT_STORABLE, NOT_STORABLE, RUN, "File is not a perl storable") \
    X(VERSION, MAJOR, RUN, "Storable binary image v%d.%d more recent than I am (v%d.%d)") \
    X(BYTE_ORDER, BYTE_ORDER, RUN, "Byte order is not compatible%s") \
    X(INT_SIZE, INT_SIZE, RUN, "Integer size is not compatible%s") \
    X(LONG_SIZE, LONG_SIZE, RUN, "Long integer size is not compatible%s") \
    X(PTR_SIZE, PTR_SIZE, RUN, "Pointer size is not compatible%s") \
    X(NV_SIZE, NV_SIZE, RUN, "Double size is not compatible%s") \
    X(MACHINES, BYTE_ORDER, NONE, \
        " (image: %" SVf "; this perl: %" SVf "; $Permafrost::accept_foreign would let it be read)") \
    /* retrieving: body */ \
    X(CORRUPTED, MARKER, DATA, "Corrupted storable %s (binary v%d.%d)") \
    X(CORRUPTED_OLD, MARKER, DATA, "Corrupted storable %s (binary v%d.%d), current is v%d.%d") \
    X(NEWER_DATA, MARKER, DATA, \
        "Storable binary image v%d.%d contains data of type %d. This Storable is v%d.%d and can only handle data types up to %d") \
    X(NO_OBJECT, TAG, DATA, "Object #%" IVdf " should have been retrieved already") \
    X(NO_CLASS, CLASS_INDEX, DATA, "Class name #%" IVdf " should have been seen already") \
    X(OLD_TAG, TAG, DATA, "Old tag 0x%" UVxf " should have been mapped already") \
    X(TOO_LARGE, LENGTH, DATA, "Too large size > I32_MAX") \
    X(CLASS_LENGTH, CLASS_LENGTH, DATA, "Corrupted classname length %" UVuf) \
    X(EXPLOIT, CLASS, NONE, "SECURITY: Movable-Type CVE-2015-1592 Storable metasploit attack") \
    X(UNEXPECTED_TYPE, CODE, DATA, "Unexpected type %d in %s,") \
    X(TYING_DISABLED, TIE, DATA, "Tying is disabled.") \
    X(NO_OVERLOAD, OVERLOAD, DATA, \
        "Cannot restore overloading on %s(0x%" UVxf ") (package %" SVf ") (even after a \"require %" SVf ";\")") \
    X(NO_OVERLOAD_PLAIN, OVERLOAD, DATA, \
        "Cannot restore overloading on %s(0x%" UVxf ") (package <unknown>)") \
    X(NO_THAW, HOOK, DATA, \
        "No STORABLE_thaw defined for objects of class %" SVf " (even after a \"require %" SVf ";\")") \
    X(ATTACH_RESULT, HOOK, DATA, "STORABLE_attach did not return a %" SVf " object") \
    X(ATTACH_REFS, HOOK, DATA, "STORABLE_attach called with unexpected references") \
    X(NO_CODE, CODE, DATA, "Unable to retrieve code,") \
    X(EVAL_DISABLED, CODE, DATA, "Can't eval, please set $Storable::Eval to a true value") \
    X(EVAL_FAILED, DIED, DATA, "code %" SVf " caused an error: %" SVf) \
    X(NOT_CODE, CODE, DATA, "code %" SVf " did not evaluate to a subroutine reference,")

typedef enum pstx_message {
#define PSTX_MESSAGE_ENUM(name, code, place, format) PSTX_MSG_##name,
    PSTX_MESSAGE_LIST(PSTX_MESSAGE_ENUM)
#undef PSTX_MESSAGE_ENUM
    PSTX_MSG_COUNT
} pstx_message;

/* Die with the message; the arguments are those of its format. Runs of an object throw a
 * Permafrost::Error, others a text as Storable's; a writer's text says where.
 * PERL: croaks. */
void pstx_croak(pTHX_ pstx_message message, ...) __attribute__noreturn__;

/* The same outside of a run, for a wrong argument or handle.
 *   object  whose method was called, or NULL */
struct pstx_object;
void pstx_croak_outside(pTHX_ const struct pstx_object *object, pstx_message message, ...) __attribute__noreturn__;

/* Die with a Permafrost::Error.
 *   text    the message, without the place; a comma at its end is moved behind the place
 *   offset  in the image, NULL if it means nothing
 *   path    NULL if it means nothing
 * PERL: croaks. */
void pstx_throw(pTHX_ pst_err code, SV *text, const uint64_t *offset, SV *path) __attribute__noreturn__;

/* Die with the message of a $@, `error`, and the user's line: a reference as it is; of a
 * text the end of line (and a dot before it) gives way to ", at FILE line N.".
 * PERL: croaks. */
void pstx_croak_again(pTHX_ SV *error) __attribute__noreturn__;

/* The sub that $Storable::Eval stands for has failed. PERL: croaks. */
void pstx_croak_eval(pTHX_ SV *source, SV *error) __attribute__noreturn__;

/* Warn with the message. PERL: runs user code (__WARN__ handlers). */
void pstx_warn(pTHX_ pstx_message message, ...);

struct pst_reader;

/* Die for what stopped a reader in the header or in the body.
 *   file  the image came from a file or handle, not from memory
 * PERL: croaks. */
void pstx_croak_header(pTHX_ const struct pst_reader *r, pst_err err, bool file) __attribute__noreturn__;
void pstx_croak_body(pTHX_ const struct pst_reader *r, bool file) __attribute__noreturn__;

#endif
