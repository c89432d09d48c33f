"""Two scenarios that the text names: long delays (Scenario 9), and a route that changes in mid-run.

Their inputs were in an appendix that was not to be had. Both are ours: one bottleneck behind which a path is
long, and two paths of which the second is shorter.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dumbbell.claims import Claim, Level, Order, Ratio
from dumbbell.papers import Companion
from dumbbell.report import FigureSpec
from dumbbell.study import AT_LEAST_ZERO, Arm, Axis, Metric, Study

_RBCC = {"kind": "rbcc"}

_QUIET = {"samples": False, "queues": "none"}

_LOST = Metric("lost", "lost packets", "", {"table": "runs", "column": "packets_dropped"}, "lower")

_FINISHED = Metric(
    "finished", "mean time of a message", "s",
    {"table": "flows", "column": "completion_time", "statistic": "mean"}, "lower", possible=AT_LEAST_ZERO,
)  # fmt: skip

_QUENCH = "nodes[0].agent.quench=true"


def _far(study: Study) -> Study:
    return replace(
        study,
        title="Rate quenches and long delays",
        question="Do rate quenches help where the path behind the bottleneck is long?",
        # The claims were written after a look at seeds 1 to 100.
        seeds=tuple(range(101, 201)),
        scenario={
            "duration": "300s",
            "transport": "trump",
            "nodes": [{"name": "left", "agent": _RBCC}, {"name": "right", "agent": _RBCC}],
            "topology": {
                "kind": "dumbbell",
                "pairs": 8,
                "access": {"rate": "100Mbit/s", "delay": "1ms"},
                "bottleneck": {
                    "rate": "8Mbit/s",
                    "delay": "5ms",
                    "queue": {"kind": "droptail", "limit": "15000B"},
                },
            },
            "flows": [{"from": "senders", "to": "receivers", "size": "2145kB", "jitter": "10s"}],
            "record": _QUIET,
        },
        axes=(
            Axis.of(
                "delay",
                "delay behind the bottleneck",
                "ms",
                (5, 50, 200, 500, 1000),
                "topology.bottleneck.delay={value}ms",
            ),
        ),
        arms=(
            Arm("base", "Base", ()),
            Arm("quench", "Quench", (_QUENCH,)),
            Arm("quench-setup", "Quench, set-ups too", (_QUENCH, "nodes[0].agent.quench_causes=setup")),
            Arm("size-16", "16 in an acknowledgement", ("transport.selacksize=16",)),
            Arm("quench-16", "Quench, 16 in an acknowledgement", (_QUENCH, "transport.selacksize=16")),
        ),
        metrics=(_LOST, _FINISHED),
    )


_SHARED = {
    "duration": "choice: a guard; measurements end with the last message",
    "transport": "[T98]",
    "record.samples": "choice: the study uses totals only",
    "record.queues": "choice: the study uses totals only",
    "flows[0].from": "choice: every source",
    "flows[0].to": "choice: every destination",
    "flows[0].size": "choice: the messages of `trump-rbcc`",
    "flows[0].jitter": "choice: messages begin and end beside one another",
    "topology.kind": "choice: the scenario of [T98] was not to be had",
}

FAR = Companion(
    name="scenario-9",
    study=_far,
    quick={"seeds": 20},
    figures=(
        FigureSpec("lost", "Losses against the delay behind the bottleneck", "delay", "lost", answers=True),
    ),
    claims=(
        Claim(
            id="far-quench",
            statement="With 1 s behind the bottleneck, rate quenches lower the losses.",
            source="[T98], section 11.7: quenches mitigate network delays, as in Scenario 9",
            metric="lost",
            rule=Order(("quench", "base"), at={"delay": 1000}),
        ),
        Claim(
            id="far-quench-16",
            statement="The same with acknowledgements of 16 packets.",
            source="[T98], section 11.7: highly recommended where acknowledgements are large",
            metric="lost",
            rule=Order(("quench-16", "size-16"), at={"delay": 1000}),
        ),
    ),
    sources=_SHARED
    | {
        "nodes": "[T98]",
        "nodes[0].name": "choice: both routers",
        "nodes[0].agent": "[T98]",
        "nodes[0].agent.quench": "the arms",
        "nodes[0].agent.quench_causes": "the arms",
        "nodes[1].name": "choice: both routers",
        "nodes[1].agent": "[T98]",
        "topology.pairs": "choice: as many messages as in `trump-rbcc`",
        "topology.access.rate": "choice: no second bottleneck",
        "topology.access.delay": "choice: sources are near",
        "topology.bottleneck.rate": "choice: the fastest link of `trump-rbcc`",
        "topology.bottleneck.delay": "the axis",
        "topology.bottleneck.queue.kind": "[T98], section 11.8",
        "topology.bottleneck.queue.limit": "[T98], section 11.5",
        "transport.selacksize": "the arms",
    },
    own_scenario=True,
)

_NODES = ("near", "long", "short", "far")

_FLOWS = 3


def _route(study: Study) -> Study:
    rate = "8Mbit/s"
    ends = [f"{side}{number}" for side in "sr" for number in range(_FLOWS)]
    links: list[dict[str, Any]] = [
        {"from": a, "to": b, "rate": rate, "delay": "5ms"}
        for a, b in (("near", "long"), ("long", "far"), ("near", "short"), ("short", "far"))
    ]
    for number in range(_FLOWS):
        fast = {"rate": "100Mbit/s", "delay": "1ms"}
        links.append({"from": f"s{number}", "to": "near"} | fast)
        links.append({"from": "far", "to": f"r{number}"} | fast)
    return replace(
        study,
        title="A route that changes in mid-run",
        question="What does a route change cost a transport that calls packets lost which others overtake?",
        # The claims were written after a look at seeds 1 to 40.
        seeds=tuple(range(101, 141)),
        scenario={
            "duration": "120s",
            "transport": {"kind": "trump"},
            "paths": {"kind": "change", "at": "10s"},
            "nodes": [{"name": name, "agent": _RBCC} for name in _NODES],
            "topology": {"kind": "graph", "nodes": [*_NODES, *ends], "links": links},
            "flows": [
                {"from": f"s{number}", "to": f"r{number}", "size": "5MB", "jitter": "1s"}
                for number in range(_FLOWS)
            ],
            "record": _QUIET,
        },
        axes=(
            Axis(
                "shorter",
                "how much shorter the second path is",
                "ms",
                (0, 5, 10, 20, 50, 100),
                tuple(
                    tuple(f"topology.links[{link}].delay={5 + more / 2:g}ms" for link in (0, 1))
                    for more in (0, 5, 10, 20, 50, 100)
                ),
            ),
        ),
        arms=(
            Arm("none", "TRUMP, reordering = 0", ()),
            Arm("three", "TRUMP, reordering = 3", ("transport.reordering=3",)),
            Arm("thirty", "TRUMP, reordering = 30", ("transport.reordering=30",)),
            Arm("linux", "Linux, CUBIC", ("nodes=[]", "transport={ kind = 'tcp', controller = 'cubic' }")),
        ),
        metrics=(
            Metric(
                "needless", "packets sent again though none was lost", "",
                {"table": "flows", "column": "retransmissions", "statistic": "sum"}, "lower",
                possible=AT_LEAST_ZERO,
            ),
            _LOST,
            _FINISHED,
        ),
    )  # fmt: skip


_PAIRS = {
    f"flows[{number}].{key}": why
    for number in range(_FLOWS)
    for key, why in (
        ("from", "choice: a source each"),
        ("to", "choice: a destination each"),
        ("size", "choice: the route changes in the middle"),
        ("jitter", "choice: so that seeds differ"),
    )
}

ROUTE = Companion(
    name="route",
    study=_route,
    quick={"seeds": 10},
    figures=(
        FigureSpec("needless", "Packets sent again at a route change", "shorter", "needless", answers=True),
        FigureSpec("finished", "Mean time of a message", "shorter", "finished"),
    ),
    claims=(
        Claim(
            id="three-tolerated",
            statement="With reordering = 3 nothing is sent again where the second path is 10 ms shorter.",
            source="our question: three messages share 8 Mbit/s, and two packets of each are overtaken",
            metric="needless",
            rule=Level("three", high=0.0, at={"shorter": [0, 5, 10]}),
        ),
        Claim(
            id="none-resends",
            statement="With 30 fewer are sent again than with 0, from 10 ms on.",
            source="our question: [T98] does not say how losses are found",
            metric="needless",
            rule=Order(("thirty", "none"), at={"shorter": [10, 20, 50, 100]}),
        ),
        Claim(
            id="route-time",
            statement="A route change costs a message without reordering less than 2 % of its time.",
            source="our question: what is sent again is what was overtaken",
            metric="finished",
            rule=Ratio("none", "thirty", high=1.02),
        ),
    ),
    sources=_SHARED
    | _PAIRS
    | {
        "transport.kind": "[T98]; the arms",
        "transport.reordering": "the arms",
        "transport.controller": "the arms",
        "paths.kind": "choice: a route change",
        "paths.at": "choice: in the middle of the messages",
        "nodes": "[T98]; none under TCP",
        "topology.nodes": "choice: two paths of equal length in hops",
        "topology.links": "choice: equal rates; the first path is the longer one",
    }
    | {
        f"nodes[{number}].{key}": why
        for number in range(len(_NODES))
        for key, why in (("name", "choice: every router"), ("agent", "[T98]"))
    },
    own_scenario=True,
)
