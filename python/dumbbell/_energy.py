"""Energy of a link under any power model, from the time that it spent in each state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell._scenario import Scenario
from dumbbell.errors import ResultsError, ScenarioError

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
    total = times.sum() * resolved(model)["full_power"]
    return float(1 - times @ powers / total) if total > 0 else float("nan")


def spans(results: Results, link: str, model: Model | None = None) -> tuple[Floats, Floats]:
    """Return the time (s) in each state of a link and the power (W) in it, both of shape (states,)."""
    states = results.states
    here = of_link(results, link)
    times = states["time"][here]
    if model is None:
        return times, states["power"][here]
    if not times.size:
        return times, times
    names = results.links["link"].tolist()
    top = float(results.links["rate"][names.index(link)])
    columns = (states["state"][here], states["rate"][here], states["previous_rate"][here])
    return times, _powers(resolved(model), *columns, top)


def of_link(results: Results, link: str) -> NDArray[np.bool_]:
    """Return which rows of the table of states are those of a link, shape (rows,)."""
    codes, names = results.states.codes("link")
    return codes == names.index(link) if link in names else np.zeros(len(codes), dtype=bool)


def resolved(model: Model) -> dict[str, Any]:
    """Return a model with every key.

    Raises
    ------
    ScenarioError
        If it is not a model.
    """
    try:
        return _resolved(json.dumps(dict(model)))
    except TypeError:
        raise ScenarioError("model", f"{model!r} is no power model", "use db.network.power_model") from None


@lru_cache(maxsize=256)
def _resolved(model: str) -> dict[str, Any]:
    place = "topology.bottleneck.power."
    scenario = {
        "duration": "1s",
        "topology": {
            "kind": "dumbbell",
            "pairs": 1,
            "bottleneck": {"power": {"policy": "fixed", "model": json.loads(model)}},
        },
        "flows": [{"from": "senders", "to": "receivers"}],
    }
    try:
        # The scenario's own parser knows keys, bounds and defaults.
        power = Scenario.from_dict(scenario).to_dict()["topology"]["bottleneck"]["power"]
    except ScenarioError as error:
        raise ScenarioError(error.path.removeprefix(place), error.message, error.remedy) from None
    found: dict[str, Any] = power["model"]
    return found


def _powers(model: Model, state: NDArray[Any], rate: Floats, previous: Floats, top: float) -> Floats:
    """Return the power (W) in each state at its rate (bit/s), all of shape (n,), on a link of rate `top`.

    Panarello et al., e-Energy 2012, section 2; sleep after Nedevschi et al., NSDI 2008. The core integrates
    the link's own model by the same formulas; a test holds the two together.
    """
    fixed, idle_share, phi = model["static_share"], model["idle_share"], model["voltage_range"]

    def awake(rates: Floats | float, share: float = 1.0) -> Floats:
        x = np.asarray(rates, dtype=np.float64) / top
        if model["scaling"] == "dvs":
            low = x / phi**2 if model["below"] == "linear" else 1 / phi**3
            x = np.where(x * phi >= 1, x**3, low)
        return np.asarray(model["full_power"] * (fixed + share * (1 - fixed) * x))

    old, new = awake(np.where(np.isnan(previous), rate, previous)), awake(rate)
    pause = {"old": old, "new": new, "max": np.maximum(old, new), "top": np.full_like(new, awake(top))}
    # A port that wakes or sleeps runs none of its rates.
    waking = np.full_like(new, awake(top, idle_share))
    by_state = {
        "busy": new,
        "idle": awake(rate, idle_share),
        "waking": waking,
        "sleep": model["sleep_share"] * waking,
        "pause": pause[model["pause"]],
    }
    return np.select([state == name for name in by_state], list(by_state.values()))
