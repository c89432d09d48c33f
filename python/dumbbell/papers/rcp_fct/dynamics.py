"""Further studies of long flows: newcomers, storms, changes of capacity, routers in a row, outages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dumbbell.claims import Claim, Level, Order
from dumbbell.papers import Companion
from dumbbell.papers.rcp_fct.tables import INTERVALS, of_arms
from dumbbell.report import FigureSpec, Reference, TableSpec
from dumbbell.study import AT_LEAST_ZERO, Arm, Axis, Metric, Study

if TYPE_CHECKING:
    from dumbbell import Results

Floats = NDArray[np.float64]

_RATE = 100e6
"""Of every link, in bit/s."""

_RTT = 0.05
"""In s."""

_LINK = {"rate": "100Mbit/s", "delay": "25ms", "mtu": "1000B"}

_SCENARIO: dict[str, Any] = {
    "duration": "40s",
    "topology": {"kind": "chain", "link": _LINK},
    "record": {"period": "50ms"},
}

_SOURCES = {
    "duration": "choice: 400 round-trip times before and after what happens",
    "topology.kind": "choice: the smallest network",
    "topology.link.rate": "choice: a window of 625 packets",
    "topology.link.delay": "choice: a round-trip time of 50 ms",
    "topology.link.mtu": "[T16]: 960 B of data and 40 B of header",
    "topology.link.router": "the arms",
    "record.period": "choice: a round-trip time",
    "transport.kind": "the arms",
    "transport.profile": "choice: TCP by the RFCs; ns-2.35 has nothing of what `linux` adds",
    "transport.controller": "the arms",
    "transport.ack_every": "ns-2.35: its sink acknowledges every segment",
}

_SEEDS = tuple(range(201, 221))


def _link_metric(name: str, label: str, unit: str, column: str, factor: float = 1) -> Metric:
    source = {"table": "links", "link": "node0->node1", "column": column, "factor": factor}
    return Metric(name, label, unit, source, "lower")


_QUEUE_MAX = _link_metric("queue_max", "longest queue", "BDP", "queue_max", 1 / 625)


def _arms(link: str = "topology.link") -> tuple[Arm, ...]:
    tcp = ("transport.kind=tcp", "transport.profile=rfc", "transport.ack_every=1")
    return (
        Arm("tcp", "TCP NewReno", (*tcp, "transport.controller=newreno")),
        Arm("xcp", "XCP", (*tcp, "transport.controller=xcp", f"{link}.router=xcp")),
        Arm("rcp", "RCP", ("transport.kind=rcp", f"{link}.router=rcp")),
    )


def _study(study: Study, scenario: Mapping[str, Any], metrics: tuple[Metric, ...], **change: Any) -> Study:
    whole = replace(
        study, scenario=_SCENARIO | dict(scenario), arms=_arms(), seeds=_SEEDS, metrics=metrics, by_size=None
    )
    return replace(whole, **change)


def _sources(*keys: str) -> dict[str, str]:
    return {key: _SOURCES[key] for key in keys}


def _flow_sources(place: str, *keys: str) -> dict[str, str]:
    return {f"{place}.{key}": "choice: long flows, and what happens to them" for key in keys}


def _flows(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "from": "senders", "to": "receivers", **more}


def _rate_of(results: Results, group: str, start: float, end: float) -> float:
    """Return the mean goodput of the flows of a group between two times, in bit/s."""
    members = results.flows.where("group", group)
    series = results.series("goodput")
    kept = [
        values[(times > start + 1e-9) & (times <= end + 1e-9)]
        for times, values in (series[int(number)] for number in results.flows["flow"][members])
    ]
    return float(np.mean([values.mean() for values in kept]))


def _start(results: Results) -> float:
    """When the newcomer starts, in s."""
    return float(results.flows["start"][results.flows.where("group", "new")][0])


def _early(results: Results) -> float:
    """The newcomer's rate over that of the others, in round trips 3 to 10 after its start."""
    start = _start(results)
    window = (start + 2 * _RTT, start + 10 * _RTT)
    return _rate_of(results, "new", *window) / _rate_of(results, "old", *window)


def _given(results: Results) -> float:
    """What the old flows keep of their rate after 100 round trips, over their share with the newcomer."""
    start, count = _start(results), len(results.flows) - 1
    after = _rate_of(results, "old", start + 100 * _RTT, start + 300 * _RTT)
    return after / _rate_of(results, "old", start - 200 * _RTT, start) * (count + 1) / count


_OLD = (1, 2, 4, 8, 16)


def _newcomer(study: Study) -> Study:
    # One arrival of a Poisson process, so that the newcomer meets the others at a random moment.
    late = {
        "kind": "poisson",
        "rate": 2.0,
        "max_flows": 1,
        "start": "20s",
        "size": {"kind": "fixed", "size": "1GB"},
        "sampled": True,
    }
    scenario = {"flows": [_flows("old", count=4, stagger="50ms")], "workloads": [_flows("new", **late)]}
    metrics = (
        Metric(
            "early",
            "newcomer's rate over that of the others, round trips 3 to 10",
            "",
            _early,
            possible=AT_LEAST_ZERO,
        ),
        Metric(
            "given", "old flows' rate after it over their equal share", "", _given, possible=AT_LEAST_ZERO
        ),
        _link_metric("delay", "mean queueing delay", "ms", "sojourn_mean", 1e3),
        _QUEUE_MAX,
    )
    settings = tuple((f"flows[0].count={count}",) for count in _OLD)
    return _study(
        study, scenario, metrics,
        title="A new flow among long ones under TCP, XCP and RCP",
        question="How soon has a new flow the rate of the others, and who makes room?",
        axes=(Axis("old", "flows that are there", "", _OLD, settings),),
    )  # fmt: skip


NEWCOMER = Companion(
    "newcomer",
    _newcomer,
    {"seeds": 5},
    (
        FigureSpec(
            "early", "The newcomer's rate in its first round trips", "old", "early", x_scale="log",
            references=(Reference("equal", (1.0,)),),
        ),
        FigureSpec(
            "given", "What the old flows keep", "old", "given", x_scale="log",
            references=(Reference("equal share", (1.0,)),),
        ),
        FigureSpec("delay", "Mean queueing delay", "old", "delay", x_scale="log"),
    ),
    (
        Claim(
            id="rcp-fair-at-once",
            statement="Under RCP a new flow has 0.8 to 1.25 of the others' rate within ten round-trip times.",
            source="[K16], results in the paper: one rate for all flows; the bounds are ours",
            metric="early",
            rule=Level("rcp", 0.8, 1.25),
        ),
        Claim(
            id="xcp-fair-later",
            statement="Under XCP it has less than 0.8 of it.",
            source="[K16], motivation: fair shares only after many round-trip times",
            metric="early",
            rule=Level("xcp", high=0.8),
        ),
        Claim(
            id="tcp-fair-later",
            statement="Under TCP it has less than 0.8 of it.",
            source="[K16], motivation: fair shares only after many round-trip times",
            metric="early",
            rule=Level("tcp", high=0.8),
        ),
        Claim(
            id="xcp-takes",
            statement="XCP takes from long flows for the new one: they end within 10 % of an equal share.",
            source="[K16], motivation: XCP reduces the throughput of older flows; the bound is ours",
            metric="given",
            rule=Level("xcp", 0.9, 1.1),
        ),
        Claim(
            id="rcp-little-queue",
            statement="Long flows under RCP wait less than a twentieth of the round-trip time on average.",
            source="[K16], motivation: TCP by design fills buffers, RCP does not; the bound is ours",
            metric="delay",
            rule=Level("rcp", high=2.5),
        ),
        Claim(
            id="tcp-fills-buffers",
            statement="Long flows under TCP wait longer than a quarter of the round-trip time on average.",
            source="[K16], motivation: TCP by design fills buffers; the bound is ours",
            metric="delay",
            rule=Level("tcp", low=12.5),
        ),
    ),
    sources=_SOURCES
    | _flow_sources("flows[0]", "name", "from", "to", "stagger")
    | _flow_sources("workloads[0]", "kind", "name", "from", "to", "rate", "max_flows", "start", "sampled")
    | _flow_sources("workloads[0].size", "kind", "size"),
    own_scenario=True,
)  # fmt: skip


_STORMS = (1, 3, 10, 30, 100, 300, 1000)
_STORM_PACKETS = 100


def _storm_over_sharing(results: Results) -> float:
    """Mean completion time of the storm over that under exact sharing with the old flows, which is linear."""
    flows = results.flows
    times = flows["sender_completion_time"][flows.where("group", "storm")]
    old = int(flows.where("group", "old").sum())
    shared = (len(times) + old) * _STORM_PACKETS * 8000 / _RATE
    return float(times.mean() / (2 * _RTT + shared))


def _storm(study: Study) -> Study:
    storm = _flows("storm", count=1, start="10s", size=f"{960 * _STORM_PACKETS}B")
    scenario = {"duration": "60s", "flows": [_flows("old", count=4, stagger="50ms"), storm]}
    metrics = (
        Metric(
            "time", "mean completion time of the storm", "s",
            {"table": "flows", "group": "storm", "column": "sender_completion_time"}, "lower",
        ),
        Metric(
            "over_sharing", "the same over processor sharing", "",
            _storm_over_sharing, "lower", possible=AT_LEAST_ZERO,
        ),
        _QUEUE_MAX,
        _link_metric("dropped", "packets dropped", "", "dropped"),
    )  # fmt: skip
    # Beyond what a buffer of one bandwidth-delay product holds: RCP is published with a buffer without end.
    endless = replace(
        _arms()[2], name="rcp-endless", label="RCP, endless buffer",
        settings=(*_arms()[2].settings, "topology.link.queue=droptail"),
    )  # fmt: skip
    settings = tuple((f"flows[1].count={count}",) for count in _STORMS)
    return _study(
        study, scenario, metrics,
        title="A storm of new flows under TCP, XCP and RCP",
        question="What happens when many flows of 100 packets start at once beside four long ones?",
        axes=(Axis("storm", "flows that start at once", "", _STORMS, settings),), arms=(*_arms(), endless),
    )  # fmt: skip


STORM = Companion(
    "storm",
    _storm,
    {"seeds": 3},
    (
        FigureSpec(
            "time", "Mean completion time of the storm", "storm", "time", scale="log", x_scale="log",
        ),
        FigureSpec(
            "over-sharing", "The same over processor sharing", "storm", "over_sharing", scale="log",
            x_scale="log", references=(Reference("equal", (1.0,)),),
        ),
        FigureSpec("queue", "Longest queue", "storm", "queue_max", scale="log", x_scale="log"),
        FigureSpec("loss", "Packets dropped", "storm", "dropped", x_scale="log"),
    ),
    (
        Claim(
            id="rcp-floods",
            statement="A hundred flows at once fill more than one bandwidth-delay product under RCP.",
            source="RCP-AC (INFOCOM 2006), abstract: RCP needs tuning against flash crowds; our bound",
            metric="queue_max",
            rule=Level("rcp-endless", low=1, at={"storm": (100, 300, 1000)}),
        ),
        Claim(
            id="rcp-below-tcp",
            statement="Up to ten flows at once, these end sooner under RCP than under TCP.",
            source="our question",
            metric="time",
            rule=Order(("rcp", "tcp"), at={"storm": (1, 3, 10)}),
        ),
    ),
    sources=_SOURCES
    | {"topology.link.queue": "default of one BDP; no end in one arm: [T16]", "duration": "choice: all ends"}
    | _flow_sources("flows[0]", "name", "from", "to", "count", "stagger")
    | _flow_sources("flows[1]", "name", "from", "to", "start", "size"),
    own_scenario=True,
)  # fmt: skip


_PARTS = (0.125, 0.25, 0.5, 0.75)


def _drained(results: Results) -> float:
    """Seconds after the fall until the queue stays below a tenth of what one round trip brings at first."""
    times, queue = results.series("queue")[0]
    after = (times >= 20) & (times < 40)
    high = np.flatnonzero(queue[after] > 62.5)
    return 0.0 if high.size == 0 else float(times[after][high[-1]] - 20 + _RTT)


def _refilled(results: Results) -> float:
    """Round trips after the rise until the throughput of one is 90 % of the capacity."""
    times, throughput = results.series("throughput")[0]
    after = times > 40 + 1e-9
    high = np.flatnonzero(throughput[after] >= 0.9 * _RATE)
    return float((times[after][high[0]] - 40) / _RTT) if high.size else np.nan


def _step(study: Study) -> Study:
    scenario = {"duration": "60s", "flows": [_flows("old", count=10, stagger="50ms")]}
    metrics = (
        _QUEUE_MAX,
        Metric(
            "drained",
            "time until the queue is short after the fall",
            "s",
            _drained,
            "lower",
            possible=AT_LEAST_ZERO,
        ),
        Metric(
            "refilled",
            "time to fill the link after the rise",
            "round-trip times",
            _refilled,
            "lower",
            possible=AT_LEAST_ZERO,
        ),
    )
    settings = tuple(
        (
            f"topology.link.rate_changes=[{{ at = '20s', rate = '{part * 100:g}Mbit/s' }}, "
            "{ at = '40s', rate = '100Mbit/s' }]",
        )
        for part in _PARTS
    )
    return _study(
        study, scenario, metrics,
        title="A change of the capacity under TCP, XCP and RCP",
        question="What happens when a link loses a part of its capacity for 20 s?",
        axes=(Axis("part", "part that is left", "", _PARTS, settings),),
    )  # fmt: skip


CHANGE = Companion(
    "change",
    _step,
    {"seeds": 3},
    (
        FigureSpec("queue", "Longest queue", "part", "queue_max"),
        FigureSpec("drained", "Time until the queue is short again after the fall", "part", "drained"),
        FigureSpec("refilled", "Time to fill the link after the rise", "part", "refilled"),
    ),
    (
        Claim(
            id="rcp-drains",
            statement="Within 5 s of losing half of the capacity RCP's queue is below 0.1 BDP for good.",
            source="our question; the bound is 100 round-trip times",
            metric="drained",
            rule=Level("rcp", high=5, at={"part": (0.5, 0.75)}),
        ),
        Claim(
            id="rcp-refills",
            statement="Within 100 round-trip times of its return RCP uses 90 % of the capacity.",
            source="our question",
            metric="refilled",
            rule=Level("rcp", high=100),
        ),
        Claim(
            id="xcp-refills",
            statement="And so does XCP.",
            source="our question",
            metric="refilled",
            rule=Level("xcp", high=100),
        ),
    ),
    sources=_SOURCES
    | {
        "topology.link.rate_changes": "the axis: 20 s of a lower rate",
        "duration": "choice: 20 s of each rate",
    }
    | _flow_sources("flows[0]", "name", "from", "to", "count", "stagger"),
    own_scenario=True,
)


_HOPS = (2, 3, 4)


def _row(study: Study) -> Study:
    link = {"rate": "100Mbit/s", "delay": "10ms", "mtu": "1000B"}
    scenario = {
        "duration": "60s",
        "warmup": "20s",
        "topology": {
            "kind": "parking-lot", "hops": 2, "bottleneck": link,
            "access": {"rate": "1Gbit/s", "delay": "5ms", "mtu": "1000B"},
        },
        "flows": [
            _flows("long", stagger="100ms"),
            {"name": "cross", "from": "cross-senders", "to": "cross-receivers", "stagger": "130ms"},
        ],
    }  # fmt: skip
    metrics = (
        Metric(
            "share",
            "long flow's rate over that of the cross flows",
            "",
            _share,
            "higher",
            possible=AT_LEAST_ZERO,
        ),
        Metric("used", "least utilisation of a bottleneck", "%", _least_used, "higher", possible=(0, 100)),
    )
    settings = tuple((f"topology.hops={hops}",) for hops in _HOPS)
    return _study(
        study, scenario, metrics,
        title="Bottlenecks in a row under TCP, XCP and RCP",
        question="What has a flow over several bottlenecks beside one more flow at each?",
        axes=(Axis("hops", "bottlenecks", "", _HOPS, settings),), arms=_arms("topology.bottleneck"),
    )  # fmt: skip


def _share(results: Results) -> float:
    flows = results.flows
    long, cross = (flows["goodput"][flows.where("group", group)].mean() for group in ("long", "cross"))
    return float(long / cross)


def _least_used(results: Results) -> float:
    links = results.links
    # The bottlenecks alone are filled; the links of the way back are not.
    used = links["utilisation"][links["rate"] == _RATE]
    return float(100 * np.sort(used)[len(used) // 2 :].min())


ROW = Companion(
    "row",
    _row,
    {"seeds": 3},
    (
        FigureSpec(
            "share", "The long flow's rate over that of the cross flows", "hops", "share",
            references=(Reference("equal", (1.0,)),),
        ),
        FigureSpec("used", "Least utilisation of a bottleneck", "hops", "used"),
    ),
    (
        Claim(
            id="rcp-fair",
            statement="Under RCP the flow over several bottlenecks has the rate of the others, within 5 %.",
            source="packets leave with the least rate of their way: [K16], results in the paper; our bound",
            metric="share",
            rule=Level("rcp", 0.95, 1.05),
        ),
        Claim(
            id="tcp-unfair",
            statement="Under TCP it has less than 0.8 of it.",
            source="[K16], motivation: TCP favours low round-trip times; the bound is ours",
            metric="share",
            rule=Level("tcp", high=0.8),
        ),
        Claim(
            id="rcp-fills",
            statement="RCP uses 95 % of every bottleneck, or more.",
            source="our question",
            metric="used",
            rule=Level("rcp", low=95),
        ),
    ),
    sources=_sources(*(key for key in _SOURCES if not key.startswith("topology.link")))
    | {
        "warmup": "choice: the start is not counted",
        "topology.kind": "Floyd, CCR 21(5), 1991: bottlenecks in a row, cross traffic at each",
        "topology.hops": "the axis",
        "topology.bottleneck.rate": "choice: as in the other studies of long flows",
        "topology.bottleneck.delay": "choice: a round-trip time of 40 ms for cross traffic",
        "topology.bottleneck.mtu": _SOURCES["topology.link.mtu"],
        "topology.bottleneck.router": "the arms",
        "topology.access.rate": "choice: ten times the bottlenecks",
        "topology.access.delay": "choice: half of a bottleneck's",
        "topology.access.mtu": _SOURCES["topology.link.mtu"],
    }
    | _flow_sources("flows[0]", "name", "from", "to", "stagger")
    | _flow_sources("flows[1]", "name", "from", "to", "stagger"),
    own_scenario=True,
)  # fmt: skip


def _some_routers(study: Study) -> Study:
    rest = {"delay": "12.5ms", "mtu": "1000B", "queue": {"kind": "droptail", "limit": "313pkt"}}
    links = [
        {"from": "a", "to": "b", "rate": "100Mbit/s", **rest},
        {"from": "b", "to": "c", "rate": "50Mbit/s", **rest},
    ]
    groups = [{"name": "senders", "nodes": ["a"]}, {"name": "receivers", "nodes": ["c"]}]
    topology = {"kind": "graph", "nodes": ["a", "b", "c"], "links": links, "groups": groups}
    scenario = {
        "topology": topology, "transport": {"kind": "rcp"}, "warmup": "10s",
        "flows": [_flows("long", count=4, stagger="50ms")],
    }  # fmt: skip
    tight = {"table": "links", "link": "b->c"}
    metrics = (
        Metric("loss", "packets lost at the bottleneck", "%",
               {**tight, "column": "loss", "factor": 100}, "lower"),
        Metric("delay", "mean queueing delay at the bottleneck", "ms",
               {**tight, "column": "sojourn_mean", "factor": 1e3}, "lower"),
    )  # fmt: skip
    arms = (
        Arm("both", "RCP at both links", ("topology.links[0].router=rcp", "topology.links[1].router=rcp")),
        Arm("tight", "RCP at the bottleneck alone", ("topology.links[1].router=rcp",)),
        Arm("loose", "RCP at the other link alone", ("topology.links[0].router=rcp",)),
    )
    return _study(
        study, scenario, metrics,
        title="RCP where not every router supports it",
        question="What do flows of RCP lose at a bottleneck whose router does not support it?",
        arms=arms,
    )  # fmt: skip


SOME_ROUTERS = Companion(
    "some-routers",
    _some_routers,
    {"seeds": 3},
    (),
    tables=(
        TableSpec(
            "bottleneck", "What flows of RCP lose at the bottleneck, and how long they wait there",
            partial(of_arms, ("loss", "delay")), INTERVALS,
        ),
    ),
    claims=(
        Claim(
            id="needs-the-bottleneck",
            statement="A bottleneck that alone does not support RCP loses a tenth of the packets, or more.",
            source="[K16], critique: all routers must support the protocol; the tenth is our bound",
            metric="loss",
            rule=Level("loose", low=10),
        ),
        Claim(
            id="bottleneck-suffices",
            statement="A bottleneck that alone supports RCP loses less than a thousandth of the packets.",
            source="our question, on [K16], critique: all routers must support the protocol",
            metric="loss",
            rule=Level("tight", high=0.1),
        ),
    ),
    sources=_sources("duration", "record.period", "transport.kind")
    | {
        "warmup": "choice: the start is not counted",
        "topology.kind": "choice: two links in a row, the second half as fast",
        "topology.nodes": "choice: two links in a row",
        "topology.links": "choice: a round-trip time of 50 ms; DropTail of one BDP of the second",
        "topology.groups": "choice: names",
    }
    | _flow_sources("flows[0]", "name", "from", "to", "count", "stagger"),
    own_scenario=True,
)  # fmt: skip


_OUTAGES = (1, 2, 5)


def _outage(study: Study) -> Study:
    # Packets are 40 ms apart, less than a round-trip time: the published sender probes only from there on.
    router = {"kind": "rcp", "mode": "share", "initial": 0.002}
    scenario = {
        "duration": "60s",
        "topology": {"kind": "chain", "link": _LINK | {"router": router}},
        "transport": {"kind": "rcp"},
        "flows": [_flows("web", count=50, stagger="200ms", size="200kB")],
    }
    metrics = (
        Metric(
            "ended", "flows that end", "%",
            {"table": "runs", "column": "flows_completed", "factor": 2}, "higher", possible=(0, 100),
        ),
        Metric(
            "longest", "longest completion time of those", "s",
            {"table": "flows", "group": "web", "column": "completion_time", "statistic": "max"}, "lower",
        ),
    )  # fmt: skip
    settings = tuple(
        (f"topology.link.router.changes=[{{ at = '5s', share = 0 }}, {{ at = '{5 + s}s', share = 0.5 }}]",)
        for s in _OUTAGES
    )
    arms = (
        Arm("ours", "RCP with probes", ("transport.compat=none",)),
        Arm("ns2", "RCP as published", ("transport.compat=ns2",)),
    )
    return _study(
        study, scenario, metrics,
        title="A rate of zero under RCP",
        question="What becomes of flows that a router tells to send nothing for a while?",
        axes=(Axis("outage", "length of the outage", "s", _OUTAGES, settings),), arms=arms,
    )  # fmt: skip


OUTAGE = Companion(
    "outage",
    _outage,
    {"seeds": 5},
    (
        FigureSpec("ended", "Flows that end", "outage", "ended"),
        FigureSpec("longest", "Longest completion time of these", "outage", "longest"),
    ),
    (
        Claim(
            id="none-lost",
            statement="With probes no flow is lost.",
            source="our rule: a paused sender probes until it has a rate",
            metric="ended",
            rule=Level("ours", low=100),
        ),
        Claim(
            id="published-loses",
            statement="The published sender loses flows.",
            source="[K16], Mahimahi extension; ns-2 rcp-host.cc has no timer in state CONGEST",
            metric="ended",
            rule=Level("ns2", high=99),
        ),
    ),
    sources=_sources("topology.kind", "topology.link.rate", "topology.link.delay", "topology.link.mtu")
    | {
        "duration": "choice: all ends",
        "topology.link.router.kind": "what is asked about",
        "topology.link.router.mode": "choice: the offered share is told, not computed",
        "topology.link.router.initial": "choice: packets 40 ms apart, below a round-trip time",
        "topology.link.router.changes": "the axis: nothing for a while, then half of the capacity",
        "transport.kind": "what is asked about",
        "transport.compat": "the arms",
        "record.period": _SOURCES["record.period"],
    }
    | _flow_sources("flows[0]", "name", "from", "to", "count", "stagger", "size"),
    own_scenario=True,
)
