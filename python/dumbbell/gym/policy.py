"""Policies that become laws: linear ones and tables, over signals of an environment.

A law is the same policy in whole numbers. So what was learned runs wherever laws do: in scenarios, studies,
the arena, the judge, and the end points over UDP. It decides at the first acknowledgement of an interval.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dumbbell._files.folder import new_file
from dumbbell.gym.errors import GymError
from dumbbell.gym.steered import interval_of

_IN_LAWS = {
    "throughput": "mul_div(self.acked, 8000000, max(1, ack.now - self.began))",
    "acks": "1000 * self.acks",
    "rtt": "self.mean // 1000",
    "min_rtt": "ack.min_rtt // 1000",
    "queueing": "max(0, self.mean - ack.min_rtt) // 1000",
    "stretch": "mul_div(1000, self.mean, max(1, ack.min_rtt))",
    "losses": "1000 * self.losses",
    "timeouts": "1000 * self.timeouts",
    "marks": "1000 * self.marks",
    "window": "mul_div(1000, control.window, ack.mss)",
    "flight": "mul_div(1000, ack.flight, ack.mss)",
}
"""Signals in thousandths of their units, as a law computes them."""

_WEIGHT = 1_000_000
"""The unit of weights in a law."""

_LAW = '''"""{title}"""

from dumbbell.own import Ack, Control, Controller, clamp, mul_div


class {label}(Controller, kind="model"):
    """{title}"""

    began: int = 0
    acked: int = 0
    acks: int = 0
    rtt_sum: int = 0
    rtts: int = 0
    mean: int = 0
    losses: int = 0
    timeouts: int = 0
    marks: int = 0

    def decide(self, ack: Ack, control: Control) -> None:
        self.mean = ack.smoothed_rtt
        if self.rtts > 0:
            self.mean = self.rtt_sum // self.rtts
        move = 0
{decide}
        # Four to the power of `move` thousandths: the whole part of the exponent of two, and a parabola.
        power = 2 * clamp(move, -1000, 1000)
        part = power - 1000 * (power // 1000)
        factor = 1024 + part * (672 + 352 * part // 1000) // 1000
        if move < 0 or ack.window_limited:
            control.window = max(ack.mss, mul_div(control.window, factor << (power // 1000 + 2), 4096))
        self.began = ack.now
        self.acked = 0
        self.acks = 0
        self.rtt_sum = 0
        self.rtts = 0
        self.losses = 0
        self.timeouts = 0
        self.marks = 0

    def on_ack(self, ack: Ack, control: Control) -> None:
        self.acked += ack.acked
        self.acks += 1
        if ack.rtt > 0:
            self.rtt_sum += ack.rtt
            self.rtts += 1
        if self.began == 0:
            self.began = ack.now
        if ack.now - self.began >= {interval}:
            self.decide(ack, control)

    on_recovered = on_ack

    def on_loss(self, ack: Ack, control: Control) -> None:
        self.losses += 1

    def on_ecn(self, ack: Ack, control: Control) -> None:
        self.marks += 1

    def on_timeout(self, ack: Ack, control: Control) -> None:
        self.timeouts += 1
        control.window = ack.mss
'''


class Policy(Protocol):
    """What becomes a law."""

    observe: tuple[str, ...]
    """Names of signals."""

    def __call__(self, observation: ArrayLike) -> NDArray[np.float32]:
        """Return the action for observations of shape (..., signals): shape (..., 1), from -1 to 1."""

    def code(self) -> list[str]:
        """Return the lines of a law that compute `move`, the action in thousandths, from `signal_NAME`."""


@dataclass(frozen=True)
class Linear:
    """An action that is a weighted sum of signals."""

    observe: tuple[str, ...]
    """Names of signals."""
    weights: tuple[float, ...]
    """Of each, in its unit."""
    bias: float = 0.0
    """The action where all signals are zero."""

    def __call__(self, observation: ArrayLike) -> NDArray[np.float32]:
        """Return the action for observations of shape (..., signals): shape (..., 1)."""
        seen = np.asarray(observation, dtype=np.float64)
        action: NDArray[np.float32] = np.clip(seen @ np.array(self.weights) + self.bias, -1, 1).astype(
            np.float32
        )
        return action[..., None]

    def code(self) -> list[str]:
        """Return the lines of a law that compute `move`."""
        terms = " + ".join(
            f"mul_div(signal_{name}, {round(weight * _WEIGHT)}, {_WEIGHT})"
            for name, weight in zip(self.observe, self.weights, strict=True)
        )
        return [f"move = {round(1000 * self.bias)} + {terms}"]


@dataclass(frozen=True)
class Table:
    """An action for each cell of a grid over signals."""

    observe: tuple[str, ...]
    """Names of signals."""
    edges: tuple[tuple[float, ...], ...]
    """Of each signal the limits between cells, rising, in its unit."""
    actions: tuple[float, ...]
    """Of each cell; the last signal changes first."""

    def cells(self, observation: ArrayLike) -> NDArray[np.int64]:
        """Return the number of the cell of each `observation` of shape (..., signals): shape (...)."""
        seen = np.asarray(observation, dtype=np.float64)
        cell = np.zeros(seen.shape[:-1], dtype=np.int64)
        for place, edges in enumerate(self.edges):
            cell = cell * (len(edges) + 1) + np.searchsorted(edges, seen[..., place], side="right")
        return cell

    def __call__(self, observation: ArrayLike) -> NDArray[np.float32]:
        """Return the action for observations of shape (..., signals): shape (..., 1)."""
        action: NDArray[np.float32] = np.array(self.actions, dtype=np.float32)[self.cells(observation)]
        return action[..., None]

    def code(self) -> list[str]:
        """Return the lines of a law that compute `move`."""
        lines = ["cell = 0"]
        for name, edges in zip(self.observe, self.edges, strict=True):
            found = " + ".join(f"int(signal_{name} >= {round(1000 * edge)})" for edge in edges)
            lines.append(f"cell = cell * {len(edges) + 1} + {found or '0'}")
        for cell, action in enumerate(self.actions):
            if round(1000 * action):
                lines += [f"if cell == {cell}:", f"    move = {round(1000 * action)}"]
        return lines


def law_text(
    policy: Policy, label: str, every: str | float = "1rtt", title: str = "A learned policy."
) -> str:
    """Return a policy as a law.

    Parameters
    ----------
    policy
        A :class:`Linear` or a :class:`Table`, whose action is a ``factor``.
    label
        The name of the class.
    every
        The time between decisions, as of the environment.
    title
        What the law is, a sentence.

    Raises
    ------
    GymError
        If a law cannot compute a signal, or the name is no name of a class.
    """
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", label):
        raise GymError(f"law: {label!r} is no name of a class; write such as Learned")
    for name in policy.observe:
        if name not in _IN_LAWS:
            raise GymError(f"law: computes no signal {name!r}; use some of {', '.join(_IN_LAWS)}")
    seconds, rtts = interval_of(every)
    interval = f"ack.smoothed_rtt * {round(1000 * rtts)} // 1000" if rtts else str(round(1e9 * seconds))
    lines = [f"signal_{name} = {_IN_LAWS[name]}" for name in policy.observe] + policy.code()
    plain = title.replace('"', "'").replace("\\", "/")
    return _LAW.format(
        label=label, title=plain, interval=interval, decide="\n".join(f"        {line}" for line in lines)
    )


def write_law(
    policy: Policy,
    path: Path | str,
    label: str = "Learned",
    every: str | float = "1rtt",
    title: str = "A learned policy.",
) -> Path:
    """Write a policy as the file of a law; it replaces only a file that holds such a law.

    Parameters
    ----------
    policy, label, every, title
        As for :func:`law_text`.
    path
        The file.

    Raises
    ------
    GymError
        As :func:`law_text`.
    FolderError
        If the file cannot be written.
    """
    text, place = law_text(policy, label, every, title), Path(path)
    with new_file(place, _is_law, True) as part:
        part.write_text(text, encoding="utf-8")
    return place


def _is_law(path: Path) -> bool:
    return "Four to the power of `move` thousandths" in path.read_text(encoding="utf-8", errors="replace")
