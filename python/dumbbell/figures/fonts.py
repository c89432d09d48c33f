"""Fonts in PDF files: one part of a font serves all figures of a process."""

from __future__ import annotations

import inspect
import io
import string
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from matplotlib.font_manager import get_font

_COMMON = string.ascii_letters + string.digits + string.punctuation + " \u2212\u00b5\u2026\u2192"
"""Characters of nearly every figure: fonts that hold one hold all of them."""

_Cut = Callable[[str, Iterable[int]], AbstractContextManager[Any]]
"""Cuts a font down to glyphs, as Matplotlib does it."""


@dataclass(frozen=True)
class _Part:
    font: Any
    glyph_index_map: dict[int, int]


@contextmanager
def shared() -> Iterator[None]:
    """Cut fonts once for all PDF files, and without their tables of ligatures and kerning.

    Nothing reads these tables there: Matplotlib names and places each glyph. Cutting a font takes longer than
    drawing a figure.
    """
    from fontTools.subset import Options
    from matplotlib.backends import _backend_pdf_ps

    fonts: Any = _backend_pdf_ps
    dropped, cut = Options._drop_tables_default, fonts.get_glyphs_subset
    Options._drop_tables_default = [*dropped, "GDEF", "GPOS", "GSUB"]
    # Before Matplotlib 3.11, it takes characters.
    if "glyphs" in inspect.signature(cut).parameters:
        fonts.get_glyphs_subset = partial(_part, cut)
    try:
        yield
    finally:
        Options._drop_tables_default, fonts.get_glyphs_subset = dropped, cut


@contextmanager
def _part(cut: _Cut, fontfile: str, glyphs: Iterable[int]) -> Iterator[_Part]:
    from fontTools.ttLib import TTFont

    wanted, common = frozenset(glyphs), _common(fontfile)
    text, places = _cut_down(cut, fontfile, wanted | common if wanted & common else wanted)
    with TTFont(io.BytesIO(text), recalcBBoxes=False, recalcTimestamp=False) as font:
        yield _Part(font, places)


@lru_cache(maxsize=32)
def _cut_down(cut: _Cut, fontfile: str, glyphs: frozenset[int]) -> tuple[bytes, dict[int, int]]:
    with cut(fontfile, glyphs) as found, io.BytesIO() as buffer:
        found.font.save(buffer, reorderTables=False)
        return buffer.getvalue(), dict(found.glyph_index_map)


@lru_cache(maxsize=32)
def _common(fontfile: str) -> frozenset[int]:
    font = get_font(fontfile)
    return frozenset(font.get_char_index(ord(character)) for character in _COMMON) - {0}
