"""Links, and what stands in them.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dumbbell.builders._given import given


def bottleneck(
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: Literal[
        "droptail",
        "push-out",
        "codel",
        "cobalt",
        "red",
        "rio",
        "wred",
        "choke",
        "fred",
        "blue",
        "sfb",
        "rem",
        "pi",
        "pie",
        "dualpi2",
        "sfq",
        "fq-codel",
        "fq-pie",
        "cake",
        "threshold",
        "ramp",
        "strict-priority",
        "drr",
        "wrr",
        "token-bucket-filter",
        "policer",
    ]
    | Mapping[str, Any]
    | None = None,
    router: Literal["rcp", "xcp", "hpcc"] | Mapping[str, Any] | None = None,
    marker: Literal["token-bucket", "tsw2cm", "tsw3cm", "srtcm", "trtcm", "static", "head-tail"]
    | Mapping[str, Any]
    | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication", "delay-list"] | Mapping[str, Any]]
    | None = None,
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
    marker
        What sets the traffic class of packets that arrive, before they are queued. Forward direction only;
        `reverse` sets its own.
        Default: choice: packets keep the class that their host gave them.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Tables of ``dumbbell.network.rate_change``: ``at``, ``rate``.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        A table of ``dumbbell.network.trace``: ``file``, ``opportunity``, ``overhead``.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` sets its own.
        A table of ``dumbbell.network.power``: ``policy``, ``rates``, ``pause``, ``guard``, ``guard_from``,
        ``wake``, ``in_service``, ``start``, ``model``.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` sets its own.
        Default: ``0.0`` (choice: no losses unless the scenario asks for them).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        sets its own. Unit: positions.
        Default: ``[]`` (choice: no losses unless the scenario asks for them).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` sets its own.
        Default: ``[]`` (choice: none unless the scenario asks for them).
    reverse
        How the reverse direction differs.
        A table of ``dumbbell.network.reverse``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``.
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
            "marker": marker,
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
    queue: Literal[
        "droptail",
        "push-out",
        "codel",
        "cobalt",
        "red",
        "rio",
        "wred",
        "choke",
        "fred",
        "blue",
        "sfb",
        "rem",
        "pi",
        "pie",
        "dualpi2",
        "sfq",
        "fq-codel",
        "fq-pie",
        "cake",
        "threshold",
        "ramp",
        "strict-priority",
        "drr",
        "wrr",
        "token-bucket-filter",
        "policer",
    ]
    | Mapping[str, Any]
    | None = None,
    router: Literal["rcp", "xcp", "hpcc"] | Mapping[str, Any] | None = None,
    marker: Literal["token-bucket", "tsw2cm", "tsw3cm", "srtcm", "trtcm", "static", "head-tail"]
    | Mapping[str, Any]
    | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication", "delay-list"] | Mapping[str, Any]]
    | None = None,
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
    marker
        What sets the traffic class of packets that arrive, before they are queued. Forward direction only;
        `reverse` sets its own.
        Default: choice: packets keep the class that their host gave them.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Tables of ``dumbbell.network.rate_change``: ``at``, ``rate``.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        A table of ``dumbbell.network.trace``: ``file``, ``opportunity``, ``overhead``.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` sets its own.
        A table of ``dumbbell.network.power``: ``policy``, ``rates``, ``pause``, ``guard``, ``guard_from``,
        ``wake``, ``in_service``, ``start``, ``model``.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` sets its own.
        Default: ``0.0`` (choice: no losses unless the scenario asks for them).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        sets its own. Unit: positions.
        Default: ``[]`` (choice: no losses unless the scenario asks for them).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` sets its own.
        Default: ``[]`` (choice: none unless the scenario asks for them).
    reverse
        How the reverse direction differs.
        A table of ``dumbbell.network.reverse``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``.
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
            "marker": marker,
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
    queue: Literal[
        "droptail",
        "push-out",
        "codel",
        "cobalt",
        "red",
        "rio",
        "wred",
        "choke",
        "fred",
        "blue",
        "sfb",
        "rem",
        "pi",
        "pie",
        "dualpi2",
        "sfq",
        "fq-codel",
        "fq-pie",
        "cake",
        "threshold",
        "ramp",
        "strict-priority",
        "drr",
        "wrr",
        "token-bucket-filter",
        "policer",
    ]
    | Mapping[str, Any]
    | None = None,
    router: Literal["rcp", "xcp", "hpcc"] | Mapping[str, Any] | None = None,
    marker: Literal["token-bucket", "tsw2cm", "tsw3cm", "srtcm", "trtcm", "static", "head-tail"]
    | Mapping[str, Any]
    | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication", "delay-list"] | Mapping[str, Any]]
    | None = None,
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
    marker
        What sets the traffic class of packets that arrive, before they are queued. Forward direction only;
        `reverse` sets its own.
        Default: choice: packets keep the class that their host gave them.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Tables of ``dumbbell.network.rate_change``: ``at``, ``rate``.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        A table of ``dumbbell.network.trace``: ``file``, ``opportunity``, ``overhead``.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` sets its own.
        A table of ``dumbbell.network.power``: ``policy``, ``rates``, ``pause``, ``guard``, ``guard_from``,
        ``wake``, ``in_service``, ``start``, ``model``.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` sets its own.
        Default: ``0.0`` (choice: no losses unless the scenario asks for them).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        sets its own. Unit: positions.
        Default: ``[]`` (choice: no losses unless the scenario asks for them).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` sets its own.
        Default: ``[]`` (choice: none unless the scenario asks for them).
    reverse
        How the reverse direction differs.
        A table of ``dumbbell.network.reverse``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``.
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
            "marker": marker,
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
    queue: Literal[
        "droptail",
        "push-out",
        "codel",
        "cobalt",
        "red",
        "rio",
        "wred",
        "choke",
        "fred",
        "blue",
        "sfb",
        "rem",
        "pi",
        "pie",
        "dualpi2",
        "sfq",
        "fq-codel",
        "fq-pie",
        "cake",
        "threshold",
        "ramp",
        "strict-priority",
        "drr",
        "wrr",
        "token-bucket-filter",
        "policer",
    ]
    | Mapping[str, Any]
    | None = None,
    router: Literal["rcp", "xcp", "hpcc"] | Mapping[str, Any] | None = None,
    marker: Literal["token-bucket", "tsw2cm", "tsw3cm", "srtcm", "trtcm", "static", "head-tail"]
    | Mapping[str, Any]
    | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication", "delay-list"] | Mapping[str, Any]]
    | None = None,
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
        Default: ``"0s"`` (choice: no delay unless the scenario sets one).
    queue
        Queue before the transmitter. Both directions, unless `reverse` says otherwise.
        Default: ``"droptail"`` (choice: unlimited, a link is a bottleneck only where the scenario says so).
    router
        What the router does beside queueing. Both directions, unless `reverse` says otherwise.
        Default: choice: routers queue and do nothing else.
    marker
        What sets the traffic class of packets that arrive, before they are queued. Forward direction only;
        `reverse` sets its own.
        Default: choice: packets keep the class that their host gave them.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Tables of ``dumbbell.network.rate_change``: ``at``, ``rate``.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link in place of the rate. Both directions, unless `reverse` says otherwise.
        A table of ``dumbbell.network.trace``: ``file``, ``opportunity``, ``overhead``.
        Default: absent: a constant rate.
    power
        Power control of the transmitter. Forward direction only; `reverse` sets its own.
        A table of ``dumbbell.network.power``: ``policy``, ``rates``, ``pause``, ``guard``, ``guard_from``,
        ``wake``, ``in_service``, ``start``, ``model``.
        Default: absent: the rate is fixed and energy is not counted.
    mtu
        Largest packet, headers included. Both directions, unless `reverse` says otherwise.
        Default: ``"1500B"`` (RFC 894: the Ethernet payload).
    loss
        Share of packets lost at random after transmission. Forward direction only; `reverse` sets its own.
        Default: ``0.0`` (choice: no losses unless the scenario asks for them).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Forward direction only; `reverse`
        sets its own. Unit: positions.
        Default: ``[]`` (choice: no losses unless the scenario asks for them).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed. Forward direction only; `reverse` sets its own.
        Default: ``[]`` (choice: none unless the scenario asks for them).
    reverse
        How the reverse direction differs.
        A table of ``dumbbell.network.reverse``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``.
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
            "marker": marker,
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


def reverse(
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: Literal[
        "droptail",
        "push-out",
        "codel",
        "cobalt",
        "red",
        "rio",
        "wred",
        "choke",
        "fred",
        "blue",
        "sfb",
        "rem",
        "pi",
        "pie",
        "dualpi2",
        "sfq",
        "fq-codel",
        "fq-pie",
        "cake",
        "threshold",
        "ramp",
        "strict-priority",
        "drr",
        "wrr",
        "token-bucket-filter",
        "policer",
    ]
    | Mapping[str, Any]
    | None = None,
    router: Literal["rcp", "xcp", "hpcc"] | Mapping[str, Any] | None = None,
    marker: Literal["token-bucket", "tsw2cm", "tsw3cm", "srtcm", "trtcm", "static", "head-tail"]
    | Mapping[str, Any]
    | None = None,
    rate_changes: Sequence[Mapping[str, Any]] | None = None,
    trace: Mapping[str, Any] | None = None,
    power: Mapping[str, Any] | None = None,
    mtu: str | None = None,
    loss: float | None = None,
    drop_list: Sequence[int] | None = None,
    impairments: Sequence[Literal["jitter", "reordering", "duplication", "delay-list"] | Mapping[str, Any]]
    | None = None,
) -> dict[str, Any]:
    """How the reverse direction differs from the forward direction, from the first node to the second.

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
    marker
        What sets the traffic class of packets that arrive, before they are queued.
        Default: choice: each direction sets its own.
    rate_changes
        Changes of the rate during the run.
        Tables of ``dumbbell.network.rate_change``: ``at``, ``rate``.
        Default: absent: as in the other direction.
    trace
        A recorded link in place of the rate.
        A table of ``dumbbell.network.trace``: ``file``, ``opportunity``, ``overhead``.
        Default: absent: as in the other direction.
    power
        Power control of the transmitter.
        A table of ``dumbbell.network.power``: ``policy``, ``rates``, ``pause``, ``guard``, ``guard_from``,
        ``wake``, ``in_service``, ``start``, ``model``.
        Default: choice: each direction sets its own.
    mtu
        Largest packet, headers included.
        Default: absent: as in the other direction.
    loss
        Share of packets lost at random after transmission.
        Default: ``0.0`` (choice: each direction sets its own).
    drop_list
        Packets to drop, by order of arrival at the queue, counted from 0. Unit: positions.
        Default: ``[]`` (choice: each direction sets its own).
    impairments
        What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order
        listed.
        Default: ``[]`` (choice: each direction sets its own).

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
            "marker": marker,
            "rate_changes": rate_changes,
            "trace": trace,
            "power": power,
            "mtu": mtu,
            "loss": loss,
            "drop_list": drop_list,
            "impairments": impairments,
        }
    )


def rate_change(
    *,
    at: str,
    rate: str,
) -> dict[str, Any]:
    """A change of a link's rate during the run.

    Parameters
    ----------
    at
        When.
        Required.
    rate
        Bits per second from then on.
        Required.

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "at": at,
            "rate": rate,
        }
    )


def trace(
    *,
    file: str,
    opportunity: str | None = None,
    overhead: str | None = None,
) -> dict[str, Any]:
    """A recorded link: a trace of Mahimahi.

    Parameters
    ----------
    file
        The file.
        Required.
    opportunity
        Bytes that one line lets pass.
        Default: ``"1504B"`` (mm-link(1) of Mahimahi as built: 1500 bytes and the prefix of its tunnel).
    overhead
        Bytes counted with every packet beside its own.
        Default: ``"4B"`` (Mahimahi: the prefix of its tunnel).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "file": file,
            "opportunity": opportunity,
            "overhead": overhead,
        }
    )
