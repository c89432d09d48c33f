"""The tables of the thesis, published and ours side by side."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from dumbbell.papers.trump_rbcc.published import (
    DIGITS,
    LOSERS,
    MEASUREMENTS,
    NETWORKS,
    SWEEPS,
    Published,
    Sweep,
    published,
)
from dumbbell.report import TableData, TableSpec
from dumbbell.study import StudyResult

Floats = NDArray[np.float64]


def of_arm(result: StudyResult, metric: str, arm: str, losers: bool = False) -> Floats:
    """Return a number of each network, shape (networks,); `losers`: where the base loses packets."""
    seeds, values = result.values(metric, arm)
    if losers:
        theirs, lost = result.values("lost", "base")
        values = values[np.isin(seeds, theirs[lost > 0])]
    return values


def _text(measurement: str, found: Published) -> str:
    digits = DIGITS.get(measurement, 3)
    return f"{found.value:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def _scale(result: StudyResult) -> float:
    """Return what makes a sum over the networks of a study one over as many as published."""
    return NETWORKS / len(result.study.seeds)


def _ours(measurement: str, result: StudyResult) -> str:
    """Return the name of our row; of sums that are scaled it says so."""
    networks = len(result.study.seeds)
    scaled = measurement == "lost" and networks != NETWORKS
    return (
        f"{measurement}, ours, {networks} networks scaled to {NETWORKS}" if scaled else f"{measurement}, ours"
    )


def _summary(measurement: str, values: Floats, scale: float = 1.0) -> str:
    """Write the median with the range of 90 %, or the sum of what was lost, `scale` times."""
    values = values[np.isfinite(values)]
    if not values.size:
        return "-"
    low, high = np.quantile(values, [0.05, 0.95])
    value = values.sum() * scale if measurement == "lost" else np.median(values)
    return _text(measurement, Published(float(value), float(low), float(high)))


def _sweep(sweep: Sweep, result: StudyResult) -> TableData:
    rows = []
    for measurement in MEASUREMENTS:
        told = [published()[sweep.table, value, measurement] for value, _ in sweep.arms]
        rows.append((f"{measurement}, published", *(_text(measurement, entry) for entry in told)))
        ours = [of_arm(result, measurement, arm, sweep.table == LOSERS) for _, arm in sweep.arms]
        cells = (_summary(measurement, values, _scale(result)) for values in ours)
        rows.append((_ours(measurement, result), *cells))
    return TableData(("measurement", *(value for value, _ in sweep.arms)), tuple(rows))


_WITHIN = 1.5
"""The factor by which our ratio to the base may differ from the published one. choice: above most effects of
the thesis, and below the factors of 10 that an ordering lets pass."""


def _rounding(measurement: str) -> float:
    """Return how far a printed number may be from the one that was rounded."""
    return 0.0 if measurement == "lost" else 0.5 * 10.0 ** -DIGITS.get(measurement, 3)


def follows(measurement: str, sweep: Sweep, value: str, ours: float) -> bool:
    """Return whether our ratio to the base is within a factor of the published one, rounding allowed for."""
    base = next(value for value, arm in sweep.arms if arm == "base")
    row, of = (published()[sweep.table, which, measurement].value for which in (value, base))
    half = _rounding(measurement)
    least = max(row - half, 0.0) / (of + half)
    most = (row + half) / (of - half) if of > half else np.inf
    return bool(least / _WITHIN <= ours <= most * _WITHIN)


def ratio_to_base(result: StudyResult, measurement: str, sweep: Sweep, arm: str) -> float:
    """Return the median, or of `lost` the sum, of an arm over that of the base; not-a-number without one."""
    ours, base = (of_arm(result, measurement, which, sweep.table == LOSERS) for which in (arm, "base"))
    centre = np.sum if measurement == "lost" else np.median
    ours, base = ours[np.isfinite(ours)], base[np.isfinite(base)]
    if not ours.size or not base.size or not centre(base):
        return np.nan
    # Of rows with fewer networks, what each loses.
    each = (base.size / ours.size) if measurement == "lost" else 1.0
    return float(centre(ours) / centre(base) * each)


def _scores(result: StudyResult) -> TableData:
    rows = []
    for measurement in MEASUREMENTS:
        counts = []
        for sweep in SWEEPS:
            others = [(value, arm) for value, arm in sweep.arms if arm != "base"]
            ratios = [ratio_to_base(result, measurement, sweep, arm) for _, arm in others]
            hits = [follows(measurement, sweep, v, r) for (v, _), r in zip(others, ratios, strict=True)]
            counts.append((sum(hits), len(hits)))
        both = [tuple(map(sum, zip(*counts, strict=True)))]
        rows.append((measurement, *(f"{good} of {of}" for good, of in (*counts, *both))))
    return TableData(("measurement", *(f"table {sweep.table}" for sweep in SWEEPS), "all"), tuple(rows))


_BESIDE = ("base", "recommended", "reno", "vegas", "cubic", "cubic-codel", "dctcp", "rcp", "xcp")

_MORE = ("hiqueue_time", "avqueue_time", "finished")


def _beside(result: StudyResult) -> TableData:
    labels = [result.study.arm(arm).label for arm in _BESIDE]
    names = (*MEASUREMENTS, *_MORE)
    scale = _scale(result)
    rows = [(name, *(_summary(name, of_arm(result, name, arm), scale) for arm in _BESIDE)) for name in names]
    return TableData(("measurement", *labels), tuple(rows))


def _sum(result: StudyResult, arm: str) -> float:
    return float(of_arm(result, "lost", arm).sum()) * _scale(result)


def _inconsistencies(result: StudyResult) -> TableData:
    base, best, four = (_sum(result, arm) for arm in ("base", "recommended", "threshold-4"))
    fall = f"{100 * (1 - best / base):.0f} % fewer" if base else "nothing is lost"
    queues = {
        arm: float(np.median(of_arm(result, "hiqueue", arm)))
        for arm in ("base", "selacksize-4", "selacksize-16")
    }
    alphas = ", ".join(f"{value}: {_sum(result, arm):.0f}" for value, arm in SWEEPS[3].arms)
    rows = (
        (
            "(a) 11.10: a drop of 47 %",
            "551 to 259 is a drop of 53 %; 47 % are left",
            f"{base:.0f} to {best:.0f}: {fall}",
        ),
        (
            "(b) 11.5: T of 2, 3, 4, 5, 7 and 10",
            "the tables have 1, 2, 3, 5, 7 and 10; T = 4 is nowhere alone",
            f"T = 4 loses {four:.0f}, T = 5 loses {base:.0f}",
        ),
        (
            "(c) 11.7: larger acknowledgements make queues longer",
            "median of hiqueue 1.686 with 1, 1.285 with 4, 1.649 with 16",
            f"{queues['base']:.3f}, {queues['selacksize-4']:.3f}, {queues['selacksize-16']:.3f}",
        ),
        (
            "(d) 11.6: loss grows as alpha approaches 1",
            "only from 0.375 on; below, it explodes: 27389 at 0.125",
            alphas,
        ),
        (
            "(e) report of 1996: 1 bit/s to 1 Tbit/s are 9 powers of 10",
            "they are 12",
            "the fields hold all of them",
        ),
    )
    return TableData(("what the text says", "what its numbers say", "ours"), rows)


_NOTE = (
    "Median over the networks and, in parentheses, the range from the 5th to the 95th percentile. Of `lost` "
    f"the sum over {NETWORKS} networks; a study of fewer is scaled to as many."
)

TABLES = (
    TableSpec(
        "scores",
        "Rows whose ratio to the base is that of the thesis",
        _scores,
        f"Rows whose ratio to the base row is within a factor of {_WITHIN:g} of the published one: of "
        "medians over the networks, of `lost` of sums.",
        head=True,
    ),
    *(
        TableSpec(
            f"sweep-{sweep.table.replace('.', '-')}",
            f"{sweep.title} (table {sweep.table} of the thesis)",
            partial(_sweep, sweep),
            f"{_NOTE} Only the networks in which the base loses packets." if sweep.table == LOSERS else _NOTE,
        )
        for sweep in SWEEPS
    ),
    TableSpec(
        "beside",
        "The same messages under other transports",
        _beside,
        f"{_NOTE} Queues as arrivals make them are known where routers look at them only.",
    ),
    TableSpec("inconsistencies", "Where the thesis contradicts itself", _inconsistencies),
)
