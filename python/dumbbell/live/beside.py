"""The figure of a comparison: data, windows and queue over time, simulated and on real packets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dumbbell._files.numbers import finite
from dumbbell.figures.style import COLOURS, HEIGHT, STYLE, WIDTHS, save
from dumbbell.live.compare import named, summaries

if TYPE_CHECKING:
    from dumbbell.live.compare import Arm, Comparison

_DASHES = ("-", "--", ":", "-.")
_SIMULATED = "simulated"
_SHORT = 0.75
"""Of the height of a row of panels: three rows make one figure."""
_OVERLAID = 2
"""The most flows for which one panel is legible that holds both sides."""
_LABELS = ("received in order (MB)", "window (segments)", "queue (packets)")

Look = dict[str, Any]


def draw(comparison: Comparison) -> Figure:
    """Draw data that arrived in order, windows and the queue over time, with a mark for each dropped packet.

    One or two flows: both sides in one column of panels, real packets broad and pale below ours, so that both
    are seen where they agree; the flows differ by their dashes. More flows: the sides in columns of their own
    with common axes; flows differ by colours, then by dashes, which begin again after 28.
    """
    sides = [(comparison.endpoints, comparison.real)]
    if comparison.simulated is not None:
        sides.append((_SIMULATED, comparison.simulated))
    flows = len(comparison.real.flows)
    overlaid = flows <= _OVERLAID
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTHS["double"], 3 * _SHORT * HEIGHT), layout="constrained")
        columns = 1 if overlaid else len(sides)
        panels = figure.subplots(3, columns, sharex=True, sharey="row", squeeze=False)
        highest = max(arm.queue[1].max(initial=0) for _, arm in sides)
        for place, (name, arm) in enumerate(sides):
            column = panels[:, 0 if overlaid else place]
            of_side = _of_side(name) if overlaid else {"color": "black"}
            looks = [of_side | ({"linestyle": _DASHES[i]} if overlaid else _of_flow(i)) for i in range(flows)]
            # The marks of the two sides stand in lines of their own above the queue.
            _side(list(column), arm, of_side, looks, highest * (1.08 + 0.1 * place * overlaid))
            if not overlaid:
                column[0].set_title(_title(comparison, name, arm))
        for panel, label in zip(panels[:, 0], _LABELS, strict=True):
            panel.set_ylabel(label)
            panel.set_ylim(bottom=0)
        for panel in panels[-1]:
            panel.set_xlabel("time (s)")
            panel.set_xlim(0, max(_end(arm) for _, arm in sides))
        handles = [
            Line2D([], [], **_of_side(name), label=_title(comparison, name, arm))
            for name, arm in sides
            if overlaid
        ]
        if flows > 1:
            handles += [
                Line2D([], [], label=f"flow {i}", **_of_flow(i, overlaid))
                for i in range(min(flows, len(COLOURS) * len(_DASHES)))
            ]
        handles.append(
            Line2D([], [], color="black", marker="|", linestyle="none", markersize=5, label="drop")
        )
        figure.legend(handles=handles, loc="outside upper left", ncols=8, columnspacing=1.2)
    return figure


def _side(column: Sequence[Axes], arm: Arm, of_side: Look, looks: Sequence[Look], level: float) -> None:
    """Draw one side into three panels; marks of drops stand at a level of the queue."""
    data, window, queue = column
    for flow, look in zip(arm.flows, looks, strict=True):
        data.plot(flow.delivered[0], flow.delivered[1] / 1e6, **look)
        window.plot(*flow.window, drawstyle="steps-post", **look)
    queue.plot(*arm.queue, drawstyle="steps-post", **of_side)
    queue.plot(arm.drops, [level] * len(arm.drops), "|", color=of_side["color"], markersize=5)


def _of_side(name: str) -> Look:
    if name != _SIMULATED:
        return {"color": COLOURS[4], "linewidth": 2.4, "solid_capstyle": "butt"}
    return {"color": COLOURS[0], "linewidth": 0.8}


def _of_flow(i: int, overlaid: bool = False) -> Look:
    if overlaid:
        return {"color": "black", "linestyle": _DASHES[i]}
    dashes = _DASHES[i // len(COLOURS) % len(_DASHES)]
    return {"color": COLOURS[i % len(COLOURS)], "linestyle": dashes}


def _title(comparison: Comparison, name: str, arm: Arm) -> str:
    return f"{comparison.controller}, {name}{'' if arm.valid else ', INVALID'}"


def write(folder: Path, comparisons: Sequence[Sequence[Comparison]]) -> None:
    """Write a figure for each run of each controller, and ``comparison.json``, into an existing folder."""
    for name, comparison in named(comparisons):
        save(draw(comparison), folder / name)
    text = json.dumps(finite(summaries(comparisons)), indent=2, allow_nan=False)
    (folder / "comparison.json").write_text(text + "\n", encoding="utf-8")


def _end(arm: Arm) -> float:
    """When the last of the flows ended."""
    return max(float(flow.delivered[0][-1]) if len(flow.delivered[0]) else flow.start for flow in arm.flows)
