"""Make again what follows from the runs of an archived study, and compare it with the archive."""

from __future__ import annotations

import html
import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from dumbbell._files.foreign import NotDataError, parse_json
from dumbbell.archive.citations import Citation, bibtex, citations
from dumbbell.claims import Claim, Judgement, claims_of, judge, write_claims
from dumbbell.errors import DumbbellError
from dumbbell.papers import Paper
from dumbbell.papers.paper import bibliography_of, paper_of
from dumbbell.report import QUICK, index_of, shown_figures, write_report
from dumbbell.report.parameter import study_algorithms
from dumbbell.study import Study, StudyError, StudyResult, derive
from dumbbell.study.files import DamagedError, decode
from dumbbell.study.plan import StudyPlan
from dumbbell.study.store import Catalogue

_MOST_NAMED = 3
"""Runs that a difference names."""

_NOTES = re.compile(r'<ul class="notes">((?:<li>[^<]*</li>)+)</ul>')
_COMMAND = re.compile(r'aria-label="Command to run it again"><code>([^<]*)</code>')
_CLAIMS = ("claims.json", "claims.md")


@dataclass
class Findings:
    """What came out of making things anew."""

    differences: list[str] = field(default_factory=list)
    """What is not as it must be: the file, or the run and the column."""
    unchecked: list[str] = field(default_factory=list)
    """What was not made anew, and why."""


def check_runs(found: Findings, folder: Path, catalogue: Catalogue, plan: StudyPlan, same_code: bool) -> None:
    """Check that the catalogue is that of ``study.json``, and that ids are those of the study's runs.

    Parameters
    ----------
    found
        Where to note what differs.
    folder
        The unpacked archive.
    catalogue
        That of the archive.
    plan
        Made anew of the archive's study and files.
    same_code
        Whether the archive was made by this version of the code: another one may give other ids.
    """
    stated = parse_json((folder / "study.json").read_bytes())["study"]
    if Study.from_folder(stated, folder) != catalogue.study:
        found.differences.append("study.json: not the study of the catalogue")
    ids, again = (table["run_id"].to_pylist() for table in (catalogue.table, plan.catalogue))
    if not same_code and not set(ids) & set(again):
        found.unchecked.append("run ids: made by another version of the code")
        return
    wrong = [number for number, (a, b) in enumerate(zip(ids, again, strict=True)) if a != b]
    for number in wrong[:_MOST_NAMED]:
        run = plan.run(number)
        place = ", ".join(
            [plan.study.arm(run.arm).label, *(f"{k} = {v}" for k, v in run.point.items()), f"seed {run.seed}"]
        )
        found.differences.append(f"catalogue.parquet: {place}: run_id is not that of this run")
    if len(wrong) > _MOST_NAMED:
        found.differences.append(f"catalogue.parquet: and {len(wrong) - _MOST_NAMED:,} more run ids")


def check_files(found: Findings, folder: Path, result: StudyResult, same_versions: bool) -> None:
    """Check the table of runs, claims, citations, the report and its figures against the runs of the shards.

    Parameters
    ----------
    found
        Where to note what differs.
    folder
        The unpacked archive.
    result
        Its runs; names of files in the scenario count from the archive.
    same_versions
        Whether everything that the archive was made with is here in the same version: if not, drawings and
        last digits may differ.
    """
    paper = paper_of(result.study.name)
    judged: list[tuple[Claim, Judgement]] = []
    whole = result
    if (folder / "claims.json").is_file():
        claims = claims_of(result.study) if paper is None else paper.claims()
        if not claims:
            found.unchecked.append("claims.json, claims.md: their rules are not in the archive")
            _check_counts(found, folder, result)
        else:
            try:
                whole = derive(result, paper.derived() if paper else ())
                judged = judge(claims, whole)
            except DumbbellError as error:
                found.differences.append(f"study.json: not the study of {result.study.name} ({error})")
                return
            _check_claims(found, folder, whole, judged, same_versions)
    _check_table(found, folder, whole)
    cited = folder / "CITATIONS.bib"
    if not cited.is_file():
        found.differences.append("CITATIONS.bib: is missing")
    elif cited.read_bytes() != bibtex(_cited(result.study)).encode():
        _differs(found, "CITATIONS.bib", same_versions)
    _check_report(found, folder, whole, judged, paper, same_versions)
    found.unchecked.append("ro-crate-metadata.json: the description of the archive")


def _cited(study: Study) -> list[Citation]:
    return citations(study_algorithms(study), bibliography_of(study.name))


def _differs(found: Findings, name: str, same_versions: bool) -> None:
    if same_versions:
        found.differences.append(f"{name}: not what the runs give")
    else:
        found.unchecked.append(f"{name}: other versions are here, and give another one")


def _check_counts(found: Findings, folder: Path, result: StudyResult) -> None:
    claims = _claims(folder)
    stated = {key: claims.get(key) for key in ("study", "version", "complete", "finished", "expected")}
    if stated != {
        "study": result.study.name, "version": result.version, "complete": result.complete,
        "finished": result.finished, "expected": result.expected,
    }:  # fmt: skip
        found.differences.append("claims.json: not of these runs")


def _claims(folder: Path) -> dict[str, Any]:
    """Return what ``claims.json`` says; empty if it is not there or no table."""
    if not (folder / "claims.json").is_file():
        return {}
    try:
        claims = parse_json((folder / "claims.json").read_bytes())
    except NotDataError:
        return {}
    return claims if isinstance(claims, dict) else {}


def _check_claims(
    found: Findings,
    folder: Path,
    result: StudyResult,
    judged: Sequence[tuple[Claim, Judgement]],
    same_versions: bool,
) -> None:
    stated = _claims(folder)
    note = QUICK if stated.get("note") == QUICK else ""
    with tempfile.TemporaryDirectory(prefix="dumbbell-verify-") as made:
        write_claims(judged, result, Path(made), note)
        again = json.loads((Path(made) / "claims.json").read_text(encoding="utf-8"))
        same = [(folder / name).is_file() and _same(folder / name, Path(made) / name) for name in _CLAIMS]
    verdicts = [entry["verdict"] for entry in again["claims"]]
    entries = stated.get("claims")
    said = (
        [entry.get("verdict") for entry in entries if isinstance(entry, dict)]
        if isinstance(entries, list)
        else []
    )
    for name, is_same in zip(_CLAIMS, same, strict=True):
        if not is_same:
            # Verdicts do not hang on last digits.
            _differs(found, name, same_versions or said != verdicts)


def _check_table(found: Findings, folder: Path, result: StudyResult) -> None:
    path = folder / "data" / "runs.parquet"
    if not path.is_file():
        return
    name = "data/runs.parquet"
    try:
        table = decode(path.read_bytes())
    except DamagedError as error:
        found.differences.append(f"{name}: {error}")
        return
    for column in result.table.column_names:
        if column not in table.column_names:
            found.differences.append(f"{name}: the column {column} is missing")
        elif not _equal(table[column], result.table[column]):
            found.differences.append(f"{name}: the column {column} is not that of the runs")
    more = [column for column in table.column_names if column not in result.table.column_names]
    if more:
        found.unchecked.append(
            f"{name}: derived columns, whose functions are not archived: {', '.join(more)}"
        )


def _equal(a: pa.ChunkedArray, b: pa.ChunkedArray) -> bool:
    """Whether two columns are the same, bit for bit."""
    if a.type != b.type or len(a) != len(b) or a.null_count != b.null_count:
        return False
    if a.type == pa.float64():
        a, b = (column.combine_chunks() for column in (a, b))
        masks = [column.is_null().to_numpy(zero_copy_only=False).tobytes() for column in (a, b)]
        bits = [column.fill_null(0.0).to_numpy().tobytes() for column in (a, b)]
        return bool(masks[0] == masks[1] and bits[0] == bits[1])
    return bool(a.equals(b))


def _check_report(
    found: Findings,
    folder: Path,
    result: StudyResult,
    judged: Sequence[tuple[Claim, Judgement]],
    paper: Paper | None,
    same_versions: bool,
) -> None:
    """Write the report anew. Notes and the command in it are not results: they are taken as they stand."""
    path = folder / "report.html"
    if not path.is_file():
        return
    if not same_versions or ((folder / "claims.json").is_file() and not judged):
        why = "their specification is not archived" if same_versions else "made with other versions"
        found.unchecked.append(f"report.html, figures: {why}")
        return
    page = path.read_text(encoding="utf-8", errors="replace")
    notes, command = _NOTES.search(page), _COMMAND.search(page)
    remarks = re.findall(r"<li>([^<]*)</li>", notes[1]) if notes else []
    result = replace(result, notes=tuple(map(html.unescape, remarks)))
    options: dict[str, Any] = {
        "command": html.unescape(command[1]) if command else "",
        "quick": _claims(folder).get("note") == QUICK,
    }
    with tempfile.TemporaryDirectory(prefix="dumbbell-verify-") as made:
        again = Path(made)
        if paper is not None and (folder / "claims.json").is_file():
            options |= {"sources": paper.sources(), "bibliography": paper.bibliography()}
            options["loading"] = paper.loading()
            shown = (paper.figures(), paper.maps(), paper.tables(), paper.plots())
            write_report(again / "report.html", result, judged, *shown, **options)
        else:
            options |= {"sources": result.study.declared.sources, "index": index_of(result.study)}
            write_report(again / "report.html", result, judged, shown_figures(result.study), **options)
        names = _drawn(again)
        if names != _drawn(folder):
            found.unchecked.append("report.html, figures: drawn by a specification that is not archived")
            return
        for name in ["report.html", *names]:
            if not _same(again / name, folder / name):
                found.differences.append(f"{name}: not what the runs give")


def _drawn(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob("figures/*"))


def _same(a: Path, b: Path) -> bool:
    return a.read_bytes() == b.read_bytes()


def plan_again(study: Study, version: str) -> StudyPlan:
    """Return the plan of an archived study.

    Raises
    ------
    StudyError
        If the study cannot be run, by this version of the code at least.
    """
    try:
        return StudyPlan(study, version)
    except StudyError as error:
        raise StudyError(f"study.json: {error.problems[0]}; get the archive again") from None
