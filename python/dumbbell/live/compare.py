"""Our TCP in the simulator compared with real packets: the same flows over the same link.

On real packets run connections of the kernel, or our own end points over UDP.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell import _native
from dumbbell._laws import law_name
from dumbbell._scenario import Scenario, run_all
from dumbbell.errors import DumbbellError
from dumbbell.live import endpoints, ticks
from dumbbell.live.kernel import NAMES, Flow, KernelRun, run_kernel
from dumbbell.live.lateness import late_runs, seeded
from dumbbell.live.lines import goodput, growth, life
from dumbbell.live.udp import run_flows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dumbbell._results import Results, Table

    Floats = NDArray[np.float64]
    Line = tuple[Floats, Floats]

_MOST_SAMPLES = 20_000
"""Of each series: one a millisecond for 20 s."""
_BITS = 8
_HEADERS = 40
"""Bytes of the headers of IPv4 and TCP."""
_TIMESTAMPS = 12
"""Bytes of the timestamps option with its padding (RFC 7323 appendix A)."""
_NOTHING = (np.empty(0), np.empty(0))

KERNEL, USER = ENDPOINTS = ("kernel", "user")
"""Connections of the kernel; our end points, as programs that send UDP."""


@dataclass(frozen=True)
class FlowRun:
    """What became of one flow. Times count from time 0 of the run."""

    start: float
    """When its first packet was sent (s)."""
    size: float | None
    """Application bytes; ``None`` if it sends until the end."""
    completion_time: float | None
    """First packet sent to last byte received in order (s); ``None`` if that has not happened."""
    goodput: float
    """In-order application bits received per second of its life, after the warm-up."""
    retransmissions: int
    """Segments that were sent again."""
    timeouts: int | None
    """``None`` if the kernel does not count them for each connection (before 6.7)."""
    window: Line
    """Times (s) and the congestion window in segments, both of shape (samples,)."""
    delivered: Line
    """Times (s) and bytes received in order, both of shape (samples,)."""

    @cached_property
    def first_cut(self) -> tuple[float, float] | None:
        """When the window first became smaller (s), and its segments before; ``None`` if it never did."""
        times, window = self.window
        smaller = np.flatnonzero(np.diff(window) < 0)
        if not len(smaller):
            return None
        return float(times[smaller[0] + 1]), float(window[smaller[0]])


@dataclass(frozen=True)
class Arm:
    """One side of a comparison."""

    flows: list[FlowRun]
    """In the order of the scenario."""
    goodput: float
    """Application bits delivered per second, all flows, after the warm-up."""
    queueing_delay: float
    """Mean over time of the queue at the link's rate (s), while flows were open."""
    queueing_delay_p95: float
    """Its 95th percentile over time (s)."""
    rtt: float
    """Mean of the senders' smoothed round-trip times (s)."""
    loss: float
    """Share of the packets that arrived at the link and were dropped."""
    drops: Floats
    """When packets were dropped (s), in order, shape (drops,)."""
    queue: Line
    """Times (s) and packets in the queue, the one in transmission included."""
    valid: bool = True
    """False if the emulation was not true enough."""
    reasons: tuple[str, ...] = ()
    """Why it was not."""
    elsewhere: tuple[str, ...] = ()
    """What befell packets at links that are not emulated: of a simulation, in words."""

    @property
    def first_drop(self) -> float | None:
        """When the first packet was dropped (s), or ``None``."""
        return float(self.drops[0]) if len(self.drops) else None

    @property
    def sized(self) -> int:
        """Flows with a size."""
        return sum(flow.size is not None for flow in self.flows)

    @property
    def finished(self) -> int:
        """Those that completed."""
        return sum(flow.completion_time is not None for flow in self.flows)

    @property
    def completion_time(self) -> float | None:
        """Mean over the flows with a size (s); ``None`` if there is none, or one has not completed.

        The mean of those that have is one of fast flows, and of other flows on each side.
        """
        times = [flow.completion_time for flow in self.flows if flow.completion_time is not None]
        return float(np.mean(times)) if times and len(times) == self.sized else None

    @property
    def retransmissions(self) -> int:
        """Of all flows."""
        return sum(flow.retransmissions for flow in self.flows)

    @property
    def timeouts(self) -> int | None:
        """Of all flows; ``None`` if the kernel does not count them."""
        counts = [flow.timeouts for flow in self.flows if flow.timeouts is not None]
        return sum(counts) if len(counts) == len(self.flows) else None

    def summary(self) -> dict[str, Any]:
        """The figures without the series, as JSON has them; rates in bit/s, times in s."""
        whole = (
            "goodput", "queueing_delay", "queueing_delay_p95", "rtt", "loss", "first_drop", "completion_time",
            "sized", "finished", "retransmissions", "timeouts", "valid", "reasons",
        )  # fmt: skip
        each = ("start", "size", "completion_time", "goodput", "retransmissions", "timeouts", "first_cut")
        flows = [{name: getattr(flow, name) for name in each} for flow in self.flows]
        return {**{name: getattr(self, name) for name in whole}, "drops": len(self.drops), "flows": flows}


@dataclass(frozen=True)
class Comparison:
    """The same flows in the simulator and on real packets, over one link."""

    controller: str
    """Name of the controller."""
    simulated: Arm | None
    """``None`` for a controller that only the kernel has."""
    real: Arm
    """Real packets."""
    endpoints: str = KERNEL
    """Whose end points ran on real packets: one of :data:`ENDPOINTS`."""
    link: str = ""
    """The link that was emulated."""
    seed: int = 1
    """Of all that is drawn, on both sides."""
    drawn: tuple[str, ...] = ()
    """What the scenario draws, and where. Without any, another run is the same run once more."""
    unmet: tuple[str, ...] = ()
    """What the scenario says of other links, and real packets did not meet."""

    @property
    def notes(self) -> list[str]:
        """What a reader must know to compare the two sides."""
        missing = [f"not on real packets: {each}" for each in self.unmet]
        return missing + list(self.simulated.elsewhere if self.simulated else ())


def named(comparisons: Iterable[Sequence[Comparison]]) -> Iterator[tuple[str, Comparison]]:
    """Yield every run of every controller with its name: the controller, and of several runs the number."""
    for runs in comparisons:
        for i, comparison in enumerate(runs):
            # A law has a path and a class; names are also those of files.
            name = re.sub(r"[^\w.]+", "-", comparison.controller).strip("-.")
            yield name + (f"-{i}" if len(runs) > 1 else ""), comparison


def summaries(comparisons: Iterable[Sequence[Comparison]]) -> dict[str, Any]:
    """Return the figures of both sides of every run, by its name."""
    return {
        name: {
            "link": comparison.link,
            "seed": comparison.seed,
            "drawn": list(comparison.drawn),
            "notes": comparison.notes,
            "simulated": comparison.simulated and comparison.simulated.summary(),
            comparison.endpoints: comparison.real.summary(),
        }
        for name, comparison in named(comparisons)
    }


def with_flows(
    scenario: Scenario,
    count: int | None = None,
    stagger: str | None = None,
    size: str | None = None,
    rtts: Sequence[str] = (),
) -> Scenario:
    """Return a scenario with other flows between the ends of its first listed flows.

    Parameters
    ----------
    scenario
        It lists flows.
    count, stagger, size
        How many, the time from each start to the next, and bytes of each, as in a scenario; without them, as
        they are in the first entry.
    rtts
        Base round-trip times of the flows, in turn, as in a scenario: one for each pair of a dumbbell. The
        flows then run between its senders and receivers.

    Raises
    ------
    DumbbellError
        If the scenario lists no flows, a value is wrong, or there are more round-trip times than flows.
    """
    given = {"count": count, "stagger": stagger, "size": size}
    new = {key: value for key, value in given.items() if value is not None}
    values = scenario.to_dict()
    if not new and not rtts:
        return scenario
    flows = {**_first_flows(values), **new}
    if rtts:
        values, flows = _with_round_trips(values, flows, rtts)
    return Scenario.from_dict({**values, "flows": [flows], "workloads": []})


def _with_round_trips(
    values: dict[str, Any], flows: dict[str, Any], rtts: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    topology = values["topology"]
    if topology["kind"] != "dumbbell":
        raise DumbbellError(
            f"--rtt: the topology is {topology['kind']!r}, and only the pairs of a dumbbell have round-trip "
            'times of their own; give a scenario with topology.kind = "dumbbell"'
        )
    count = flows["count"] or len(rtts)
    if count < len(rtts):
        raise DumbbellError(
            f"--rtt: {len(rtts)} round-trip times for {count} flow{'s' * (count > 1)}; "
            "give fewer, or more --flows"
        )
    topology = {**topology, "pairs": len(rtts), "rtts": list(rtts)}
    ends = {"from": "senders", "to": "receivers", "pairing": "one-to-one", "count": count}
    return {**values, "topology": topology}, {**flows, **ends}


def _first_flows(values: Mapping[str, Any]) -> dict[str, Any]:
    if not values["flows"]:
        raise DumbbellError("the scenario lists no flows; add an entry to [[flows]]")
    return dict(values["flows"][0])


def compare(
    scenario: Scenario,
    controller: str,
    at: str | None = None,
    *,
    profile: str = "linux",
    endpoints: str = KERNEL,
) -> Comparison:
    """Compare one run of each side: see :func:`compare_runs`.

    Parameters
    ----------
    scenario, controller, at, profile, endpoints
        As there.
    """
    return compare_runs(scenario, controller, at, profile=profile, runs=1, endpoints=endpoints)[0]


def compare_runs(
    scenario: Scenario,
    controller: str,
    at: str | None = None,
    *,
    profile: str = "linux",
    runs: int,
    endpoints: str = KERNEL,
) -> list[Comparison]:
    """Run the listed flows of a scenario under one controller, in the simulator and on real packets.

    Both count from time 0, or from the scenario's warm-up if it has one. The real flows start when the
    simulated ones start, and have their sizes and their base round-trip times. Their applications write and
    read when those of the simulated flows do.

    Parameters
    ----------
    scenario
        Its listed flows are run; its workloads are not.
    controller
        One that the kernel has, by our name (:data:`dumbbell.live.kernel.NAMES`); only the kernel runs one
        that the simulator lacks. Our own end points run any that asks no routers. A law such as
        ``my.py:Mine`` runs in both, in the kernel as :func:`dumbbell.own.kernel.registered` says; its path
        counts from the current folder.
    at
        The link; by default the one on the first path that is all that packets meet, the slowest of several.
    profile
        Whose TCP the simulator runs.
    runs
        Of each side, in pairs with a seed of their own: that of the scenario, and those after it. Both sides
        of a pair draw the same. In more than one run, packets of the simulator arrive as late as those of
        the emulator do.
    endpoints
        Whose end points run on real packets: one of :data:`ENDPOINTS`.

    Returns
    -------
    list
        One comparison for each run.

    Raises
    ------
    DumbbellError
        If the scenario lists no flows, a flow does not cross the link, no link is all that packets meet
        (without `at`), the kernel refuses the controller, or our end points cannot run it or the scenario.
    """
    law = law_of(controller)
    if endpoints == KERNEL and law is None and controller not in NAMES:
        able = ", ".join(NAMES)
        raise DumbbellError(
            f"--controllers: {controller!r} is not a controller of the kernel; use one of {able}, or our end "
            f"points: --endpoints {USER}"
        )
    ours = law is not None or controller in {name for name, _, _ in dict(_native.algorithms())["controller"]}
    given = prepared(scenario, law or (controller if ours or endpoints == USER else "newreno"), profile)
    if endpoints == KERNEL:
        given = ticks.ticking(given, ticks.of_kernel())
    about = _native.emulated(given._native, at)
    link = about["link"]
    seeds = [each.seed for each in seeded(given, runs)]
    with _called(controller, is_law=law is not None and endpoints == KERNEL) as called:
        arms = [_real(each, called, at, endpoints) for each in seeded(given, runs)]
    expected = simulated_arms(ticks.started(given), link, runs) if ours else [None] * runs
    drawn = tuple(
        f"{draw['what']} of {draw['of']}" if draw["of"] else draw["what"] for draw in given.explain()["draws"]
    )
    return [
        Comparison(controller, left, right, endpoints, link, seed, drawn, tuple(about["unmet"]))
        for seed, left, right in zip(seeds, expected, arms, strict=True)
    ]


def law_of(controller: str) -> str | dict[str, int | str] | None:
    """Return a law as a scenario has it, with the whole path of its file; ``None`` of any other name."""
    law = law_name(controller)
    return None if law is None else law.value(Path(law.file).absolute())


@contextmanager
def _called(controller: str, *, is_law: bool) -> Iterator[str]:
    """Yield what the kernel calls a controller; a law is in the kernel until the end."""
    if not is_law:
        yield controller
        return
    if _native.is_virtual():
        raise DumbbellError(
            f"--controllers: {controller}: a kernel in virtual time takes no controllers from programs; "
            f"leave out --virtual, or give our end points: --endpoints {USER}"
        )
    # Other controllers do not load the language.
    from dumbbell.own.kernel import registered

    with registered(controller) as called:
        yield called


def _real(scenario: Scenario, controller: str, at: str | None, endpoints: str) -> Arm:
    """Run a :func:`prepared` scenario on real packets: what it draws, it draws by its seed."""
    if endpoints == USER:
        return user_arm(scenario, at)[0]
    addresses = _addresses(scenario, at)
    results = scenario.run()
    applications = _native.applications(scenario._native)
    rows = map(results.flows.row, range(len(results.flows)))
    flows = [_flow(row, addresses, each) for row, each in zip(rows, applications, strict=True)]
    return kernel_arm(scenario, flows, controller, at)[0]


def _addresses(scenario: Scenario, at: str | None) -> dict[tuple[str, str], int]:
    """Which address of the emulator's client stands for a pair of nodes."""
    pairs = _native.emulated(scenario._native, at)["addresses"]
    return {(source, destination): i for i, each in enumerate(pairs) for source, destination in each}


def _flow(
    row: Mapping[str, Any],
    addresses: Mapping[tuple[str, str], int],
    applications: Sequence[Sequence[Sequence[float]] | None],
) -> Flow:
    """A flow of a simulation as a connection of the kernel."""
    address = addresses.get((row["source"], row["destination"]))
    if address is None:
        raise DumbbellError(
            f"flow {row['flow']} from {row['source']} to {row['destination']} does not cross the emulated "
            "link; leave it out, or choose another link with --at"
        )
    writes, reads = applications
    return Flow(row["start"], row["size"], address, writes, reads)


def _period(scenario: Scenario) -> float:
    """The time between samples of a :func:`prepared` scenario (s)."""
    text = scenario.to_dict()["record"]["period"]
    return float(text.removesuffix("ms")) * 1e-3 if text.endswith("ms") else float(text.removesuffix("s"))


def prepared(
    scenario: Scenario,
    controller: str | Mapping[str, Any],
    profile: str,
    period: int | None = None,
    in_virtual_time: bool | None = None,
) -> Scenario:
    """Return a scenario with only its listed flows, under one TCP, and sampled as both sides are.

    Parameters
    ----------
    scenario, controller, profile
        As for :func:`compare_runs`.
    period
        Milliseconds between samples; by default one, and more in a run of more than 20 s.
    in_virtual_time
        Whether the other side's programs run in virtual time; by default, whether this one does.
    """
    in_virtual_time = _native.is_virtual() if in_virtual_time is None else in_virtual_time
    values = scenario.to_dict()
    _first_flows(values)
    # The application is the same on both sides; a queue of ten packets tells.
    first_write = f"{endpoints.FIRST_WRITE[in_virtual_time] * 1e6:g}us"
    transport = {"kind": "tcp", "profile": profile, "controller": controller, "first_write": first_write}
    flows = [{**entry, "transport": transport, "sampled": True} for entry in values["flows"]]
    if period is None:
        period = max(1, round(scenario.explain()["duration"] * 1e3 / _MOST_SAMPLES))
    record = {"period": f"{period}ms", "drops": True, "queues": "all"}
    changed = {"drain": "0s", "flows": flows, "workloads": [], "replay": None, "record": record}
    return Scenario.from_dict({**values, **changed})


@dataclass(frozen=True)
class _Link:
    row: int
    """In the tables of a simulation."""
    warmup: float
    duration: float
    each: float
    """Transmission time of a full packet (s)."""

    @classmethod
    def named(cls, scenario: Scenario, name: str) -> _Link:
        about = scenario.explain()
        row = next(i for i, link in enumerate(about["links"]) if link["name"] == name)
        link = about["links"][row]
        return cls(row, about["warmup"], about["duration"], link["mtu"] * _BITS / link["rate"])

    def arm(
        self,
        loss: float,
        flows: list[FlowRun],
        rtt: Sequence[Floats],
        drops: Floats,
        queue: Line,
    ) -> Arm:
        """What both sides have in common, from their series."""
        done = [flow.start + flow.completion_time for flow in flows if flow.completion_time is not None]
        until = min(self.duration, max(done)) if len(done) == len(flows) else self.duration
        times, packets = queue
        delays = packets[(times > self.warmup) & (times <= until)] * self.each
        delivered = sum(growth(flow.delivered, self.warmup, until) for flow in flows)
        round_trips = np.concatenate([*rtt, np.empty(0)])
        return Arm(
            flows=flows,
            goodput=delivered * _BITS / (until - self.warmup) if until > self.warmup else 0.0,
            queueing_delay=float(delays.mean()) if len(delays) else 0.0,
            queueing_delay_p95=float(np.percentile(delays, 95)) if len(delays) else 0.0,
            rtt=float(round_trips.mean()) if len(round_trips) else float("nan"),
            loss=loss,
            drops=drops,
            queue=queue,
        )

    def goodput(self, start: float, completion_time: float | None, delivered: Line) -> float:
        """Of one flow, in bit/s."""
        return goodput(delivered, *life(start, completion_time, (self.warmup, self.duration)))


def simulated_arms(scenario: Scenario, link: str, runs: int) -> list[Arm]:
    """Simulate a :func:`prepared` scenario: once as it is, or more often as :func:`late_runs` has it."""
    return arms_of([scenario] if runs == 1 else late_runs(scenario, link, runs), link)


def arms_of(scenarios: Sequence[Scenario], link: str) -> list[Arm]:
    """Simulate :func:`prepared` scenarios, once each."""
    found = zip(scenarios, run_all(scenarios), strict=True)
    return [_simulated_arm(each, results, link) for each, results in found]


def _simulated_arm(scenario: Scenario, results: Results, link: str) -> Arm:
    """Return what the simulation of a :func:`prepared` scenario came to at a link."""
    of_link = _Link.named(scenario, link)
    series = {name: results.series(name) for name in ("cwnd", "goodput")}
    flows = _flow_runs(scenario, results.flows, series, of_link)
    drops = results.drops["time"][results.drops["link"] == of_link.row]
    rtt = [values[times > of_link.warmup] for times, values in results.series("rtt").values()]
    loss = results.links.row(of_link.row)["loss"]
    arm = of_link.arm(loss, flows, rtt, drops, results.series("queue")[of_link.row])
    return replace(arm, elsewhere=_elsewhere(scenario, results, link))


def _elsewhere(scenario: Scenario, results: Results, link: str) -> tuple[str, ...]:
    """What links but the one of this name, and the one of its way back, dropped and marked."""
    emulated = {link, _native.emulated(scenario._native, link)["back"]}
    rows = map(results.links.row, range(len(results.links)))
    others = [row for row in rows if row["link"] not in emulated]
    counts = (
        (word, [(row["link"], row[word]) for row in others if row[word]]) for word in ("dropped", "marked")
    )
    return tuple(
        f"simulated only: {sum(count for _, count in each):,} packets {word} at {each[0][0]}"
        + f" and {len(each) - 1} more links" * (len(each) > 1)
        for word, each in counts
        if each
    )


def _flow_runs(
    scenario: Scenario, flows: Table, series: Mapping[str, Mapping[int, Line]], link: _Link
) -> list[FlowRun]:
    """What became of flows, by their table and their sampled windows and goodputs."""
    segment, period = _segment(scenario, link.row), _period(scenario)
    runs = []
    for i in range(len(flows)):
        of = flows.row(i)
        times, window = series["cwnd"].get(i, _NOTHING)
        moments, rates = series["goodput"].get(i, _NOTHING)
        delivered = moments, np.cumsum(rates) * period / _BITS
        time = of["completion_time"]
        time = time if time == time else None
        runs.append(
            FlowRun(
                of["start"], of["size"], time, link.goodput(of["start"], time, delivered),
                of["retransmissions"], of["timeouts"], (times, window / segment), delivered,
            )
        )  # fmt: skip
    return runs


def user_arm(scenario: Scenario, at: str | None) -> tuple[Arm, str]:
    """Run a :func:`prepared` scenario by our end points over UDP; also returns the name of the link."""
    about = _native.emulated(scenario._native, at)
    if len(about["addresses"]) > 1:
        raise DumbbellError(
            "our end points over UDP take the path of one pair, and the pairs of the scenario have different "
            f"round-trip times; give all the same, or use those of the kernel: --endpoints {KERNEL}"
        )
    run = run_flows(scenario, at)
    link = _Link.named(scenario, about["link"])
    flows = _flow_runs(scenario, run.results.flows, run.series, link)
    rtt = [values[times > link.warmup] for times, values in run.series["rtt"].values()]
    return _real_arm(link, run.results, run.fidelity, run.origin - about["ahead"], flows, rtt), about["link"]


def _real_arm(
    link: _Link,
    results: Results,
    fidelity: Mapping[str, Any],
    origin: float,
    flows: list[FlowRun],
    rtt: Sequence[Floats],
) -> Arm:
    """What an emulation came to, in which packets of time 0 meet the queue at `origin`."""
    drops = results.drops["time"][results.drops["link"] == 0] - origin
    times, packets = results.series("queue")[0]
    arm = link.arm(results.links.row(0)["loss"], flows, rtt, drops, (times - origin, packets))
    return replace(arm, valid=fidelity["valid"], reasons=tuple(fidelity["reasons"]))


def _segment(scenario: Scenario, row: int) -> int:
    """Bytes of a full segment."""
    transport = scenario.to_dict()["flows"][0]["transport"]
    most = (
        scenario.explain()["links"][row]["mtu"] - _HEADERS - (_TIMESTAMPS if transport["timestamps"] else 0)
    )
    return int(min(transport["mss"] or most, most))


def kernel_arm(scenario: Scenario, flows: Sequence[Flow], controller: str, at: str | None) -> tuple[Arm, str]:
    """Run flows in the kernel; also returns the name of the link."""
    arm, _, link = _kernel_arm(scenario, flows, controller, at, {})
    return arm, link


def traced_kernel_arm(
    scenario: Scenario, flows: Sequence[Flow], controller: str, at: str | None, trace: Path
) -> tuple[Arm, float]:
    """Run flows in the kernel, and leave a trace: some 300 bytes for each event of a packet.

    Parameters
    ----------
    scenario, flows, controller, at
        As for :func:`kernel_arm`.
    trace
        The file to write.

    Returns
    -------
    tuple
        The figures, and time 0 of the flows in the time of the trace (s): see
        :func:`dumbbell.live.packets.real`.

    Raises
    ------
    DumbbellError
        Also if the trace is longer than a file may be.
    """
    arm, run, _ = _kernel_arm(scenario, flows, controller, at, {"json": trace})
    if run.emulation.untraced is not None:
        raise DumbbellError(run.emulation.untraced)
    return arm, run.origin - float(_native.emulated(scenario._native, at)["ahead"])


def _kernel_arm(
    scenario: Scenario, flows: Sequence[Flow], controller: str, at: str | None, traces: Mapping[str, Path]
) -> tuple[Arm, KernelRun, str]:
    run = run_kernel(
        scenario, flows, NAMES.get(controller, controller), at=at, period=_period(scenario), traces=traces
    )
    results, fidelity = run.emulation.results, run.emulation.fidelity
    about = _native.emulated(scenario._native, at)
    link = _Link.named(scenario, about["link"])
    seen = []
    for connection, flow in zip(run.connections, flows, strict=True):
        time = None if connection.completed is None else connection.completed - connection.start
        seen.append(
            FlowRun(
                connection.start, flow.size, time, link.goodput(connection.start, time, connection.delivered),
                connection.retransmissions, connection.timeouts, connection.window, connection.delivered,
            )
        )  # fmt: skip
    rtt = [values[times > link.warmup] for times, values in (c.rtt for c in run.connections)]
    # Links before the queue have delays.
    arm = _real_arm(link, results, fidelity, run.origin - about["ahead"], seen, rtt)
    return arm, run, about["link"]
