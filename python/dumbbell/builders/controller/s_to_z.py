"""Congestion controllers.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from typing import Any, Literal

from dumbbell.builders._given import given


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
        Segments that a round trip adds at least. With any, a loss takes whole segments, as in Linux. Unit:
        segments.
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
    return given(
        {
            "kind": "scalable",
            "increase": increase,
            "least_increase": least_increase,
            "decrease": decrease,
            "legacy_window": legacy_window,
        }
    )


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
    return given(
        {
            "kind": "swift",
            "base_target": base_target,
            "hop_target": hop_target,
            "hops": hops,
            "scaling_range": scaling_range,
            "scaling_min_window": scaling_min_window,
            "scaling_max_window": scaling_max_window,
            "increase": increase,
            "decrease": decrease,
            "max_decrease": max_decrease,
            "min_window": min_window,
            "max_window": max_window,
            "reset_after": reset_after,
        }
    )


def tahoe() -> dict[str, Any]:
    """TCP Tahoe: one segment and slow start after every loss.

    Reference: Jacobson, Congestion avoidance and control, SIGCOMM 1988.

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given({"kind": "tahoe"})


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
    return given(
        {
            "kind": "timely",
            "low": low,
            "high": high,
            "step": step,
            "decrease": decrease,
            "gain": gain,
            "base_rtt": base_rtt,
            "segment": segment,
            "line_rate": line_rate,
            "min_rate": min_rate,
            "loss_decrease": loss_decrease,
        }
    )


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
    return given(
        {
            "kind": "vegas",
            "alpha": alpha,
            "beta": beta,
            "gamma": gamma,
            "law": law,
            "exit_decrease": exit_decrease,
            "decrease": decrease,
            "decrease_again": decrease_again,
        }
    )


def westwood(
    *,
    time_constant: str | None = None,
) -> dict[str, Any]:
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
    return given(
        {
            "kind": "westwood",
            "time_constant": time_constant,
        }
    )


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
        and counts time in ticks, round-trip times rounded up. After a timeout it takes the shortest
        round-trip time anew.
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
    return given(
        {
            "kind": "westwood-plus",
            "variant": variant,
            "tick": tick,
            "memory": memory,
            "shortest_sample": shortest_sample,
        }
    )


def xcp(
    *,
    decrease: float | None = None,
) -> dict[str, Any]:
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
    return given(
        {
            "kind": "xcp",
            "decrease": decrease,
        }
    )


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
    return given(
        {
            "kind": "yeah",
            "most_waiting": most_waiting,
            "phi": phi,
            "gamma": gamma,
            "epsilon": epsilon,
            "delta": delta,
            "rho": rho,
            "zeta": zeta,
            "increase": increase,
        }
    )
