"""`dumbbell study` and `dumbbell query`."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dumbbell._files.manifest import is_results
from dumbbell._files.names import readable
from dumbbell._files.read import read_toml
from dumbbell._files.text import shortened
from dumbbell._lookup import look_up
from dumbbell._printing import Output, Text, TextTable
from dumbbell.cli.common import (
    console,
    echo,
    json_option,
    memory_option,
    number,
    print_json,
    quiet_option,
    runs_options,
    tell_of_windows,
)
from dumbbell.cli.searching import search
from dumbbell.cli.watching import Live, live_options
from dumbbell.errors import DumbbellError, UnknownNameError

if TYPE_CHECKING:
    from dumbbell.claims import Claim, Judgement
    from dumbbell.stats import Estimate
    from dumbbell.study import Progress, Study, StudyResult
    from dumbbell.study.query import Answer
    from dumbbell.watch.study import WatchedStudy

_MOST_ROWS = 60
"""Larger tables are cut; all of it is there for `dumbbell query`."""


_LONGEST_CELL = 1000
"""Characters of a cell of an answer that are shown."""


class _Share(click.ParamType[tuple[int, int]]):
    name = "I/N"

    def convert(
        self, value: object, param: click.Parameter | None, context: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        try:
            index, count = map(int, str(value).split("/"))
        except ValueError:
            self.fail(f"{value!r} is not a share; write 3/40 for the third of forty", param, context)
        return index, count


@click.group()
def study() -> None:
    """Run grids of scenarios over seeds, and keep the results."""


study.add_command(search)


@study.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The folder of the study."
)
@click.option(
    "--shard",
    "share",
    type=_Share(),
    default=(1, 1),
    help="Run only this fixed share of the runs; to merge the folders of shares, copy them into one.",
)
@click.option("--companion", help="Run the further study of this name: one of [[companions]] in FILE.")
@click.option("--quick", is_flag=True, help="Run what [quick] leaves of the study.")
@click.option(
    "--until",
    "goal",
    metavar="width=2%",
    help="Run as many seeds as it takes until the half-width of the interval is that share of the mean.",
)
@runs_options
@memory_option
@json_option
@quiet_option
@live_options
def run(
    file: Path,
    output: Path,
    share: tuple[int, int],
    companion: str | None,
    quick: bool,
    goal: str | None,
    executor: str,
    workers: int | None,
    memory: int | None,
    as_json: bool,
    live: Live | None,
) -> None:
    """Run the study in FILE, or the runs of it that are missing.

    Where FILE has claims or figures, the claims are judged, and a report shows both. A FILE that ends in .py
    is a program: it runs with all your rights.
    """
    from dumbbell.cli.progress import study_progress
    from dumbbell.study import run_study

    start = time.perf_counter()
    with _in_lines(file):
        chosen = read_study(file, companion, quick)
        if goal is not None:
            from dumbbell.study.until import read_until

            chosen = read_until(chosen, goal)
        with ExitStack() as shown:
            watched = None if live is None else _watched(chosen, output, live, shown)
            with study_progress(chosen.name, watched) as show:
                result = run_study(
                    chosen, output, share=share, executor=executor, workers=workers, memory=memory,
                    progress=show,
                )  # fmt: skip
            tell_of_windows()
            declared = share == (1, 1) and bool(chosen.declared.claims or chosen.declared.figures)
            judged = _report(result, output, file, companion, quick, goal) if declared else []
            _tell(
                result,
                judged,
                show.last,
                time.perf_counter() - start,
                share,
                output,
                quick,
                declared,
                as_json,
            )
            if live is not None and watched is not None:
                watched.ended(result, output / "report.html" if declared else None)
                live.stay(watched.show)


def _watched(study: Study, output: Path, live: Live, shown: ExitStack) -> WatchedStudy:
    """Show a page of a study."""
    from dumbbell.watch.study import WatchedStudy

    watched = WatchedStudy(study, output, live.port)
    shown.enter_context(live.shown(watched.show))
    return watched


def _tell(
    result: StudyResult,
    judged: list[tuple[Claim, Judgement]],
    last: Progress | None,
    wall: float,
    share: tuple[int, int],
    output: Path,
    quick: bool,
    declared: bool,
    as_json: bool,
) -> None:
    """Print what came out."""
    if as_json:
        print_json(_facts(result) | _verdicts(judged))
        return
    out = console()
    print_result(out, result)
    if judged:
        from dumbbell.claims import claims_table
        from dumbbell.report import QUICK

        out.print(claims_table(judged, result, QUICK if quick else ""))
    if last is not None:
        out.print(f"{last.done:,} runs made in {wall:.1f} s, {last.reused:,} reused; code {result.version}")
    if share != (1, 1):
        out.print(f"share {share[0]}/{share[1]}: copy the folders of all shares into one")
    out.print(f"results in {output}", whole=True)
    if declared:
        out.print(f"report: {output / 'report.html'}", whole=True)


@contextmanager
def _in_lines(file: Path) -> Iterator[None]:
    """Print what is wrong with a study, one line each if there are many problems."""
    from dumbbell.study import StudyError

    try:
        yield
    except StudyError as error:
        if len(error.problems) == 1:
            raise
        echo(f"dumbbell: {file}: {len(error.problems)} problems", err=True)
        for problem in error.problems:
            echo(f"  {problem}", err=True)
        sys.exit(2)


def _report(
    result: StudyResult, output: Path, file: Path, companion: str | None, quick: bool, goal: str | None
) -> list[tuple[Claim, Judgement]]:
    """Judge the claims of the study file and write its report; return the claims with their judgements."""
    from dumbbell.report import QUICK, write_study_report

    words = ["dumbbell", "study", "run", readable(file.name), "-o", readable(output.name)]
    words += ["--companion", companion] if companion else []
    words += ["--quick"] if quick else []
    words += ["--until", goal] if goal is not None else []
    return write_study_report(
        output / "report.html", result, note=QUICK if quick else "", command=shlex.join(words)
    )


def _verdicts(judged: list[tuple[Claim, Judgement]]) -> dict[str, Any]:
    """Return the claims with their verdicts, as JSON types; nothing without claims."""
    claims = [
        {"id": claim.id, "verdict": judgement.verdict, "evidence": judgement.evidence}
        for claim, judgement in judged
    ]
    return {"claims": claims} if claims else {}


@study.command()
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
def status(folder: Path, as_json: bool) -> None:
    """Show how many runs of the study in FOLDER are finished, and its results so far."""
    from dumbbell.study import StudyResult

    result = StudyResult.load(folder)
    if as_json:
        print_json(_facts(result))
    else:
        print_result(console(), result)


def _facts(result: StudyResult) -> dict[str, Any]:
    """Return how far a study is, and each metric at each point with its interval, as JSON types."""
    from dataclasses import asdict

    from dumbbell.stats import CONFIDENCE
    from dumbbell.study.estimates import level

    study = result.study
    means = [
        {
            "arm": arm.name,
            "point": dict(point),
            "metric": metric.name,
            "unit": metric.unit,
            **asdict(level(result, metric.name, (arm.name, point))(CONFIDENCE)),
            "median": bool(result.why_median(arm.name, **point)),
            "repeated": result.repeated(arm.name, **point),
        }
        for point in study.points()
        for arm in study.arms
        for metric in study.metrics
    ]
    return {
        "name": study.name,
        "finished": result.finished,
        "expected": result.expected,
        "version": result.version,
        "notes": list(result.notes),
        "confidence": CONFIDENCE,
        "means": means,
    }


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("sql")
@click.option("--csv", is_flag=True, help="Write all rows as comma-separated values.")
@json_option
def query(folder: Path, sql: str, csv: bool, as_json: bool) -> None:
    """Query the study or the run in FOLDER in SQL.

    The tables of a study are runs, catalogue and shards. Those of a run are runs, flows, links and so on:
    docs/reference/results.md has them all.
    """
    from dumbbell.study import StudyResult
    from dumbbell.study.query import ask

    stamp = None if is_results(folder) else StudyResult.load(folder).stamp
    with ask(folder, sql) as answer:
        if csv or as_json:
            if stamp is not None:
                click.echo(stamp, err=True)
            (_write_csv if csv else _write_json)(answer)
        else:
            out = console()
            if stamp is not None:
                out.print(Text(stamp, "bold yellow"))
            _print_answer(out, answer)


def _write_csv(answer: Answer) -> None:
    import pyarrow as pa
    import pyarrow.csv

    try:
        with pyarrow.csv.CSVWriter(sys.stdout.buffer, answer.schema) as writer:
            for piece in answer:
                writer.write_batch(piece)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DumbbellError(f"--csv: {error}; ask for columns of numbers and text") from None


def _write_json(answer: Answer) -> None:
    """Write all rows, one object on a line: there may be more than memory holds."""
    for piece in answer:
        for row in piece.to_pylist():
            click.echo(json.dumps(row, ensure_ascii=False, default=str))


def _print_answer(out: Output, answer: Answer) -> None:
    """Print the first rows: the columns as the question has them, all of them, in its order."""
    import pyarrow as pa

    schema = answer.schema
    numeric = [pa.types.is_primitive(kind) and not pa.types.is_temporal(kind) for kind in schema.types]
    rows = chain.from_iterable(piece.to_pylist() for piece in answer)
    shown = [
        [number(v) if is_number else _text(v) for v, is_number in zip(row.values(), numeric, strict=True)]
        for row in islice(rows, _MOST_ROWS)
    ]
    out.print(TextTable("", schema.names, (), shown, numeric=numeric))
    if next(rows, None) is not None:
        out.print(f"the first {_MOST_ROWS} rows; --csv or --json writes all")


def _text(value: object) -> Text:
    return Text(shortened(str(value), _LONGEST_CELL))


def read_study(file: Path, companion: str | None = None, quick: bool = False) -> Study:
    """Return the study in a file, or a further study of it, in full or its quick form, all checked.

    Raises
    ------
    StudyError
        Everything wrong with it.
    DumbbellError
        If the file cannot be read.
    """
    from dumbbell.report import report_problems
    from dumbbell.study import Study, StudyError

    if file.suffix == ".py" and file.is_file():
        echo(f"note: {file} is a program, which runs with all your rights", err=True)
    try:
        found = Study.from_file(file)
    except FileNotFoundError:
        raise DumbbellError(f"{file}: no such file; give the path of a study") from None
    except OSError as error:
        raise DumbbellError(f"{file}: {error.strerror}; give the path of a readable study") from None
    try:
        # All of it is checked, also what is not run now.
        further = {name: found.companion(name) for name in found.companions}
        told = (problem for each in (found, *further.values()) for problem in report_problems(each))
        # Report a problem of a shared claim once.
        problems = list(dict.fromkeys(told))
        if problems:
            raise StudyError(problems)
        if companion is not None:
            found = look_up(further, companion, "the study has no companion")
        return found.quick() if quick else found
    except StudyError as error:
        raise StudyError([f"{file}: {problem}" for problem in error.problems]) from None
    except UnknownNameError as error:
        raise DumbbellError(f"{file}: {error}") from None


def is_study(file: Path) -> bool:
    """Return whether a file says that it is a study; what cannot be read is none."""
    try:
        values = read_toml(file)
    except (DumbbellError, OSError, ValueError):
        return False
    return "topology" not in values and not {"scenario", "metrics", "by_size"}.isdisjoint(values)


def check_study(file: Path, as_json: bool) -> None:
    """Check a study with every point, and its further studies; print how large each is.

    Parameters
    ----------
    file
        Of the study.
    as_json
        Print JSON instead of a table.
    """
    from dumbbell.study.plan import StudyPlan

    heads = ("study", "points", "arms", "seeds", "runs", "claims", "figures")
    rows: list[tuple[str, int, int, int, int, int, int]] = []
    with _in_lines(file):
        study = read_study(file)
        for each in (study, *(study.companion(name) for name in study.companions)):
            sizes = (len(each.points()), len(each.arms), len(each.seeds), len(StudyPlan(each)))
            rows.append((each.name, *sizes, len(each.declared.claims), len(each.declared.figures)))
    if as_json:
        print_json([dict(zip(heads, row, strict=True)) for row in rows])
        return
    out = console()
    out.print(Text(study.title, "bold"))
    out.print(TextTable("", heads[:1], heads[1:], [(row[0], *(f"{n:,}" for n in row[1:])) for row in rows]))


def print_result(out: Output, result: StudyResult) -> None:
    """Print how far a study is, and the mean of every metric at every point, with intervals."""
    from dumbbell.answers import answer, default_questions

    study = result.study
    out.print(Text(study.title, "bold"))
    if study.question:
        out.print(Text(study.question))
    if result.stamp is not None:
        out.print(Text(result.stamp, "bold yellow"))
    out.print(_means(result))
    if result.finished:
        out.print(str(answer(result, default_questions(study))))
    shape = f"{len(study.points())} points x {len(study.arms)} arms x {len(study.seeds)} seeds"
    early = "" if study.stop is None else f", at most; the stop rule needs {result.expected:,}"
    out.print(f"{result.finished:,} of {result.expected:,} runs finished ({shape}{early})")
    if study.stop is not None and result.complete:
        from dumbbell.study.until import outcome

        for line in outcome(result):
            out.print(line)
    for note in (*result.notes, *filter(None, [result.repetition, result.controls])):
        out.print(f"note: {note}")


def _means(result: StudyResult) -> TextTable:
    from dumbbell.stats import CONFIDENCE
    from dumbbell.study.estimates import level

    study = result.study
    named = [axis for axis in study.axes if isinstance(axis.values[0], str)]
    numbered = [axis for axis in study.axes if axis not in named]
    headings = [
        *(f"{axis.label} {axis.unit}".strip() for axis in numbered),
        "n",
        *(f"{metric.label} {metric.unit}".strip() for metric in study.metrics),
    ]
    choices = [(point, arm) for point in study.points() for arm in study.arms]
    rows: list[list[str | Text]] = []
    reasons: dict[str, None] = {}
    for point, arm in choices[:_MOST_ROWS]:
        estimates = [level(result, metric.name, (arm.name, point))(CONFIDENCE) for metric in study.metrics]
        reason = result.why_median(arm.name, **point)
        reasons.update({reason: None} if reason else {})
        runs = max((estimate.n for estimate in estimates), default=0)
        rows.append(
            [
                *(str(point[axis.name]) for axis in named),
                arm.label,
                *(number(point[axis.name]) for axis in numbered),
                "1, repeated" if result.repeated(arm.name, **point) else str(runs),
                *(_cell(estimate, "~" if reason else "") for estimate in estimates),
            ]
        )
    title = f"{'Mean, ~ median' if reasons else 'Mean'} [95 % interval] over seeds"
    note = "; ".join(f"~: {reason}" for reason in reasons)
    if len(choices) > _MOST_ROWS:
        title += f" (the first {_MOST_ROWS} of {len(choices)} rows)"
    return TextTable(title, [*(axis.label for axis in named), "arm"], headings, rows, note=note)


def _cell(estimate: Estimate, mark: str) -> Text:
    if estimate.n == 0:
        return Text("-", "dim")
    return Text(f"{mark}{estimate.short()}")
