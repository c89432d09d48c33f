"""The further studies, by the numbers of README.md.

S1 to S5 are those that the paper's conclusion asks for; S6 asks which of its claims survive other readings,
senders and queues; S7 compares with other policies and with the optimum. Metrics and arms are the paper's
unless a study says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell import Scenario, ScenarioError, _native
from dumbbell.claims import Claim, Difference, Level, Monotone, Order, Ratio
from dumbbell.papers import Companion
from dumbbell.papers.capacity_scaling import advice, offline, policies, readings
from dumbbell.papers.capacity_scaling.claims import A7_TCPONLY, claims_of
from dumbbell.papers.capacity_scaling.derived import DERIVED
from dumbbell.papers.capacity_scaling.figures import figures_of
from dumbbell.papers.capacity_scaling.index import FITTED as INDEX
from dumbbell.papers.capacity_scaling.plots import PLOTS
from dumbbell.papers.capacity_scaling.tables import SUPPORT
from dumbbell.papers.capacity_scaling.together import TABLES
from dumbbell.report import FigureSpec, IndexRow, TableSpec
from dumbbell.study import AT_LEAST_ZERO, Arm, Axis, Metric, Study

if TYPE_CHECKING:
    from dumbbell import Results

_P = "Panarello et al., e-Energy 2012, section 4"
_POWER = "topology.bottleneck.power"
_POLICY = f"{_POWER}.policy"
_QUEUE = "topology.bottleneck.queue"
_LOADS = (0.2, 0.5, 0.8)
_SEEDS = 10


def _axis(name: str, label: str, unit: str, values: Sequence[Any], *templates: str) -> Axis:
    settings = tuple(tuple(text.replace("{value}", str(value)) for text in templates) for value in values)
    return Axis(name, label, unit, tuple(values), settings)


def _along(
    title: str, question: str, *axes: Axis, arms: Sequence[str | Arm] = ("tcponly", "tcp-pc", "tcp-pc-n08")
) -> Callable[[Study], Study]:  # fmt: skip
    """A study along further axes at three loads."""

    def study(paper: Study) -> Study:
        return replace(
            paper,
            title=title,
            question=question,
            axes=(*axes, paper.axis("load").keeping(_LOADS)),
            arms=tuple(paper.arm(arm) if isinstance(arm, str) else arm for arm in arms),
            seeds=paper.seeds[:_SEEDS],
        )

    return study


_TITLES = {
    "loss": "Loss at N1",
    "transitions": "Rate transitions",
    "fct": "Mean completion time",
    "slowdown": "Mean completion time over that of TCPonly",
    "saving-fs-0": "Energy saving, FS, no static power",
    "paused": "Time in pauses",
    "memory": "Memory of the rate",
    "net-time-fs-0": "ES - QoS_D, completion time, FS, no static power",
}


def _figures(axis: str, metrics: Sequence[str], **at: float) -> tuple[FigureSpec, ...]:
    return tuple(
        FigureSpec(
            f"{metric}-{100 * load:.0f}", f"{_TITLES[metric]} at load {load}", axis, metric,
            ("tcp-pc",) if metric == "slowdown" else (), at={"load": load, **at},
        )
        for metric in metrics
        for load in _LOADS
    )  # fmt: skip


def _rate_memory(results: Results) -> float:
    """Return the time (s) in which the autocorrelation of the configured rate falls below 1/e."""
    ((times, rates),) = results.series("rate").values()
    counted = rates[times >= float(results.runs["warmup"][0])]
    part = counted - counted.mean()
    if not part.any():
        return float("nan")
    # By FFT of twice the length, so that the ends do not meet.
    power = np.abs(np.fft.rfft(part, 2 * part.size)) ** 2
    correlation = np.fft.irfft(power)[: part.size]
    below = np.flatnonzero(correlation < correlation[0] / np.e)
    return float(below[0] * (times[1] - times[0])) if below.size else float("nan")


def _delay(paper: Study) -> Study:
    study = _along(
        "S1: the delay constraint",
        "What does the delay constraint d trade, and does the rate oscillate?",
        _axis("delay", "delay constraint", "ms", _DELAY, f"{_POLICY}.delay={{value}}ms"),
    )(paper)
    record = {"samples": True, "queues": ["left->right"], "period": "4ms"}
    memory = Metric(
        "memory", "memory of the rate: autocorrelation above 1/e", "s", _rate_memory, possible=AT_LEAST_ZERO
    )
    return replace(study, scenario={**study.scenario, "record": record}, metrics=(*study.metrics, memory))


_WHOLE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Loads of the whole study again, under another reading."""

_ARMS = ("tcponly", "tcp-pc", "udp-pc")


def _again(paper: Study) -> Study:
    """The study of the paper at fewer loads, with the arms that it names."""
    return replace(
        paper,
        axes=(paper.axis("load").keeping(_WHOLE),),
        arms=tuple(paper.arm(name) for name in _ARMS),
        # Others than those of `readings`.
        seeds=paper.seeds[readings.SEEDS :][:_SEEDS],
    )


def _fitted(paper: Study) -> Study:
    """The buffer under which most claims come out together, at other seeds than it was chosen by."""
    study = _again(paper)
    topology = paper.scenario["topology"]
    queue = {"kind": "droptail", "limit": f"{_FITTED}pkt"}
    bottleneck = {**topology["bottleneck"], "queue": queue, "reverse": {"queue": queue}}
    return replace(
        study,
        title="TCP against link capacity scaling, with a buffer fitted to the paper",
        question="Which claims come out where the buffer holds less than the rule for a step up asks for?",
        scenario={**paper.scenario, "topology": {**topology, "bottleneck": bottleneck}},
        seeds=_FRESH,
        metrics=(*study.metrics, *readings.METRICS),
    )


def _twice(paper: Study) -> Study:
    """The reading under which scaling doubles completion times at every load."""
    study = _again(paper)
    settings = (*readings.limits(22), "topology.access.delay=3.75ms", f"{_POLICY}.backlog=waiting")
    return replace(
        study,
        title="TCP against link capacity scaling, 25 ms there and back without queues",
        question="Which claims come out where scaling doubles completion times at every load?",
        arms=tuple(replace(arm, settings=(*settings, *arm.settings)) for arm in study.arms),
        seeds=_FRESH[:_SEEDS],
        metrics=(*study.metrics, *readings.METRICS),
    )


def _ns2(paper: Study) -> Study:
    return replace(
        _again(paper),
        title="TCP against link capacity scaling, with the TCP of ns-2",
        question="Which verdicts hang on what is left open of the TCP of 2012?",
        scenario={**paper.scenario, "transport": {"kind": "tcp", "profile": "ns2"}},
    )


def _accepted(family: str, settings: Callable[[str], Sequence[tuple[str, ...]]]) -> Callable[[Study], Axis]:
    """Return an axis of the registered members of a family, each with settings that the scenario takes."""

    def axis(paper: Study) -> Axis:
        found: dict[str, tuple[str, ...]] = {}
        # Names alone: with all parameters, the registry takes half a second to make.
        for name, _, _ in dict(_native.algorithms())[family]:
            for choice in settings(name):
                try:
                    Scenario.from_dict(paper.scenario, [*choice, "workloads[0].load=0.5"], paper.base_dir)
                except ScenarioError:
                    continue
                found[name] = choice
                break
        return Axis(family, family, "", tuple(found), tuple(found.values()))

    return axis


def _over(title: str, question: str, axis: Callable[[Study], Axis]) -> Callable[[Study], Study]:
    return lambda paper: _along(title, question, axis(paper), arms=("tcponly", "tcp-pc", "udp-pc"))(paper)


_MARKING = {"dctcp": (f"{_QUEUE}={{ kind = 'threshold', threshold = '6pkt', limit = '42pkt' }}",)}
"""What a controller needs of the queue: DCTCP marks, above a seventh of 42 packets (RFC 8257 section 4.1)."""


def _survivors() -> tuple[Claim, ...]:
    """The claims of the paper that are about order, at every value of another axis."""
    ids = ("A1", "A2-fs", "A4", "A6", "A8")
    at_low = {"load": 0.2}
    rules = {
        "A2-fs": Order(("udp-pc", "tcp-pc"), at_low),
        "A4": Order(("tcp-pc", "udp-pc"), at_low),
    }
    return tuple(
        replace(claim, rule=rules.get(claim.id, claim.rule))
        for claim in claims_of("tcp-pc", "udp-pc")
        if claim.id in ids
    )


_DELAY = (5, 10, 20, 40, 80)
_GUARD = (4, 8, 16, 32, 64, 128)
_BDP = {0.1: 4, 0.224: 9, 0.25: 10, 0.5: 21, 1: 42, 2: 83, 5: 208}
"""Buffers in bandwidth-delay products and in packets of 1500 B; 0.224 is one over the root of twenty."""

_FITTED = 24
"""Packets of the fitted buffer: 29.5 kB, as a packet has 1230 B on average."""

_FRESH = tuple(range(4401, 4421))
"""Seeds that nobody had looked at when the buffer was chosen, nor, from 4201 on, the definitions."""

_STEPS = ("multi-up", "multi-both")


def _whole(
    name: str,
    make: Callable[[Study], Study],
    tables: tuple[TableSpec, ...] = (),
    index: tuple[IndexRow, ...] = (),
) -> Companion:
    """Return the whole study under another reading."""
    claims = (*claims_of("tcp-pc", "udp-pc"), A7_TCPONLY)
    return Companion(
        name, make, {"seeds": 3}, figures_of(_ARMS), claims, DERIVED,
        tables=(SUPPORT, *tables), plots=PLOTS, index=index,
    )  # fmt: skip


STUDIES = (
    Companion(
        "delay",
        _delay,
        {"seeds": 3},
        _figures("delay", ("loss", "transitions", "slowdown", "saving-fs-0", "memory")),
        (
            Claim(
                "A14-loss", "A larger d means more loss.", _P, "loss",
                Monotone("delay", "tcp-pc", "rises"),
            ),
            Claim(
                "A14-transitions", "A smaller d means more transitions.", _P, "transitions",
                Monotone("delay", "tcp-pc", "falls"),
            ),
        ),
        DERIVED,
        sources={
            "record.samples": "choice: the rate over time",
            "record.queues": "choice: the rate of the bottleneck",
            "record.period": "choice: a quarter of the guard",
        },
    ),
    Companion(
        "guard",
        _along(
            "S2: the time between transitions", "What do the guard and the pause trade?",
            _axis("guard", "least time between transitions", "ms", _GUARD, f"{_POWER}.guard={{value}}ms"),
            _axis("pause", "pause", "ms", (0.1, 1, 2, 4), f"{_POWER}.pause={{value}}ms"),
            arms=("tcponly", "tcp-pc"),
        ),
        {"seeds": 3, "axes": {"pause": [2]}},
        _figures("guard", ("transitions", "paused", "loss", "slowdown", "saving-fs-0"), pause=2),
        (
            Claim(
                "A15-transitions", "A longer guard means fewer transitions.", _P, "transitions",
                Monotone("guard", "tcp-pc", "falls", {"pause": 2}),
            ),
            Claim(
                "A15-tracking", "A longer guard means slower tracking: more loss.", _P, "loss",
                Monotone("guard", "tcp-pc", "rises", {"pause": 2}),
            ),
        ),
        DERIVED,
    ),
    Companion(
        "levels",
        _along(
            "S3: the grid of rates", "How many rates does a link need?",
            _axis("levels", "equal steps", "", (2, 4, 10, 20, 100), f"{_POWER}.rates.levels={{value}}"),
            arms=(
                "tcponly",
                "tcp-pc",
                Arm(
                    "tcp-pc-doubling", "TCP+PC, five rates that double",
                    (f"{_POLICY}.kind=practra", f"{_POWER}.rates={{levels = 5, spacing = 'exponential'}}"),
                ),
            ),
        ),
        {"seeds": 3},
        _figures("levels", ("saving-fs-0", "slowdown", "transitions", "loss")),
        (
            Claim(
                "S3-doubling", "Five rates that double save as much as ten equal steps, within five points.",
                _P, "saving-fs-0", Difference("tcp-pc-doubling", "tcp-pc", -5, 5, {"levels": 10}),
            ),
            Claim(
                "S3-transitions", "Finer grids make more transitions.", _P, "transitions",
                Monotone("levels", "tcp-pc", "rises"),
            ),
        ),
        DERIVED,
    ),
    Companion(
        "buffer",
        _along(
            "S4: the buffer", "How large must the buffer of an adaptive link be?",
            Axis(
                "buffer", "buffer", "BDP", tuple(map(float, _BDP)),
                tuple((f"{_QUEUE}.limit={packets}pkt",) for packets in _BDP.values()),
            ),
        ),
        {"seeds": 3},
        _figures("buffer", ("loss", "fct", "slowdown", "saving-fs-0")),
        (
            Claim(
                "S4-small",
                "At load 0.8 a buffer of one BDP over the root of the twenty sources suffices: completion "
                "takes less than twice as long as under TCPonly.",
                _P, "slowdown", Level("tcp-pc", high=2, at={"buffer": 0.224, "load": 0.8}),
            ),
            Claim(
                "S4-large", "From one BDP on, completion takes at most half as long again as under TCPonly.",
                _P, "slowdown", Level("tcp-pc", high=1.5, at={"buffer": (1.0, 2.0, 5.0)}),
            ),
        ),
        DERIVED,
    ),
    Companion(
        "steps",
        _along(
            "S5: steps over several rates", "Do moves over several rates repair the coupling?",
            arms=("tcponly", "tcp-pc", *(Arm(n, f"TCP+{n}", (f"{_POLICY}.kind={n}",)) for n in _STEPS)),
        ),
        {"seeds": 3},
        tuple(
            FigureSpec(metric, title, "load", metric, ("tcp-pc", *_STEPS))
            for metric, title in _TITLES.items()
            if metric != "memory"
        ),
        (
            Claim(
                "A16-fast", "Steps up over several rates react faster: less loss than by single steps.", _P,
                "loss", Order(("multi-up", "tcp-pc")),
            ),
            Claim(
                "A16-time", "They shorten completion times.", _P, "fct", Order(("multi-up", "tcp-pc")),
            ),
            Claim(
                "A16-transitions", "They make no more transitions.", _P, "transitions",
                Difference("multi-up", "tcp-pc", high=0),
            ),
        ),
        DERIVED,
    ),
    readings.COMPANION,
    _whole("fitted", _fitted, TABLES, INDEX),
    _whole("twice", _twice, TABLES),
    _whole("ns2", _ns2),
    Companion(
        "senders",
        _over(
            "S6: other senders", "Which claims survive other congestion controllers?",
            _accepted("controller", lambda name: [(f"transport.controller={name}", *_MARKING.get(name, ()))]),
        ),
        {"seeds": 3},
        _figures("controller", ("loss", "slowdown", "saving-fs-0", "transitions")),
        _survivors(),
        DERIVED,
    ),
    Companion(
        "queues",
        _over(
            "S6: other queues at N1", "Which claims survive other queue disciplines?",
            _accepted(
                "queue",
                lambda name: [(f"{_QUEUE}={name}", f"{_QUEUE}.limit=42pkt"), (f"{_QUEUE}={name}",)],
            ),
        ),
        {"seeds": 3},
        _figures("queue", ("loss", "slowdown", "saving-fs-0", "transitions")),
        _survivors(),
        DERIVED,
    ),
    Companion(
        "predictor",
        _along(
            "S6: the memory of the predictor", "Does the prediction matter, and to which down rule?",
            _axis(
                "tau", "time constant of the prediction", "ms", (5, 10, 20, 40, 80, 160),
                f"{_POLICY}.predictor.kind=ewma-tau", f"{_POLICY}.predictor.tau={{value}}ms",
            ),
        ),
        {"seeds": 3},
        _figures("tau", ("transitions", "slowdown", "saving-fs-0")),
        (
            Claim(
                "S6-N08", "With a memory of 160 ms the down rule of N08 makes a tenth fewer transitions.",
                "our question", "transitions",
                Ratio("tcp-pc-n08", "tcp-pc", high=0.9, at={"tau": 160}),
            ),
            Claim(
                "S6-hunt", "With a memory of 5 ms the two down rules differ by less than a tenth.",
                "our question", "transitions", Ratio("tcp-pc-n08", "tcp-pc", 0.9, 1.1, {"tau": 5}),
            ),
        ),
        DERIVED,
    ),
    policies.COMPANION,
    offline.COMPANION,
    advice.COMPANION,
)  # fmt: skip
