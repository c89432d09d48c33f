"""A shell that pages show as it goes on, and whose link they change."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from dumbbell import _native
from dumbbell._files.text import shortened
from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError, ScenarioError
from dumbbell.watch.show import Show

_PERIOD = 0.1
"""Seconds between two looks at the desk: the emulator writes as often."""

_PLACES = {"chain": "topology.link", "dumbbell": "topology.bottleneck"}
"""Where scenarios describe the link that is emulated, by topology."""


class WatchedShell:
    """A shell, and its page.

    Parameters
    ----------
    scenario
        Where the link comes from.
    at
        The link, if it was chosen.
    port
        Of the page; 0 for any that is free.

    Raises
    ------
    ScenarioError
        If the link cannot be emulated.
    """

    def __init__(self, scenario: Scenario, at: str | None, port: int = 0) -> None:
        self.desk = _native.Desk()
        self._scenario = scenario
        found = _native.emulated(scenario._native, at)
        self._at: str = found["link"]
        plan = {link["name"]: link for link in scenario.explain()["links"]}
        links = [plan[found[way]] for way in ("link", "back")]
        self._queues = [link["queue"] for link in links]
        self._names = [link["name"] for link in links]
        self._place = _PLACES.get(str(scenario.to_dict()["topology"]["kind"]))
        facts = {
            "duration": None,
            "links": [
                {
                    "name": link["name"],
                    "rate": link["rate"],
                    "steady": link["service"] == "constant" and link["power"] is None,
                    "queue": link["queue"],
                    "buffer": None,
                }
                for link in links
            ],
            "more": 0,
            "lines": [],
            "each": True,
            "knobs": self._place is not None,
            "queues": _queue_names(),
        }
        self.show = Show("shell", scenario.name, facts, self._obey, port)
        self.show.board.tell(phase="running", queues=self._queues, changes=[], step=_PERIOD)
        self._stop = threading.Event()
        self._lock = threading.Lock()

    def start(self) -> None:
        """Tell the page what the emulator says, from now on, in a thread."""
        threading.Thread(target=self._follow, name="desk", daemon=True).start()

    def ended(self, line: str) -> None:
        """Tell the page that the shell has ended, and how."""
        self._stop.set()
        self._tell()
        self.show.ended(line)

    def _follow(self) -> None:
        while not self._stop.wait(_PERIOD):
            self._tell()

    def _tell(self) -> None:
        with self._lock:
            for time, up, down in self.desk.take():
                self.show.board.add([time, [list(up), list(down)], []])
            made = self.desk.made()
            queues = list(self._queues)
            for _, link, _, queue in made:
                if queue is not None:
                    queues[self._names.index(link)] = queue
            self.show.board.tell(queues=queues, changes=[in_words(change) for change in made])

    def _obey(self, order: Mapping[str, Any]) -> None:
        given = [order.get(name) for name in ("rate", "queue", "setting")]
        if order.get("do") != "change" or not all(isinstance(value, str | None) for value in given):
            raise DumbbellError("not an order of this page")
        with self._lock:
            changed = self._scenario
            for path, value in self._settings(order):
                changed = changed.with_(path, _value(value))
            if not self.desk.change(changed._native, self._at):
                raise DumbbellError(f"nothing of {self._at} changes")
            self._scenario = changed

    def _settings(self, order: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Return the paths and values of the scenario that an order changes."""
        for key in ("rate", "queue"):
            if value := order.get(key):
                if self._place is None:
                    raise DumbbellError(f"{key}: give the path of the link and its value")
                yield f"{self._place}.{key}", value
        if setting := order.get("setting"):
            path, sign, value = setting.partition("=")
            if not sign:
                raise DumbbellError(f"{shortened(setting, 100)}: not a change; give path=value")
            yield path.strip(), value.strip()


def in_words(change: tuple[float, str, int | None, str | None]) -> str:
    """Say what was changed: the time in s, the link, its rate in bit/s, its queue."""
    time, link, rate, queue = change
    what = [*([f"{rate / 1e6:g} Mbit/s"] if rate is not None else []), *([f"queue {queue}"] if queue else [])]
    return f"{time:.1f} s: {link}: {', '.join(what)}"


def _value(text: str) -> object:
    """Return what a text says in TOML; the text itself where it says nothing."""
    try:
        return _native.parse_toml(f"value = {text}")["value"]
    except (ScenarioError, KeyError):
        return text


def _queue_names() -> list[str]:
    return sorted(name for name, _, _ in dict(_native.algorithms())["queue"])
