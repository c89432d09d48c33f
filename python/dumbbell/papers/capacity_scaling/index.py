"""What shows each figure of the paper, and each sentence of it that claims something."""

from dumbbell.report import IndexRow

INDEX = (
    IndexRow(
        "Figure 1", "Network topology",
        note="`dumbbell figure topology` draws it; Set-up has rates, delays and buffers.",
    ),
    IndexRow(
        "Figure 2", "Number of rate transitions against the load, TCP and UDP", ("transitions",), ("A1",),
    ),
    IndexRow(
        "Figure 3a", "Energy saving against the load, FS: TCP and UDP, four static shares", ("saving-fs-*",),
        ("A2-fs", "A3-fs"),
    ),
    IndexRow(
        "Figure 3b", "The same, DVS", ("saving-dvs-*",), ("A2-dvs", "A3-dvs"),
    ),
    IndexRow("Figure 4", "Loss probability against the load", ("loss",), ("A4", "A6", "A6-gap")),
    IndexRow(
        "Figure 5", "Average completion time against the load", ("fct", "slowdown"), ("A7", "A7-tcponly"),
    ),
    IndexRow(
        "Figure 6", "ES - QoS_D against the load, QoS by goodput", ("net-goodput-fs",), ("A11-*-ps*",),
    ),
    IndexRow(
        "Figure 7", "ES - QoS_D against the load, QoS by completion time",
        ("net-time-fs", "net-time-bounded-fs"), ("A12-*-ps*", "T1-*"),
    ),
    IndexRow(
        "section 3.1", "Windows fall and retransmissions rise with the load", ("window", "resent-share"),
        ("A5-*",),
    ),
    IndexRow(
        "section 3.2", "With scaling, transfers take at least twice as long", ("slowdown",), ("A8",),
    ),
    IndexRow(
        "section 3.2", "At load 0.8 more than tenfold, from 0.2 s to more than 7 s", ("fct",),
        ("A9", "A9-7s", "T2", "T2-reference"),
    ),
    IndexRow(
        "section 3.3", "Low load: large saving, tolerable degradation; high load: no significant saving",
        ("saving-fs-*", "slowdown"), ("A10-*",),
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
"""The paper has no tables."""
