"""The page of a board, and the figure of the distribution that networks are drawn from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from dumbbell._files.folder import new_files
from dumbbell.arena.entry import Entry, entries
from dumbbell.arena.networks import EACH, SCORES, TRAIN, distribution, networks
from dumbbell.figures.style import COLOURS, STYLE, WIDTHS, as_label, name_lines, new_figure, plain_log

LEGEND = (
    "Each score is from 0 to 1: the lower end of a 95 % interval, and the least of its groups of networks. "
    "Sure harm to CUBIC above that of CUBIC caps all three. Train networks are public; held-out ones are "
    "drawn by the hash of the source and the salt of a year. `dumbbell arena verify` recomputes each row."
)

_WORN = 0.15
"""A train score that is so much above the held-out one is marked (choice: two intervals of a group)."""


@dataclass(frozen=True)
class _About:
    id: str
    title: str
    text: str
    note: str


_NETWORKS = _About(
    "networks", "The networks of the public set", "Rate, buffer and base round-trip time of each network.",
    "Held-out sets have the same groups and ranges, and other draws.",
)  # fmt: skip


def write_page(folder: Path) -> Path:
    """Write the page of a board next to its entries; return the file.

    Parameters
    ----------
    folder
        The board.

    Raises
    ------
    ArenaError
        If a file is no entry, or there are two versions of a law.
    FolderError
        If the page cannot be written.
    """
    from dumbbell.report.html import Drawn, engine, render

    found = ranked(folder)
    with new_files(folder) as part:
        figures = [
            Drawn.of(
                _about(first, second), trade_off(found, first, second), part,
                _CODE.format(first=first, second=second),
            )
            for first, second in combinations(SCORES, 2)
        ]  # fmt: skip
        drawn = Drawn.of(_NETWORKS, draw_distribution(), part, _NETWORKS_CODE)
        page = render(
            "arena.html.j2", title="Board of the arena", name="arena", stamps=[],
            legend=LEGEND.replace("`", ""), scores=SCORES, rows=[_row(entry) for entry in found],
            note=_note(found), figures=figures, drawn=drawn, history=_history(found),
            **engine([*figures, drawn]),
        )  # fmt: skip
        (part / "board.html").write_text(page, encoding="utf-8")
    return folder / "board.html"


_CODE = """from dumbbell.arena.board import ranked, trade_off

found = ranked(".")  # the folder of this page
trade_off(found, "{first}", "{second}").savefig("{first}-{second}.pdf")
"""

_NETWORKS_CODE = """from dumbbell.arena.board import draw_distribution

draw_distribution().savefig("networks.pdf")
"""


def ranked(folder: str | os.PathLike[str]) -> list[Entry]:
    """Return the entries of a board in the order of its page: by the least held-out score.

    Parameters
    ----------
    folder
        The board.

    Raises
    ------
    ArenaError
        If a file is no entry, or there are two versions of a law.
    """
    return sorted(entries(Path(folder)), key=lambda entry: (-_least(entry), entry.name))


def _least(entry: Entry) -> float:
    """Return the least held-out score, by which rows are in order: no sum of the three."""
    return min(entry.score("held-out", name) for name in SCORES)


def _row(entry: Entry) -> dict[str, Any]:
    held_out = entry.sets["held-out"]
    return {
        "name": entry.command,
        "file": entry.path.name,
        "scores": [
            (f"{entry.score(TRAIN, name):.3f}", f"{entry.score('held-out', name):.3f}") for name in SCORES
        ],
        "decided": ", ".join(str(held_out["decided_by"][name]) for name in SCORES),
        "cap": f"{held_out['cap']:.3f}" if held_out["cap"] < 1 else "",
    }


def _note(found: Sequence[Entry]) -> str:
    worn = [
        f"{entry.command} ({name}: {entry.score(TRAIN, name):.3f} on train, "
        f"{entry.score('held-out', name):.3f} held out)"
        for entry in found
        for name in SCORES
        if entry.score(TRAIN, name) - entry.score("held-out", name) > _WORN
    ]
    return f"Much better on the public networks: {'; '.join(worn)}." if worn else ""


def _history(found: Sequence[Entry]) -> list[dict[str, Any]]:
    return [
        {
            "name": entry.command,
            "version": past["version"],
            "year": past["year"],
            "source": str(past["source"])[:12],
            "scores": [f"{past['scores']['held-out'][name]:.3f}" for name in SCORES],
        }
        for entry in found
        for past in entry.history
    ]


def _about(first: str, second: str) -> _About:
    best = "the best controllers are above and to the right"
    return _About(
        f"{first}-{second}", f"{second.capitalize()} against {first}",
        f"Held-out {second} against held-out {first} of each controller, with a line from its train score.",
        f"A line leads from the train score to the held-out one, which is named; {best}.",
    )  # fmt: skip


def trade_off(found: Sequence[Entry], first: str, second: str) -> Figure:
    """Draw two scores of all entries against each other: held-out, with a line from train."""
    figure, [axes] = new_figure(1, "double", 4.5)
    with mpl.rc_context(STYLE):
        for place, entry in enumerate(found):
            colour = COLOURS[place % len(COLOURS)]
            here, there = ([entry.score(of, name) for name in (first, second)] for of in ("held-out", TRAIN))
            axes.plot([there[0], here[0]], [there[1], here[1]], color=colour, linewidth=0.7, alpha=0.7)
            axes.plot(*here, "o", color=colour, markersize=4)
            axes.annotate(
                as_label(entry.name),
                (here[0], here[1]),
                xytext=(4, 3),
                textcoords="offset points",
                fontsize=6,
            )
        axes.set(xlabel=first, ylabel=second, xlim=(0, 1.02), ylim=(0, 1.02))
    return figure


def draw_distribution(key: str = TRAIN, each: int = EACH) -> Figure:
    """Draw the networks of a set: rates, round-trip times and buffers, one colour for each group."""
    drawn = networks(key, each)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTHS["double"], 3.2), layout="constrained")
        panels = list(figure.subplots(1, 2))
        for place, group in enumerate(distribution().groups):
            values = [network.values for network in drawn if network.group is group]
            colour, mark = COLOURS[place % len(COLOURS)], "osv^D"[place // len(COLOURS) % 5]
            for panel, across in zip(panels, ("rate", "buffer"), strict=True):
                panel.plot(
                    [float(value[across]) for value in values], [float(value["rtt"]) for value in values],
                    mark, color=colour, markersize=3, label=group.title,
                )  # fmt: skip
        for panel, label in zip(
            panels, ("rate (Mbit/s)", "buffer (BDP), where the queue is a FIFO"), strict=True
        ):
            panel.set(xlabel=label, ylabel="base round-trip time (ms)")
            plain_log(panel.xaxis)
            plain_log(panel.yaxis)
        name_lines(figure, panels)
    return figure
