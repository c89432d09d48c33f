"""Which format a file has, and what it becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dumbbell import _native
from dumbbell._files.read import read_bytes
from dumbbell.formats import capture, measured, simulators
from dumbbell.formats.errors import FormatError

MOST_BYTES = 1 << 30
"""Of a file to convert: ten million packets of a capture."""

FORMATS: Mapping[str, tuple[tuple[str, ...], Callable[[bytes], Any]]] = {
    "capture": ((".pcap", ".pcapng", ".cap"), capture.packets),
    "iperf3": ((".json",), measured.iperf3),
    "flent": ((".flent", ".flent.gz"), measured.flent),
    "ns2": ((".tr",), simulators.ns2),
    "htsim": ((".cm",), simulators.htsim),
    "hpcc": ((), simulators.hpcc),
}
"""The formats: how names of such files end, and what reads them."""


def read(path: Path, format: str | None = None, series: str | None = None) -> Any:  # noqa: A002
    """Return what a file of another tool holds.

    Parameters
    ----------
    path
        The file.
    format
        A key of `FORMATS`; by default by the name of the file.
    series
        Of flent, the series.

    Returns
    -------
    list
        Of :class:`~dumbbell.formats.packets.Packet`, :class:`~dumbbell.formats.links.Piece` or
        :class:`~dumbbell.formats.flows.Flow`, in the order of the file.

    Raises
    ------
    FormatError
        If it cannot be read, or holds something else. The message begins with the path.
    """
    if format is not None and format not in FORMATS:
        raise FormatError(f"{format!r} is no format; {_native.suggest(format, list(FORMATS))}")
    name = path.name.lower()
    chosen = format or next((of for of, (ends, _) in FORMATS.items() if name.endswith(ends or ("\0",))), None)
    if chosen is None:
        raise FormatError(f"{path}: its name tells no format; --format names one of {', '.join(FORMATS)}")
    try:
        data = read_bytes(path, MOST_BYTES)
        if chosen == "flent":
            return measured.flent(data, series)
        return FORMATS[chosen][1](data)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}; name a file of {chosen}") from None
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
