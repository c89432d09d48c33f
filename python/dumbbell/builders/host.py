"""Policies of hosts: what the flows that end at a host share.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from typing import Any

from dumbbell.builders._given import given


def fair_window(
    *,
    bdp: str | None = None,
) -> dict[str, Any]:
    """Fair windows: connections to a host share its bandwidth-delay product evenly.

    Reference: Hwang, Yoo & Choi, IA-TCP, ICC 2012, without its delay of acknowledgements.

    Parameters
    ----------
    bdp
        The bandwidth-delay product.
        Default: absent: the slowest link into the host times the mean base round-trip time of its senders.

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "fair-window",
            "bdp": bdp,
        }
    )
