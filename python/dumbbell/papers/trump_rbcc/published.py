"""The published tables, and which arm is which row."""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from pathlib import Path

MEASUREMENTS = ("hiqueue", "avqueue", "hiutil", "avutil", "e2edev", "hits", "misses", "abt", "lost")

DIGITS = {"hits": 0, "misses": 0, "abt": 0, "lost": 0}
"""Of a measurement, after the point; three if it is not here."""

NETWORKS = 500
"""Of each published number."""


@dataclass(frozen=True)
class Sweep:
    """One table of the thesis: a parameter, and the arms that stand for its values."""

    table: str
    title: str
    arms: tuple[tuple[str, str], ...]
    """The value as the published file writes it, and the arm."""


SWEEPS = (
    Sweep("11.3", "Rate quench", (("no", "base"), ("yes", "quench"))),
    Sweep("11.4", "Reverse updates", (("no", "base"), ("yes", "revupdates"))),
    Sweep(
        "11.5",
        "The threshold T",
        tuple((str(t), "base" if t == 5 else f"threshold-{t}") for t in (1, 2, 3, 5, 7, 10)),
    ),
    Sweep(
        "11.6",
        "The scaling factor alpha",
        tuple(
            (a, "base" if a == "0.75" else f"alpha-{1000 * float(a):.0f}")
            for a in ("0.125", "0.25", "0.375", "0.5", "0.625", "0.75", "0.875")
        ),
    ),
    Sweep(
        "11.7",
        "The size of acknowledgements",
        tuple((str(n), "base" if n == 1 else f"selacksize-{n}") for n in (1, 2, 4, 8, 16)),
    ),
    Sweep(
        "11.8",
        "The dropping function",
        (
            ("drop_tail", "base"),
            ("drop_head", "drop_head"),
            ("drop_random", "drop_random"),
            ("decongest_first", "decongest_first"),
            ("decongest_last", "decongest_last"),
        ),
    ),
    Sweep("11.10", "Recommended parameters", (("ch10", "base"), ("recommended", "recommended"))),
)

LOSERS = "11.8"
"""The table that counts only networks in which the base loses packets."""


@dataclass(frozen=True)
class Published:
    """A published number: median and range of 90 %; of lost packets the sum and that range."""

    value: float
    low: float
    high: float


@functools.cache
def published() -> dict[tuple[str, str, str], Published]:
    """Return the published numbers by table, value and measurement."""
    with (Path(__file__).parent / "trump-rbcc-tables.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["table"], row["value"], row["measurement"]): Published(
                float(row["median"] or row["lost"]), float(row["low90"]), float(row["high90"])
            )
            for row in csv.DictReader(file)
        }


def lost(arm: str) -> float:
    """Return how many packets an arm has lost over all networks, as published."""
    for sweep in SWEEPS:
        for value, name in sweep.arms:
            if name == arm:
                return published()[sweep.table, value, "lost"].value
    raise KeyError(arm)
