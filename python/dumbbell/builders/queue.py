"""Queue disciplines.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

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


def strict_priority(
    *,
    classes: Sequence[str | Mapping[str, Any]] | None = None,
    first: Literal["lowest", "highest"] | None = None,
) -> dict[str, Any]:
    """Strict priority over traffic classes, each in a queue of its own.

    Reference: Cobham, Operations Research 2(1), 1954; Linux tc-prio(8).

    Parameters
    ----------
    classes
        The queue of each class, class 0 first. Where one tells classes apart itself, the numbers go on within
        it.
        Default: ``["droptail", "droptail"]`` (choice: the fewest classes).
    first
        `lowest`: class 0 comes first. `highest`: the last class does, as with the class selectors of real
        packets (RFC 2474 section 4.2.2.2).
        Default: ``"lowest"`` (Linux tc-prio(8): band 0 is served first).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "strict-priority",
            "classes": classes,
            "first": first,
        }
    )


def drr(
    *,
    classes: Sequence[str | Mapping[str, Any]] | None = None,
    quantum: str | None = None,
    weights: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Deficit round robin over traffic classes, each in a queue of its own.

    Reference: Shreedhar & Varghese, SIGCOMM 1995.

    Parameters
    ----------
    classes
        The queue of each class, class 0 first. Where one tells classes apart itself, the numbers go on within
        it.
        Default: ``["droptail", "droptail"]`` (choice: the fewest classes).
    quantum
        Bytes that a class of weight 1 may send in a turn.
        Default: ``"1500B"`` (Shreedhar & Varghese, SIGCOMM 1995: at least the largest packet, for constant
        work).
    weights
        Weight of each queue in `classes`: how many quanta it gets in a turn.
        Default: ``[]`` (absent: all have weight 1).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "drr",
            "classes": classes,
            "quantum": quantum,
            "weights": weights,
        }
    )


def token_bucket_filter(
    *,
    rate: str | None = None,
    burst: str | None = None,
    queue: str | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Token bucket filter: a shaper with a rate and a burst, over another queue.

    Reference: Linux tc-tbf(8); RFC 2697 section 3 for the bucket.

    Parameters
    ----------
    rate
        Bytes that leave in the long run, headers included, in bits a second.
        Default: ``"1Mbit/s"`` (choice: a tenth of the default bottleneck).
    burst
        Bytes that may leave at once.
        Default: ``"10kB"`` (choice: six full packets, 80 ms of the default rate).
    queue
        Where packets wait.
        Default: ``"droptail"`` (choice: as a link without a shaper).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "token-bucket-filter",
            "rate": rate,
            "burst": burst,
            "queue": queue,
        }
    )
