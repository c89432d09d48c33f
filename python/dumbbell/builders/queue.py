"""Queue disciplines.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from typing import Any

from dumbbell.builders._given import given


def droptail(
    *,
    limit: str | None = None,
    count_in_service: bool | None = None,
) -> dict[str, Any]:
    """First in, first out; drops the arrival that does not fit.

    Reference: RFC 7567 section 2.

    Parameters
    ----------
    limit
        Packets or bytes that may wait: `"42pkt"`, `"64kB"`, `"1bdp"` (rounded up to packets of the MTU) or
        `"unlimited"`.
        Default: ``"unlimited"`` (choice: a link is a bottleneck only where the scenario says so).
    count_in_service
        Count the packet in transmission against a limit in packets, as ns-2 does.
        Default: ``false`` (choice: the transmitter holds its own packet, as a device driver's ring does).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "droptail",
            "limit": limit,
            "count_in_service": count_in_service,
        }
    )


def codel(
    *,
    target: str | None = None,
    interval: str | None = None,
    limit: str | None = None,
    ecn: bool | None = None,
) -> dict[str, Any]:
    """Controlled delay active queue management.

    Reference: RFC 8289.

    Parameters
    ----------
    target
        Acceptable standing queueing delay.
        Default: ``"5ms"`` (RFC 8289 section 4.3).
    interval
        How long the delay must stay above the target before the first drop; a worst-case round-trip time.
        Default: ``"100ms"`` (RFC 8289 section 4.2).
    limit
        Packets or bytes that may wait.
        Default: ``"1000pkt"`` (choice: the default of the Linux queueing discipline).
    ecn
        Mark ECN-capable packets instead of dropping them.
        Default: ``true`` (RFC 8289 section 5.4).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "codel",
            "target": target,
            "interval": interval,
            "limit": limit,
            "ecn": ecn,
        }
    )
