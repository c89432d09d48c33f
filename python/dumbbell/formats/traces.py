"""Recorded links that others publish: where each is, and what it must hold.

The list is :file:`traces.toml`. Nothing of the links themselves is part of the package.
"""

from __future__ import annotations

import hashlib
import http.client
import urllib.request
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dumbbell import _native
from dumbbell._files.foreign import parse_toml
from dumbbell.formats.errors import FormatError

PATIENCE = 30
"""Seconds without a byte, after which a server is given up."""


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
    if not address.startswith(("http://", "https://")):
        raise FormatError(f"{address}: not an address of the web; begin it with https://")
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            # One byte more tells a longer file, however long it is.
            data: bytes = answer.read(recording.bytes + 1)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise FormatError(f"{address}: {reason}; try again, or name a mirror with --from") from None
    if len(data) != recording.bytes or hashlib.sha256(data).hexdigest() != recording.sha256:
        raise FormatError(f"{address}: not the file that is known as {name}: its checksum is another one")
    return data
