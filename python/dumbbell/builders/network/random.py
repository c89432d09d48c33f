"""Links of random networks.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dumbbell.builders._given import given


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
    impairments: Sequence[Literal["jitter", "reordering", "duplication", "delay-list"] | Mapping[str, Any]]
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
    impairments: Sequence[Literal["jitter", "reordering", "duplication", "delay-list"] | Mapping[str, Any]]
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
