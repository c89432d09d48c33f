"""A page while something goes on: its server, its orders, its end."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from dumbbell._serving import Answer, listening
from dumbbell.errors import DumbbellError
from dumbbell.watch.board import Board
from dumbbell.watch.page import page

Order = Callable[[Mapping[str, Any]], object]
"""Carries out what a page asks for, in a thread of the server; refuses with a :class:`DumbbellError`."""

_MOST_ORDER = 10_000
"""Bytes of an order."""

_LAST_NUMBER = 2**53

_REPORT_FILES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".md": "text/plain; charset=utf-8",
    ".parquet": "application/octet-stream",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
"""Kinds of files next to a report that a page may link to."""


class Show:
    """Shows a board at 127.0.0.1.

    Parameters
    ----------
    kind
        ``run``, ``shell`` or ``study``.
    name
        Of what goes on; any text.
    facts
        What pages know from the start.
    order
        What pages may ask for, besides the end.
    port
        To listen at; 0 for any that is free.

    Raises
    ------
    DumbbellError
        If the port is taken.
    """

    def __init__(
        self, kind: str, name: str, facts: Mapping[str, Any], order: Order | None = None, port: int = 0
    ) -> None:
        self.board = Board({"kind": kind, "name": name, **facts})
        self._page = page(kind, name).encode(errors="replace")
        self._order = order
        self._report: Path | Callable[[], Path] | None = None
        self._writing = threading.Lock()
        self._closed = threading.Event()
        self._server = listening(self._get, self._post, port)
        self.address = self._server.address

    def start(self) -> None:
        """Answer from now on, until the process ends or :meth:`close`."""
        self._server.start()

    def close(self) -> None:
        """Stop, and free the port."""
        self._server.close()

    def ended(self, line: str, report: Path | Callable[[], Path] | None = None) -> None:
        """Say that what went on has ended, and how; from now on a page may end the command.

        Parameters
        ----------
        line
            A sentence.
        report
            A page that the command has written: it and what stands next to it can be seen, too. Or what
            writes it when somebody asks for it first, under the name ``report.html``.
        """
        self._report = report
        name = report.name if isinstance(report, Path) else "report.html"
        self.board.tell(phase="ended", line=line, report=None if report is None else f"report/{name}")

    def forget_report(self) -> None:
        """Show the report no longer; wait until one that is being written is there."""
        with self._writing:
            self._report = None

    def stay(self) -> None:
        """Wait until a page or Ctrl-C says that nobody looks any more."""
        # Ctrl-C now takes nothing away: it is no interruption.
        before = signal.signal(signal.SIGINT, lambda _number, _frame: self._closed.set())
        try:
            # A signal is seen between two waits.
            while not self._closed.wait(0.1):
                pass
        finally:
            signal.signal(signal.SIGINT, before)

    def _get(self, place: str, words: str) -> Answer | None:
        if place == "":
            return "text/html; charset=utf-8", self._page
        if place == "facts":
            return "application/json", self.board.facts()
        if place == "news":
            given = parse_qs(words)
            since, version = (_number(given.get(name, [""])[0]) for name in ("since", "version"))
            return "application/json", self.board.news(since, version)
        if place.startswith("report/"):
            return self._of_report(place.removeprefix("report/"))
        return None

    def _of_report(self, name: str) -> Answer | None:
        with self._writing:
            if self._report is not None and not isinstance(self._report, Path):
                try:
                    self._report = self._report()
                except DumbbellError as error:
                    return "text/plain; charset=utf-8", f"dumbbell: {error}\n".encode(errors="replace")
            return None if self._report is None else _file(self._report, name)

    def _post(self, place: str, sent: bytes) -> Answer | None:
        if place != "order" or len(sent) > _MOST_ORDER:
            return None
        try:
            self._obey(json.loads(sent))
            answer: dict[str, str] = {}
        except DumbbellError as error:
            answer = {"error": str(error)}
        except (ValueError, RecursionError):
            answer = {"error": "not an order of this page"}
        return "application/json", json.dumps(answer).encode()

    def _obey(self, order: object) -> None:
        if not isinstance(order, dict):
            raise DumbbellError("not an order of this page")
        if order.get("do") == "end":
            self._closed.set()
        elif self._order is not None:
            self._order(order)
        else:
            raise DumbbellError("this page gives no orders")


def _number(text: str) -> int:
    """Return a number that a page sends; 0 for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < len(str(_LAST_NUMBER)) else 0


def _file(report: Path, name: str) -> Answer | None:
    """Return a report, or a file below its folder that it may link to."""
    folder = report.parent.resolve()
    path = folder / name
    kind = _REPORT_FILES.get(path.suffix)
    try:
        inside = path.resolve().is_relative_to(folder) and path.is_file()
        return (kind, path.read_bytes()) if kind is not None and inside else None
    except (OSError, ValueError):
        return None
