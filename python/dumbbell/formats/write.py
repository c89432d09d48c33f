"""Results of a run as a file of flent, which draws and compares them with its measurements."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from dumbbell import _native
from dumbbell.formats.errors import FormatError

if TYPE_CHECKING:
    from dumbbell._results import Results

_VERSION = 4
"""Of the format: flent 1.0 and later."""

_BEGIN = "1970-01-01T00:00:00.000000Z"
"""Time zero: a run has no date."""


def flent_of(results: Results) -> bytes:
    """Return the goodputs of a run over time as the data of flent's test `tcp_ndown`, not packed.

    A flow that was not sampled, or has not begun, has no values.

    Parameters
    ----------
    results
        Of a run with samples.

    Raises
    ------
    FormatError
        If the run has no samples of goodput.
    """
    goodputs = results.series("goodput")
    times = sorted({float(time) for at, _ in goodputs.values() for time in at})
    if not times:
        raise FormatError("the run has no samples of goodput; set record.samples = true")
    series: dict[str, list[float | None]] = {}
    for number, (_, (at, values)) in enumerate(sorted(goodputs.items()), 1):
        known = {float(time): float(value) / 1e6 for time, value in zip(at, values, strict=True)}
        series[f"TCP download::{number}"] = [known.get(time) for time in times]
    metadata: dict[str, Any] = {
        "NAME": "tcp_ndown",
        "TITLE": results.name,
        "NOTE": f"simulated by dumbbell {_native.version}",
        "HOST": "simulated",
        "LOCAL_HOST": "simulated",
        "TIME": _BEGIN,
        "T0": _BEGIN,
        "LENGTH": round(times[-1]),
        "TOTAL_LENGTH": times[-1],
        "STEP_SIZE": times[1] - times[0] if len(times) > 1 else times[0],
        "TEST_PARAMETERS": {"download_streams": str(len(series))},
        "SERIES_META": {name: {"UNITS": "Mbits/s"} for name in series},
    }
    whole = {
        "metadata": metadata,
        "version": _VERSION,
        "x_values": times,
        "results": series,
        "raw_values": {},
    }
    return (json.dumps(whole, indent=1) + "\n").encode()


def packed(data: bytes) -> bytes:
    """Return data as gzip, without a date: the same data give the same bytes."""
    return gzip.compress(data, mtime=0)
