"""What an environment observes: signals of flows in one interval between decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Words: TypeAlias = "Mapping[str, Floats]"
"""Words of laws by name, each of shape (runs, flows)."""

COUNTED = ("acked", "acks", "rtt_sum", "rtts", "losses", "timeouts", "marks")
"""Words that count from the start of a flow; an interval has the difference."""

STANDING = ("rtt", "min_rtt", "flight", "window", "mss")
"""Words that say how a flow stands."""

_MS = 1e-6
"""Milliseconds in a nanosecond."""


@dataclass(frozen=True)
class Signal:
    """Something that may be observed."""

    unit: str
    """Of its values; may be empty."""
    most: float
    """The largest value that is shown; larger ones are cut."""
    meaning: str
    """In words."""
    of: Callable[[Words, Floats], Floats]
    """From the words of an interval and its length in s, shape (runs, 1), to shape (runs, flows)."""


def _mean_rtt(words: Words, _seconds: Floats) -> Floats:
    """Return the mean round-trip time of an interval in ms; without a sample the smoothed one."""
    count = words["rtts"]
    mean: Floats = np.where(count > 0, words["rtt_sum"] / np.maximum(count, 1), words["rtt"]) * _MS
    return mean


def _segments(words: Words, name: str) -> Floats:
    segments: Floats = words[name] / np.maximum(words["mss"], 1)
    return segments


SIGNALS: dict[str, Signal] = {
    "throughput": Signal(
        "Mbit/s", 1e5, "acknowledged bytes over time",
        lambda words, seconds: words["acked"] * 8e-6 / seconds,
    ),
    "acks": Signal("", 1e6, "acknowledgements", lambda words, _: words["acks"]),
    "rtt": Signal("ms", 1e5, "mean round-trip time; without a sample, the smoothed one", _mean_rtt),
    "min_rtt": Signal("ms", 1e5, "least round-trip time so far", lambda words, _: words["min_rtt"] * _MS),
    "queueing": Signal(
        "ms", 1e5, "mean round-trip time above the least",
        lambda words, seconds: np.maximum(_mean_rtt(words, seconds) - words["min_rtt"] * _MS, 0),
    ),
    "stretch": Signal(
        "", 1e4, "mean round-trip time over the least",
        lambda words, seconds: _mean_rtt(words, seconds) / np.maximum(words["min_rtt"] * _MS, 1e-9),
    ),
    "losses": Signal("", 1e4, "windows with losses", lambda words, _: words["losses"]),
    "timeouts": Signal("", 1e4, "retransmission timeouts", lambda words, _: words["timeouts"]),
    "marks": Signal("", 1e4, "windows with marks", lambda words, _: words["marks"]),
    "window": Signal("segments", 1e6, "the window", lambda words, _: _segments(words, "window")),
    "flight": Signal("segments", 1e6, "what is in flight", lambda words, _: _segments(words, "flight")),
    "seconds": Signal(
        "s", 1e4, "the length of the interval",
        lambda words, seconds: np.broadcast_to(seconds, words["acked"].shape),
    ),
}  # fmt: skip
"""Signals by name."""
