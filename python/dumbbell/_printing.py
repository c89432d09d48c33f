"""Lines and tables for people, on a terminal or in a file.

Not by rich: that takes longer to load, and to lay out a table, than a short run takes.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TextIO

from dumbbell._files.text import plain

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
"""The words of a style, and what a terminal calls them (ECMA-48 section 8.3.117: SGR)."""

_PIPE_WIDTH = 160
"""Columns when the output is not a terminal: wide enough that tables keep their rows whole."""

_GAP = "  "
"""Between two columns of a table."""

_SHORT_TEXT = 24
"""Text up to this length stays on one line as long as longer text can break."""


_FEWEST_OF_LIST = 3
"""Columns of the smallest table whose rows may stand as lists."""


class Text:
    """Text in a style. It is data: its control characters are not sent.

    Parameters
    ----------
    text
        Of one or several lines.
    style
        Words such as ``bold red``; empty for none.
    """

    __slots__ = ("_codes", "plain")

    def __init__(self, text: str, style: str = "") -> None:
        self.plain = plain(text)
        self._codes = ";".join(_CODES[word] for word in style.split())

    def __str__(self) -> str:
        return self.plain

    def styled(self, part: str) -> str:
        """Return a part of the text in its style, for a terminal."""
        return f"\x1b[{self._codes}m{part}\x1b[0m" if self._codes and part else part


Cell = str | Text


class TextTable:
    """A table for people that fits the terminal.

    Where there is not enough room, headings of numbers break, then the last columns of numbers stand below
    the others beside the first column of text, then text breaks between words; numbers themselves never
    break. Where not even the longest words of columns that must stay together have room, each row stands as
    a list.

    Parameters
    ----------
    title
        Above the table; may be empty.
    texts, numbers
        Headings of the columns of text, then of those of numbers, which come in order of importance.
    rows
        One cell for each column.
    note
        Below the table; may be empty.
    numeric
        Which columns hold numbers, where `texts` names all of them in another order; none goes below.
    """

    def __init__(
        self,
        title: str,
        texts: Sequence[str],
        numbers: Sequence[str],
        rows: Iterable[Sequence[Cell]],
        note: str = "",
        numeric: Sequence[bool] | None = None,
    ) -> None:
        self._title = Text(title, "bold")
        self._note = Text(note)
        self._heads = [Text(name, "bold") for name in (*texts, *numbers)]
        self._numbers = numeric or [False] * len(texts) + [True] * len(numbers)
        self._texts = len(texts)
        self._rows = [[_as_text(cell) for cell in row] for row in rows]

    def lines(self, room: int, styles: bool = False) -> Iterator[str]:
        """Yield the lines of the table in `room` columns, in styles if the terminal has them."""
        if self._title.plain:
            for line in wrapped(self._title.plain, room):
                yield self._title.styled(line) if styles else line
        if self._is_list(room - 2):
            yield from self._entries(room, styles)
            return
        for shown in self._parts(room - 2):
            widths = self._widths(shown, room - 2)
            numbers = [self._numbers[index] for index in shown]
            yield ""
            yield from _row([self._heads[index] for index in shown], widths, numbers, styles)
            yield f" {'─' * _whole(widths)}"
            for row in self._rows:
                yield from _row([row[index] for index in shown], widths, numbers, styles)
        yield ""
        if self._note.plain:
            yield from wrapped(self._note.plain, room)

    def _is_list(self, room: int) -> bool:
        """Return whether words, or numbers that cannot go below the others, have no room."""
        if len(self._heads) > self._texts or self._texts < _FEWEST_OF_LIST:
            return False
        columns = enumerate(self._numbers)
        return _whole([self._broken(i) if number else self._words(i) for i, number in columns]) > room

    def _entries(self, room: int, styles: bool) -> Iterator[str]:
        """Yield each row as its first cell and, below it, the others with their headings."""
        for row in self._rows:
            yield ""
            for line in wrapped(row[0].plain, max(room - 1, 1)):
                yield f" {self._heads[0].styled(line) if styles else line}"
            for head, cell in zip(self._heads[1:], row[1:], strict=True):
                if cell.plain:
                    first, *others = wrapped(f"{head.plain}: {cell.plain}", max(room - 6, 1))
                    yield f"    {first}"
                    yield from (f"      {line}" for line in others)
        yield ""
        if self._note.plain:
            yield from wrapped(self._note.plain, room)

    def _words(self, index: int) -> int:
        """Return the width of the longest word of a column."""
        cells = [self._heads[index], *(row[index] for row in self._rows)]
        return max(cells_of(word) for cell in cells for word in cell.plain.split())

    def _cells(self, index: int) -> int:
        """Return the width of a column without its heading."""
        return max((_width(row[index].plain) for row in self._rows), default=0)

    def _broken(self, index: int) -> int:
        """Return the width of a column whose heading breaks."""
        return max(self._cells(index), *map(cells_of, self._heads[index].plain.split(" ")))

    def _parts(self, room: int) -> list[list[int]]:
        """Return the columns of each part of the table: as many numbers as have room, one at least."""
        parts = [list(range(self._texts))]
        for index in range(self._texts, len(self._heads)):
            part = parts[-1]
            full = _whole([self._broken(each) for each in (*part, index)]) > room
            if full and any(each >= self._texts for each in part):
                parts.append([*range(min(self._texts, 1)), index])
            else:
                part.append(index)
        return parts

    def _widths(self, shown: Sequence[int], room: int) -> list[int]:
        """Return the widths of the columns of a part."""
        widths = [max(self._cells(index), _width(self._heads[index].plain)) for index in shown]
        if _whole(widths) > room:
            numbers = [self._numbers[index] for index in shown]
            broken = [self._broken(index) for index in shown]
            widths = [least if n else width for width, least, n in zip(widths, broken, numbers, strict=True)]
            words = [self._words(index) for index in shown]
            columns = list(zip(widths, words, numbers, strict=True))
            _shrink(widths, [w if n or w <= _SHORT_TEXT else word for w, word, n in columns], room)
            _shrink(widths, [w if n else word for w, word, n in columns], room)
            _shrink(widths, [w if n else 1 for w, _, n in columns], room)
        return widths

    def __str__(self) -> str:
        return "\n".join(self.lines(_PIPE_WIDTH))


class Output:
    """The standard output, or the standard error, for people."""

    quiet = False
    """Whether nothing is printed by anybody: the user wants errors only."""

    def __init__(self, error: bool = False) -> None:
        self._error = error

    def print(self, *parts: Cell | TextTable, whole: bool = False) -> None:
        """Print a table, or parts that make a line.

        Parameters
        ----------
        parts
            One table, or text.
        whole
            Never break the line: it holds a path.
        """
        if Output.quiet:
            return
        file = self._file
        room, styles = self._room(file), _has_styles(file)
        if isinstance(parts[0], TextTable):
            lines = parts[0].lines(room, styles)
        else:
            texts = [_as_text(part) for part in parts if not isinstance(part, TextTable)]
            pieces = "".join(text.plain for text in texts).split("\n")
            if file.isatty() and not whole:
                pieces = wrapped("\n".join(pieces), room)
            lines = _styled(pieces, texts) if styles else iter(pieces)
        file.write("".join(f"{line}\n" for line in lines))
        file.flush()

    @property
    def _file(self) -> TextIO:
        # Now: the streams of the process are made usable after this was made.
        return sys.stderr if self._error else sys.stdout

    @staticmethod
    def _room(file: TextIO) -> int:
        """Return the columns of a terminal, or of what is none."""
        if not file.isatty():
            return _PIPE_WIDTH
        try:
            return max(int(os.environ.get("COLUMNS", "")), 0) or _columns(file)
        except ValueError:
            return _columns(file)


def _styled(lines: Sequence[str], texts: Sequence[Text]) -> Iterator[str]:
    """Yield the lines of a text in the style of its first part, which is short where others follow."""
    head = texts[0]
    if len(texts) == 1:
        yield from map(head.styled, lines)
        return
    first, *others = lines
    yield head.styled(first[: len(head.plain)]) + first[len(head.plain) :]
    yield from others


def significant(value: float, digits: int = 4) -> str:
    """Write a real number with so many significant digits, without exponent where it stays short."""
    if value == 0:
        return "0"
    if not 1e-5 <= abs(value) < 1e7:
        return f"{value:.{digits - 1}e}"
    text = f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if "e" in text else text


def wrapped(text: str, width: int) -> list[str]:
    """Return text as lines of at most `width` columns of a terminal; words break if they must."""
    lines = []
    for line in text.split("\n"):
        now = ""
        for word in line.split(" ") if cells_of(line) > width else ():
            longer = f"{now} {word}" if now else word
            if cells_of(longer) <= width:
                now = longer
                continue
            if now:
                lines.append(now)
            *full, now = _folded(word, width)
            lines += full
        lines.append(now if cells_of(line) > width else line)
    return lines


def _folded(word: str, width: int) -> list[str]:
    """Return the pieces of a word that fit, one at least."""
    if word.isascii():
        return [word[at : at + width] for at in range(0, max(len(word), 1), width)]
    pieces = [""]
    for character in word:
        if pieces[-1] and cells_of(pieces[-1] + character) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces


def cells_of(text: str) -> int:
    """Return the columns of a terminal that text of one line takes (Unicode Standard Annex 11)."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def _row(
    cells: Sequence[Text], widths: Sequence[int], numbers: Sequence[bool], styles: bool
) -> Iterator[str]:
    """Yield the lines of a row of a table; numbers stand right."""
    broken = [wrapped(cell.plain, width) for cell, width in zip(cells, widths, strict=True)]
    for parts in zip_longest(*broken, fillvalue=""):
        shown = []
        for cell, part, width, number in zip(cells, parts, widths, numbers, strict=True):
            space = " " * (width - cells_of(part))
            text = cell.styled(part) if styles else part
            shown.append(space + text if number else text + space)
        yield f" {_GAP.join(shown).rstrip()}"


def _as_text(cell: Cell) -> Text:
    return cell if isinstance(cell, Text) else Text(cell)


def _width(text: str) -> int:
    return max(map(cells_of, text.split("\n")))


def _whole(widths: Sequence[int]) -> int:
    """Return the columns that a table takes."""
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _shrink(widths: list[int], least: Sequence[int], room: int) -> None:
    """Make columns narrower until there is room, the widest together, none below its `least`."""
    while (over := _whole(widths) - room) > 0:
        left = [index for index, smallest in enumerate(least) if widths[index] > smallest]
        if not left:
            return
        most = max(widths[index] for index in left)
        widest = [index for index in left if widths[index] == most]
        below = max((widths[index] for index in left if widths[index] < most), default=0)
        below = max(below, *(least[index] for index in widest))
        step = min(over // len(widest), most - below)
        for index in widest if step else widest[:over]:
            widths[index] -= max(step, 1)


def _has_styles(file: TextIO) -> bool:
    """Return whether codes of styles may be sent (https://no-color.org)."""
    return file.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in (None, "dumb")


def _columns(file: TextIO) -> int:
    try:
        return os.get_terminal_size(file.fileno()).columns or 80
    except OSError:
        return 80
