"""Node agents: what a router does beside queueing that takes all its ports.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from typing import Any

from dumbbell.builders._given import given


def source_quench(
    *,
    threshold: int | None = None,
    min_interval: str | None = None,
) -> dict[str, Any]:
    """Source quench: sources of packets that find a long queue are told to slow down.

    Reference: RFC 792, RFC 1016; deprecated by RFC 6633.

    Parameters
    ----------
    threshold
        Packets waiting on the link out from which on sources are quenched.
        Default: ``20`` (choice: a part of usual limits; RFC 1016 section 1 has quenches sent before the limit
        is reached).
    min_interval
        Least time between two quenches to one source.
        Default: ``"100ms"`` (RFC 1812 section 4.3.2.8 asks for a limit; choice: a usual round-trip time).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "source-quench",
            "threshold": threshold,
            "min_interval": min_interval,
        }
    )
