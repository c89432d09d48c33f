"""Energy of a link under any power model, from the time that it spent in each state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell._native import PowerModel
from dumbbell.errors import ResultsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dumbbell._results import Results

    Floats = NDArray[np.float64]

Model = Mapping[str, Any]
"""A power model: what :func:`dumbbell.network.power_model` returns, or a dictionary of the same keys."""


def energy(results: Results, *, model: Model | None = None, link: str = "left->right") -> float:
    """Return the energy of a link over the measured part of a run, in J.

    Powers depend on states and rates alone, so that one run gives the energies of all models.

    Parameters
    ----------
    results
        Of a run, in memory or loaded.
    model
        :func:`dumbbell.network.power_model`, or a dictionary of the same keys; the link's own by default.
    link
        The name of a link under power control, of any policy: ``fixed`` keeps time too.

    Raises
    ------
    ResultsError
        If there is no such link, or it has no power control.
    ScenarioError
        If the model is not one.
    """
    times, powers = spans(results, link, model)
    if not times.size:
        known = sorted(set(results.states["link"].tolist()))
        remedy = (
            f"use {' or '.join(map(repr, known))}" if known else 'give its link power = "fixed" or another'
        )
        raise ResultsError(f"energy: {link!r} is no link under power control in these results; {remedy}")
    return float(times @ powers)


def saving(results: Results, model: Model, link: str) -> float:
    """Return the share of energy saved against full power all run; not-a-number without power control."""
    times, powers = spans(results, link, model)
    total = times.sum() * power_model(model).full_power
    return float(1 - times @ powers / total) if total > 0 else float("nan")


def spans(results: Results, link: str, model: Model | None = None) -> tuple[Floats, Floats]:
    """Return the time (s) in each state of a link and the power (W) in it, both of shape (states,)."""
    states = results.states
    here = states.where("link", link)
    times = states["time"][here]
    if model is None:
        return times, states["power"][here]
    if not times.size:
        return times, times
    top = float(results.links["rate"][results.links.where("link", link)][0])
    names = states["state"][here].tolist()
    return times, power_model(model).powers(names, states["rate"][here], states["previous_rate"][here], top)


def power_model(model: Model) -> PowerModel:
    """Return a power model with every key.

    Raises
    ------
    ScenarioError
        If it is not one.
    """
    return PowerModel(dict(model))
