"""The arena: controllers scored over networks that are drawn from a published distribution.

Two hundred networks take about a second. There are three scores, never one: throughput, latency, coexistence.
Each is the lower end of an interval, and the least of its groups of networks; harm to CUBIC caps all. The
public set is for training. A held-out set is drawn by the source of a submission and the salt of a year.

Examples
--------
>>> from dumbbell import arena
>>> found = arena.score("cubic", each=4)
>>> 0 <= found["throughput"] <= 1
True
"""

from dumbbell.arena.entrant import Entrant, entrant_of
from dumbbell.arena.entry import Entry, entries, submit, verify
from dumbbell.arena.errors import ArenaError
from dumbbell.arena.feedback import feedback
from dumbbell.arena.networks import (
    SCORES,
    TRAIN,
    Group,
    Network,
    Quantity,
    distribution,
    held_out_key,
    networks,
)
from dumbbell.arena.scoring import Mark, Numbers, Row, Score, score
from dumbbell.arena.write import facts, write_score

__all__ = [
    "SCORES",
    "TRAIN",
    "ArenaError",
    "Entrant",
    "Entry",
    "Group",
    "Mark",
    "Network",
    "Numbers",
    "Quantity",
    "Row",
    "Score",
    "distribution",
    "entrant_of",
    "entries",
    "facts",
    "feedback",
    "held_out_key",
    "networks",
    "score",
    "submit",
    "verify",
    "write_score",
]
