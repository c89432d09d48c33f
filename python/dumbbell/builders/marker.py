"""Markers: what sets the traffic class of packets.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from typing import Any

from dumbbell.builders._given import given


def token_bucket(
    *,
    rate: str,
    burst: str | None = None,
    in_class: int | None = None,
    out_class: int | None = None,
) -> dict[str, Any]:
    """Token bucket: tells packets in profile from packets out of profile.

    Reference: Clark & Fang, IEEE/ACM ToN 6(4), 1998; RFC 2697 without the excess bucket.

    Parameters
    ----------
    rate
        Bytes in profile in the long run, headers included, in bits a second.
        Required.
    burst
        Bytes in profile at once.
        Default: ``"10kB"`` (choice: six full packets).
    in_class
        Class of packets in profile.
        Default: ``0`` (choice: the class that `strict-priority` serves first).
    out_class
        Class of packets out of profile.
        Default: ``1`` (choice: the next).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "token-bucket",
            "rate": rate,
            "burst": burst,
            "in_class": in_class,
            "out_class": out_class,
        }
    )
