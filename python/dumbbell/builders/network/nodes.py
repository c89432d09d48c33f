"""Groups of nodes, and what the ports of a node share.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dumbbell.builders._given import given


def node_group(
    *,
    name: str,
    nodes: Sequence[str],
) -> dict[str, Any]:
    """A named group of nodes of an explicit graph, for `from` and `to`.

    Parameters
    ----------
    name
        The name.
        Required.
    nodes
        Its nodes, in order.
        Required.

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "name": name,
            "nodes": nodes,
        }
    )


def shared_buffer(
    *,
    size: str,
    alpha: float | None = None,
) -> dict[str, Any]:
    """A buffer that the ports of a node share.

    Parameters
    ----------
    size
        Bytes of packets that may wait at all ports together.
        Required.
    alpha
        How much of what is free a port may hold. Dimensionless.
        Default: ``1.0`` (Choudhury & Hahne, IEEE/ACM ToN 6(2), 1998: a power of two; one port then gets
        half).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "size": size,
            "alpha": alpha,
        }
    )


def pause(
    *,
    xoff: str,
    xon: str | None = None,
) -> dict[str, Any]:
    """Priority flow control: the links before a port send nothing while its queue holds more than `xoff`.

    Parameters
    ----------
    xoff
        Bytes that may wait at a port without a pause.
        Required.
    xon
        Bytes at which a pause ends; absent: 3 kB below `xoff`.
        Default: published HPCC simulator: resume_offset 3 kB.

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "xoff": xoff,
            "xon": xon,
        }
    )
