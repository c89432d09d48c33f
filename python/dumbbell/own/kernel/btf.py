"""BTF: what the running kernel says of its own types (``/sys/kernel/btf/vmlinux``)."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

VMLINUX = Path("/sys/kernel/btf/vmlinux")

_MAGIC = 0xEB9F
_STRUCT, _UNION = 4, 5
_INT, _PTR, _ARRAY, _ENUM, _TYPEDEF, _CONST, _RESTRICT, _FUNC_PROTO = 1, 2, 3, 6, 8, 10, 11, 13
_VOLATILE, _TAG = 9, 18
_SKIPPED = frozenset({_TYPEDEF, _CONST, _VOLATILE, _RESTRICT, _TAG})

_EXTRA = {1: 4, 3: 12, 14: 4, 17: 4}
"""Bytes after the head of a type, by kind, where they are of one length."""
_EACH = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
"""Bytes for each member, by kind."""


class BtfError(Exception):
    """Types are unreadable, or lack a name that a program needs."""


class Place(NamedTuple):
    """Where a field lies."""

    offset: int
    """In bytes."""
    size: int
    bit: int | None = None
    """Its first bit in the byte, if it is a field of bits."""
    bits: int = 0


class Types:
    """The types of a kernel.

    Parameters
    ----------
    raw
        The content of :data:`VMLINUX`.

    Raises
    ------
    BtfError
        If it is no BTF.
    """

    def __init__(self, raw: bytes) -> None:
        try:
            self._read(raw)
        except (struct.error, IndexError, ValueError) as error:
            raise BtfError(f"its BTF cannot be read: {error}") from None

    def _read(self, raw: bytes) -> None:
        magic, _, _, head, types, types_length, texts, texts_length = struct.unpack_from("<HBBIIIII", raw)
        if magic != _MAGIC:
            raise BtfError("its BTF begins with another number")
        self._raw = raw[head + types : head + types + types_length]
        self._texts = raw[head + texts : head + texts + texts_length]
        self._at = [0]
        wanted: dict[tuple[int, int], int] = {}
        at, unpack = 0, struct.Struct("<III").unpack_from
        while at < types_length:
            name, info, _ = unpack(self._raw, at)
            kind, count = info >> 24 & 31, info & 0xFFFF
            if name and kind in (_STRUCT, _ENUM):
                wanted.setdefault((kind, name), len(self._at))
            self._at.append(at)
            at += 12 + _EXTRA.get(kind, 0) + _EACH.get(kind, 0) * count
        self._named: dict[tuple[int, str], int] = {
            (kind, self._text(name)): number for (kind, name), number in wanted.items()
        }

    def _text(self, offset: int) -> str:
        return self._texts[offset : self._texts.index(b"\0", offset)].decode("ascii", "replace")

    def _head(self, number: int) -> tuple[int, int, int, int, bool]:
        """Return place, kind, members, size or type, and whether members may be of bits."""
        at = self._at[number]
        _, info, size = struct.unpack_from("<III", self._raw, at)
        return at, info >> 24 & 31, info & 0xFFFF, size, bool(info >> 31)

    def number(self, name: str) -> int:
        """Return the number of a struct.

        Raises
        ------
        BtfError
            If there is none of this name.
        """
        found = self._named.get((_STRUCT, name))
        if found is None:
            raise BtfError(f"it has no struct {name}")
        return found

    def size(self, number: int) -> int:
        """Return the size of a type, in bytes."""
        _, kind, _, size, _ = self._head(number)
        if kind in _SKIPPED:
            return self.size(size)
        if kind == _PTR:
            return 8
        if kind == _ARRAY:
            element, _, count = self._array(number)
            return self.size(element) * count
        return size

    def _array(self, number: int) -> tuple[int, int, int]:
        element, index, count = struct.unpack_from("<III", self._raw, self._at[number] + 12)
        return element, index, count

    def _members(self, number: int) -> list[tuple[str, int, int, int]]:
        """Return name, type, first bit and bits of each member; 0 bits if it is no field of bits."""
        at, kind, count, size, of_bits = self._head(number)
        if kind in _SKIPPED:
            return self._members(size)
        if kind not in (_STRUCT, _UNION):
            return []
        found = []
        for member in range(count):
            name, type_, offset = struct.unpack_from("<III", self._raw, at + 12 + 12 * member)
            bits = offset >> 24 if of_bits else 0
            found.append((self._text(name), type_, offset & 0xFFFFFF if of_bits else offset, bits))
        return found

    def members(self, name: str) -> list[str]:
        """Return the names of the members of a struct, in order."""
        return [member for member, *_ in self._members(self.number(name))]

    def place(self, name: str, path: str) -> Place:
        """Return where a field of a struct lies: ``rtt_min.s.0.v``; members of nameless members count too.

        Raises
        ------
        BtfError
            If there is none.
        """
        number, offset = self.number(name), 0
        place = Place(0, 0)
        for part in path.split("."):
            if part.isdigit():
                number, _, _ = self._array(self._plain(number))
                offset += int(part) * self.size(number)
                place = Place(offset, self.size(number))
                continue
            found = self._member(number, part)
            if found is None:
                raise BtfError(f"its struct {name} has no {path}")
            number, bit, bits = found
            offset += bit // 8
            place = Place(offset, 1 if bits else self.size(number), bit % 8 if bits else None, bits)
        return place

    def _plain(self, number: int) -> int:
        _, kind, _, size, _ = self._head(number)
        return self._plain(size) if kind in _SKIPPED else number

    def _member(self, number: int, name: str) -> tuple[int, int, int] | None:
        for member, type_, bit, bits in self._members(number):
            if member == name:
                return type_, bit, bits
            inner = None if member else self._member(type_, name)
            if inner is not None:
                return inner[0], bit + inner[1], inner[2]
        return None

    def arguments(self, name: str, member: str) -> int:
        """Return how many arguments a member of a struct takes, which is a pointer to a function."""
        found = self._member(self.number(name), member)
        if found is None:
            raise BtfError(f"its struct {name} has no {member}")
        _, kind, _, target, _ = self._head(self._plain(found[0]))
        _, kind, count, _, _ = self._head(self._plain(target))
        if kind != _FUNC_PROTO:
            raise BtfError(f"{member} of its struct {name} is no function")
        return count

    def enum(self, name: str, member: str) -> int:
        """Return the number of a member of an enum."""
        number = self._named.get((_ENUM, name))
        at, _, count, _, _ = self._head(number) if number is not None else (0, 0, 0, 0, False)
        for entry in range(count):
            text, value = struct.unpack_from("<Ii", self._raw, at + 12 + 8 * entry)
            if self._text(text) == member:
                return int(value)
        raise BtfError(f"it has no {member} in its enum {name}")
