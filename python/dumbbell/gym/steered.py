"""Runs whose flows are steered from outside, as arrays: what environments consist of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dumbbell import Scenario, _native
from dumbbell._laws import law_name
from dumbbell._memory import limit_of_run
from dumbbell.errors import DumbbellError
from dumbbell.gym.errors import GymError
from dumbbell.gym.signals import COUNTED, SIGNALS, STANDING, Floats

Reward: TypeAlias = "Callable[[Mapping[str, Floats]], Any]"
"""From all signals by name, each of shape (runs, flows), a number for each run or for each flow of each."""

ACTIONS = {
    "window": (1.0, 1e5, "the window in segments"),
    "rate": (0.001, 1e5, "the rate in Mbit/s"),
    "factor": (-1.0, 1.0, "the window times four to this power (Orca, SIGCOMM 2020, section 4)"),
}
"""What a policy may decide: the least, the largest, and its meaning."""

_FRESH = {"window": 1, "factor": 2, "rate": 3}
"""What a law reads in its field `fresh`."""
_KEEP = np.iinfo(np.int64).min
_LAW = Path(__file__).parent / "laws.py"
_BYTES = 1 << 20
"""Units of a rate in a byte a second."""
_FIRST = 0.1
"""Seconds of an interval in round-trip times before the first sample (choice)."""
_SHORTEST = 1e-4
"""Seconds that an interval has at least."""


class Steered:
    """Runs that go on together, decision by decision.

    Parameters
    ----------
    scenarios
        What is run: each run draws one of them.
    learner
        The group of flows that are steered.
    flows
        How many flows of it, in the order of their start.
    observe
        Names of :data:`SIGNALS`, in the order of the observation.
    action
        ``window``, ``rate`` or ``factor``: see :data:`ACTIONS`.
    every
        The time between decisions: seconds or text such as ``"20ms"``; or a number and ``rtt``: ``"1rtt"``.
    law
        What obeys; by default a law with nothing of its own: see ``dumbbell/gym/laws.py``.
    runs
        How many at a time.
    threads
        Threads for a step.

    Raises
    ------
    GymError
        If there is no such signal, action, group or interval, or the law lacks a field.
    """

    def __init__(
        self,
        scenarios: Scenario | Sequence[Scenario],
        learner: str | None,
        flows: int,
        observe: Sequence[str],
        action: str,
        every: str | float,
        law: str | os.PathLike[str] | None,
        runs: int,
        threads: int,
    ) -> None:
        for name in observe:
            if name not in SIGNALS:
                raise GymError(f"observe: no signal {name!r}; {_native.suggest(name, list(SIGNALS))}")
        if not observe:
            raise GymError(f"observe: names no signal; use some of {', '.join(SIGNALS)}")
        if action not in ACTIONS:
            raise GymError(f"action: no action {action!r}; use {', '.join(ACTIONS)}")
        if not 1 <= flows <= 1000 or not 1 <= runs <= 10_000:
            raise GymError(f"{flows} flows in {runs} runs are out of range; give 1 to 1,000 and 1 to 10,000")
        self.observe, self.action, self.flows, self.runs = tuple(observe), action, flows, runs
        self._seconds, self._rtts = interval_of(every)
        given = [scenarios] if isinstance(scenarios, Scenario) else list(scenarios)
        if not given:
            raise GymError("scenario: there is none; give one, or a list of them")
        law, words = _law(law)
        self.learner = learner or _only_group(given[0])
        self._scenarios = [_under(scenario, self.learner, law) for scenario in given]
        self._read = (*COUNTED, *STANDING)
        self._fleet = _native.Fleet(
            runs, self.learner, flows, [words["told"], words["fresh"]],
            [words[name] for name in self._read], limit_of_run(None, runs), threads,
        )  # fmt: skip
        self._now = np.zeros(runs)
        self._smoothed = np.zeros(runs)
        self._words = np.zeros((runs, flows, len(self._read)), dtype=np.int64)
        self._told = np.full((runs, flows, 2), _KEEP, dtype=np.int64)
        self.ended: NDArray[Any] = np.zeros(runs, dtype=np.bool_)
        self.signals: dict[str, Floats] = {}

    def begin(self, runs: Iterable[int], draws: Mapping[int, np.random.Generator]) -> None:
        """Begin some runs anew, each with a scenario and a seed that its generator draws."""
        for run in runs:
            draw = draws[run]
            scenario = self._scenarios[int(draw.integers(len(self._scenarios)))]
            seed = int(draw.integers(2**62))
            self._fleet.begin(run, scenario._native, seed)
            self._now[run] = self._smoothed[run] = 0.0
            self._words[run] = 0
            self.ended[run] = False

    def step(
        self, actions: NDArray[Any] | None, idle: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float32]:
        """Act, go on for an interval, and return observations of shape (runs, flows, signals).

        Parameters
        ----------
        actions
            Shape (runs, flows); ``None`` leaves everything as it is.
        idle
            Runs whose action does not count, shape (runs,).

        Raises
        ------
        GymError
            If an action is not a number, or they have another shape.
        """
        told = self._told
        told.fill(_KEEP)
        if actions is not None:
            told[:, :, 0] = self._in_words(actions)
            told[:, :, 1] = _FRESH[self.action]
            if idle is not None:
                told[idle] = _KEEP
        if self._rtts:
            smoothed = np.where(self._smoothed > 0, self._smoothed, _FIRST / self._rtts)
            seconds = np.maximum(self._rtts * smoothed, _SHORTEST)
        else:
            seconds = np.full(self.runs, self._seconds)
        self._now += seconds
        read = np.empty_like(self._words)
        self._fleet.step(self._now, told.reshape(-1), read.reshape(-1), self.ended)
        # A flow that has ended, or a run, shows zeros: nothing happened.
        there: NDArray[Any] = np.asarray(read.any(axis=2))
        counted = len(COUNTED)
        change = np.where(there[:, :, None], read[:, :, :counted] - self._words[:, :, :counted], 0)
        words = {name: change[:, :, place].astype(np.float64) for place, name in enumerate(COUNTED)}
        words |= {name: read[:, :, counted + place].astype(np.float64) for place, name in enumerate(STANDING)}
        self._words = read
        self._smoothed = words["rtt"].max(axis=1) * 1e-9
        lengths = seconds[:, None]
        self.signals = {name: signal.of(words, lengths) for name, signal in SIGNALS.items()}
        seen = np.stack([np.minimum(self.signals[name], SIGNALS[name].most) for name in self.observe], axis=2)
        return seen.astype(np.float32)

    def _in_words(self, actions: NDArray[Any]) -> NDArray[np.int64]:
        """Return actions as laws read them."""
        try:
            given = np.asarray(actions, dtype=np.float64)
        except (TypeError, ValueError):
            raise GymError(f"action: {actions!r} is not an array of numbers") from None
        shape = (self.runs, self.flows)
        if given.shape != shape:
            raise GymError(
                f"action: an array of shape {given.shape} is given, {shape} is needed: (runs, flows)"
            )
        if not np.isfinite(given).all():
            raise GymError("action: is not a number, or is infinite; give finite numbers")
        low, high, _ = ACTIONS[self.action]
        held = np.clip(given, low, high)
        if self.action == "factor":
            held = np.exp2(2 * held)
        words: NDArray[np.int64] = (held * (1e6 / 8 * _BYTES if self.action == "rate" else 1024)).astype(
            np.int64
        )
        return words


def remy(signals: Mapping[str, Floats]) -> Floats:
    """Return the logarithm of throughput over mean round-trip time (Winstein & Balakrishnan, SIGCOMM 2013).

    Their objective of proportional fairness with as much weight on delay; a flow that gets nothing counts as
    one of a kilobit a second. Shape (runs, flows), as all arrays of `signals`.
    """
    reward: Floats = np.log2(np.maximum(signals["throughput"], 1e-3)) - np.log2(
        np.maximum(signals["stretch"], 1)
    )
    return reward


def rewarded(reward: Reward, signals: Mapping[str, Floats], runs: int) -> Floats:
    """Return the reward of each run: the mean over its flows where there is one for each.

    Raises
    ------
    GymError
        If the function returns another shape, or what is not a number.
    """
    found = np.asarray(reward(signals), dtype=np.float64)
    if found.ndim == 2 and len(found) == runs:
        found = found.mean(axis=1)
    if found.shape != (runs,):
        raise GymError(f"reward: has shape {found.shape}; return ({runs},), or ({runs}, flows)")
    if not np.isfinite(found).all():
        raise GymError("reward: is not a number, or is infinite; mind logarithms of 0 and divisions by it")
    return found


def interval_of(every: str | float) -> tuple[float, float]:
    """Return the seconds between decisions and 0, or 0 and the round-trip times.

    Raises
    ------
    GymError
        If it cannot be read, or is out of range.
    """
    if isinstance(every, str) and every.strip().endswith("rtt"):
        try:
            count = float(every.strip().removesuffix("rtt"))
        except ValueError:
            raise GymError(f"every: {every!r} cannot be read; write such as 20ms or 1rtt") from None
        if not 0.01 <= count <= 1000:
            raise GymError(f"every: {count:g} round-trip times are out of range; give 0.01 to 1000")
        return 0.0, count
    try:
        seconds = _native.parse_time(every.strip(), "every") if isinstance(every, str) else float(every)
    except DumbbellError:
        raise GymError(f"every: {every!r} cannot be read; write such as 20ms or 1rtt") from None
    if not _SHORTEST <= seconds <= 3600:
        raise GymError(f"every: {seconds:g} s are out of range; give 0.1 ms to an hour")
    return seconds, 0.0


def _law(law: str | os.PathLike[str] | None) -> tuple[Any, dict[str, int]]:
    """Return what a scenario writes for a law, and where its words are."""
    from dumbbell.own.file import read_law

    text = f"{_LAW}:Steered" if law is None else os.fspath(law)
    path, found, _ = read_law(text)
    words = {word.name: place for place, word in enumerate(found.words)}
    for name in ("told", "fresh", *COUNTED, *STANDING):
        if name not in words:
            raise GymError(f"{text}: has no field {name!r}; copy those of Steered in {_LAW}")
    named = law_name(text)
    assert named is not None, "it was read"
    return named.value(path.resolve()), words


def _only_group(scenario: Scenario) -> str:
    names = [group["name"] for group in scenario.explain()["groups"]]
    if len(names) != 1:
        raise GymError(f"learner: the scenario has several groups; name one of {', '.join(names)}")
    return str(names[0])


def _under(scenario: Scenario, learner: str, law: Any) -> Scenario:
    """Return a scenario in which a group has the law."""
    values = scenario.to_dict()
    names = [group["name"] for group in scenario.explain()["groups"]]
    if learner not in names:
        raise GymError(f"learner: no group {learner!r}; {_native.suggest(learner, names)}")
    # Flows come before workloads; groups without a name have one by their position.
    entries = [*values.get("flows", ()), *values.get("workloads", ())]
    entry = entries[names.index(learner)]
    transport = dict(entry.get("transport") or values.get("transport") or {"kind": "tcp"})
    if transport["kind"] != "tcp":
        raise GymError(f"learner: {learner} uses {transport['kind']}; only a flow of TCP has a window")
    entry["transport"] = transport | {"controller": law}
    return Scenario.from_dict(values)
