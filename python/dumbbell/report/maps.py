"""Maps: which arm is best, over an axis of a study and a quantity that is varied after the runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from dumbbell import stats
from dumbbell.figures.style import COLOURS, STYLE, WIDTHS, as_label, stamp_on
from dumbbell.report.spec import FigureError, Value

if TYPE_CHECKING:
    from dumbbell.stats import Estimate
    from dumbbell.study import Arm, StudyResult

Floats = NDArray[np.float64]

_ROW_HEIGHT = 0.22
"""Inches."""

_PALE = 0.45
"""How much of an arm's colour a cell has whose best arm is not surely the best."""


@dataclass(frozen=True)
class MapSpec:
    """For each value of an axis and of a quantity: the arm with the highest score."""

    id: str
    """Short and unique in the report."""
    title: str
    x: str
    """Name of the axis of the study."""
    y_label: str
    """The quantity."""
    y_values: tuple[float, ...]
    """In rising order."""
    score: Callable[[Mapping[str, Floats], float], Floats]
    """From the metrics of an arm at a point, each of shape (seeds,), and a value of the quantity to scores of
    shape (seeds,): higher is better; all not-a-number rules the arm out."""
    score_label: str
    arms: tuple[str, ...]
    """Names of the arms to choose from; of equal ones the first is best."""
    unit: str = ""
    at: Mapping[str, Value] = field(default_factory=dict)
    """Values of the other axes, by name."""
    note: str = ""
    """A sentence under the map."""


@dataclass(frozen=True)
class Cell:
    """The best arm at a point."""

    slot: int
    """Position of the arm in the study."""
    label: str
    """Of the arm."""
    score: Estimate
    sure: bool
    """Whether its score is above that of every other arm by more than chance: a paired 95 % interval."""


@dataclass(frozen=True)
class MapData:
    """What to draw."""

    spec: MapSpec
    x_label: str
    x_values: tuple[Value, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    """For each value of the quantity, one for each value of the axis; ``None`` where no arm has a score."""


def map_data(result: StudyResult, spec: MapSpec) -> MapData:
    """Return the cells of a map.

    Raises
    ------
    FigureError
        If the study has no such axis or arm, or the map leaves another axis open.
    """
    study = result.study
    try:
        axis, arms = study.axis(spec.x), [study.arm(name) for name in spec.arms]
        others = {entry.name: spec.at.get(entry.name) for entry in study.axes if entry is not axis}
    except KeyError as error:
        raise FigureError(f"map {spec.id!r}: the study has no axis or arm {error.args[0]!r}") from None
    open_axes = [name for name, value in others.items() if value is None]
    if open_axes:
        raise FigureError(f"map {spec.id!r}: axis {open_axes[0]!r} is open; give its value in `at`")
    columns = [
        {arm.name: _metrics(result, arm, {**others, axis.name: value}) for arm in arms}
        for value in axis.values
    ]
    cells = [tuple(_best(result, spec, arms, metrics, y) for metrics in columns) for y in spec.y_values]
    x_label = f"{axis.label} ({axis.unit})" if axis.unit else axis.label
    return MapData(spec, x_label, tuple(axis.values), tuple(cells))


def _metrics(result: StudyResult, arm: Arm, point: Mapping[str, Value | None]) -> dict[str, Floats]:
    return {m.name: result.values(m.name, arm.name, **point)[1] for m in result.study.metrics}


def _best(
    result: StudyResult, spec: MapSpec, arms: list[Arm], metrics: Mapping[str, Mapping[str, Floats]], y: float
) -> Cell | None:
    scores = {arm.name: spec.score(metrics[arm.name], y) for arm in arms}
    means = {name: float(np.mean(values)) for name, values in scores.items() if values.size}
    there = [arm for arm in arms if math.isfinite(means.get(arm.name, math.nan))]
    if not there:
        return None
    best = max(there, key=lambda arm: means[arm.name])
    sure = all(_above(scores[best.name], scores[other.name]) for other in there if other.name != best.name)
    slot = list(result.study.arms).index(best)
    return Cell(slot, best.label, stats.mean(scores[best.name]), sure)


def _above(a: Floats, b: Floats) -> bool:
    if a.shape != b.shape:
        return False
    low = stats.paired_difference(a, b).low
    return low is not None and low > 0


def draw_map(data: MapData, stamp: str = "") -> Figure:
    """Draw a map: one cell for each point in the colour of its best arm, with its score.

    Parameters
    ----------
    data
        The cells.
    stamp
        What to write across the top; nothing if empty.
    """
    rows, columns = len(data.cells), len(data.x_values)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTHS["double"], 1.1 + _ROW_HEIGHT * rows), layout="constrained")
        axes = figure.subplots()
        axes.grid(visible=False)
        seen: dict[int, str] = {}
        for row, line in enumerate(data.cells):
            for column, cell in enumerate(line):
                if cell is None:
                    continue
                seen[cell.slot] = cell.label
                colour = _shade(cell)
                axes.add_patch(
                    Rectangle((column, row), 1, 1, facecolor=colour, edgecolor="white", linewidth=0.5)
                )
                axes.text(
                    column + 0.5, row + 0.5, f"{cell.score.value:.0f}", ha="center", va="center",
                    fontsize=6, color=_ink(colour),
                )  # fmt: skip
        axes.set_xlim(0, columns)
        axes.set_ylim(0, rows)
        axes.set_xticks(
            [column + 0.5 for column in range(columns)],
            [f"{x:g}" if not isinstance(x, str) else as_label(x) for x in data.x_values],
        )
        axes.set_yticks([row + 0.5 for row in range(rows)], [f"{y:g}" for y in data.spec.y_values])
        axes.set_xlabel(as_label(data.x_label))
        axes.set_ylabel(data.spec.y_label)
        stamp_on(figure, stamp)
        handles = [
            Patch(color=COLOURS[slot % len(COLOURS)], label=as_label(label))
            for slot, label in sorted(seen.items())
        ]
        if handles:
            figure.legend(handles=handles, loc="outside upper left", ncols=4, columnspacing=1.2)
    return figure


def _shade(cell: Cell) -> tuple[float, float, float]:
    red, green, blue = to_rgb(COLOURS[cell.slot % len(COLOURS)])
    part = 1.0 if cell.sure else _PALE
    return (1 - part * (1 - red), 1 - part * (1 - green), 1 - part * (1 - blue))


def _ink(colour: tuple[float, float, float]) -> str:
    """Return black or white, whichever is easier to read on a colour (WCAG 2.2, relative luminance)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "white"
