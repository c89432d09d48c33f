"""What shows each figure of the paper, and each sentence of it that claims something.

The same figures and claims stand in the report of the fitted buffer, but for the contradictions (T1 to T3).
"""

from dumbbell.report import IndexRow

_PRINTED = (
    IndexRow(
        "Figure 1", "Network topology: servers, N1, N2, clients", ("printed-1",),
        note="Set-up has rates, delays and buffers.",
    ),
    IndexRow(
        "Figure 2", "Number of rate transitions against the load, TCP and UDP",
        ("printed-2", "transitions"), ("A1",),
    ),
    IndexRow(
        "Figure 3a", "Energy saving against the load, FS: TCP and UDP, four static shares of power",
        ("printed-3a", "saving-fs-0"), ("A2-fs", "A3-fs"),
    ),
    IndexRow("Figure 3b", "The same, DVS", ("printed-3b", "saving-dvs-0"), ("A2-dvs", "A3-dvs")),
    IndexRow("Figure 4", "Loss probability against the load", ("printed-4", "loss"), ("A4", "A6", "A6-gap")),
    IndexRow(
        "Figure 5", "Average completion time against the load", ("printed-5", "fct"), ("A7", "A7-tcponly"),
    ),
    IndexRow(
        "Figure 6", "ES - QoS_D against the load, QoS by goodput", ("printed-6", "net-goodput-fs"),
        ("A11-*-ps*",),
    ),
    IndexRow(
        "Figure 7", "ES - QoS_D against the load, QoS by completion time",
        ("printed-7", "net-time-fs", "net-time-bounded-fs"), ("A12-*-ps*",),
    ),
    IndexRow(
        "section 3.1", "Windows fall and retransmissions rise with the load", ("window", "resent-share"),
        ("A5-*",),
    ),
    IndexRow(
        "section 3.2", "With scaling, transfers take at least twice as long", ("slowdown",), ("A8",),
        ("capacity-scaling-twice: slowdown",),
    ),
    IndexRow(
        "section 3.2", "At load 0.8 more than tenfold, from 0.2 s to more than 7 s", ("printed-5",),
        ("A9", "A9-7s"),
    ),
    IndexRow(
        "section 3.3", "Low load: large saving, tolerable degradation; high load: no significant saving",
        ("printed-3a", "slowdown"), ("A10-*",),
    ),
    IndexRow(
        "section 3.3", "DVS gives similar results",
        ("net-goodput-dvs", "net-time-dvs", "net-time-bounded-dvs"), ("A13-*-ps*",),
    ),
    IndexRow(
        "section 4", "The delay constraint d: longer queues, more loss; smaller, more transitions",
        elsewhere=("capacity-scaling-delay: loss-80", "capacity-scaling-delay: transitions-80"),
    ),
    IndexRow(
        "section 4", "The least time between transitions",
        elsewhere=("capacity-scaling-guard: transitions-80", "capacity-scaling-guard: loss-80"),
    ),
    IndexRow(
        "section 4", "The granularity of the rates", elsewhere=("capacity-scaling-levels: saving-fs-0-80",),
    ),
    IndexRow("section 4", "The size of the buffer", elsewhere=("capacity-scaling-buffer: slowdown-80",)),
    IndexRow("section 4", "Moves over several rates", elsewhere=("capacity-scaling-steps: transitions",)),
)  # fmt: skip

INDEX = (
    IndexRow(
        "all", "The reading under which most claims come out together, a fit",
        elsewhere=("capacity-scaling-fitted",), note="This report has the buffer as printed.",
    ),
    *_PRINTED,
    IndexRow(
        "section 3.2", "What the text says against itself (T1, T2)", claims=("T1-*", "T2", "T2-reference"),
    ),
    IndexRow("section 2", "The down rule against that of its source (T3)", claims=("T3", "T3-time", "*-n08")),
)  # fmt: skip
"""The paper has no tables."""

FITTED = (
    IndexRow(
        "all", "The buffer as printed", elsewhere=("capacity-scaling",),
        note="This report has a fitted buffer.",
    ),
    *_PRINTED,
)  # fmt: skip
