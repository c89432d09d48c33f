"""The sequence diagram of a flow: its two ends, and every packet between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from dumbbell.errors import NothingToDrawError
from dumbbell.figures.style import COLOURS, as_label

if TYPE_CHECKING:
    from dumbbell._trace import Trace

_BLUE, _RED, _GREEN, *_ = COLOURS

MOST = 60
"""Packets; of more, the first are drawn."""

_NEAR = 0.018
"""Of the height: packets of one end that are nearer than this share a label."""


_COLUMNS = ("packet", "event", "forward", "time", "seq", "len", "ack", "kind", "reason", "sack1_start")


@dataclass
class _Packet:
    """A packet: from when to when it was on its way, and how far it came."""

    forward: bool
    sent: float
    text: str
    first: int
    end: int
    data: bool
    until: float = np.nan
    fate: str = ""
    """Why it was dropped; empty if it was not."""
    hops: int = 0
    """Links that it arrived at."""


def draw(axes: Axes, trace: Trace, flow: int) -> None:
    """Draw the first :data:`MOST` packets of a flow, time downwards: lines between two ladders, and drops.

    Raises
    ------
    NothingToDrawError
        If neither end has sent a packet in this part of the run.
    """
    packets = list(_packets(trace, flow))
    if not packets:
        raise NothingToDrawError(f"flow {flow} has sent nothing in this part of the run; choose another")
    shown = packets[:MOST]
    first = shown[0].sent
    last = max(np.nanmax([p.sent, p.until]) for p in shown)
    near = _NEAR * (last - first)
    for packet in shown:
        side = 0.0 if packet.forward else 1.0
        colour = (_BLUE if packet.data else _GREEN) if not packet.fate else _RED
        if packet.fate:
            way = max(p.hops for p in packets if p.forward == packet.forward)
            share = (packet.hops - 0.5) / way if packet.hops else 0.5
            end = (abs(side - share), packet.until)
            axes.plot(*end, "x", color=_RED, markersize=5, zorder=4)
            axes.annotate(
                as_label(packet.fate), end, xytext=(5 if packet.forward else -5, 0),
                textcoords="offset points", fontsize=6, color=_RED, va="center",
                ha="left" if packet.forward else "right", zorder=5,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
            )  # fmt: skip
        elif np.isfinite(packet.until):
            end = (1 - side, packet.until)
        else:
            continue
        axes.annotate(
            "", end, (side, packet.sent), zorder=3,
            arrowprops={"arrowstyle": "-" if packet.fate else "->", "color": colour, "linewidth": 0.7,
                        "shrinkA": 0, "shrinkB": 0, "mutation_scale": 6},
        )  # fmt: skip
    for forward in (True, False):
        for at, text in _labels([p for p in shown if p.forward == forward], near):
            axes.annotate(
                text, (0 if forward else 1, at), xytext=(-4 if forward else 4, 0), textcoords="offset points",
                fontsize=6, va="center", ha="right" if forward else "left",
            )  # fmt: skip
    source, destination = _ends(trace, flow)
    for x, name in ((0, source), (1, destination)):
        axes.axvline(x, color="black", linewidth=0.8)
        axes.annotate(
            as_label(name), (x, 1), xycoords=("data", "axes fraction"), xytext=(0, 3),
            textcoords="offset points", ha="center", fontsize=7,
        )  # fmt: skip
    axes.set_xlim(-0.6, 1.6)
    axes.set_ylim(last + near, first - near)
    axes.set_ylabel("time (s)")
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.grid(axis="x", visible=False)
    if len(packets) > MOST:
        axes.set_xlabel(f"the first {MOST} of {len(packets):,} packets")


def _ends(trace: Trace, flow: int) -> tuple[str, str]:
    packets = trace.packets
    events, places = packets["event"], packets["place"]
    found = []
    for forward in (True, False):
        rows = (packets["flow"] == flow) & (packets["forward"] == forward)
        sent = np.flatnonzero(rows & (events == "sent"))
        got = np.flatnonzero((packets["flow"] == flow) & (packets["forward"] != forward)
                             & ((events == "delivered") | (events == "returned")))  # fmt: skip
        where = np.concatenate((sent, got))
        found.append(str(places[where[0]]) if len(where) else "")
    return found[0] or "source", found[1] or "destination"


def _packets(trace: Trace, flow: int) -> Iterator[_Packet]:
    """Yield the packets of a flow that were sent, in their order."""
    table = trace.packets
    rows = np.flatnonzero(table["flow"] == flow)
    columns = {name: table[name][rows].tolist() for name in _COLUMNS}
    found: dict[int, _Packet] = {}
    for row in range(len(rows)):
        value = {name: column[row] for name, column in columns.items()}
        if value["event"] in ("sent", "originated", "duplicated"):
            length = value["len"]
            found[value["packet"]] = _Packet(
                value["forward"], value["time"], _text(value), value["seq"], value["seq"] + length, length > 0
            )
        elif (packet := found.get(value["packet"])) is None:
            continue
        elif value["event"] == "arrived":
            packet.hops += 1
        elif value["event"] == "dropped":
            packet.until, packet.fate = value["time"], value["reason"]
        elif value["event"] in ("delivered", "returned"):
            packet.until = value["time"]
    yield from found.values()


def _text(value: dict[str, object]) -> str:
    """Return what a packet says: a range of data, or what it acknowledges."""
    kind = f"[{value['kind']}] " if value["kind"] not in ("", ".") else ""
    if value["len"]:
        return f"{kind}{value['seq']}:{int(value['seq']) + int(value['len'])}"  # type: ignore[call-overload]
    ack = value["ack"]
    if isinstance(ack, float) and np.isfinite(ack):
        sack = value["sack1_start"]
        held = " sack" if isinstance(sack, float) and np.isfinite(sack) else ""
        return f"{kind}ack {ack:.0f}{held}"
    return f"{kind}seq {value['seq']}"


def _labels(packets: list[_Packet], near: float) -> Iterator[tuple[float, str]]:
    """Yield the labels of packets of one end and their times; those that are near to each other share one."""
    group: list[_Packet] = []
    for packet in packets:
        if group and packet.sent - group[0].sent > near:
            yield _label(group)
            group = []
        group.append(packet)
    if group:
        yield _label(group)


def _label(group: list[_Packet]) -> tuple[float, str]:
    if len(group) == 1:
        return group[0].sent, group[0].text
    data = [packet for packet in group if packet.data]
    if len(data) == len(group) and all(a.end == b.first for a, b in pairwise(data)):
        return group[0].sent, f"{data[0].first}:{data[-1].end} ({len(data)} packets)"
    return group[0].sent, f"{group[0].text} … {group[-1].text} ({len(group)} packets)"
