"""Claims: the shares that publications give."""

from dumbbell.claims import Claim, Level, Monotone, Order

_PEAK = 11.93
"""Mbit/s: (2e - 1) / (e + 1) of the link's rate."""

CLAIMS = (
    Claim(
        "choke-largest",
        "Under CHOKe datagrams get at most 26.9 % of the link, whatever they send.",
        "[T04] theorem 2: 1 / (e + 1) with infinitely many TCP flows",
        "share",
        Level("choke", high=26.9),
    ),
    Claim(
        "choke-near-largest",
        "Where datagrams arrive at 1.193 of the link's rate, they get 23 to 26.9 % under CHOKe.",
        "[T04] theorem 2: (2e - 1) / (e + 1) of the rate, where the share is 26.9 %",
        "share",
        Level("choke", 23, 26.9, at={"rate": _PEAK}),
    ),
    Claim(
        "choke-falls",
        "Beyond that they get the less under CHOKe the more they send.",
        "[T04] theorem 2; [P00] figure 4",
        "share",
        Monotone("rate", "choke", "falls", at={"rate": (_PEAK, 20, 50, 90)}),
    ),
    Claim(
        "red-gives-all",
        "Under RED datagrams of twice the link's rate get more than 90 % of the link.",
        "[P00] section 3: the unresponsive flow takes the link under RED",
        "share",
        Level("red", low=90, at={"rate": (20, 50, 90)}),
    ),
    Claim(
        "sfb-isolates",
        "Under SFB datagrams of twice the rate of the link and more get less than a fifth.",
        "[F01] section 4: TCP flows keep nearly all of the link beside a flow of 45 of 45 Mbit/s",
        "share",
        Level("sfb", high=20, at={"rate": (20, 50, 90)}),
    ),
    Claim(
        "sfb-better-than-blue",
        "TCP flows get more under SFB than under BLUE.",
        "[F01] section 4",
        "tcp",
        Order(("blue", "sfb"), at={"rate": (20, 50, 90)}),
    ),
)
