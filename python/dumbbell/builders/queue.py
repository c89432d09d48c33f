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


def push_out(
    *,
    limit: str | None = None,
    victim: Literal["head", "random", "decongest-first", "decongest-last"] | None = None,
) -> dict[str, Any]:
    """First in, first out; packets that wait make room for arrivals: the oldest, any, or of the largest flow.

    Reference: Toomey, PhD thesis, UNSW 1998, section 11.8.

    Parameters
    ----------
    limit
        Packets or bytes that may wait.
        Default: ``"15000B"`` (Toomey, PhD thesis, UNSW 1998, section 11.5: 10 data packets).
    victim
        Who makes room. `head`: the packet that waits longest. `random`: any, with equal probability. The
        other two look for the flow with the most bytes waiting, without the arrival, and drop its newest
        packet (`decongest-first`) or its oldest (`decongest-last`). Of flows with equally many, it is the one
        whose packet waits longest. A queue that drops the arrival is `droptail`.
        Default: ``"head"`` (Lakshman, Neidhardt & Ott, INFOCOM 1996: the senders learn of it soonest).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "push-out",
            "limit": limit,
            "victim": victim,
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


def red(
    *,
    min_threshold: str | None = None,
    max_threshold: str | None = None,
    max_probability: float | None = None,
    adaptive: Mapping[str, Any] | None = None,
    limit: str | None = None,
    weight: float | None = None,
    mean_packet: str | None = None,
    gentle: bool | None = None,
    spacing: Literal["uniform", "pseudocode", "wait", "independent"] | None = None,
    first_passes: bool | None = None,
    least_waiting: int | None = None,
    by_size: bool | None = None,
    limit_first: bool | None = None,
    ecn: bool | None = None,
    ecn_above_max: bool | None = None,
) -> dict[str, Any]:
    """Random early detection: drops at random by the average length; adaptive on request.

    Reference: Floyd & Jacobson, IEEE/ACM ToN 1(4), 1993; Floyd, Gummadi & Shenker, Adaptive RED, ICSI 2001.

    Parameters
    ----------
    min_threshold
        Average below which nothing is dropped.
        Default: absent: 5pkt (Floyd & Jacobson 1993, section 5); with `adaptive` half of `target_delay`, and
        5pkt or more.
    max_threshold
        Average from which everything is dropped.
        Default: absent: 15pkt (Floyd & Jacobson 1993, section 5); with `adaptive` three times
        `min_threshold`.
    max_probability
        Probability just below `max_threshold`; with `adaptive` at the start.
        Default: ``0.02`` (Floyd & Jacobson 1993, section 5).
    adaptive
        Adapts `max_probability`, so that the average stays in the middle between the thresholds.
        Default: absent: the probability stays (Floyd & Jacobson 1993).
    limit
        Packets or bytes that may wait, whatever their average.
        Default: ``"200pkt"`` (choice: more than any threshold, so that the law acts first).
    weight
        Weight of a new packet in the average.
        Default: absent: 0.002 (Floyd & Jacobson 1993, section 5); with `adaptive` 1 - exp(-1/C), for C
        packets of `mean_packet` a second.
    mean_packet
        Bytes of a packet of mean size: the link's rate in such packets tells how many could have been sent in
        an idle time.
        Default: ``"500B"`` (ns-2.35, ns-default.tcl: mean_pktsize_).
    gentle
        From `max_threshold` to twice of it the probability grows from `max_probability` to 1; otherwise
        everything is dropped from there on.
        Default: absent: no (Floyd & Jacobson 1993, figure 2); with `adaptive` yes (Floyd et al. 2001).
    spacing
        How drops are spaced while their probability p stays the same. `uniform`: gaps uniform on 1 to 1/p
        packets. `pseudocode`: on 1 to 1/p - 1, as in figure 2 of the same paper and in ns-2's dsRED. `wait`:
        on 1/p to 2/p - 1, as ns-2's RED with `wait_`. `independent`: each packet with probability p.
        Default: ``"uniform"`` (Floyd & Jacobson 1993, section 7, method 2).
    first_passes
        The first packet that finds the average above `min_threshold` passes, and counts as one.
        Default: ``false`` (Floyd & Jacobson 1993, figure 2; true in ns-2.35 (red.cc) and ALTQ).
    least_waiting
        Fewer packets in the queue, and none is dropped, whatever the average.
        Default: ``0`` (Floyd & Jacobson 1993, figure 2; 2 in ns-2.35 (red.cc) and ALTQ).
    by_size
        The probability applies to packets of the link's MTU, and to smaller ones in proportion to their size.
        Default: ``false`` (RFC 7141 section 2.2; Floyd & Jacobson 1993, section 4, for true).
    limit_first
        A packet that does not fit is dropped before the average has seen it.
        Default: ``false`` (Floyd & Jacobson 1993, figure 2: each arrival counts; true in ns-2.35's dsRED).
    ecn
        Mark ECN-capable packets instead of dropping them early.
        Default: ``true`` (RFC 3168 section 5).
    ecn_above_max
        Mark them too where the average forces a drop.
        Default: ``false`` (ns-2.35, red.cc: what is forced is dropped; true in ns-2.35's dsRED).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "red",
            "min_threshold": min_threshold,
            "max_threshold": max_threshold,
            "max_probability": max_probability,
            "adaptive": adaptive,
            "limit": limit,
            "weight": weight,
            "mean_packet": mean_packet,
            "gentle": gentle,
            "spacing": spacing,
            "first_passes": first_passes,
            "least_waiting": least_waiting,
            "by_size": by_size,
            "limit_first": limit_first,
            "ecn": ecn,
            "ecn_above_max": ecn_above_max,
        }
    )


def rio(
    *,
    classes: Sequence[Mapping[str, Any]] | None = None,
    averages: Literal["coupled", "decoupled"] | None = None,
    resets: Literal["own", "less-protected"] | None = None,
    limit: str | None = None,
    weight: float | None = None,
    mean_packet: str | None = None,
    gentle: bool | None = None,
    spacing: Literal["uniform", "pseudocode", "wait", "independent"] | None = None,
    first_passes: bool | None = None,
    least_waiting: int | None = None,
    by_size: bool | None = None,
    limit_first: bool | None = None,
    ecn: bool | None = None,
    ecn_above_max: bool | None = None,
) -> dict[str, Any]:
    """RED with in and out: classes of one queue are dropped one before the other.

    Reference: Clark & Fang, IEEE/ACM ToN 6(4), 1998.

    Parameters
    ----------
    classes
        The thresholds of each class, class 0 first.
        Default: ``[{ min_threshold = "40pkt", max_threshold = "70pkt", max_probability = 0.02 }, {
        min_threshold = "10pkt", max_threshold = "30pkt", max_probability = 0.2 }]`` (Clark & Fang, IEEE/ACM
        ToN 6(4), 1998: in and out).
    averages
        Whose packets the average of a class counts. `coupled` (RIO-C): its own and those of the classes
        before it, so that the last class answers for the whole queue. `decoupled` (RIO-DC): its own.
        Default: ``"coupled"`` (Clark & Fang, IEEE/ACM ToN 6(4), 1998).
    resets
        Which classes begin to count packets anew after a drop: the `own` class of the packet, or the
        `less-protected` ones with it.
        Default: ``"own"`` (Clark & Fang 1998; `less-protected` in ALTQ (altq_rio.c)).
    limit
        Packets or bytes that may wait, whatever their average.
        Default: ``"200pkt"`` (choice: more than any threshold, so that the law acts first).
    weight
        Weight of a new packet in the average.
        Default: absent: 0.002 (Floyd & Jacobson 1993, section 5).
    mean_packet
        Bytes of a packet of mean size: the link's rate in such packets tells how many could have been sent in
        an idle time.
        Default: ``"500B"`` (ns-2.35, ns-default.tcl: mean_pktsize_).
    gentle
        From `max_threshold` to twice of it the probability grows from `max_probability` to 1; otherwise
        everything is dropped from there on.
        Default: absent: no (Floyd & Jacobson 1993, figure 2).
    spacing
        How drops are spaced while their probability p stays the same. `uniform`: gaps uniform on 1 to 1/p
        packets. `pseudocode`: on 1 to 1/p - 1, as in figure 2 of the same paper and in ns-2's dsRED. `wait`:
        on 1/p to 2/p - 1, as ns-2's RED with `wait_`. `independent`: each packet with probability p.
        Default: ``"uniform"`` (Floyd & Jacobson 1993, section 7, method 2).
    first_passes
        The first packet that finds the average above `min_threshold` passes, and counts as one.
        Default: ``false`` (Floyd & Jacobson 1993, figure 2; true in ns-2.35 (red.cc) and ALTQ).
    least_waiting
        Fewer packets in the queue, and none is dropped, whatever the average.
        Default: ``0`` (Floyd & Jacobson 1993, figure 2; 2 in ns-2.35 (red.cc) and ALTQ).
    by_size
        The probability applies to packets of the link's MTU, and to smaller ones in proportion to their size.
        Default: ``false`` (RFC 7141 section 2.2; Floyd & Jacobson 1993, section 4, for true).
    limit_first
        A packet that does not fit is dropped before the average has seen it.
        Default: ``false`` (Floyd & Jacobson 1993, figure 2: each arrival counts; true in ns-2.35's dsRED).
    ecn
        Mark ECN-capable packets instead of dropping them early.
        Default: ``true`` (RFC 3168 section 5).
    ecn_above_max
        Mark them too where the average forces a drop.
        Default: ``false`` (ns-2.35, red.cc: what is forced is dropped; true in ns-2.35's dsRED).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "rio",
            "classes": classes,
            "averages": averages,
            "resets": resets,
            "limit": limit,
            "weight": weight,
            "mean_packet": mean_packet,
            "gentle": gentle,
            "spacing": spacing,
            "first_passes": first_passes,
            "least_waiting": least_waiting,
            "by_size": by_size,
            "limit_first": limit_first,
            "ecn": ecn,
            "ecn_above_max": ecn_above_max,
        }
    )


def wred(
    *,
    classes: Sequence[Mapping[str, Any]] | None = None,
    limit: str | None = None,
    weight: float | None = None,
    mean_packet: str | None = None,
    gentle: bool | None = None,
    spacing: Literal["uniform", "pseudocode", "wait", "independent"] | None = None,
    first_passes: bool | None = None,
    least_waiting: int | None = None,
    by_size: bool | None = None,
    limit_first: bool | None = None,
    ecn: bool | None = None,
    ecn_above_max: bool | None = None,
) -> dict[str, Any]:
    """Weighted RED: one average, thresholds for each class.

    Reference: Cisco IOS Quality of Service Solutions Configuration Guide: WRED.

    Parameters
    ----------
    classes
        The thresholds of each class, class 0 first.
        Default: ``[{ min_threshold = "32pkt", max_threshold = "40pkt", max_probability = 0.1 }, {
        min_threshold = "28pkt", max_threshold = "40pkt", max_probability = 0.1 }, { min_threshold = "24pkt",
        max_threshold = "40pkt", max_probability = 0.1 }]`` (Cisco IOS, DSCP-based WRED: AF11, AF12, AF13).
    limit
        Packets or bytes that may wait, whatever their average.
        Default: ``"200pkt"`` (choice: more than any threshold, so that the law acts first).
    weight
        Weight of a new packet in the average.
        Default: ``0.001953125`` (Cisco IOS: exponential weighting constant 9, which is 2^-9).
    mean_packet
        Bytes of a packet of mean size: the link's rate in such packets tells how many could have been sent in
        an idle time.
        Default: ``"500B"`` (ns-2.35, ns-default.tcl: mean_pktsize_).
    gentle
        From `max_threshold` to twice of it the probability grows from `max_probability` to 1; otherwise
        everything is dropped from there on.
        Default: absent: no (Floyd & Jacobson 1993, figure 2).
    spacing
        How drops are spaced while their probability p stays the same. `uniform`: gaps uniform on 1 to 1/p
        packets. `pseudocode`: on 1 to 1/p - 1, as in figure 2 of the same paper and in ns-2's dsRED. `wait`:
        on 1/p to 2/p - 1, as ns-2's RED with `wait_`. `independent`: each packet with probability p.
        Default: ``"uniform"`` (Floyd & Jacobson 1993, section 7, method 2).
    first_passes
        The first packet that finds the average above `min_threshold` passes, and counts as one.
        Default: ``false`` (Floyd & Jacobson 1993, figure 2; true in ns-2.35 (red.cc) and ALTQ).
    least_waiting
        Fewer packets in the queue, and none is dropped, whatever the average.
        Default: ``0`` (Floyd & Jacobson 1993, figure 2; 2 in ns-2.35 (red.cc) and ALTQ).
    by_size
        The probability applies to packets of the link's MTU, and to smaller ones in proportion to their size.
        Default: ``false`` (RFC 7141 section 2.2; Floyd & Jacobson 1993, section 4, for true).
    limit_first
        A packet that does not fit is dropped before the average has seen it.
        Default: ``false`` (Floyd & Jacobson 1993, figure 2: each arrival counts; true in ns-2.35's dsRED).
    ecn
        Mark ECN-capable packets instead of dropping them early.
        Default: ``true`` (RFC 3168 section 5).
    ecn_above_max
        Mark them too where the average forces a drop.
        Default: ``false`` (ns-2.35, red.cc: what is forced is dropped; true in ns-2.35's dsRED).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "wred",
            "classes": classes,
            "limit": limit,
            "weight": weight,
            "mean_packet": mean_packet,
            "gentle": gentle,
            "spacing": spacing,
            "first_passes": first_passes,
            "least_waiting": least_waiting,
            "by_size": by_size,
            "limit_first": limit_first,
            "ecn": ecn,
            "ecn_above_max": ecn_above_max,
        }
    )


def threshold(
    *,
    threshold: str | None = None,
    when: Literal["exceeds", "reaches"] | None = None,
    drop_others: bool | None = None,
    limit: str | None = None,
) -> dict[str, Any]:
    """First in, first out; marks at a threshold of the queue's length (DCTCP).

    Reference: Alizadeh et al., SIGCOMM 2010; RFC 8257 section 3.1.

    Parameters
    ----------
    threshold
        The length, in packets or bytes.
        Default: ``"20pkt"`` (Alizadeh et al., SIGCOMM 2010: K at 1 Gbit/s).
    when
        A packet is marked if the queue with it `exceeds` the threshold, or if it `reaches` it: with 20pkt,
        from the 21st packet on, or from the 20th.
        Default: ``"exceeds"`` (RFC 8257 section 3.1: greater than K).
    drop_others
        Drop packets that are not ECN-capable where others are marked.
        Default: ``false`` (choice: the limit alone drops).
    limit
        Packets or bytes that may wait.
        Default: ``"100kB"`` (Alizadeh et al., SIGCOMM 2010: the static buffer of a port).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "threshold",
            "threshold": threshold,
            "when": when,
            "drop_others": drop_others,
            "limit": limit,
        }
    )


def strict_priority(
    *,
    classes: Sequence[str | Mapping[str, Any]] | None = None,
    first: Literal["lowest", "highest"] | None = None,
    caps: Sequence[Mapping[str, Any]] | None = None,
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
    caps
        Rates above which a queue in `classes` has no priority: it is served when no queue within its own rate
        has a packet. A `token-bucket-filter` among the `classes` holds packets back instead.
        Default: ``[]`` (choice: none).

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
            "caps": caps,
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


def wrr(
    *,
    classes: Sequence[str | Mapping[str, Any]] | None = None,
    weights: Sequence[int] | None = None,
    interleaved: bool | None = None,
) -> dict[str, Any]:
    """Weighted round robin by packets over traffic classes, each in a queue of its own.

    Reference: Katevenis, Sidiropoulos & Courcoubetis, IEEE JSAC 9(8), 1991; ns-2.35, diffserv/dsred.cc.

    Parameters
    ----------
    classes
        The queue of each class, class 0 first. Where one tells classes apart itself, the numbers go on within
        it.
        Default: ``["droptail", "droptail"]`` (choice: the fewest classes).
    weights
        Weight of each queue in `classes`: how many packets it may send in a round.
        Default: ``[]`` (absent: all have weight 1).
    interleaved
        Classes send one packet in turn until each has used its weight, as WIRR of ns-2's dsRED; otherwise a
        class sends all of its round in a row, as its WRR.
        Default: ``false`` (ns-2.35, diffserv/dsred.cc: WRR).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "wrr",
            "classes": classes,
            "weights": weights,
            "interleaved": interleaved,
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
