/* pstx_error.h - what users read when something fails.
 *
 * Layer: glue. The only place with user-visible error text. The wording is that of
 * Storable, whose users match it with regular expressions; perl appends where it
 * happened (" at FILE line N."), which is the caller's line, because XSUBs have none of
 * their own.
 */
#ifndef PSTX_ERROR_H
#define PSTX_ERROR_H

#include "pstx_compat.h"
#include "pst_error.h"

/* X(NAME, format) */
#define PSTX_MESSAGE_LIST(X) \
    /* arguments */ \
    X(NOT_A_REF,        "not a reference") \
    X(NOT_A_REF_CLONE,  "Not a reference") \
    X(TOO_MANY_ARGS,    "too many arguments") \
    X(ARG_NUMBER,       "wrong argument number") \
    X(NOT_A_STRING,     "Not a scalar string") \
    X(WIDE_IMAGE,       "Frozen string corrupt - contains characters outside 0-255") \
    X(BAD_HANDLE,       "not a valid file descriptor") \
    X(NOT_A_GLOB,       "Not a GLOB reference") \
    /* storing */ \
    X(CANT_STORE,       "Can't store %s items") \
    X(CANT_STORE_ITEM,  "Can't store item %s(0x%" UVxf ")") \
    X(TOO_DEEP,         "Max. recursion depth with nested structures exceeded") \
    X(TOO_LATE,         "Too late to ignore hooks for %s class \"%" SVf "\"") \
    X(HOOK_ITEM,        "Item #%d returned by STORABLE_freeze for %" SVf " is not a reference") \
    X(HOOK_ATTACH_REFS, "Freeze cannot return references if %" SVf " class is using STORABLE_attach") \
    X(HOOK_KIND,        "Unexpected object type (%d) in store_hook()") \
    X(HOOK_LOST_ITEM,   "Could not serialize item #%d from hook %" SVf) \
    X(DEPARSE_EMPTY,    "The result of B::Deparse::coderef2text was empty - maybe you're trying to serialize an XS function?,") \
    X(TOO_MANY_ITEMS,   "Too many items for one image") \
    /* retrieving: header */ \
    X(MAGIC,            "Magic number checking on storable %s failed") \
    X(NOT_STORABLE,     "File is not a perl storable") \
    X(VERSION,          "Storable binary image v%d.%d more recent than I am (v%d.%d)") \
    X(BYTE_ORDER,       "Byte order is not compatible%s") \
    X(INT_SIZE,         "Integer size is not compatible%s") \
    X(LONG_SIZE,        "Long integer size is not compatible%s") \
    X(PTR_SIZE,         "Pointer size is not compatible%s") \
    X(NV_SIZE,          "Double size is not compatible%s") \
    X(MACHINES,         " (image: %" SVf "; this perl: %" SVf "; $Permafrost::accept_foreign would let it be read)") \
    /* retrieving: body */ \
    X(CORRUPTED,        "Corrupted storable %s (binary v%d.%d)") \
    X(CORRUPTED_OLD,    "Corrupted storable %s (binary v%d.%d), current is v%d.%d") \
    X(NEWER_DATA,       "Storable binary image v%d.%d contains data of type %d. This Storable is v%d.%d and can only handle data types up to %d") \
    X(NO_OBJECT,        "Object #%" IVdf " should have been retrieved already") \
    X(NO_CLASS,         "Class name #%" IVdf " should have been seen already") \
    X(OLD_TAG,          "Old tag 0x%" UVxf " should have been mapped already") \
    X(TOO_LARGE,        "Too large size > I32_MAX") \
    X(CLASS_LENGTH,     "Corrupted classname length %" UVuf) \
    X(EXPLOIT,          "SECURITY: Movable-Type CVE-2015-1592 Storable metasploit attack") \
    X(UNEXPECTED_TYPE,  "Unexpected type %d in %s,") \
    X(TYING_DISABLED,   "Tying is disabled.") \
    X(NO_OVERLOAD,      "Cannot restore overloading on %s(0x%" UVxf ") (package %" SVf ") (even after a \"require %" SVf ";\")") \
    X(NO_OVERLOAD_PLAIN,"Cannot restore overloading on %s(0x%" UVxf ") (package <unknown>)") \
    X(NO_THAW,          "No STORABLE_thaw defined for objects of class %" SVf " (even after a \"require %" SVf ";\")") \
    X(ATTACH_RESULT,    "STORABLE_attach did not return a %" SVf " object") \
    X(ATTACH_REFS,      "STORABLE_attach called with unexpected references") \
    X(NO_CODE,          "Unable to retrieve code,") \
    X(EVAL_DISABLED,    "Can't eval, please set $Storable::Eval to a true value") \
    X(EVAL_FAILED,      "code %" SVf " caused an error: %" SVf) \
    X(NOT_CODE,         "code %" SVf " did not evaluate to a subroutine reference,")

typedef enum pstx_message {
#define PSTX_MESSAGE_ENUM(name, format) PSTX_MSG_##name,
    PSTX_MESSAGE_LIST(PSTX_MESSAGE_ENUM)
#undef PSTX_MESSAGE_ENUM
    PSTX_MSG_COUNT
} pstx_message;

/* Die with the message; the arguments are those of its format.
 * PERL: croaks. */
void pstx_croak(pTHX_ pstx_message message, ...) __attribute__noreturn__;

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
