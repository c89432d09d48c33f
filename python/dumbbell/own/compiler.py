"""What the planner of scenarios calls: a source and a class in, an image out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dumbbell.own.code import Compiled, assemble
from dumbbell.own.errors import LawError
from dumbbell.own.kept import Code
from dumbbell.own.native import machine_code
from dumbbell.own.read import laws, read
from dumbbell.own.tree import Law

__all__ = ["LawError", "compiled", "laws", "made", "read"]


def compiled(text: str, name: str, label: str, parameters: Mapping[str, Any]) -> tuple[Law, Compiled]:
    """Read and compile a class of a source; the arguments are those of `read`.

    Raises
    ------
    LawError
        The first thing wrong, with its place.
    """
    try:
        law = read(text, name, label, parameters)
        return law, assemble(law, name)
    except RecursionError:
        raise LawError(name, "is nested too deeply", "write shorter expressions and fewer helpers") from None


def made(text: str, name: str, label: str, parameters: Mapping[str, Any]) -> tuple[bytes, Code | None]:
    """Return the image of a class of a source, and machine code of it where it can be had.

    The arguments are those of `read`.

    Raises
    ------
    LawError
        The first thing wrong, with its place.
    """
    byte_code = compiled(text, name, label, parameters)[1]
    return byte_code.image, machine_code(byte_code)
