"""The figure of a comparison: data, windows and queue over time, ours and the kernel's in one panel each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dumbbell.figures.style import COLOURS, HEIGHT, STYLE, WIDTHS, save

if TYPE_CHECKING:
    from dumbbell.live.compare import Arm, Comparison

_DASHES: tuple[Literal["-", "--", ":", "-."], ...] = ("-", "--", ":", "-.")
"""Of the flows of one side, in turn."""
_SHORT = 0.75
"""Of the height of a row of panels: three rows make one figure."""


def draw(comparison: Comparison) -> Figure:
    """Draw data that arrived in order, windows and the queue over time, with a mark for each dropped packet.

    One colour stands for each side; flows differ by their dashes.
    """
    arms = [("kernel", COLOURS[1], comparison.kernel)]
    if comparison.simulated is not None:
        arms.append(("simulated", COLOURS[0], comparison.simulated))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTHS["double"], 3 * _SHORT * HEIGHT), layout="constrained")
        data, window, queue = figure.subplots(3, 1, sharex=True)
        highest = max((arm.queue[1].max(initial=0) for _, _, arm in arms), default=0)
        for row, (_, colour, arm) in enumerate(arms):
            for i, flow in enumerate(arm.flows):
                look: dict[str, Any] = {"color": colour, "linestyle": _DASHES[i % len(_DASHES)]}
                data.plot(flow.delivered[0], flow.delivered[1] / 1e6, **look)
                window.plot(*flow.window, drawstyle="steps-post", **look)
            queue.plot(*arm.queue, color=colour, drawstyle="steps-post")
            # The marks of the two sides stand in lines of their own above the queue.
            level = highest * (1.08 + 0.1 * row)
            queue.plot(arm.drops, [level] * len(arm.drops), "|", color=colour, markersize=5)
        for panel, label in (
            (data, "in order (MB)"),
            (window, "window (segments)"),
            (queue, "queue (packets)"),
        ):
            panel.set_ylabel(label)
            panel.set_ylim(bottom=0)
        queue.set_xlabel("time (s)")
        queue.set_xlim(0, max(_end(arm) for _, _, arm in arms))
        _name(figure, [(name, colour) for name, colour, _ in arms], len(comparison.kernel.flows))
    return figure


def write(folder: Path, comparisons: Iterable[Sequence[Comparison]]) -> None:
    """Write a figure for each run of each controller, and ``comparison.json``, into an existing folder."""
    numbers: dict[str, Any] = {}
    for runs in comparisons:
        for i, comparison in enumerate(runs):
            name = comparison.controller + (f"-{i}" if len(runs) > 1 else "")
            save(draw(comparison), folder / name)
            simulated = comparison.simulated and comparison.simulated.summary()
            numbers[name] = {"simulated": simulated, "kernel": comparison.kernel.summary()}
    text = json.dumps(numbers, indent=2)
    (folder / "comparison.json").write_text(text + "\n", encoding="utf-8")


def _end(arm: Arm) -> float:
    """When the last of the flows ended."""
    return max(float(flow.delivered[0][-1]) if len(flow.delivered[0]) else flow.start for flow in arm.flows)


def _name(figure: Figure, sides: list[tuple[str, str]], flows: int) -> None:
    handles = [Line2D([], [], color=colour, label=name) for name, colour in sides]
    handles.append(Line2D([], [], color="black", marker="|", linestyle="none", markersize=5, label="drop"))
    if flows > 1:
        handles += [
            Line2D([], [], color="black", linestyle=dash, label=f"flow {i}")
            for i, dash in zip(range(flows), _DASHES, strict=False)
        ]
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles), columnspacing=1.2)
