"""A paper and where it is found."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from dumbbell import _native
from dumbbell._files.foreign import blamed
from dumbbell._files.names import readable, real
from dumbbell._files.read import opened, read_text
from dumbbell._laws import LawName, law_name
from dumbbell.claims import Claim, claims_of
from dumbbell.errors import DumbbellError
from dumbbell.report import (
    FigureSpec,
    IndexRow,
    MapSpec,
    PlotSpec,
    TableSpec,
    default_figures,
    figures_of,
    index_of,
    report_problems,
)
from dumbbell.study import Arm, Derived, Metric, Study, StudyError, StudyResult

_HERE = Path(__file__).parent

_PROGRAMS = (
    "answers.py", "claims.py", "derived.py", "entrants.py", "figures.py", "maps.py", "metrics.py", "plots.py",
    "studies.py", "tables.py",
)  # fmt: skip
"""Of a folder, what is loaded as Python if it is there."""

_ROW = re.compile(r"^\|\s*`([^`]+)`\s*\|[^|]*\|\s*([^|]+?)\s*\|\s*$", re.MULTILINE)
"""A row of the table of parameters in a README: path, value, source."""

_PUBLICATION = re.compile(r"^\[([A-Z]\d\d)\] ((?:.+\n?)+)", re.MULTILINE)
"""A publication at the end of a README: short name, text."""


class PaperError(DumbbellError, ValueError):
    """A paper that is not there, or whose folder is not as it should be."""


@dataclass(frozen=True)
class Companion:
    """What Python adds to a further study of a paper: what computes."""

    name: str
    """The name in ``[[companions]]``."""
    study: Callable[[Study], Study] = lambda study: study
    """Changes the study that ``[[companions]]`` describes: metrics that are functions, what is registered."""
    figures: tuple[FigureSpec, ...] = ()
    """Before those of ``[[companions]]``."""
    claims: tuple[Claim, ...] = ()
    """Before those of ``[[companions]]``."""
    derived: tuple[Derived, ...] = ()
    """In place of the paper's."""
    maps: tuple[MapSpec, ...] = ()
    tables: tuple[TableSpec, ...] = ()
    plots: tuple[PlotSpec[StudyResult], ...] = ()
    answers: tuple[Callable[[StudyResult], str], ...] = ()
    """What it answers itself, in sentences made from the result."""


class _Files:
    """The files of the folder of a paper, each read once: by the paper and by its further studies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._modules: dict[str, ModuleType | None] = {}

    @cached_property
    def study(self) -> Study:
        """The first study of the folder, in full."""
        path, name = self._folder / "study.toml", self._folder.name.replace("_", "-")
        study = Study.from_file(path)
        if readable(self._folder.name) != self._folder.name:
            raise PaperError(f"{self._folder}: its name is not UTF-8; rename the folder")
        if study.name != name:
            raise PaperError(f'{path}: name {study.name!r} is not that of the folder; write name = "{name}"')
        more = self.tuple_of("metrics.py", "METRICS", Metric) or ()
        study = replace(study, metrics=(*study.metrics, *more))
        for grow in self.tuple_of("entrants.py", "GROWN", FunctionType) or ():
            study = grow(study)
        return study

    def tuple_of(self, file: str, name: str, kind: type[Any]) -> tuple[Any, ...] | None:
        """Return what a file of Python defines; ``None`` if there is no such file."""
        path = self._folder / file
        if file not in self._modules:
            self._modules[file] = self._load(path)
        module = self._modules[file]
        if module is None:
            return None
        found = getattr(module, name, None)
        if not isinstance(found, tuple) or not found or not all(isinstance(entry, kind) for entry in found):
            raise PaperError(f"{path}: defines no {name}; write a tuple of {kind.__name__}")
        return found

    def _load(self, path: Path) -> ModuleType | None:
        assert path.name in _PROGRAMS, "what runs is known before"
        try:
            opened(path).close()
        except FileNotFoundError:
            return None
        module_name = f"_dumbbell_paper_{readable(self._folder.name)}_{path.stem}"
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None, "a file that ends in .py has a loader"
        assert spec.loader is not None, "a file that ends in .py has a loader"
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except DumbbellError:
            raise
        except (Exception, SystemExit) as error:
            if self._folder.parent == _HERE:
                # A fault of the package itself.
                raise
            raise PaperError(f"{path}: {blamed(error, path)}") from None
        return module


@dataclass(frozen=True)
class Paper:
    """A study, its claims and its figures."""

    folder: Path
    companion: str = ""
    """Name of the further study; empty for the first one of the folder."""
    shared: _Files | None = field(default=None, repr=False, compare=False)
    """The files of the folder, as far as another of its studies has read them."""
    laws: tuple[str, ...] = ()
    """Laws of the user that take part, such as ``my.py:Mine``: each is one more arm."""

    @property
    def programs(self) -> tuple[Path, ...]:
        """Files of Python that run when the paper is used; none for a paper that comes with the package."""
        if self.folder.parent == _HERE:
            return ()
        return tuple(path for file in _PROGRAMS if (path := self.folder / file).exists())

    @property
    def name(self) -> str:
        """The name on the command line."""
        name = self.folder.name.replace("_", "-")
        return f"{name}-{self.companion}" if self.companion else name

    def study(self, quick: bool = False) -> Study:
        """Return the full study, or the quick one.

        Raises
        ------
        StudyError
            Everything wrong with ``study.toml``.
        PaperError
            If the study has another name than the folder.
        """
        if not quick:
            return self._full
        with self._placed():
            return self._full.quick()

    @cached_property
    def _full(self) -> Study:
        study = self._files.study
        with self._placed():
            if self.companion:
                study = replace(self._added.study(study.companion(self.companion)), name=self.name)
            if self.laws:
                study = replace(study, arms=(*study.arms, *self._entrants(study)))
            problems = report_problems(study, (entry.name for entry in self._derived(study)))
            if problems:
                raise StudyError(problems)
        return study

    def _entrants(self, study: Study) -> list[Arm]:
        """Return an arm for each law of the user."""
        from dumbbell.own.file import read_law

        known = {arm.name for arm in study.arms}
        if any(f"transport.controller={arm.name}" not in arm.settings for arm in study.arms):
            raise PaperError(
                f"--controller: {self.name} compares no controllers; reproduce the tournament with it"
            )
        arms = []
        for given in self.laws:
            path, law, _ = read_law(given)
            if law.name in known:
                raise PaperError(
                    f"--controller: {given}: {law.name} takes part already; name the law otherwise: "
                    f'class {law.label}(Controller, name="mine")'
                )
            known.add(law.name)
            named = law_name(given) or LawName(given, law.label)
            setting = f"transport.controller={named.setting(path.absolute())}"
            arms.append(Arm(law.name, law.name, (setting,)))
        return arms

    @contextmanager
    def _placed(self) -> Iterator[None]:
        """Name the file in what is wrong with a study made of it."""
        try:
            yield
        except StudyError as error:
            path = self.folder / "study.toml"
            raise StudyError([f"{path}: {problem}" for problem in error.problems]) from None

    @cached_property
    def _added(self) -> Companion:
        """What Python adds to the further study."""
        entries: tuple[Companion, ...] = self._optional("studies.py", "STUDIES", Companion)
        added = {entry.name: entry for entry in entries}
        return added.get(self.companion, Companion(self.companion))

    @cached_property
    def _files(self) -> _Files:
        return self.shared or _Files(self.folder)

    def claims(self) -> tuple[Claim, ...]:
        """Return the claims, in order: those that Python makes, then those of the study file."""
        made = self._added.claims if self.companion else self._optional("claims.py", "CLAIMS", Claim)
        return (*made, *claims_of(self._full))

    def figures(self) -> tuple[FigureSpec, ...]:
        """Return the figures, in order: those that Python makes, then those of the study file.

        Without any, and without plots, those of every metric against the longest axis.
        """
        made = self._added.figures if self.companion else self._optional("figures.py", "FIGURES", FigureSpec)
        found = (*made, *figures_of(self._full))
        return found if found or self.plots() else tuple(default_figures(self._full))

    def derived(self) -> tuple[Derived, ...]:
        """Return the derived metrics, in order; few papers have any.

        A further study that has all metrics of the paper has its derived ones too.
        """
        return self._derived(self._full)

    def _derived(self, study: Study) -> tuple[Derived, ...]:
        if self._added.derived:
            return self._added.derived
        whole = set(self._files.study.columns) <= set(study.columns)
        return self._optional("derived.py", "DERIVED", Derived) if whole else ()

    def loading(self) -> str:
        """Return lines of Python that make ``paper`` and, in the folder of its report, ``result``."""
        elsewhere = "  # the path of its folder" if self.programs else ""
        return (
            "from dumbbell.papers import find_paper\n"
            "from dumbbell.study import StudyResult, derive\n"
            f"\npaper = find_paper({self.name!r}){elsewhere}\n"
            'result = derive(StudyResult.load("."), paper.derived())  # the folder of this page\n'
        )

    def maps(self) -> tuple[MapSpec, ...]:
        """Return the maps, in order; few papers have any."""
        return self._added.maps if self.companion else self._optional("maps.py", "MAPS", MapSpec)

    def tables(self) -> tuple[TableSpec, ...]:
        """Return the tables that the paper makes itself, in order; few papers have any."""
        return self._added.tables if self.companion else self._optional("tables.py", "TABLES", TableSpec)

    def plots(self) -> tuple[PlotSpec[StudyResult], ...]:
        """Return the figures that the paper draws itself, in order; few papers have any."""
        return self._added.plots if self.companion else self._optional("plots.py", "PLOTS", PlotSpec)

    def index(self) -> tuple[IndexRow, ...]:
        """Return what shows each figure, table and claim of the publication, in its order."""
        return index_of(self._full)

    def answer(self, result: StudyResult) -> str:
        """Return what the paper answers itself, in sentences made from the result; few papers do."""
        made = (
            self._added.answers if self.companion else self._optional("answers.py", "ANSWERS", FunctionType)
        )
        return " ".join(make(result) for make in made)

    def companions(self) -> list[Paper]:
        """Return the further studies of the folder, in order; few papers have any.

        Raises
        ------
        PaperError
            If ``studies.py`` adds to one that the study file does not describe.
        """
        declared = self._files.study.companions
        for entry in self._optional("studies.py", "STUDIES", Companion):
            if entry.name not in declared:
                remedy = _native.suggest(entry.name, list(declared))
                path = self.folder / "studies.py"
                raise PaperError(f"{path}: study.toml has no companion {entry.name!r}; {remedy}")
        return [Paper(self.folder, name, self._files) for name in declared]

    def sources(self) -> dict[str, str]:
        """Return where each parameter comes from, by path: the table in ``README.md``, and the study file."""
        declared = self._full.declared
        readme = {} if declared.own_scenario else dict(_ROW.findall(self._readme()))
        return readme | dict(declared.sources)

    def bibliography(self) -> dict[str, str]:
        """Return the publications that ``README.md`` lists, by the short names that its table uses."""
        found = _PUBLICATION.findall(self._readme())
        return {short: " ".join(words.split()) for short, words in found}

    def _readme(self) -> str:
        path = self.folder / "README.md"
        try:
            return read_text(path)
        except FileNotFoundError:
            raise PaperError(f"{path}: no such file; a paper needs one") from None
        except UnicodeDecodeError as error:
            raise PaperError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None

    def _optional(self, file: str, name: str, kind: type[Any]) -> tuple[Any, ...]:
        return self._files.tuple_of(file, name, kind) or ()


def all_papers() -> list[Paper]:
    """Return the papers that come with the package, by name, each before its further studies."""
    papers = [Paper(path.parent) for path in sorted(_HERE.glob("*/study.toml"))]
    return [entry for paper in papers for entry in (paper, *paper.companions())]


def paper_of(study: str) -> Paper | None:
    """Return the paper that comes with the package and has the name of a study; ``None`` if there is none.

    Reads no study files but those of a folder whose name the study's begins with.
    """
    for path in sorted(_HERE.glob("*/study.toml")):
        paper = Paper(path.parent)
        if study == paper.name:
            return paper
        if study.startswith(f"{paper.name}-"):
            found = next((entry for entry in paper.companions() if entry.name == study), None)
            if found is not None:
                return found
    return None


def find_paper(name: str | os.PathLike[str]) -> Paper:
    """Return a paper by its name, or by the path of its folder.

    Raises
    ------
    PaperError
        If there is none.
    """
    found = paper_of(str(name))
    if found is not None:
        return found
    if (Path(name) / "study.toml").is_file():
        return Paper(real(Path(name)))
    remedy = _native.suggest(readable(str(name)), [paper.name for paper in all_papers()])
    raise PaperError(f"{name}: no such paper, and no folder with a study.toml; {remedy}")


def bibliography_of(study: str) -> dict[str, list[str]]:
    """Return the publications of the paper that comes with the package and has a study of this name.

    A dictionary of one paper, or of none: its name, and its publications as ``README.md`` has them.
    """
    name = study.partition(", ")[0]
    papers = [Paper(path.parent) for path in sorted(_HERE.glob("*/study.toml"))]
    found = [paper for paper in papers if name == paper.name or name.startswith(f"{paper.name}-")]
    return {paper.name: list(paper.bibliography().values()) for paper in found[-1:]}
