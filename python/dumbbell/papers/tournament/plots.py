"""Heat maps: a controller in each row, a queue or a link in each column, the number in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from dumbbell.figures.style import STYLE, WIDTHS, as_label
from dumbbell.papers.tournament.measures import MEASURES, Measure, Place
from dumbbell.report import PlotSpec
from dumbbell.stats import Estimate
from dumbbell.study import StudyResult

LINKS = ("wired", "long-fat", "shallow", "cellular", "lossy", "data-centre")

_ROW = 0.24
"""Inches."""
_MANY = 8
"""Columns beyond which numbers are small and stand without intervals; the data has them."""


def _decimals(value: float) -> int:
    magnitude = abs(value)
    return 0 if magnitude >= 9.95 else 1 if magnitude >= 0.995 else 2


def written(found: Estimate) -> str:
    """Return a number as short as a cell needs it."""
    return f"{found.value:.{_decimals(found.value)}f}" if np.isfinite(found.value) else "-"


def half(found: Estimate) -> str:
    """Return the half width of the interval; empty without one, or where it is less than the last digit."""
    if found.low is None or found.high is None:
        return ""
    text = f"{(found.high - found.low) / 2:.{_decimals(found.value)}f}"
    return f" ±{text}" if float(text) else ""


def _norm(measure: Measure, values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Normalize:
    """Return the range of colours: fixed where the measure has ends, so that figures compare."""
    if measure.name == "wait":
        shown = values[np.isfinite(values) & (values > 0)]
        low, high = (float(shown.min()), float(shown.max())) if shown.size else (1.0, 10.0)
        return LogNorm(low, max(high, 1.01 * low))
    low, high = {"utilisation": (0.0, 100.0), "fairness": (0.5, 1.0), "harm": (0.0, 100.0)}[measure.name]
    return Normalize(low, high)


def _heat(measure: Measure, places: Sequence[Place], names: Sequence[str], result: StudyResult) -> Figure:
    """Draw a measure of all arms at these places."""
    arms = result.study.arms
    cells = [[measure.estimate(result, arm.name, place) for place in places] for arm in arms]
    values = np.array([[cell.value for cell in row] for row in cells], np.float64)
    many = len(places) > _MANY
    with mpl.rc_context(STYLE | {"axes.grid": False}):
        figure = Figure(figsize=(WIDTHS["double"], 0.9 + _ROW * len(arms)), layout="constrained")
        axes = figure.subplots()
        colours = mpl.colormaps["viridis" if measure.better == "high" else "viridis_r"]
        norm = _norm(measure, values)
        axes.imshow(values, aspect="auto", cmap=colours, norm=norm)
        for row, of_arm in enumerate(cells):
            for column, found in enumerate(of_arm):
                dark = not np.isfinite(found.value) or colours(norm(found.value))[1] < 0.55
                axes.text(
                    column, row, written(found) + ("" if many else half(found)), ha="center", va="center",
                    size=5.5 if many else 6.5, color="white" if dark else "black",
                )  # fmt: skip
        turned: Any = {"rotation": 45, "ha": "left"} if many else {}
        axes.set_xticks(range(len(names)), [as_label(name) for name in names], **turned)
        axes.set_yticks(range(len(arms)), [as_label(arm.label) for arm in arms])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return figure


def _over_queues(measure: Measure, link: str, result: StudyResult) -> Figure:
    queues = [str(queue) for queue in result.study.axis("queue").values]
    return _heat(measure, [Place(link, queue) for queue in queues], queues, result)


def _over_links(measure: Measure, result: StudyResult) -> Figure:
    links = [str(link) for link in result.study.axis("link").values]
    return _heat(measure, [Place(link, "droptail") for link in links], links, result)


def unit_of(measure: Measure) -> str:
    """Return the unit after a comma; empty without one."""
    return f", {measure.unit}" if measure.unit else ""


PLOTS = (
    *(
        PlotSpec(
            f"{measure.name}-links",
            f"{measure.title}{unit_of(measure)}: DropTail on every link",
            partial(_over_links, measure),
            f"A table in colours: for each controller and link, {measure.text}.",
        )
        for measure in MEASURES
    ),
    *(
        PlotSpec(
            f"{measure.name}-{link}",
            f"{measure.title}{unit_of(measure)}: every queue on the link {link}",
            partial(_over_queues, measure, link),
            f"A table in colours: for each controller and queue on the link {link}, {measure.text}.",
        )
        for link in LINKS
        for measure in MEASURES
    ),
)
