"""Figures of results and of packets, fit for a paper. Every function returns a Matplotlib ``Figure``.

Examples
--------
>>> import dumbbell as db
>>> results = db.load("out/demo/cubic")  # doctest: +SKIP
>>> db.figures.draw("cwnd", results)  # doctest: +SKIP
>>> db.figures.draw("queue", {"NewReno": results, "CUBIC": other})  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dumbbell import _native
from dumbbell._declared import SERIES
from dumbbell._results import Results
from dumbbell._trace import Trace
from dumbbell.errors import NothingToDrawError
from dumbbell.figures import (
    delay,
    distribution,
    drops,
    fct_cdf,
    fct_size,
    goodput,
    rate,
    sequence_diagram,
    time_sequence,
    trade_off,
)
from dumbbell.figures.measured import Measurement, is_measurement, read_measurement
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
    "FORMATS", "KINDS", "PACKET_KINDS", "WIDTHS", "Figure", "Measurement", "draw", "draw_packets",
    "draw_topology", "is_measurement", "read_measurement", "save", "sweep", "usual",
]  # fmt: skip

_OWN: Mapping[str, Callable[[Axes, Results], None]] = {
    "rate": rate.draw,
    "goodput": goodput.draw,
    "drops": drops.draw,
    "fct_cdf": fct_cdf.draw,
    "fct_size": fct_size.draw,
    "delay": delay.draw,
    "delay_cdf": partial(distribution.draw, metric="delay"),
    "sojourn_cdf": partial(distribution.draw, metric="sojourn"),
}
"""Figures with an arithmetic of their own."""

_OF_RUNS: Mapping[str, Callable[[Axes, Mapping[str, Results]], None]] = {
    "trade_off": trade_off.draw,
}
"""Figures that draw all runs in one panel."""

_SERIES = {name: series for name, series in SERIES.items() if name not in _OWN} | {
    "port_rate": SERIES["rate"]
}
"""Series drawn as they were sampled, by the name of the figure: ``rate`` is the throughput of flows."""

_OF_RUN: Mapping[str, Callable[[Axes, Results], None]] = {
    **{name: partial(draw_series, series=series) for name, series in _SERIES.items()},
    **_OWN,
}
"""Figures that draw one run into axes."""

KINDS = (*_OF_RUN, *_OF_RUNS)
"""The names of the kinds of figures: every series, and some of their own."""

PACKET_KINDS: Mapping[str, tuple[Callable[[Axes, Trace, int], None], float]] = {
    "time_sequence": (time_sequence.draw, 4.0),
    "sequence_diagram": (sequence_diagram.draw, 7.5),
}
"""The kinds of figures of a flow's packets, by name: what draws one into axes, and its height in inches."""

_USUAL = ("cwnd", "rate", "rtt", "delay", "delay_cdf", "queue", "sojourn_cdf", "drops", "fct_cdf", "fct_size")

_MEASURED = {"cwnd": "cwnd", "rate": "received", "rtt": "rtt"}
"""Figures that measurements can be in, with their series."""


def usual(runs: Iterable[Results | Measurement]) -> tuple[str, ...]:
    """Return the kinds that are drawn of runs where none is named.

    Distributions and delays are among them if the scenario of a run asks for them.
    """
    runs = list(runs)
    if any(isinstance(run, Measurement) for run in runs):
        return tuple(_MEASURED)
    noted = {
        str(metric) for run in runs if isinstance(run, Results) for metric in set(run.quantiles["metric"])
    }
    left_out = {"delay": {"delay", "delay_cdf"}, "sojourn": {"sojourn_cdf"}}
    hidden = {kind for metric, kinds in left_out.items() if metric not in noted for kind in kinds}
    return tuple(kind for kind in _USUAL if kind not in hidden)


def draw(
    kind: str, results: Results | Mapping[str, Results | Measurement], width: str | None = None
) -> Figure:
    """Draw one kind of figure.

    Parameters
    ----------
    kind
        One of :data:`KINDS`: ``cwnd``, ``rate``, ``rtt``, ``queue``, ``drops``, ``fct_cdf``, ``fct_size``, or
        any series; ``delay`` over time, ``delay_cdf`` and ``sojourn_cdf``, its distribution and that of times
        at links; ``trade_off``, throughput against delay over runs. That of the rates of ports under power
        control is ``port_rate``.
    results
        One run, or several by title: in one panel if each has one line, else side by side on the same scales.
        Measurements of other tools come into one panel with all runs.
    width
        ``single`` or ``double`` column; figures over time and of several runs are double by default.

    Raises
    ------
    NothingToDrawError
        If the results hold no data for it.
    """
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not a kind of figure; {_native.suggest(kind, list(KINDS))}")
    given = {"": results} if isinstance(results, Results) else results
    runs = {title: run for title, run in given.items() if isinstance(run, Results)}
    if len(runs) < len(given):
        return _overlay(kind, given, width)
    if kind in _OF_RUNS:
        return trade_off.figure_of(lambda axes: _OF_RUNS[kind](axes, runs), width or "single")
    together, limits = _together(kind, runs)
    if together:
        figure, panels = new_figure(1, width or "double")
        with mpl.rc_context(STYLE):
            draw_lines(panels[0], together, *quantity_of(_SERIES[kind]), limits=limits)
            finish(figure, panels)
        return figure
    wide = len(runs) > 1 or (not kind.startswith("fct") and not kind.endswith("_cdf"))
    figure, panels = new_figure(len(runs), width or ("double" if wide else "single"))
    with mpl.rc_context(STYLE):
        for axes, (title, run) in zip(panels, runs.items(), strict=True):
            _OF_RUN[kind](axes, run)
            axes.set_title(as_label(title))
            if axes is not panels[0]:
                axes.set_ylabel("")
        finish(figure, panels)
    return figure


def _overlay(kind: str, runs: Mapping[str, Results | Measurement], width: str | None) -> Figure:
    """Draw runs and measurements in one panel, each line by its title and its name."""
    if kind not in _MEASURED:
        raise NothingToDrawError(f"measurements of other tools have {', '.join(_MEASURED)} only")
    lines: list[Line] = []
    for title, run in runs.items():
        if isinstance(run, Measurement):
            of_run = list(run.series[_MEASURED[kind]])
        elif kind == "rate":
            of_run = rate.windowed(run)[0]
        else:
            of_run = flow_lines(run, kind)
        alone = len(of_run) == 1
        lines += [(title if alone else f"{title}, {name}", times, values) for name, times, values in of_run]
    if not lines:
        raise NothingToDrawError(f"no run and no file has {kind}")
    # Those of other tools are not smoothed.
    own = {"rate": ("throughput", "bit/s"), "rtt": ("round-trip time", "s")}
    quantity, unit = own.get(kind) or quantity_of(_SERIES[kind])
    figure, panels = new_figure(1, width or "double")
    with mpl.rc_context(STYLE):
        draw_lines(panels[0], lines, quantity, unit, step=kind == "rate")
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
