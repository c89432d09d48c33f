"""The attack: a Sobol sequence, CMA-ES from the worst network on, fresh seeds, shrinking."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dumbbell import Scenario, stats
from dumbbell._extras import require
from dumbbell.attack.errors import AttackError
from dumbbell.attack.mechanism import Mechanism, read_mechanism
from dumbbell.attack.network import (
    STUDY,
    Bound,
    Network,
    distance,
    place_of,
    settings_of,
    value_at,
)
from dumbbell.attack.property import Floats, Name, Property
from dumbbell.attack.recorded import FILE, record_link, recorded_settings
from dumbbell.judge.candidate import Candidate
from dumbbell.search.optimise import POPULATION, improve, sobol
from dumbbell.stats import Estimate
from dumbbell.study import Arm, Axis, Progress, Study, StudyError, run_study
from dumbbell.study.metric import possible

AXIS = "network"
"""The axis of networks in the studies that are run."""

CANDIDATE = "candidate"
"""The arm of the candidate."""

_SEARCH_SEEDS = (1,)
_CHECK_SEEDS = tuple(range(101, 107))
"""What decides while the network shrinks."""
_FINAL_SEEDS = range(1001, 1011)
"""What judges the shrunk network: the attack has not seen them."""

_SURE = 0.999
"""The level at which a step of shrinking counts: of many steps, few may be luck."""

_TRIED_AGAIN = 4
"""Of the worst networks, how many are tried at more seeds. choice: the first is mostly right."""

_HALVINGS = 3
"""Steps of shrinking between a value that breaks the property and the ordinary one. choice: an eighth."""

_DURATIONS = (("5s", "1s"), ("10s", "2s"))
"""Shorter runs that are tried, with their warm-up."""


@dataclass(frozen=True)
class Recorded:
    """The shrunk network with a recorded link instead of a rate and jitter."""

    link: str
    """The file of opportunities, in the format of Mahimahi."""
    scenario: str
    """The scenario that reads it, in TOML."""
    margin: Estimate
    """How far it keeps the property, at fresh seeds."""

    @property
    def broken(self) -> bool:
        """Whether the property is broken over the recorded link as well."""
        return _below(self.margin)


@dataclass(frozen=True)
class Attack:
    """What an attack found."""

    candidate: Candidate
    """Who was attacked."""
    wanted: Property
    """What should hold."""
    bounds: tuple[Bound, ...]
    """Of the networks that were tried."""
    tried: int
    """Networks that were run before anything was found, or all."""
    refused: int
    """Networks that make no valid scenario, such as a jitter longer than the delay."""
    empty: int
    """Networks in which a metric had no value."""
    worst: float
    """The least margin that was seen, from -1 to 1."""
    found: Network | None
    """The network that breaks it, as it was found; ``None`` if none does."""
    shrunk: Network | None
    """The same, shrunk."""
    steps: int
    """Networks that were run to shrink it."""
    margin: Estimate | None
    """How far the shrunk network keeps the property, at fresh seeds: its interval lies below 0."""
    levels: tuple[tuple[str, Estimate], ...]
    """What each name of the property is there, at fresh seeds."""
    scenario: str
    """The shrunk network as a scenario of the candidate, in TOML; empty if there is none."""
    needed: tuple[tuple[str, Estimate], ...] = ()
    """What of the shrunk network is not ordinary, and the margin with the ordinary value instead."""
    mechanism: Mechanism | None = None
    """Why it breaks, read off a trace."""
    recorded: Recorded | None = None
    """The shrunk network with a recorded link."""

    @property
    def broken(self) -> bool:
        """Whether a network breaks the property, at fresh seeds too."""
        return self.margin is not None and _below(self.margin)

    @property
    def distance(self) -> float:
        """How far the shrunk network lies from the nearest ordinary one; 0 without one."""
        return distance(self.bounds, self.shrunk) if self.shrunk else 0.0


def _below(margin: Estimate) -> bool:
    return margin.high is not None and margin.high < 0


def run_attack(
    candidate: Candidate,
    wanted: Property,
    bounds: Sequence[Bound],
    folder: str | os.PathLike[str],
    *,
    networks: int = 64,
    seed: int = 1,
    workers: int | None = None,
    memory: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    stage: Callable[[str, int, int], object] = lambda _what, _done, _total: None,
) -> Attack:
    """Search for a plausible network in which a controller breaks a property, and shrink it.

    Can be killed at any moment; finished runs are kept, and the same call goes on where it was.

    Parameters
    ----------
    candidate
        Who is attacked.
    wanted
        What should hold.
    bounds
        Of the networks.
    folder
        Where runs are kept; made if need be.
    networks
        How many of the Sobol sequence; as many again are tried from the worst on.
    seed
        Of the search.
    workers, memory, progress
        As in :func:`dumbbell.study.run_study`.
    stage
        Called before each part: what it is, how many networks were tried, and of how many.

    Raises
    ------
    AttackError
        If no network makes a valid scenario, or none gives a value.
    StudyError, FolderError
        As :func:`dumbbell.study.run_study`.
    MissingExtraError
        If scipy or cmaes is not installed.
    """
    for package in ("scipy", "cmaes"):
        require(package)

    told = iter((True,))

    def begin(done: Progress) -> None:
        # Only now is the folder known to be ours.
        if next(told, False):
            stage("networks tried", 0, 2 * networks)
        progress(done)

    def run(study: Study) -> Any:
        return run_study(study, Path(folder), workers=workers, memory=memory, progress=begin)

    return _Attacking(candidate, wanted, tuple(bounds), run, stage, networks, seed).whole()


class _Attacking:
    """An attack in progress."""

    def __init__(
        self,
        candidate: Candidate,
        wanted: Property,
        bounds: tuple[Bound, ...],
        run: Callable[[Study], Any],
        stage: Callable[[str, int, int], object],
        networks: int,
        seed: int,
    ) -> None:
        self._candidate, self._wanted, self._bounds = candidate, wanted, bounds
        self._run, self._stage, self._networks, self._seed = run, stage, networks, seed
        self._margins: dict[tuple[float, ...], float] = {}
        self._refused = self._empty = self._steps = 0
        own = Arm(CANDIDATE, candidate.name, (f"transport.controller={candidate.setting}",))
        names = (name.replace("_", "-") for name in wanted.controllers)
        others = (Arm(name, name, (f"transport.controller={name}",)) for name in names)
        used = {metric for _, metric in wanted.names}
        metrics = tuple(metric for metric in STUDY.metrics if metric.name in used)
        self._study = replace(STUDY, arms=(own, *others), metrics=metrics)

    def whole(self) -> Attack:
        """Attack."""
        count = self._networks
        places = sobol(len(self._bounds), count, self._seed)
        self._costs(places)
        if not self._margins:
            why = "the property has a value in none" if self._empty else "a jitter needs a longer delay"
            raise AttackError(f"none of {count} networks can be judged: {why}; widen a --bound")
        found = self._confirmed()
        if found is None:
            self._stage("networks tried", count, 2 * count)
            worst = self._ranked()[0]
            centre = np.array([place_of(b, v) for b, v in zip(self._bounds, worst, strict=True)])
            factors = [bound.factor for bound in self._bounds]
            improve(factors, centre, count // POPULATION, self._seed, self._costs)
            found = self._confirmed()
        tried, worst_margin = len(self._margins), min(self._margins.values())
        if found is None:
            return self._result(tried, worst_margin, None, [])
        self._stage("networks tried; now shrinking", tried, 2 * count)
        return self._result(tried, worst_margin, found, self._shrink(found))

    def _result(
        self, tried: int, worst: float, found: Network | None, trail: list[tuple[Network, Study]]
    ) -> Attack:
        """Return what was found: the smallest network that breaks the property at fresh seeds.

        Each look has seeds of its own and half the error of the one before, so that all have 5 % together.
        """
        attack = Attack(
            self._candidate, self._wanted, self._bounds, tried, self._refused, self._empty, worst, found,
            None, self._steps, None, (), "",
        )  # fmt: skip
        error = 1 - stats.CONFIDENCE
        for look, (network, study) in enumerate(reversed(trail)):
            error /= 2
            seeds = tuple(seed + look * len(_FINAL_SEEDS) for seed in _FINAL_SEEDS)
            (values,) = self._values(study, [settings_of(network)], seeds)
            margin = stats.mean(self._wanted.margin(values), 1 - error)
            if _below(margin):
                scenario = study.plan([*settings_of(network), *study.arms[0].settings, f"seed={seeds[0]}"])
                metric = next(name for controller, name in self._wanted.names if not controller)
                return replace(
                    attack,
                    shrunk=network,
                    margin=margin,
                    levels=self._levels(values),
                    scenario=scenario.to_toml(),
                    needed=self._needed(study, network, seeds),
                    mechanism=read_mechanism(scenario, network, metric),
                    recorded=self._recorded(study, network, scenario, seeds),
                )
        return attack

    def _needed(
        self, study: Study, network: Network, seeds: tuple[int, ...]
    ) -> tuple[tuple[str, Estimate], ...]:
        """Return the margin with one ordinary value at a time, for what is not ordinary."""
        needed = []
        for bound in self._bounds:
            ordinary = network | {bound.name: bound.rest}
            if network[bound.name] != bound.rest and self._is_valid(tuple(ordinary.values())):
                (values,) = self._values(study, [settings_of(ordinary)], seeds)
                margin = stats.mean(self._wanted.margin(values))
                was = bound.text(network[bound.name]).removeprefix(f"{bound.label} ")
                needed.append((f"{bound.text(bound.rest)} instead of {was}", margin))
        return tuple(needed)

    def _recorded(
        self, study: Study, network: Network, scenario: Scenario, seeds: tuple[int, ...]
    ) -> Recorded:
        """Return the network with a recorded link, and whether the property is broken there."""
        link = record_link(scenario, network["rate"])
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / FILE).write_text(link, encoding="utf-8")
            based = replace(study, base_dir=Path(folder))
            settings = (*settings_of(network), *recorded_settings(FILE))
            (values,) = self._values(based, [settings], seeds)
            own = based.plan([*settings, *study.arms[0].settings, f"seed={seeds[0]}"])
            return Recorded(link, own.to_toml(), stats.mean(self._wanted.margin(values)))

    def _levels(self, values: dict[Name, Floats]) -> tuple[tuple[str, Estimate], ...]:
        levels = []
        for (controller, name), made in values.items():
            metric = self._study.metric(name)
            unit = f" in {metric.unit}" if metric.unit else ""
            mean = stats.mean(made).within(*possible(metric))
            levels.append((f"{controller or self._candidate.name}: {metric.label}{unit}", mean))
        return tuple(levels)

    def _network(self, key: tuple[float, ...]) -> Network:
        return {bound.name: value for bound, value in zip(self._bounds, key, strict=True)}

    def _ranked(self) -> list[tuple[float, ...]]:
        return sorted(self._margins, key=lambda key: self._margins[key])

    def _costs(self, places: Floats) -> list[float]:
        """Try networks at places in the unit cube; return their margins, the largest for what has none."""
        keys = [
            tuple(value_at(bound, float(u)) for bound, u in zip(self._bounds, place, strict=True))
            for place in places
        ]
        new = [key for key in dict.fromkeys(keys) if key not in self._margins]
        valid = [key for key in new if self._is_valid(key)]
        self._refused += len(new) - len(valid)
        if valid:
            networks = [settings_of(self._network(key)) for key in valid]
            runs = self._values(self._study, networks, _SEARCH_SEEDS)
            for key, values in zip(valid, runs, strict=True):
                margin = float(np.mean(self._wanted.margin(values)))
                if np.isnan(margin):
                    self._empty += 1
                else:
                    self._margins[key] = margin
        return [self._margins.get(key, 1.0) for key in keys]

    def _is_valid(self, key: tuple[float, ...]) -> bool:
        network = self._network(key)
        try:
            self._study.plan([*settings_of(network), *self._study.arms[0].settings])
        except (StudyError, ValueError) as error:
            if "impairments" not in str(error):
                raise
            return False
        return True

    def _confirmed(self) -> Network | None:
        """Return the worst network that breaks the property at seeds that the search has not seen."""
        worst = [key for key in self._ranked()[:_TRIED_AGAIN] if self._margins[key] < 0]
        return next(
            (self._network(key) for key in worst if self._breaks(self._study, self._network(key))), None
        )

    def _breaks(self, study: Study, network: Network) -> bool:
        self._steps += 1
        (values,) = self._values(study, [settings_of(network)], _CHECK_SEEDS)
        return _below(stats.mean(self._wanted.margin(values), _SURE))

    def _shrink(self, network: Network) -> list[tuple[Network, Study]]:
        """Return ever smaller networks, each with the study that runs it.

        In the last every value is as ordinary as it can be, and runs are short.
        """
        study, changed, trail = self._study, True, [(network, self._study)]
        while changed:
            changed = False
            for bound in self._bounds:
                value = self._nearer(study, network, bound)
                if value != network[bound.name]:
                    network, changed = network | {bound.name: value}, True
                    trail.append((network, study))
            if study is self._study:
                study = self._shorter(network)
                if study is not self._study:
                    changed = True
                    trail.append((network, study))
        return trail

    def _nearer(self, study: Study, network: Network, bound: Bound) -> float:
        """Return the value nearest to the ordinary one at which the property is still broken."""
        now = network[bound.name]
        if now == bound.rest:
            return now
        best, end = place_of(bound, now), place_of(bound, bound.rest)
        trial = bound.rest
        for _ in range(_HALVINGS + 1):
            changed = network | {bound.name: trial}
            if trial == now or not self._is_valid(tuple(changed.values())):
                break
            if self._breaks(study, changed):
                now, best = trial, place_of(bound, trial)
                if trial == bound.rest:
                    break
            else:
                end = place_of(bound, trial)
            trial = value_at(bound, (best + end) / 2)
        return now

    def _shorter(self, network: Network) -> Study:
        """Return the study with the shortest runs in which the network still breaks the property."""
        for duration, warmup in _DURATIONS:
            scenario = self._study.scenario | {"duration": duration, "warmup": warmup}
            study = replace(self._study, scenario=scenario)
            if self._breaks(study, network):
                return study
        return self._study

    def _values(
        self, study: Study, networks: Sequence[tuple[str, ...]], seeds: tuple[int, ...]
    ) -> list[dict[Name, Floats]]:
        """Run networks by their settings; return the names of the property, shape (seeds,), for each."""
        axis = Axis(AXIS, AXIS, "", tuple(range(len(networks))), tuple(networks))
        result = self._run(replace(study, axes=(axis,), seeds=seeds))
        columns = {metric.name: result.matrix([metric.name])[:, 0] for metric in study.metrics}
        keys = zip(*(result.table[name].to_pylist() for name in ("arm", AXIS, "seed")), strict=True)
        rows = {key: row for row, key in enumerate(keys)}
        found = []
        for index in range(len(networks)):
            values = {}
            for controller, metric in self._wanted.names:
                arm = controller.replace("_", "-") or CANDIDATE
                values[controller, metric] = columns[metric][[rows[arm, index, seed] for seed in seeds]]
            found.append(values)
        return found
