"""Object files: the code of their functions."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

_SYMTAB, _RELA, _REL = 2, 4, 9
_ALLOCATED = 2
_FUNCTION = 2


class NotPlainError(Exception):
    """An object that is more than code: it has data, or places that a linker fills in."""


class _Section(NamedTuple):
    name: str
    kind: int
    flags: int
    content: bytes
    link: int


def plain_code(raw: bytes) -> tuple[bytes, dict[str, int]]:
    """Return the code of an object of LLVM, and where its functions begin.

    Parameters
    ----------
    raw
        An ELF file of 64 bits, little-endian.

    Raises
    ------
    NotPlainError
        If the code alone does not run.
    """
    found = list(sections(raw))
    (text,) = (number for number, section in enumerate(found) if section.name == ".text")
    for section in found:
        of_text = section.kind in (_RELA, _REL) and section.name.endswith(".text")
        if of_text or (
            section.flags & _ALLOCATED
            and section.content
            and section.name not in (".text", ".eh_frame", ".note.gnu.property")
        ):
            raise NotPlainError(section.name)
    starts = {name: at for name, (number, at, _) in functions(found).items() if number == text}
    return found[text].content, starts


def sections(raw: bytes) -> Iterator[_Section]:
    """Yield the sections of an ELF file of 64 bits."""
    (place,) = struct.unpack_from("<Q", raw, 40)
    size, count, names = struct.unpack_from("<HHH", raw, 58)
    heads = [struct.unpack_from("<IIQQQQIIQQ", raw, place + size * number) for number in range(count)]
    texts = heads[names][4]
    for name, kind, flags, _, offset, length, link, *_ in heads:
        start = texts + name
        shown = raw[start : raw.index(b"\0", start)].decode()
        yield _Section(shown, kind, flags, raw[offset : offset + length] if kind != 8 else b"", link)


def functions(found: list[_Section]) -> dict[str, tuple[int, int, int]]:
    """Return section, offset and size of each function."""
    result: dict[str, tuple[int, int, int]] = {}
    for section in found:
        if section.kind != _SYMTAB:
            continue
        names = found[section.link].content
        for at in range(0, len(section.content), 24):
            name, info, _, number, value, size = struct.unpack_from("<IBBHQQ", section.content, at)
            if info & 15 == _FUNCTION:
                result[names[name : names.index(b"\0", name)].decode()] = (number, value, size)
    return result
