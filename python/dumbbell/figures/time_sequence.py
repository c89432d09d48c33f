"""The time-sequence plot of a flow: what its source sends and hears, as tcptrace has it (S. Ostermann)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from dumbbell.errors import NothingToDrawError
from dumbbell.figures.style import COLOURS, prefix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dumbbell._trace import Trace

_BLUE, _RED, _GREEN, _PINK, _ORANGE, _SKY, _BLACK = COLOURS
_BLOCKS = (1, 2, 3)
_MARGIN = 0.06
"""Of the height, above what was sent: lines of windows may lie far beyond."""


def draw(axes: Axes, trace: Trace, flow: int) -> None:
    """Draw segments when they are sent, acknowledgements when they are back, windows and drops.

    Raises
    ------
    NothingToDrawError
        If the flow has sent no data in this part of the run.
    """
    packets = trace.packets
    of_flow, events = packets["flow"] == flow, packets["event"]
    forward, times = packets["forward"], packets["time"]
    starts = packets["seq"].astype(np.float64)
    ends = starts + np.maximum(packets["len"], 1)
    data = of_flow & forward & (packets["len"] > 0)
    sent = np.flatnonzero(data & (events == "sent"))
    if not len(sent):
        raise NothingToDrawError(f"flow {flow} has sent no data in this part of the run; choose another")
    dropped = np.flatnonzero(data & (events == "dropped"))
    back = np.flatnonzero(of_flow & ~forward & (events == "returned"))
    # One that reaches no further than what was sent before is sent again.
    before = np.concatenate(([-np.inf], np.maximum.accumulate(ends[sent])[:-1]))
    again = ends[sent] <= before
    factor, unit = prefix(float(ends[sent].max()))
    bars = ((sent[~again], _BLUE, "segments"), (sent[again], _RED, "sent again"))
    for rows, colour, label in bars:
        _vertical(axes, times[rows], starts[rows] / factor, ends[rows] / factor, colour, label)
    # The bars of a long plot are too small to see.
    axes.plot(times[sent[again]], starts[sent[again]] / factor, ".", color=_RED, markersize=2.5, zorder=4)
    acks = packets["ack"][back]
    heard = np.isfinite(acks)
    if heard.any():
        highest = np.maximum.accumulate(acks[heard])
        axes.step(
            times[back][heard], highest / factor, where="post", color=_GREEN, linewidth=0.8,
            label="acknowledged",
        )  # fmt: skip
    for block in _BLOCKS:
        low, high = packets[f"sack{block}_start"][back], packets[f"sack{block}_end"][back]
        held = np.isfinite(low)
        first = "SACK" if block == 1 else None
        _vertical(axes, times[back][held], low[held] / factor, high[held] / factor, _PINK, first)
    _windows(axes, trace, flow, factor)
    if len(dropped):
        axes.plot(
            times[dropped], (starts[dropped] + ends[dropped]) / 2 / factor, "x", color=_BLACK, markersize=4,
            label="dropped", zorder=4,
        )  # fmt: skip
    low, high = starts[sent].min() / factor, ends[sent].max() / factor
    if heard.any():
        low = min(low, np.nanmin(acks) / factor)
    room = _MARGIN * (high - low)
    axes.set_ylim(low - room, high + room)
    axes.set_xlabel("time (s)")
    tcp = packets["protocol"][sent[0]] == "tcp"
    axes.set_ylabel(f"sequence number ({unit}B)" if tcp else f"packet ({unit or 'number'})")
    axes.margins(x=0.02)


def _vertical(
    axes: Axes,
    times: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    colour: str,
    label: str | None,
) -> None:
    """Draw vertical bars with a label in the legend, if there are any."""
    if not len(times):
        return
    lines = np.stack([np.stack([times, low], axis=1), np.stack([times, high], axis=1)], axis=1)
    axes.add_collection(LineCollection(list(lines), colors=colour, linewidths=1.1, label=label, zorder=3))
    # A collection moves no limits.
    axes.update_datalim(np.stack([times, low], axis=1))
    axes.autoscale_view()


def _windows(axes: Axes, trace: Trace, flow: int, factor: float) -> None:
    """Draw up to where the receiver's window and the congestion window allow sending."""
    senders = trace.senders
    rows = np.flatnonzero(senders["flow"] == flow)
    times, limit, window = senders["time"][rows], senders["limit"][rows], senders["cwnd"][rows]
    known = np.isfinite(limit)
    if known.any():
        axes.step(
            times[known], limit[known] / factor, where="post", color=_ORANGE, linewidth=0.8,
            label="receiver's window",
        )  # fmt: skip
    packets = trace.packets
    back = (packets["flow"] == flow) & ~packets["forward"] & (packets["event"] == "returned")
    heard = np.flatnonzero(back & np.isfinite(packets["ack"]))
    known = np.isfinite(window)
    if known.any() and len(heard):
        acked = np.maximum.accumulate(packets["ack"][heard])
        last = np.searchsorted(packets["time"][heard], times, side="right") - 1
        there = known & (last >= 0)
        axes.step(
            times[there], (acked[last[there]] + window[there]) / factor, where="post", color=_SKY,
            linewidth=0.8, label="congestion window",
        )  # fmt: skip
