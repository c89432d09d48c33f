"""How many claims come out together under a reading of the paper, each judged by its own rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import pyarrow as pa
import pyarrow.compute as pc

from dumbbell.claims import Claim, Verdict
from dumbbell.papers.capacity_scaling.derived import DERIVED, SHARES
from dumbbell.papers.capacity_scaling.tables import printed
from dumbbell.report import TableData, TableSpec
from dumbbell.study import Point, StudyResult, derive

DEFINITIONS = {"receiver": "fct", "sender": "fct-sender", "data": "fct-data"}
"""Completion time and its metric: from the SYN to the last byte at the receiver, to the last acknowledgement
at the sender, or to the last byte less the least round-trip time, which opening the connection takes."""

_RECEIVER = "receiver"

FORMS = ("relative", "bounded")
"""QoS_D of figure 7 relative to TCPonly, or to the longer time."""

NUMBERS = tuple(f"A{number}" for number in range(1, 14))

BEST = 20
"""Rows of the table of readings."""


@dataclass(frozen=True)
class Reading:
    """A reading and what comes out under it."""

    choice: Point
    """What it chooses, by factor: those of the study, then those that need no run of their own."""
    whole: tuple[str, ...]
    """Claims of which every part is reproduced, by number."""
    parts: int
    """Parts of claims that are reproduced."""
    of: int
    """Parts of claims that there are."""

    @property
    def rank(self) -> tuple[int, int]:
        """Claims, then parts."""
        return len(self.whole), self.parts


def number_of(claim: Claim) -> str:
    """Return the number of the claim that a part belongs to."""
    return claim.id.partition("-")[0]


def _defined(result: StudyResult, definition: str) -> StudyResult:
    """Return the result with completion times by another definition, and what is made of them."""
    made = {entry.name for entry in DERIVED}
    metrics = tuple(metric for metric in result.study.metrics if metric.name not in made)
    table = result.table.drop_columns([name for name in result.table.column_names if name in made])
    times = table[DEFINITIONS[definition]]
    table = table.set_column(table.column_names.index("fct"), "fct", times)
    return derive(replace(result, study=replace(result.study, metrics=metrics), table=table), DERIVED)


def _cells(result: StudyResult) -> Iterator[tuple[Point, StudyResult]]:
    """Yield each combination of the axes other than the load, with its runs as a study along the load."""
    *factors, load = result.study.axes
    for point in replace(result.study, axes=tuple(factors)).points():
        table = result.table
        for name, value in point.items():
            table = table.filter(pc.equal(table[name], pa.scalar(value, table[name].type)))
        table = table.drop_columns(list(point))
        study = replace(result.study, axes=(load,))
        yield point, replace(result, study=study, table=table, expected=table.num_rows)


def _counted(claims: Sequence[Claim], form: str) -> Iterator[Claim]:
    """Yield the parts that a form of figure 7 has."""
    both = {claim.id.replace("-bounded", "") for claim in claims if "-bounded" in claim.id}
    for claim in claims:
        if claim.id.replace("-bounded", "") not in both or ("-bounded" in claim.id) == (form == "bounded"):
            yield claim


def _readings_of(cell: dict[str, StudyResult], point: Point) -> Iterator[Reading]:
    verdicts: dict[tuple[str, str], Verdict] = {}

    def verdict(definition: str, claim: Claim) -> Verdict:
        # Completion times are in these metrics alone; all else is the same by every definition.
        timed = definition if re.match(r"fct|window|net-time", claim.metric) else _RECEIVER
        key = timed, claim.id
        if key not in verdicts:
            verdicts[key] = claim.judge(cell[timed]).verdict
        return verdicts[key]

    for definition in DEFINITIONS:
        for share in SHARES:
            claims = printed(share)
            for form in FORMS:
                parts = list(_counted(claims, form))
                out = [verdict(definition, claim) == "reproduced" for claim in parts]
                broken = {number_of(claim) for claim, good in zip(parts, out, strict=True) if not good}
                yield Reading(
                    {**point, "time": definition, "static share": share / 100, "figure 7": form},
                    tuple(number for number in NUMBERS if number not in broken),
                    sum(out), len(out),
                )  # fmt: skip


_latest: list[tuple[StudyResult, tuple[Reading, ...]]] = []
"""The result asked about last, and its readings: the tables of a report ask about the same one."""


def readings(result: StudyResult) -> tuple[Reading, ...]:
    """Return every reading of a study whose last axis is the load, in the order of its factors."""
    if not (_latest and _latest[0][0] is result):
        _latest[:] = [(result, tuple(_all_readings(result)))]
    return _latest[0][1]


def _all_readings(result: StudyResult) -> Iterator[Reading]:
    by_definition = [_cells(_defined(result, definition)) for definition in DEFINITIONS]
    for cells in zip(*by_definition, strict=True):
        cell = {definition: part for definition, (_, part) in zip(DEFINITIONS, cells, strict=True)}
        yield from _readings_of(cell, cells[0][0])


def _row(reading: Reading) -> tuple[str, ...]:
    missing = ", ".join(number for number in NUMBERS if number not in reading.whole)
    parts = f"{reading.parts} of {reading.of}"
    return (*map(str, reading.choice.values()), str(len(reading.whole)), parts, missing or "none")


def _best(result: StudyResult) -> TableData:
    found = readings(result)
    best = sorted(found, key=lambda reading: reading.rank, reverse=True)[:BEST]
    columns = (*found[0].choice, "claims", "parts", "not among them")
    # The first value of every factor is what README.md takes, for every static share and form.
    printed = [reading for reading in found if _as_printed(reading, found[0])]
    return TableData(columns, tuple(_row(reading) for reading in (*best, *printed)))


def _as_printed(reading: Reading, first: Reading) -> bool:
    free = ("static share", "figure 7")
    return all(reading.choice[name] == value for name, value in first.choice.items() if name not in free)


def _factors(result: StudyResult) -> TableData:
    found = readings(result)
    rows = []
    for name in found[0].choice:
        for level in dict.fromkeys(reading.choice[name] for reading in found):
            there = [reading for reading in found if reading.choice[name] == level]
            counts = [len(reading.whole) for reading in there]
            parts = fmean(reading.parts for reading in there)
            rows.append((f"{name}: {level}", f"{fmean(counts):.2f}", str(max(counts)), f"{parts:.1f}"))
    return TableData(("level of a factor", "claims, mean", "claims, most", "parts, mean"), tuple(rows))


def _each(result: StudyResult) -> TableData:
    found = readings(result)
    rows = []
    for number in NUMBERS:
        there = [reading for reading in found if number in reading.whole]
        best = max(there, key=lambda reading: reading.rank, default=None)
        example = ", ".join(map(str, best.choice.values())) if best else "none"
        most = str(len(best.whole)) if best else "-"
        rows.append((number, f"{100 * len(there) / len(found):.0f} %", most, example))
    return TableData(
        ("claim", "readings under which it comes out", "claims at most with it", "such a one"), tuple(rows)
    )


_FITS = "Of 13 claims; one with several parts counts where all come out. The best of many readings is a fit."

TABLES = (
    TableSpec(
        "best",
        "The readings under which most claims come out together, then the reading of README",
        _best,
        _FITS,
    ),
    TableSpec("factors", "What each choice does, over all others", _factors, _FITS),
    TableSpec("each", "Where each claim comes out", _each, _FITS),
)
