"""Parts of topologies.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
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
        A recorded link instead of the rate. Both directions, unless `reverse` says otherwise.
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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
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
        A recorded link instead of the rate. Both directions, unless `reverse` says otherwise.
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

def fat_tree_fabric(
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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
    | None = None,
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
    marker
        What sets the traffic class of packets that arrive, before they are queued. Forward direction only;
        `reverse` sets its own.
        Default: choice: packets keep the class that their host gave them.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Tables of ``dumbbell.network.rate_change``: ``at``, ``rate``.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link instead of the rate. Both directions, unless `reverse` says otherwise.
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

def fat_tree_host(
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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
    | None = None,
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
    marker
        What sets the traffic class of packets that arrive, before they are queued. Forward direction only;
        `reverse` sets its own.
        Default: choice: packets keep the class that their host gave them.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Tables of ``dumbbell.network.rate_change``: ``at``, ``rate``.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link instead of the rate. Both directions, unless `reverse` says otherwise.
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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
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
        A recorded link instead of the rate. Both directions, unless `reverse` says otherwise.
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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
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
        A recorded link instead of the rate. Both directions, unless `reverse` says otherwise.
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

def leaf_host(
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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
    | None = None,
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
    marker
        What sets the traffic class of packets that arrive, before they are queued. Forward direction only;
        `reverse` sets its own.
        Default: choice: packets keep the class that their host gave them.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Tables of ``dumbbell.network.rate_change``: ``at``, ``rate``.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link instead of the rate. Both directions, unless `reverse` says otherwise.
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

def leaf_uplink(
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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
    | None = None,
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
    marker
        What sets the traffic class of packets that arrive, before they are queued. Forward direction only;
        `reverse` sets its own.
        Default: choice: packets keep the class that their host gave them.
    rate_changes
        Changes of the rate during the run. Both directions, unless `reverse` says otherwise.
        Tables of ``dumbbell.network.rate_change``: ``at``, ``rate``.
        Default: ``[]`` (choice: links keep their rate).
    trace
        A recorded link instead of the rate. Both directions, unless `reverse` says otherwise.
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

def node_group(*, name: str, nodes: Sequence[str]) -> dict[str, Any]:
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

def pause(*, xoff: str, xon: str | None = None) -> dict[str, Any]:
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
        A table of ``dumbbell.network.rate_grid``: ``levels``, ``spacing``, ``ratio``.
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
        The packet in transmission when the rate changes: `finish` it at the old rate before the pause, or
        `hold` it until after the pause.
        Default: ``"finish"`` (choice: a serialiser cannot change its clock inside a frame).
    start
        The rate at the start, and the first value of a predictor: `highest` or `lowest`.
        Default: ``"highest"`` (choice: a port that has not been controlled runs at full rate).
    model
        Power in each state.
        A table of ``dumbbell.network.power_model``: ``scaling``, ``voltage_range``, ``below``,
        ``static_share``, ``idle_share``, ``sleep_share``, ``pause``, ``full_power``.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """

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
        Highest rate over the lowest that has a voltage of its own (`dvs` only). Dimensionless.
        Default: ``2.0`` (Panarello et al., e-Energy 2012, section 2: the maximum scaling factor).
    below
        Power below that rate (`dvs` only): `linear` in the rate, since the frequency still falls, or `flat`.
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
        Watts at the link's rate. Unit: watts.
        Default: ``1.0`` (choice: energies in seconds at full power).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def random_access(
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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
    | None = None,
    reverse: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The link of a host of a random network.

    Parameters
    ----------
    rate
        Bits per second. Both directions, unless `reverse` says otherwise.
        Default: ``"10Mbit/s"`` (choice: above the rate of any link between routers).
    delay
        Propagation delay, one way. Both directions, unless `reverse` says otherwise.
        Default: ``"10us"`` (choice: hosts are near their routers).
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
        A recorded link instead of the rate. Both directions, unless `reverse` says otherwise.
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

def random_link(
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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
    | None = None,
    reverse: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The link between two routers of a random network.

    Parameters
    ----------
    rate
        Bits per second. Both directions, unless `reverse` says otherwise.
        Default: ``"8Mbit/s"`` (choice: with `min_rate`, the loads that Toomey, PhD thesis, UNSW 1998, chapter
        11 reports).
    delay
        Propagation delay, one way. Both directions, unless `reverse` says otherwise.
        Default: ``"20ms"`` (choice: with `min_delay`, paths within a continent).
    queue
        Queue before the transmitter. Both directions, unless `reverse` says otherwise.
        Default: ``{ kind = "droptail", limit = "15000B" }`` (Toomey, PhD thesis, UNSW 1998, section 11.5: 10
        data packets).
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
        A recorded link instead of the rate. Both directions, unless `reverse` says otherwise.
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

def rate_change(*, at: str, rate: str) -> dict[str, Any]:
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
        Number of rates. Unit: rates.
        Default: ``10`` (Panarello et al., e-Energy 2012, section 3).
    spacing
        `uniform`: rate k of n is k/n of the link's rate; `exponential`: each is `ratio` times the one below.
        Default: ``"uniform"`` (Panarello et al., e-Energy 2012, section 3).
    ratio
        Ratio of an exponential grid. Dimensionless.
        Default: ``2.0`` (choice: octaves, as clock dividers give).

    Returns
    -------
    dict
        What to write in a scenario.
    """

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
    impairments: Sequence[
        Literal["jitter", "reordering", "duplication", "delay-list", "delay-steps"] | Mapping[str, Any]
    ]
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
        A recorded link instead of the rate.
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

def shared_buffer(*, size: str, alpha: float | None = None) -> dict[str, Any]:
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

def trace(*, file: str, opportunity: str | None = None, overhead: str | None = None) -> dict[str, Any]:
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
