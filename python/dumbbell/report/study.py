"""The report of a study by its file alone: its claims, figures and index."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dumbbell.claims import Claim, Judgement, claims_of, judge, write_claims
from dumbbell.report.code import loading_from
from dumbbell.report.declared import figures_of, index_of
from dumbbell.report.page import write_report
from dumbbell.report.spec import FigureSpec, default_figures

if TYPE_CHECKING:
    from dumbbell.study import Study, StudyResult


def shown_figures(study: Study) -> list[FigureSpec]:
    """Return the figures that the file of a study declares; without any, those of every metric.

    Parameters
    ----------
    study
        Of a file, or of a folder.
    """
    return list(figures_of(study)) or default_figures(study)


def write_study_report(
    path: str | os.PathLike[str],
    result: StudyResult,
    *,
    note: str = "",
    command: str = "",
    folder: str = ".",
    progress: Callable[[str, int, int], object] = lambda _what, _done, _total: None,
) -> list[tuple[Claim, Judgement]]:
    """Judge the claims that the file of a study declares, and write the report with its figures.

    Parameters
    ----------
    path
        Of the report. With claims, ``claims.json`` and ``claims.md`` stand next to it.
    result
        Of the study, whole or not.
    note
        What a reader must know first; a quick study has one.
    command
        How to run it again.
    folder
        Where the code of the figures finds the study, as seen from the folder of the report.
    progress
        As in :func:`dumbbell.report.write_report`.

    Returns
    -------
    list
        The claims with their judgements.

    Raises
    ------
    ClaimError, FigureError
        If the study has not what a claim or a figure names.
    FolderError
        If the folder cannot be written.
    """
    study, path = result.study, Path(path)
    judged = judge(claims_of(study), result, progress)
    if judged:
        write_claims(judged, result, path.parent, note)
    write_report(
        path, result, judged, shown_figures(study), index=index_of(study), quick=bool(note),
        sources=study.declared.sources, command=command, loading=loading_from(folder), progress=progress,
    )  # fmt: skip
    return judged
