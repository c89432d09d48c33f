"""What iperf3 and flent have measured: bytes in pieces of time."""

from __future__ import annotations

import math
from typing import Any

from dumbbell._files.foreign import NotDataError, inflated, parse_json
from dumbbell.formats.errors import FormatError
from dumbbell.formats.links import Piece
from dumbbell.formats.packets import some

_MEGABIT = 1e6 / 8


def iperf3(data: bytes) -> list[Piece]:
    """Return the pieces of a measurement: what ``iperf3 --json`` has printed.

    Raises
    ------
    FormatError
        If it is nothing of the kind.
    """
    values = _json(data)
    intervals = _at(values, "intervals", list)
    pieces = []
    for number, interval in enumerate(intervals):
        try:
            total = interval["sum"]
            pieces.append(Piece(_number(total["start"]), _number(total["end"]), _number(total["bytes"])))
        except (KeyError, TypeError):
            raise FormatError(f"intervals[{number}] has no sum with start, end and bytes") from None
    if not pieces:
        raise FormatError("it has no intervals; run iperf3 with --json for longer than a second")
    return pieces


def flent(data: bytes, series: str | None = None) -> list[Piece]:
    """Return the pieces of a series of flent, in Mbit/s, as they are in a ``.flent`` or ``.flent.gz`` file.

    Parameters
    ----------
    data
        The file.
    series
        Its name; by default the first of the downloads.

    Raises
    ------
    FormatError
        If it is no file of flent, or has no such series.
    """
    values = _json(data)
    results = _at(values, "results", dict)
    times = _at(values, "x_values", list)
    names = [name for name, of in results.items() if isinstance(of, list)]
    chosen = series or next((name for name in names if "download" in name.lower()), None)
    if chosen not in names:
        what = f"no series {series!r}" if series else "no series of downloads"
        raise FormatError(f"{what}; --series names one of {some(names)}")
    rates = results[chosen]
    if len(rates) != len(times):
        raise FormatError(f"{chosen!r} has {len(rates)} values at {len(times)} times")
    pieces = []
    # A value is that of the time up to it. Where flent has none, nothing was measured.
    for begin, end, rate in zip(times, times[1:], rates[1:], strict=False):
        if rate is not None:
            start, stop = _number(begin), _number(end)
            pieces.append(Piece(start, stop, _number(rate) * _MEGABIT * (stop - start)))
    return pieces


def _json(data: bytes) -> Any:
    try:
        return parse_json(inflated(data))
    except NotDataError as error:
        raise FormatError(str(error)) from None


def _at(values: Any, key: str, kind: type) -> Any:
    found = values.get(key) if isinstance(values, dict) else None
    if not isinstance(found, kind):
        raise FormatError(f"it has no {key}")
    return found


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise FormatError(f"{value!r} stands where a number is needed")
    return float(value)
