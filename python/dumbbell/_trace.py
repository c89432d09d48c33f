"""Traces: what happens to each packet of a run, written to files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dumbbell import _native
from dumbbell._files.folder import new_file
from dumbbell._files.names import readable, real
from dumbbell._memory import limit_of_run
from dumbbell._results import Table
from dumbbell.errors import DumbbellError

if TYPE_CHECKING:
    from dumbbell._progress import Progress

FORMS = ("lines", "json", "pcapng", "qlog", "perfetto")
"""What a trace can be written as."""

CAPTURES = ("sources", "destinations")
"""Where packets of a capture are seen."""

MOST = 10_000_000
"""Events of packets that are written to files if nobody says how many may be: a gigabyte of lines."""

LAST_FLOW = 2**32 - 1
"""The largest number that a flow can have."""

_OURS = b"dumbbell"
"""In the first bytes of files that a trace is written to, but for lines, JSON and tracks of Perfetto."""

_LINES = re.compile(
    rb" +time_s event +place +flow way proto +bytes  header\n"
    rb'|\{"time":[0-9.e-]+,"flow":[0-9]+,"event":"'
)
"""How lines begin, and JSON (crates/trace/src/text.rs, json.rs)."""

_TRACKS = bytes.fromhex("0a0468015001")
"""How those begin: an empty packet, the first of its sequence (crates/trace/src/perfetto/tracks.rs)."""

_HEAD = 1 << 16


@dataclass(frozen=True)
class Selection:
    """Which events a trace shows."""

    flows: frozenset[int] | None = None
    """By number; ``None`` for all."""
    links: frozenset[str] | None = None
    """By name; ``None`` for what happens at end points too."""
    start: str | None = None
    """From this time on, such as ``"1.5s"``."""
    until: str | None = None
    """Up to this time, where the run stops."""

    @classmethod
    def of(
        cls,
        flows: Iterable[int] | None,
        links: Iterable[str] | None,
        start: str | None,
        until: str | None,
    ) -> Selection:
        """Return a selection of what a caller names."""
        numbers = None if flows is None else frozenset(flows)
        for number in numbers or ():
            if not 0 <= number <= LAST_FLOW:
                raise DumbbellError(f"flow {number}: no flow has this number; give one from 0 on")
        return cls(numbers, None if links is None else frozenset(links), start, until)


@dataclass(frozen=True)
class Written:
    """How a trace went."""

    events: int
    """Events of packets that were written."""
    flows: int
    """Flows that had started at its end."""


@dataclass(frozen=True)
class Trace:
    """What happened to packets and their senders, as tables."""

    packets: Table
    """One row per event of a packet, in the order of time."""
    senders: Table
    """One row per packet or timer that a sender has taken in: how it stands then."""


class Tracing:
    """A scenario that is traced.

    Parameters
    ----------
    native
        What to run.
    selection
        What to show.
    limit
        The most events of packets, or bytes as ``"100MB"``. If there are more, there is no trace.
    progress, memory
        As for a run.
    """

    def __init__(
        self,
        native: _native.Scenario,
        selection: Selection,
        limit: int | str | None,
        progress: Progress | None,
        memory: int | None,
    ) -> None:
        self._native = native
        self._selection = selection
        self._limit = _limit(limit)
        self._progress = progress
        self._memory = memory

    def collect(self) -> Trace:
        """Run, and return the tables."""
        tables, _ = self._run([], True)
        return Trace(*map(Table, tables))

    def write(self, outputs: Mapping[str, Path | None], capture: str, force: bool) -> Written:
        """Run, and write files; see :meth:`dumbbell.Scenario.write_trace`."""
        check_outputs(outputs, capture)
        with ExitStack() as stack:
            places: list[tuple[str, str, Path | None]] = []
            for form, path in outputs.items():
                part = path and stack.enter_context(new_file(path, is_ours, force))
                places.append((form, "standard output" if path is None else readable(str(path)), part))
            _, written = self._run(places, capture == "sources")
        return written

    def _run(
        self, places: list[tuple[str, str, Path | None]], at_sources: bool
    ) -> tuple[list[_native.Table], Written]:
        chosen = self._selection
        links = None if chosen.links is None else set(_indices(self._native.links, chosen.links))
        tables, events, flows, missing = self._native.trace(
            limit_of_run(self._memory), places, at_sources, chosen.flows, links, [chosen.start, chosen.until],
            self._limit, self._progress,
        )  # fmt: skip
        if missing:
            raise DumbbellError(_missing(missing, flows, chosen.until))
        return tables, Written(events, flows)


def check_outputs(outputs: Mapping[str, Path | None], capture: str) -> None:
    """Refuse what is no form of a trace, no place to capture, and a file that is named twice."""
    for form in outputs:
        if form not in FORMS:
            raise DumbbellError(f"{form!r} is no form of a trace; {_native.suggest(form, list(FORMS))}")
    if capture not in CAPTURES:
        raise DumbbellError(f"{capture!r} is no place to capture; {_native.suggest(capture, list(CAPTURES))}")
    files = [real(path) for path in outputs.values() if path is not None]
    for file in files:
        if files.count(file) > 1:
            raise DumbbellError(f"{file}: two outputs have this file; name two")


def _limit(given: int | str | None) -> tuple[int, bool] | None:
    """Return a limit and whether it is in bytes."""
    if given is None:
        return None
    if isinstance(given, int):
        if not 0 < given < 2**63:
            raise DumbbellError(f"limit: {given} is out of range; give a number of events above 0")
        return (given, False)
    return (_native.parse_size(given, "limit"), True)


def _indices(known: Sequence[str], names: Iterable[str]) -> Iterable[int]:
    places = {name: index for index, name in enumerate(known)}
    for name in names:
        if name not in places:
            raise DumbbellError(f"link {name!r}: the scenario has none; {_native.suggest(name, list(known))}")
        yield places[name]


def _missing(missing: Sequence[int], flows: int, until: str | None) -> str:
    some = ", ".join(map(str, missing[:3])) + (", ..." if len(missing) > 3 else "")
    before = "" if until is None else f" before {until}"
    there = f"give a number from 0 to {flows - 1}" if flows else "trace a longer part of the run"
    if flows == 1:
        there = "the only one is 0"
    return f"flow {some}: no such flow has started{before}; {there}"


def is_ours(path: Path) -> bool:
    """Whether a trace was written to a file."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return _OURS in head or head.startswith(_TRACKS) or _LINES.match(head) is not None
