"""Measurements of other tools, to draw next to runs: files of flent and of iperf3."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dumbbell._files.foreign import NotDataError, inflated, parse_json
from dumbbell._files.names import readable
from dumbbell._files.read import read_bytes
from dumbbell._files.text import plain, shortened
from dumbbell.errors import DumbbellError
from dumbbell.figures.series import Line

_MOST_LINES = 200
"""Of one file: flent's largest tests have some dozen."""

_MOST_VALUES = 2_000_000
"""Of one file."""

_MOST_NAME = 60
"""Characters of the name of a line."""


class MeasurementError(DumbbellError):
    """A file that no measurement can be read from."""


@dataclass(frozen=True)
class Measurement:
    """What another tool has measured, under the names of the series of runs."""

    tool: str
    """``flent`` or ``iperf3``."""
    series: Mapping[str, Sequence[Line]]
    """``received`` (bit/s), ``rtt`` (s) and ``cwnd`` (B), those that the file has: a line for each flow."""


def is_measurement(path: Path) -> bool:
    """Whether a path names a file of another tool, and not a scenario or a folder of results."""
    return path.name.endswith((".flent", ".flent.gz", ".json")) and not path.is_dir()


def read_measurement(path: str | os.PathLike[str]) -> Measurement:
    """Read a file of flent (``.flent``, ``.flent.gz``) or of ``iperf3 --json``. It may be somebody else's.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    MeasurementError
        If it cannot be read, is none of these, or holds nothing to draw.

    Examples
    --------
    >>> import dumbbell as db
    >>> measured = db.figures.read_measurement("upload.flent.gz")  # doctest: +SKIP
    >>> db.figures.draw("rate", {"simulated": results, "measured": measured})  # doctest: +SKIP
    """
    path = Path(path)
    try:
        content = read_bytes(path)
        data = parse_json(inflated(content))
        found = _of(data)
    except OSError as error:
        raise MeasurementError(f"{readable(str(path))}: {error.strerror or error}") from None
    except NotDataError as error:
        raise MeasurementError(
            f"{readable(str(path))}: no measurement: {error}; give a file of flent, or of `iperf3 --json`"
        ) from None
    if not any(found.series.values()):
        raise MeasurementError(
            f"{readable(str(path))}: a file of {found.tool} without rates, round-trip times or windows; "
            "give one of a test that has them"
        )
    return found


def _of(data: Any) -> Measurement:
    if not isinstance(data, dict):
        raise NotDataError("no table at its top")
    if "x_values" in data and "results" in data:
        return Measurement("flent", _bounded(_flent(data)))
    if "intervals" in data:
        return Measurement("iperf3", _bounded(_iperf3(data)))
    if isinstance(data.get("error"), str):
        raise NotDataError(f"iperf3 ended with an error: {_name(data['error'])}")
    raise NotDataError("neither `x_values` and `results` of flent nor `intervals` of iperf3")


def _bounded(entries: Iterator[tuple[str, str, list[float], list[float]]]) -> dict[str, list[Line]]:
    """Return lines by series, from series, name, times and values."""
    series: dict[str, list[Line]] = {"received": [], "rtt": [], "cwnd": []}
    lines = values = 0
    for kind, name, times, numbers in entries:
        lines, values = lines + 1, values + len(numbers)
        if lines > _MOST_LINES or values > _MOST_VALUES:
            raise NotDataError(f"more than {_MOST_LINES} lines or {_MOST_VALUES:,} values")
        if len(numbers) > 1:
            order = np.argsort(np.array(times), kind="stable")
            series[kind].append((_name(name), np.array(times)[order], np.array(numbers)[order]))
    return series


def _name(text: str) -> str:
    return shortened(plain(text).replace("\n", " ").strip() or "unnamed", _MOST_NAME)


def _number(value: Any) -> float | None:
    """Return a number that is not negative; ``None`` for a value that is missing."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotDataError(f"{_name(repr(value))} where a number should be")
    number = float(value) if abs(value) < 1e300 else math.inf
    if not math.isfinite(number) or number < 0:
        raise NotDataError(f"{value!r:.40} where a time, a rate or a size should be")
    return number


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise NotDataError(f"{what} is not a list")
    return value


_FLENT_UNITS = {"Mbits/s": ("received", 1e6), "Kbits/s": ("received", 1e3), "ms": ("rtt", 1e-3)}
_DERIVED = (" avg", " sum", " totals")
"""How flent names what it computes from other lines."""


def _flent(data: Mapping[str, Any]) -> Iterator[tuple[str, str, list[float], list[float]]]:
    """Yield rates and round-trip times of each flow. What flent computes of several is left out."""
    times = [_number(value) for value in _list(data["x_values"], "`x_values`")]
    results, metadata = data["results"], data.get("metadata")
    if not isinstance(results, dict):
        raise NotDataError("`results` is not a table")
    about = metadata.get("SERIES_META") if isinstance(metadata, dict) else None
    for name, column in results.items():
        # A flow of several has its number there; anything else tells what else was noted of a line.
        _, parted, part = name.rpartition("::")
        if (parted and not part.isdecimal()) or name.endswith(_DERIVED):
            continue
        told = about.get(name) if isinstance(about, dict) else None
        unit = told.get("UNITS") if isinstance(told, dict) else None
        if not isinstance(unit, str):
            # Files of before 2017 do not say.
            unit = "ms" if "(ms)" in name or name.startswith("Ping") else "Mbits/s"
        if unit not in _FLENT_UNITS:
            continue
        kind, factor = _FLENT_UNITS[unit]
        values = _list(column, f"{_name(name)!r}")
        if len(values) != len(times):
            raise NotDataError(f"{_name(name)!r} has {len(values):,} values, `x_values` has {len(times):,}")
        pairs = [
            (time, value * factor)
            for time, value in zip(times, map(_number, values), strict=True)
            if time is not None and value is not None
        ]
        yield kind, name, [time for time, _ in pairs], [value for _, value in pairs]


_IPERF3 = {"bits_per_second": ("received", 1.0), "rtt": ("rtt", 1e-6), "snd_cwnd": ("cwnd", 1.0)}


def _iperf3(data: Mapping[str, Any]) -> Iterator[tuple[str, str, list[float], list[float]]]:
    """Yield rates, and of a sender round-trip times and windows, of each stream."""
    found: dict[tuple[str, int], tuple[list[float], list[float]]] = {}
    for interval in _list(data["intervals"], "`intervals`"):
        streams = interval.get("streams") if isinstance(interval, dict) else None
        for stream in _list(streams, "`streams`"):
            if not isinstance(stream, dict) or not isinstance(stream.get("socket"), int):
                raise NotDataError("a stream without `socket`")
            end = _number(stream.get("end"))
            if end is None:
                raise NotDataError("a stream without `end`")
            for key, (_, factor) in _IPERF3.items():
                value = _number(stream.get(key))
                if value is not None:
                    times, values = found.setdefault((key, stream["socket"]), ([], []))
                    times.append(end)
                    values.append(value * factor)
            if len(found) > 3 * _MOST_LINES:
                raise NotDataError(f"more than {_MOST_LINES} streams")
    for (key, socket), (times, values) in found.items():
        yield _IPERF3[key][0], f"stream {socket}", times, values
