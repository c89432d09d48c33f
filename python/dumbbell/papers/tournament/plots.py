"""Heat maps: a controller in each row, a queue or a link in each column, the number in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import Colormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from dumbbell.figures.style import STYLE, WIDTHS, as_label
from dumbbell.papers.tournament.measures import MEASURES, Measure, Place
from dumbbell.report import PlotSpec
from dumbbell.stats import Estimate
from dumbbell.study import StudyResult

LINKS = ("wired", "long-fat", "shallow", "cellular", "lossy", "data-centre")

_ROW = 0.24
"""Inches."""
_INTERVAL = "± is half of the 95 % interval, where there is room for it."
_MANY = 8
"""Columns beyond which numbers are small and stand without intervals; the data has them."""


def _decimals(measure: Measure, value: float) -> int:
    """Return the decimals of a cell: an index has two, a time two digits that count, a share two at most."""
    if measure.name == "fairness":
        return 2
    steps = (9.95, 0.995, 0.0995, 0.00995) if measure.name == "wait" else (9.95, 0.995)
    return next((places for places, least in enumerate(steps) if abs(value) >= least), len(steps))


def written(measure: Measure, found: Estimate) -> str:
    """Return a number as short as a cell needs it."""
    value = found.value
    return f"{value:.{_decimals(measure, value) if value else 0}f}" if np.isfinite(value) else "-"


def half(measure: Measure, found: Estimate) -> str:
    """Return the half width of the interval; empty without one, or where it is less than the last digit."""
    if found.low is None or found.high is None:
        return ""
    width = (found.high - found.low) / 2
    text = f"{width:.{min(_decimals(measure, found.value), _decimals(measure, width))}f}"
    return f" ±{text}" if float(text) else ""


def _colours(measure: Measure) -> Colormap:
    """Return the colours: yellow is good; of harm, white is an equal share and red is more than that."""
    if measure.name == "harm":
        return mpl.colormaps["RdBu_r"]
    return mpl.colormaps["viridis" if measure.better == "high" else "viridis_r"]


def _is_dark(colour: tuple[float, float, float, float]) -> bool:
    """Return whether white letters are easier to read on it, by its luminance (ITU-R BT.709)."""
    red, green, blue, _ = colour
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5


def _norm(measure: Measure, values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Normalize:
    """Return the range of colours: fixed where the measure has ends, so that figures compare."""
    if measure.name == "wait":
        shown = values[np.isfinite(values) & (values > 0)]
        low, high = (float(shown.min()), float(shown.max())) if shown.size else (1.0, 10.0)
        return LogNorm(low, max(high, 1.01 * low))
    low, high = {"utilisation": (0.0, 100.0), "fairness": (0.5, 1.0), "harm": (0.0, 100.0)}[measure.name]
    return Normalize(low, high)


def _heat(
    measure: Measure, places: Sequence[Place], names: Sequence[str], kind: str, result: StudyResult
) -> Figure:
    """Draw a measure of all arms at these places."""
    arms = result.study.arms
    cells = [[measure.estimate(result, arm.name, place) for place in places] for arm in arms]
    values = np.array([[cell.value for cell in row] for row in cells], np.float64)
    many = len(places) > _MANY
    with mpl.rc_context(STYLE | {"axes.grid": False}):
        figure = Figure(figsize=(WIDTHS["double"], 1.5 + _ROW * len(arms)), layout="constrained")
        axes = figure.subplots()
        colours = _colours(measure)
        norm = _norm(measure, values)
        # A rectangle for each cell: an image has a colour for each dot, a third of the time of a figure.
        image = axes.pcolormesh(values, cmap=colours, norm=norm, snap=True)
        axes.invert_yaxis()
        bar = figure.colorbar(
            image, ax=axes, location="bottom", aspect=60, pad=0.01, label=measure.title + unit_of(measure)
        )
        if isinstance(norm, LogNorm):
            # Plain numbers: the style has no formulas in texts.
            bar.formatter = bar.minorformatter = LogFormatter(labelOnlyBase=False)
        for row, of_arm in enumerate(cells):
            for column, found in enumerate(of_arm):
                # A number that is missing leaves its cell white.
                dark = np.isfinite(found.value) and _is_dark(colours(norm(found.value)))
                text = written(measure, found) + ("" if many else half(measure, found))
                axes.text(
                    column + 0.5, row + 0.5, text, ha="center", va="center",
                    size=5.5 if many else 6.5, color="white" if dark else "black",
                )  # fmt: skip
        turned: Any = {"rotation": 45, "ha": "left"} if many else {}
        axes.set_xticks(np.arange(len(names)) + 0.5, [as_label(name) for name in names], **turned)
        axes.set_yticks(np.arange(len(arms)) + 0.5, [as_label(arm.label) for arm in arms])
        axes.set_xlabel(kind)
        axes.xaxis.set_label_position("top")
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return figure


def _over_queues(measure: Measure, link: str, result: StudyResult) -> Figure:
    queues = [str(queue) for queue in result.study.axis("queue").values]
    return _heat(
        measure, [Place(link, queue) for queue in queues], queues, f"queue, on the link {link}", result
    )


def _over_links(measure: Measure, result: StudyResult) -> Figure:
    links = [str(link) for link in result.study.axis("link").values]
    return _heat(measure, [Place(link, "droptail") for link in links], links, "link, over DropTail", result)


def unit_of(measure: Measure) -> str:
    """Return the unit after a comma; empty without one."""
    return f", {measure.unit}" if measure.unit else ""


PLOTS = (
    *(
        PlotSpec(
            f"{measure.name}-links",
            f"{measure.title}{unit_of(measure)}: DropTail on every link",
            partial(_over_links, measure),
            f"A table in colours: for each controller and link, {measure.text}. {_INTERVAL}",
        )
        for measure in MEASURES
    ),
    *(
        PlotSpec(
            f"{measure.name}-{link}",
            f"{measure.title}{unit_of(measure)}: every queue on the link {link}",
            partial(_over_queues, measure, link),
            f"A table in colours: for each controller and queue on link {link}, {measure.text}. {_INTERVAL}",
        )
        for link in LINKS
        for measure in MEASURES
    ),
)
