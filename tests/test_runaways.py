"""No scenario takes more memory than its limit, whatever grows."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runaways import QUEUES, Case, draw

PROGRAM = Path(__file__).parent / "runaways.py"

SHARE = 1.3
"""Of the limit, that a process may take beside what it takes for an empty run."""

SEED = 31

DRAWS = 20
"""Cases that are drawn at most for one that the planner takes."""


def excess(case: Case, memory: int) -> tuple[str, float]:
    """Return how a case ended, and the memory of its process as a share of the limit."""
    command = [sys.executable, PROGRAM, json.dumps(case), str(memory)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # No run ends the process: neither an abort nor a backtrace.
    assert (done.returncode, done.stderr) == (0, ""), case
    said = json.loads(done.stdout)
    return said["ended"], (said["peak"] - said["before"]) / memory


def flood(limit: str = "unlimited", **changes: object) -> Case:
    """Return a source of small packets before a slow link."""
    link = {"rate": "1Mbit/s", "delay": "1ms", "queue": {"kind": "droptail", "limit": limit}}
    scenario = {
        "duration": "20s",
        "transport": {"kind": "cbr", "rate": "1000Gbit/s", "packet_size": 64},
        "topology": {"kind": "chain", "hops": 1, "link": link},
        "flows": [{"from": "node0", "to": "node1"}],
        **changes,
    }
    return {"scenario": scenario, "how": "run"}


RUNAWAYS = {
    "packets": flood(),
    "rows": flood("2pkt", record={"drops": True}),
    "flows": flood(transport={"kind": "tcp"}, flows=[{"from": "node0", "to": "node1", "count": 1_000_000}]),
    "trace": {**flood(), "how": "trace"},
}


@pytest.mark.parametrize("name", RUNAWAYS)
def test_a_runaway_keeps_to_its_limit(name: str) -> None:
    ended, share = excess(RUNAWAYS[name], 100_000_000)
    assert ended == "memory"
    assert share <= SHARE


@pytest.mark.full
def test_drawn_runaways_keep_to_their_limit() -> None:
    rng = random.Random(SEED)
    limit = 200_000_000
    found: list[tuple[float, str, Case]] = []
    for queue in [*QUEUES, *(None for _ in range(74))]:
        for _ in range(DRAWS):
            case = draw(rng, queue)
            ended, share = excess(case, limit)
            if not ended.startswith("refused"):
                found.append((share, ended, case))
                break
    too_much = [entry for entry in found if entry[0] > SHARE]
    assert too_much == []
    assert sum(ended == "memory" for _, ended, _ in found) >= len(found) / 3
