"""The language of laws: what a controller of one's own imports.

A law is a class with typed fields and one method for each event that it answers. `dumbbell` reads its
source; it never imports the file. The page ``docs/own-controller.md`` teaches the language.

Examples
--------
>>> from dumbbell.own import Controller, param
>>> class Mine(Controller):
...     gain: int = param(2, ge=1, le=100, unit="segments")
...
...     def on_ack(self, ack, control):
...         control.window += self.gain * ack.mss
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from enum import IntEnum as Enum
from pathlib import Path
from typing import Any

from dumbbell.own import numbers as _numbers
from dumbbell.own.errors import LawError
from dumbbell.own.vocabulary import CONSTANTS as _CONSTANTS

__all__ = [
    "MICROSECOND",
    "MILLISECOND",
    "NEVER",
    "RATE_SHIFT",
    "SECOND",
    "UNLIMITED",
    "UNPACED",
    "Ack",
    "Array",
    "Control",
    "Controller",
    "Enum",
    "LawError",
    "Sent",
    "array",
    "clamp",
    "icbrt",
    "isqrt",
    "mul_div",
    "param",
    "random",
    "real",
    "real_add",
    "real_div",
    "real_int",
    "real_mul",
    "real_sub",
    "state",
    "windowed_max",
    "windowed_min",
]

UNLIMITED: int = _CONSTANTS["UNLIMITED"]
"""No threshold."""
UNPACED: int = _CONSTANTS["UNPACED"]
"""No pacing."""
NEVER: int = _CONSTANTS["NEVER"]
"""No wake-up."""
RATE_SHIFT: int = _CONSTANTS["RATE_SHIFT"]
"""A byte a second is ``1 << RATE_SHIFT``."""
SECOND: int = _CONSTANTS["SECOND"]
MILLISECOND: int = _CONSTANTS["MILLISECOND"]
MICROSECOND: int = _CONSTANTS["MICROSECOND"]
"""Times are nanoseconds."""


class Ack:
    """What an event brings: an acknowledgement, a loss, a timeout. Sizes are bytes, times nanoseconds."""

    now: int
    """Now."""
    acked: int
    """Bytes newly acknowledged, cumulatively or selectively."""
    flight: int
    """Bytes outstanding: before this event if it is a loss, timeout or ECN echo, otherwise after it."""
    mss: int
    """Largest segment payload."""
    in_recovery: bool
    """True while losses are repaired, and on acknowledgements that echo congestion: no time to grow."""
    window_limited: bool
    """True if the congestion window, not the application or the receiver, limited the sender."""
    repeated: bool
    """In `on_timeout`: the timer had already expired for the same segment."""
    growth_limit: int
    """Most that one acknowledgement may add in slow start."""
    initial_window: int
    """The window to start with, and to start again with after an idle time."""
    delivered: int
    """Bytes acknowledged since the start."""
    held: int
    """Those of them beyond a hole: acknowledged selectively, and not yet in order."""
    departs_at: int
    """When the next packet may leave at the pacing rate; `now` or earlier if it may now."""
    rtt: int
    """The round-trip time that this event measured; 0 if none."""
    smoothed_rtt: int
    """Smoothed round-trip time; 0 before the first measurement."""
    min_rtt: int
    """Smallest round-trip time measured; 0 before the first."""
    lost: int
    """Bytes found lost since the last event. Asks for records of segments."""
    marked: int
    """Those of the acknowledged bytes that arrived marked. Asks for the echo of every mark."""
    round: int
    """Round trips counted by packets. Asks for records of segments."""
    feedback: int
    """What routers answered, in units of 2^-20. Asks routers; the class names their header."""
    rate: int
    """Delivery rate in units of 2^-20 bytes a second; 0 without a sample. Asks for records of segments."""
    rate_interval: int
    """Time over which the rate was measured."""
    rate_delivered: int
    """Bytes delivered in this time."""
    rate_prior_delivered: int
    """Bytes that had been delivered when the packet left."""
    rate_lost: int
    """Bytes found lost since the packet left."""
    rate_in_flight: int
    """Bytes in flight when the packet left, with it."""
    rate_packets: int
    """Packets in flight when the packet left, with it."""
    app_limited: bool
    """True if the application had too little to send at that time."""


class Sent:
    """A segment that leaves."""

    now: int
    """Now."""
    flight: int
    """Bytes outstanding, with it."""
    bytes: int
    """Its bytes."""
    again: bool
    """True if it was sent before."""


class Control:
    """What a law decides. It keeps its values from event to event; a negative one becomes 0."""

    window: int
    """Congestion window in bytes. The transport holds it at one segment or more, and below 2^40."""
    threshold: int
    """Slow-start threshold in bytes; `UNLIMITED` if there is none."""
    pacing: int
    """Pacing rate in units of 2^-20 bytes a second; `UNPACED` without one. Writing it asks for pacing."""
    wake_at: int
    """When `on_wake` is called, once; `NEVER` if not. Writing it asks for wake-ups."""
    request: int
    """What data segments ask routers for. Writing it asks routers."""
    quantum: int
    """Bytes that leave together; 0 leaves it to the transport. Writing it asks for pacing."""


class Array(list[int]):
    """Numbers of a fixed count. Reading outside it gives 0, writing there does nothing."""

    def __getitem__(self, index: Any) -> Any:
        return list.__getitem__(self, index) if 0 <= index < len(self) else 0

    def __setitem__(self, index: Any, value: Any) -> None:
        if 0 <= index < len(self):
            list.__setitem__(self, index, value)


def array(length: int, fill: int = 0) -> Array:
    """Return an array for a field of a law."""
    return Array([fill] * length)


def param(
    value: Any,
    *,
    ge: int | None = None,
    le: int | None = None,
    unit: str = "",
    source: str = "",
) -> Any:
    """Declare a parameter: its default, its least and most, its unit, where the default comes from."""
    del ge, le, unit, source  # `dumbbell` reads them from the source.
    return value


def state(value: Any, *, unit: str = "") -> Any:
    """Declare a word of state that traces show: in ``bytes``, ``ns``, ``rate`` (2^-20 bytes a second).

    ``real`` is a real number; its unit may follow, such as ``real B/s``.
    """
    del unit
    return value


def clamp(value: int, least: int, most: int) -> int:
    """Return the nearest number between two; the least if they contradict each other."""
    return max(least, min(value, most))


def isqrt(value: int) -> int:
    """Return the square root, rounded down; 0 of a negative number."""
    return _numbers.isqrt(value)


def icbrt(value: int) -> int:
    """Return the cube root, rounded down; 0 of a negative number."""
    return _numbers.icbrt(value)


def mul_div(a: int, b: int, c: int) -> int:
    """Return ``a * b // c`` without overflow between; 0 if `c` is 0."""
    return _numbers.mul_div(a, b, c)


def _plain(function: str, *values: Any) -> int:
    """Call a function that is written in the language itself."""
    # Not at the top: scenarios with a law import this file, and need no interpreter.
    from dumbbell.own.interpreted import plain

    return int(plain()[function](*values))


def random() -> int:
    """Return a random number from 0 to 2^63 - 1; in plain Python, of one stream that is always the same."""
    return _plain("random")


def windowed_max(samples: Array, window: int, now: int, value: int) -> int:
    """Return the largest value of the last `window`; `samples` is an array of 7."""
    return _plain("windowed_max", samples, window, now, value)


def windowed_min(samples: Array, window: int, now: int, value: int) -> int:
    """Return the smallest value of the last `window`; `samples` is an array of 7."""
    return _plain("windowed_min", samples, window, now, value)


def real(number: int) -> int:
    """Return the real number nearest to a whole one: the bits of a number of double precision (IEEE 754)."""
    return _plain("real", number)


def real_int(number: int) -> int:
    """Return the whole number of a real one; what follows the point is left out."""
    return _plain("real_int", number)


def real_add(a: int, b: int) -> int:
    """Return the sum of two real numbers, rounded as processors do."""
    return _plain("real_add", a, b)


def real_sub(a: int, b: int) -> int:
    """Return the difference of two real numbers."""
    return _plain("real_sub", a, b)


def real_mul(a: int, b: int) -> int:
    """Return the product of two real numbers."""
    return _plain("real_mul", a, b)


def real_div(a: int, b: int) -> int:
    """Return the quotient of two real numbers; 0 if the second is 0."""
    return _plain("real_div", a, b)


class Controller(Mapping[str, Any]):
    """A controller of one's own: the base of laws.

    Subclasses take options: ``kind`` (``window``, ``model``, ``router``, ``rate``), ``repair``, ``exchange``,
    ``needs`` (``repairs fine-timeouts scalable``) and ``name``, what tables call it. An object of a subclass
    is what a scenario holds: the file, the class and the parameters that are given.

    Parameters
    ----------
    **parameters
        Values of parameters of the law; the others keep their defaults.

    Raises
    ------
    LawError
        If the class stands in no file.
    """

    def __init_subclass__(
        cls,
        *,
        kind: str = "window",
        repair: str = "partial-acks",
        exchange: str = "none",
        needs: str = "",
        name: str = "",
    ) -> None:
        super().__init_subclass__()

    def __init__(self, **parameters: int | str) -> None:
        label = type(self).__name__
        file = getattr(sys.modules.get(type(self).__module__), "__file__", None)
        if file is None:
            raise LawError(label, "stands in no file", "write it into one, such as my.py, and import it")
        path = Path(file).resolve()
        if path.is_relative_to(Path.cwd()):
            path = path.relative_to(Path.cwd())
        self._given = {"kind": f"{path.as_posix()}:{label}", **parameters}

    def __getitem__(self, key: str) -> Any:
        return self._given[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)
