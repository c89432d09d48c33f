"""Running the chapters: one study each, in a folder that goes on where it was."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

from dumbbell._extras import require
from dumbbell._files.folder import new_files
from dumbbell._files.names import readable
from dumbbell.claims import standing
from dumbbell.errors import DumbbellError, FolderError
from dumbbell.judge.candidate import Candidate, registered
from dumbbell.judge.chapter import Chapter, JudgeError
from dumbbell.judge.real import Kernel, real_form, run_real
from dumbbell.judge.words import (
    ALONE,
    CANDIDATE,
    Outcome,
    RowOutcome,
    gathered,
    outcome,
    with_harm,
    word_text,
)
from dumbbell.study import Arm, Progress, Study, StudyResult, run_study
from dumbbell.study.declared import Declared
from dumbbell.study.version import code_version

Stage: TypeAlias = Callable[[str, int, int], object]
"""Hears what is done besides runs, how much of it, and of how much."""


def _unseen(_what: str, _done: int, _total: int) -> None:
    """Nobody follows."""


_LABELS = {"cubic": "CUBIC", "newreno": "NewReno", "reno": "Reno", "dctcp": "DCTCP", "prague": "Prague"}
"""Of references, as publications write them."""


@dataclass(frozen=True)
class Judged:
    """A candidate, and the word of every chapter."""

    candidate: Candidate
    """Who was judged."""
    references: tuple[str, ...]
    """Names of controllers; words compare with the first."""
    quick: bool
    """Whether in the quick form."""
    version: str
    """Of the code."""
    outcomes: tuple[Outcome, ...]
    """In the order of chapters."""
    kernel: Kernel | None = None
    """Whose controllers were judged; ``None`` for those of the simulator."""

    @property
    def code(self) -> str:
        """The code that judged, and the kernel that ran."""
        return f"dumbbell {self.version}" + (f"; {self.kernel.name}" if self.kernel else "")

    @property
    def reference(self) -> str:
        """The label of the first reference."""
        return label_of(self.references[0])

    @property
    def harmful(self) -> bool:
        """Whether a chapter says *more harm*."""
        return any(entry.word == "more harm" for entry in self.outcomes)

    @property
    def failed(self) -> bool:
        """Whether runs of a chapter failed."""
        return any(entry.failed for entry in self.outcomes)

    def stands(self) -> dict[int, bool]:
        """Return whether *more harm* or *less harm* of a chapter stands with all chapters together (Holm)."""
        found: dict[int, bool] = {}
        there = [entry for entry in self.outcomes if entry.more and entry.less]
        for word, judged in (
            ("more harm", [entry.more for entry in there if entry.more]),
            ("less harm", [entry.less for entry in there if entry.less]),
        ):
            pairs = zip(there, standing(judged), strict=True)
            found |= {entry.chapter.number: bool(stands) for entry, stands in pairs if entry.word == word}
        return found


def label_of(name: str) -> str:
    """Return what pages call a reference."""
    return _LABELS.get(name, name)


def run_judge(
    candidate: Candidate,
    chapters: Sequence[Chapter],
    folder: str | os.PathLike[str],
    *,
    against: Sequence[str] = ("cubic", "newreno"),
    quick: bool = False,
    workers: int | None = None,
    memory: int | None = None,
    progress: Callable[[str], AbstractContextManager[Callable[[Progress], object]]],
    pages: bool = True,
    kernel: Kernel | None = None,
) -> Judged:
    """Run the chapters and give their words.

    Can be killed at any moment; finished runs are kept, and the same call goes on where it was. What fails in
    one chapter is said there, and leaves the others alone.

    Parameters
    ----------
    candidate
        Who is judged.
    chapters
        What to judge it by.
    folder
        Where each chapter has a folder of its own: that of a study, with a report.
    against
        Names of registered controllers; words compare with the first.
    quick
        Whether to run the quick form of each chapter.
    workers, memory
        As in :func:`dumbbell.study.run_study`.
    progress
        Makes what follows the runs of a chapter, from its title. What has a method ``stage``, as
        :class:`dumbbell.cli.progress.StudyProgress`, also hears of what precedes and follows the runs: what
        is done, how much of it, and of how much.
    pages
        Whether each chapter gets its page with figures, and the scenario that repeats the deciding row.
    kernel
        Runs all arms, on real packets: the candidate is one of
        :func:`kernel_candidate`. ``None``: the simulator runs them.

    Raises
    ------
    JudgeError
        If a reference is not registered.
    FolderError
        If the folder cannot be written.
    MissingExtraError
        If scipy, which the intervals need, is not installed.
    """
    # Otherwise each chapter would say that it is missing.
    require("scipy")
    for name in against:
        registered(name)
    folder = Path(folder)

    def run(chapter: Chapter, study: Study, show: Callable[[Progress], object], stage: Stage) -> StudyResult:
        place = folder / chapter.id
        if kernel is not None:
            return run_real(study, place, kernel, workers, show)
        stage("runs planned", 0, len(study.points()) * len(study.arms) * len(study.seeds))
        if candidate.foreign:
            _run_apart(study, place, workers, memory)
        return run_study(study, place, workers=workers, memory=memory, progress=show)

    outcomes: list[Outcome] = []
    for whole in chapters:
        chapter = whole if kernel is None else real_form(whole, quick)
        if chapter.study is None:
            outcomes.append(_without_runs(chapter, outcomes))
            continue
        with progress(f"{chapter.section} {chapter.title}") as show:
            stage: Stage = getattr(show, "stage", _unseen)
            try:
                study = study_of(chapter, candidate, against, quick and kernel is None)
                result = run(chapter, study, show, stage)
                stage("rows judged", 0, len(chapter.rows))
                found = outcome(result, chapter, against[0])
            except FolderError:
                raise
            except DumbbellError as error:
                why = str(error).splitlines()[0]
                outcomes.append(Outcome(chapter, "not judged", label_of(against[0]), why=why, failed=True))
                continue
            if pages:
                command = _command(candidate, kernel, quick, folder)
                found = _written(found, result, study, folder, quick, command, stage)
            outcomes.append(found)
    return Judged(candidate, tuple(against), quick, code_version(), tuple(outcomes), kernel)


def _command(candidate: Candidate, kernel: Kernel | None, quick: bool, folder: Path) -> str:
    """Return what makes the pages again."""
    name = shlex.quote(candidate.command) if kernel is None else f"--kernel {candidate.command}"
    options = " --virtual" * (kernel is not None and kernel.virtual is not None) + " --quick" * quick
    return f"dumbbell judge {name}{options} -o {shlex.quote(readable(folder.name))}"


def _run_apart(study: Study, place: Path, workers: int | None, memory: int | None) -> None:
    """Make the runs of a law from a library in a process of their own, which the law may end.

    Raises
    ------
    JudgeError
        If it did.
    """
    process = get_context("spawn").Process(target=_alone, args=(study, place, workers, memory))
    process.start()
    process.join()
    if process.exitcode:
        how = f"signal {-process.exitcode}" if process.exitcode < 0 else f"status {process.exitcode}"
        raise JudgeError(f"the law ended the process that ran it ({how}); see the line that it left")


def _alone(study: Study, place: Path, workers: int | None, memory: int | None) -> None:
    """Make runs; what a study refuses is said where they are read."""
    with suppress(DumbbellError):
        run_study(study, place, workers=workers, memory=memory)


def _without_runs(chapter: Chapter, before: Iterable[Outcome]) -> Outcome:
    if chapter.gathers:
        return gathered(chapter, list(before))
    return Outcome(chapter, "not judged", "", why=f"needs {'; '.join(chapter.needs)}")


def study_of(chapter: Chapter, candidate: Candidate, against: Sequence[str], quick: bool) -> Study:
    """Return the study of a chapter with its arms: the candidate, the references, and the others alone.

    Raises
    ------
    JudgeError
        If the chapter has no study.
    StudyError
        If it has no quick form.
    """
    if chapter.study is None:
        raise JudgeError(f"chapter {chapter.number} has no study; it needs {'; '.join(chapter.needs)}")
    study = chapter.study.quick() if quick else chapter.study

    def arm(name: str, label: str, setting: str) -> Arm:
        return Arm(name, label, tuple(text.replace("{controller}", setting) for text in chapter.candidate))

    more = [row.against for row in chapter.rows if row.against]
    names = list(dict.fromkeys([*against, *map(registered, more)]))
    arms = [arm(CANDIDATE, candidate.name, candidate.setting)]
    arms += [arm(name, label_of(name), name) for name in names]
    if chapter.alone:
        own = arm(ALONE, "alone", against[0])
        arms.append(replace(own, settings=(*own.settings, *chapter.alone)))
    return replace(study, arms=tuple(arms), declared=Declared())


def _written(
    found: Outcome, result: StudyResult, study: Study, folder: Path, quick: bool, command: str, stage: Stage
) -> Outcome:
    """Write the page of a chapter, and the scenario that repeats its deciding row."""
    from dumbbell.report import TableData, TableSpec, default_figures, write_report

    chapter = found.chapter
    place = folder / chapter.id
    shown = with_harm(result, chapter)
    rows = tuple(_cells(row) for row in found.rows)
    heads = ("metric", "word", "where", "comparison", "each")
    table = TableSpec("rows", "What makes the word", lambda _: TableData(heads, rows), head=True)
    columns = {row.column for row in chapter.rows}
    figures = [entry for entry in default_figures(shown.study) if entry.metric in columns]
    word = word_text(found.word, found.reference)
    missing = "".join(f" Not covered: {gap}." for gap in found.gaps)
    write_report(
        place / "report.html", shown, (), figures, tables=[table], title=f"{chapter.section} {chapter.title}",
        question=chapter.asks, answer=f"{study.arms[0].label}: {word}.{missing}", quick=quick,
        command=command, loading=_loading(chapter), progress=stage,
    )  # fmt: skip
    point = (found.decided or found.rows[0]).point
    settings = next(settings for there, settings in study.grid() if there == point)
    scenario = study.plan([*settings, *study.arms[0].settings, f"seed={study.seeds[0]}"])
    with new_files(place) as part:
        (part / "scenario.toml").write_text(scenario.to_toml(), encoding="utf-8")
    return replace(found, scenario=f"{chapter.id}/scenario.toml")


def _loading(chapter: Chapter) -> str:
    """Return lines of Python that make the result of a chapter in the folder of its page."""
    from dumbbell.report.code import LOADING

    if not any(row.kind == "harm" for row in chapter.rows):
        return LOADING
    return (
        "from dumbbell.judge import all_chapters\n"
        "from dumbbell.judge.words import with_harm\n"
        "from dumbbell.study import StudyResult\n"
        f"\nchapter = next(chapter for chapter in all_chapters() if chapter.id == {chapter.id!r})\n"
        'result = with_harm(StudyResult.load("."), chapter)  # the folder of this page\n'
    )


def _cells(row: RowOutcome) -> tuple[str, ...]:
    levels = "; ".join(f"{label} {level.short(row.unit)}" for label, level in row.levels)
    finding = row.finding
    comparison = f"{finding.quantity} {finding.estimate.short(row.unit)}"
    return (row.label, word_text(row.word, row.reference), finding.where or "-", comparison, levels)
