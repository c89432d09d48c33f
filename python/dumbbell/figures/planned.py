"""What the scenario of a run says of its plan: results hold the scenario, not the plan."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dumbbell._scenario import Scenario
from dumbbell.errors import ScenarioError

if TYPE_CHECKING:
    from dumbbell._results import Results


def planned(results: Results) -> Mapping[str, Any] | None:
    """Return what :meth:`dumbbell.Scenario.explain` says of the scenario of a run.

    ``None`` if the scenario needs a file, such as a recorded link: results do not hold it.
    """
    return _explained(results.provenance["scenario"])


@lru_cache(maxsize=8)
def _explained(scenario: str) -> Mapping[str, Any] | None:
    try:
        return Scenario.from_toml(scenario, confined=True).explain()
    except ScenarioError:
        return None
