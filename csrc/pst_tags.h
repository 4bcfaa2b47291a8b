/* pst_tags.h - every marker and flag of the wire format, once.
 *
 * Layer: core. The values are facts of the format (doc/FORMAT.md): they never change.
 * PST_TAG_LIST gives value, name and the first minor version whose readers know it.
 */
#ifndef PST_TAGS_H
#define PST_TAGS_H

/* X(value, NAME, minor) */
#define PST_TAG_LIST(X) \
    X( 0, OBJECT,         0) \
    X( 1, LSCALAR,        0) \
    X( 2, ARRAY,          0) \
    X( 3, HASH,           0) \
    X( 4, REF,            0) \
    X( 5, UNDEF,          0) \
    X( 6, INTEGER,        0) \
    X( 7, DOUBLE,         0) \
    X( 8, BYTE,           0) \
    X( 9, NETINT,         0) \
    X(10, SCALAR,         0) \
    X(11, TIED_ARRAY,     0) \
    X(12, TIED_HASH,      0) \
    X(13, TIED_SCALAR,    0) \
    X(14, SV_UNDEF,       0) \
    X(15, SV_YES,         0) \
    X(16, SV_NO,          0) \
    X(17, BLESS,          0) \
    X(18, IX_BLESS,       0) \
    X(19, HOOK,           0) \
    X(20, OVERLOAD,       0) \
    X(21, TIED_KEY,       0) \
    X(22, TIED_IDX,       0) \
    X(23, UTF8STR,        5) \
    X(24, LUTF8STR,       5) \
    X(25, FLAG_HASH,      5) \
    X(26, CODE,           5) \
    X(27, WEAKREF,        7) \
    X(28, WEAKOVERLOAD,   7) \
    X(29, VSTRING,        8) \
    X(30, LVSTRING,       8) \
    X(31, SVUNDEF_ELEM,  10) \
    X(32, REGEXP,        11) \
    X(33, LOBJECT,       11) \
    X(34, BOOLEAN_TRUE,  12) \
    X(35, BOOLEAN_FALSE, 12)

enum pst_tag {
#define PST_TAG_ENUM(value, name, minor) PST_##name = value,
    PST_TAG_LIST(PST_TAG_ENUM)
#undef PST_TAG_ENUM
    PST_TAG_COUNT
};

/* The first minor version whose readers know a marker. */
enum pst_tag_minor {
#define PST_TAG_MINOR(value, name, minor) PST_MINOR_OF_##name = minor,
    PST_TAG_LIST(PST_TAG_MINOR)
#undef PST_TAG_MINOR
    PST_MINOR_OF_NONE = 0
};

/* FLAG_HASH: flags of the hash, and of each key. */
enum {
    PST_HASH_RESTRICTED = 1,
    PST_KEY_UTF8        = 1,
    PST_KEY_WASUTF8     = 2,
    PST_KEY_LOCKED      = 4,   /* the value is read-only */
    PST_KEY_ISSV        = 8,   /* the key is itself an object */
    PST_KEY_PLACEHOLDER = 16
};

/* Hook records. */
enum {
    PST_HOOK_KIND       = 3,   /* mask: one of the four below */
    PST_HOOK_SCALAR     = 0,
    PST_HOOK_ARRAY      = 1,
    PST_HOOK_HASH       = 2,
    PST_HOOK_EXTRA      = 3,   /* a further byte follows: PST_EXTRA_* */
    PST_HOOK_BIG_CLASS  = 4,
    PST_HOOK_BIG_STRING = 8,
    PST_HOOK_BIG_LIST   = 16,
    PST_HOOK_INDEXED    = 32,  /* class by number, not by name */
    PST_HOOK_RECURSE    = 64,  /* an object follows, then new flags */
    PST_HOOK_HAS_LIST   = 128,
    PST_EXTRA_SCALAR    = 4,   /* tied scalar, array, hash */
    PST_EXTRA_ARRAY     = 5,
    PST_EXTRA_HASH      = 6
};

/* Regexp op flags. */
enum { PST_REGEXP_BIG_PATTERN = 1 };

/* Lengths: short forms end here; a length byte of PST_LONG_LEN announces 4 bytes. */
enum {
    PST_SHORT_STRING_MAX = 255,
    PST_SHORT_CLASS_MAX  = 127,
    PST_LONG_LEN         = 0x80
};

/* The largest length, count or tag that a 4-byte field may hold; LOBJECT beyond. */
#define PST_I32_MAX UINT64_C(0x7fffffff)

/* The version that is written, and the newest that is read. */
enum {
    PST_MAJOR           = 2,
    PST_MINOR_WRITE     = 11,
    PST_MINOR_READ      = 12
};

#endif
