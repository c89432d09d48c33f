"""Marks: DCTCP, and what else may set and answer them: I9 and I13."""

from __future__ import annotations

from dumbbell.claims import Claim, Level, Order, Ratio
from dumbbell.papers import Companion
from dumbbell.papers.incast_classic.base import LINUX, RFC, SOURCES, goodput, servers, varied
from dumbbell.papers.incast_classic.derived import DERIVED
from dumbbell.report import FigureSpec
from dumbbell.study import Arm

_MARKING = "topology.port={ kind = 'threshold', threshold = '20pkt', limit = '100kB' }"
_TWO = (*RFC, "transport.initial_window=2")

DCTCP = Companion(
    "dctcp",
    varied(
        "DCTCP against TCP, a block of 1 MB for each round",
        "Up to how many servers does DCTCP go without a timeout?",
        (servers(1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50),),
        (
            Arm("tcp", "NewReno with SACK", (*_TWO, _MARKING)),
            Arm("dctcp", "DCTCP", (*_TWO, "transport.controller=dctcp", _MARKING)),
            Arm("linux", "Linux, CUBIC", (*LINUX, _MARKING)),
            Arm("linux-dctcp", "Linux, DCTCP", (*LINUX, "transport.controller=dctcp", _MARKING)),
        ),
        {"block": "1MB"},
    ),
    {"seeds": 3},
    (
        goodput("servers", "Goodput of reads of 1 MB (I9)"),
        FigureSpec("timeouts", "Timeouts per transfer (I9)", "servers", "per_transfer", x_scale="log"),
    ),
    (
        Claim(
            "I9-none",
            "DCTCP has no timeout up to 30 servers.",
            "[A10]: none up to 35 servers, static buffer of 100 kB",
            "timeouts",
            Level("dctcp", high=0.5, at={"servers": (5, 10, 15, 20, 25, 30)}),
        ),
        Claim(
            "I9-many",
            "It has timeouts with 40 servers and more.",
            "[A10]: from 35 servers on, two packets of each overflow the buffer",
            "timeouts",
            Level("dctcp", low=5, at={"servers": (40, 45, 50)}),
        ),
        Claim(
            "I9-tcp",
            "TCP has timeouts with 10 servers and more.",
            "[A10]: TCP suffers from about 10 servers on",
            "timeouts",
            Level("tcp", low=5, at={"servers": (10, 15, 20, 25, 30)}),
        ),
        Claim(
            "I9-equal",
            "With 40 servers and more, TCP and DCTCP differ by less than a fifth.",
            "[A10]: the two are equal beyond 35 servers",
            "goodput",
            Ratio("dctcp", "tcp", 0.8, 1.2, at={"servers": (40, 45, 50)}),
        ),
        Claim(
            "I9-linux",
            "DCTCP in the Linux of today has no timeout up to 35 servers either.",
            "our question",
            "timeouts",
            Level("linux-dctcp", high=0.5, at={"servers": (5, 10, 15, 20, 25, 30, 35)}),
        ),
    ),
    DERIVED,
    sources=SOURCES | {"workloads[0].block": "[A10]: 1 MB over n servers"},
)

_ECN = (*RFC, "transport.initial_window=2", "transport.ecn=true")

MARKS = Companion(
    "marks",
    varied(
        "Marks in the base case",
        "Do marks help a TCP that halves its window, and which queue should set them?",
        (servers(2, 4, 8, 16, 32, 48, 64),),
        (
            Arm("plain", "no ECN, DropTail", (*RFC, "transport.initial_window=2")),
            Arm("red", "ECN, RED 5 to 15", (*_ECN, "topology.port={ kind = 'red', limit = '64kB' }")),
            Arm(
                "red-now",
                "ECN, RED by the present queue",
                (*_ECN, "topology.port={ kind = 'red', limit = '64kB', weight = 1.0 }"),
            ),
            Arm(
                "threshold",
                "ECN, threshold 20",
                (*_ECN, "topology.port={ kind = 'threshold', threshold = '20pkt', limit = '64kB' }"),
            ),
            Arm(
                "dctcp",
                "DCTCP, threshold 20",
                (
                    *_ECN,
                    "transport.controller=dctcp",
                    "topology.port={ kind = 'threshold', threshold = '20pkt', limit = '64kB' }",
                ),
            ),
        ),
    ),
    {"seeds": 3},
    (
        goodput("servers", "Goodput with marks (I13)"),
        FigureSpec("timeouts", "Timeouts per transfer (I13)", "servers", "per_transfer", x_scale="log"),
    ),
    (
        Claim(
            "I13-threshold",
            "NewReno with marks above 20 packets uses nine tenths of the line up to 8 servers.",
            "our question",
            "used",
            Level("threshold", low=90, at={"servers": (2, 4, 8)}),
        ),
        Claim(
            "I13-average",
            "From 4 servers on, marks by the average of RED give less than marks by a threshold.",
            "our question",
            "goodput",
            Order(("red", "threshold"), at={"servers": (4, 8, 16, 32, 48)}),
        ),
        Claim(
            "I13-dctcp",
            "Up to 16 servers, DCTCP and NewReno with the same marks differ by less than a fifth.",
            "our question",
            "goodput",
            Ratio("dctcp", "threshold", 0.8, 1.2, at={"servers": (2, 4, 8, 16)}),
            "with 16 servers DCTCP loses a full window in 7 of 100 transfers, and NewReno in fewer than 1 of "
            "400; under the profile linux DCTCP loses none (claim today-dctcp)",
        ),
    ),
    DERIVED,
    sources=SOURCES,
)
