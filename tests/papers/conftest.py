"""A paper that runs in a second."""

from pathlib import Path

import pytest

STUDY = """
name = "tiny-paper"
title = "A tiny paper"
question = "Does a longer queue make flows wait?"
seeds = 6

[scenario]
duration = "60s"
warmup = "5s"
topology = { kind = "dumbbell", pairs = 2, bottleneck = { rate = "2Mbit/s", queue = { kind = "droptail" } } }

[[scenario.workloads]]
kind = "poisson"
name = "web"
from = "senders"
to = "receivers"
link = "left->right"
size = { kind = "exponential", mean = "8kB" }

[[axes]]
name = "load"
label = "offered load"
values = [0.3, 0.8]
set = "workloads[0].load={value}"

[[arms]]
name = "short"
label = "5 packets"
set = "topology.bottleneck.queue.limit=5pkt"

[[arms]]
name = "long"
label = "100 packets"
set = "topology.bottleneck.queue.limit=100pkt"

[[metrics]]
name = "queue"
label = "mean queue"
unit = "packets"
source = { table = "links", link = "left->right", column = "queue_mean" }
"""

CLAIMS = """
from dumbbell.claims import Claim, Level, Order, Ratio

_HIGH, _HIGHER = {"load": 0.8}, {"load": 0.9}

CLAIMS = (
    Claim("longer", "A longer queue holds more.", "our question", "queue", Order(("short", "long"), _HIGH)),
    Claim("false", "It holds half as much.", "deliberately false", "queue", Ratio("long", "short", 0.4, 0.6)),
    Claim("unknown", "At load 0.9 it holds a packet.", "our question", "queue", Level("long", 1, at=_HIGHER)),
)
"""

FIGURES = """
from dumbbell.report import FigureSpec

FIGURES = (FigureSpec("queue", "Mean queue against load", "load", "queue"),)
"""

README = """
| parameter | value | source |
|---|---|---|
| `duration` | 60 s | choice: short |
"""

FILES = {
    "study.toml": STUDY,
    "quick.toml": "seeds = 3\n",
    "claims.py": CLAIMS,
    "figures.py": FIGURES,
    "README.md": README,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the paper, for the test to change."""
    folder = tmp_path / "tiny_paper"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder
