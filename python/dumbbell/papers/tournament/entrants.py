"""Who takes part: every registered controller and queue that one flow of one class can use."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TypeAlias

from dumbbell import _native
from dumbbell._scenario import Scenario
from dumbbell.errors import ScenarioError
from dumbbell.study import Arm, Axis, Study

_STEP = 0.2
"""Seconds from one rate of the cellular link to the next."""
_SECONDS = 20.0
"""Of a run."""
_WALK = 200.0
"""Packets per second, per root of a second: how far the rate walks (Winstein et al. 2013, section 3.1)."""
_RANGE = (50.0, 1000.0)
"""Packets per second."""
_PACKET = 1500 * 8
"""Bits."""


Entrants: TypeAlias = "tuple[dict[str, tuple[str, ...]], dict[str, str]]"
"""The settings of those who take part, and why the others do not, by name."""


def cellular() -> str:
    """Return the setting that makes the rate of the bottleneck walk: the same walk in every run."""
    rng = random.Random(1)
    low, high = _RANGE
    rate, changes = 500.0, []
    for step in range(1, round(_SECONDS / _STEP)):
        rate = min(max(rate + rng.gauss(0.0, _WALK * _STEP**0.5), low), high)
        changes.append(
            f"{{ at = '{1000 * _STEP * step:.0f}ms', rate = '{rate * _PACKET / 1000:.0f}kbit/s' }}"
        )
    return f"topology.bottleneck.rate_changes=[{', '.join(changes)}]"


def _refusal(study: Study, settings: tuple[str, ...]) -> str:
    """Return why the scenario cannot run with these settings; empty if it can."""
    try:
        Scenario.from_dict(study.scenario, settings, study.base_dir)
    except ScenarioError as error:
        return str(error)
    return ""


def _members(family: str) -> list[str]:
    return [name for name, _, _ in dict(_native.algorithms())[family]]


def _playing(study: Study, tried: dict[str, list[tuple[str, ...]]], plain: int) -> Entrants:
    """Return for each name the first settings that can run; without any, why the plain ones cannot."""
    playing, left_out = {}, {}
    for name, candidates in tried.items():
        refusals = [_refusal(study, settings) for settings in candidates]
        if "" in refusals:
            playing[name] = candidates[refusals.index("")]
        else:
            left_out[name] = refusals[plain]
    return playing, left_out


def queues(study: Study) -> Entrants:
    """Return the settings of each queue that takes part, and why the others do not.

    A queue takes part if it has a limit, which the link sets. Thresholds in multiples of the buffer replace
    defaults that may lie beyond it.
    """
    thresholds = "min_threshold = '0.25bdp', max_threshold = '0.75bdp', "
    tried: dict[str, list[tuple[str, ...]]] = {
        name: [
            (f"topology.bottleneck.queue={{ kind = '{name}', {more}limit = '1bdp' }}",)
            for more in (thresholds, "")
        ]
        for name in _members("queue")
    }
    return _playing(study, tried, -1)


def controllers(study: Study) -> Entrants:
    """Return the settings of each controller that takes part, and why the others do not.

    A controller that asks routers gets the first router that answers it.
    """
    routers = [f"topology.bottleneck.router={name}" for name in _members("router")]
    tried: dict[str, list[tuple[str, ...]]] = {}
    for name in _members("controller"):
        own = f"transport.controller={name}"
        tried[name] = [(own,), *((own, router) for router in routers)]
    return _playing(study, tried, 0)


def with_all(study: Study) -> Study:
    """Return the study with every queue on its axis, and every controller as an arm: CUBIC, then by name."""
    of_controllers, _ = controllers(study)
    of_queues, _ = queues(study)
    first = study.arms[0]
    arms = (
        Arm(name, name, settings) for name, settings in sorted(of_controllers.items()) if name != first.name
    )
    link = study.axis("link")
    walks = tuple(
        (*settings, cellular()) if value == "cellular" else settings
        for value, settings in zip(link.values, link.settings, strict=True)
    )
    axes = {
        "queue": Axis("queue", "queue", "", tuple(of_queues), tuple(of_queues.values())),
        "link": replace(link, settings=walks),
    }
    return replace(
        study,
        arms=(first, *arms),
        axes=tuple(axes.get(axis.name, axis) for axis in study.axes),
    )


GROWN = (with_all,)
