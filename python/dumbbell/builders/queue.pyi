"""Queue disciplines.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

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

def droptail(*, limit: str | None = None, count_in_service: bool | None = None) -> dict[str, Any]:
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

def policer(*, rate: str | None = None, burst: str | None = None, limit: str | None = None) -> dict[str, Any]:
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

def sfb(
    *,
    levels: int | None = None,
    bins: int | None = None,
    bin_size: int | None = None,
    bin_max: int | None = None,
    increment: float | None = None,
    decrement: float | None = None,
    penalty_rate: int | None = None,
    penalty_burst: int | None = None,
    rehash: str | None = None,
    warmup: str | None = None,
    limit: str | None = None,
    ecn: bool | None = None,
) -> dict[str, Any]:
    """Stochastic fair BLUE: finds flows that do not slow down in a Bloom filter of probabilities.

    Reference: Feng, Kandlur, Saha & Shin, Stochastic fair blue, INFOCOM 2001; Linux sch_sfb.c.

    Parameters
    ----------
    levels
        Levels of bins. Unit: levels.
        Default: ``8`` (Linux sch_sfb.c: SFB_LEVELS; Feng et al., INFOCOM 2001, section III: 2).
    bins
        Bins of a level. Unit: bins.
        Default: ``16`` (Linux sch_sfb.c: SFB_NUMBUCKETS; Feng et al., INFOCOM 2001, section III: 23).
    bin_size
        Packets of a bin from which it raises its probability. Unit: packets.
        Default: ``20`` (Linux sch_sfb.c).
    bin_max
        Packets of a bin from which all arrivals are dropped. None where it has more in each of its bins.
        Unit: packets.
        Default: ``25`` (Linux sch_sfb.c).
    increment
        What an arrival that finds a full bin adds to the probability of the bin.
        Default: ``0.0005`` (Linux sch_sfb.c).
    decrement
        What an arrival that finds an empty bin takes from the probability of the bin.
        Default: ``5e-05`` (Linux sch_sfb.c).
    penalty_rate
        Packets a second of all flows together that do not slow down. Unit: packets/s.
        Default: ``10`` (Linux sch_sfb.c).
    penalty_burst
        Packets of such flows that may come at once. Unit: packets.
        Default: ``20`` (Linux sch_sfb.c).
    rehash
        Time after which flows fall into other bins.
        Default: ``"600s"`` (Linux sch_sfb.c).
    warmup
        How long before that the other bins begin to learn.
        Default: ``"60s"`` (Linux sch_sfb.c).
    limit
        Packets or bytes that may wait.
        Default: ``"1000pkt"`` (Linux sch_sfb.c: the length of the queue of the device, which is 1000).
    ecn
        Mark ECN-capable packets instead of dropping them.
        Default: ``true`` (Feng et al., INFOCOM 2001: marks).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def sfq(
    *,
    buckets: int | None = None,
    quantum: str | None = None,
    limit: str | None = None,
    overflow: Literal["longest", "share"] | None = None,
    perturb: str | None = None,
) -> dict[str, Any]:
    """Stochastic fairness queueing: flows hash into buckets that take turns.

    Reference: McKenney, Stochastic fairness queueing, INFOCOM 1990.

    Parameters
    ----------
    buckets
        Buckets. Unit: buckets.
        Default: ``127`` (Linux 2.6.38 and before, sch_sfq.c: SFQ_DEPTH).
    quantum
        Bytes that a bucket may send in its turn; absent: the MTU of the link.
        Default: Linux tc-sfq(8); McKenney 1990 has packets take turns.
    limit
        Packets that may wait.
        Default: ``"127pkt"`` (Linux tc-sfq(8)).
    overflow
        Who goes when a packet does not fit. `longest`: the newest packet of the bucket with the most.
        `share`: the arrival, if its bucket holds half of what is left, or if less is left than there are
        buckets and it holds more than its part of the limit.
        Default: ``"longest"`` (McKenney, INFOCOM 1990; `share` in ns-2.35 (sfq.cc)).
    perturb
        Time after which flows hash anew; absent: never.
        Default: Linux tc-sfq(8): off.

    Returns
    -------
    dict
        What to write in a scenario.
    """

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
        Tables with these keys:
        - ``queue``: integer. The position of the queue in `classes`, from 0. Unit: position. Required.
        - ``rate``: rate. Bytes served with priority in the long run, headers included, in bits a second.
          Required.
        - ``burst``: size. Bytes served with priority at once. Default: ``"10kB"`` (choice: six full
          packets).
        Default: ``[]`` (choice: none).

    Returns
    -------
    dict
        What to write in a scenario.
    """

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

def token_bucket_filter(
    *, rate: str | None = None, burst: str | None = None, queue: str | Mapping[str, Any] | None = None
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
        Tables with these keys:
        - ``min_threshold``: queue limit. Average below which nothing is dropped. Required.
        - ``max_threshold``: queue limit. Average from which everything is dropped. Required.
        - ``max_probability``: probability. Probability just below `max_threshold`. Required.
        Default: ``[{ min_threshold = "32pkt", max_threshold = "40pkt", max_probability = 0.1 }, {
        min_threshold = "28pkt", max_threshold = "40pkt", max_probability = 0.1 }, { min_threshold = "24pkt",
        max_threshold = "40pkt", max_probability = 0.1 }]`` (Cisco IOS, DSCP-based WRED: AF11, AF12, AF13).
    limit
        Packets or bytes that may wait, whatever their average.
        Default: ``"200pkt"`` (choice: more than any threshold, so that the law acts first).
    weight
        Weight of a new packet in the average. Dimensionless.
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
        Weight of each queue in `classes`: how many packets it may send in a round. Unit: packets.
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
