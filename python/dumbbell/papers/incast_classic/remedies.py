"""Remedies with a protocol of their own, and the application's: GIP, IA-TCP, LTTP, few servers at a time."""

from __future__ import annotations

from dumbbell.claims import Claim, Level, Order, Ratio
from dumbbell.papers import Companion
from dumbbell.papers.incast_classic.base import LINUX, NEWRENO, NS2, SOURCES, TODAY, goodput, servers, varied
from dumbbell.papers.incast_classic.derived import DERIVED
from dumbbell.report import FigureSpec
from dumbbell.study import Arm

_OURS = "our question"
_MANY = {"servers": (16, 32, 48, 64)}

REMEDIES = Companion(
    "remedies",
    varied(
        "Remedies with a protocol of their own, and the application's",
        "Which helps most: an aggregator that paces grants, fountain codes over UDP, smaller steps of TCP at "
        "the ends of an answer, or an application that asks fewer servers at once?",
        (servers(1, 4, 8, 16, 32, 48, 64),),
        (
            TODAY,
            Arm(
                "ia-tcp", "Linux, IA-TCP at the client",
                (*LINUX, "nodes=[{ name = 'receivers', host = 'ia-tcp' }]"),
            ),
            Arm("lttp", "LTTP", ("transport={ kind = 'lttp' }",)),
            Arm("at-once-4", "Linux, four servers at once", (*LINUX, "workloads[0].at_once=4")),
            NEWRENO,
            Arm("gip", "NewReno with GIP", (*NS2, "transport.unit_window=2", "transport.unit_copies=2")),
        ),
    ),
    {"seeds": 3},
    (
        goodput("servers", "Goodput with remedies of other kinds"),
        FigureSpec("timeouts", "Timeouts per transfer", "servers", "per_transfer", x_scale="log"),
    ),
    (
        Claim(
            "R-ia-tcp", "IA-TCP has no timeout, at every number of servers.",
            "[H12]: no timeout with up to 100 workers", "timeouts", Level("ia-tcp", high=0.5),
        ),
        Claim(
            "R-lttp",
            "LTTP uses three quarters of the line from 4 servers on: goodput does not fall with them.",
            "[J14], its abstract; the bound is ours", "used",
            Level("lttp", low=75, at={"servers": (4, 8, 16, 32, 48, 64)}),
        ),
        Claim(
            "R-gip", "From 8 servers on, GIP gives NewReno more goodput.",
            "[Z13]", "goodput", Order(("newreno", "gip"), at={"servers": (8, 16, 32, 48, 64)}),
        ),
        Claim(
            "R-at-once", "From 16 servers on, asking four at a time at least doubles the goodput of Linux.",
            _OURS, "goodput", Ratio("at-once-4", "linux", low=2, at=_MANY),
        ),
    ),
    DERIVED,
    sources={
        **SOURCES,
        "nodes": "the arms: IA-TCP, [H12]",
        "transport": "the arms: LTTP, [J14]",
        "transport.unit_window": "[Z13]: the window at the start of a stripe unit",
        "transport.unit_copies": "[Z13]: the last packet of a unit goes up to three times",
        "workloads[0].at_once": "the arms: what an application can do, [P08]",
    },
)  # fmt: skip
