"""Parts of topologies.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from dumbbell.builders.network.fabrics import fat_tree_fabric, fat_tree_host, leaf_host, leaf_uplink
from dumbbell.builders.network.links import (
    access,
    bottleneck,
    graph_link,
    host_link,
    rate_change,
    reverse,
    trace,
)
from dumbbell.builders.network.nodes import node_group, pause, shared_buffer
from dumbbell.builders.network.power import power, power_model, rate_grid
from dumbbell.builders.network.random import random_access, random_link

__all__ = [
    "access",
    "bottleneck",
    "fat_tree_fabric",
    "fat_tree_host",
    "graph_link",
    "host_link",
    "leaf_host",
    "leaf_uplink",
    "node_group",
    "pause",
    "power",
    "power_model",
    "random_access",
    "random_link",
    "rate_change",
    "rate_grid",
    "reverse",
    "shared_buffer",
    "trace",
]
