"""The page "incast on real packets": its table and its figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from dumbbell import stats
from dumbbell._files.foreign import replace_file
from dumbbell._native import is_virtual, version
from dumbbell.figures.style import COLOURS, HEIGHT, STYLE, WIDTHS, save
from dumbbell.live.criteria import OUTSIDE, UNDECIDED
from dumbbell.live.incast import (
    BLOCK,
    BUFFER,
    DURATION,
    KERNEL_ONLY,
    QUANTITIES,
    SIMULATED,
    Cell,
    Result,
    access_rate,
)
from dumbbell.live.lateness import LATENESS

_FACTORS = {"goodput": 1e-6}
_MOST_DATA = 1460 / 1500
"""Of a full packet without options."""

_LABELS = {"goodput": "goodput (Mbit/s)", "timeouts": "timeouts per round"}


def write(
    folder: Path, results: Sequence[Result], left_out: Sequence[tuple[Cell, str]], command: str
) -> None:
    """Write ``page.md`` and the figure ``incast`` into a folder that exists."""
    replace_file(folder / "page.md", _page(results, left_out, command).encode())
    if results:
        save(draw(results), folder / "incast")


def _page(results: Sequence[Result], left_out: Sequence[tuple[Cell, str]], command: str) -> str:
    kernels = sorted({_plain(run["kernel"]) for result in results for run in result.kernel})
    runs = sum(len(result.kernel) for result in results)
    titles = [criterion.title + _allowed(name) for name, criterion in QUANTITIES.items()]
    lines = [
        "# Incast on real packets",
        "",
        f"`{command}`, dumbbell {version}, Linux {', '.join(kernels) or '-'}:",
        f"{runs} valid runs of the kernel of {DURATION:g} s each, {SIMULATED} simulations of each cell.",
        "",
        f"A client asks N servers for {BLOCK / 1e6:g} MB, of each an Nth part, and again when all is there.",
        *_started(results),
        f"The servers' links of {access_rate()} meet at one port with a buffer of {BUFFER}.",
        "In the table: ours / the kernel's, means over the runs, and the difference with its 95 % interval.",
        "Bold: the whole",
        "interval is further from 0 than the bound in the head. (?): undecided, the runs of one side differ",
        "among themselves by as much. Timers of both sides end on the kernel's ticks.",
        *_late(),
        "",
        f"| TCP | Mbit/s | round-trip time | servers | {' | '.join(titles)} | runs |",
        "|---|---|---|---|" + "---|" * (len(titles) + 1),
        *map(_row, results),
    ]
    if left_out:
        lines += ["", "Left out, because no run was valid:", ""]
        lines += [f"- {cell.name}: {_plain(reason)}" for cell, reason in left_out]
    return "\n".join(lines) + "\n"


def _late() -> list[str]:
    if is_virtual():
        return ["Time is virtual: no packet is late on either side."]
    return [f"Packets of the simulator arrive {LATENESS} late in the mean, as those of the emulator do."]


def _started(results: Sequence[Result]) -> list[str]:
    if any(result.cell.at_once for result in results):
        return ["It asks all at once, each round in the same order."]
    return ["Each request leaves up to a round-trip time late, by lot."]


def _allowed(name: str) -> str:
    """The bound of what both sides count."""
    criterion = QUANTITIES[name]
    least = f" or {criterion.count:g}" if criterion.count else ""
    return "" if name in KERNEL_ONLY else f", {criterion.share:.0%}{least}".replace("%", " %")


def _row(result: Result) -> str:
    cell = result.cell
    found = " | ".join(_pair(result, name) for name in QUANTITIES)
    trip = f"{cell.round_trip * 1e3:g} ms"
    return f"| {cell.arm.label} | {cell.rate:g} | {trip} | {cell.servers} | {found} | {len(result.kernel)} |"


def _pair(result: Result, name: str) -> str:
    factor = _FACTORS.get(name, 1.0)
    ours, kernel = (stats.mean(side).value * factor for side in result.values(name))
    verdict = result.verdict(name)
    if verdict is None:
        return f"- / {kernel:.3g}"
    text = f"{ours:.3g} / {kernel:.3g}"
    margin = verdict.difference.half_width
    apart = (
        f", {verdict.difference.value * factor:+.3g} +- {margin * factor:.3g}" if margin is not None else ""
    )
    text += apart + " (?)" * (verdict.word == UNDECIDED)
    return f"**{text}**" if verdict.word == OUTSIDE else text


def draw(results: Sequence[Result]) -> Figure:
    """Draw goodput and timeouts per round against the number of servers, both sides, with their intervals."""
    arms = {result.cell.arm.name: result.cell.arm for result in results}
    servers = sorted({result.cell.servers for result in results})
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTHS["double"], HEIGHT), layout="constrained")
        panels = figure.subplots(1, 2)
        for panel, (name, label) in zip(panels, _LABELS.items(), strict=True):
            highest, factor = 0.0, _FACTORS.get(name, 1.0)
            for colour, (arm, about) in zip(COLOURS, arms.items(), strict=False):
                of_arm = [result for result in results if result.cell.arm.name == arm]
                x = [result.cell.servers for result in of_arm]
                for who, look in (("kernel", "o-"), ("simulated", "x--")):
                    values = [result.values(name)[who == "kernel"] for result in of_arm]
                    most = [_most(name, result.cell) for result in of_arm]
                    found = [stats.mean(v).within(0, m) for v, m in zip(values, most, strict=True)]
                    y = [each.value * factor for each in found]
                    highest = max(highest, *y)
                    ends = [each.interval or (each.value, each.value) for each in found]
                    errors = [
                        [abs(end[side] * factor - at) for end, at in zip(ends, y, strict=True)]
                        for side in (0, 1)
                    ]
                    panel.errorbar(
                        x, y, errors, fmt=look, color=colour, label=f"{about.label}, {who}", capsize=2
                    )
            panel.set_xscale("log")
            panel.set_xticks(servers, map(str, servers))
            panel.minorticks_off()
            panel.set_xlabel("servers")
            panel.set_ylabel(label)
            # Intervals of two or three runs may be much longer than what they are about.
            panel.set_ylim(0, 1.25 * max(highest, 0.1))
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=4, columnspacing=1.2)
    return figure


def _most(name: str, cell: Cell) -> float:
    """Return the largest value that there can be: of goodput, the data in full packets at the line rate."""
    return cell.rate * 1e6 * _MOST_DATA if name == "goodput" else math.inf


def _plain(text: str) -> str:
    """Text from a file as one cell of a table."""
    return "".join(c if c.isprintable() and c not in "|<>`*[]" else " " for c in str(text))[:200]
