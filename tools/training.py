"""Runs that say what runs do, for ``tools/wheel.py``: every scenario, the long ones short.

Branches that nothing here takes are built for size. So there is some of everything: transports, controllers
with and without pacing, links with and without a law, drops, samples, many links, a study.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import dumbbell as db
from bench.measure import SCENARIOS
from dumbbell.study import Study, run_study

SHORT: dict[str, list[str]] = {
    "w1-dumbbell-bulk": ["duration=10s", "warmup=2s"],
    "w2-dumbbell-web": ["duration=100s"],
    "w3-incast-rounds": ["workloads[0].rounds=10"],
    "w4s-long-fat": ["duration=1200ms", "warmup=1s"],
}
"""The works of `make bench`; the others are short."""

LINUX = "kind = 'tcp', profile = 'linux'"

CHOICES = [
    "topology.bottleneck.queue=codel",
    "topology.bottleneck.queue=fq-codel",
    "topology.bottleneck.queue=red",
    f"transport={{ {LINUX}, controller = 'cubic' }}",
    f"transport={{ {LINUX}, controller = 'bbr' }}",
    f"transport={{ {LINUX}, controller = 'bbr3' }}",
]
"""Of W1 and W2."""


def main() -> None:
    """Make the runs."""
    for file in sorted(SCENARIOS.glob("*.toml")):
        settings = SHORT.get(file.stem, [])
        choices = CHOICES if file.stem in ("w1-dumbbell-bulk", "w2-dumbbell-web") else []
        for choice in ([], *([choice] for choice in choices)):
            db.Scenario.from_file(file, [*settings, *choice]).run(threads=1)
    metrics = [{"name": "goodput", "source": {"table": "runs", "column": "goodput"}}]
    web = {"name": "training", "scenario": str(SCENARIOS / "example.toml"), "seeds": 10, "metrics": metrics}
    with tempfile.TemporaryDirectory() as folder:
        run_study(Study.from_dict(web), Path(folder) / "study", workers=1)


if __name__ == "__main__":
    main()
