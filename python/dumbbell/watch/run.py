"""A run that pages show as it goes on: it pauses, steps, and has a speed."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dumbbell._progress import Progress
from dumbbell._results import Results
from dumbbell._run import Run
from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.watch import FASTEST, SLOWEST
from dumbbell.watch.board import Board
from dumbbell.watch.show import Show

MOST_LINES = 8
"""Flows with a line each; of more, each group has one."""

MOST_LINKS = 6
"""Links that pages show."""

LASTS = 20.0
"""Seconds of wall time that a run lasts, where nobody says how fast it goes."""

_LOOKS = 1000
"""In the duration of a run, at least."""

_PER_SECOND = 20
"""Looks in a second of wall time, at least."""

_LEAST = 1e-8
"""Simulated time between two looks in s, at least: times are whole nanoseconds."""


class Pace:
    """When a run goes on, and how far: pages give orders, the run waits for its turns.

    Parameters
    ----------
    speed
        Simulated seconds in a second of wall time; infinite for as fast as possible.
    duration
        Of the run, in s.
    board
        What learns of changes.
    """

    def __init__(self, speed: float, duration: float, board: Board | None = None) -> None:
        self.board = board
        self._speed = speed
        self._duration = duration
        self._paused = False
        self._steps = 0
        self._turned = threading.Condition()
        self._anchor: tuple[float, float] | None = None

    @property
    def step(self) -> float:
        """Simulated time between two looks, in s: shorter in slow motion."""
        return max(min(self._duration / _LOOKS, self._speed / _PER_SECOND), _LEAST)

    def obey(self, order: Mapping[str, Any]) -> None:
        """Carry out an order of a page.

        Raises
        ------
        DumbbellError
            If it is none.
        """
        what, value = order.get("do"), order.get("speed")
        with self._turned:
            if what in ("pause", "go"):
                self._paused = what == "pause"
                self._steps = 0
            elif what == "step":
                self._paused = True
                self._steps += 1
            elif what == "speed" and value is None:
                self._speed = math.inf
            elif what == "speed" and isinstance(value, int | float) and SLOWEST <= value <= FASTEST:
                self._speed = float(value)
            else:
                raise DumbbellError("not an order of this page")
            self._anchor = None
            self._turned.notify_all()
        self.tell()

    def tell(self) -> None:
        """Tell the board how the run goes on."""
        if self.board is not None:
            self.board.tell(
                phase="paused" if self._paused else "running",
                speed=None if math.isinf(self._speed) else self._speed,
                step=self.step,
            )

    def wait(self, now: float) -> float:
        """Wait until the run may go on from simulated time `now`; return up to when it may (s)."""
        with self._turned:
            while True:
                if self._steps > 0:
                    self._steps -= 1
                    return now + self.step
                if self._paused:
                    self._turned.wait(0.5)
                    continue
                if math.isinf(self._speed):
                    return now + self.step
                wall = time.monotonic()
                if self._anchor is None:
                    self._anchor = (wall, now)
                ahead = self._anchor[0] + (now - self._anchor[1]) / self._speed - wall
                if ahead <= 0:
                    # A run that cannot keep up does not hurry afterwards.
                    if ahead < -1:
                        self._anchor = (wall, now)
                    return now + self.step
                self._turned.wait(min(ahead, 0.5))


class Lines:
    """What rows tell of flows: a line for each flow, or for each group of many.

    Parameters
    ----------
    groups
        As :meth:`Scenario.explain` describes them.
    """

    def __init__(self, groups: Sequence[Mapping[str, Any]]) -> None:
        counts = [group["flows"] for group in groups]
        self.each = all(group["kind"] == "flows" for group in groups) and sum(counts) <= MOST_LINES
        self.facts: list[dict[str, Any]] = []
        self._known: dict[int, tuple[int, int]] = {}
        if self.each:
            number = 0
            for slot, group in enumerate(groups):
                for i in range(round(counts[slot])):
                    name = f"{group['name']} {i}" if counts[slot] > 1 else str(group["name"])
                    self.facts.append({"label": _label(name, group), "slot": number, "dash": number})
                    number += 1
        else:
            for slot, group in enumerate(groups[:MOST_LINES]):
                about = "" if group["kind"] == "flows" else "about "
                count = f"{group['flows']:.0f}"
                flows = "flow" if count == "1" else "flows"
                label = _label(f"{group['name']}, {about}{count} {flows}", group)
                self.facts.append({"label": label, "slot": slot, "dash": slot})
        self._totals = [[0, 0] for _ in self.facts]

    def row(self, run: Run) -> list[list[Any]]:
        """Return of each line how many flows go on, and their mean window (B) and round-trip time (s).

        With that the bytes that they and those before have delivered, what they sent again, and the state of
        congestion control that most are in, or ``None``. Bytes of the last moments of flows that have ended
        are missing.
        """
        peek, states = run.peek(), run.states()
        place = peek.flow if self.each else states.group
        seen: dict[int, tuple[int, int]] = {}
        rows: list[list[Any]] = []
        for number, delivered, resent, line in zip(
            peek.flow.tolist(),
            peek.delivered.tolist(),
            peek.retransmissions.tolist(),
            place.tolist(),
            strict=True,
        ):
            if line >= len(self.facts):
                continue
            before = self._known.get(number, (0, 0))
            self._totals[line][0] += max(delivered - before[0], 0)
            self._totals[line][1] += max(resent - before[1], 0)
            seen[number] = (delivered, resent)
        self._known = seen
        for line, (delivered, resent) in enumerate(self._totals):
            own = np.flatnonzero(place == line)
            if len(own) == 0:
                rows.append([0, None, None, delivered, resent, None])
                continue
            trips = peek.rtt[own]
            trips = trips[trips > 0]
            common = Counter(states.state[i] for i in own.tolist()).most_common(1)[0][0]
            rows.append(
                [
                    len(own),
                    float(peek.window[own].mean()),
                    float(trips.mean()) if len(trips) else None,
                    delivered,
                    resent,
                    common or None,
                ]
            )
        return rows


def _label(name: str, group: Mapping[str, Any]) -> str:
    """Return a name with the controller; once if they are the same."""
    law = group["controller"] or group["transport"]
    return name if law == name else f"{name}: {law}"


def facts_of(scenario: Scenario) -> tuple[dict[str, Any], Lines]:
    """Return what pages know of a run before it begins, and the lines of its flows."""
    plan = scenario.explain()
    lines = Lines(plan["groups"])
    sampled = [link for link in plan["links"] if link["sampled"]]
    links = [
        {
            "name": link["name"],
            "rate": link["rate"],
            "steady": link["service"] == "constant" and link["power"] is None,
            "queue": link["queue"],
            "buffer": link["buffer_bytes"] / link["mtu"] if link["buffer_bytes"] else None,
        }
        for link in sampled[:MOST_LINKS]
    ]
    facts = {
        "duration": plan["duration"],
        "links": links,
        "more": max(len(sampled) - MOST_LINKS, 0),
        "lines": lines.facts,
        "each": lines.each,
    }
    return facts, lines


class Watched:
    """A run of a scenario, and its page.

    Parameters
    ----------
    scenario
        Is run once.
    speed
        Simulated seconds in a second of wall time, at first; by default the run lasts :data:`LASTS`.
    port
        Of the page; 0 for any that is free.
    """

    def __init__(self, scenario: Scenario, speed: float | None = None, port: int = 0) -> None:
        facts, self._lines = facts_of(scenario)
        duration = facts["duration"]
        self._pace = Pace(speed or min(max(duration / LASTS, SLOWEST), FASTEST), duration)
        self.show = Show("run", scenario.name, facts, self._pace.obey, port)
        self._pace.board = self.show.board
        self._pace.tell()

    def advance(self, scenario: Scenario, memory: int | None, progress: Progress | None) -> Results:
        """Run to the end at the pace that pages give; return the results, those of any other run.

        Raises
        ------
        MemoryLimitError
            As :meth:`Run.advance`.
        """
        run = scenario.start(memory, 1)
        go_on(run, self._pace, self._lines, self.show.board, progress)
        return run.tables()

    @contextmanager
    def report(self, results: Results) -> Iterator[Callable[[], Path] | None]:
        """Yield what writes the report of the run, for its page alone; ``None`` without the packages."""
        if not all(map(find_spec, ("matplotlib", "jinja2"))):
            yield None
            return
        with TemporaryDirectory(prefix="dumbbell-") as folder:

            def write() -> Path:
                from dumbbell.report import write_run_report

                return write_run_report(Path(folder, "report.html"), results)

            try:
                yield write
            finally:
                self.show.forget_report()


def go_on(run: Run, pace: Pace, lines: Lines, board: Board, progress: Progress | None = None) -> None:
    """Advance a run to its end at a pace, and put a row on the board after each step.

    A row has the time (s), of each link the packets in its queue, the bytes it has sent, what it has dropped
    and marked, and of each line what :meth:`Lines.row` says.
    """
    ended = False
    while not ended:
        ended = run.advance(pace.wait(run.now), progress)
        if ended:
            break
        peek = run.peek()
        links = [
            list(columns)
            for columns in zip(
                peek.queue[:MOST_LINKS].tolist(),
                peek.sent_bytes[:MOST_LINKS].tolist(),
                peek.dropped[:MOST_LINKS].tolist(),
                peek.marked[:MOST_LINKS].tolist(),
                strict=True,
            )
        ]
        board.add([run.now, links, lines.row(run)])
