"""No interval that a paper shows leaves the possible range of its quantity."""

import ast
import functools
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import dumbbell
from dumbbell import papers
from dumbbell.claims import Level, Ratio, judge
from dumbbell.report import figure_data
from dumbbell.stats import CONFIDENCE
from dumbbell.study import StudyResult, derive
from dumbbell.study.estimates import level, scored

PAPERS = {paper.name: paper for paper in papers.all_papers()}

FEW = 4
"""Seeds: intervals of so few are wide."""

UNBOUNDED = {
    *(
        f"net-{of}-{what}-{share}"
        for of in ("goodput", "time", "time-bounded")
        for what in ("fs", "dvs")
        for share in (0, 25, 50, 75)
    ),
    "of-longest-sleep",
    "load",
    "sum_goodput",
    "throughput",
}
"""What may be as large as it likes: growth of a time, offered load, what a claim holds to 100, and rates of
transfers that each have a time of their own."""


@pytest.fixture(params=PAPERS, ids=str)
def paper(request):
    return PAPERS[request.param]


def far_apart(study):
    """A result of runs that are as far apart as can be: half of them at either end of what is possible."""
    bare = StudyResult(study, pa.table({}), 0, "0.0.0")
    rng = np.random.default_rng(5)
    places = [(arm.name, point) for point in study.points() for arm in study.arms]
    table = {
        "run_id": [f"{arm}{point}{number}" for arm, point in places for number in range(FEW)],
        "arm": [arm for arm, _ in places for _ in range(FEW)],
        "seed": list(range(FEW)) * len(places),
    }
    table |= {axis.name: [point[axis.name] for _, point in places for _ in range(FEW)] for axis in study.axes}
    for name in study.columns:
        ends = np.repeat([bare.possible(name, arm, **point) for arm, point in places], FEW, axis=0)
        table[name] = between(*ends.T, rng)
    return StudyResult(study, pa.table(table), len(table["seed"]), "0.0.0")


def between(low, high, rng):
    """Values at one of the ends, or draws that have no end where there is none; all of shape (runs,)."""
    far = rng.pareto(0.7, size=low.size)
    beyond = np.where(np.isfinite(low), low + far, np.where(np.isfinite(high), high, 0.0) - far)
    return np.where(
        np.isfinite(low) & np.isfinite(high), np.where(rng.random(low.size) < 0.5, low, high), beyond
    )


@functools.cache
def derived(paper):
    return derive(far_apart(paper.study(quick=True)), paper.derived())


@functools.cache
def quick(paper):
    # Derived metrics of such runs could be anything: they are as far apart as they can be, too.
    return far_apart(derived(paper).study)


def inside(estimate, low, high):
    if estimate.interval is None:
        return True
    slack = 1e-9 * max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0)
    return low - slack <= estimate.low <= estimate.high <= high + slack


def test_figures_stay_within(paper):
    result = quick(paper)
    shown = cut = 0
    for spec in paper.figures():
        data = figure_data(result, spec)
        of_metric = result.having(spec.metric)
        for line in data.lines:
            for x, estimate in zip(data.x_values, line.estimates, strict=True):
                if estimate is None:
                    continue
                at = {axis.name: axis.values[0] for axis in of_metric.study.axes}
                low, high = of_metric.possible(spec.metric, line.arm, **{**at, **spec.at, spec.x: x})
                if spec.relative_to:
                    low, high = 0.0 if low >= 0 else -math.inf, math.inf
                assert inside(estimate, low * spec.factor, high * spec.factor), (
                    spec.id,
                    line.arm,
                    x,
                    estimate,
                )
                shown += 1
                cut += estimate.interval is not None and estimate.low == low * spec.factor
    assert shown == 0 or cut > 0, "the runs lie too close together for this test to fail"


def test_claims_stay_within(paper):
    result = quick(paper)
    for claim, judgement in judge(paper.claims(), result):
        of_metric = result.having(claim.metric)
        ends = [
            of_metric.possible(claim.metric, arm.name, **point)
            for arm in of_metric.study.arms
            for point in of_metric.points()
        ]
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        for finding in judgement.details:
            if isinstance(claim.rule, Level):
                assert inside(finding.estimate, low, high), (claim.id, finding)
            elif isinstance(claim.rule, Ratio):
                assert inside(finding.estimate, 0.0 if low >= 0 else -math.inf, math.inf), (claim.id, finding)
            else:
                assert inside(finding.estimate, low - high, high - low), (claim.id, finding)


def test_percentages_and_rates_have_both_ends(paper):
    result = derived(paper)
    by_size = result.study.by_size
    metrics = [*result.study.metrics, *(by_size.metrics if by_size else ())]
    ended = [m for m in metrics if (m.unit == "%" or "bit/s" in m.unit) and m.name not in UNBOUNDED]
    for metric in ended:
        of_metric = result.having(metric.name)
        for arm in of_metric.study.arms:
            low, high = of_metric.possible(metric.name, arm.name, **of_metric.points()[0])
            assert math.isfinite(low), metric.name
            assert math.isfinite(high), metric.name


def test_incast_has_no_more_than_the_line_rate():
    # Payload of 1448 of 1500 bytes at 1 Gbit/s; two servers that halve their windows now and then.
    study = PAPERS["incast-classic"].study(quick=True)
    rng = np.random.default_rng(3)
    rows = [
        {"run_id": f"{arm.name}{point}{seed}", "arm": arm.name, "seed": seed, **point}
        | {name: float(rng.choice([460, 910])) if name == "goodput" else 1.0 for name in study.columns}
        for seed in study.seeds[:3]
        for point in study.points()
        for arm in study.arms
    ]
    result = StudyResult(study, pa.Table.from_pylist(rows), len(rows), "0.0.0")
    ends = [level(result, "goodput", ("linux", point))(CONFIDENCE).high for point in study.points()]
    assert max(end for end in ends if end is not None) == pytest.approx(1000 * 1448 / 1500, abs=0.5)


def test_a_run_refutes_a_range_that_is_declared():
    values = np.array([0.2, 0.4, 1.5])
    found = scored(values, (0.0, 1.0))(CONFIDENCE)
    assert found.low == 0.0
    assert found.high > 1.5


STATISTICS = {"mean", "median", "quantile", "difference", "paired_difference", "paired_ratio"}


def test_intervals_of_studies_are_made_in_one_place():
    package = Path(dumbbell.__file__).parent
    makers = {}
    for part in ("study", "answers", "claims", "report", "papers", "cli"):
        for path in (package / part).rglob("*.py"):
            calls = {
                node.func.attr
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "stats"
            }
            if calls & STATISTICS:
                makers[path.relative_to(package).as_posix()] = calls & STATISTICS
    # That place is the first. The second asks for widths and the last for a sign, which they do not show; the
    # third says that there is nothing.
    assert makers == {
        "study/estimates.py": {"mean", "paired_difference"},
        "study/stop.py": {"mean"},
        "claims/rules.py": {"mean"},
        "report/maps.py": {"paired_difference"},
    }
