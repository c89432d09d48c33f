"""Queue disciplines.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dumbbell.builders._given import given


def pi(
    *,
    target: float | None = None,
    gain_present: float | None = None,
    gain_previous: float | None = None,
    interval: str | None = None,
    limit: str | None = None,
    ecn: bool | None = None,
) -> dict[str, Any]:
    """A proportional-integral controller of the length of the queue.

    Reference: Hollot, Misra, Towsley & Gong, On designing improved controllers for AQM routers, INFOCOM 2001.

    Parameters
    ----------
    target
        The length that the queue shall have, in packets. The packet in transmission does not count. Unit:
        packets.
        Default: ``50.0`` (ns-2.35, ns-default.tcl: qref_; Hollot et al., INFOCOM 2001, section V: 200).
    gain_present
        Gain of the present length, for each packet. Unit: 1/packet.
        Default: ``1.822e-05`` (Hollot et al., INFOCOM 2001, section IV: a).
    gain_previous
        Gain of the length one interval before, for each packet. Unit: 1/packet.
        Default: ``1.816e-05`` (Hollot et al., INFOCOM 2001, section IV: b).
    interval
        Time from one move of the probability to the next.
        Default: ``"5882353ns"`` (ns-2.35, ns-default.tcl: w_, 170 Hz; Hollot et al. have 160 Hz).
    limit
        Packets or bytes that may wait.
        Default: ``"200pkt"`` (choice: four times the target).
    ecn
        Mark ECN-capable packets instead of dropping them.
        Default: ``true`` (RFC 3168 section 5).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "pi",
            "target": target,
            "gain_present": gain_present,
            "gain_previous": gain_previous,
            "interval": interval,
            "limit": limit,
            "ecn": ecn,
        }
    )


def pie(
    *,
    limit: str | None = None,
    target: str | None = None,
    interval: str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    burst: str | None = None,
    derandomize: bool | None = None,
    ecn: bool | None = None,
    ecn_limit: float | None = None,
) -> dict[str, Any]:
    """A proportional-integral controller of the time that packets wait.

    Reference: RFC 8033.

    Parameters
    ----------
    limit
        Packets or bytes that may wait.
        Default: ``"1000pkt"`` (choice: the default of the Linux queueing discipline).
    target
        The time that packets shall wait.
        Default: ``"15ms"`` (RFC 8033 section 4.2: QDELAY_REF).
    interval
        Time from one move of the probability to the next.
        Default: ``"15ms"`` (RFC 8033 section 4.2: T_UPDATE).
    alpha
        Gain of the difference to the target, for each second. Unit: 1/s.
        Default: ``0.125`` (RFC 8033 section 4.2: 1/8).
    beta
        Gain of the change since the last move, for each second. Unit: 1/s.
        Default: ``1.25`` (RFC 8033 section 4.2: 1 + 1/4).
    burst
        How long a burst into an empty queue passes.
        Default: ``"150ms"`` (RFC 8033 section 4.4: MAX_BURST).
    derandomize
        Drops keep a distance: none before the probabilities since the last add up to 0.85, one for sure from
        8.5 on.
        Default: ``true`` (RFC 8033 section 5.4).
    ecn
        Mark ECN-capable packets instead of dropping them.
        Default: ``true`` (RFC 8033 section 5.1).
    ecn_limit
        Above this probability they are dropped too.
        Default: ``0.1`` (RFC 8033 section 5.1: mark_ecnth).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "pie",
            "limit": limit,
            "target": target,
            "interval": interval,
            "alpha": alpha,
            "beta": beta,
            "burst": burst,
            "derandomize": derandomize,
            "ecn": ecn,
            "ecn_limit": ecn_limit,
        }
    )


def policer(
    *,
    rate: str | None = None,
    burst: str | None = None,
    limit: str | None = None,
) -> dict[str, Any]:
    """Policer: a token bucket that drops what exceeds a rate and a burst.

    Reference: Flach et al., An internet-wide analysis of traffic policing, SIGCOMM 2016; RFC 2697 section 3
    for the bucket.

    Parameters
    ----------
    rate
        Bytes that pass in the long run, headers included, in bits a second.
        Default: ``"1Mbit/s"`` (choice: that of token-bucket-filter).
    burst
        Bytes that may pass at once.
        Default: ``"10kB"`` (choice: that of token-bucket-filter).
    limit
        Packets or bytes that may wait for the link.
        Default: ``"100pkt"`` (choice: as droptail; a link that is faster than the rate never holds so many).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "policer",
            "rate": rate,
            "burst": burst,
            "limit": limit,
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


def ramp(
    *,
    min_threshold: str | None = None,
    max_threshold: str | None = None,
    max_probability: float | None = None,
    drop_others: bool | None = None,
    limit: str | None = None,
) -> dict[str, Any]:
    """First in, first out; marks more and more as the queue grows (DCQCN).

    Reference: Zhu et al., Congestion control for large-scale RDMA deployments, SIGCOMM 2015.

    Parameters
    ----------
    min_threshold
        Bytes up to which nothing is marked.
        Default: ``"5kB"`` (Zhu et al., SIGCOMM 2015, section 5.2: Kmin at 40 Gbit/s).
    max_threshold
        Bytes from which everything is marked.
        Default: ``"200kB"`` (Zhu et al., SIGCOMM 2015, section 5.2: Kmax at 40 Gbit/s).
    max_probability
        Probability just below `max_threshold`.
        Default: ``0.01`` (Zhu et al., SIGCOMM 2015, section 5.2: Pmax).
    drop_others
        Drop packets that are not ECN-capable where others are marked.
        Default: ``false`` (choice: the limit alone drops).
    limit
        Packets or bytes that may wait.
        Default: ``"1MB"`` (choice: five times the upper threshold).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "ramp",
            "min_threshold": min_threshold,
            "max_threshold": max_threshold,
            "max_probability": max_probability,
            "drop_others": drop_others,
            "limit": limit,
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
        A table with these keys:
        - ``interval``: duration. Time from one step to the next. Default: ``"500ms"`` (Floyd, Gummadi &
          Shenker 2001, figure 1).
        - ``increment``: probability. What is added above the band, and at most a quarter of the
          probability. Default: ``0.01`` (Floyd, Gummadi & Shenker 2001, figure 1).
        - ``decrease``: probability. Factor below the band. Default: ``0.9`` (Floyd, Gummadi & Shenker 2001,
          figure 1).
        - ``lowest``: probability. The least probability. Default: ``0.01`` (Floyd, Gummadi & Shenker 2001,
          figure 1).
        - ``highest``: probability. The largest probability. Default: ``0.5`` (Floyd, Gummadi & Shenker
          2001, figure 1).
        - ``target_delay``: duration. Delay of the middle of the band, where the thresholds are absent.
          Default: ``"5ms"`` (ns-2.35, ns-default.tcl: targetdelay_).
        Default: absent: the probability stays (Floyd & Jacobson 1993).
    limit
        Packets or bytes that may wait, whatever their average.
        Default: ``"200pkt"`` (choice: more than any threshold, so that the law acts first).
    weight
        Weight of a new packet in the average. Dimensionless.
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
        Fewer packets in the queue, and none is dropped, whatever the average. Unit: packets.
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


def rem(
    *,
    target: float | None = None,
    gain: float | None = None,
    backlog_weight: float | None = None,
    base: float | None = None,
    interval: str | None = None,
    mean_packet: str | None = None,
    limit: str | None = None,
    ecn: bool | None = None,
) -> dict[str, Any]:
    """Random exponential marking: by a price of the link, not by the length of its queue.

    Reference: Athuraliya, Li, Low & Yin, REM: active queue management, IEEE Network 15(3), 2001.

    Parameters
    ----------
    target
        What shall wait, in packets of the mean size. The packet in transmission does not count. Unit:
        packets.
        Default: ``20.0`` (ns-2.35, ns-default.tcl: pbo_).
    gain
        Step of the price, for a packet that arrives beyond what the link can send in an interval. Unit:
        1/packet.
        Default: ``0.001`` (Athuraliya et al., IEEE Network 15(3), 2001, section 4: gamma).
    backlog_weight
        Weight of a packet that waits, against one that arrives. Dimensionless.
        Default: ``0.1`` (Athuraliya et al., IEEE Network 15(3), 2001, section 4: alpha).
    base
        The probability is 1 less `base` to the power of minus the price. Dimensionless.
        Default: ``1.001`` (Athuraliya et al., IEEE Network 15(3), 2001, section 4: phi).
    interval
        Time from one move of the price to the next.
        Default: ``"2ms"`` (ns-2.35, ns-default.tcl: pupdtime_).
    mean_packet
        Bytes of a packet of mean size.
        Default: absent: the MTU of the link; ns-2.35 has 1000B.
    limit
        Packets or bytes that may wait.
        Default: ``"200pkt"`` (choice: ten times the target).
    ecn
        Mark ECN-capable packets instead of dropping them.
        Default: ``true`` (Athuraliya et al., IEEE Network 15(3), 2001: marks).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "rem",
            "target": target,
            "gain": gain,
            "backlog_weight": backlog_weight,
            "base": base,
            "interval": interval,
            "mean_packet": mean_packet,
            "limit": limit,
            "ecn": ecn,
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
        Tables with these keys:
        - ``min_threshold``: queue limit. Average below which nothing is dropped. Required.
        - ``max_threshold``: queue limit. Average from which everything is dropped. Required.
        - ``max_probability``: probability. Probability just below `max_threshold`. Required.
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
        Weight of a new packet in the average. Dimensionless.
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
        Fewer packets in the queue, and none is dropped, whatever the average. Unit: packets.
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
