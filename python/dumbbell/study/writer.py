"""Finished runs on their way to the disk, several at a time."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Protocol, Self

import pyarrow as pa

from dumbbell.study.files import refusal

GATHER = 0.2
"""Seconds that finished runs wait for others, to share the cost of a durable write."""

Row = tuple[str, Sequence[float]]
"""Id and metrics of a finished run."""


class Sink(Protocol):
    """Where rows become durable."""

    def write_rows(self, table: pa.Table) -> None:
        """Make rows durable before returning."""


class Writer:
    """Writes finished runs from a thread of its own. A run counts as finished once it is durable.

    Parameters
    ----------
    sink
        Where to.
    metrics
        Their names: the columns after ``run_id``.
    durable
        Called, from the thread, with the number of runs that have become durable.
    """

    def __init__(
        self, sink: Sink, metrics: Sequence[str], durable: Callable[[int], object] = lambda _: None
    ) -> None:
        self._sink = sink
        self._metrics = tuple(metrics)
        self._durable = durable
        self._rows: list[Row] = []
        self._change = threading.Condition()
        self._closing = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what is left; what went wrong in the thread is raised here if nothing else is."""
        self._closing.set()
        with self._change:
            self._change.notify_all()
        self._thread.join()
        if self._error is not None and error is None:
            raise self._error

    def add(self, rows: Iterable[Row]) -> None:
        """Take finished runs; raise if earlier ones could not be written."""
        with self._change:
            if self._error is not None:
                raise self._error
            self._rows.extend(rows)
            self._change.notify_all()

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._rows and not self._closing.is_set():
                    self._change.wait()
            self._closing.wait(GATHER)
            with self._change:
                rows, self._rows = self._rows, []
            if not rows:
                return
            try:
                self._sink.write_rows(as_table(rows, self._metrics))
            except BaseException as error:  # noqa: BLE001 - the thread that waits raises it.
                with self._change:
                    lost = len(rows) + len(self._rows)
                    self._error = error
                    if isinstance(error, OSError):
                        kept = f"finished runs are kept, {lost} that had just ended will be made again"
                        self._error = refusal(error, kept)
                return
            self._durable(len(rows))


def as_table(rows: Sequence[Row], metrics: Sequence[str]) -> pa.Table:
    """Return finished runs as a table; not-a-number becomes null."""
    ids, values = zip(*sorted(rows), strict=True)
    columns: dict[str, pa.Array] = {"run_id": pa.array(ids, pa.string())}
    for name, column in zip(metrics, zip(*values, strict=True), strict=True):
        columns[name] = pa.array([None if math.isnan(v) else v for v in column], pa.float64())
    return pa.table(columns)
