"""What the planner of scenarios calls: a source and a class in, an image out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dumbbell.own.code import Compiled, assemble
from dumbbell.own.errors import LawError
from dumbbell.own.read import laws, read
from dumbbell.own.tree import Law

__all__ = ["LawError", "compiled", "image", "laws", "read"]


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


def image(text: str, name: str, label: str, parameters: Mapping[str, Any]) -> bytes:
    """Return the image of a class of a source; the arguments are those of `read`.

    Raises
    ------
    LawError
        The first thing wrong, with its place.
    """
    return compiled(text, name, label, parameters)[1].image
