"""A paper that runs in a second, with a claim that Python makes."""

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

[quick]
seeds = 3

[[claims]]
id = "longer"
statement = "A longer queue holds more."
metric = "queue"
rule = { kind = "order", arms = ["short", "long"], at = { load = 0.8 } }

[[claims]]
id = "false"
statement = "It holds half as much."
source = "deliberately false"
metric = "queue"
rule = { kind = "ratio", arm = "long", over = "short", low = 0.4, high = 0.6 }

[[figures]]
id = "queue"
title = "Mean queue against load"
x = "load"
metric = "queue"
"""

CLAIMS = """
from dumbbell.claims import Claim, Level

_HIGHER = {"load": 0.9}

CLAIMS = (
    Claim("unknown", "At load 0.9 it holds a packet.", "our question", "queue", Level("long", 1, at=_HIGHER)),
)
"""

README = """
| parameter | value | source |
|---|---|---|
| `duration` | 60 s | choice: short |
"""

FILES = {
    "study.toml": STUDY,
    "claims.py": CLAIMS,
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
