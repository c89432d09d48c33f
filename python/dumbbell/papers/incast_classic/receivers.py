"""Receivers that hold their senders back: I11."""

from __future__ import annotations

from dumbbell.claims import Claim, Level, Order, Ratio
from dumbbell.papers import Companion
from dumbbell.papers.incast_classic.base import RFC, SOURCES, STAR, goodput, servers, varied
from dumbbell.papers.incast_classic.derived import DERIVED
from dumbbell.report import FigureSpec
from dumbbell.study import Arm

_WINDOWS = "nodes=[{{ name = 'receivers', host = {host} }}]"
_STAMPED = (*RFC, "transport.timestamps=true", "transport.initial_window=2")

RECEIVERS = Companion(
    "receive-windows",
    varied(
        "Receivers that hold their senders back",
        "How far do ICTCP and fair receive windows get, and what does the smallest window matter?",
        (servers(1, 4, 8, 12, 16, 24, 32, 40, 47),),
        (
            Arm("tcp", "NewReno with SACK", _STAMPED),
            Arm(
                "ictcp",
                "ICTCP, two segments at least",
                (*_STAMPED, _WINDOWS.format(host="{ kind = 'ictcp', segment = '1448B' }")),
            ),
            Arm(
                "ictcp-1",
                "ICTCP, one segment at least",
                (*_STAMPED, _WINDOWS.format(host="{ kind = 'ictcp', segment = '1448B', least = 1 }")),
            ),
            Arm("fair", "fair windows", (*_STAMPED, _WINDOWS.format(host="'fair-window'"))),
        ),
        {"size": "64kB"},
        topology=STAR | {"port": {"kind": "droptail", "limit": "256kB"}},
    ),
    {"seeds": 3},
    (
        goodput("servers", "Goodput with receive windows (I11)"),
        FigureSpec("timeouts", "Timeouts per transfer (I11)", "servers", "per_transfer", x_scale="log"),
    ),
    (
        Claim(
            "I11-ictcp",
            "ICTCP has fewer than 6 timeouts in 100 transfers, at every number of servers.",
            "[W10]: more than 94 % of the runs have none",
            "per_transfer",
            Level("ictcp", high=0.06),
        ),
        Claim(
            "I11-tcp",
            "TCP has more timeouts than ICTCP with 8 servers and more.",
            "[W10]",
            "timeouts",
            Order(("ictcp", "tcp"), at={"servers": (8, 12, 16, 24, 32, 40, 47)}),
        ),
        Claim(
            "I11-one",
            "With 40 servers, windows of one segment at least give less goodput than of two.",
            "[W10]: 564 and 740 Mbit/s",
            "goodput",
            Ratio("ictcp-1", "ictcp", high=0.95, at={"servers": 40}),
            "one segment of each of 40 servers is five times what the path holds, so the link stays busy; "
            "what made the testbed of [W10] lose goodput is not known",
        ),
        Claim(
            "I11-fair",
            "Fair windows have no timeout, at every number of servers.",
            "[H12]: no timeout with up to 100 workers",
            "timeouts",
            Level("fair", high=0.5),
        ),
    ),
    DERIVED,
    sources=SOURCES,
)
