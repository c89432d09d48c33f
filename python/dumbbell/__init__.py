"""dumbbell: a congestion-control laboratory.

Examples
--------
>>> import dumbbell as db
>>> scenario = db.scenario(
...     duration="10s",
...     topology=db.topology.dumbbell(pairs=2, bottleneck={"rate": "10Mbit/s", "queue": db.queue.codel()}),
...     transport=db.transport.tcp(controller="cubic"),
...     flows=[db.flows(from_="senders", to="receivers", stagger="100ms")],
... )
>>> results = scenario.run()
>>> results.flows["goodput"].shape
(2,)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from dumbbell import (
    _loading as _loading,  # First of all: from here on, Ctrl-C ends a command in one line.
)

if TYPE_CHECKING:
    from dumbbell import answers, claims, figures, live, stats, study, theory
    from dumbbell._native import registry, schema
    from dumbbell._native import version as __version__
    from dumbbell._results import Column, Results, Table, load
    from dumbbell._results.energy import energy
    from dumbbell._run import MemoryLimitError, Peek, Run, States
    from dumbbell._scenario import Scenario, run_all
    from dumbbell._trace import Trace
    from dumbbell.builders import (
        controller,
        host,
        impairment,
        marker,
        network,
        node,
        paths,
        power,
        predictor,
        queue,
        router,
        schedule,
        size,
        topology,
        transport,
        workload,
    )
    from dumbbell.builders.experiment import flows, nodes, record, replay, scenario
    from dumbbell.errors import (
        ColumnError,
        DumbbellError,
        FolderError,
        NothingToDrawError,
        ResultsError,
        ScenarioError,
        TheoryError,
        TraceLimitError,
        UnknownNameError,
    )

__all__ = [
    "Column",
    "ColumnError",
    "DumbbellError",
    "FolderError",
    "MemoryLimitError",
    "NothingToDrawError",
    "Peek",
    "Results",
    "ResultsError",
    "Run",
    "Scenario",
    "ScenarioError",
    "States",
    "Table",
    "TheoryError",
    "Trace",
    "TraceLimitError",
    "UnknownNameError",
    "__version__",
    "answers",
    "claims",
    "controller",
    "energy",
    "figures",
    "flows",
    "host",
    "impairment",
    "live",
    "load",
    "marker",
    "network",
    "node",
    "nodes",
    "paths",
    "power",
    "predictor",
    "queue",
    "record",
    "registry",
    "replay",
    "router",
    "run_all",
    "scenario",
    "schedule",
    "schema",
    "size",
    "stats",
    "study",
    "theory",
    "topology",
    "transport",
    "workload",
]


_PLACES = {
    "dumbbell": ("answers", "claims", "figures", "live", "stats", "study", "theory"),
    "dumbbell._native": ("registry", "schema"),
    "dumbbell._results": ("Column", "Results", "Table", "load"),
    "dumbbell._results.energy": ("energy",),
    "dumbbell._run": ("MemoryLimitError", "Peek", "Run", "States"),
    "dumbbell._scenario": ("Scenario", "run_all"),
    "dumbbell._trace": ("Trace",),
    "dumbbell.builders": (
        "controller", "host", "impairment", "marker", "network", "node", "paths", "power", "predictor",
        "queue", "router", "schedule", "size", "topology", "transport", "workload",
    ),
    "dumbbell.builders.experiment": ("flows", "nodes", "record", "replay", "scenario"),
    "dumbbell.errors": (
        "ColumnError", "DumbbellError", "FolderError", "NothingToDrawError", "ResultsError", "ScenarioError",
        "TheoryError", "TraceLimitError", "UnknownNameError",
    ),
}  # fmt: skip
"""Where names come from. They are loaded when they are first used: most programs use few of them."""

_PLACE = {name: place for place, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> object:
    if name == "__version__":
        value: object = import_module("dumbbell._native").version
    elif name not in _PLACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        value = _of(_PLACE[name], name)
    globals()[name] = value
    return value


def _of(place: str, name: str) -> object:
    """Return what has a name: a module of a package, or what stands in a module."""
    try:
        if place in ("dumbbell", "dumbbell.builders"):
            return import_module(f"{place}.{name}")
        return getattr(import_module(place), name)
    except ModuleNotFoundError as error:
        from dumbbell._extras import explained

        raise (explained(error) or error) from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
