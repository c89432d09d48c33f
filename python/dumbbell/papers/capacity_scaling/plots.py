"""Figures 1 to 7 as the paper has them: its panels, its curves, x from 0 to 1.

Its scales of y could not be read off, but for that of figure 3. Matplotlib is loaded by what draws: a list of
papers draws nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dumbbell import Scenario
from dumbbell.papers.capacity_scaling.derived import SHARES
from dumbbell.report import PlotSpec
from dumbbell.study import StudyResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class _Curve(NamedTuple):
    label: str
    metric: str
    arm: str
    colour: int
    dashed: bool = False


class _Panel(NamedTuple):
    y: str
    curves: tuple[_Curve, ...]
    ends: tuple[float, float] | None = None
    """Of the y axis, where the paper's could be read off."""
    log: bool = False
    published: tuple[tuple[float, float], ...] = ()
    """Loads and values that the text names."""


def _draw(panel: _Panel, result: StudyResult) -> Figure:
    import matplotlib as mpl

    from dumbbell.figures.style import COLOURS, STYLE, name_lines, new_figure, plain_log

    figure, (axes,) = new_figure(1, "single", 2.6)
    loads = result.study.axis("load").values
    markers = ("o", "s", "^", "D")
    with mpl.rc_context(STYLE):
        for curve in panel.curves:
            runs = [result.values(curve.metric, curve.arm, load=load)[1] for load in loads]
            means = [float(values.mean()) if values.size else np.nan for values in runs]
            axes.plot(
                [float(load) for load in loads], means, label=curve.label, color=COLOURS[curve.colour],
                marker=markers[curve.colour], linestyle="--" if curve.dashed else "-",
                markerfacecolor="white" if curve.dashed else COLOURS[curve.colour],
            )  # fmt: skip
        if panel.published:
            xs, ys = zip(*panel.published, strict=True)
            axes.plot(xs, ys, "x", color="0.2", markersize=6, zorder=5, label="published")
        if axes.dataLim.y0 < 0:
            axes.axhline(0, color="0.35", linewidth=0.6)
        axes.set_xlim(0, 1)
        if panel.log:
            plain_log(axes.yaxis)
        elif panel.ends:
            axes.set_ylim(*panel.ends)
        axes.set_xlabel("offered load")
        axes.set_ylabel(panel.y)
        name_lines(figure, [axes])
    return figure


def _network(result: StudyResult) -> Figure:
    from dumbbell.figures.topology import draw_topology

    study = result.study
    settings = (*study.arm("tcp-pc").settings, *study.axis("load").settings[0])
    return draw_topology(Scenario.from_dict({"name": study.name, **study.scenario}, settings, study.base_dir))


def _both(metric: str) -> tuple[_Curve, ...]:
    return _Curve("TCP", metric, "tcp-pc", 0), _Curve("UDP", metric, "udp-pc", 1, dashed=True)


def _savings(scaling: str) -> tuple[_Curve, ...]:
    return tuple(
        _Curve(f"{name}, P_s = {share / 100:g}", f"saving-{scaling}-{share}", arm, slot, arm == "udp-pc")
        for name, arm in (("TCP", "tcp-pc"), ("UDP", "udp-pc"))
        for slot, share in enumerate(SHARES)
    )


def _shares(metric: str) -> tuple[_Curve, ...]:
    return tuple(
        _Curve(f"P_s = {share / 100:g}", f"{metric}-{share}", "tcp-pc", slot)
        for slot, share in enumerate(SHARES)
    )


_SCENARIOS = (_Curve("TCP + PC", "loss", "tcp-pc", 0), _Curve("UDP + PC", "loss", "udp-pc", 1, dashed=True),
              _Curve("TCPonly", "loss", "tcponly", 2))  # fmt: skip

_TIMES = (_Curve("TCP + PC", "fct", "tcp-pc", 0), _Curve("TCPonly", "fct", "tcponly", 2))

_UNREAD = "The paper's scale of y could not be read off."

_MEANS = "Means over seeds; the figures with bands further on have the intervals."

_OPEN = f"The paper does not say which static share this figure has. {_UNREAD}"


def _plot(number: str, title: str, panel: _Panel, note: str = _UNREAD) -> PlotSpec[StudyResult]:
    names = ", ".join(curve.label for curve in panel.curves)
    return PlotSpec(
        f"printed-{number}", f"{title} (figure {number} of the paper)", partial(_draw, panel),
        f"{panel.y} against the offered load from 0 to 1, one line each for {names}.",
        f"{note} {_MEANS}",
    )  # fmt: skip


PLOTS = (
    PlotSpec(
        "printed-1", "Network topology (figure 1 of the paper)", _network,
        "Twenty servers, the routers left and right, which are N1 and N2 of the paper, and twenty clients.",
        "N1 is called left, N2 right. The paper's figure could not be read; its text describes it.",
    ),
    _plot("2", "Number of power state transitions", _Panel("transitions in 540 s", _both("transitions"))),
    _plot(
        "3a", "Potential energy saving, FS", _Panel("energy saving (%)", _savings("fs"), (0, 100)),
        "Ranges of both axes are the paper's.",
    ),
    _plot(
        "3b", "Potential energy saving, DVS", _Panel("energy saving (%)", _savings("dvs"), (0, 100)),
        "Ranges of both axes are the paper's.",
    ),
    _plot("4", "Loss probability for TCP and UDP traffic", _Panel("loss probability (%)", _SCENARIOS)),
    _plot(
        "5", "Average completion time",
        _Panel("completion time (s)", _TIMES, log=True, published=((0.8, 0.2), (0.8, 7.0))),
        f"Published are the two values at load 0.8 of section 3.2. {_UNREAD}",
    ),
    _plot(
        "6", "Difference ES - QoS_D, goodput", _Panel("ES - QoS_D (%)", _shares("net-goodput-fs")), _OPEN,
    ),
    _plot(
        "7", "Difference ES - QoS_D, completion time",
        _Panel("ES - QoS_D (%)", _shares("net-time-fs")), _OPEN,
    ),
)  # fmt: skip
