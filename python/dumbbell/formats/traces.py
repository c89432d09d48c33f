"""Recorded links that others publish: where each is, and what it must hold.

The list is :file:`traces.toml`. Nothing of the links themselves is part of the package.
"""

from __future__ import annotations

import hashlib
import http.client
import re
import urllib.request
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dumbbell import _native
from dumbbell._files.foreign import parse_toml
from dumbbell.formats.errors import FormatError

PATIENCE = 30
"""Seconds without a byte, after which a server is given up."""

MOST_BYTES = 64 << 20
"""Of a recording that is not in the list."""

_SCHEMES = ("http://", "https://")


@dataclass(frozen=True)
class Recording:
    """A recorded link that others publish."""

    what: str
    """Which network, which way, how long, its mean rate."""
    address: str
    """Where it is."""
    bytes: int
    """Its size."""
    sha256: str
    """Its checksum."""
    licence: str
    """Under which it is published."""
    source: str
    """Who made it."""


@cache
def recordings() -> dict[str, Recording]:
    """Return the recorded links that are known, by name."""
    text = files("dumbbell").joinpath("formats", "traces.toml").read_text(encoding="utf-8")
    return {name: Recording(**entry) for name, entry in parse_toml(text).items()}


def fetch(name: str, mirror: str | None = None) -> bytes:
    """Return a recorded link from the network, in the format of Mahimahi.

    Parameters
    ----------
    name
        A key of :func:`recordings`.
    mirror
        The address of a folder with the same files; by default the publisher's.

    Raises
    ------
    FormatError
        If there is no such recording, it cannot be had, or it is not what it was.
    """
    known = recordings()
    if name not in known:
        raise FormatError(f"{name!r} is no recording; {_native.suggest(name, list(known))}")
    recording = known[name]
    address = recording.address
    if mirror is not None:
        address = f"{mirror.rstrip('/')}/{address.rpartition('/')[2]}"
    if not address.startswith(_SCHEMES):
        raise FormatError(f"{address}: not an address of the web; begin it with https://")
    data = _got(address, recording.bytes)
    if len(data) != recording.bytes or hashlib.sha256(data).hexdigest() != recording.sha256:
        raise FormatError(f"{address}: not the file that is known as {name}: its checksum is another one")
    return data


def fetch_address(address: str, sha256: str | None = None) -> tuple[bytes, str]:
    """Return a recorded link from an address that is not in the list, and its checksum.

    Parameters
    ----------
    address
        Where it is: ``https://...``.
    sha256
        The checksum that it must have; without one, note the checksum that it has.

    Raises
    ------
    FormatError
        If it cannot be had, has another checksum, or is no recorded link.
    """
    if sha256 is not None and not re.fullmatch("[0-9a-fA-F]{64}", sha256):
        raise FormatError(f"--sha256: {sha256[:70]!r} is no checksum; give 64 hexadecimal digits")
    data = _got(address, MOST_BYTES)
    if len(data) > MOST_BYTES:
        raise FormatError(f"{address}: above the limit of {MOST_BYTES:,} bytes")
    digest = hashlib.sha256(data).hexdigest()
    if sha256 is not None and digest != sha256.lower():
        raise FormatError(f"{address}: not the file that is meant: its checksum is {digest}")
    lines = data.split()
    if len(lines) < 2 or not all(line.isdigit() and len(line) < 16 for line in lines):
        raise FormatError(f"{address}: no recorded link, of which each line is a time in milliseconds")
    return data, digest


def is_address(name: str) -> bool:
    """Return whether a name is an address of the web."""
    return name.startswith(_SCHEMES)


def _got(address: str, most: int) -> bytes:
    """Return what is at an address, at most one byte more than `most`: that tells a longer file."""
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            data: bytes = answer.read(most + 1)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise FormatError(f"{address}: {reason}; try again, or name a mirror with --from") from None
    return data
