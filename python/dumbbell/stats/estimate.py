"""What an estimate is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from dumbbell._printing import significant

CONFIDENCE = 0.95
"""The level of every interval unless another is given (choice: the custom of the field)."""


@dataclass(frozen=True)
class Estimate:
    """A number, how sure it is, and how it was got."""

    value: float
    """Not-a-number if there is nothing to estimate from."""
    low: float | None
    """The lower end of the interval; ``None`` without an interval."""
    high: float | None
    """The upper end of the interval; ``None`` without an interval."""
    n: int
    """Independent observations: seeds, or pairs of them."""
    confidence: float
    """The nominal level of the interval."""
    method: str
    """How the interval was got, in words."""
    note: str = ""
    """What a reader must know to trust it or not; empty if nothing."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or ``None``."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def half_width(self) -> float | None:
        """Half the length of the interval, or ``None``."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def within(self, low: float, high: float) -> Estimate:
        """Return the estimate with an interval that does not leave the possible range of its quantity.

        It holds the true value as often as before, as that lies in the range.

        Parameters
        ----------
        low, high
            The possible range, in the unit of the value.
        """
        if self.low is None or self.high is None:
            return self
        return replace(self, low=max(self.low, low), high=min(self.high, high))

    def noting(self, text: str) -> Estimate:
        """Return the estimate with one more note.

        Parameters
        ----------
        text
            What a reader must know.
        """
        return replace(self, note="; ".join(filter(None, (self.note, text))))

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types; ends and values that are not finite become ``None``."""
        return {
            "value": _finite(self.value),
            "low": _finite(self.low),
            "high": _finite(self.high),
            "n": self.n,
            "confidence": self.confidence,
            "method": self.method,
            "note": self.note,
        }

    def text(self, unit: str = "") -> str:
        """Write the value, its unit and the interval, four significant digits each."""
        unit = f" {unit}" if unit else ""
        if self.n == 0:
            return "no value (n=0)"
        if self.low is None or self.high is None:
            return f"{digits(self.value)}{unit} ({self.note or f'n={self.n}, no interval'})"
        level = f"{100 * self.confidence:.4g} %"
        return f"{digits(self.value)}{unit} [{digits(self.low)}, {digits(self.high)}] (n={self.n}, {level})"

    def short(self, unit: str = "") -> str:
        """Write the value, the interval and the unit for a table, three significant digits each."""
        unit = f" {unit}" if unit else ""
        if self.n == 0:
            return "no value (n=0)"
        value = significant(self.value, 3)
        if self.low is None or self.high is None:
            return f"{value}{unit} (n={self.n}, no interval)"
        return f"{value} [{significant(self.low, 3)}, {significant(self.high, 3)}]{unit}"

    def __str__(self) -> str:
        return self.text()


def digits(value: float) -> str:
    """Write a number with four significant digits."""
    return f"{value:.4g}"


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
