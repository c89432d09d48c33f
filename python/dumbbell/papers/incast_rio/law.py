"""Other readings of RIO's law: the weight of its average, the unit of its thresholds, a buffer of 16 kB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from dumbbell.claims import Claim, Difference, Level, Monotone, Ratio
from dumbbell.claims.points import At
from dumbbell.papers import Companion
from dumbbell.papers.incast_rio.base import BASIC, SEEDS, TOKENS, port
from dumbbell.papers.incast_rio.derived import DERIVED
from dumbbell.papers.incast_rio.figures import READINGS
from dumbbell.report import FigureSpec, IndexRow
from dumbbell.report.spec import Value
from dumbbell.study import Arm, Axis, Study

WEIGHTS = {0.002: "0.002", 0.0078125: "1/128", 0.015625: "1/64", 1.0: "1"}
"""Floyd and Jacobson's; ALTQ's for links below 300 and below 50 packets a second; the length itself."""
UNITS = {"pkt": "packets", "B": "bytes"}
_LIMITS = {"16kB": "16 kB", "300pkt": "300 packets"}
_SERVERS = (4, 8, 12, 16, 20)
_MANY = (12, 20)

_RIO = (
    port(
        "rio", ("100{unit}", "200{unit}", 0.02), ("50{unit}", "100{unit}", 0.2),
        more=", weight = {weight}", limit="{limit}",
    ),
    *TOKENS,
)  # fmt: skip
_DROPTAIL = ("topology.port.limit={limit}",)

ARMS = (
    Arm("basic", "Basic TCP, without RIO", (*_DROPTAIL, *BASIC)),
    Arm("rio", "Lite, with RIO", _RIO),
    Arm("lite", "Lite, without RIO", _DROPTAIL),
    Arm("basic-rio", "Basic TCP, with RIO", (*_RIO, *BASIC)),
)
"""As the paper's legends have them: without and with; then what each of Lite and RIO does alone."""


def _study(paper: Study) -> Study:
    return replace(
        paper,
        title="TCP Lite and RIO under other readings of RIO's law",
        question="Does a weight of RIO's average, a unit of its thresholds or a short buffer make RIO help?",
        axes=(
            paper.axis("rate"),
            Axis.of("weight", "weight of a packet in RIO's average", "", tuple(WEIGHTS)),
            Axis.of("unit", "unit of RIO's thresholds", "", tuple(UNITS)),
            Axis.of("limit", "limit of the port", "", tuple(_LIMITS)),
            paper.axis("servers").keeping(_SERVERS),
        ),
        arms=ARMS,
        seeds=paper.seeds[:SEEDS],
    )


def _tag(weight: float) -> str:
    return WEIGHTS[weight].replace("/", "-").replace(".", "")


def _claims_at(rate: int, weight: float, unit: str, limit: str) -> Iterator[Claim]:
    """Return the claims on a reading."""
    at: At = {"rate": rate, "weight": weight, "unit": unit, "limit": limit, "servers": _MANY}
    tag = f"{'10k' if rate == 10 else '10M'}-{_tag(weight)}-{unit}-{limit}"
    place = f"{READINGS[rate]}, weight {WEIGHTS[weight]}, thresholds in {UNITS[unit]}, {_LIMITS[limit]}"
    for id_, words, base in (
        ("joint", "TCP Lite and RIO against basic TCP and DropTail", "basic"),
        ("rio", "RIO against DropTail, both with TCP Lite", "lite"),
    ):
        yield Claim(
            f"B3-{id_}-{tag}", f"{place}: {words}, throughput (a) is higher by a hundredth or more.",
            "[A16] figure 4; the bound is ours", "throughput", Ratio("rio", base, low=1.01, at=at),
        )  # fmt: skip
        yield Claim(
            f"B4-{id_}-{tag}", f"{place}: {words}, the client lacks less, by a packet or more.",
            "[A16] figure 5; the bound is ours", "undelivered", Difference("rio", base, high=-1, at=at),
        )  # fmt: skip
    yield Claim(
        f"B3-rises-{tag}", f"{place}: with RIO, throughput (a) rises with the servers.",
        "[A16] figure 4", "throughput", Monotone("servers", "rio", "rises", {**at, "servers": _SERVERS}),
    )  # fmt: skip
    yield Claim(
        f"B5-{tag}", f"{place}: no yellow packet is dropped.",
        "[A16] figure 6", "protected_share", Level("rio", high=0, at=at),
    )  # fmt: skip


CLAIMS = tuple(
    claim
    for rate, weight, unit, limit in product(READINGS, (0.002, 0.015625, 1.0), UNITS, _LIMITS)
    # A port of 16 kB is shorter than thresholds in packets.
    if limit == "300pkt" or (weight, unit) == (1.0, "B")
    for claim in _claims_at(rate, weight, unit, limit)
)


def _figures() -> Iterator[FigureSpec]:
    metrics = (
        ("throughput", "Throughput (a)"), ("undelivered", "Packets that the client lacks"),
        ("retransmissions", "Retransmissions"),
    )  # fmt: skip
    for (rate, words), (metric, title), unit in product(READINGS.items(), metrics, UNITS):
        at: dict[str, Value] = {"rate": rate, "unit": unit, "limit": "300pkt", "servers": 20}
        yield FigureSpec(
            f"{metric}-weight-{rate}-{unit}",
            f"{title} from 20 servers, thresholds in {UNITS[unit]}; client's link {words}",
            "weight", metric, at=at, x_scale="log",
        )  # fmt: skip
    for (rate, words), (metric, title) in product(READINGS.items(), metrics):
        for weight, unit, limit in (
            (0.015625, "pkt", "300pkt"),
            (1.0, "B", "300pkt"),
            (0.002, "pkt", "16kB"),
        ):
            at = {"rate": rate, "weight": weight, "unit": unit, "limit": limit}
            yield FigureSpec(
                f"{metric}-{rate}-{_tag(weight)}-{unit}-{limit}",
                f"{title}; weight {WEIGHTS[weight]}, thresholds in {UNITS[unit]}, {_LIMITS[limit]}; "
                f"client's link {words}",
                "servers", metric, at=at,
                answers=(rate, unit, metric) == (10, "B", "throughput"),
            )  # fmt: skip


INDEX = (
    IndexRow("Figure 4", "Throughput, under other readings of RIO's law", ("throughput-*",), ("B3-*",)),
    IndexRow("Figure 5", "Packet loss, under other readings of RIO's law", ("undelivered-*",), ("B4-*",)),
    IndexRow("Figure 6", "No yellow packet is dropped", claims=("B5-*",)),
    IndexRow("Abstract", "Number of retransmissions", ("retransmissions-*",)),
)

LAW = Companion(
    "law",
    _study,
    {"seeds": 3, "axes": {"servers": [12, 20], "weight": [0.002, 0.015625, 1.0]}},
    tuple(_figures()),
    CLAIMS,
    DERIVED,
    index=INDEX,
)
