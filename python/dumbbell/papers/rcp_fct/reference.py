"""The digitised figure, and the lines drawn into it."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dumbbell import theory
from dumbbell.report import Reference

Floats = NDArray[np.float64]

CAPACITY = 300_000.0
"""Packets of 1000 bytes in a second of 2.4 Gbit/s."""

RTT = 0.1
"""Seconds."""

LOAD = 0.9
"""As published; the sizes, rounded up to packets, come to 0.918."""

_SOURCE = "digitised from the log-log plot of [K16]"


@dataclass(frozen=True)
class Bin:
    """The averages of the sizes of a bin."""

    size: int
    """Where the study puts the bin: the geometric mean of its ends."""
    up_to: int
    median: float
    """Over the sizes, in s."""
    ends: tuple[float, float]
    """The least and the largest average of a size, in s."""


def bins(protocol: str) -> list[Bin]:
    """Return the bins of ``rcp`` or ``tcp``, by size."""
    with (Path(__file__).parent / "rcp-fig6-reference.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["protocol"] == protocol]
    ends = [(int(row["flow_size_lo_pkts"]), int(row["flow_size_hi_pkts"])) for row in rows]
    return [
        Bin(
            round(math.sqrt(low * high)), high, float(row["afct_median_s"]),
            (float(row["afct_low_s"]), float(row["afct_high_s"])),
        )
        for (low, high), row in zip(ends, rows, strict=True)
    ]  # fmt: skip


def published(protocol: str, at: ArrayLike) -> Floats:
    """Return the published averages at the sizes of bins; not-a-number where there are none."""
    known = {entry.size: entry.median for entry in bins(protocol)}
    return np.array([known.get(round(size), math.nan) for size in np.asarray(at, np.float64).tolist()])


def points(protocol: str, label: str) -> Reference:
    """Return the published averages as points of a figure."""
    found = bins(protocol)
    return Reference(
        label, tuple(e.median for e in found), tuple(float(e.size) for e in found), _SOURCE, marks=True
    )


def sharing(at: ArrayLike) -> Floats:
    """Return the mean time under processor sharing, up to the acknowledgement at the sender."""
    return theory.sharing_line(at, CAPACITY, LOAD, RTT) + RTT / 2


def line(which: str, label: str) -> Reference:
    """Return the line ``sharing`` or ``slow-start``, up to the acknowledgement, as a curve of a figure."""
    at = [entry.size for entry in bins("rcp")]
    values = sharing(at) if which == "sharing" else theory.slow_start_line(at, CAPACITY, RTT) + RTT / 2
    source = "[T16], plot.pl; [D05]" if which == "sharing" else "long version of [D06]"
    return Reference(
        label, tuple(values.tolist()), tuple(map(float, at)), f"{source}; half a round trip added"
    )
