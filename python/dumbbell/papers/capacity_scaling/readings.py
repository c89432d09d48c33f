"""Other readings of what the paper leaves open, one change at a time: which of them change a verdict."""

from __future__ import annotations

from dataclasses import replace

from dumbbell.claims import Claim, Ratio
from dumbbell.papers import Companion
from dumbbell.papers.capacity_scaling.derived import DERIVED
from dumbbell.report import FigureSpec
from dumbbell.study import Axis, Study

_POWER = "topology.bottleneck.power"
_POLICY = f"{_POWER}.policy"
_QUEUE = "topology.bottleneck.queue.limit"
_TAU = f"{_POLICY}.predictor.kind=ewma-tau"
_WEIGHT = f"{_POLICY}.predictor.kind=ewma-window"

READINGS: dict[str, tuple[str, ...]] = {
    "as in README": (),
    "d 20 ms": (f"{_POLICY}.delay=20ms",),
    "d 50 ms": (f"{_POLICY}.delay=50ms",),
    "d 65 ms": (f"{_POLICY}.delay=65ms",),
    "d 80 ms": (f"{_POLICY}.delay=80ms",),
    "tau 5 ms": (_TAU, f"{_POLICY}.predictor.tau=5ms"),
    "tau 160 ms": (_TAU, f"{_POLICY}.predictor.tau=160ms"),
    "windows, w 0.05": (_WEIGHT, f"{_POLICY}.predictor.weight=0.05"),
    "windows, w 0.5": (_WEIGHT, f"{_POLICY}.predictor.weight=0.5"),
    "accepted packets": (f"{_POLICY}.counted=accepted",),
    "decisions each 10 ms": (f"{_POLICY}.decision=periodic",),
    "down rule N08": (f"{_POLICY}.down=N08",),
    "guard 128 ms": (f"{_POWER}.guard=128ms",),
    "guard from end": (f"{_POWER}.guard_from=end",),
    "hold in service": (f"{_POWER}.in_service=hold",),
    "no drain": ("drain=0s",),
    "start lowest": (f"{_POWER}.start=lowest",),
    "window 44": ("transport.max_window=44",),
    "window unlimited": ("transport.max_window=100000",),
    "first window 1": ("transport.initial_window=1",),
    "least timeout 1 s": ("transport.rto_min=1s",),
    "first timeout 3 s": ("transport.rto_initial=3s",),
    "RTT 20-80 ms": (
        # The middles of twenty equal parts of the range.
        f"topology.rtts=[{', '.join(f'{chr(34)}{21.5 + 3 * i:g}ms{chr(34)}' for i in range(20))}]",
    ),
    "access 20 Mbit/s": ("topology.access.rate=20Mbit/s",),
    "access 1 Gbit/s": ("topology.access.rate=1Gbit/s",),
    "campus-10M": ("workloads[0].size=campus-10M",),
    "campus-web-10M": ("workloads[0].size=campus-web-10M",),
    "buffer 62500 B": (f"{_QUEUE}=62500B",),
    "buffer 31250 B": (f"{_QUEUE}=31250B",),
    "buffer 28 packets": (f"{_QUEUE}=28pkt",),
    "buffer 25 packets": (f"{_QUEUE}=25pkt",),
    "buffer 21 packets": (f"{_QUEUE}=21pkt",),
    "MTU 1000 B": ("topology.bottleneck.mtu=1000B", "topology.access.mtu=1000B"),
}

_LOADS = (0.2, 0.5, 0.8)


def _study(paper: Study) -> Study:
    readings = Axis("reading", "reading", "", tuple(READINGS), tuple(READINGS.values()))
    return replace(
        paper,
        title="Capacity scaling under other readings of the paper",
        question="Which reading of what the paper leaves open changes what it claims?",
        axes=(readings, paper.axis("load").keeping(_LOADS)),
        arms=tuple(paper.arm(name) for name in ("tcponly", "tcp-pc")),
        seeds=paper.seeds[:10],
    )


def _claim(id_: str, reading: str, words: str) -> Claim:
    return Claim(
        id_, f"With {words}, completion at load 0.8 takes more than ten times as long.",
        "Panarello et al., e-Energy 2012, section 3.2", "fct",
        Ratio("tcp-pc", "tcponly", low=10, at={"reading": reading, "load": 0.8}),
    )  # fmt: skip


COMPANION = Companion(
    "readings",
    _study,
    {"seeds": 3, "axes": {"load": [0.8]}},
    tuple(
        FigureSpec(
            f"{metric}-{100 * load:.0f}", f"{title} at load {load}", "reading", metric, arms,
            at={"load": load}, scale="log" if metric == "slowdown" else "linear",
        )
        for metric, title, arms in (
            ("slowdown", "Mean completion time over that of TCPonly", ("tcp-pc",)),
            ("loss", "Loss at N1", ("tcponly", "tcp-pc")),
        )
        for load in (0.8,)
    ),
    (
        _claim("A9-as-printed", "as in README", "all as printed"),
        _claim("A9-d", "d 80 ms", "a delay constraint of 80 ms"),
        _claim("A9-buffer", "buffer 21 packets", "a buffer of half a bandwidth-delay product"),
        _claim("A9-bytes", "buffer 31250 B", "the same in bytes"),
        _claim("A9-down", "down rule N08", "the down rule of N08"),
        _claim("A9-window", "window unlimited", "windows without limit"),
        _claim("A9-timeout", "first timeout 3 s", "a first timeout of 3 s"),
        _claim("A9-sizes", "campus-web-10M", "flows of up to 10 MB"),
    ),
    DERIVED,
)  # fmt: skip
