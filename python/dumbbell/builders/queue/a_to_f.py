"""Queue disciplines.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dumbbell.builders._given import given


def blue(
    *,
    increment: float | None = None,
    decrement: float | None = None,
    freeze: str | None = None,
    limit: str | None = None,
    ecn: bool | None = None,
) -> dict[str, Any]:
    """One probability, raised by packets that do not fit and lowered by an idle link.

    Reference: Feng, Shin, Kandlur & Saha, The BLUE active queue management algorithms, IEEE/ACM ToN 10(4),
    2002.

    Parameters
    ----------
    increment
        What a packet that does not fit adds to the probability.
        Default: ``0.0025`` (Feng et al., IEEE/ACM ToN 10(4), 2002, section III: d1).
    decrement
        What an idle link takes from the probability.
        Default: ``0.00025`` (Feng et al., IEEE/ACM ToN 10(4), 2002, section III: d2, a tenth of d1).
    freeze
        Shortest time from one move of the probability to the next.
        Default: ``"100ms"`` (Feng et al., IEEE/ACM ToN 10(4), 2002, section III: freeze_time).
    limit
        Packets or bytes that may wait.
        Default: ``"200pkt"`` (choice: as that of `red`).
    ecn
        Mark ECN-capable packets instead of dropping them.
        Default: ``true`` (Feng et al., IEEE/ACM ToN 10(4), 2002: marks).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "blue",
            "increment": increment,
            "decrement": decrement,
            "freeze": freeze,
            "limit": limit,
            "ecn": ecn,
        }
    )


def cake(
    *,
    rate: str | None = None,
    isolation: Literal["flows", "source", "destination", "dual-source", "dual-destination", "triple"]
    | None = None,
    flows: int | None = None,
    limit: str | None = None,
    target: str | None = None,
    interval: str | None = None,
    increment: float | None = None,
    decrement: float | None = None,
    ecn: bool | None = None,
) -> dict[str, Any]:
    """CAKE: a shaper that is fair to hosts and to their flows, each under COBALT.

    Reference: Hoiland-Jorgensen, Taht & Morton, Piece of CAKE, LANMAN 2018; Linux sch_cake.c.

    Parameters
    ----------
    rate
        Bits that leave in a second, headers included; absent: no shaper.
        Default: Linux tc-cake(8): unlimited.
    isolation
        Who shares evenly. `triple` counts the flows of the source and of the destination, and the larger
        number decides: so nobody has to say on which side of the link the hosts are, as long as those on the
        other side are many.
        Default: ``"triple"`` (Linux tc-cake(8): triple-isolate).
    flows
        Queues for flows, in sets of eight; as many hosts are told apart on either side. Unit: queues.
        Default: ``1024`` (Hoiland-Jorgensen, Taht & Morton, LANMAN 2018, section III-B).
    limit
        Packets or bytes that may wait. What exceeds it is dropped from the head of the flow with the most
        bytes.
        Default: ``"4194304B"`` (Linux sch_cake.c: the least that it takes, 4 MiB).
    target
        Acceptable standing queueing delay.
        Default: ``"5ms"`` (Linux sch_cake.c: as CoDel; RFC 8289 section 4.3).
    interval
        How long the delay must stay above the target before the first drop; a worst-case round-trip time.
        Default: ``"100ms"`` (Linux sch_cake.c: as CoDel; RFC 8289 section 4.2).
    increment
        What a packet that does not fit adds to the probability of BLUE.
        Default: ``0.00390625`` (Linux sch_cake.c: p_inc, 1/256).
    decrement
        What an empty queue takes from it.
        Default: ``0.000244140625`` (Linux sch_cake.c: p_dec, 1/4096).
    ecn
        Mark ECN-capable packets instead of dropping them; those that BLUE chooses are dropped.
        Default: ``true`` (RFC 8289 section 5.4).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "cake",
            "rate": rate,
            "isolation": isolation,
            "flows": flows,
            "limit": limit,
            "target": target,
            "interval": interval,
            "increment": increment,
            "decrement": decrement,
            "ecn": ecn,
        }
    )


def choke(
    *,
    min_threshold: str | None = None,
    max_threshold: str | None = None,
    max_probability: float | None = None,
    candidates: int | None = None,
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
    """RED that also drops arrivals which meet a packet of their own flow.

    Reference: Pan, Prabhakar & Psounis, CHOKe, INFOCOM 2000.

    Parameters
    ----------
    min_threshold
        Average below which nothing is compared or dropped.
        Default: ``"100pkt"`` (Pan, Prabhakar & Psounis, INFOCOM 2000, section 3).
    max_threshold
        Average from which everything is dropped.
        Default: ``"200pkt"`` (Pan, Prabhakar & Psounis, INFOCOM 2000, section 3).
    max_probability
        Probability just below `max_threshold`.
        Default: ``0.02`` (Floyd & Jacobson 1993, section 5).
    candidates
        Packets that an arrival is compared with. Each of its own flow is dropped; the arrival goes with the
        first. Unit: packets.
        Default: ``1`` (Pan, Prabhakar & Psounis, INFOCOM 2000, section 2).
    limit
        Packets or bytes that may wait, whatever their average.
        Default: ``"300pkt"`` (Pan, Prabhakar & Psounis, INFOCOM 2000, section 3).
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
            "kind": "choke",
            "min_threshold": min_threshold,
            "max_threshold": max_threshold,
            "max_probability": max_probability,
            "candidates": candidates,
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


def cobalt(
    *,
    limit: str | None = None,
    target: str | None = None,
    interval: str | None = None,
    increment: float | None = None,
    decrement: float | None = None,
    ecn: bool | None = None,
) -> dict[str, Any]:
    """CoDel with BLUE: for flows that slow down and for those that do not.

    Reference: Palmei et al., Design and evaluation of COBALT queue discipline, LANMAN 2019; Linux sch_cake.c.

    Parameters
    ----------
    limit
        Packets or bytes that may wait.
        Default: ``"1000pkt"`` (choice: as that of `codel`).
    target
        Acceptable standing queueing delay.
        Default: ``"5ms"`` (Linux sch_cake.c: as CoDel; RFC 8289 section 4.3).
    interval
        How long the delay must stay above the target before the first drop; a worst-case round-trip time.
        Default: ``"100ms"`` (Linux sch_cake.c: as CoDel; RFC 8289 section 4.2).
    increment
        What a packet that does not fit adds to the probability of BLUE.
        Default: ``0.00390625`` (Linux sch_cake.c: p_inc, 1/256).
    decrement
        What an empty queue takes from it.
        Default: ``0.000244140625`` (Linux sch_cake.c: p_dec, 1/4096).
    ecn
        Mark ECN-capable packets instead of dropping them; those that BLUE chooses are dropped.
        Default: ``true`` (RFC 8289 section 5.4).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "cobalt",
            "limit": limit,
            "target": target,
            "interval": interval,
            "increment": increment,
            "decrement": decrement,
            "ecn": ecn,
        }
    )


def codel(
    *,
    limit: str | None = None,
    target: str | None = None,
    interval: str | None = None,
    ecn: bool | None = None,
) -> dict[str, Any]:
    """Controlled delay active queue management.

    Reference: RFC 8289.

    Parameters
    ----------
    limit
        Packets or bytes that may wait.
        Default: ``"1000pkt"`` (choice: the default of the Linux queueing discipline).
    target
        Acceptable standing queueing delay.
        Default: ``"5ms"`` (RFC 8289 section 4.3).
    interval
        How long the delay must stay above the target before the first drop; a worst-case round-trip time.
        Default: ``"100ms"`` (RFC 8289 section 4.2).
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
            "limit": limit,
            "target": target,
            "interval": interval,
            "ecn": ecn,
        }
    )


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
        Weight of each queue in `classes`: how many quanta it gets in a turn. Unit: quanta.
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


def dualpi2(
    *,
    target: str | None = None,
    interval: str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    coupling: float | None = None,
    step: str | None = None,
    step_queue: int | None = None,
    classic_share: float | None = None,
    ecn: bool | None = None,
    limit: str | None = None,
) -> dict[str, Any]:
    """A queue for classic flows and one for scalable flows (L4S) under one controller.

    Reference: RFC 9332; Linux sch_dualpi2.c.

    Parameters
    ----------
    target
        The time that classic packets shall wait.
        Default: ``"15ms"`` (RFC 9332 appendix A.1: target).
    interval
        Time from one move of the probability to the next.
        Default: ``"16ms"`` (RFC 9332 appendix A.1: Tupdate).
    alpha
        Gain of the difference to the target, for each second. Unit: 1/s.
        Default: ``0.16`` (RFC 9332 appendix A.1: alpha = 0.1 * Tupdate / RTT_max^2).
    beta
        Gain of the change since the last move, for each second. Unit: 1/s.
        Default: ``3.2`` (RFC 9332 appendix A.1: beta = 0.3 / RTT_max).
    coupling
        Marks of scalable packets for each root of a classic drop. Dimensionless.
        Default: ``2.0`` (RFC 9332 appendix A.1: k).
    step
        Scalable packets that wait longer are marked.
        Default: ``"1ms"`` (Linux sch_dualpi2.c: step_thresh).
    step_queue
        Packets that must wait in the short queue after a packet for `step` to apply to it; with 0 it applies
        to all. Unit: packets.
        Default: ``2`` (RFC 9332 appendix A.1: more than Th_len, 1 packet; Linux sch_dualpi2.c: min_qlen_step,
        0).
    classic_share
        Part of the link for the classic queue, in bytes, while both have packets; the short queue goes first
        otherwise.
        Default: ``0.1`` (Linux sch_dualpi2.c: c_protection; RFC 9332 appendix A.1: 1/16).
    ecn
        Mark classic packets that are ECN-capable instead of dropping them.
        Default: ``true`` (RFC 9332 section 2.4: RFC 3168 for the classic queue).
    limit
        Packets or bytes that may wait in both.
        Default: ``"10000pkt"`` (Linux sch_dualpi2.c).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "dualpi2",
            "target": target,
            "interval": interval,
            "alpha": alpha,
            "beta": beta,
            "coupling": coupling,
            "step": step,
            "step_queue": step_queue,
            "classic_share": classic_share,
            "ecn": ecn,
            "limit": limit,
        }
    )


def fq_codel(
    *,
    target: str | None = None,
    interval: str | None = None,
    ecn: bool | None = None,
    flows: int | None = None,
    quantum: str | None = None,
    limit: str | None = None,
    drop_batch: int | None = None,
) -> dict[str, Any]:
    """Fair queueing of flows, each under CoDel.

    Reference: RFC 8290.

    Parameters
    ----------
    target
        Acceptable standing queueing delay.
        Default: ``"5ms"`` (RFC 8289 section 4.3).
    interval
        How long the delay must stay above the target before the first drop; a worst-case round-trip time.
        Default: ``"100ms"`` (RFC 8289 section 4.2).
    ecn
        Mark ECN-capable packets instead of dropping them.
        Default: ``true`` (RFC 8289 section 5.4).
    flows
        Queues. A flow goes into one by its hash, so that two flows may share one. Unit: queues.
        Default: ``1024`` (RFC 8290 section 5.2.3).
    quantum
        Bytes that a flow may send in its turn.
        Default: ``"1514B"`` (RFC 8290 section 5.2.2).
    limit
        Packets or bytes that may wait, of all flows together. What exceeds it is dropped from the head of the
        flow with the most bytes.
        Default: ``"10240pkt"`` (RFC 8290 section 5.2.1).
    drop_batch
        Packets that are dropped at once at most; never more than half of the bytes of the flow. Unit:
        packets.
        Default: ``64`` (RFC 8290 section 4.1).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "fq-codel",
            "target": target,
            "interval": interval,
            "ecn": ecn,
            "flows": flows,
            "quantum": quantum,
            "limit": limit,
            "drop_batch": drop_batch,
        }
    )


def fq_pie(
    *,
    target: str | None = None,
    interval: str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    burst: str | None = None,
    derandomize: bool | None = None,
    ecn: bool | None = None,
    ecn_limit: float | None = None,
    flows: int | None = None,
    quantum: str | None = None,
    limit: str | None = None,
    drop_batch: int | None = None,
) -> dict[str, Any]:
    """Fair queueing of flows, each under PIE.

    Reference: RFC 8290 for the flows, RFC 8033 for each; Linux tc-fq_pie(8).

    Parameters
    ----------
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
    flows
        Queues. A flow goes into one by its hash, so that two flows may share one. Unit: queues.
        Default: ``1024`` (RFC 8290 section 5.2.3).
    quantum
        Bytes that a flow may send in its turn.
        Default: ``"1514B"`` (RFC 8290 section 5.2.2).
    limit
        Packets or bytes that may wait, of all flows together. What exceeds it is dropped from the head of the
        flow with the most bytes.
        Default: ``"10240pkt"`` (RFC 8290 section 5.2.1).
    drop_batch
        Packets that are dropped at once at most; never more than half of the bytes of the flow. Unit:
        packets.
        Default: ``64`` (RFC 8290 section 4.1).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "fq-pie",
            "target": target,
            "interval": interval,
            "alpha": alpha,
            "beta": beta,
            "burst": burst,
            "derandomize": derandomize,
            "ecn": ecn,
            "ecn_limit": ecn_limit,
            "flows": flows,
            "quantum": quantum,
            "limit": limit,
            "drop_batch": drop_batch,
        }
    )


def fred(
    *,
    min_threshold: int | None = None,
    max_threshold: int | None = None,
    max_probability: float | None = None,
    weight: float | None = None,
    min_flow: int | None = None,
    many_flows: bool | None = None,
    mean_packet: str | None = None,
    limit: str | None = None,
    ecn: bool | None = None,
) -> dict[str, Any]:
    """RED that looks at what each flow has in the queue.

    Reference: Lin & Morris, Dynamics of random early detection, SIGCOMM 1997.

    Parameters
    ----------
    min_threshold
        Average below which nothing is dropped at random; also the most that a flow may have in the queue.
        Unit: packets.
        Default: ``15`` (choice: a quarter of the default limit, as Lin & Morris 1997, section 4, set it).
    max_threshold
        Average from which an arrival is dropped. Unit: packets.
        Default: ``30`` (Lin & Morris, SIGCOMM 1997, section 4: twice min_threshold).
    max_probability
        Probability just below `max_threshold`.
        Default: ``0.02`` (Lin & Morris, SIGCOMM 1997, figure 6).
    weight
        Weight of a new packet in the average. Dimensionless.
        Default: ``0.002`` (Lin & Morris, SIGCOMM 1997, figure 6).
    min_flow
        Packets that a flow may have in the queue before arrivals of it are dropped at random. Unit: packets.
        Default: ``2`` (Lin & Morris, SIGCOMM 1997, section 4: 2 for small buffers, 4 for large ones).
    many_flows
        From `max_threshold` on each flow may still have two packets in the queue, for routers with very many
        flows.
        Default: ``false`` (Lin & Morris, SIGCOMM 1997, section 5: an extension).
    mean_packet
        Bytes of a packet of mean size: tells how many could have been sent in an idle time.
        Default: ``"500B"`` (ns-2.35, ns-default.tcl: mean_pktsize_).
    limit
        Packets or bytes that may wait.
        Default: ``"60pkt"`` (choice: twice `max_threshold`).
    ecn
        Mark ECN-capable packets instead of dropping them at random.
        Default: ``true`` (RFC 3168 section 5).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "fred",
            "min_threshold": min_threshold,
            "max_threshold": max_threshold,
            "max_probability": max_probability,
            "weight": weight,
            "min_flow": min_flow,
            "many_flows": many_flows,
            "mean_packet": mean_packet,
            "limit": limit,
            "ecn": ecn,
        }
    )
