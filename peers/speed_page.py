"""The page docs/speed.md: the text of ``peers/speed.md`` with the figures that ``peers/speed.json`` holds."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from bench.measure import ROOT

DATA = ROOT / "peers" / "speed.json"
PAGE = ROOT / "docs" / "speed.md"

TEMPLATE = ROOT / "peers" / "speed.md"

TITLES = {
    "queue": ("By queue", "W1, with another queue instead of DropTail."),
    "transport": ("By transport", "W1, with other end points. UDP and RCP are ten flows over one link."),
    "flows": ("By number of flows", "W4S. Above 1,000 flows, rate and buffer grow with them."),
    "links": ("By number of links", "W4S with more host pairs; and permutations over fat-trees."),
    "rate": ("By rate", "W1 at other rates, with a buffer of one bandwidth-delay product."),
}

TOOLS = ("dumbbell", "ns-2.35", "htsim")


def render(data: dict[str, Any]) -> str:
    """Return the page."""
    dates = data["dates"]
    recorded = dates.get("htsim")
    if recorded is None:
        note = " htsim was not there."
    elif recorded != dates["works"]:
        note = f" htsim was not there: its figures are those of {recorded}."
    else:
        note = ""
    threads = [(name, _median(ratios, 2)) for name, ratios in data["threads"].items()]
    whole = [_whole(row) for row in data["whole"]]
    memory = [(name, f"{value:,.0f}") for name, value in data["memory"].items()]
    floor = [(f"{row['links']:,}", f"{row['packets']:,}", _median(row["ns"], 1)) for row in data["floor"]]
    return TEMPLATE.read_text(encoding="utf-8").format(
        date=" and ".join(sorted({date for part, date in dates.items() if part != "htsim"})),
        htsim=note,
        speed=_speed(data["works"]),
        physics=_physics(data["works"]),
        costs=_costs(data["costs"], data["instructions"]),
        whole=_table(("run", "simulated", "M packet-hops", "CPU s", "ns a packet-hop"), whole),
        threads=_table(("run", "times"), threads) if threads else "Not measured.",
        memory=_table(("what", "measured"), memory),
        floor=_table(("links", "packets in flight", "ns a hop"), floor),
        **data["machine"],
    )


def _speed(works: dict[str, Any]) -> str:
    rows = []
    for name, work in works.items():
        seconds, hops = work["seconds"], work["hops"]
        ours = statistics.median(seconds["dumbbell"])
        for tool in _tools(work["seconds"]):
            rates = [hops[tool] / s / 1e6 for s in seconds[tool]]
            times = statistics.median(seconds[tool]) / ours * hops["dumbbell"] / hops[tool]
            ratio = "" if tool == "dumbbell" else f"{times:.1f}"
            rows.append((name, tool, _median(rates, 1), _median(seconds[tool], 2), ratio))
    return _table(("work", "simulator", "M packet-hops a CPU second", "CPU s", "times slower"), rows)


def _physics(works: dict[str, Any]) -> str:
    tools = _tools(next(iter(works.values()))["physics"])
    rows = [
        (name, quantity, *(f"{work['physics'][tool][quantity]:.4g}" for tool in tools))
        for name, work in works.items()
        for quantity in work["physics"]["dumbbell"]
    ]
    return _table(("work", "quantity", *tools), rows)


def _costs(costs: Sequence[dict[str, Any]], instructions: dict[str, float]) -> str:
    parts = []
    for by, (title, about) in TITLES.items():
        rows = []
        for row in (row for row in costs if row["by"] == by):
            name, count = row["name"], instructions[f"{by}: {row['name']}"]
            rows.append((name, _median(row["ns"], 1), f"{row['ratio']:.2f}", f"{count:.0f}"))
        table = _table((by, "ns a packet-hop", "ratio", "instructions"), rows)
        parts.append(f"### {title}\n\n{about}\n\n{table}")
    return "\n\n".join(parts)


def _whole(row: dict[str, Any]) -> tuple[str, ...]:
    nanoseconds = [seconds / row["hops"] * 1e9 for seconds in row["seconds"]]
    count, comma, rest = row["name"].partition(", ")
    run = f"{count} {row['by']}{comma}{rest}"
    return run, row["time"], f"{row['hops'] / 1e6:.1f}", _median(row["seconds"], 2), _median(nanoseconds, 1)


def _tools(of: dict[str, Any]) -> list[str]:
    return [tool for tool in TOOLS if tool in of]


def _median(values: Sequence[float], digits: int) -> str:
    low, middle, high = (f"{x:.{digits}f}" for x in (min(values), statistics.median(values), max(values)))
    return f"{middle} ({low}-{high})"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
