"""Why a property is broken: what senders and the link did, read off a trace of the shrunk network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dumbbell import Scenario
from dumbbell._printing import significant
from dumbbell.attack.network import BOTTLENECK, NEAR

Columns: TypeAlias = "dict[str, NDArray[Any]]"
"""Columns of a table by name, shape (rows,)."""

_PACKETS = ("time", "event", "reason", "place", "flow", "forward", "packet", "bytes")
_SENDERS = ("time", "flow", "cwnd", "in_flight", "srtt", "rtt_min", "phase")

_BINS = 40
"""Parts of the measured time among which the worst is looked for. choice: a few round trips each."""

_SMALL = 0.9
"""A window below this share of the bandwidth-delay product does not fill the link. choice: a tenth less."""

_LARGE = 1.1
"""More than this times what fits does not fit. choice: a tenth more."""

_RARE = 0.001
"""Losses below this share are no cause. choice: RFC 7928 section 8.2.2 calls a share of 0.001 mild."""

_SILENT = 1000.0
"""A flow that sends nothing for longer has stopped, in ms. choice: RFC 6298 section 2: the first timeout."""

_HIGH = ("goodput", "least", "most", "utilisation", "fairness")
"""Metrics that are broken by being low."""


@dataclass(frozen=True)
class Facts:
    """What a trace says of one run, over the measured time."""

    window: float
    """Mean of the sum of congestion windows, in bandwidth-delay products of the path without a queue."""
    in_flight: float
    """Mean of what is outstanding, in the same unit."""
    wait: float
    """Mean time in the queue, in ms."""
    rtt_min: float
    """Smallest round-trip time that a sender has measured, in ms."""
    rtt_mean: float
    """Mean of smoothed round-trip times over time, in ms."""
    overflow: float
    """Share of packets that found no room."""
    random: float
    """Share of packets lost at random."""
    repairing: float
    """Share of the time in ``recovery`` and ``loss``; NaN if the controller has states of its own."""
    silence: float
    """Longest time without a packet of a flow, in ms."""
    near: float
    """Share of the data that left the bottleneck, of the flows from the nearer hosts."""

    def rows(self) -> list[tuple[str, str]]:
        """Return each with its label, for a table."""
        shares = [
            ("packets that found no room", self.overflow),
            ("packets lost at random", self.random),
            ("time spent on repairs", self.repairing),
        ]
        numbers = [
            ("mean window", self.window, "BDP"),
            ("mean in flight", self.in_flight, "BDP"),
            ("mean time in the queue", self.wait, "ms"),
            ("smallest round trip measured", self.rtt_min, "ms"),
            ("mean round trip measured", self.rtt_mean, "ms"),
            ("longest silence of a flow", self.silence, "ms"),
        ]
        rows = [(label, f"{significant(value, 3)} {unit}") for label, value, unit in numbers]
        rows += [(label, f"{significant(100 * share, 3)} %") for label, share in shares if np.isfinite(share)]
        return rows


@dataclass(frozen=True)
class Mechanism:
    """What was read off the trace."""

    names: tuple[str, ...]
    """Sentences with their numbers; empty if no rule fits."""
    facts: Facts
    """Of the candidate."""
    start: float
    """Where the part of the run begins in which the property is broken most, in s."""
    until: float
    """Where it ends."""


def read_mechanism(scenario: Scenario, network: Mapping[str, float], metric: str) -> Mechanism:
    """Run a shrunk network once, and return why a metric is what it is there.

    Parameters
    ----------
    scenario
        The network with the candidate.
    network
        The same by the names of bounds.
    metric
        Of the candidate, which the property names first.

    Raises
    ------
    DumbbellError
        If the run cannot be traced.
    """
    trace = scenario.trace(limit=None)
    packets: Columns = {name: trace.packets[name] for name in _PACKETS}
    senders: Columns = {name: trace.senders[name] for name in _SENDERS}
    begin = float(scenario.explain()["warmup"])
    link = packets["place"] == BOTTLENECK
    at = packets["time"]
    measured = link & (at >= begin)
    facts = _facts(packets, senders, measured, begin, network)
    start, until = _worst(packets, measured, begin, metric)
    return Mechanism(tuple(_names(facts, network, metric)), facts, start, until)


def _mean(times: NDArray[np.float64], values: NDArray[np.float64], end: float) -> float:
    """Return the mean over time of what holds from each time to the next."""
    known = np.isfinite(values)
    if not known.any():
        return float("nan")
    times, values = times[known], values[known]
    return float(np.average(values, weights=np.diff(np.append(times, max(end, times[-1] + 1e-9)))))


def _facts(
    packets: Columns,
    senders: Columns,
    measured: NDArray[np.bool_],
    begin: float,
    network: Mapping[str, float],
) -> Facts:
    event, at, flow = packets["event"], packets["time"], packets["flow"]
    end = float(at[-1])
    flows = np.unique(senders["flow"])
    bdp = network["rate"] * 1e6 / 8 * network["rtt"] * 1e-3
    windows, flights, rtts, repairing, least = [], [], [], [], []
    for number in flows:
        mine = (senders["flow"] == number) & (senders["time"] >= begin)
        if not mine.any():
            continue
        times = senders["time"][mine]
        windows.append(_mean(times, senders["cwnd"][mine], end) / bdp)
        flights.append(_mean(times, senders["in_flight"][mine].astype(np.float64), end) / bdp)
        rtts.append(1e3 * _mean(times, senders["srtt"][mine], end))
        least.append(1e3 * float(np.nanmin(senders["rtt_min"][mine])))
        phase = senders["phase"][mine]
        general = np.isin(phase, ("slow-start", "congestion-avoidance", "recovery", "loss")).all()
        repairs = np.isin(phase, ("recovery", "loss")).astype(np.float64)
        repairing.append(_mean(times, repairs, end) if general else float("nan"))
    arrived = int((measured & (event == "arrived")).sum())
    reason = packets["reason"]
    data = measured & packets["forward"] & (event == "left")
    close = np.unique(flow[(event == "sent") & (packets["place"] == NEAR)])
    near = float(packets["bytes"][data & np.isin(flow, close)].sum())
    return Facts(
        window=float(np.sum(windows)),
        in_flight=float(np.sum(flights)),
        wait=_wait(packets, measured),
        rtt_min=float(np.min(least, initial=np.inf)),
        rtt_mean=float(np.mean(rtts)),
        overflow=float((measured & (reason == "overflow")).sum()) / max(arrived, 1),
        random=float((measured & (reason == "random-loss")).sum()) / max(arrived, 1),
        repairing=float(np.mean(repairing)),
        silence=max((_silence(at[data & (flow == number)], begin, end) for number in flows), default=0.0),
        near=near / max(float(packets["bytes"][data].sum()), 1.0),
    )


def _wait(packets: Columns, measured: NDArray[np.bool_]) -> float:
    """Return the mean time from the arrival at the bottleneck to the end of transmission, in ms."""
    event, at, number = packets["event"], packets["time"], packets["packet"]
    came, went = measured & (event == "arrived"), measured & (event == "left")
    order = np.argsort(number[came], kind="stable")
    known = number[came][order]
    place = np.searchsorted(known, number[went])
    place = np.minimum(place, max(len(known) - 1, 0))
    if not len(known):
        return float("nan")
    both = known[place] == number[went]
    stays = at[went][both] - at[came][order][place[both]]
    return 1e3 * float(stays.mean()) if len(stays) else float("nan")


def _silence(times: NDArray[np.float64], begin: float, end: float) -> float:
    return 1e3 * float(np.diff(np.concatenate([[begin], times, [end]])).max())


def _worst(packets: Columns, measured: NDArray[np.bool_], begin: float, metric: str) -> tuple[float, float]:
    """Return the part of the measured time in which the metric is worst."""
    event, at = packets["event"], packets["time"]
    edges = np.linspace(begin, float(at[-1]), _BINS + 1)
    chosen = measured & (packets["forward"])
    if metric in _HIGH:
        counted = chosen & (event == "left")
        badness = -np.histogram(at[counted], edges, weights=packets["bytes"][counted])[0]
    elif metric == "loss":
        badness = np.histogram(at[chosen & (event == "dropped")], edges)[0]
    else:
        came = np.histogram(at[chosen & (event == "arrived")], edges)[0]
        gone = np.histogram(at[chosen & np.isin(event, ("left", "dropped"))], edges)[0]
        badness = np.cumsum(came - gone)
    worst = int(np.argmax(badness))
    return float(edges[worst]), float(edges[worst + 1])


def _names(facts: Facts, network: Mapping[str, float], metric: str) -> list[str]:
    """Return what the facts amount to, each with its numbers."""
    low = metric in _HIGH and facts.window < _SMALL
    names = []
    if low:
        names.append(_small_window(facts, network))
    if metric == "loss" and facts.overflow > facts.random:
        names.append(_overflow(facts, network))
    if metric == "wait":
        names.append(
            f"it keeps a queue: {_short(facts.in_flight)} BDP in flight, {_ms(facts.wait)} in the queue"
        )
    if metric in ("fairness", "least") and network["ratio"] > _LARGE and 0.5 < facts.near < 1:
        near, far = network["rtt"], network["rtt"] * network["ratio"]
        times = _short(facts.near / (1 - facts.near))
        names.append(
            f"it shares by round-trip time: the flows of {_ms(near)} have {times} times what those of "
            f"{_ms(far)} have"
        )
    if facts.silence > _SILENT:
        names.append(f"a flow is silent for {_ms(facts.silence)}, as between retransmission timeouts")
    return names


def _small_window(facts: Facts, network: Mapping[str, float]) -> str:
    """Return why the window does not fill the path."""
    window = f"its window is {_short(facts.window)} BDP"
    if max(facts.overflow, facts.random) >= _RARE:
        lost = f"{_percent(facts.random)} lost at random, {_percent(facts.overflow)} without room"
        if facts.random > facts.overflow:
            return f"it answers random losses as congestion: {lost}; {window}"
        return f"it answers losses of a buffer of {_short(network['buffer'])} BDP: {lost}; {window}"
    standing = facts.rtt_mean - facts.rtt_min
    if standing > 2 * facts.wait:
        return (
            f"it takes jitter for a queue: round trips are {_ms(standing)} above the smallest, of which "
            f"{_ms(facts.wait)} are the queue; {window}, and next to nothing is lost"
        )
    return f"it keeps its window small without losses: {window}, with {_ms(facts.wait)} in the queue"


def _overflow(facts: Facts, network: Mapping[str, float]) -> str:
    """Return why packets find no room."""
    hold = 1 + network["buffer"]
    windows = f"windows of {_short(facts.window)} BDP"
    if facts.window > _LARGE * hold:
        return f"it wants more in flight than fits: {windows} over a path and a buffer of {_short(hold)} BDP"
    return f"the buffer overflows: {_percent(facts.overflow)} find no room, with {windows}"


def _short(value: float) -> str:
    return significant(value, 2)


def _ms(value: float) -> str:
    return f"{_short(value)} ms"


def _percent(share: float) -> str:
    return f"{_short(100 * share)} %"
