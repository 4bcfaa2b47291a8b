#!/usr/bin/env python3
"""Images of Perl's Storable as Python data, by way of libpst and ctypes.

load(bytes) gives lists, dicts, str (characters, or bytes that are ASCII), bytes, int, float, bool
and None. References are followed; what is shared or circular is so in Python, too. What is blessed
is an Array, Hash or Object with perl_class; no hook is called. Formats before 2 are not read. As a
program: storable.py FILE prints it. PST_LIBRARY names the library (default: libpst.so.0).
"""
import ctypes as c
import os, pprint, sys


def struct(**fields):
    return type("Struct", (c.Structure,), {"_fields_": list(fields.items())})


Token = struct(marker=c.c_uint8, wire=c.c_uint8, flags=c.c_uint8, bytes=c.c_void_p, len=c.c_uint64, iv=c.c_int64)
Event = struct(kind=c.c_uint8, leaf=c.c_bool, token=Token, tag=c.c_uint64, off=c.c_uint64,
               end=c.c_uint64, depth=c.c_size_t)
Error = struct(code=c.c_int, marker=c.c_uint8, offset=c.c_uint64)
Array = type("Array", (list,), {"perl_class": None})
Hash = type("Hash", (dict,), {"perl_class": None})


class Object:
    def __init__(self, value=None):
        self.perl_class, self.value, self.refs = None, value, []   # refs: of a hook
    def __repr__(self):
        return f"<{self.perl_class} {self.value!r} {self.refs!r}>"


lib = c.CDLL(os.environ.get("PST_LIBRARY", "libpst.so.0"))
lib.pst_image_open.restype, lib.pst_image_error.restype = c.c_void_p, c.POINTER(Error)
lib.pst_image_double.restype, lib.pst_error_name.restype, lib.pst_image_next.restype = c.c_double, c.c_char_p, c.c_bool
BEGIN, END, KEY, HOOK_CLASS, HOOK_STRING, HOOK_TAG, OLD = 0, 1, 2, 6, 7, 9, 10      # events
OBJECT, ARRAY, HASH, DOUBLE, BLESS, IX_BLESS, HOOK, FLAG_HASH, CODE = 0, 2, 3, 7, 17, 18, 19, 25, 26


def text(t, utf8=False):
    raw = c.string_at(t.bytes, t.len)
    return raw.decode("utf-8", "surrogateescape") if utf8 else raw.decode() if raw.isascii() else raw


# The value of a marker: INTEGER, SCALAR, the true ones, the false ones, UTF8STR, REGEXP; containers.
MAKE = {6: lambda t: t.iv, 10: text, 15: lambda t: True, 34: lambda t: True, 16: lambda t: False,
        35: lambda t: False, 23: lambda t: text(t, True), 32: lambda t: Object(text(t)),
        ARRAY: lambda t: Array(), HASH: lambda t: Hash(), FLAG_HASH: lambda t: Hash(),
        HOOK: lambda t: Object(), CODE: lambda t: Object()}


def load(data):
    image, ev, root = c.c_void_p(lib.pst_image_open(data, c.c_size_t(len(data)))), Event(), []
    tags, classes, stack = {}, [], [[ARRAY, None, root, None]]  # marker, tag, value, hash value

    def begin(t, parent):
        value = (MAKE[t.marker](t) if t.marker in MAKE else tags.get(t.len) if t.marker == OBJECT else
                 lib.pst_image_double(image, c.byref(t)) if t.marker == DOUBLE else None)
        if parent[0] in (BLESS, IX_BLESS) and t.marker != OBJECT:
            value = value if isinstance(value, (Array, Hash, Object)) else Object(value)
            value.perl_class = parent[2]
        return value

    def deliver(value, parent):
        if parent[0] == ARRAY:
            parent[2].append(value)
        elif parent[0] == CODE:
            parent[2].value = value
        elif parent[0] != HOOK:            # a hash value waits for its key, which comes next
            parent[3 if parent[0] in (HASH, FLAG_HASH) else 2] = value

    while lib.pst_image_next(image, c.byref(ev)) and ev.kind < OLD:
        t, top = ev.token, stack[-1]
        if t.bytes and (ev.kind == HOOK_CLASS or (ev.kind == BEGIN and t.marker == BLESS)):
            classes.append(text(t))
        if ev.kind == BEGIN and t.marker in (BLESS, IX_BLESS):
            stack.append([t.marker, None, classes[-1 if t.bytes else t.len], None])
        elif ev.kind == BEGIN:
            tags[ev.tag] = value = begin(t, top)
            deliver(value, top) if ev.leaf else stack.append([t.marker, ev.tag, value, None])
        elif ev.kind == END:
            _, tag, value, _ = stack.pop()
            tags[tag] = value
            deliver(value, stack[-1])
        elif ev.kind == KEY and t.bytes:
            top[2][text(t, t.flags & 1)] = top[3]
        elif ev.kind in (HOOK_CLASS, HOOK_STRING):
            setattr(top[2], *(("value", text(t)) if ev.kind == HOOK_STRING else
                              ("perl_class", classes[-1 if t.bytes else t.len])))
        elif ev.kind == HOOK_TAG:
            top[2].refs.append(tags.get(t.len))
    error = lib.pst_image_error(image).contents
    code, where = error.code, f"{lib.pst_error_name(error.code).decode()} at byte {error.offset}"
    lib.pst_image_close(image)
    if code or not root:
        raise ValueError(where)
    return root[0]


if __name__ == "__main__":
    pprint.pprint(load(open(sys.argv[1], "rb").read()))
