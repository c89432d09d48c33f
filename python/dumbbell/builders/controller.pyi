"""Congestion controllers.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Sequence
from typing import Any, Literal

def bbr(
    *,
    startup_gain: float | None = None,
    window_gain: float | None = None,
    rate_rounds: int | None = None,
    rtt_window: str | None = None,
    closed_for: str | None = None,
    least_window: int | None = None,
    margin: float | None = None,
    aggregation: bool | None = None,
    policer: bool | None = None,
    draws: int | None = None,
    phases: Sequence[int] | None = None,
) -> dict[str, Any]:
    """BBR, version 1: paces at the largest delivery rate of the path.

    Reference: Cardwell et al., ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00; Linux
    tcp_bbr.c.

    Parameters
    ----------
    startup_gain
        Factor of pacing rate and window in startup: both double in a round trip. Dimensionless.
        Default: ``2.885`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.2.1: 2/ln(2)).
    window_gain
        Window, in bandwidth-delay products, after startup. Dimensionless.
        Default: ``2.0`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.2: cwnd_gain).
    rate_rounds
        Length of the filter for the largest delivery rate, in round trips. Unit: round trips.
        Default: ``10`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.1.3: BtlBwFilterLen).
    rtt_window
        Length of the filter for the smallest round-trip time. When it has found no smaller one for so long,
        the window closes.
        Default: ``"10s"`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.2: RTpropFilterLen).
    closed_for
        How long the window stays closed, and a round trip at least.
        Default: ``"200ms"`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.5: ProbeRTTDuration).
    least_window
        Smallest window but for losses, in segments. Unit: segments.
        Default: ``4`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.2: BBRMinPipeCwnd).
    margin
        Part by which the pacing rate stays below what is measured, so that a queue does not grow.
        Dimensionless.
        Default: ``0.01`` (Linux net/ipv4/tcp_bbr.c: bbr_pacing_margin_percent 1).
    aggregation
        Adds to the window what acknowledgements brought beyond the delivery rate, in the last 5 to 10 round
        trips.
        Default: ``true`` (Linux net/ipv4/tcp_bbr.c: bbr_extra_acked_gain 1).
    policer
        Looks for a policer when more than a fifth is lost, and then sends at the rate that it lets through
        for 48 round trips.
        Default: ``true`` (Linux net/ipv4/tcp_bbr.c: bbr_lt_loss_thresh 50/256, bbr_lt_bw_max_rtts 48).
    draws
        Which numbers it draws: runs that differ in nothing else show what hangs on them. Dimensionless.
        Default: ``0`` (Linux net/ipv4/tcp_bbr.c: bbr_reset_probe_bw_mode draws the phase in which a cycle
        begins).
    phases
        The phases in which its cycles begin, one after the other, where they are known: 0 paces faster, 2 to
        7 as fast as what was measured. The others are drawn. Unit: phases.
        Default: ``[]`` (choice: all are drawn).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def bbr3(
    *,
    startup_pacing_gain: float | None = None,
    drain_pacing_gain: float | None = None,
    down_pacing_gain: float | None = None,
    up_pacing_gain: float | None = None,
    cwnd_gain: float | None = None,
    up_cwnd_gain: float | None = None,
    probe_rtt_cwnd_gain: float | None = None,
    pacing_margin: float | None = None,
    full_pipe_growth: float | None = None,
    loss_threshold: float | None = None,
    startup_loss_ranges: int | None = None,
    beta: float | None = None,
    headroom: float | None = None,
    min_window: int | None = None,
    min_rtt_filter: str | None = None,
    probe_rtt_interval: str | None = None,
    probe_rtt_duration: str | None = None,
    probe_wait: str | None = None,
    probe_wait_random: str | None = None,
    probe_rounds: int | None = None,
    offload_quanta: int | None = None,
) -> dict[str, Any]:
    """BBR version 3: a model of the path, probed with a bound on losses.

    Reference: draft-ietf-ccwg-bbr-06, with the appendix of test cases of August 2026 (commit 4ce5e87).

    Parameters
    ----------
    startup_pacing_gain
        Pacing gain of Startup. Dimensionless.
        Default: ``2.77`` (draft-ietf-ccwg-bbr-06 section 2.5).
    drain_pacing_gain
        Pacing gain of Drain. Dimensionless.
        Default: ``0.5`` (draft-ietf-ccwg-bbr-06 section 2.5).
    down_pacing_gain
        Pacing gain of ProbeBW_DOWN. Dimensionless.
        Default: ``0.9`` (draft-ietf-ccwg-bbr-06 section 5.3.3.1).
    up_pacing_gain
        Pacing gain of ProbeBW_UP. Dimensionless.
        Default: ``1.25`` (draft-ietf-ccwg-bbr-06 section 5.3.3.5).
    cwnd_gain
        What may be in flight, in bandwidth-delay products. Dimensionless.
        Default: ``2.0`` (draft-ietf-ccwg-bbr-06 section 2.6).
    up_cwnd_gain
        The same in ProbeBW_UP. Dimensionless.
        Default: ``2.25`` (draft-ietf-ccwg-bbr-06 section 5.3.3.5).
    probe_rtt_cwnd_gain
        The same in ProbeRTT. Dimensionless.
        Default: ``0.5`` (draft-ietf-ccwg-bbr-06 section 2.16.2).
    pacing_margin
        By how much it paces below the rate of the model. Dimensionless.
        Default: ``0.01`` (draft-ietf-ccwg-bbr-06 section 2.5).
    full_pipe_growth
        The pipe is full when the rate grows by less than this part for three rounds. Dimensionless.
        Default: ``0.25`` (draft-ietf-ccwg-bbr-06 section 5.3.1.2).
    loss_threshold
        The part of what is in flight that may be lost in a round. Dimensionless.
        Default: ``0.02`` (draft-ietf-ccwg-bbr-06 section 2.8).
    startup_loss_ranges
        Ranges that must be lost in a round for losses to end Startup. Unit: ranges.
        Default: ``6`` (draft-ietf-ccwg-bbr-06 section 5.3.1.3).
    beta
        What a loss leaves at least. Dimensionless.
        Default: ``0.7`` (draft-ietf-ccwg-bbr-06 section 2.8).
    headroom
        The part of the long-term bound that is left free while it does not probe. Dimensionless.
        Default: ``0.15`` (draft-ietf-ccwg-bbr-06 section 2.8).
    min_window
        The smallest window in segments. Unit: segments.
        Default: ``4`` (draft-ietf-ccwg-bbr-06 section 2.8).
    min_rtt_filter
        How long the shortest round-trip time is believed.
        Default: ``"10s"`` (draft-ietf-ccwg-bbr-06 section 2.16.1).
    probe_rtt_interval
        Without a shorter round-trip time for so long, it looks for one.
        Default: ``"5s"`` (draft-ietf-ccwg-bbr-06 section 2.16.2).
    probe_rtt_duration
        For how long it does.
        Default: ``"200ms"`` (draft-ietf-ccwg-bbr-06 section 2.16.2).
    probe_wait
        The time between two probes for bandwidth.
        Default: ``"2s"`` (draft-ietf-ccwg-bbr-06 section 5.3.3.8.3).
    probe_wait_random
        The longest random time added to it.
        Default: ``"1s"`` (draft-ietf-ccwg-bbr-06 section 5.3.3.8.3).
    probe_rounds
        The most rounds between two probes, so that Reno has its share. Unit: round trips.
        Default: ``63`` (draft-ietf-ccwg-bbr-06 section 5.3.3.8.3).
    offload_quanta
        Quanta in flight that a host with segmentation offload needs to be busy. Unit: quanta.
        Default: ``3`` (draft-ietf-ccwg-bbr-06 section 5.5.8.1).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def bic(
    *,
    variant: Literal["paper", "linux"] | None = None,
    low_window: float | None = None,
    max_increment: float | None = None,
    min_increment: float | None = None,
    decrease: float | None = None,
    divisor: float | None = None,
    fast_convergence: bool | None = None,
) -> dict[str, Any]:
    """BIC-TCP: a binary search for the window at which losses begin.

    Reference: Xu, Harfoush & Rhee, Binary increase congestion control, INFOCOM 2004.

    Parameters
    ----------
    variant
        Whose. That of Linux counts whole segments, adds 5 % a round trip at least until the first loss, the
        least within a segment times `divisor` of the window of the loss, then a third of the way since, and
        weighs by the segments of an acknowledgement.
        Default: ``"paper"`` (Xu, Harfoush & Rhee, INFOCOM 2004 (Linux net/ipv4/tcp_bic.c)).
    low_window
        Below this window, in segments, it is standard TCP. Unit: segments.
        Default: ``14.0`` (Xu, Harfoush & Rhee, INFOCOM 2004, section III: low_window).
    max_increment
        Segments that a round trip adds at most: S_max. Unit: segments.
        Default: ``32.0`` (Xu, Harfoush & Rhee 2004, section III: S_max (Linux net/ipv4/tcp_bic.c: 16)).
    min_increment
        Segments that a round trip adds at least: S_min. Unit: segments.
        Default: ``0.01`` (Xu, Harfoush & Rhee 2004, section III: S_min (Linux: 0.2)).
    decrease
        What is left of the window after a loss. Dimensionless.
        Default: ``0.875`` (Xu, Harfoush & Rhee 2004, section III: 1 - beta, beta = 0.125 (Linux: 819 /
        1024)).
    divisor
        A round trip adds the way that is left over this number. Dimensionless.
        Default: ``2.0`` (Xu, Harfoush & Rhee 2004, section III: the midpoint (Linux: 4)).
    fast_convergence
        A loss below the window of the one before sets the upper end of the search halfway to the window that
        is left, to make room for new flows.
        Default: ``true`` (Xu, Harfoush & Rhee 2004, section III).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def copa(
    *, delta: float | None = None, competes: bool | None = None, rtt_window: str | None = None
) -> dict[str, Any]:
    """Copa: a rate of 1 / (delta x queueing delay), and loss-based where others are.

    Reference: Arun & Balakrishnan, Copa: practical delay-based congestion control for the Internet, NSDI
    2018.

    Parameters
    ----------
    delta
        Weight of the delay: alone, up to 2.5 / delta segments wait. Unit: 1/segment.
        Default: ``0.5`` (Arun & Balakrishnan, NSDI 2018, section 2.1).
    competes
        Follows losses where others fill the queue. If false, the delay alone rules.
        Default: ``true`` (Arun & Balakrishnan, NSDI 2018, section 2.2).
    rtt_window
        Length of the filter for the smallest round-trip time.
        Default: ``"10s"`` (Arun & Balakrishnan, NSDI 2018, section 2.1).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def cubic(
    *,
    variant: Literal["rfc9438", "linux"] | None = None,
    hystart: Literal["off", "linux", "linux-6.6", "rfc9406"] | None = None,
    tick: str | None = None,
    scale: float | None = None,
    decrease: float | None = None,
    ecn_decrease: float | None = None,
    fast_convergence: bool | None = None,
    reno_friendly: bool | None = None,
) -> dict[str, Any]:
    """TCP CUBIC: window growth independent of the round-trip time.

    Reference: RFC 9438.

    Parameters
    ----------
    variant
        Whose: that of RFC 9438, or that of Linux, which counts whole segments and grows by 5 % a round trip
        before a loss.
        Default: ``"linux"`` (Linux net/ipv4/tcp_cubic.c).
    hystart
        What ends slow start before a loss: `"off"`, `"linux"` (since 6.14), `"linux-6.6"` (before) or
        `"rfc9406"`.
        Default: ``"linux"`` (Linux 6.14 net/ipv4/tcp_cubic.c: hystart and hystart_detect are on).
    tick
        Tick of the clock by which the window grows, 1 / HZ: it aims anew once a tick. Zero: the clock is
        exact, and it aims once a millisecond. Only with `variant = "linux"`.
        Default: ``"0s"`` (choice: the simulator's clock is exact (Linux net/ipv4/tcp_cubic.c:
        tcp_jiffies32)).
    scale
        How fast the window grows, in segments per second cubed: `C`. Unit: segments/s^3.
        Default: ``0.4`` (RFC 9438 section 5.1).
    decrease
        Window after a loss, as a share of the outstanding data: beta. Dimensionless.
        Default: ``0.7`` (RFC 9438 section 4.6).
    ecn_decrease
        Window after an ECN echo, as a share of the outstanding data; absent: as after a loss. Dimensionless.
        Default: RFC 9438 section 4.6 (RFC 8511 section 3.1, ABE: 0.85, not in slow start).
    fast_convergence
        Gives up part of the last maximum when it was not reached again, to make room for new flows.
        Default: ``true`` (RFC 9438 section 4.7).
    reno_friendly
        Grows at least as fast as Reno.
        Default: ``true`` (RFC 9438 section 4.3).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def dcqcn(
    *,
    notification_interval: str | None = None,
    gain: float | None = None,
    alpha_interval: str | None = None,
    timer: str | None = None,
    byte_counter: str | None = None,
    fast_steps: int | None = None,
    additive_rate: str | None = None,
    hyper_rate: str | None = None,
    line_rate: str | None = None,
    min_rate: str | None = None,
    loss_decrease: float | None = None,
) -> dict[str, Any]:
    """DCQCN: a rate for RDMA, cut by marks, that climbs back by time and by bytes.

    Reference: Zhu et al., SIGCOMM 2015.

    Parameters
    ----------
    notification_interval
        Shortest time from one notification to the next of a flow.
        Default: ``"50us"`` (Zhu et al., SIGCOMM 2015: at most one CNP in 50 us).
    gain
        Weight of the latest notification, and of the latest interval without one: g. Dimensionless.
        Default: ``0.00390625`` (Zhu et al., SIGCOMM 2015: 1/256 (published HPCC simulator: 1/16, its sample:
        1/256)).
    alpha_interval
        Time without a notification after which alpha shrinks: K.
        Default: ``"55us"`` (Zhu et al., SIGCOMM 2015: longer than the notification interval).
    timer
        Steps of the timer: T.
        Default: ``"55us"`` (Zhu et al., SIGCOMM 2015 (published HPCC simulator: 1500 us, its sample: 900
        us)).
    byte_counter
        Steps of the byte counter: B. Bytes count when they are acknowledged.
        Default: ``"10MB"`` (Zhu et al., SIGCOMM 2015).
    fast_steps
        Steps of fast recovery, in which the target stands: F. Unit: steps.
        Default: ``5`` (Zhu et al., SIGCOMM 2015).
    additive_rate
        What a step adds to the target after fast recovery of one of the two: R_AI.
        Default: ``"40Mbit/s"`` (Zhu et al., SIGCOMM 2015 (published HPCC simulator: 5 Mbit/s, its sample:
        50)).
    hyper_rate
        What a step adds to the target after fast recovery of both: R_HAI.
        Default: ``"400Mbit/s"`` (choice: ten times `additive_rate`, as in the published HPCC simulator; the
        paper gives no number).
    line_rate
        The rate at the start, and the largest.
        Default: ``"40Gbit/s"`` (Zhu et al., SIGCOMM 2015: the links of the testbed).
    min_rate
        The smallest rate.
        Default: ``"10Mbit/s"`` (choice: the paper gives none (published HPCC simulator: 100 Mbit/s)).
    loss_decrease
        Share of the rate that a loss leaves. Dimensionless.
        Default: ``0.5`` (choice: the paper assumes a fabric without losses (priority flow control); 1 does
        nothing).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def dctcp(
    *,
    gain: float | None = None,
    initial_alpha: float | None = None,
    law: Literal["rfc", "linux"] | None = None,
) -> dict[str, Any]:
    """DCTCP: the window shrinks by half the share of bytes that arrive marked.

    Reference: RFC 8257.

    Parameters
    ----------
    gain
        Weight of the latest window in the estimate: g. Dimensionless.
        Default: ``0.0625`` (RFC 8257 section 4.2: 1/16).
    initial_alpha
        The estimate at the start: alpha. Dimensionless.
        Default: ``1.0`` (RFC 8257 section 4.2: 1 (ns-2.35: 0)).
    law
        Who cuts the window, and how the estimate is kept.
        Default: ``"rfc"`` (RFC 8257 section 3.3).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def highspeed(
    *,
    low_window: float | None = None,
    low_loss: float | None = None,
    high_window: float | None = None,
    high_loss: float | None = None,
    high_decrease: float | None = None,
    whole_steps: bool | None = None,
    counts_acks: bool | None = None,
) -> dict[str, Any]:
    """HighSpeed TCP: larger steps up and smaller cuts at large windows.

    Reference: RFC 3649.

    Parameters
    ----------
    low_window
        Up to this window, in segments, it is standard TCP. Unit: segments.
        Default: ``38.0`` (RFC 3649 section 5: Low_Window).
    low_loss
        Loss rate at which standard TCP has that window. Dimensionless.
        Default: ``0.001`` (RFC 3649 section 5: Low_P, 10^-3).
    high_window
        The upper end of the response function, in segments. Unit: segments.
        Default: ``83000.0`` (RFC 3649 section 5: High_Window).
    high_loss
        Loss rate at which the window is `high_window`. Dimensionless.
        Default: ``1e-07`` (RFC 3649 section 5: High_P, 10^-7).
    high_decrease
        The share that a loss takes from a window of `high_window`. Dimensionless.
        Default: ``0.1`` (RFC 3649 section 5: High_Decrease).
    whole_steps
        a(w) is the next whole number, and b(w) that of the next row of the table: the steps of appendix B. So
        a(w) is twice as much just above `low_window`.
        Default: ``false`` (RFC 3649 section 5: the formula (Linux net/ipv4/tcp_highspeed.c: the table)).
    counts_acks
        An acknowledgement counts as one segment, whatever it acknowledges, and the window grows by whole
        segments.
        Default: ``false`` (RFC 3649 section 5: a(w) a round trip (Linux net/ipv4/tcp_highspeed.c:
        acknowledgements)).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def hpcc(
    *,
    utilisation: float | None = None,
    stages: int | None = None,
    additive: str | None = None,
    rtt: str | None = None,
    line_rate: str | None = None,
    min_rate: str | None = None,
    loss_decrease: float | None = None,
) -> dict[str, Any]:
    """HPCC: the window follows the use of links, which routers tell.

    Reference: Li et al., SIGCOMM 2019; telemetry in one number as in PINT, Ben Basat et al., SIGCOMM 2020.

    Parameters
    ----------
    utilisation
        The use of links to keep: eta. Dimensionless.
        Default: ``0.95`` (Li et al., SIGCOMM 2019 (published HPCC simulator: the same)).
    stages
        Round trips of additive increase, after which the window follows the use at once: maxStage. Unit:
        round trips.
        Default: ``5`` (Li et al., SIGCOMM 2019 (published HPCC simulator: 5, its sample: 0)).
    additive
        What a round trip adds to the window: W_AI.
        Default: ``"80B"`` (Li et al., SIGCOMM 2019 (published HPCC simulator: 50 Mbit/s for 13 us)).
    rtt
        The round-trip time of the empty network, the same for all flows: T; absent: the smallest that the
        flow has measured.
        Default: choice: the paper sets one for the network (13 us in its simulations).
    line_rate
        The rate at the start, and the largest.
        Default: ``"100Gbit/s"`` (Li et al., SIGCOMM 2019: the links of hosts in simulations).
    min_rate
        The smallest rate.
        Default: ``"10Mbit/s"`` (choice: the paper gives none (published HPCC simulator: 100 Mbit/s)).
    loss_decrease
        Share of the window that a loss leaves. Dimensionless.
        Default: ``0.5`` (choice: the paper assumes a fabric without losses (priority flow control); 1 does
        nothing).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def htcp(
    *,
    variant: Literal["draft", "linux"] | None = None,
    tick: str | None = None,
    low_speed_time: str | None = None,
    adaptive_backoff: bool | None = None,
    least_decrease: float | None = None,
    most_decrease: float | None = None,
    throughput_change: float | None = None,
    rtt_scaling: bool | None = None,
    reference_rtt: str | None = None,
) -> dict[str, Any]:
    """H-TCP: grows faster with the time since the latest congestion.

    Reference: Leith, draft-leith-tcp-htcp-06, 2008; Shorten & Leith, PFLDnet 2004.

    Parameters
    ----------
    variant
        Whose. That of Linux counts the time from the end of the repair, f in whole numbers, and takes beta
        from round-trip times above 10 ms alone. Its longest round-trip time rises by 20 ms at a time and
        fades by a twentieth of the queue at each congestion. The ratio to `reference_rtt` is two at most.
        Times are whole ticks, round-trip times rounded up; beta counts in 128ths, the window in whole
        segments.
        Default: ``"draft"`` (draft-leith-tcp-htcp-06 (Linux net/ipv4/tcp_htcp.c)).
    tick
        Length of a tick; only with `variant = "linux"`.
        Default: ``"4ms"`` (choice: 250 Hz, as Debian and Ubuntu have).
    low_speed_time
        For so long after congestion it grows as standard TCP does.
        Default: ``"1s"`` (draft-leith-tcp-htcp-06: Delta_L).
    adaptive_backoff
        Takes beta from the round-trip times. If false, it is `least_decrease`, and a round trip adds f
        segments.
        Default: ``true`` (draft-leith-tcp-htcp-06 (FreeBSD cc_htcp: off)).
    least_decrease
        Beta at least, and where the throughput has changed. Dimensionless.
        Default: ``0.5`` (draft-leith-tcp-htcp-06).
    most_decrease
        Beta at most. Dimensionless.
        Default: ``0.8`` (draft-leith-tcp-htcp-06).
    throughput_change
        If the largest throughput before a congestion differs by more than this share from that before the
        congestion before, beta is `least_decrease`, so that flows make room for one another. Dimensionless.
        Default: ``0.2`` (Shorten & Leith, PFLDnet 2004; Linux net/ipv4/tcp_htcp.c: use_bandwidth_switch).
    rtt_scaling
        Multiplies f by the shortest round-trip time over `reference_rtt`, one at least, so that the growth in
        a second does not depend on the round-trip time.
        Default: ``true`` (Shorten & Leith, PFLDnet 2004; Linux net/ipv4/tcp_htcp.c: use_rtt_scaling (FreeBSD
        cc_htcp: off)).
    reference_rtt
        The round-trip time at which `rtt_scaling` changes nothing.
        Default: ``"100ms"`` (Linux net/ipv4/tcp_htcp.c; FreeBSD cc_htcp.c: HTCP_RTT_REF).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def hybla(
    *,
    reference_rtt: str | None = None,
    most_doublings: float | None = None,
    starts_with_rho: bool | None = None,
    whole_parts: bool | None = None,
) -> dict[str, Any]:
    """TCP Hybla: satellite paths grow as fast as short ones.

    Reference: Caini & Firrincieli, TCP Hybla, IJSCN 22(5), 2004.

    Parameters
    ----------
    reference_rtt
        The round-trip time whose growth it has: RTT_0.
        Default: ``"25ms"`` (Caini & Firrincieli, International Journal of Satellite Communications and
        Networking 22(5), 2004: RTT_0).
    most_doublings
        Rho at most, in slow start, where it is an exponent. Dimensionless.
        Default: ``16.0`` (choice: Linux 6.1 net/ipv4/tcp_hybla.c; the paper has no limit).
    starts_with_rho
        The window begins with rho segments, rounded down, and not with the initial window of the transport.
        Default: ``false`` (Caini & Firrincieli 2004 (Linux net/ipv4/tcp_hybla.c: hybla_init)).
    whole_parts
        Steps count in whole 128ths of a segment; where that is none, the window grows by a segment for as
        many acknowledgements as it has segments.
        Default: ``false`` (Caini & Firrincieli 2004: exact (Linux net/ipv4/tcp_hybla.c: snd_cwnd_cents)).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def illinois(
    *,
    alpha_max: float | None = None,
    alpha_min: float | None = None,
    beta_min: float | None = None,
    beta_max: float | None = None,
    window_threshold: float | None = None,
    eta1: float | None = None,
    eta2: float | None = None,
    eta3: float | None = None,
    theta: int | None = None,
    single_delays: bool | None = None,
) -> dict[str, Any]:
    """TCP Illinois: losses give the direction, the queueing delay the step.

    Reference: Liu, Basar & Srikant, TCP-Illinois, Performance Evaluation 65(6-7), 2008.

    Parameters
    ----------
    alpha_max
        Segments a round trip adds without a queue. Unit: segments.
        Default: ``10.0`` (Liu, Basar & Srikant, Performance Evaluation 65, 2008).
    alpha_min
        Segments a round trip adds at the longest queue. Unit: segments.
        Default: ``0.3`` (Liu, Basar & Srikant 2008; Linux net/ipv4/tcp_illinois.c).
    beta_min
        The share that a loss takes at short queues. Dimensionless.
        Default: ``0.125`` (Liu, Basar & Srikant 2008).
    beta_max
        The share that a loss takes at long queues. Dimensionless.
        Default: ``0.5`` (Liu, Basar & Srikant 2008).
    window_threshold
        Below this window, in segments, it is standard TCP. Unit: segments.
        Default: ``15.0`` (Liu, Basar & Srikant 2008: W_thresh).
    eta1
        Up to this part of dm, alpha is `alpha_max`. Dimensionless.
        Default: ``0.01`` (Liu, Basar & Srikant 2008).
    eta2
        Up to this part of dm, beta is `beta_min`. Dimensionless.
        Default: ``0.1`` (Liu, Basar & Srikant 2008).
    eta3
        From this part of dm on, beta is `beta_max`. Dimensionless.
        Default: ``0.8`` (Liu, Basar & Srikant 2008).
    theta
        Round trips in a row with a delay of at most `eta1` after which alpha is `alpha_max` again. Unit:
        round trips.
        Default: ``5`` (Liu, Basar & Srikant 2008).
    single_delays
        dm is the largest queueing delay of a single segment, not of the mean of a round trip. The window
        counts whole segments, alpha 128ths of one, beta 64ths. Of the `theta` round trips, others may lie
        between.
        Default: ``false`` (Liu, Basar & Srikant 2008 (Linux net/ipv4/tcp_illinois.c: max_rtt)).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def ledbat(
    *,
    target: str | None = None,
    gain: float | None = None,
    least_window: int | None = None,
    allowed_increase: int | None = None,
    current_delays: int | None = None,
    base_minutes: int | None = None,
) -> dict[str, Any]:
    """LEDBAT: background transfers that wait for 100 ms at most and yield to others.

    Reference: RFC 6817.

    Parameters
    ----------
    target
        Delay of queues that it aims at.
        Default: ``"100ms"`` (RFC 6817 section 2.5: 100 ms or less).
    gain
        Growth of an undisturbed window, in segments a round trip. Unit: segments.
        Default: ``1.0`` (RFC 6817 section 2.5: 1 or less).
    least_window
        Smallest window, in segments. Unit: segments.
        Default: ``2`` (RFC 6817 section 2.5: MIN_CWND).
    allowed_increase
        Segments by which the window may be larger than what is outstanding. Unit: segments.
        Default: ``1`` (RFC 6817 section 2.5: ALLOWED_INCREASE).
    current_delays
        Delays of which the smallest counts as that of now. Unit: delays.
        Default: ``4`` (RFC 6817 section 2.5: CURRENT_FILTER; choice of the number: libutp).
    base_minutes
        Minutes after which a smallest delay is forgotten. Unit: minutes.
        Default: ``10`` (RFC 6817 section 2.5: BASE_HISTORY).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def ledbat_plus_plus(
    *,
    target: str | None = None,
    decrease: float | None = None,
    exit_at: float | None = None,
    closed_for: int | None = None,
    apart: float | None = None,
    current_delays: int | None = None,
    base_minutes: int | None = None,
) -> dict[str, Any]:
    """LEDBAT++: background transfers that wait for 60 ms at most, with equal shares.

    Reference: draft-irtf-iccrg-ledbat-plus-plus-01, 2020.

    Parameters
    ----------
    target
        Delay of queues that it aims at.
        Default: ``"60ms"`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.2).
    decrease
        Factor of the decrease. Dimensionless.
        Default: ``1.0`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.2: Constant).
    exit_at
        Part of the target at which the first slow start ends. Dimensionless.
        Default: ``0.75`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.3).
    closed_for
        Round trips for which the window stays closed. Unit: round trips.
        Default: ``2`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.4).
    apart
        Time between two pauses, as a multiple of the length of the last. Dimensionless.
        Default: ``9.0`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.4: a tenth of the time at most).
    current_delays
        Delays of which the smallest counts as that of now. Unit: delays.
        Default: ``4`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.1).
    base_minutes
        Minutes after which a smallest delay is forgotten. Unit: minutes.
        Default: ``10`` (RFC 6817 section 2.5: BASE_HISTORY).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def newreno(
    *,
    increase: float | None = None,
    decrease: float | None = None,
    ecn_decrease: float | None = None,
    full_ack: Literal["flight", "threshold"] | None = None,
    hystart: Literal["off", "linux", "linux-6.6", "rfc9406"] | None = None,
) -> dict[str, Any]:
    """TCP NewReno: fast recovery of any number of losses per window.

    Reference: RFC 6582, RFC 5681.

    Parameters
    ----------
    increase
        Segments that the window grows by per round-trip time in congestion avoidance. Unit: segments.
        Default: ``1.0`` (RFC 5681 section 3.1).
    decrease
        Window after a loss, as a share of the outstanding data. Dimensionless.
        Default: ``0.5`` (RFC 5681 equation 4).
    ecn_decrease
        Window after an ECN echo, as a share of the outstanding data. Dimensionless.
        Default: ``0.5`` (RFC 3168 section 6.1.2 (RFC 8511 section 3.1, ABE: 0.8, not in slow start)).
    full_ack
        Window when recovery ends: `threshold`, or `flight`: one segment more than the outstanding data, at
        most the threshold.
        Default: ``"flight"`` (RFC 6582 section 3.2 step 3 option 1: no burst (ns-2.35 takes `threshold`)).
    hystart
        What ends slow start before a loss: `"off"`, `"rfc9406"`, or what CUBIC has in Linux, `"linux"` (since
        6.14) or `"linux-6.6"` (before).
        Default: ``"off"`` (RFC 5681 section 3.1: a loss ends slow start (RFC 9406 suits any controller)).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def prague(
    *,
    gain: float | None = None,
    initial_alpha: float | None = None,
    least_rtt: str | None = None,
    transition: int | None = None,
    decrease: float | None = None,
) -> dict[str, Any]:
    """Prague: DCTCP for the Internet, with ECT(1) for queues of L4S.

    Reference: draft-briscoe-iccrg-prague-congestion-control-04, 2024; RFC 9331.

    Parameters
    ----------
    gain
        Weight of the latest round trip in the estimate: g. Dimensionless.
        Default: ``0.0625`` (draft-briscoe-iccrg-prague-congestion-control-04 section 2.4.2: 1/16).
    initial_alpha
        The estimate before the first mark: alpha. Dimensionless.
        Default: ``1.0`` (TCP Prague for Linux, net/ipv4/tcp_prague.c: PRAGUE_MAX_ALPHA until a mark is seen).
    least_rtt
        Round-trip times below this count as this, in growth and in answers to marks. Zero: as they are.
        Default: ``"25ms"`` (draft-briscoe-iccrg-prague-congestion-control-04 section 2.4.4).
    transition
        Round trips for which they count as they are first. Unit: round trips.
        Default: ``500`` (draft-briscoe-iccrg-prague-congestion-control-04 section 2.4.4: short flows shall
        not suffer).
    decrease
        What is left of the window after a loss. Dimensionless.
        Default: ``0.5`` (RFC 9331 section 4.3, RFC 5681 equation 4: like Reno).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def reno(*, variant: Literal["rfc", "bsd"] | None = None) -> dict[str, Any]:
    """TCP Reno: fast recovery of one loss per window.

    Reference: RFC 2581.

    Parameters
    ----------
    variant
        `rfc`: RFC 5681. `bsd`: each acknowledgement opens the window, also the one that ends recovery: by a
        segment up to and at the threshold, above it by a segment over the window in segments. The threshold
        is a whole number of segments, and each timeout in a row sets it anew.
        Default: ``"rfc"`` (RFC 5681 sections 3.1 and 3.2).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def scalable(
    *,
    increase: float | None = None,
    least_increase: float | None = None,
    decrease: float | None = None,
    legacy_window: float | None = None,
) -> dict[str, Any]:
    """Scalable TCP: multiplicative increase, multiplicative decrease.

    Reference: Kelly, Scalable TCP, CCR 33(2), 2003.

    Parameters
    ----------
    increase
        Segments added for each segment acknowledged. Unit: segments.
        Default: ``0.01`` (Kelly, CCR 33(2), 2003, section 3: a).
    least_increase
        Segments that a round trip adds at least. With any, the window counts whole segments, as in Linux.
        Unit: segments.
        Default: ``0.0`` (Kelly 2003, section 3: none (Linux net/ipv4/tcp_scalable.c: 1, below 100 segments)).
    decrease
        What is left of the window after a loss. Dimensionless.
        Default: ``0.875`` (Kelly, CCR 33(2), 2003, section 3: 1 - b, b = 1/8).
    legacy_window
        Up to this window, in segments, it grows and shrinks as NewReno: by one a round trip, to half. Unit:
        segments.
        Default: ``16.0`` (Kelly, CCR 33(2), 2003, section 3: lwnd (Linux: none)).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def swift(
    *,
    base_target: str | None = None,
    hop_target: str | None = None,
    hops: int | None = None,
    scaling_range: str | None = None,
    scaling_min_window: float | None = None,
    scaling_max_window: float | None = None,
    increase: float | None = None,
    decrease: float | None = None,
    max_decrease: float | None = None,
    min_window: float | None = None,
    max_window: float | None = None,
    reset_after: int | None = None,
) -> dict[str, Any]:
    """Swift: the window keeps the delay at a target, and may be less than a segment.

    Reference: Kumar et al., SIGCOMM 2020.

    Parameters
    ----------
    base_target
        The target for the largest windows, without what `hops` adds.
        Default: ``"20us"`` (csg-htsim: 20 us; Kumar et al., SIGCOMM 2020, publish no values).
    hop_target
        What each hop adds to the target.
        Default: ``"1us"`` (choice: Kumar et al. publish no value).
    hops
        Hops on the path, which the paper takes from the TTL. Unit: hops.
        Default: ``0`` (choice: the transport does not see the TTL; `base_target` covers the path).
    scaling_range
        The most that small windows add to the target.
        Default: ``"100us"`` (csg-htsim: five times the base target).
    scaling_min_window
        The largest window, in segments, that adds all of it. Unit: segments.
        Default: ``0.1`` (csg-htsim: 0.1).
    scaling_max_window
        The smallest window, in segments, that adds nothing. Unit: segments.
        Default: ``100.0`` (csg-htsim: 100).
    increase
        Segments that the window grows by in a round trip: ai. Unit: segments.
        Default: ``1.0`` (csg-htsim: 1).
    decrease
        How much of an excess the window gives up: beta. Dimensionless.
        Default: ``0.8`` (csg-htsim: 0.8).
    max_decrease
        The largest part that it gives up at once: max_mdf. Dimensionless.
        Default: ``0.5`` (csg-htsim: 0.5).
    min_window
        The smallest window, in segments. Unit: segments.
        Default: ``0.001`` (choice: a thousand flows share one segment a round trip).
    max_window
        The largest window, in segments. Unit: segments.
        Default: ``10000.0`` (choice: no limit in a data centre).
    reset_after
        Timeouts in a row after which the window is the smallest. Unit: timeouts.
        Default: ``5`` (choice: Kumar et al. publish no value).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def tahoe() -> dict[str, Any]:
    """TCP Tahoe: one segment and slow start after every loss.

    Reference: Jacobson, Congestion avoidance and control, SIGCOMM 1988.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def timely(
    *,
    low: str | None = None,
    high: str | None = None,
    step: str | None = None,
    decrease: float | None = None,
    gain: float | None = None,
    base_rtt: str | None = None,
    segment: str | None = None,
    line_rate: str | None = None,
    min_rate: str | None = None,
    loss_decrease: float | None = None,
) -> dict[str, Any]:
    """TIMELY: the rate follows the gradient of the round-trip time.

    Reference: Mittal et al., SIGCOMM 2015.

    Parameters
    ----------
    low
        Below this round-trip time the rate always grows.
        Default: ``"50us"`` (Mittal et al., SIGCOMM 2015 (published HPCC simulator: the same)).
    high
        Above this round-trip time the rate always shrinks.
        Default: ``"500us"`` (Mittal et al., SIGCOMM 2015 (published HPCC simulator: the same)).
    step
        What one update adds to the rate: delta.
        Default: ``"10Mbit/s"`` (Mittal et al., SIGCOMM 2015).
    decrease
        How much of an excess or a rise the rate gives up: beta. Dimensionless.
        Default: ``0.8`` (Mittal et al., SIGCOMM 2015 (published HPCC simulator: the same)).
    gain
        Weight of the latest difference of round-trip times. Dimensionless.
        Default: ``0.875`` (published HPCC simulator: TimelyAlpha).
    base_rtt
        The round-trip time that makes a difference a gradient.
        Default: ``"20us"`` (Mittal et al., SIGCOMM 2015 (published HPCC simulator: the same)).
    segment
        Bytes acknowledged from one update to the next.
        Default: ``"16kB"`` (choice: the smallest segment that the paper measures (16 to 64 kB)).
    line_rate
        The rate at the start, and the largest.
        Default: ``"10Gbit/s"`` (Mittal et al., SIGCOMM 2015: the links of the testbed).
    min_rate
        The smallest rate.
        Default: ``"10Mbit/s"`` (choice: one step).
    loss_decrease
        Share of the rate that a loss leaves. Dimensionless.
        Default: ``0.5`` (choice: the paper assumes a fabric without losses (priority flow control); 1 does
        nothing).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def vegas(
    *,
    alpha: float | None = None,
    beta: float | None = None,
    gamma: float | None = None,
    law: Literal["ns2", "x-sim", "linux"] | None = None,
    exit_decrease: float | None = None,
    decrease: float | None = None,
    decrease_again: float | None = None,
) -> dict[str, Any]:
    """TCP Vegas: keeps a few segments in queues, by the delay.

    Reference: Brakmo & Peterson, IEEE JSAC 13(8), 1995.

    Parameters
    ----------
    alpha
        Segments that should wait at least. Unit: segments.
        Default: ``1.0`` (ns-2.35 tcl/lib/ns-default.tcl: v_alpha_ 1).
    beta
        Segments that should wait at most. Unit: segments.
        Default: ``3.0`` (ns-2.35 tcl/lib/ns-default.tcl: v_beta_ 3).
    gamma
        Segments that wait when slow start ends. Unit: segments.
        Default: ``1.0`` (ns-2.35 tcl/lib/ns-default.tcl: v_gamma_ 1).
    law
        How the estimate is made.
        Default: ``"ns2"`` (choice: what most published comparisons ran).
    exit_decrease
        Share of the window that is left when slow start ends. Dimensionless.
        Default: ``0.875`` (ns-2.35 tcp/tcp-vegas.cc: an eighth less).
    decrease
        Share that is left after the loss of a segment. Dimensionless.
        Default: ``0.75`` (Brakmo & Peterson, IEEE JSAC 13(8), 1995; ns-2.35 tcp/tcp-vegas.cc).
    decrease_again
        Share that is left if the segment had been sent twice. Dimensionless.
        Default: ``0.5`` (ns-2.35 tcp/tcp-vegas.cc).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def westwood(*, time_constant: str | None = None) -> dict[str, Any]:
    """TCP Westwood: a loss sets the window to the estimated bandwidth.

    Reference: Mascolo, Casetti, Gerla, Sanadidi & Wang, TCP Westwood, MobiCom 2001.

    Parameters
    ----------
    time_constant
        Time constant of the filter: tau. After half of it without an acknowledgement the sample is zero.
        Default: ``"500ms"`` (Casetti, Gerla, Mascolo, Sanadidi & Wang, Wireless Networks 8, 2002: tau, m =
        2).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def westwood_plus(
    *,
    variant: Literal["paper", "linux"] | None = None,
    tick: str | None = None,
    memory: float | None = None,
    shortest_sample: str | None = None,
) -> dict[str, Any]:
    """TCP Westwood+: Westwood with one sample of the bandwidth a round trip.

    Reference: Grieco & Mascolo, Westwood+, New Reno, and Vegas, CCR 34(2), 2004.

    Parameters
    ----------
    variant
        Whose. That of Linux halves the window and sets the threshold when the repair is over, averages twice,
        and counts time in ticks, round-trip times rounded up. Its window grows by whole segments. After a
        timeout it takes the shortest round-trip time anew.
        Default: ``"paper"`` (Grieco & Mascolo, CCR 34(2), 2004 (Linux net/ipv4/tcp_westwood.c)).
    tick
        Length of a tick; only with `variant = "linux"`.
        Default: ``"4ms"`` (choice: 250 Hz, as Debian and Ubuntu have).
    memory
        Weight of the estimate beside a new sample. Dimensionless.
        Default: ``0.9`` (Grieco & Mascolo, CCR 34(2), 2004, section 2 (Linux net/ipv4/tcp_westwood.c: 7/8,
        twice)).
    shortest_sample
        A sample takes so long at least.
        Default: ``"50ms"`` (Linux net/ipv4/tcp_westwood.c: TCP_WESTWOOD_RTT_MIN).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def xcp(*, decrease: float | None = None) -> dict[str, Any]:
    """XCP: the window follows the feedback of routers.

    Reference: Katabi, Handley & Rohrs, SIGCOMM 2002, in the form of ns-2.35 (xcp-end-sys.cc).

    Parameters
    ----------
    decrease
        Window after a loss, as a share of the outstanding data. Dimensionless.
        Default: ``0.5`` (Katabi et al., SIGCOMM 2002, section 3.2: like TCP (RFC 5681 equation 4)).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def yeah(
    *,
    most_waiting: float | None = None,
    phi: float | None = None,
    gamma: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: int | None = None,
    zeta: int | None = None,
    increase: float | None = None,
) -> dict[str, Any]:
    """YeAH-TCP: Scalable while the queue is short, else Reno with early decongestion.

    Reference: Baiocchi, Castellani & Vacirca, YeAH-TCP, PFLDnet 2007.

    Parameters
    ----------
    most_waiting
        Own packets that may wait, in segments: alpha, Q_max. Unit: segments.
        Default: ``80.0`` (Baiocchi, Castellani & Vacirca, PFLDnet 2007; Linux net/ipv4/tcp_yeah.c:
        TCP_YEAH_ALPHA).
    phi
        The network is congested if the queueing delay is above the part 1 / phi of the shortest round-trip
        time. Dimensionless.
        Default: ``8.0`` (Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_PHY).
    gamma
        Early decongestion takes the part 1 / gamma of Q. Dimensionless.
        Default: ``1.0`` (Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_GAMMA).
    epsilon
        The share of the window that early decongestion takes at most. Dimensionless.
        Default: ``0.5`` (Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_EPSILON, 1 / 2^1).
    delta
        The share of the window that a loss takes at least. Dimensionless.
        Default: ``0.125`` (Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_DELTA, 1 / 2^3).
    rho
        After so many slow round trips in a row there is competition from Reno, and a loss halves the window.
        Unit: round trips.
        Default: ``16`` (Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_RHO).
    zeta
        After so many fast round trips without a loss there is none, and what Reno's window would be is
        forgotten. Unit: round trips.
        Default: ``50`` (Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_ZETA).
    increase
        Segments added for each segment acknowledged while it is fast, and one in a round trip at least. Unit:
        segments.
        Default: ``0.01`` (Kelly, CCR 33(2), 2003, section 3: a).

    Returns
    -------
    dict
        What to write in a scenario.
    """
