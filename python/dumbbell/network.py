"""Parts of topologies.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dumbbell._given import given


def bottleneck(
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: Literal["droptail", "codel"] | Mapping[str, Any] | None = None,
    router: Literal["rcp", "xcp"] | Mapping[str, Any] | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication"] | Mapping[str, Any]] | None = None,
    reverse: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A link that flows share and that limits them.

    Parameters
    ----------
    rate
        Bits per second. Both directions, unless `reverse` says otherwise.
        Default: ``"10Mbit/s"`` (Panarello et al., e-Energy 2012).
    delay
        Propagation delay, one way. Both directions, unless `reverse` says otherwise.
        Default: ``"5ms"`` (choice: a fifth of the one-way delay of the default dumbbell).
    queue
        Queue before the transmitter. Both directions, unless `reverse` says otherwise.
        Default: ``{ kind = "droptail", limit = "1bdp" }`` (Villamizar & Song, CCR 24(5), 1994: one
        bandwidth-delay product).
    router
        What the router does beside queueing. Both directions, unless `reverse` says otherwise.
        Default: choice: routers queue and do nothing else.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` asks for its own.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` asks for its
        own.
        Default: ``0.0`` (choice: losses are asked for).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        asks for its own.
        Default: ``[]`` (choice: losses are asked for).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` asks for its own.
        Default: ``[]`` (choice: impairments are asked for).
    reverse
        How the direction back differs.
        Default: ``{}`` (choice: links are symmetric).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "rate": rate,
            "delay": delay,
            "queue": queue,
            "router": router,
            "rate_changes": rate_changes,
            "trace": trace,
            "power": power,
            "mtu": mtu,
            "loss": loss,
            "drop_list": drop_list,
            "impairments": impairments,
            "reverse": reverse,
        }
    )


def access(
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: Literal["droptail", "codel"] | Mapping[str, Any] | None = None,
    router: Literal["rcp", "xcp"] | Mapping[str, Any] | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication"] | Mapping[str, Any]] | None = None,
    reverse: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """An access link between a host and its router.

    Parameters
    ----------
    rate
        Bits per second. Both directions, unless `reverse` says otherwise.
        Default: ``"100Mbit/s"`` (choice: ten times the default bottleneck, so that only the bottleneck
        queues).
    delay
        Propagation delay, one way. Both directions, unless `reverse` says otherwise.
        Default: ``"10ms"`` (choice: with the default bottleneck, a base round-trip time of 50 ms).
    queue
        Queue before the transmitter. Both directions, unless `reverse` says otherwise.
        Default: ``"droptail"`` (choice: unlimited, so that only the bottleneck drops).
    router
        What the router does beside queueing. Both directions, unless `reverse` says otherwise.
        Default: choice: routers queue and do nothing else.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` asks for its own.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` asks for its
        own.
        Default: ``0.0`` (choice: losses are asked for).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        asks for its own.
        Default: ``[]`` (choice: losses are asked for).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` asks for its own.
        Default: ``[]`` (choice: impairments are asked for).
    reverse
        How the direction back differs.
        Default: ``{}`` (choice: links are symmetric).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "rate": rate,
            "delay": delay,
            "queue": queue,
            "router": router,
            "rate_changes": rate_changes,
            "trace": trace,
            "power": power,
            "mtu": mtu,
            "loss": loss,
            "drop_list": drop_list,
            "impairments": impairments,
            "reverse": reverse,
        }
    )


def host_link(
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: Literal["droptail", "codel"] | Mapping[str, Any] | None = None,
    router: Literal["rcp", "xcp"] | Mapping[str, Any] | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication"] | Mapping[str, Any]] | None = None,
    reverse: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The link of one host of a star.

    Parameters
    ----------
    rate
        Bits per second. Both directions, unless `reverse` says otherwise.
        Default: ``"1Gbit/s"`` (Vasudevan et al., SIGCOMM 2009: the incast testbed).
    delay
        Propagation delay, one way. Both directions, unless `reverse` says otherwise.
        Default: ``"25us"`` (choice: a base round-trip time of 100 us, as in DCTCP, SIGCOMM 2010).
    queue
        Queue before the transmitter. Both directions, unless `reverse` says otherwise.
        Default: ``"droptail"`` (choice: unlimited, a host does not drop its own packets).
    router
        What the router does beside queueing. Both directions, unless `reverse` says otherwise.
        Default: choice: routers queue and do nothing else.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` asks for its own.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` asks for its
        own.
        Default: ``0.0`` (choice: losses are asked for).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        asks for its own.
        Default: ``[]`` (choice: losses are asked for).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` asks for its own.
        Default: ``[]`` (choice: impairments are asked for).
    reverse
        How the direction back differs.
        Default: ``{}`` (choice: links are symmetric).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "rate": rate,
            "delay": delay,
            "queue": queue,
            "router": router,
            "rate_changes": rate_changes,
            "trace": trace,
            "power": power,
            "mtu": mtu,
            "loss": loss,
            "drop_list": drop_list,
            "impairments": impairments,
            "reverse": reverse,
        }
    )


def fat_tree_host(
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: Literal["droptail", "codel"] | Mapping[str, Any] | None = None,
    router: Literal["rcp", "xcp"] | Mapping[str, Any] | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication"] | Mapping[str, Any]] | None = None,
    reverse: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The link of one host of a fat-tree.

    Parameters
    ----------
    rate
        Bits per second. Both directions, unless `reverse` says otherwise.
        Default: ``"1Gbit/s"`` (Al-Fares et al., SIGCOMM 2008: switches of Gigabit Ethernet).
    delay
        Propagation delay, one way. Both directions, unless `reverse` says otherwise.
        Default: ``"8us"`` (choice: a base round-trip time of 96 us between pods, near the 100 us of DCTCP,
        SIGCOMM 2010).
    queue
        Queue before the transmitter. Both directions, unless `reverse` says otherwise.
        Default: ``"droptail"`` (choice: unlimited, a host does not drop its own packets).
    router
        What the router does beside queueing. Both directions, unless `reverse` says otherwise.
        Default: choice: routers queue and do nothing else.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` asks for its own.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` asks for its
        own.
        Default: ``0.0`` (choice: losses are asked for).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        asks for its own.
        Default: ``[]`` (choice: losses are asked for).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` asks for its own.
        Default: ``[]`` (choice: impairments are asked for).
    reverse
        How the direction back differs.
        Default: ``{}`` (choice: links are symmetric).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "rate": rate,
            "delay": delay,
            "queue": queue,
            "router": router,
            "rate_changes": rate_changes,
            "trace": trace,
            "power": power,
            "mtu": mtu,
            "loss": loss,
            "drop_list": drop_list,
            "impairments": impairments,
            "reverse": reverse,
        }
    )


def fat_tree_fabric(
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: Literal["droptail", "codel"] | Mapping[str, Any] | None = None,
    router: Literal["rcp", "xcp"] | Mapping[str, Any] | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication"] | Mapping[str, Any]] | None = None,
    reverse: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A link between two switches of a fat-tree.

    Parameters
    ----------
    rate
        Bits per second. Both directions, unless `reverse` says otherwise.
        Default: ``"1Gbit/s"`` (Al-Fares et al., SIGCOMM 2008: all switches are the same).
    delay
        Propagation delay, one way. Both directions, unless `reverse` says otherwise.
        Default: ``"8us"`` (choice: as the links of the hosts).
    queue
        Queue before the transmitter. Both directions, unless `reverse` says otherwise.
        Default: ``{ kind = "droptail", limit = "64kB" }`` (Phanishayee et al., FAST 2008: per-port buffers of
        32 kB to 1 MB).
    router
        What the router does beside queueing. Both directions, unless `reverse` says otherwise.
        Default: choice: routers queue and do nothing else.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` asks for its own.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` asks for its
        own.
        Default: ``0.0`` (choice: losses are asked for).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        asks for its own.
        Default: ``[]`` (choice: losses are asked for).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` asks for its own.
        Default: ``[]`` (choice: impairments are asked for).
    reverse
        How the direction back differs.
        Default: ``{}`` (choice: links are symmetric).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "rate": rate,
            "delay": delay,
            "queue": queue,
            "router": router,
            "rate_changes": rate_changes,
            "trace": trace,
            "power": power,
            "mtu": mtu,
            "loss": loss,
            "drop_list": drop_list,
            "impairments": impairments,
            "reverse": reverse,
        }
    )


def leaf_host(
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: Literal["droptail", "codel"] | Mapping[str, Any] | None = None,
    router: Literal["rcp", "xcp"] | Mapping[str, Any] | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication"] | Mapping[str, Any]] | None = None,
    reverse: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The link of one host of a leaf switch.

    Parameters
    ----------
    rate
        Bits per second. Both directions, unless `reverse` says otherwise.
        Default: ``"10Gbit/s"`` (Alizadeh et al., SIGCOMM 2013 (pFabric), section 5).
    delay
        Propagation delay, one way. Both directions, unless `reverse` says otherwise.
        Default: ``"2.5us"`` (choice: with the spine's, a base round-trip time near the 14.6 us of pFabric,
        most of it at the hosts).
    queue
        Queue before the transmitter. Both directions, unless `reverse` says otherwise.
        Default: ``"droptail"`` (choice: unlimited, a host does not drop its own packets).
    router
        What the router does beside queueing. Both directions, unless `reverse` says otherwise.
        Default: choice: routers queue and do nothing else.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` asks for its own.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` asks for its
        own.
        Default: ``0.0`` (choice: losses are asked for).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        asks for its own.
        Default: ``[]`` (choice: losses are asked for).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` asks for its own.
        Default: ``[]`` (choice: impairments are asked for).
    reverse
        How the direction back differs.
        Default: ``{}`` (choice: links are symmetric).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "rate": rate,
            "delay": delay,
            "queue": queue,
            "router": router,
            "rate_changes": rate_changes,
            "trace": trace,
            "power": power,
            "mtu": mtu,
            "loss": loss,
            "drop_list": drop_list,
            "impairments": impairments,
            "reverse": reverse,
        }
    )


def leaf_uplink(
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: Literal["droptail", "codel"] | Mapping[str, Any] | None = None,
    router: Literal["rcp", "xcp"] | Mapping[str, Any] | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication"] | Mapping[str, Any]] | None = None,
    reverse: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A link between a leaf and a spine switch.

    Parameters
    ----------
    rate
        Bits per second. Both directions, unless `reverse` says otherwise.
        Default: ``"40Gbit/s"`` (Alizadeh et al., SIGCOMM 2013 (pFabric), section 5).
    delay
        Propagation delay, one way. Both directions, unless `reverse` says otherwise.
        Default: ``"1200ns"`` (choice: with the hosts' links, a base round-trip time of 14.8 us between
        leaves).
    queue
        Queue before the transmitter. Both directions, unless `reverse` says otherwise.
        Default: ``{ kind = "droptail", limit = "225kB" }`` (Alizadeh et al., SIGCOMM 2013 (pFabric), section
        5: the buffer of DropTail).
    router
        What the router does beside queueing. Both directions, unless `reverse` says otherwise.
        Default: choice: routers queue and do nothing else.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` asks for its own.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` asks for its
        own.
        Default: ``0.0`` (choice: losses are asked for).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        asks for its own.
        Default: ``[]`` (choice: losses are asked for).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` asks for its own.
        Default: ``[]`` (choice: impairments are asked for).
    reverse
        How the direction back differs.
        Default: ``{}`` (choice: links are symmetric).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "rate": rate,
            "delay": delay,
            "queue": queue,
            "router": router,
            "rate_changes": rate_changes,
            "trace": trace,
            "power": power,
            "mtu": mtu,
            "loss": loss,
            "drop_list": drop_list,
            "impairments": impairments,
            "reverse": reverse,
        }
    )


def graph_link(
    *,
    from_: str,
    to: str,
    rate: str,
    duplex: bool | None = None,
    delay: str | None = None,
    queue: Literal["droptail", "codel"] | Mapping[str, Any] | None = None,
    router: Literal["rcp", "xcp"] | Mapping[str, Any] | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication"] | Mapping[str, Any]] | None = None,
    reverse: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """One link of an explicit graph.

    Parameters
    ----------
    from_
        The node it leaves.
        Required.
    to
        The node it enters.
        Required.
    rate
        Bits per second. Both directions, unless `reverse` says otherwise.
        Required.
    duplex
        False for a link in the forward direction only.
        Default: ``true`` (choice: most links are).
    delay
        Propagation delay, one way. Both directions, unless `reverse` says otherwise.
        Default: ``"0s"`` (choice: propagation is asked for).
    queue
        Queue before the transmitter. Both directions, unless `reverse` says otherwise.
        Default: ``"droptail"`` (choice: unlimited, a link is a bottleneck only where the scenario says so).
    router
        What the router does beside queueing. Both directions, unless `reverse` says otherwise.
        Default: choice: routers queue and do nothing else.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` asks for its own.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` asks for its
        own.
        Default: ``0.0`` (choice: losses are asked for).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        asks for its own.
        Default: ``[]`` (choice: losses are asked for).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` asks for its own.
        Default: ``[]`` (choice: impairments are asked for).
    reverse
        How the direction back differs.
        Default: ``{}`` (choice: links are symmetric).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "from": from_,
            "to": to,
            "duplex": duplex,
            "rate": rate,
            "delay": delay,
            "queue": queue,
            "router": router,
            "rate_changes": rate_changes,
            "trace": trace,
            "power": power,
            "mtu": mtu,
            "loss": loss,
            "drop_list": drop_list,
            "impairments": impairments,
            "reverse": reverse,
        }
    )


def node_group(
    *,
    name: str,
    nodes: Sequence[str],
) -> dict[str, Any]:
    """A named group of nodes of an explicit graph.

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


def reverse(
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: Literal["droptail", "codel"] | Mapping[str, Any] | None = None,
    router: Literal["rcp", "xcp"] | Mapping[str, Any] | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication"] | Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """How the direction back of a link differs.

    Parameters
    ----------
    rate
        Bits per second.
        Default: absent: as in the other direction.
    delay
        Propagation delay, one way.
        Default: absent: as in the other direction.
    queue
        Queue before the transmitter.
        Default: absent: as in the other direction.
    router
        What the router does beside queueing.
        Default: absent: as in the other direction.
    rate_changes
        Changes of the rate during the run.
        Default: absent: as in the other direction.
    trace
        A recorded link in place of the rate.
        Default: absent: as in the other direction.
    power
        Power control of the transmitter.
        Default: choice: asked for in one direction at a time.
    mtu
        Largest packet, headers included.
        Default: absent: as in the other direction.
    loss
        Share of packets lost at random after transmission.
        Default: ``0.0`` (choice: asked for in one direction at a time).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0.
        Default: ``[]`` (choice: asked for in one direction at a time).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed.
        Default: ``[]`` (choice: asked for in one direction at a time).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "rate": rate,
            "delay": delay,
            "queue": queue,
            "router": router,
            "rate_changes": rate_changes,
            "trace": trace,
            "power": power,
            "mtu": mtu,
            "loss": loss,
            "drop_list": drop_list,
            "impairments": impairments,
        }
    )


def power(
    *,
    policy: Literal[
        "fixed", "practra", "multi-up", "multi-both", "alr", "buffer-and-burst", "sleep-and-scale"
    ]
    | Mapping[str, Any]
    | None = None,
    rates: Sequence[str] | Mapping[str, Any] | None = None,
    pause: str | None = None,
    guard: str | None = None,
    guard_from: Literal["start", "end"] | None = None,
    wake: str | None = None,
    in_service: Literal["finish", "hold"] | None = None,
    start: Literal["highest", "lowest"] | None = None,
    model: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Power control of one direction of a link.

    Parameters
    ----------
    policy
        What decides.
        Default: ``"practra"`` (Panarello et al., e-Energy 2012, section 2).
    rates
        The rates of the port: a list, or a grid below the link's rate.
        Default: ``{ levels = 10 }`` (Panarello et al., e-Energy 2012, section 3: 1 to 10 Mb/s in steps of 1).
    pause
        Time after each change of the rate in which nothing is sent.
        Default: ``"2ms"`` (Panarello et al., e-Energy 2012, section 3).
    guard
        Least time between two changes of the rate.
        Default: ``"16ms"`` (Panarello et al., e-Energy 2012, section 3).
    guard_from
        What the guard counts from: `start` of a transition, or `end` of its pause.
        Default: ``"start"`` (choice: the reading under which the rate of transitions is at most 1/guard).
    wake
        Time to wake from sleep, in which nothing is sent.
        Default: ``"1ms"`` (Nedevschi et al., NSDI 2008, from memory).
    in_service
        The packet in transmission when the rate changes: `finish` at the old rate before the pause, or `hold`
        over it.
        Default: ``"finish"`` (choice: a serialiser cannot change its clock inside a frame).
    start
        The rate at the start, and the first value of a predictor: `highest` or `lowest`.
        Default: ``"highest"`` (choice: a port that has not been controlled runs at full rate).
    model
        Power in each state.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "policy": policy,
            "rates": rates,
            "pause": pause,
            "guard": guard,
            "guard_from": guard_from,
            "wake": wake,
            "in_service": in_service,
            "start": start,
            "model": model,
        }
    )


def rate_grid(
    *,
    levels: int | None = None,
    spacing: Literal["uniform", "exponential"] | None = None,
    ratio: float | None = None,
) -> dict[str, Any]:
    """The rates of a port by rule; the highest is the link's.

    Parameters
    ----------
    levels
        Number of rates.
        Default: ``10`` (Panarello et al., e-Energy 2012, section 3).
    spacing
        `uniform`: rate k of n is k/n of the link's rate; `exponential`: each is `ratio` times the one below.
        Default: ``"uniform"`` (Panarello et al., e-Energy 2012, section 3).
    ratio
        Ratio of an exponential grid.
        Default: ``2.0`` (choice: octaves, as clock dividers give).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "levels": levels,
            "spacing": spacing,
            "ratio": ratio,
        }
    )


def power_model(
    *,
    scaling: Literal["fs", "dvs"] | None = None,
    voltage_range: float | None = None,
    below: Literal["linear", "flat"] | None = None,
    static_share: float | None = None,
    idle_share: float | None = None,
    sleep_share: float | None = None,
    pause: Literal["max", "old", "new", "top"] | None = None,
    full_power: float | None = None,
) -> dict[str, Any]:
    """Power in each state of a port.

    Parameters
    ----------
    scaling
        `fs`, frequency scaling: power falls linearly with the rate; `dvs`, dynamic voltage scaling: with its
        cube.
        Default: ``"fs"`` (Panarello et al., e-Energy 2012, section 2).
    voltage_range
        Highest rate over the lowest that has a voltage of its own (`dvs` only).
        Default: ``2.0`` (Panarello et al., e-Energy 2012, section 2: the maximum scaling factor).
    below
        Power below that rate (`dvs` only): `linear` in the rate, since the frequency falls on, or `flat`.
        Default: ``"linear"`` (choice: at constant voltage, power is proportional to the frequency).
    static_share
        Share of the power at the highest rate that does not depend on the rate.
        Default: ``0.0`` (Panarello et al., e-Energy 2012, section 2: 0, 0.25, 0.5 and 0.75).
    idle_share
        Part of the rate-dependent power that an awake port draws while it sends nothing.
        Default: ``1.0`` (Panarello et al., e-Energy 2012, section 2: power depends on the configured rate
        alone).
    sleep_share
        Power of a sleeping port, as a share of that of an idle one at the highest rate.
        Default: ``0.1`` (Nedevschi et al., NSDI 2008, from memory).
    pause
        Power during the pause of a transition: that of the `old` rate, the `new`, the `max` of both, or the
        `top` rate.
        Default: ``"max"`` (choice: both clocks may run).
    full_power
        Watts at the link's rate.
        Default: ``1.0`` (choice: energies in seconds at full power).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "scaling": scaling,
            "voltage_range": voltage_range,
            "below": below,
            "static_share": static_share,
            "idle_share": idle_share,
            "sleep_share": sleep_share,
            "pause": pause,
            "full_power": full_power,
        }
    )
