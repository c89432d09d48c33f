"""Queue disciplines.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dumbbell.builders._given import given


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
    return given(
        {
            "kind": "sfb",
            "levels": levels,
            "bins": bins,
            "bin_size": bin_size,
            "bin_max": bin_max,
            "increment": increment,
            "decrement": decrement,
            "penalty_rate": penalty_rate,
            "penalty_burst": penalty_burst,
            "rehash": rehash,
            "warmup": warmup,
            "limit": limit,
            "ecn": ecn,
        }
    )


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
    return given(
        {
            "kind": "sfq",
            "buckets": buckets,
            "quantum": quantum,
            "limit": limit,
            "overflow": overflow,
            "perturb": perturb,
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
    return given(
        {
            "kind": "strict-priority",
            "classes": classes,
            "first": first,
            "caps": caps,
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
    return given(
        {
            "kind": "wrr",
            "classes": classes,
            "weights": weights,
            "interleaved": interleaved,
        }
    )
