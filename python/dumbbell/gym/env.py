"""The environments of Gymnasium."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dumbbell import Scenario
from dumbbell._extras import explained
from dumbbell._threads import checked, idle_cores
from dumbbell.gym.errors import GymError
from dumbbell.gym.signals import SIGNALS, Floats
from dumbbell.gym.steered import ACTIONS, Reward, Steered, remy, rewarded

try:
    import gymnasium
    from gymnasium.spaces import Box, Space
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise (explained(error) or error) from None

_OBSERVE = ("throughput", "queueing", "stretch", "losses", "timeouts", "window")

Observation = NDArray[np.float32]
Action = NDArray[np.float32]


def _spaces(steered: Steered) -> tuple[Space[Observation], Space[Action]]:
    """Return the spaces of observations and actions of one run."""
    many = steered.flows > 1
    most = np.array([SIGNALS[name].most for name in steered.observe], dtype=np.float32)
    seen = np.broadcast_to(most, (steered.flows, most.size)) if many else most
    low, high, _ = ACTIONS[steered.action]
    shape = (steered.flows,)
    observations: Any = Box(np.zeros_like(seen), np.ascontiguousarray(seen), dtype=np.float32)
    actions: Any = Box(np.float32(low), np.float32(high), shape, dtype=np.float32)
    return observations, actions


class Env(gymnasium.Env[Observation, Action]):
    """A run as an environment: a decision, an interval of time, an observation, a reward.

    The observation has the signals of the learning flow, shape (signals,); with several flows, shape
    (flows, signals). The action has shape (flows,). An episode is a run and ends truncated, at its duration.
    The same seed gives the same episode.

    Parameters
    ----------
    scenario
        The run; or a list, of which each episode draws one. Other flows of it are whatever it says.
    learner
        The group of flows that learn; need not be given if there is one group only.
    flows
        How many flows of it learn, in the order of their start.
    observe
        Names of :data:`SIGNALS`.
    action
        ``window`` (segments), ``rate`` (Mbit/s) or ``factor`` (the window times 4 to this power).
    every
        Time between decisions: ``"20ms"``, seconds, or round-trip times, ``"1rtt"``.
    reward
        A function of all signals by name, arrays of shape (runs, flows); by default :func:`remy`.
    law
        What obeys the decisions; by default nothing but they move the window. Such as ``orca.py:Orca``.

    Raises
    ------
    GymError
        If there is no such signal, action, group or interval, or the law lacks a field.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012
    """Nothing is rendered."""

    def __init__(
        self,
        scenario: Scenario | Sequence[Scenario],
        *,
        learner: str | None = None,
        flows: int = 1,
        observe: Sequence[str] = _OBSERVE,
        action: str = "factor",
        every: str | float = "1rtt",
        reward: Reward = remy,
        law: str | os.PathLike[str] | None = None,
    ) -> None:
        self._steered = Steered(scenario, learner, flows, observe, action, every, law, runs=1, threads=1)
        self.observation_space, self.action_space = _spaces(self._steered)
        self._reward = reward
        self._begun = False

    @property
    def signals(self) -> Mapping[str, Floats]:
        """All signals of the last interval, each of shape (1, flows)."""
        return self._steered.signals

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; return the observation of its first interval, and nothing else.

        Parameters
        ----------
        seed
            Of this episode and those after it; without, they go on from the last.
        options
            Not used.
        """
        super().reset(seed=seed, options=options)
        self._steered.begin([0], {0: self.np_random})
        self._begun = True
        return self._seen(self._steered.step(None)), {}

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Decide, and go on for an interval.

        Raises
        ------
        GymError
            If the action is not a number or has another shape, or the episode has ended.
        """
        if not self._begun or self._steered.ended[0]:
            raise GymError("step: no episode is in progress; call reset() first")
        seen = self._steered.step(np.asarray(action)[None])
        reward = float(rewarded(self._reward, self._steered.signals, 1)[0])
        return self._seen(seen), reward, False, bool(self._steered.ended[0]), {}

    def _seen(self, seen: Observation) -> Observation:
        own: Observation = seen[0] if self._steered.flows > 1 else seen[0, 0]
        return own


class VectorEnv(gymnasium.vector.VectorEnv[Observation, Action, NDArray[Any]]):
    """Many runs as one environment: each step of all is one call, on several threads.

    A run that has ended begins anew with the next step, whose action does not count (``NEXT_STEP`` of
    Gymnasium). Observations have shape (runs, signals), or (runs, flows, signals); actions (runs, flows).

    Parameters
    ----------
    scenario, learner, flows, observe, action, every, reward, law
        As for :class:`Env`.
    num_envs
        How many runs.
    threads
        Threads of a step; by default as many as cores are idle now. Nothing that is observed depends on them.

    Raises
    ------
    GymError
        As :class:`Env`.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012
    """How runs begin anew."""

    def __init__(
        self,
        scenario: Scenario | Sequence[Scenario],
        num_envs: int,
        *,
        learner: str | None = None,
        flows: int = 1,
        observe: Sequence[str] = _OBSERVE,
        action: str = "factor",
        every: str | float = "1rtt",
        reward: Reward = remy,
        law: str | os.PathLike[str] | None = None,
        threads: int | None = None,
    ) -> None:
        self.num_envs = num_envs
        cores = checked(threads) or idle_cores()
        self._steered = Steered(scenario, learner, flows, observe, action, every, law, num_envs, cores)
        self.single_observation_space, self.single_action_space = _spaces(self._steered)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._reward = reward
        self._draws: dict[int, np.random.Generator] = {}
        self._before = np.zeros(num_envs, dtype=np.bool_)

    @property
    def signals(self) -> Mapping[str, Floats]:
        """All signals of the last interval, each of shape (runs, flows)."""
        return self._steered.signals

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin all runs; return the observations of their first interval, and nothing else.

        Parameters
        ----------
        seed
            Of the first run; the others count up from it. Or a list.
        options
            Not used.

        Raises
        ------
        GymError
            If the list has not a seed for each run.
        """
        del options
        if seed is not None or not self._draws:
            if isinstance(seed, list):
                if len(seed) != self.num_envs:
                    raise GymError(f"seed: {len(seed)} seeds for {self.num_envs} runs; give one for each")
                seeds = list(seed)
            else:
                seeds = [None if seed is None else seed + run for run in range(self.num_envs)]
            self._draws = {run: np.random.default_rng(each) for run, each in enumerate(seeds)}
        self._steered.begin(range(self.num_envs), self._draws)
        self._before = np.zeros(self.num_envs, dtype=np.bool_)
        return self._seen(self._steered.step(None)), {}

    def step(
        self, actions: Action
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Decide in all runs, and go on for an interval; those that had ended begin anew instead.

        Parameters
        ----------
        actions
            Shape (runs, flows).

        Raises
        ------
        GymError
            If an action is not a number, or they have another shape, or `reset` was not called.
        """
        if not self._draws:
            raise GymError("step: no episode is in progress; call reset() first")
        before = self._before
        if before.any():
            self._steered.begin(np.flatnonzero(before).tolist(), self._draws)
        seen = self._steered.step(actions, before)
        reward = rewarded(self._reward, self._steered.signals, self.num_envs)
        reward[before] = 0.0
        self._before = self._steered.ended.copy()
        return self._seen(seen), reward, np.zeros(self.num_envs, dtype=np.bool_), self._before.copy(), {}

    def _seen(self, seen: Observation) -> Observation:
        own: Observation = seen if self._steered.flows > 1 else seen[:, 0]
        return own
