"""Delayed acknowledgements beside fine timers, and remedies that leave the timeout alone: I5 and I7."""

from __future__ import annotations

from dumbbell.claims import Claim, Order, Ratio
from dumbbell.papers import Companion
from dumbbell.papers.incast_classic.base import (
    FAST_RTO,
    NEWRENO,
    NS2,
    SOURCES,
    fine,
    goodput,
    servers,
    varied,
)
from dumbbell.papers.incast_classic.derived import DERIVED
from dumbbell.report import FigureSpec
from dumbbell.study import Arm

_DELAYS = ("200us", "1ms", "200ms")

DELAYED = Companion(
    "delayed-acks",
    varied(
        "Fine timers and delayed acknowledgements",
        "Do receivers that delay acknowledgements for 40 ms spoil timers of microseconds?",
        (servers(2, 4, 8, 16, 32, 48),),
        tuple(
            Arm(
                f"{kind}-{least}",
                f"RTO from {least}, {kind} acknowledgements",
                (*NS2, *fine(least), *settings),
            )
            for least in _DELAYS
            for kind, settings in (
                ("prompt", ("transport.ack_every=1",)),
                ("delayed", ("transport.ack_every=2", "transport.ack_delay=40ms")),
            )
        ),
    ),
    {"seeds": 3},
    (
        goodput("servers", "Goodput with and without delayed acknowledgements (I5)"),
        FigureSpec("spurious", "Spurious timeouts per transfer", "servers", "spurious", x_scale="log"),
    ),
    (
        Claim(
            "I5-prompt",
            "With timeouts from 200 us, prompt acknowledgements give more than delayed ones.",
            "[V09], on delayed acknowledgements",
            "goodput",
            Order(("delayed-200us", "prompt-200us"), at={"servers": (4, 8, 16, 32, 48)}),
        ),
        Claim(
            "I5-delayed",
            "With timeouts from 1 ms, delayed acknowledgements give more than prompt ones.",
            "[C09]: 1 ms with delayed acknowledgements did best",
            "goodput",
            Order(("prompt-1ms", "delayed-1ms"), at={"servers": (4, 8, 16, 32, 48)}),
            "with delayed acknowledgements, spurious timeouts are 1.3 to 3.7 times as many with 8 servers "
            "and more",
        ),
    ),
    DERIVED,
    sources=SOURCES,
)

SMALL = Companion(
    "small-remedies",
    varied(
        "Remedies that do not shorten the timeout",
        "Do earlier retransmissions or a slower start prevent the collapse?",
        (servers(2, 4, 8, 16, 32, 48),),
        (
            NEWRENO,
            Arm("one-duplicate", "one duplicate shows a loss", (*NS2, "transport.duplicate_threshold=1")),
            Arm("unlimited", "no limited transmit", (*NS2, "transport.limited_transmit=false")),
            Arm(
                "no-slow-start",
                "no slow start",
                (*NS2, "transport.initial_threshold=2", "transport.slow_start_after_idle=false"),
            ),
            FAST_RTO,
        ),
    ),
    {"seeds": 3},
    (
        goodput("servers", "Goodput with small remedies (I7)"),
        FigureSpec("timeouts", "Timeouts per transfer", "servers", "per_transfer", x_scale="log"),
    ),
    (
        *(
            Claim(
                f"I7-{arm}",
                f"From 8 servers on, {words} at most doubles goodput.",
                "[P08], on TCP variants and thresholds of duplicates",
                "goodput",
                Ratio(arm, "newreno", high=2, at={"servers": (8, 16, 32, 48)}),
            )
            for arm, words in (
                ("one-duplicate", "a threshold of one duplicate"),
                ("unlimited", "the lack of limited transmit"),
                ("no-slow-start", "the lack of slow start"),
            )
        ),
        Claim(
            "I7-against-I4",
            "From 8 servers on, timeouts from 200 us give five times the goodput or more.",
            "[V09]",
            "goodput",
            Ratio("rto-200us", "newreno", low=5, at={"servers": (8, 16, 32, 48)}),
        ),
    ),
    DERIVED,
    sources=SOURCES,
)
