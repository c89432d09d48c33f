"""Port agents of routers: what a router does to the packets of one queue.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

def hpcc() -> dict[str, Any]:
    """HPCC: in-band telemetry, the use of the busiest link.

    Reference: Li et al., SIGCOMM 2019, computed at the router as in PINT, Ben Basat et al., SIGCOMM 2020.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def rcp(
    *,
    preset: Literal["figures", "ns2", "netfpga", "mahimahi"] | None = None,
    mode: Literal["law", "share"] | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    gamma: float | None = None,
    period: str | None = None,
    initial: float | None = None,
    floor: str | None = None,
    initial_rtt: str | None = None,
    least_factor: float | None = None,
    changes: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Rate Control Protocol: one rate for all flows, written into packets.

    Reference: Dukkipati & McKeown, CCR 36(1), 2006.

    Parameters
    ----------
    preset
        Values of the parameters that are absent.
        Default: ``"figures"`` (the scripts of the figures of Dukkipati & McKeown: rcp.tcl, as in ns-2
        reproductions).
    mode
        `law` follows the update law; `share` offers a share of the capacity, for tests.
        Default: ``"law"`` (ns-2 rcp.cc: rate_fact_mode_ 0).
    alpha
        Gain of spare capacity. Dimensionless.
        Default: absent: figures 0.1, ns2 0.4, netfpga 0.4, mahimahi 0.4.
    beta
        Gain of the queue. Dimensionless.
        Default: absent: figures 1, ns2 0.4, netfpga 0.5, mahimahi 1.
    gamma
        Share of the capacity to be used. Dimensionless.
        Default: absent: figures 1, ns2 1, netfpga 0.95, mahimahi 1.
    period
        Longest period between updates; the mean round-trip time is the period if it is shorter.
        Default: absent: figures 10ms, ns2 10ms, netfpga 10ms, mahimahi 1ms.
    initial
        Share of the capacity offered at the start; in mode `share` offered until it changes. Dimensionless.
        Default: absent: figures 0.05, ns2 0.05, netfpga 0.05, mahimahi 0.1.
    floor
        Least rate, in bytes for each round-trip time.
        Default: absent: figures 10B, ns2 10B (0.01 packet), netfpga 150B (0.1 packet), mahimahi 0B.
    initial_rtt
        Mean round-trip time assumed before any was measured.
        Default: ``"200ms"`` (ns-2 rcp.cc: init_rtt_).
    least_factor
        Least factor of one update; 0 for none. Dimensionless.
        Default: ``0.0`` (choice: off, as published; 0.5 suits real packets).
    changes
        In mode `share`: changes of the share, sorted by time.
        Tables with these keys:
        - ``at``: duration. When. Required.
        - ``share``: number. Share of the capacity from then on; 0 asks senders to pause. Dimensionless.
          Required.
        Default: ``[]`` (choice: the share stays).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def xcp(
    *,
    alpha: float | None = None,
    beta: float | None = None,
    gamma: float | None = None,
    initial_interval: str | None = None,
    interval_min: str | None = None,
    queue_interval_min: str | None = None,
) -> dict[str, Any]:
    """Explicit Control Protocol: routers tell each sender by how much to change its rate.

    Reference: Katabi, Handley & Rohrs, SIGCOMM 2002, in the form of ns-2.35 (xcpq.cc).

    Parameters
    ----------
    alpha
        Gain of spare bandwidth. Dimensionless.
        Default: ``0.4`` (Katabi et al., SIGCOMM 2002, section 3.5; ns-2.35 xcpq.h: ALPHA_).
    beta
        Gain of the queue. Dimensionless.
        Default: ``0.226`` (Katabi et al., SIGCOMM 2002, section 3.5; ns-2.35 xcpq.h: BETA_).
    gamma
        Share of the traffic that changes hands in an interval although the link is in balance. Dimensionless.
        Default: ``0.1`` (Katabi et al., SIGCOMM 2002, section 3.5; ns-2.35 xcpq.h: GAMMA_).
    initial_interval
        Length of intervals before a round-trip time is known.
        Default: ``"50ms"`` (ns-2.35 xcpq.h: INITIAL_Te_VALUE).
    interval_min
        Shortest control interval.
        Default: ``"1ms"`` (ns-2.35 xcpq.cc).
    queue_interval_min
        Shortest interval in which the least queue is found.
        Default: ``"2ms"`` (ns-2.35 xcpq.cc).

    Returns
    -------
    dict
        What to write in a scenario.
    """
