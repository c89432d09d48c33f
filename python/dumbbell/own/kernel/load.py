"""The system call ``bpf(2)``: programs into the kernel, and a controller that lives with its descriptor.

Nothing stays after the process: the link is the last hold on the controller, and the kernel closes it with
the process, whatever ends that.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Mapping

from dumbbell.own.kernel.btf import Types
from dumbbell.own.kernel.program import OPS

NUMBERS = {"x86_64": 321, "aarch64": 280}
"""Of the system call."""

_MAP_CREATE, _MAP_UPDATE, _PROG_LOAD, _BTF_LOAD, _LINK_CREATE = 0, 2, 5, 18, 28
_WITH_LINK = 1 << 13
"""A map that does nothing until a link holds it (``BPF_F_LINK``)."""

_UNALLOCATED = 1
"""Storage is made where it is needed (``BPF_F_NO_PREALLOC``)."""

_NOT_RESTRICTED = 1
"""``TCP_CONG_NON_RESTRICTED``."""

_INT, _WORDS = 1, 3
"""Numbers of types of our own."""

_BYTES = 160
"""Of the argument of the call; what follows what we know is zero."""

_LOG = 1 << 20

LICENCE = b"GPL\0"
"""The licence that the program states. The kernel refuses one that does not go with its own."""

_STATISTICS = ("processed ", "verification time", "stack depth")
"""How lines of the verifier begin that follow what is wrong."""

VALUE = f"bpf_struct_ops_{OPS}"


class KernelError(Exception):
    """What the kernel refuses, and the number of the error.

    Parameters
    ----------
    what
        What was refused.
    number
        The error of the system.
    said
        The last line that its verifier wrote.
    """

    def __init__(self, what: str, number: int, said: str = "") -> None:
        super().__init__(f"{what}: {said or os.strerror(number)}")
        self.number, self.said = number, said


def _call(command: int, what: str, content: bytes, log: ctypes.Array[ctypes.c_char] | None = None) -> int:
    raw = ctypes.create_string_buffer(content, _BYTES)
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(NUMBERS[platform.machine()], command, ctypes.byref(raw), _BYTES)
    if found < 0:
        lines = [] if log is None else log.value.decode("ascii", "replace").strip().splitlines()
        lines = [line for line in lines if not line.startswith(_STATISTICS)]
        raise KernelError(what, ctypes.get_errno(), lines[-1] if lines else "")
    return int(found)


def map_of(types: Types) -> int:
    """Make a map for a controller; return its descriptor."""
    number = types.number(VALUE)
    kind = types.enum("bpf_map_type", "BPF_MAP_TYPE_STRUCT_OPS")
    ours = _some_types()
    content = bytearray(_BYTES)
    struct.pack_into("<IIIII", content, 0, kind, 4, types.size(number), 1, _WITH_LINK)
    struct.pack_into("<III", content, 48, ours, 0, 0)
    struct.pack_into("<I", content, 60, number)
    try:
        return _call(_MAP_CREATE, "a map", bytes(content))
    finally:
        os.close(ours)


def storage_of(types: Types, words: int) -> int:
    """Make a map that gives each connection so many words of storage; return its descriptor."""
    kind = types.enum("bpf_map_type", "BPF_MAP_TYPE_SK_STORAGE")
    ours = _some_types(words)
    content = bytearray(_BYTES)
    struct.pack_into("<IIIII", content, 0, kind, 4, 8 * words, 0, _UNALLOCATED)
    struct.pack_into("<III", content, 48, ours, _INT, _WORDS)
    try:
        return _call(_MAP_CREATE, "storage", bytes(content))
    finally:
        os.close(ours)


def _some_types(words: int = 1) -> int:
    """Load types of our own, without which the kernel makes no map: a number, a word, so many words."""
    texts = b"\0int\0long\0"
    types = struct.pack("<IIII", 1, 1 << 24, 4, 1 << 24 | 32)
    types += struct.pack("<IIII", 5, 1 << 24, 8, 1 << 24 | 64)
    types += struct.pack("<IIIIII", 0, 3 << 24, 0, 2, 1, words)
    raw = struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(texts)) + types + texts
    held = ctypes.create_string_buffer(raw, len(raw))
    return _call(_BTF_LOAD, "types", struct.pack("<QQIII", ctypes.addressof(held), 0, len(raw), 0, 0))


def program(types: Types, name: str, code: bytes) -> int:
    """Load the program of a member of the struct; return its descriptor.

    Raises
    ------
    KernelError
        What the kernel's verifier has against it.
    """
    member = types.members(OPS).index(name)
    kind = types.enum("bpf_prog_type", "BPF_PROG_TYPE_STRUCT_OPS")
    instructions = ctypes.create_string_buffer(code, len(code))
    licence = ctypes.create_string_buffer(LICENCE)
    log = ctypes.create_string_buffer(_LOG)

    def content(level: int) -> bytes:
        fields = bytearray(_BYTES)
        struct.pack_into(
            "<IIQQIIQII16sIIIIQIIQII", fields, 0,
            kind, len(code) // 8, ctypes.addressof(instructions), ctypes.addressof(licence),
            level, _LOG if level else 0, ctypes.addressof(log) if level else 0, 0, 0,
            b"law_" + name.encode()[:11], 0, member, 0, 0, 0, 0, 0, 0, 0, types.number(OPS),
        )  # fmt: skip
        return bytes(fields)

    try:
        return _call(_PROG_LOAD, f"the program {name}", content(0))
    except KernelError as error:
        if error.number == 1:
            raise
        return _call(_PROG_LOAD, f"the program {name}", content(1), log)


def fill(types: Types, descriptor: int, name: bytes, programs: Mapping[str, int]) -> None:
    """Fill the map of a controller with its name and programs."""
    value = bytearray(types.size(types.number(VALUE)))
    base = types.place(VALUE, "data").offset
    for member, program in programs.items():
        struct.pack_into("<Q", value, base + types.place(OPS, member).offset, program)
    # Namespaces take by default only what is not reserved for administrators.
    struct.pack_into("<I", value, base + types.place(OPS, "flags").offset, _NOT_RESTRICTED)
    place = types.place(OPS, "name")
    struct.pack_into(f"<{place.size}s", value, base + place.offset, name)
    key = ctypes.create_string_buffer(4)
    held = ctypes.create_string_buffer(bytes(value), len(value))
    fields = struct.pack("<IxxxxQQQ", descriptor, ctypes.addressof(key), ctypes.addressof(held), 0)
    _call(_MAP_UPDATE, "the controller", fields)


def link(types: Types, descriptor: int) -> int:
    """Register the controller of a map for as long as the descriptor that is returned is open."""
    kind = types.enum("bpf_attach_type", "BPF_STRUCT_OPS")
    return _call(_LINK_CREATE, "the name", struct.pack("<IIII", descriptor, 0, kind, 0))
