"""Attacking a controller: the plausible network in which it breaks a property, as small as can be.

A property compares what the candidate does with numbers, or with what another controller does in the same
network at the same seeds. The attack tries networks by a Sobol sequence, goes on from the worst (CMA-ES),
judges what it found at fresh seeds, and shrinks it towards the ordinary network.

Examples
--------
>>> from dumbbell.attack import parse_property
>>> parse_property("goodput >= 0.5 * cubic.goodput").controllers
('cubic',)
"""

from dumbbell.attack.errors import AttackError
from dumbbell.attack.network import Bound, Network, plausible
from dumbbell.attack.property import Property, parse_property
from dumbbell.attack.run import Attack, run_attack
from dumbbell.attack.write import write_attack

__all__ = [
    "Attack",
    "AttackError",
    "Bound",
    "Network",
    "Property",
    "parse_property",
    "plausible",
    "run_attack",
    "write_attack",
]
