"""Topologies: nodes and links.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dumbbell._given import given


def dumbbell(
    *,
    pairs: int | None = None,
    bottleneck: Mapping[str, Any] | None = None,
    access: Mapping[str, Any] | None = None,
    rtts: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Host pairs that share one bottleneck link.

    Reference: RFC 7928 section 3.1 (figure 1).

    Parameters
    ----------
    pairs
        Host pairs.
        Default: ``1`` (choice: the smallest dumbbell).
    bottleneck
        The link that all pairs share; forward is left to right.
        Default: ``{}`` (see its fields).
    access
        The link of every host to its router; forward is the way of the data: sender to left, right to
        receiver.
        Default: ``{}`` (see its fields).
    rtts
        Base round-trip time of each pair, propagation only, one for each pair; takes the place of
        `access.delay`.
        Default: ``[]`` (absent: the delays of the links decide).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "dumbbell",
            "pairs": pairs,
            "bottleneck": bottleneck,
            "access": access,
            "rtts": rtts,
        }
    )


def chain(
    *,
    hops: int | None = None,
    link: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Nodes in a row, joined by equal links.

    Reference: choice: the smallest network, for closed forms.

    Parameters
    ----------
    hops
        Links in the row.
        Default: ``1`` (choice: the smallest chain).
    link
        Every link of the row; forward is from `node0` on.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "chain",
            "hops": hops,
            "link": link,
        }
    )


def star(
    *,
    senders: int | None = None,
    receivers: int | None = None,
    link: Mapping[str, Any] | None = None,
    port: Literal["droptail", "codel"] | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Hosts around one switch.

    Reference: Phanishayee et al., FAST 2008.

    Parameters
    ----------
    senders
        Hosts that send.
        Default: ``2`` (choice: the smallest incast).
    receivers
        Hosts that receive.
        Default: ``1`` (choice: incast has one).
    link
        The link of every host; forward is the way of the data: sender to switch, switch to receiver. Its
        queue is the host's.
        Default: ``{}`` (see its fields).
    port
        The queue of every port of the switch.
        Default: ``{ kind = "droptail", limit = "64kB" }`` (Phanishayee et al., FAST 2008: per-port buffers of
        32 kB to 1 MB).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "star",
            "senders": senders,
            "receivers": receivers,
            "link": link,
            "port": port,
        }
    )


def parking_lot(
    *,
    hops: int | None = None,
    pairs: int | None = None,
    bottleneck: Mapping[str, Any] | None = None,
    access: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Bottlenecks in a row, with cross traffic at each.

    Reference: Floyd, CCR 21(5), 1991.

    Parameters
    ----------
    hops
        Bottlenecks in the row.
        Default: ``3`` (choice: enough to tell from a dumbbell).
    pairs
        Pairs that cross every bottleneck.
        Default: ``1`` (choice: one, as in the usual drawing).
    bottleneck
        Every link between routers; forward is from `router0` on.
        Default: ``{}`` (see its fields).
    access
        The link of every host to its router; forward is the way of the data.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "parking-lot",
            "hops": hops,
            "pairs": pairs,
            "bottleneck": bottleneck,
            "access": access,
        }
    )


def graph(
    *,
    nodes: Sequence[str] | None = None,
    links: Sequence[Mapping[str, Any]] | None = None,
    groups: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Nodes and links, listed.

    Reference: choice: whatever the ready-made topologies cannot express.

    Parameters
    ----------
    nodes
        Node names.
        Default: ``[]`` (required in use: a graph of nothing is refused).
    links
        Links, at most one between two nodes in each direction. A link is called `from->to`.
        Default: ``[]`` (required in use: a graph of nothing is refused).
    groups
        Named groups of nodes, for `from` and `to`.
        Default: ``[]`` (absent: nodes are named one by one).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "graph",
            "nodes": nodes,
            "links": links,
            "groups": groups,
        }
    )
