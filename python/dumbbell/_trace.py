"""Traces: what happens to each packet of a run, written to files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dumbbell import _native
from dumbbell._files.folder import new_file
from dumbbell._memory import limit_of_run
from dumbbell.errors import DumbbellError

if TYPE_CHECKING:
    from dumbbell._scenario import Progress

FORMS = ("lines", "json")
"""What a trace can be written as."""

MOST = 10_000_000
"""Events of packets that are written to files if nobody says how many may be: a gigabyte of lines."""

_OURS = b"dumbbell"
"""In the first bytes of every file that a trace is written to."""

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


@dataclass(frozen=True)
class Written:
    """How a trace went."""

    events: int
    """Events of packets that were written."""
    flows: int
    """Flows that had started at its end."""


def write(
    native: _native.Scenario,
    outputs: Mapping[str, Path | None],
    selection: Selection,
    *,
    limit: int | None = None,
    force: bool = False,
    progress: Progress | None = None,
    memory: int | None = None,
) -> Written:
    """Run a scenario and write its trace; see :meth:`dumbbell.Scenario.write_trace`.

    Parameters
    ----------
    native
        What to run.
    outputs
        A file for each form, one of :data:`FORMS`; ``None`` for the standard output.
    selection
        What to show.
    limit
        The most events of packets. If there are more, nothing is written.
    force
        Replace files that a trace has written.
    progress, memory
        As for a run.
    """
    links = None if selection.links is None else set(_indices(native.links, selection.links))
    times = [selection.start, selection.until]
    with ExitStack() as stack:
        places = []
        for form, path in outputs.items():
            part = path
            # What is no file, such as a pipe, has nothing beside it.
            if path is not None and (path.is_file() or not path.exists()):
                part = stack.enter_context(new_file(path, _is_ours, force))
            places.append((form, "standard output" if path is None else str(path), part))
        events, flows, missing = native.trace(
            limit_of_run(memory), places, selection.flows, links, times, limit, progress
        )
        if missing:
            raise DumbbellError(_missing(missing, flows, selection.until))
    return Written(events, flows)


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


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return _OURS in file.read(_HEAD)
