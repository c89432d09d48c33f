"""Other readings of what the paper leaves open: the port's limit, TCP's buffers, the form of RIO."""

from __future__ import annotations

from dataclasses import replace

from dumbbell.claims import Claim, Difference, Ratio
from dumbbell.claims.points import At
from dumbbell.papers import Companion
from dumbbell.papers.incast_rio.base import GREEN, TOKENS, UNMARKED, YELLOW, port
from dumbbell.papers.incast_rio.derived import DERIVED
from dumbbell.papers.incast_rio.figures import READINGS
from dumbbell.report import FigureSpec
from dumbbell.study import Arm, Axis, Study

_LIMITS = (50, 100, 300)
_WINDOWS = (8, 16, 64)
_LIMIT = "{limit}pkt"
_PRIORITY = (
    "topology.port={ kind = 'strict-priority', classes = ["
    "{ kind = 'red', limit = '{limit}pkt', min_threshold = '100pkt', max_threshold = '200pkt' }, "
    "{ kind = 'red', limit = '{limit}pkt', min_threshold = '50pkt', max_threshold = '100pkt',"
    " max_probability = 0.2 }] }"
)

ARMS = (
    Arm("droptail", "without RIO", ("topology.port.limit={limit}pkt",)),
    Arm("rio", "with RIO", (port("rio", YELLOW, GREEN, limit=_LIMIT), *TOKENS)),
    Arm("rio-unmarked", "with RIO, all green", (port("rio", YELLOW, GREEN, limit=_LIMIT), *UNMARKED)),
    Arm(
        "rio-tenth", "with RIO, both probabilities 0.1",
        (port("rio", (*YELLOW[:2], 0.1), (*GREEN[:2], 0.1), limit=_LIMIT), *TOKENS),
    ),
    Arm("two-queues", "with two queues, yellow first", (_PRIORITY, *TOKENS)),
)  # fmt: skip


def _study(paper: Study) -> Study:
    return replace(
        paper,
        title="TCP Lite and RIO under other readings of the paper",
        question="Is there a limit of the port, a buffer of TCP, or a form of RIO with which RIO helps?",
        axes=(
            paper.axis("rate"),
            Axis.of("limit", "limit of the port", "packets", _LIMITS),
            Axis.of(
                "window", "TCP's buffers", "kB", _WINDOWS,
                "transport.receive_window={value}kB", "transport.initial_receive_window={value}kB",
            ),
            paper.axis("servers").keeping((4, 12, 20)),
        ),
        arms=ARMS,
        # The claims were written after a look at seeds 301 to 310.
        seeds=tuple(range(1001, 1011)),
    )  # fmt: skip


def _claims_at(rate: int, limit: int, window: int, servers: int) -> tuple[Claim, Claim]:
    """Return the claims on a reading."""
    at: At = {"rate": rate, "limit": limit, "window": window, "servers": servers}
    tag = f"{'10k' if rate == 10 else '10M'}-{limit}-{window}-{servers}"
    place = f"{READINGS[rate]}, {limit} packets, buffers of {window} kB, {servers} servers"
    return (
        Claim(
            f"B3-{tag}", f"{place}: with RIO, throughput (a) is higher by a hundredth or more.",
            "[A16] figure 4; the bound is ours", "throughput", Ratio("rio", "droptail", low=1.01, at=at),
        ),
        Claim(
            f"B4-{tag}", f"{place}: with RIO, packet loss is less, by a packet or more.",
            "[A16] figure 5; the bound is ours", "missing", Difference("rio", "droptail", high=-1, at=at),
        ),
    )  # fmt: skip


CLAIMS = tuple(
    claim
    for rate in READINGS
    for limit in _LIMITS
    for window in _WINDOWS
    for servers in (12, 20)
    for claim in _claims_at(rate, limit, window, servers)
)


def _figures() -> tuple[FigureSpec, ...]:
    return tuple(
        FigureSpec(
            f"{metric}-{rate}-{limit}-{window}",
            f"{title}; {words}, {limit} packets, buffers of {window} kB",
            "servers", metric, at={"rate": rate, "limit": limit, "window": window},
            answers=(rate, limit, window, metric) == (10, 300, 64, "throughput"),
        )
        for rate, words in READINGS.items()
        for limit, window in ((50, 8), (100, 64), (300, 64))
        for metric, title in (("throughput", "Throughput (a)"), ("missing", "Packet loss"))
    )  # fmt: skip


READINGS_STUDY = Companion(
    "readings",
    _study,
    {"seeds": 3, "axes": {"servers": [12, 20]}},
    _figures(),
    CLAIMS,
    DERIVED,
    sources={
        "transport.receive_window": "the axis: 4.4BSD-Lite has 8 kB, [A16] names none",
        "transport.initial_receive_window": "the axis: the window does not change",
    },
)
