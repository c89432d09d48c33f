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
from types import ModuleType
from typing import TYPE_CHECKING

from dumbbell import (
    _loading as _loading,  # First of all: from here on, Ctrl-C ends a command in one line.
)
from dumbbell import theory
from dumbbell._native import registry, schema
from dumbbell._native import version as __version__
from dumbbell._results import Column, Results, Table, load
from dumbbell._results.energy import energy
from dumbbell._scenario import MemoryLimitError, Scenario, run_all
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
    DumbbellError,
    FolderError,
    NothingToDrawError,
    ResultsError,
    ScenarioError,
    TheoryError,
)

if TYPE_CHECKING:
    from dumbbell import figures

__all__ = [
    "Column",
    "DumbbellError",
    "FolderError",
    "MemoryLimitError",
    "NothingToDrawError",
    "Results",
    "ResultsError",
    "Scenario",
    "ScenarioError",
    "Table",
    "TheoryError",
    "__version__",
    "controller",
    "energy",
    "figures",
    "flows",
    "host",
    "impairment",
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
    "theory",
    "topology",
    "transport",
    "workload",
]


def __getattr__(name: str) -> ModuleType:
    # Matplotlib takes longer to load than everything else together, and most programs never draw.
    if name == "figures":
        return import_module("dumbbell.figures")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
