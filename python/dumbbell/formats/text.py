"""Lines of text with numbers: what the files of simulators are made of."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dumbbell.formats.errors import FormatError


def words_of_lines(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of each line that is neither empty nor a comment, with its number.

    Raises
    ------
    FormatError
        If the data are not text.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError("it is not text in UTF-8") from None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words and not words[0].startswith("#"):
            yield number, words


def whole(text: str, line: int) -> int:
    """Return a whole number of at most 15 digits.

    Raises
    ------
    FormatError
        If the text is none. The message names the line.
    """
    # Digits of one alphabet, and not so many that reading them takes long.
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise FormatError(f"line {line}: {text[:40]!r} stands where a whole number is needed")
    return int(text)


def real(text: str, line: int, what: str = "number") -> float:
    """Return a number that is finite and not below zero.

    Raises
    ------
    FormatError
        If the text is none. The message names the line.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise FormatError(f"line {line}: {text[:40]!r} stands where a {what} is needed")
    return value
