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
    node_group,
    pause,
    reverse,
    shared_buffer,
)
from dumbbell.builders.network.power import power, power_model, rate_grid

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
    "rate_grid",
    "reverse",
    "shared_buffer",
]
