"""Pages without their drawings for print, which take half of the time that a page takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dumbbell.report import html


@contextmanager
def unprinted() -> Iterator[None]:
    """Write the words of a figure as its PNG and PDF: for tests of pages and archives."""

    def save(figure: Any, stem: Path, formats: Iterable[str]) -> list[Path]:
        words = "; ".join(text.get_text() for text in figure.findobj(lambda part: hasattr(part, "get_text")))
        paths = [stem.with_name(f"{stem.name}.{suffix}") for suffix in formats]
        for path in paths:
            path.write_text(f"{path.name}: {words}", encoding="utf-8")
        return paths

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html, "save", save)
        yield
