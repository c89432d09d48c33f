"""A paper and where it is found."""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dumbbell.claims import Claim
from dumbbell.errors import DumbbellError
from dumbbell.papers.quick import quick_study
from dumbbell.report import FigureSpec
from dumbbell.study import Study

_HERE = Path(__file__).parent

_ROW = re.compile(r"^\|\s*`([^`]+)`\s*\|[^|]*\|\s*([^|]+?)\s*\|\s*$", re.MULTILINE)
"""A row of the table of parameters in a README: path, value, source."""

_PUBLICATION = re.compile(r"^\[([A-Z]\d\d)\] ((?:.+\n?)+)", re.MULTILINE)
"""A publication at the end of a README: short name, text."""


class PaperError(DumbbellError, ValueError):
    """A paper that is not there, or whose folder is not as it should be."""


@dataclass(frozen=True)
class Paper:
    """A study, its claims and its figures."""

    folder: Path

    @property
    def name(self) -> str:
        """The name on the command line."""
        return self.folder.name.replace("_", "-")

    def study(self, quick: bool = False) -> Study:
        """Return the full study, or the quick one.

        Raises
        ------
        StudyError
            Everything wrong with ``study.toml``.
        PaperError
            If the study has another name than the folder.
        """
        study = Study.from_file(self.folder / "study.toml")
        if study.name != self.name:
            raise PaperError(
                f"{self.folder / 'study.toml'}: name {study.name!r} is not that of the folder; "
                f'write name = "{self.name}"'
            )
        return quick_study(study, self.folder / "quick.toml") if quick else study

    def claims(self) -> tuple[Claim, ...]:
        """Return the claims, in order."""
        return self._tuple("claims.py", "CLAIMS", Claim)

    def figures(self) -> tuple[FigureSpec, ...]:
        """Return the figures, in order."""
        return self._tuple("figures.py", "FIGURES", FigureSpec)

    def sources(self) -> dict[str, str]:
        """Return where each parameter comes from, by path: the rows of the table in ``README.md``."""
        text = (self.folder / "README.md").read_text(encoding="utf-8")
        return dict(_ROW.findall(text))

    def bibliography(self) -> dict[str, str]:
        """Return the publications that ``README.md`` lists, by the short names that its table uses."""
        text = (self.folder / "README.md").read_text(encoding="utf-8")
        return {short: " ".join(words.split()) for short, words in _PUBLICATION.findall(text)}

    def _tuple(self, file: str, name: str, kind: type[Any]) -> tuple[Any, ...]:
        path = self.folder / file
        spec = importlib.util.spec_from_file_location(f"_dumbbell_paper_{self.folder.name}_{path.stem}", path)
        assert spec is not None, "a file that ends in .py has a loader"
        assert spec.loader is not None, "a file that ends in .py has a loader"
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except FileNotFoundError:
            raise PaperError(f"{path}: no such file; a paper needs one") from None
        found = getattr(module, name, None)
        if not isinstance(found, tuple) or not found or not all(isinstance(entry, kind) for entry in found):
            raise PaperError(f"{path}: defines no {name}; write a tuple of {kind.__name__}")
        return found


def all_papers() -> list[Paper]:
    """Return the papers that come with the package, by name."""
    return [Paper(path.parent) for path in sorted(_HERE.glob("*/study.toml"))]


def find_paper(name: str | os.PathLike[str]) -> Paper:
    """Return a paper by its name, or by the path of its folder.

    Raises
    ------
    PaperError
        If there is none.
    """
    known = {paper.name: paper for paper in all_papers()}
    if str(name) in known:
        return known[str(name)]
    if (Path(name) / "study.toml").is_file():
        return Paper(Path(name).resolve())
    nearest = difflib.get_close_matches(str(name), known, n=1)
    remedy = f"did you mean {nearest[0]!r}?" if nearest else f"use one of {', '.join(known)}"
    raise PaperError(f"{name}: no such paper, and no folder with a study.toml; {remedy}")
