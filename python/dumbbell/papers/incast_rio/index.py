"""What shows each figure of the paper, its table, and each sentence of it that claims something."""

from dumbbell.report import IndexRow

_NO_TICKS = "The text has no numbers of this axis."

INDEX = (
    IndexRow(
        "Abstract", "TCP Lite instead of basic TCP, and RIO-C",
        ("doing-10", "doing-10000"), ("B?-joint*", "B?-lite*"),
        note="The tables say whose doing a difference is.",
    ),
    IndexRow(
        "Abstract", "Number of retransmissions", ("retransmissions-10", "retransmissions-10000"),
        note="The paper has no figure of them.",
    ),
    IndexRow("Figure 1", "Servers, a switch and a client", note="Set-up has rates and delays."),
    IndexRow(
        "Figure 2", "Throughput against senders, packets of 512 and 1024 bytes",
        ("figure-2-10", "figure-2-10000"), ("B1-*",),
    ),
    IndexRow(
        "Figure 3", "Bytes received against senders, without and with RIO",
        ("figure-3-10", "figure-3-10000"), ("B2-*",), note=_NO_TICKS,
    ),
    IndexRow(
        "Figure 4", "Throughput against senders, without and with RIO",
        ("figure-4a-10*", "figure-4b-10*", "figure-4c-10*"), ("B3-*",),
        note="Three definitions of throughput.",
    ),
    IndexRow(
        "Figure 5", "Packet loss against senders, without and with RIO", ("figure-5-*",), ("B4-*",),
        note="Three definitions of loss.",
    ),
    IndexRow(
        "Figure 6", "Packets dropped against senders, by colour", ("figure-6-*",), ("B5-*",), note=_NO_TICKS,
    ),
    IndexRow("Table 1", "Simulation parameters", note="Set-up has each value and its source."),
    IndexRow(
        "section 2", "Dramatic fall of throughput; timeouts of heads with few servers, of tails with many",
        ("timeouts-*", "spurious-*", "used-*"), ("B8-*",),
    ),
    IndexRow(
        "section 3", "TCP Lite is better than basic TCP and than other variants", ("tcp-10*", "tcp-rio-*"),
        ("B7-*",),
    ),
    IndexRow(
        "section 3", "Packets are marked by a service level agreement; averages are coupled",
        ("marked-*", "average-*"), ("B5-marked-*",), ("incast-rio-grid",),
    ),
    IndexRow("section 5.1", "RIO-C reacts before the congestion happens", ("average-*",), ("B6-*",)),
    IndexRow(
        "section 5.2", "Throughput collapse is totally overcome", ("figure-4*", "used-*"), ("B3-?-with-*",),
        ("incast-rio-readings", "incast-rio-law", "incast-rio-fit"),
    ),
)  # fmt: skip
