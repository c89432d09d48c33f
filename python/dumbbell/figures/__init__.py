"""Figures of results and of packets, fit for a paper. Every function returns a Matplotlib ``Figure``.

Examples
--------
>>> import dumbbell as db
>>> results = db.load("out/demo/cubic")  # doctest: +SKIP
>>> db.figures.draw("cwnd", results)  # doctest: +SKIP
>>> db.figures.draw("queue", {"NewReno": results, "CUBIC": other})  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dumbbell import _native
from dumbbell._declared import SERIES
from dumbbell._results import Results
from dumbbell._trace import Trace
from dumbbell.figures import drops, fct_cdf, fct_size, goodput, rate, sequence_diagram, time_sequence
from dumbbell.figures.series import (
    Limit,
    Line,
    draw_lines,
    draw_series,
    flow_lines,
    limits_of,
    limits_of_runs,
    link_lines,
    quantity_of,
)
from dumbbell.figures.style import FORMATS, STYLE, WIDTHS, as_label, finish, name_lines, new_figure, save
from dumbbell.figures.sweep import sweep
from dumbbell.figures.topology import draw_topology

__all__ = [
    "FORMATS", "KINDS", "PACKET_KINDS", "USUAL", "WIDTHS", "Figure", "draw", "draw_packets",
    "draw_topology", "save", "sweep",
]  # fmt: skip

_OWN: Mapping[str, Callable[[Axes, Results], None]] = {
    "rate": rate.draw,
    "goodput": goodput.draw,
    "drops": drops.draw,
    "fct_cdf": fct_cdf.draw,
    "fct_size": fct_size.draw,
}
"""Figures with an arithmetic of their own."""

_SERIES = {name: series for name, series in SERIES.items() if name not in _OWN} | {
    "port_rate": SERIES["rate"]
}
"""Series drawn as they were sampled, by the name of the figure: ``rate`` is the throughput of flows."""

KINDS: Mapping[str, Callable[[Axes, Results], None]] = {
    **{name: partial(draw_series, series=series) for name, series in _SERIES.items()},
    **_OWN,
}
"""The kinds of figures, by name: every series, and some of their own. Each draws one run into axes."""

PACKET_KINDS: Mapping[str, tuple[Callable[[Axes, Trace, int], None], float]] = {
    "time_sequence": (time_sequence.draw, 4.0),
    "sequence_diagram": (sequence_diagram.draw, 7.5),
}
"""The kinds of figures of a flow's packets, by name: what draws one into axes, and its height in inches."""

USUAL = ("cwnd", "rate", "rtt", "queue", "drops", "fct_cdf", "fct_size")
"""The kinds that are drawn where none is named."""


def draw(kind: str, results: Results | Mapping[str, Results], width: str | None = None) -> Figure:
    """Draw one kind of figure.

    Parameters
    ----------
    kind
        One of :data:`KINDS`: ``cwnd``, ``rate``, ``rtt``, ``queue``, ``drops``, ``fct_cdf``, ``fct_size``, or
        any series. That of the rates of ports under power control is ``port_rate``.
    results
        One run, or several by title: in one panel if each has one line, else side by side on the same scales.
    width
        ``single`` or ``double`` column; figures over time and of several runs are double by default.

    Raises
    ------
    NothingToDrawError
        If the results hold no data for it.
    """
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not a kind of figure; {_native.suggest(kind, list(KINDS))}")
    runs = {"": results} if isinstance(results, Results) else results
    together, limits = _together(kind, runs)
    if together:
        figure, panels = new_figure(1, width or "double")
        with mpl.rc_context(STYLE):
            draw_lines(panels[0], together, *quantity_of(_SERIES[kind]), limits=limits)
            finish(figure, panels)
        return figure
    wide = len(runs) > 1 or not kind.startswith("fct")
    figure, panels = new_figure(len(runs), width or ("double" if wide else "single"))
    with mpl.rc_context(STYLE):
        for axes, (title, run) in zip(panels, runs.items(), strict=True):
            KINDS[kind](axes, run)
            axes.set_title(as_label(title))
            if axes is not panels[0]:
                axes.set_ylabel("")
        finish(figure, panels)
    return figure


def _together(kind: str, runs: Mapping[str, Results]) -> tuple[list[Line], list[Limit]]:
    """Return lines and limits of several runs for one panel, if each run has one line over time."""
    if len(runs) < 2 or kind in _OWN:
        return [], []
    series = _SERIES[kind]
    lines_of = flow_lines if series.of == "flow" else link_lines
    found: dict[str, tuple[list[Line], list[Limit]]] = {}
    for title, run in runs.items():
        lines = lines_of(run, series.name)
        if len(lines) != 1:
            return [], []
        found[title] = lines, limits_of(run, series.name, lines)
    named = [(title, *lines[0][1:]) for title, (lines, _) in found.items()]
    return named, limits_of_runs(found)


def draw_packets(kind: str, trace: Trace, flow: int) -> Figure:
    """Draw what happens to the packets of a flow.

    Parameters
    ----------
    kind
        One of :data:`PACKET_KINDS`: ``time_sequence``, segments and acknowledgements over time as tcptrace
        has them; or ``sequence_diagram``, the packets between the two ends.
    trace
        What :meth:`dumbbell.Scenario.trace` returns.
    flow
        The number of a flow in it.

    Raises
    ------
    NothingToDrawError
        If the flow has sent nothing in this trace.

    Examples
    --------
    >>> import dumbbell as db
    >>> scenario = db.Scenario.from_file("two.toml")  # doctest: +SKIP
    >>> trace = scenario.trace(flows=[0], until="2s")  # doctest: +SKIP
    >>> db.figures.draw_packets("time_sequence", trace, 0)  # doctest: +SKIP
    """
    if kind not in PACKET_KINDS:
        known = list(PACKET_KINDS)
        raise ValueError(f"{kind!r} is not a kind of figure of packets; {_native.suggest(kind, known)}")
    draw_into, height = PACKET_KINDS[kind]
    figure, panels = new_figure(1, "double", height)
    with mpl.rc_context(STYLE):
        draw_into(panels[0], trace, flow)
        name_lines(figure, panels)
    return figure
