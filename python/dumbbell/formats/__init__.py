"""What other tools have recorded, as a recorded link, a list of flows or a network.

A file of others is hostile until it is read: what it says is bounded, and what is wrong with it is one line.
"""

from __future__ import annotations

from dumbbell.formats.errors import FormatError
from dumbbell.formats.flows import Flow, flows_of, flows_text
from dumbbell.formats.links import OPPORTUNITY, Piece, link_of, link_of_pieces
from dumbbell.formats.networks import GRAPHS, TOPOLOGIES, Network, read_network, scenario_text
from dumbbell.formats.packets import Packet, towards
from dumbbell.formats.qvis import qvis_of
from dumbbell.formats.read import FORMATS, read
from dumbbell.formats.write import flent_of, packed

__all__ = [
    "FORMATS",
    "GRAPHS",
    "OPPORTUNITY",
    "TOPOLOGIES",
    "Flow",
    "FormatError",
    "Network",
    "Packet",
    "Piece",
    "flent_of",
    "flows_of",
    "flows_text",
    "link_of",
    "link_of_pieces",
    "packed",
    "qvis_of",
    "read",
    "read_network",
    "scenario_text",
    "towards",
]
