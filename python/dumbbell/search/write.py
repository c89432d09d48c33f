"""What a search leaves: ``search.json`` with every reading, ``search.md`` to read, and a picture."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell._files.foreign import replace_file
from dumbbell._printing import significant
from dumbbell.search.objective import MOST, of_target, value_text
from dumbbell.search.run import SearchResult, Tried

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHOWN = 10
"""Readings in the table of the best."""


def write_search(result: SearchResult, folder: Path) -> Path:
    """Write ``search.json``, ``search.md`` and ``search.svg`` into a folder; return the second.

    Parameters
    ----------
    result
        Of the search.
    folder
        Where its runs are.

    Raises
    ------
    FolderError
        If a file cannot be written.
    """
    from dumbbell.figures import save

    replace_file(folder / "search.json", (json.dumps(_facts(result), indent=1) + "\n").encode())
    save(draw(result), folder / "search", ["svg"])
    replace_file(folder / "search.md", markdown(result).encode())
    return folder / "search.md"


def _facts(result: SearchResult) -> dict[str, Any]:
    search = result.search
    return {
        "name": search.name,
        "verdict": result.verdict,
        "readings": result.readings,
        "refused": result.refused,
        "factors": [factor.name for factor in search.factors],
        "shares": result.shares(),
        "targets": [{"what": str(target), "published": target.value} for target in search.targets],
        "claims": [claim.id for claim in search.claims],
        "tried": [_tried(entry) for entry in result.tried],
        "fresh": [_tried(entry) for entry in result.fresh],
    }


def _tried(entry: Tried) -> dict[str, Any]:
    return {
        "stage": entry.stage,
        "values": list(entry.values),
        "settings": list(entry.settings),
        "seeds": entry.seeds,
        "objective": entry.cost.total,
        "made": [value if math.isfinite(value) else None for value in entry.cost.made],
        "verdicts": list(entry.cost.verdicts),
    }


def markdown(result: SearchResult) -> str:
    """Return the report: the verdict, the winner number by number, the best readings, what matters."""
    search, winner = result.search, result.winner
    lines = [
        f"# {search.name}",
        "",
        f"Verdict: **{result.verdict}**.",
        "",
        "The objective is the mean cost of what a reading misses: 0 if it makes a published number, 1 if it "
        f"is off by the factor of that target, at most {MOST:g}; a claim costs 0, 1 (inconclusive) or 2. The "
        "search chose by it, so only the numbers at fresh seeds are free of that choice.",
        "",
        f"{result.readings} readings tried, {result.refused} more refused as no valid scenarios. "
        f"`{' '.join(winner.settings)}`",
        "",
        "## The winner at fresh seeds",
        "",
        "| published number | published | ours | ratio | cost |",
        "|---|---|---|---|---|",
        *(
            f"| {target} | {target.value:g} | {significant(made, 3)} | "
            f"{significant(made / target.value, 3)} | {of_target(target, made):.2f} |"
            for target, made in zip(search.targets, winner.cost.made, strict=True)
        ),
        "",
    ]
    if search.claims:
        verdicts = zip(search.claims, winner.cost.verdicts, strict=True)
        lines += ["| claim | verdict |", "|---|---|"]
        lines += [f"| {claim.id}: {claim.statement} | {verdict} |" for claim, verdict in verdicts]
        lines.append("")
    names = [factor.name for factor in search.factors]
    lines += [
        "## The best readings",
        "",
        f"| stage | {' | '.join(names)} | seeds | objective |",
        f"|---|{'---|' * len(names)}---|---|",
    ]
    full = [entry for entry in result.tried if entry.seeds == len(search.seeds)]
    best = sorted(full, key=lambda entry: entry.cost.total)[:_SHOWN]
    for entry in (*result.fresh, *best):
        values = " | ".join(map(value_text, entry.values))
        lines.append(f"| {entry.stage} | {values} | {entry.seeds} | {entry.cost.total:.3f} |")
    lines += [
        "",
        "## What matters",
        "",
        "The share of the objective's variance over the Sobol sequence that each factor explains alone.",
        "",
        "| factor | share |",
        "|---|---|",
        *(f"| {name} | {share:.2f} |" for name, share in result.shares().items()),
        "",
        "![the objective over the two factors that matter most](search.svg)",
        "",
    ]
    return "\n".join(lines)


def draw(result: SearchResult) -> Figure:
    """Draw the objective over the two factors that matter most; over one if there is one."""
    import matplotlib as mpl

    from dumbbell.figures.style import STYLE, as_label, new_figure

    search = result.search
    index = {factor.name: place for place, factor in enumerate(search.factors)}
    names = list(result.shares())[:2]
    costs = [entry.cost.total for entry in result.tried]
    figure, (axes,) = new_figure(1, "single")
    with mpl.rc_context(STYLE):
        columns = [[entry.values[index[name]] for entry in result.tried] for name in names]
        best: list[Any] = [result.winner.values[index[name]] for name in names]
        if len(names) == 1:
            axes.plot(columns[0], costs, "o", markersize=3)
            axes.axvline(best[0], color="0.35", linestyle=(0, (2, 2)))
            axes.set_ylabel("objective")
        else:
            shown = axes.scatter(columns[0], columns[1], c=costs, s=14, cmap="viridis_r")
            axes.plot(best[:1], best[1:], "o", markersize=10, markerfacecolor="none", color="0.2")
            axes.set_ylabel(as_label(names[1]))
            figure.colorbar(shown, ax=axes, label="objective, lower is better")
        for name, axis, which in zip(names, ("x", "y"), (axes.set_xscale, axes.set_yscale), strict=False):
            if search.factors[index[name]].log and (axis == "x" or len(names) > 1):
                which("log")
        axes.set_xlabel(as_label(names[0]))
    return figure
