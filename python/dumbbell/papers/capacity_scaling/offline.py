"""The optimum for arrivals known in advance, to compare with: optimal rates and the longest sleep.

The bounds hold for the packets that arrived in the same run and the longest delay of one of them. Nothing is
lost, and the last flows end before the run does, so that each controller has met that delay for all of them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell import energy, theory
from dumbbell.claims import Claim, Level
from dumbbell.papers import Companion
from dumbbell.report import FigureSpec
from dumbbell.study import AT_LEAST_ZERO, Arm, Metric, Study

if TYPE_CHECKING:
    from dumbbell import Results

_LINK = "left->right"
_TOP = 1e7
_LEVELS = np.arange(1, 11) * 1e6
_POLICY = "topology.bottleneck.power.policy"
_REPLAY = ("replay.link=left->right", "replay.set=['topology.bottleneck.power.policy=fixed']")


def _of_link(results: Results, column: str) -> float:
    return float(results.links[column][results.links.where("link", _LINK)][0])


def _schedule_energy(results: Results, discrete: bool) -> float:
    """Energy of the optimal schedule (DVS, no static power), s at full power; not-a-number after losses."""
    arrivals = results.arrivals
    if _of_link(results, "dropped") or not len(arrivals):
        return math.nan
    # A nanosecond for the rounding of times.
    delay = _of_link(results, "sojourn_max") + 1e-9
    best = theory.optimal_rates(arrivals["time"], arrivals["size"], delay)

    def power(rates: Any) -> Any:
        x = rates / _TOP
        return np.where(x >= 0.5, x**3, x / 4)

    horizon = max(float(results.runs["duration"][0]), best.times[-1])
    return best.energy(theory.time_shared(_LEVELS, power(_LEVELS)) if discrete else power, horizon)


def _over_optimum(results: Results) -> float:
    return energy(results, model={"scaling": "dvs"}, link=_LINK) / _schedule_energy(results, False)


def _over_levels(results: Results) -> float:
    return energy(results, model={"scaling": "dvs"}, link=_LINK) / _schedule_energy(results, True)


def _possible(results: Results) -> float:
    return 100 * (1 - _schedule_energy(results, True) / float(results.runs["duration"][0]))


def _of_longest_sleep(results: Results) -> float:
    arrivals, states = results.arrivals, results.states
    if _of_link(results, "dropped") or not len(arrivals):
        return math.nan
    asleep = float(states["time"][states["state"] == "sleep"].sum())
    horizon = float(results.runs["duration"][0])
    delay = _of_link(results, "sojourn_max") + 1e-9
    return 100 * asleep / theory.longest_sleep(arrivals["time"], arrivals["size"], _TOP, delay, 1e-3, horizon)


METRICS = (
    Metric(
        "over-optimum",
        "energy over that of the optimal schedule (DVS)",
        "",
        _over_optimum,
        "lower",
        possible=AT_LEAST_ZERO,
    ),
    Metric(
        "over-levels",
        "energy over that of the optimum with ten rates (DVS)",
        "",
        _over_levels,
        "lower",
        possible=AT_LEAST_ZERO,
    ),
    Metric(
        "possible", "saving that the optimum with ten rates makes (DVS)", "%", _possible, possible=(0, 100)
    ),
    Metric(
        "of-longest-sleep",
        "time asleep, of the most that is possible",
        "%",
        _of_longest_sleep,
        "higher",
        # That it is 100 at most is what the claims test.
        possible=AT_LEAST_ZERO,
    ),
)

_RATES = ("tcp-pc", "tcp-pc-n08", "udp-pc", "multi-up", "multi-both", "alr")


def _study(paper: Study) -> Study:
    scenario: dict[str, Any] = {**paper.scenario, "duration": "90s", "warmup": "0s"}
    scenario["workloads"] = [{**paper.scenario["workloads"][0], "stop": "60s"}]
    scenario["record"] = {**paper.scenario["record"], "arrivals": [_LINK]}
    topology = paper.scenario["topology"]
    port = {**topology["bottleneck"], "queue": {"kind": "droptail", "limit": "unlimited"}}
    scenario["topology"] = {**topology, "bottleneck": port}
    arms = (
        *(paper.arm(name) for name in ("tcp-pc", "tcp-pc-n08", "udp-pc")),
        *(
            Arm(name, f"TCP+{name}", (f"{_POLICY}.kind={name}",))
            for name in ("multi-up", "multi-both", "alr")
        ),
        paper.arm("tcp-sleep"),
        Arm("udp-sleep", "UDP+sleep", (f"{_POLICY}.kind=buffer-and-burst", *_REPLAY)),
    )
    metrics = tuple(paper.metric(name) for name in ("saving-dvs-0", "asleep", "loss", "transitions"))
    return replace(
        paper,
        title="Rate adaptation and sleep against what is possible",
        question="How much of the saving of an oracle with the same longest delay do the policies make?",
        scenario=scenario,
        axes=(paper.axis("load").keeping((0.1, 0.3, 0.5, 0.7)),),
        arms=arms,
        metrics=(*metrics, *METRICS),
        seeds=paper.seeds[:10],
    )


COMPANION = Companion(
    "offline",
    _study,
    {"seeds": 3},
    (
        FigureSpec(
            "over-optimum", "Energy over that of the optimal schedule", "load", "over-optimum", _RATES,
            answers=True,
        ),
        FigureSpec(
            "over-levels", "Energy over that of the optimum with ten rates", "load", "over-levels", _RATES,
        ),
        FigureSpec("saving", "Saving (DVS)", "load", "saving-dvs-0", _RATES),
        FigureSpec("possible", "Saving that is possible at the delay of each", "load", "possible", _RATES),
        FigureSpec(
            "sleep", "Time asleep, of the most possible at the same delay", "load", "of-longest-sleep",
            ("tcp-sleep", "udp-sleep"), answers=True,
        ),
    ),
    (
        *(
            Claim(
                f"optimum-{arm}", f"The optimal schedule takes no more energy than {arm} at the same delay.",
                "dumbbell.theory.optimal_rates: a bound", "over-levels", Level(arm, low=1),
            )
            for arm in _RATES
        ),
        *(
            Claim(
                f"longest-{arm}", f"{arm} sleeps no more than is possible at the same delay.",
                "dumbbell.theory.longest_sleep: a bound", "of-longest-sleep", Level(arm, high=100),
            )
            for arm in ("tcp-sleep", "udp-sleep")
        ),
        Claim(
            "near-optimum", "Rate adaptation takes at most a quarter more energy than the optimum (DVS).",
            "Nedevschi et al., NSDI 2008, abstract: practical algorithms are close to the optimum",
            "over-levels", Level("tcp-pc", high=1.25),
        ),
    ),
    sources={
        "duration": "choice: the optimum takes long for more packets",
        "warmup": "choice: the bounds are of whole runs",
        "workloads[0].stop": "choice: the last flows end before the run",
        "topology.bottleneck.queue": "choice: bounds are of runs without loss",
        "record.arrivals": "choice: the bounds are computed from them",
    },
)  # fmt: skip
