"""Reports: one HTML file that says what was asked, what was found, and how."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell._files.folder import new_files
from dumbbell.answers import answer as answer_of
from dumbbell.claims.family import family_note
from dumbbell.report.code import LOADING, code_of, own_code
from dumbbell.report.coincide import coincidences
from dumbbell.report.data import FigureData, figure_data, only_values, with_unit
from dumbbell.report.described import described
from dumbbell.report.errors import FigureError
from dumbbell.report.extras import PlotSpec, TableSpec
from dumbbell.report.html import Drawn, engine, render
from dumbbell.report.index import IndexRow, Target, lines_of
from dumbbell.report.map_figure import draw_map
from dumbbell.report.maps import Cell, MapData, MapSpec, map_data
from dumbbell.report.parameter import parameters, spread, study_algorithms, study_scenarios
from dumbbell.report.spec import FigureSpec, questions
from dumbbell.report.static import draw
from dumbbell.study.files import encode

if TYPE_CHECKING:
    from dumbbell.claims import Claim, Judgement, Verdict
    from dumbbell.stats import Estimate
    from dumbbell.study import Metric, Study, StudyResult

_VERDICT_SIGNS: dict[Verdict, str] = {"reproduced": "✓", "not reproduced": "✗", "inconclusive": "?"}

_QUICK = "few runs, so intervals are wide; the full study gives the figures to rely on."


def write_report(
    path: str | os.PathLike[str],
    result: StudyResult,
    judgements: Sequence[tuple[Claim, Judgement]] = (),
    figures: Sequence[FigureSpec] = (),
    maps: Sequence[MapSpec] = (),
    tables: Sequence[TableSpec] = (),
    plots: Sequence[PlotSpec[StudyResult]] = (),
    *,
    index: Sequence[IndexRow] = (),
    title: str = "",
    question: str = "",
    answer: str = "",
    quick: bool = False,
    sources: Mapping[str, str] | None = None,
    bibliography: Mapping[str, str] | None = None,
    command: str = "",
    loading: str = LOADING,
    progress: Callable[[str, int, int], object] = lambda _what, _done, _total: None,
) -> Path:
    """Write a report: one HTML file that needs nothing else, and files for print next to it.

    The figures are written as PNG and PDF into ``figures/`` and the table of runs as ``data/runs.parquet``,
    both next to the report. The same result gives the same bytes.

    Parameters
    ----------
    path
        Where to. A report that dumbbell has written there is replaced, whole or not at all.
    result
        What the study has found. If it is incomplete, the report says so on top and at every figure.
    judgements
        Claims and what became of them.
    figures
        What to draw.
    maps
        Which arm is best where; they stand before the figures.
    tables, plots
        What the study makes itself of the result: tables of text, and figures.
    index
        What shows each figure, table and claim of a publication; it stands at the head.
    title, question
        Those of the study by default.
    answer
        Sentences, before those that the figures which answer give (:class:`FigureSpec`).
    quick
        Whether the study was cut short on purpose; the report says so.
    sources
        Where the values that the study sets come from, by path: ``{"topology.bottleneck": "section 4.1"}``.
    bibliography
        Publications by the short names that `sources` uses: ``{"P12": "Panarello et al., ..."}``.
    command
        How to run it again.
    loading
        Lines of Python that make ``result`` in the folder of the report, and ``paper`` if it is of one: what
        the code of each figure begins with. With ``paper``, the figures, maps and plots are its own.
    progress
        Called before each figure: what is done, how much of it, and of how much.

    Returns
    -------
    Path
        The report.

    Raises
    ------
    FigureError
        If the study cannot give a figure, or the index points at what the report does not have.
    FolderError
        If the folder cannot be written, or holds files of these names that dumbbell has not written.
    """
    path = Path(path)
    kinds = (("figure", figures), ("map", maps), ("table", tables), ("plot", plots))
    _refuse_twins([(spec.id, kind) for kind, specs in kinds for spec in specs])
    claims = {claim.id: _claim_target(claim, judgement) for claim, judgement in judgements}
    lines = lines_of(index, targets((*plots, *figures), maps, tables), claims)
    data = [figure_data(result, spec) for spec in figures]
    stamp = "; ".join(filter(None, [result.stamp, "QUICK" if quick else ""]))
    with new_files(path.parent) as part:
        drawn, drawn_maps = [], []
        drawn_plots = []
        count = len(plots) + len(maps) + len(data)
        number = iter(range(count))
        for plot in plots:
            progress("figures drawn", next(number), count)
            code = own_code(loading, "plots", plot.id, "spec.draw(result)")
            drawn_plots.append(Drawn.of(plot, plot.draw(result), part, code, stamp))
        for spec in maps:
            progress("figures drawn", next(number), count)
            chart = map_data(result, spec)
            code = own_code(loading, "maps", spec.id, "draw_map(map_data(result, spec))")
            shown = Drawn.of(_Shown.of_map(chart), draw_map(chart), part, code, stamp, f"map-{spec.id}")
            drawn_maps.append(_map(chart, shown))
        for figure in data:
            progress("figures drawn", next(number), count)
            shown = Drawn.described_as(
                _Shown.of(figure), draw(figure, stamp), part, described(figure, code_of(figure.spec, loading))
            )
            drawn.append(_figure(figure, shown))
        progress("figures drawn", count, count)
        (part / "data").mkdir()
        (part / "data" / "runs.parquet").write_bytes(encode(result.table))
        text = _render(
            result, judgements, data, drawn=drawn, maps=drawn_maps, plots=drawn_plots,
            tables=[(number, table, table.make(result)) for number, table in enumerate(tables, start=1)],
            title=title or result.study.title or result.study.name, answer=answer,
            question=question or result.study.question,
            stamps=_stamps(result, quick), stamp=stamp, sources=sources or {},
            bibliography=bibliography or {}, command=command, index=lines,
        )  # fmt: skip
        (part / path.name).write_text(text, encoding="utf-8")
    return path


def targets(
    figures: Sequence[FigureSpec | PlotSpec[StudyResult]],
    maps: Sequence[MapSpec],
    tables: Sequence[TableSpec],
) -> dict[str, Target]:
    """Return what an index may point at, by id, numbered as on the page."""
    kinds = (("figure", "Figure", figures), ("map", "Map", maps), ("table", "Table", tables))
    return {
        spec.id: Target(f"{kind}-{spec.id}", f"{word} {number}. {spec.title}")
        for kind, word, specs in kinds
        for number, spec in enumerate(specs, start=1)
    }


def _claim_target(claim: Claim, judgement: Judgement) -> Target:
    return Target(f"claim-{claim.id}", f"{claim.id} {_VERDICT_SIGNS[judgement.verdict]}")


def _stamps(result: StudyResult, quick: bool) -> list[tuple[str, str]]:
    """Return what must stand on everything drawn from a result: a word and its explanation."""
    found = []
    if not result.complete:
        found.append(("INCOMPLETE", f"{result.finished:,} of {result.expected:,} runs are finished."))
    if quick:
        found.append(("QUICK", _QUICK))
    return found


def _refuse_twins(ids: Sequence[tuple[str, str]]) -> None:
    """Refuse ids that stand twice; they come with the kind of what has them."""
    seen: dict[str, str] = {}
    for name, kind in ids:
        if name in seen:
            both = f"two {kind}s have" if seen[name] == kind else f"a {seen[name]} and a {kind} have"
            raise FigureError(f"{kind} {name!r}: {both} this id; rename one")
        seen[name] = kind


def _render(
    result: StudyResult,
    judgements: Sequence[tuple[Claim, Judgement]],
    figures: Sequence[FigureData],
    *,
    drawn: Sequence[dict[str, Any]],
    answer: str,
    sources: Mapping[str, str],
    **context: Any,
) -> str:
    study = result.study
    places = parameters(study, sources)
    scenarios = study_scenarios(study)
    return render(
        "study.html.j2",
        **context,
        **engine([*context["plots"], *(entry["drawn"] for entry in (*context["maps"], *drawn))]),
        verdict_signs=_VERDICT_SIGNS,
        name=study.name,
        answer=answer,
        found=answer_of(result, questions(study, [figure.spec for figure in figures], bool(answer))),
        values=_values(result, figures),
        claims=[(claim, judgement, _decider(judgement)) for claim, judgement in judgements],
        claims_summary=_claims_summary(judgements),
        figures=drawn,
        intervals_note=_intervals_note(figures),
        design=_design(study),
        chosen=[place for place in places if place.origin != "default"],
        defaults=[place for place in places if place.origin == "default"],
        algorithms=study_algorithms(study),
        provenance=_provenance(result, {name: scenario.plan_hash for name, scenario in scenarios.items()}),
        notes=result.notes,
        data_files=["data/runs.parquet"],
    )


def _values(result: StudyResult, figures: Sequence[FigureData]) -> list[tuple[str, str]]:
    """Return a sentence for each arm: the ends of its lines in figures that answer, or its only values."""
    study = result.study
    answering = [figure for figure in figures if figure.spec.answers] or figures[:1]
    found = []
    for arm in study.arms:
        lines = [(figure, line) for figure in answering for line in figure.lines if line.arm == arm.name]
        texts = [_ends(study, figure, line.estimates) for figure, line in lines]
        if not study.axes:
            texts = [
                f"{metric.label}: {value.text(metric.unit)}"
                for metric, value in only_values(result, arm.name)
            ]
        if texts:
            found.append((arm.label, f"{'; '.join(texts)}."))
    return found


def _ends(study: Study, figure: FigureData, estimates: Sequence[Estimate | None]) -> str:
    axes = [(study.axis(name), value) for name, value in figure.spec.at.items()]
    place = ", ".join(f"{axis.label} {value} {axis.unit}".rstrip() for axis, value in axes)
    name = f"{figure.y_name} at {place}" if place else figure.y_name
    there = [
        (value, estimate)
        for value, estimate in zip(figure.x_values, estimates, strict=True)
        if estimate is not None
    ]
    if not there:
        return f"{name}: no value yet"
    ends = there if figure.categories or len(there) < 2 else [there[0], there[-1]]
    texts = [f"{estimate.text(figure.unit)} at {figure.x_name} {value}" for value, estimate in ends]
    return f"{name}: {', '.join(texts)}"


def _decider(judgement: Judgement) -> str:
    """Write the estimate that decided, in the unit of the comparison that it comes from."""
    if judgement.estimate is None:
        return ""
    unit = next((found.unit for found in judgement.details if found.estimate == judgement.estimate), "")
    return f"{judgement.estimate.text(unit)}; {judgement.estimate.method}"


def _claims_summary(judgements: Sequence[tuple[Claim, Judgement]]) -> str:
    counts = Counter(judgement.verdict for _, judgement in judgements)
    parts = [f"{counts[verdict]} {verdict}" for verdict in _VERDICT_SIGNS if counts[verdict]]
    count = f"{len(judgements)} {'claim' if len(judgements) == 1 else 'claims'}: {', '.join(parts)}."
    return f"{count} {family_note(judgements)}".rstrip()


def _intervals_note(figures: Sequence[FigureData]) -> str:
    estimates = [
        estimate for figure in figures for line in figure.lines for estimate in line.estimates if estimate
    ]
    with_interval = [estimate for estimate in estimates if estimate.interval]
    if not with_interval:
        return "One run at each point: no intervals."
    methods = "; ".join(dict.fromkeys(estimate.method for estimate in with_interval))
    return f"Bars and bands are {100 * with_interval[0].confidence:g} % intervals over seeds ({methods})."


@dataclass(frozen=True)
class _Shown:
    """What a page says of a figure."""

    id: str
    title: str
    text: str
    """For those who cannot see it."""
    note: str = ""

    @classmethod
    def of(cls, figure: FigureData) -> _Shown:
        text = f"{figure.y_label} against {figure.x_label}; the data are in the table below"
        return cls(figure.spec.id, figure.spec.title, text)

    @classmethod
    def of_map(cls, chart: MapData) -> _Shown:
        text = f"The best arm by {chart.spec.y_label} and {chart.x_label}; the cells are in the table below"
        return cls(chart.spec.id, chart.spec.title, text, chart.spec.note)


def _figure(figure: FigureData, drawn: Drawn) -> dict[str, Any]:
    """Return what the template needs of a figure."""
    spec = figure.spec
    rows = []
    remarks: dict[str, list[str]] = {}
    for index, x in enumerate(figure.x_values):
        cells = []
        for line in figure.lines:
            estimate = line.estimates[index]
            cells.append(_cells(estimate))
            if estimate is not None and estimate.note and estimate.interval:
                remarks.setdefault(estimate.note, []).append(f"{line.label} at {x}")
        rows.append((str(x), cells))
    return {
        "drawn": drawn,
        "notes": [*([spec.note] if spec.note else []), *coincidences(figure)],
        "x_label": figure.x_label,
        "y_label": figure.y_label,
        "statistic": "ratio" if spec.relative_to else spec.statistic,
        "lines": figure.lines,
        "rows": rows,
        "remarks": [f"{', '.join(places)}: {note}" for note, places in remarks.items()],
    }


def _map(chart: MapData, drawn: Drawn) -> dict[str, Any]:
    """Return what the template needs of a map; the largest value of the quantity is its first row."""
    rows = zip(reversed(chart.spec.y_values), reversed(chart.cells), strict=True)
    return {
        "drawn": drawn,
        "x_label": chart.x_label,
        "y_label": chart.spec.y_label,
        "score_label": with_unit(chart.spec.score_label, chart.spec.unit),
        "x_values": [str(x) for x in chart.x_values],
        "rows": [(f"{y:g}", [_map_cell(cell) for cell in cells]) for y, cells in rows],
    }


def _map_cell(cell: Cell | None) -> str:
    return f"{cell.label}{'' if cell.sure else ' (unsure)'}: {cell.score.text()}" if cell else "-"


def _cells(estimate: Estimate | None) -> tuple[str, str, str, str]:
    if estimate is None:
        return ("-", "-", "-", "0")
    low, high = (f"{end:.4g}" for end in estimate.interval) if estimate.interval else ("-", "-")
    return (f"{estimate.value:.4g}", low, high, str(estimate.n))


def _design(study: Study) -> list[tuple[str, str]]:
    rows = [
        (f"Axis {axis.label}", f"{spread([str(v) for v in axis.values])} {axis.unit}".strip())
        for axis in study.axes
    ]
    rows.append(("Arms", "; ".join(arm.label for arm in study.arms)))
    seeds = spread([str(seed) for seed in study.seeds])
    rows.append(("Seeds", f"{seeds}; arms see the same arrivals at the same seed"))
    rows.append(("Metrics", "; ".join(_metric(metric) for metric in study.metrics)))
    if study.by_size:
        bins = f"in {len(study.by_size.up_to)} bins of flow size"
        rows.append(("By size", f"{'; '.join(_metric(metric) for metric in study.by_size.metrics)}; {bins}"))
    if study.stop:
        bound = (
            f"{100 * study.stop.half_width:g} % of the mean"
            if study.stop.relative
            else f"{study.stop.half_width:g}"
        )
        rows.append(
            (
                "Stops early",
                f"a point ends after at least {study.stop.minimum} seeds, once the "
                f"{100 * study.stop.confidence:g} % interval of {study.stop.metric} is within {bound}",
            )
        )
    return rows


def _metric(metric: Metric) -> str:
    better = f", {metric.better} is better" if metric.better else ""
    return with_unit(metric.label, metric.unit) + better


def _provenance(result: StudyResult, plans: Mapping[str, str]) -> list[tuple[str, str]]:
    study = result.study
    ids = sorted(result.table["run_id"].to_pylist())
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()
    rows = [
        ("Code version", result.version),
        ("Runs", f"{result.finished:,} of {result.expected:,}"),
        (
            "Points",
            f"{len(result.points()):,}, each under {len(study.arms)} arms and {len(study.seeds)} seeds",
        ),
        ("Runs digest", f"{digest} (SHA-256 of the sorted run ids)"),
    ]
    rows += [(f"Plan, {arm.label}", f"{plans[arm.name]} (first point and seed)") for arm in study.arms]
    return rows
