"""Run the study of a paper and judge its claims."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from dumbbell._files.names import readable
from dumbbell.answers import Answer, answer
from dumbbell.claims import Claim, Judgement, judge, write_claims
from dumbbell.papers.paper import Paper
from dumbbell.report import QUICK, questions
from dumbbell.study import Progress, StudyResult, derive, run_study
from dumbbell.study.declared import Declared


@dataclass(frozen=True)
class Reproduction:
    """What came out."""

    result: StudyResult
    answer: Answer
    """What the study answers."""
    judged: list[tuple[Claim, Judgement]]
    report: Path
    """The HTML file."""
    note: str
    """What a reader must know first; empty if nothing."""


def reproduce(
    paper: Paper,
    folder: str | os.PathLike[str],
    *,
    quick: bool = True,
    executor: str = "threads",
    workers: int | None = None,
    memory: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    stage: Callable[[str, int, int], object] = lambda _what, _done, _total: None,
) -> Reproduction:
    """Run the study of a paper, judge its claims, draw its figures and write its report.

    Parameters
    ----------
    paper
        From :func:`find_paper`.
    folder
        The folder of the study, made if need be. What it holds already is not run again. ``claims.json``,
        ``claims.md``, ``report.html``, ``figures/`` and ``data/`` appear in it.
    quick
        Whether to run the quick study; what comes out says so.
    executor, workers, memory, progress
        As in :func:`dumbbell.study.run_study`.
    stage
        Called before what follows or precedes the runs, as this may take minutes: what is done, how much
        of it, and of how much.

    Raises
    ------
    PaperError, StudyError, FolderError
        What is wrong with the paper or the folder.
    """
    # Draws, which takes a second to load: a list of papers does without.
    from dumbbell.report import write_report

    folder = Path(folder)
    study, claims, figures = paper.study(quick), paper.claims(), paper.figures()
    derived, maps, sources = paper.derived(), paper.maps(), paper.sources()
    stage("runs planned", 0, len(study.points()) * len(study.arms) * len(study.seeds))
    # What a report of the folder alone could not show stays out of it: Python is not in there.
    bare = replace(study, declared=Declared())
    result = run_study(bare, folder, executor=executor, workers=workers, memory=memory, progress=progress)
    result = derive(result, derived)
    judged = judge(claims, result, stage)
    note = QUICK if quick else ""
    write_claims(judged, result, folder, note)
    kind = "--quick" if quick else "--full"
    laws = "".join(f" --controller {shlex.quote(law)}" for law in paper.laws)
    command = f"dumbbell reproduce {paper.name} {kind}{laws} -o {shlex.quote(readable(folder.name))}"
    own = paper.answer(result)
    report = write_report(
        folder / "report.html", result, judged, figures, maps, paper.tables(), paper.plots(),
        index=paper.index(), answer=own, quick=quick, sources=sources,
        bibliography=paper.bibliography(), command=command, loading=paper.loading(), progress=stage,
    )  # fmt: skip
    found = answer(result, questions(study, figures, bool(own)))
    if own:
        found = replace(found, findings=(("", own), *found.findings))
    return Reproduction(result, found, judged, report, note)
