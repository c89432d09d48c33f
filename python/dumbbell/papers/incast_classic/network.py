"""The port, the fragments, and very many senders: I2, I3 and I6."""

from __future__ import annotations

from dataclasses import replace

from dumbbell.claims import Claim, Level, Monotone, Ratio
from dumbbell.papers import Companion
from dumbbell.papers.incast_classic.base import (
    LINUX,
    NEWRENO,
    NS2,
    P08,
    SOURCES,
    TODAY,
    fine,
    goodput,
    servers,
    varied,
)
from dumbbell.papers.incast_classic.derived import DERIVED
from dumbbell.study import Arm, Axis

_BUFFERS = (32, 64, 128, 256, 512, 1024)

BUFFER = Companion(
    "buffer",
    varied(
        "Incast and the buffer of the port",
        "How many servers does a larger buffer carry?",
        (
            Axis.of("buffer", "buffer", "kB", _BUFFERS, "topology.port.limit={value}kB"),
            servers(2, 4, 8, 16, 32, 64, 128),
        ),
        (NEWRENO, TODAY),
    ),
    {"seeds": 2, "axes": {"servers": [2, 8, 16, 32]}},
    tuple(
        replace(goodput("servers", f"Goodput with a port of {size} kB", buffer=size), id=f"goodput-{size}")
        for size in _BUFFERS
    ),
    (
        Claim(
            "I2-large",
            "With a port of 1 MB, 64 servers use half of the line rate.",
            f"{P08}: no collapse with 1 MB; the bound is ours",
            "used",
            Level("newreno", low=50, at={"buffer": 1024, "servers": (2, 4, 8, 16, 32, 64)}),
        ),
        Claim(
            "I2-rises",
            "With 16 servers goodput rises with each doubling of the buffer.",
            P08,
            "goodput",
            Monotone("buffer", "newreno", "rises", at={"servers": 16}),
        ),
        *(
            Claim(
                f"I2-{buffer}kB-{word}",
                f"A port of {buffer} kB carries {servers} servers at {word} half of the line rate.",
                f"{P08}: doubling the buffer about doubles the number of servers",
                "used",
                Level("newreno", **bound, at={"buffer": buffer, "servers": servers}),
                "with 512 kB goodput falls so slowly that it passes a half at 64 servers: 51 %",
            )
            for buffer in (64, 128, 256, 512)
            for word, bound, servers in (
                ("above", {"low": 50.0}, buffer // 32),
                ("below", {"high": 50.0}, buffer // 8),
            )
        ),
    ),
    DERIVED,
    sources=SOURCES,
)

BLOCK = Companion(
    "fragment",
    varied(
        "Incast and the size of the fragment",
        "Do larger answers use more of the link?",
        (
            Axis.of(
                "size",
                "fragment",
                "kB",
                (10, 32, 64, 128, 256, 512, 1000, 2000, 4000, 8000),
                "workloads[0].size={value}kB",
            ),
        ),
        (
            Arm("few", "NewReno, 4 servers", (*NS2, "topology.senders=4")),
            Arm("many", "NewReno, 16 servers", (*NS2, "topology.senders=16")),
            Arm("linux", "Linux, CUBIC, 16 servers", (*LINUX, "topology.senders=16")),
        ),
        duration="21s",
    ),
    {"seeds": 2, "axes": {"size": [10, 64, 256, 1000, 8000]}},
    (goodput("size", "Goodput against the fragment of each server (I3)"),),
    (
        Claim(
            "I3-rises",
            "With 16 servers goodput rises with the fragment, from 64 kB to 8 MB.",
            f"{P08}: larger fragments use more",
            "goodput",
            Monotone("size", "many", "rises", at={"size": (64, 256, 1000, 2000, 4000, 8000)}),
        ),
    ),
    DERIVED,
    sources=SOURCES,
)

_FAR = (*NS2, "transport.sack=true", "transport.rto_initial=2ms")

FAN_IN = Companion(
    "fan-in",
    varied(
        "Very many senders at 10 Gbit/s",
        "Does a random part of the timeout help where thousands of senders lose their packets together?",
        (servers(64, 128, 256, 512, 1024, 2048),),
        (
            Arm("coarse", "RTO from 200 ms", (*NS2, "transport.sack=true")),
            Arm("fine", "RTO from 200 us", (*_FAR, *fine("200us"))),
            Arm("none", "RTO without a floor", (*_FAR, *fine("1us"))),
            Arm(
                "spread",
                "RTO without a floor, up to half of it later",
                (*_FAR, *fine("1us"), "transport.rto_spread=0.5"),
            ),
            TODAY,
        ),
        {"block": "20MB"},
        line=10e9,
        duration="2s",
        transport={"kind": "tcp", "rto_initial": "200ms", "overhead": "1200ns"},
        topology={
            "kind": "star",
            "port": {"kind": "droptail", "limit": "64kB"},
            "link": {"rate": "10Gbit/s", "delay": "5us"},
        },
    ),
    {"seeds": 3, "axes": {"servers": [64, 256, 1024]}},
    (goodput("servers", "Goodput of many senders at 10 Gbit/s (I6)", line=10e9),),
    (
        Claim(
            "I6-collapse",
            "Timeouts without a floor alone do not suffice: 512 senders or more use a tenth.",
            "[V09], on 10 Gbit/s and up to 2048 senders",
            "used",
            Level("none", high=10, at={"servers": (512, 1024, 2048)}),
        ),
        Claim(
            "I6-spread",
            "With a random part, 2048 senders use a quarter of the line.",
            "[V09]: a random part restores goodput; the bound is ours",
            "used",
            Level("spread", low=25, at={"servers": (256, 512, 1024, 2048)}),
        ),
        Claim(
            "I6-few",
            "With 64 and 128 senders the random part changes goodput by less than a fifth.",
            "[C09]: no help on a testbed of tens of senders",
            "goodput",
            Ratio("spread", "none", 0.8, 1.2, at={"servers": (64, 128)}),
        ),
    ),
    DERIVED,
    sources=SOURCES | {"workloads[0].block": "choice: 10 kB of each at 2048 senders"},
)
