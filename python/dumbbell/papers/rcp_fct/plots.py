"""The plots of [K16], and figure 6 of [D06] as far as [K16] and [Y14] show it: panels, ranges, legends.

Matplotlib is loaded by what draws: a list of papers draws nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dumbbell import stats, theory
from dumbbell.papers.rcp_fct.reference import CAPACITY, LOAD, RTT, Floats, bins
from dumbbell.report import PlotSpec
from dumbbell.study import StudyResult
from dumbbell.study.estimates import level

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class _Curve(NamedTuple):
    label: str
    arm: str
    metric: str
    colour: int
    published: str = ""
    """Name of the digitised curve; empty if there is none."""


class _Panel(NamedTuple):
    x: tuple[float, float]
    y: tuple[float, float]
    x_label: str
    y_label: str
    curves: tuple[_Curve, ...]
    lines: tuple[str, ...]
    """Formulas, in the order of the legend."""
    log_x: bool = False
    one_packet: bool = False
    """Whether the line of slow start ends with the time of one packet, as in plot.pl of [T16]."""


_SHARING, _SLOW_START = "Processor Sharing", "Slow Start"


def line_as_printed(which: str, at: Floats, one_packet: bool) -> Floats:
    """Return a formula as the plots have it, up to the receiver: without the half round trip of the figures.

    Parameters
    ----------
    which
        ``Processor Sharing`` or ``Slow Start``.
    at
        Sizes in packets, shape (sizes,).
    one_packet
        Whether slow start ends with the time of one packet, as plot.pl of [T16] has it, and not of all.

    Returns
    -------
    Floats
        Seconds, shape (sizes,).
    """
    if which == _SHARING:
        return theory.sharing_line(at, CAPACITY, LOAD, RTT)
    slow = theory.slow_start_line(at, CAPACITY, RTT)
    return slow - (at - 1) / CAPACITY if one_packet else slow


def _draw_curve(axes: Axes, curve: _Curve, panel: _Panel, result: StudyResult) -> None:
    """Draw means over seeds with their intervals, then the published averages of the same bins."""
    from dumbbell.figures.style import COLOURS

    by_size, colour = result.by_size, COLOURS[curve.colour]
    # The study has the bins of the digitised figure.
    sizes = [entry.size for entry in bins("rcp") if panel.x[0] <= entry.size <= panel.x[1]]
    found = [
        level(by_size, curve.metric, (curve.arm, {"flow_size": size}))(stats.CONFIDENCE) for size in sizes
    ]
    means = [estimate.value for estimate in found]
    ends = np.array([estimate.interval or (np.nan, np.nan) for estimate in found])
    axes.plot(sizes, means, color=colour, marker="x", markersize=3, linewidth=0.8, label=curve.label)
    axes.fill_between(sizes, ends[:, 0], ends[:, 1], color=colour, alpha=0.2, linewidth=0)
    if not curve.published:
        return
    told = [entry for entry in bins(curve.published) if panel.x[0] <= entry.size <= panel.x[1]]
    medians = np.array([entry.median for entry in told])
    spread = np.abs(np.array([entry.ends for entry in told]).T - medians)
    axes.errorbar(
        [entry.size for entry in told], medians, spread, fmt="o", color=colour, markerfacecolor="white",
        markersize=2.8, markeredgewidth=0.6, linewidth=0.6, zorder=4, label=f"{curve.label}, published",
    )  # fmt: skip


@contextmanager
def _framed(panel: _Panel) -> Iterator[tuple[Figure, Axes]]:
    """Make a figure whose curves are drawn within; formulas, axes and legend follow."""
    import matplotlib as mpl
    from matplotlib.ticker import MultipleLocator

    from dumbbell.figures.style import COLOURS, STYLE, name_lines, new_figure, plain_log

    figure, (axes,) = new_figure(1, "double", 3.6)
    with mpl.rc_context(STYLE):
        yield figure, axes
        at = np.geomspace(max(panel.x[0], 1), panel.x[1], 400)
        for which in panel.lines:
            colour, dash = (COLOURS[1], "-") if which == _SHARING else (COLOURS[6], "--")
            axes.plot(
                at, line_as_printed(which, at, panel.one_packet), color=colour, linestyle=dash, label=which
            )
        if panel.log_x:
            plain_log(axes.xaxis)
        else:
            axes.xaxis.set_major_locator(MultipleLocator(200))
        plain_log(axes.yaxis)
        axes.set_xlim(*panel.x)
        axes.set_ylim(*panel.y)
        axes.set_xlabel(panel.x_label)
        axes.set_ylabel(panel.y_label)
        # Matplotlib names lines first, in the order of the printed legend, and then points with bars.
        name_lines(figure, [axes])


def _draw(panel: _Panel, result: StudyResult) -> Figure:
    with _framed(panel) as (figure, axes):
        for curve in panel.curves:
            _draw_curve(axes, curve, panel, result)
    return figure


def draw_sizes(name: str, averages: Mapping[str, tuple[Floats, Floats]]) -> Figure:
    """Draw a plot of the reproduction size by size, as it does.

    Parameters
    ----------
    name
        ``normal`` or ``log``.
    averages
        By protocol, ``rcp`` and ``tcp``: sizes in packets and average completion times in s, both of shape
        (sizes,).
    """
    from dumbbell.figures.style import COLOURS

    _, panel = _OF_K16[name]
    with _framed(panel) as (figure, axes):
        for curve in panel.curves:
            axes.plot(
                *averages[curve.arm], color=COLOURS[curve.colour], marker="x", markersize=2.5, linewidth=0.4,
                markeredgewidth=0.5, label=curve.label,
            )  # fmt: skip
    return figure


_RCP = _Curve("RCP", "rcp", "afct_by_65", 0, "rcp")
_TCP = _Curve("TCP", "tcp", "afct_by_10", 2, "tcp")

_SIZE, _TIME = "Flow Size (in packets)", "Average Completion Time (in seconds)"

_OF_K16 = {
    "normal": (
        "Average Flow Completion Times (Log scale in Y)",
        _Panel((1, 2000), (0.1, 10), _SIZE, _TIME, (_RCP, _TCP), (_SHARING, _SLOW_START), one_packet=True),
    ),
    "log": (
        "Average Flow Completion Times (Log scale in X and Y)",
        _Panel(
            (1, 100_000), (0.1, 10), _SIZE, _TIME, (_RCP, _TCP), (_SHARING, _SLOW_START), True, True,
        ),
    ),
}  # fmt: skip
"""By the name of the plot."""


def _three(metric: str, published: bool) -> tuple[_Curve, ...]:
    return (
        _Curve("TCP", "tcp", metric, 2, "tcp" if published else ""),
        _Curve("XCP", "xcp", metric, 3),
        _Curve("RCP", "rcp", metric, 0, "rcp" if published else ""),
    )


_AVERAGE, _LONGEST = "Average Flow Completion Time [sec]", "Max. Flow Completion Time [sec]"
_FORMULAS = (_SLOW_START, _SHARING)

_OF_D06 = {
    "a": (
        "average, up to 2000 packets",
        _Panel((0, 2000), (0.1, 100), "flow size [pkts] (normal scale)", _AVERAGE, _three("afct", True),
               _FORMULAS),
    ),
    "b": (
        "average, from 1000 packets",
        _Panel((1000, 100_000), (0.1, 100), "flow size [pkts] (log scale)", _AVERAGE, _three("afct", True),
               _FORMULAS, log_x=True),
    ),
    "c": (
        "longest, up to 2000 packets",
        _Panel((0, 2000), (0.1, 100), "flow size [pkts] (normal scale)", _LONGEST, _three("worst", False),
               _FORMULAS),
    ),
}  # fmt: skip
"""By panel."""

_BARS = "Bars join the least and the largest average of the sizes of a bin, circles are medians over sizes."
_OURS = "Ours are means over seeds with 95 % intervals, shaded."
_UP_TO = "Formulas are as printed, up to the receiver; completion times are those of the sender."


def _text(panel: _Panel) -> str:
    names = ", ".join((*(curve.label for curve in panel.curves), *panel.lines))
    return (
        f"{panel.y_label} from {panel.y[0]:g} to {panel.y[1]:g}, against {panel.x_label} from "
        f"{panel.x[0]:g} to {panel.x[1]:,}, one curve each for {names}."
    )


PLOTS = (
    *(
        PlotSpec(
            f"printed-{name}", f"{title} ({name}-plot.png of the reproduction)", partial(_draw, panel),
            _text(panel), f"{_BARS} {_OURS} {_UP_TO}",
        )
        for name, (title, panel) in _OF_K16.items()
    ),
    *(
        PlotSpec(
            f"printed-6{letter}", f"Figure 6 of the paper: {title}", partial(_draw, panel), _text(panel),
            f"The text names the curves. Panels, ranges and axes are those of [Y14], without XCP. {_OURS} "
            f"{_UP_TO}" + (f" Published points are those of [K16]. {_BARS}" if letter != "c" else ""),
        )
        for letter, (title, panel) in _OF_D06.items()
    ),
)  # fmt: skip
"""The plots of the reproduction first, then figure 6."""
