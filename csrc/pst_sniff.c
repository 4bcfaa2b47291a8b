/* pst_sniff.c - what people have instead of an image. */
#include "pst_inspect.h"
#include "pst_utf8.h"

/* Formats that begin with something of their own. */
static const struct start { const char *bytes; uint8_t len; const char *what; } starts[] = {
    { "\x1f\x8b",             2, "gzip" },
    { "=srl",                 4, "Sereal" },
    { "=\xf3rl",              4, "Sereal" },
    { "=\xc3\xb3rl",          5, "Sereal, damaged by an encoding to UTF-8" },
    { "$VAR1",                5, "Data::Dumper output" },
    { "---",                  3, "YAML" },
    { "%YAML",                5, "YAML" },
    { "<?xml",                5, "XML" },
    { "SQLite format 3",     15, "a SQLite database" },
    { "PK\x03\x04",           4, "zip" },
    { "BZh",                  3, "bzip2" },
    { "\xfd" "7zXZ",          5, "xz" },
    { "\x28\xb5\x2f\xfd",     4, "zstd" },
    { "\x80\x02",             2, "a Python pickle" },
    { "\x80\x03",             2, "a Python pickle" },
    { "\x80\x04",             2, "a Python pickle" },
    { "\x80\x05",             2, "a Python pickle" },
    { "\xd9\xd9\xf7",         3, "CBOR" },
    { "FrT;",                 4, "FreezeThaw" },
    { "\x89PNG",              4, "PNG" },
    { "%PDF",                 4, "PDF" },
    { "\x7f" "ELF",           4, "a program (ELF)" },
    { "#!",                   2, "a script" },
    { "pst1",                 4, "something like an image, whose magic is not pst0" }
};

/* Class=HASH(0x55d...) or ARRAY(0x...). */
static bool is_stringified(const uint8_t *p, size_t len)
{
    static const char *const types[] = { "HASH", "ARRAY", "SCALAR", "REF", "CODE", "GLOB", "Regexp", "VSTRING", "LVALUE" };
    size_t i, type, start = 0;
    for (i = 0; i + 3 < len && p[i] != '(' && p[i] > ' ' && p[i] < 0x7f; i++)
        if (p[i] == '=')
            start = i + 1;
    if (i + 3 >= len || memcmp(p + i, "(0x", 3) != 0)
        return false;
    for (type = 0; type < sizeof types / sizeof *types; type++)
        if (strlen(types[type]) == i - start && memcmp(p + start, types[type], i - start) == 0)
            return true;
    return false;
}

/* What a PHP program writes: a:3:{... or O:4:"... and the like. */
static bool is_php(const uint8_t *p, size_t len)
{
    return len > 3 && p[1] == ':' && strchr("aOsibd", p[0]) && p[0] && p[2] >= '0' && p[2] <= '9';
}

static bool is_text(const uint8_t *p, size_t len)
{
    size_t at = 0;
    while (at < len) {
        unsigned n = pst_utf8_char(p + at, len - at);
        if (!n)
            return len - at < 4 && at > 0;      /* cut within a character */
        if (p[at] < ' ' && !strchr("\t\n\r\f", p[at]))
            return false;
        at += n;
    }
    return true;
}

bool pst_sniff_is_mistake(const pst_source *source)
{
    uint8_t bytes[512];
    return is_stringified(bytes, pst_source_read(source, 0, bytes, sizeof bytes));
}

const char *pst_sniff(const pst_source *source)
{
    uint8_t bytes[512];
    size_t len = pst_source_read(source, 0, bytes, sizeof bytes), at = 0, i;
    for (i = 0; i < sizeof starts / sizeof *starts; i++)
        if (len >= starts[i].len && memcmp(bytes, starts[i].bytes, starts[i].len) == 0)
            return starts[i].what;
    if (is_stringified(bytes, len))
        return "a reference as a string: it was never serialized";
    while (at < len && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t'))
        at++;
    if (!is_text(bytes, len))
        return len > 1 && bytes[0] == 0xc2 && bytes[1] < 0xc0 ? "perhaps one that was encoded to UTF-8" : NULL;
    if (at == len)
        return len ? "white space" : NULL;
    if (bytes[at] == '{' || bytes[at] == '[')
        return "JSON, or something like it";
    if (bytes[at] == '<')
        return "XML or HTML";
    if (is_php(bytes, len))
        return "a value serialized by PHP";
    return "text";
}
