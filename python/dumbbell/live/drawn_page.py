"""The page of drawn cells, and its tables."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dumbbell._files.foreign import replace_file
from dumbbell._files.numbers import finite
from dumbbell._native import version
from dumbbell.live.agreement import Agreement, agreements, first_differences
from dumbbell.live.drawn import DISTRIBUTION, Cell
from dumbbell.live.grid_page import Answer, plain
from dumbbell.live.referee import COMPLETION, DRAWS, PAIRED, SHARE, SPREAD, Result
from dumbbell.stats import Estimate

_MEDIAN = 0.01
_WITHIN = 0.95
"""What is wanted: the median difference of completion times, and the part of cells within the bound."""

_NESTED = ("mean_completion", "mean_shares")
"""Estimates: in ``results.json`` alone."""

_SHOWN = 20
"""Rows of a table at least: more, if more cells are outside."""


@dataclass(frozen=True)
class Side:
    """All cells with one kernel."""

    kernel: str
    results: Sequence[Result]
    """Worst first."""
    left_out: Sequence[tuple[Cell, str]]


def write(folder: Path, sides: Sequence[Side], command: str, missing: Mapping[str, str]) -> dict[str, Any]:
    """Write ``page.md``, ``table.csv`` and ``results.json`` into a folder that exists.

    Parameters
    ----------
    folder
        Where to.
    sides
        The kernels.
    command
        What makes the page again.
    missing
        Controllers that are not drawn, each with the reason.

    Returns
    -------
    dict
        What ``results.json`` says.
    """
    said: dict[str, Any] = finite(
        {
            "command": command,
            "version": version,
            "not_drawn": dict(missing),
            "kernels": [_said(side) for side in sides],
        }
    )
    replace_file(folder / "page.md", _page(sides, command, missing).encode())
    replace_file(folder / "table.csv", _table(sides).encode())
    replace_file(folder / "results.json", (json.dumps(said, indent=1, allow_nan=False) + "\n").encode())
    return said


def _said(side: Side) -> dict[str, Any]:
    return {
        "kernel": side.kernel,
        "answer": [each._asdict() for each in answer(side.results)],
        "controllers": [each.to_dict() for each in agreements(side.results)],
        "cells": [
            {
                **result.row(),
                "scenario": f"scenarios/{result.cell.name}.toml",
                "repeat": repeat(result.cell),
                "ours": result.ours,
                "kernel": result.kernel,
                "first": result.first and result.first.to_dict(),
                "first_data": result.data and result.data.to_dict(),
            }
            for result in side.results
        ],
        "left_out": {cell.name: reason for cell, reason in side.left_out},
    }


def repeat(cell: Cell) -> str:
    """Return the command that runs one cell again, from the folder of the results."""
    return (
        f"dumbbell compare-real scenarios/{cell.name}.toml --controllers {cell.ours} "
        f"--duration {cell.duration:g}"
    )


def answer(results: Sequence[Result]) -> list[Answer]:
    """Return what was found of all cells, and what is wanted."""
    of_all = agreements(results)[0]
    runs = sorted({result.runs for result in results})
    outside = [result for result in results if result.outside]
    known = sum(not result.reason.startswith("not known") for result in outside)
    return [
        Answer(
            "median difference of completion times",
            _percent(of_all.completion, 2),
            f"at most {_bound(_MEDIAN)}",
        ),
        Answer(
            f"cells with completion within {_bound(COMPLETION)}",
            _percent(of_all.within),
            f"{_bound(_WITHIN)}",
        ),
        Answer(f"flows with shares of the link within {_bound(SHARE)}", _percent(of_all.shares), "all"),
        Answer(
            "mean ratio of shares, ours / the kernel's", _ratio(of_all.ratio), f"1 within {_bound(SHARE)}"
        ),
        *([] if runs in ([], [1]) else _answer_of_means(of_all, runs)),
        Answer("cells outside whose reason is known", f"{known} of {len(outside)}", "all"),
    ]


def _answer_of_means(of_all: Agreement, runs: Sequence[int]) -> list[Answer]:
    """What holds for means over several runs."""
    what = f"means of {' or '.join(map(str, runs))} runs"
    return [
        Answer(
            f"{what}: cells with completion within {_bound(COMPLETION)}",
            _percent(of_all.mean_within),
            f"{_bound(_WITHIN)}",
        ),
        Answer(
            f"{what}: flows with shares within {_bound(SHARE)}",
            f"{_percent(of_all.mean_shares)}; {of_all.undecided} of {of_all.flows} undecided",
            "all",
        ),
    ]


def _page(sides: Sequence[Side], command: str, missing: Mapping[str, str]) -> str:
    lines = [
        "# Our TCP and the kernel's: drawn cells",
        "",
        f"`{command}`, dumbbell {version}.",
        "Each cell is drawn by the seed and its number. Both sides run with the same seed. The",
        "link, its queue and its losses are those of the simulator on both sides: only TCP differs.",
        "[How cells are drawn](#how-cells-are-drawn) stands at the end.",
        *_not_drawn(missing),
        "",
        *_KEY,
    ]
    for side in sides:
        lines += ["", *_side(side)]
    lines += [
        "",
        "## How cells are drawn",
        "",
        *distribution(),
    ]
    return "\n".join(lines) + "\n"


def _not_drawn(missing: Mapping[str, str]) -> list[str]:
    listed = "; ".join(f"{name} ({why})" for name, why in missing.items())
    return ["", f"Not drawn: {listed}."] if missing else []


def distribution() -> list[str]:
    """Return the law by which cells are drawn, as a table."""
    rows = [f"| {each.quantity} | {each.law} | {each.reason} |" for each in DISTRIBUTION]
    return ["| quantity | law | reason |", "|---|---|---|", *rows]


_KEY = (
    "*Completion* is the mean over the flows with a size; one that has not finished takes the rest of the",
    "run. Where neither side finishes a flow, it is left out. A *share* is the goodput of a flow without a",
    "size, as a part of the link's rate; the table shows the one that differs most. Medians have intervals",
    "of order statistics, parts Wilson's, and the mean ratio Student's. Each holds with 95 % on its own;",
    "(n=..): too few cells for one. Flows of one cell depend on each other, so the interval of their part",
    "counts cells.",
    "",
    "Under BBR, cycles of ours begin in the phases of the kernel's, which draws them: where a flow first",
    "differs, its next phase is the one of seven with which packets agree longest.",
    "",
    f"A cell is outside if completion differs by more than {COMPLETION * 100:g} %, or a share by more than",
    f"{SHARE * 100:g} %, of the kernel's. Its reason is *what the controller draws* if the kernel's run lies",
    f"among {DRAWS + 1} runs of ours in which it draws other numbers: BBR draws the phase in which a cycle",
    "begins. It is *ours varies as much* if the kernel's run lies among",
    f"{len(SPREAD) + 1} runs of ours with the same losses, whose packets come on time, or late by a mean of",
    f"{SPREAD[0]} to {SPREAD[-1]}. With `--runs`, both sides have further runs in pairs: their packets come",
    f"late by a mean of {PAIRED}, and a seed of the pair draws how late, losses and what queues draw. *The",
    "kernel varies as much* if our run lies among those of the kernel. A share is undecided if the interval",
    "of the ratio of means (Fieller) holds the bound.",
    "",
    "The first packet that differs is the first, by time, that reaches the link as another one than the",
    "packet of the same number in its flow on the other side: it says something else, comes earlier or later",
    "by more than a tick of the kernel's timers, or only one side's is dropped or marked.",
)


def rests_on(results: Sequence[Result]) -> list[str]:
    """What virtual time rests on: each cell has a boot with a seed of its own."""
    seeds: dict[str, list[int]] = {}
    for result in results:
        if told := result.kernel["virtual"]:
            kernel, _, seed = told.rpartition(", seed ")
            seeds.setdefault(kernel, []).append(int(seed))
    return [
        f"{len(each)} cells VIRTUAL: {plain(kernel)}, seeds {min(each)} to {max(each)}."
        for kernel, each in seeds.items()
    ]


def _side(side: Side) -> list[str]:
    results = side.results
    flows = sum(len(result.cell.starts) for result in results)
    ticks = sorted({float(result.kernel["tick"]) for result in results})
    lines = [
        f"## Linux {plain(side.kernel)}",
        "",
        f"{len(results)} cells, {flows:,} flows; a tick of the kernel's timers is "
        f"{', '.join(f'{tick * 1e3:g} ms' for tick in ticks) or '-'}.",
        *rests_on(results),
        "",
    ]
    if results:
        lines += [
            "| what | found | wanted |",
            "|---|---|---|",
            *(f"| {what} | {found} | {wanted} |" for what, found, wanted in answer(results)),
            "",
            "| controller | cells | completion, median difference | with its sign "
            f"| cells within {_bound(COMPLETION)} | shares within {_bound(SHARE)} "
            "| share, ours / the kernel's |",
            "|---|---|---|---|---|---|---|",
            *map(_agreement, agreements(results)),
            "",
            "| the first data packet that differs has | cells | of them outside |",
            "|---|---|---|",
            *(f"| {what} | {count} | {far} |" for what, count, far in first_differences(results)),
            "",
            *_cells(results),
        ]
    if side.left_out:
        lines += ["", "Left out, because no run was valid:", ""]
        lines += [f"- {cell.name}: {plain(reason)}" for cell, reason in side.left_out]
    return lines


def _agreement(of: Agreement) -> str:
    return (
        f"| {of.controller} | {of.cells} | {_percent(of.completion, 2)} | {_percent(of.signed, 2, '+')} "
        f"| {_percent(of.within)} | {_percent(of.shares)} | {_ratio(of.ratio)} |"
    )


def _cells(results: Sequence[Result]) -> list[str]:
    """The worst cells: all that are outside, and some more."""
    shown = [result for place, result in enumerate(results) if result.outside or place < _SHOWN]
    rest = len(results) - len(shown)
    return [
        "Ours / the kernel's, worst cell first. Bold: outside. The scenario of a cell is",
        "`scenarios/CELL.toml` in the folder of the results.",
        *([f"{rest} more cells are in `table.csv`."] * bool(rest)),
        "",
        "| cell | link | run s | completion s | share of flow | first drop s | resent | timeouts | queue ms "
        "| the first packet that differs, and the first with data | reason |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
        *map(_row, shown),
    ]


def _row(result: Result) -> str:
    completions, share = result.completions(), result.worst_share()
    completion = "" if completions is None else _pair(*completions, result.completion)
    shares = "" if share is None else f"{share[0]}: {_pair(*share[1:], _signed_worst(result))}"
    values = [
        _bold(completion, "completion" in result.outside),
        _bold(shares, "share" in result.outside),
        *(
            " / ".join(_number(run[name], scale) for run in (result.ours, result.kernel))
            for name, scale in (
                ("first_drop", 1), ("retransmissions", 1), ("timeouts", 1), ("queueing_delay", 1e3),
            )
        ),
    ]  # fmt: skip
    if result.runs > 1:
        values[0] += _means([] if result.mean_completion is None else [result.mean_completion])
        values[1] += _means(sorted(result.mean_shares, key=lambda each: abs(each.value))[-1:])
    first = ["" if result.first is None else str(result.first)]
    if result.data is not None and result.data != result.first:
        first.append(str(result.data))
    cell = result.cell
    return (
        f"| {cell.name} | {cell.about} | {cell.duration:g} | {' | '.join(values)} "
        f"| {plain('; '.join(first), 400)} | {result.reason} |"
    )


def _means(of: Sequence[Estimate]) -> str:
    """The difference of means of several runs, for a cell of the table."""
    return "".join(f"; means {_percent(each, 1, '+')}" for each in of)


def _signed_worst(result: Result) -> float:
    return max(result.shares, key=abs)


def _pair(ours: float, kernel: float, apart: float | None) -> str:
    difference = "" if apart is None or math.isinf(apart) else f" ({apart:+.1%})"
    return f"{_number(ours)} / {_number(kernel)}{difference}".replace("%", " %")


def _bold(text: str, outside: bool) -> str:
    return f"**{text}**" if outside else text


def _number(value: float | None, scale: float = 1.0) -> str:
    return "-" if value is None else f"{value * scale:.4g}"


def _bound(part: float) -> str:
    return f"{part * 100:g} %"


def _percent(of: Estimate, digits: int = 0, sign: str = "") -> str:
    """An estimate in per cent, with its interval, or why it has none."""
    if of.n == 0:
        return "-"
    form = f"{sign}.{digits}f"
    value = f"{of.value * 100:{form}} %"
    if of.low is None or of.high is None:
        return f"{value} (n={of.n})"
    return f"{value} [{of.low * 100:{form}}, {of.high * 100:{form}}]"


def _ratio(of: Estimate) -> str:
    """A mean logarithm as a ratio."""
    if of.n == 0:
        return "-"
    if of.low is None or of.high is None:
        return f"{math.exp(of.value):.3f} (n={of.n})"
    return f"{math.exp(of.value):.3f} [{math.exp(of.low):.3f}, {math.exp(of.high):.3f}]"


def _table(sides: Sequence[Side]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rows = [
        {
            name: value
            for name, value in {"kernel": side.kernel, **result.row()}.items()
            if name not in _NESTED
        }
        for side in sides
        for result in side.results
    ]
    if rows:
        writer.writerow(rows[0])
    writer.writerows(["" if value is None else value for value in row.values()] for row in rows)
    return text.getvalue()
