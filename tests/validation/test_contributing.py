"""The worked examples of CONTRIBUTING.md compile, obey the laws of their families, and run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SCENARIO = """
duration = "10s"
transport = { kind = "tcp", controller = "binomial", ecn = true }
[topology]
kind = "dumbbell"
[topology.bottleneck]
queue = "headdrop"
power = { policy = "ondemand" }
router = "phantom"
impairments = ["bursts"]
[[workloads]]
kind = "poisson"
from = "senders"
to = "receivers"
load = 0.5
size = { kind = "triangular", min = "1kB", max = "9kB" }
[[workloads]]
kind = "periodic"
from = "senders"
to = "receivers"
every = "1s"
size = "10kB"
[[workloads]]
kind = "relay"
from = "senders"
to = "receivers"
size = "10kB"
"""

HEADROOM = """
duration = "20s"
warmup = "5s"
transport = { kind = "tcp", controller = "headroom" }
flows = [{ from = "senders", to = "receivers", count = 4, stagger = "100ms" }]
[topology]
kind = "chain"
link = { rate = "20Mbit/s", delay = "20ms", router = "headroom" }
"""

# A queue of four bandwidth-delay products: a controller that waits for losses fills it.
LONG_QUEUE = """
duration = "20s"
warmup = "5s"
transport = { kind = "tcp", controller = "maxrate" }
[topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "10Mbit/s", delay = "10ms", queue = { kind = "droptail", limit = "4bdp" } }
access = { rate = "100Mbit/s", delay = "5ms" }
[[flows]]
from = "senders"
to = "receivers"
"""
BDP = 10e6 / 8 * 40e-3 / 1500
"""Its bandwidth-delay product in packets."""

# A datagram a millisecond, a hundred of each of two flows; the paths differ by more than that.
PARALLEL = """
duration = "1s"
transport = { kind = "cbr", rate = "12Mbit/s" }
flows = [{ from = "senders", to = "receivers", size = "147200B", stagger = "200ms" }]
[topology]
kind = "parallel"
pairs = 2
paths = 4
skew = "3ms"
bottleneck = { rate = "20Mbit/s", delay = "5ms" }
"""

# Datagrams at 18 Mbit/s into 10: 6 are protected, and 8 of the rest find no room.
TWO_CLASSES = """
duration = "20s"
warmup = "5s"
transport = { kind = "cbr", rate = "18Mbit/s" }
flows = [{ from = "senders", to = "receivers" }]
[topology]
kind = "chain"
[topology.link]
rate = "10Mbit/s"
delay = "5ms"
queue = { kind = "partial-sharing", limit = "60pkt" }
marker = { kind = "every", period = 3 }
"""


# Ten flows share a port of 50 packets: what sources lose without a quench and with it.
QUENCHED = """
duration = "20s"
warmup = "5s"
transport = { kind = "tcp", controller = "newreno" }
flows = [{ from = "senders", to = "receivers", stagger = "50ms" }]
[topology]
kind = "dumbbell"
pairs = 10
access = { rate = "100Mbit/s", delay = "2ms" }
bottleneck = { rate = "20Mbit/s", delay = "10ms", queue = { kind = "droptail", limit = "50pkt" } }
"""


def examples() -> list[tuple[str, str]]:
    """Return path and text of the new files."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return re.findall(r"^`(crates/\S+\.rs)`:\n\n```rust\n(.*?)```", text, re.DOTALL | re.MULTILINE)


def add(folder: Path) -> None:
    """Do in a copy of the sources what CONTRIBUTING.md says."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    families = (
        "controllers!", "disciplines!", "markers!", "policies!", "agents!", "node_agents!", "impairments!",
        "headers!",
    )  # fmt: skip
    anchors = {family: f"{family} {{\n" for family in families}
    for path, code in examples():
        (folder / path).write_text(code)
    block = r"\n\n```rust\n(.*?)```"
    edit = rf"In `(crates/\S+)`, beside the others, first at the top and then in `(\w+!)`:{block}{block}"
    found = re.findall(edit, text, re.DOTALL)
    assert len(found) == 16
    for path, macro, module, line in found:
        file = folder / path
        source = file.read_text().replace("\npub mod ", f"\n{module}pub mod ", 1)
        anchor = anchors.get(macro) or re.search(r"registry! \{.*?pub enum .*?\{\n", source, re.DOTALL)[0]
        head, tail = source.rsplit(anchor, 1) if macro in anchors else source.split(anchor, 1)
        file.write_text(head + anchor + line + tail)
    example = re.search(
        r"`(crates/\S+)`, beside the\nothers in `examples`:\n\n```rust\n(.*?)```", text, re.DOTALL
    )
    file = folder / example[1]
    anchor = "        \"'campus-web'\",\n"
    assert anchor in file.read_text()
    file.write_text(file.read_text().replace(anchor, example[2] + anchor, 1))


@pytest.mark.full
def test_the_worked_examples(tmp_path: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "crates", tmp_path / "crates")
    shutil.copytree(ROOT / "bench", tmp_path / "bench")
    add(tmp_path)
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    (tmp_path / "long.toml").write_text(LONG_QUEUE)
    (tmp_path / "headroom.toml").write_text(HEADROOM)
    (tmp_path / "parallel.toml").write_text(PARALLEL)
    (tmp_path / "classes.toml").write_text(TWO_CLASSES)
    (tmp_path / "quenched.toml").write_text(QUENCHED)
    packages = [f"--package=dumbbell-{name}" for name in ("header", "proto", "net", "sim")]

    def cargo(*command: str) -> str:
        done = subprocess.run(["cargo", *command], cwd=tmp_path, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"cargo {' '.join(command)}\n{done.stdout}{done.stderr}"
        return done.stdout

    # Sorts the added modules in; the examples themselves are in the house's format already.
    cargo("fmt", "--all")
    cargo("clippy", "--quiet", "--all-targets", *packages, "--", "--deny", "warnings")
    cargo("test", "--quiet", "--lib", *packages)
    bench = ("run", "--quiet", "--package=dumbbell-sim", "--example=bench")
    cargo(*bench, "scenario.toml")
    # The controller that paces fills the link, not the queue; CUBIC fills both.
    queues = {}
    for controller in ("maxrate", "cubic"):
        results = json.loads(cargo(*bench, "long.toml", f"transport.controller={controller}"))
        link = next(link for link in results["links"] if link["link"] == "left->right")
        assert link["utilisation"] > 0.95, controller
        queues[controller] = link["queue_mean"]
    assert queues["maxrate"] < 0.5 * BDP < 2 * BDP < queues["cubic"]
    # The header comes back to the controller: four flows fill the link to the target of 0.95, and no queue.
    link = json.loads(cargo(*bench, "headroom.toml"))["links"][0]
    assert link["utilisation"] == pytest.approx(0.95, abs=0.03)
    assert link["queue_mean"] < 5
    # What is lost is not protected, as long as there is enough of it.
    classes = json.loads(cargo(*bench, "classes.toml"))["classes"]
    arrived, dropped = ([row[key] for row in classes[:2]] for key in ("arrived", "dropped"))
    packets = 15 * 18e6 / 8 / 1500
    assert sum(arrived) == pytest.approx(packets, abs=2)
    assert arrived[0] == pytest.approx(packets / 3, abs=2)
    assert dropped == [0, pytest.approx(packets * 8 / 18, rel=0.01)]
    # All paths have the same number of hops, and differ in delay: a flow takes one, or each packet its own.
    used = {}
    for paths in ("single", "ecmp", "spray"):
        links = json.loads(cargo(*bench, "parallel.toml", f"paths={paths}"))["links"]
        used[paths] = [link["sent"] for link in links if link["link"].startswith("left->middle")]
    assert used["single"] == [200, 0, 0, 0]
    assert sorted(used["ecmp"]) in ([0, 0, 0, 200], [0, 0, 100, 100])
    assert used["spray"] == [50, 50, 50, 50]
    # The router's own packets reach the sources, which slow down before the queue is full.
    lost = {}
    for agent in ("", ", agent = 'periodic-quench'"):
        links = json.loads(cargo(*bench, "quenched.toml", f"nodes=[{{ name = 'left'{agent} }}]"))["links"]
        lost[bool(agent)] = next(link["loss"] for link in links if link["link"] == "left->right")
    assert lost[True] < 0.5 * lost[False]
    assert lost[False] > 0.001
    for path, code in examples():
        assert (tmp_path / path).read_text() == code, f"{path} is not formatted"
