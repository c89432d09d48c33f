"""The page "our TCP beside the kernel's", and its table."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dumbbell._files.foreign import replace_file
from dumbbell._native import version
from dumbbell.live.cells import Cell
from dumbbell.live.criteria import CRITERIA, OUTSIDE, UNDECIDED, WITHIN, values
from dumbbell.live.grid import SIMULATED, Result, median
from dumbbell.live.lateness import LATENESS
from dumbbell.live.pooled import Group, pooled
from dumbbell.stats import Estimate

_CLOSE = 0.05
"""Of the completion time in the median cell."""

_KEY = (
    "Below: ours / the kernel's (the median, where a cell has several runs), worst cell first. Bold: further",
    "apart than the bound above. Window: that of flow 0 before its first cut. A name tells controller, rate,",
    "round-trip time, queue, and the size of one flow, or the number of flows that start 0.5 s apart. Flows",
    "of `20+80ms` have these round-trip times in turn; a limit in BDPs counts with their mean.",
    "",
    f"Cells with several flows: {SIMULATED} simulations with different seeds. In them, packets arrive",
    f"{LATENESS} late in the mean, as in the emulator. Shares are means, with the number of the kernel's",
    "runs in brackets, and the difference with its 95 % interval. A share is within the bound, or outside,",
    "if the whole interval is; else it is undecided (?): the runs of one side differ among themselves by as",
    "much. If the kernel ran once, its runs are taken to vary as ours do.",
)


class Answer(NamedTuple):
    """What was found of a number, and what is wanted."""

    what: str
    found: str
    wanted: str


def write(
    folder: Path, results: Sequence[Result], left_out: Sequence[tuple[Cell, str]], command: str
) -> list[Answer]:
    """Write ``page.md`` and ``table.csv`` into a folder that exists; returns the answer."""
    answer = _answer(results)
    replace_file(folder / "page.md", _page(results, left_out, command, answer).encode())
    replace_file(folder / "table.csv", _table(results).encode())
    return answer


def _answer(results: Sequence[Result]) -> list[Answer]:
    differences = [
        abs(ours - kernel) / kernel
        for result in results
        if (ours := median("completion_time", result.ours)) is not None
        and (kernel := median("completion_time", result.kernel))
    ]
    middle = _percent(statistics.median(differences), 1) if differences else "-"
    lines = [Answer("median difference of completion times", middle, f"at most {_percent(_CLOSE)}")]
    wanted = {
        "completion_time": "90 %", "first_drop": "80 %", "first_cut": "80 %", "retransmissions": "all",
        "timeouts": "95 %",
    }  # fmt: skip
    for name, share in wanted.items():
        values = [value for result in results if (value := result.excess[name]) is not None]
        within = sum(value <= 1 for value in values)
        found = f"{within} of {len(values)}, {_percent(within / len(values))}" if values else "-"
        lines.append(Answer(f"cells with {_allowed(name)}", found, share))
    words = [result.share.word for result in results if result.share is not None]
    found = ", ".join(f"{words.count(word)} {word}" for word in (WITHIN, UNDECIDED, OUTSIDE))
    lines.append(Answer(f"cells with {_allowed('share')}", f"of {len(words)}: {found}", "all"))
    return lines


def _percent(share: float, digits: int = 0) -> str:
    return f"{share * 100:.{digits}f} %"


def _allowed(name: str) -> str:
    criterion = CRITERIA[name]
    title = criterion.title.split(",")[0].removesuffix(" s")
    if not criterion.share:
        return f"{title} equal"
    or_count = f" or {criterion.count:g}" if criterion.count else ""
    return f"{title} within {_percent(criterion.share)}{or_count}"


def _page(
    results: Sequence[Result],
    left_out: Sequence[tuple[Cell, str]],
    command: str,
    answer: list[Answer],
) -> str:
    kernels = sorted({str(run["kernel"]) for result in results for run in result.kernel})
    runs = sum(len(result.kernel) for result in results)
    titles = [criterion.title for criterion in CRITERIA.values()]
    lines = [
        "# Our TCP beside the kernel's: the grid",
        "",
        f"`{command}`, dumbbell {version}, Linux {', '.join(map(plain, kernels)) or '-'}:",
        f"{len(results)} cells, {runs} valid runs of the kernel. Each cell counts from its first packet.",
        "",
        "| what | found | wanted |",
        "|---|---|---|",
        *(f"| {what} | {found} | {wanted} |" for what, found, wanted in answer),
        "",
        *_together(results),
        *_KEY,
        "",
        f"| cell | {' | '.join(titles)} | reason, where it is known |",
        "|---|" + "---|" * (len(titles) + 1),
        *(_row(result) for result in results),
    ]
    if left_out:
        lines += ["", "Left out, because no run was valid:", ""]
        lines += [f"- {cell.name}: {plain(reason)}" for cell, reason in left_out]
    return "\n".join(lines) + "\n"


def _together(results: Sequence[Result]) -> list[str]:
    """What the cells with several flows say together."""
    found = pooled(results)
    if found is None:
        return []
    below, beyond, chance = found.below, found.beyond, found.by_chance
    return [
        "All cells with several flows together, each with the same weight: the mean ratio of the kernel's",
        "share of flow 0 to ours, and the mean difference of Jain's index. All intervals of this table hold",
        "together at 95 % (Bonferroni); *within* means within the bound for one cell.",
        "",
        "| cells | number | share, kernel / ours | | Jain's index, kernel - ours |",
        "|---|---|---|---|---|",
        *map(_group, found.groups),
        "",
        "| Jain's index over all runs | ours | kernel |",
        "|---|---|---|",
        *(
            f"| {p} % of runs are below | {ours:.3f} | {kernel:.3f} |"
            for p, ours, kernel in found.percentiles
        ),
        "",
        f"In a run of the kernel, flow 0 has more than in {_between(below)} of our runs: half, if",
        f"runs of both sides cannot be told apart. {_between(beyond)} of the kernel's runs are beyond all",
        f"of ours; {_percent(chance)} would be by chance.",
        "",
    ]


def _between(estimate: Estimate) -> str:
    """A part with its interval."""
    low, high = estimate.interval or (math.nan, math.nan)
    return f"{_percent(estimate.value)} [{_percent(low)}, {_percent(high)}]"


def _group(group: Group) -> str:
    low, high = group.ratio.interval or (math.nan, math.nan)
    ratio = f"{math.exp(group.ratio.value):.3f} [{math.exp(low):.3f}, {math.exp(high):.3f}]"
    low, high = group.fairness.interval or (math.nan, math.nan)
    index = f"{group.fairness.value:+.3f} [{low:+.3f}, {high:+.3f}]"
    return f"| {group.name} | {group.ratio.n} | {ratio} | {group.word} | {index} |"


def _row(result: Result) -> str:
    pairs = " | ".join(_pair(result, name) for name in CRITERIA)
    return f"| {result.cell.name} | {pairs} | {result.reason} |"


def _pair(result: Result, name: str) -> str:
    if name == "share":
        return _share(result)
    ours, kernel = median(name, result.ours), median(name, result.kernel)
    if ours is None and kernel is None:
        return ""
    text = f"{_number(ours)} / {_number(kernel)}"
    return f"**{text}**" if name in result.outside else text


def _share(result: Result) -> str:
    """Both means, and the difference with its interval."""
    verdict = result.share
    if verdict is None:
        return ""
    ours, kernel = values("share", result.ours), values("share", result.kernel)
    text = " / ".join(f"{statistics.fmean(side):.3f}" if side else "-" for side in (ours, kernel))
    margin = verdict.difference.half_width
    apart = f"{verdict.difference.value:+.3f} +- {margin:.3f}" if margin is not None else ""
    text = f"{text} ({len(kernel)}), {apart}{' ?' * (verdict.word == UNDECIDED)}"
    return f"**{text}**" if verdict.word == OUTSIDE else text


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def plain(text: str, most: int = 200) -> str:
    """Return text from a file as one cell of a table, of so many characters at most."""
    return "".join(c if c.isprintable() and c not in "|<>`*[]" else " " for c in text)[:most]


def rows(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return a row for each cell: medians of both sides, ``None`` where most runs lack the quantity."""
    return [
        {
            "cell": result.cell.name,
            "kernel_runs": len(result.kernel),
            "worst": result.worst,
            **{
                f"{name}_{side}": median(name, runs)
                for name in CRITERIA
                for side, runs in (("ours", result.ours), ("kernel", result.kernel))
            },
        }
        for result in results
    ]


def _table(results: Sequence[Result]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = [f"{name}_{side}" for name in CRITERIA for side in ("ours", "kernel")]
    writer.writerow(["cell", "kernel_runs", "worst", *columns])
    for cell, runs, worst, *medians in (row.values() for row in rows(results)):
        flat = ["" if value is None else repr(value) for value in medians]
        writer.writerow([cell, runs, f"{worst:.4g}", *flat])
    return text.getvalue()
