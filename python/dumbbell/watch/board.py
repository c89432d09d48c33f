"""What pages know of something that goes on: facts, a state, and rows, of which old ones are thinned."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from dumbbell._files.numbers import finite

MOST_ROWS = 4000
"""Kept at most; with more, every second one of the older half goes."""

PATIENCE = 1.0
"""Seconds that somebody waits for news at most."""


class Board:
    """Holds what a page shows. One thread writes, and any number of viewers read at their own pace.

    Parameters
    ----------
    facts
        What does not change: JSON types.
    most
        Rows that are kept.
    """

    def __init__(self, facts: Mapping[str, Any], most: int = MOST_ROWS) -> None:
        self._facts = dict(facts)
        self._most = most
        self._rows: list[tuple[int, Sequence[Any]]] = []
        self._last = 0
        self._state: dict[str, Any] = {}
        self._version = 0
        self._changed = threading.Condition()

    def add(self, row: Sequence[Any]) -> None:
        """Add a row. It is number 1, 2, and so on, and keeps its number."""
        with self._changed:
            self._last += 1
            self._rows.append((self._last, row))
            if len(self._rows) > self._most:
                half = len(self._rows) // 2
                self._rows[:half] = self._rows[:half:2]
            self._changed.notify_all()

    def tell(self, **state: Any) -> None:
        """Change parts of the state."""
        with self._changed:
            self._state.update(state)
            self._version += 1
            self._changed.notify_all()

    def facts(self) -> bytes:
        """Return the facts as JSON."""
        return _json(self._facts)

    def news(self, since: int, version: int, patience: float = PATIENCE) -> bytes:
        """Return the rows after a number, and the state, as JSON.

        Waits for some if there are none yet.

        Parameters
        ----------
        since
            The number of the last row that the reader has.
        version
            Of the state that the reader has.
        patience
            Seconds to wait at most.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._last > since or self._version != version, patience)
            # Numbers rise: those that the reader lacks are at the end.
            low, high = 0, len(self._rows)
            while low < high:
                middle = (low + high) // 2
                if self._rows[middle][0] > since:
                    high = middle
                else:
                    low = middle + 1
            answer = {
                "last": self._last,
                "version": self._version,
                "state": dict(self._state),
                "rows": [row for _, row in self._rows[low:]],
            }
        return _json(answer)


def _json(value: object) -> bytes:
    """Write JSON; ``null`` for numbers that are not finite."""
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(
        errors="replace"
    )
