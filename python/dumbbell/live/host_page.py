"""The page "RCP end points at a desired rate": its tables and its figure."""

from __future__ import annotations

import csv
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from dumbbell._files.foreign import replace_file
from dumbbell._native import version
from dumbbell.figures.style import COLOURS, DASHES, HEIGHT, STYLE, WIDTHS, plain_log, save
from dumbbell.live.host import (
    LAW,
    LINES,
    RECEIVER,
    ROUTER,
    SENDER,
    Cost,
    HostCell,
    cost_rows,
)
from dumbbell.live.named import cell
from dumbbell.stats import Estimate

_MARKERS = ("o", "s", "^", "D")


def write(
    folder: Path, host: Sequence[HostCell], costs: Sequence[Cost], sizes: Sequence[int], command: str
) -> None:
    """Write ``page.md``, ``rates.csv``, ``costs.csv`` and the figure ``host`` into a folder that exists."""
    rates, rows = [each.row() for each in host], cost_rows(costs, sizes)
    _write_rows(folder / "rates.csv", rates)
    _write_rows(folder / "costs.csv", rows)
    save(draw(host, costs, sizes), folder / "host")
    replace_file(folder / "page.md", _page(rates, rows, command).encode())


def _write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def draw(host: Sequence[HostCell], costs: Sequence[Cost], sizes: Sequence[int]) -> Figure:
    """Draw the rate reached against the packet size, and the processors that 10 Gbit/s take."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTHS["double"], HEIGHT + 0.3), layout="constrained")
        left, right = figure.subplots(1, 2)
        desired = list(dict.fromkeys(each.desired for each in host))
        for slot, rate in enumerate(desired):
            mine = [each for each in host if each.desired == rate]
            label = "as fast as it can" if rate is None else f"desired {rate:g} Mbit/s"
            _line(left, [(each.size, each.estimate("reached")) for each in mine], slot % len(DASHES), label)
            if rate is not None:
                left.axhline(rate, color="0.35", linestyle=":", linewidth=0.8)
        left.set_ylabel("rate reached (Mbit/s)")
        for slot, part in enumerate((SENDER, RECEIVER, ROUTER, LAW)):
            of_part = [cost for cost in costs if cost.part == part]
            points = [
                (size, cost.cores(LINES[0], size))
                for cost in of_part
                for size in (sizes if cost.size is None else [cost.size])
            ]
            if points:
                _line(right, points, slot, part)
        right.axhline(1, color="0.35", linestyle=":", linewidth=0.8)
        right.set_ylabel(f"processors at {LINES[0]:g} Gbit/s")
        for panel in (left, right):
            plain_log(panel.xaxis)
            plain_log(panel.yaxis)
            panel.set_xlabel("packet size (B)")
            # Above, where no line is.
            panel.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, columnspacing=1.2)
    return figure


def _line(panel: Any, points: Sequence[tuple[int, Estimate]], slot: int, label: str) -> None:
    """Draw estimates with their intervals, on a logarithmic axis down to a tenth at most."""
    values = [found.value for _, found in points]
    below = [max(min(f.value - (f.low or 0), 0.9 * f.value), 0) if f.interval else 0 for _, f in points]
    above = [max((f.high or 0) - f.value, 0) if f.interval else 0 for _, f in points]
    # Lines that lie on each other are seen through marks and dashes.
    panel.errorbar(
        [size for size, _ in points], values, (below, above), color=COLOURS[slot], linestyle=DASHES[slot],
        marker=_MARKERS[slot % len(_MARKERS)], markerfacecolor="none", label=label, capsize=2,
    )  # fmt: skip


def answer(rates: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> str:
    """Return in a sentence or two what end points reach, and what 10 Gbit/s take."""
    most = max((row["desired"] for row in rates if row["desired"] is not None), default=None)
    parts = [
        f"{cell(row, 'reached')} Mbit/s with packets of {row['size']} B"
        for row in rates
        if most is not None and row["desired"] == most
    ]
    text = f"Of {most:g} Mbit/s desired, end points reach {'; '.join(parts)}. " if parts else ""
    needs = [
        f"{row['part']} {cell(row, 'cores_10G')}"
        for row in rows
        if row["part"] in (SENDER, RECEIVER, ROUTER) and row["size"] == 1500
    ]
    return text + (f"Processors at 10 Gbit/s with packets of 1500 B: {'; '.join(needs)}." if needs else "")


def _page(rates: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]], command: str) -> str:
    lines = [
        "# RCP end points at a desired rate",
        "",
        f"`{command}`, dumbbell {version}, Linux {platform.release()}, {platform.machine()}:",
        "",
        answer(rates, rows),
        "",
        "![The rate reached, and processors at 10 Gbit/s, against the packet size](host.png)",
        "",
        "## Rate against packet size",
        "",
        "One flow between two end points over the loopback device. No router gives a rate: the sender asks",
        "for the desired one, and the receiver returns it. Rates are those of IP packets, headers included.",
        "Means over runs with 95 % intervals. INVALID: end points waited for a processor.",
        "",
        "| packet, B | desired, Mbit/s | reached, Mbit/s | of it | packets/s | sent again | runs |",
        "|---|---|---|---|---|---|---|",
        *map(_rate_line, rates),
        "",
        "## Processor time, and what it allows",
        "",
        "For each data packet and its acknowledgement. Sender and receiver: end points as fast as they can,",
        "system calls and the loopback device included; the kernel charges the way into the receiver's",
        "socket to the sender. Router: the emulator, which reads and writes each packet by a system call,",
        "at 40,000 packets/s; then without RCP, and the difference. Simulated: the same code, where nothing",
        "is read or written. Processors at 10 and 100 Gbit/s are extrapolated from that: as many packets a",
        "second as these rates hold, each at this cost, and no cost of sharing the work. Headers of Ethernet",
        "make it less.",
        "",
        "| part | packet, B | us | packets/s of one processor | "
        + " | ".join(f"processors at {line:g} Gbit/s" for line in LINES)
        + " | runs |",
        "|---|---|---|---|" + "---|" * (len(LINES) + 1),
        *map(_cost_line, rows),
    ]
    return "\n".join(lines) + "\n"


def _rate_line(row: dict[str, Any]) -> str:
    flat_out = row["desired"] is None
    desired = "as fast as it can" if flat_out else f"{row['desired']:g}"
    share = "-" if flat_out else f"{row['share']:.1%}".replace("%", " %")
    again = f"{row['sent_again']:.2%}".replace("%", " %")
    runs = f"{row['runs']}" + ("" if row["valid"] else ", INVALID")
    reached = cell(row, "reached")
    packets = f"{row['packets_per_second']:,.0f}"
    return f"| {row['size']} | {desired} | {reached} | {share} | {packets} | {again} | {runs} |"


def _cost_line(row: dict[str, Any]) -> str:
    allows = row["packets_per_second"]
    cells = [cell(row, f"cores_{line:g}G") for line in LINES]
    packets = "-" if allows is None else f"{allows:,.0f}"
    each = cell(row, "us")
    return f"| {row['part']} | {row['size']} | {each} | {packets} | {' | '.join(cells)} | {row['runs']} |"
