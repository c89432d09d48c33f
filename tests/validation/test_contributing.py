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
transport = { kind = "tcp", controller = "scalable", ecn = true }
[topology]
kind = "dumbbell"
bottleneck = { queue = "headdrop", power = { policy = "ondemand" }, router = "phantom" }
[[workloads]]
kind = "poisson"
from = "senders"
to = "receivers"
load = 0.5
size = { kind = "uniform", min = "1kB", max = "9kB" }
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


def examples() -> list[tuple[str, str]]:
    """Return path and text of the new files."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return re.findall(r"^`(crates/\S+\.rs)`:\n\n```rust\n(.*?)```", text, re.DOTALL | re.MULTILINE)


def add(folder: Path) -> None:
    """Do in a copy of the sources what CONTRIBUTING.md says."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    families = ("controllers!", "disciplines!", "policies!", "agents!", "headers!")
    anchors = {family: f"{family} {{\n" for family in families}
    for path, code in examples():
        (folder / path).write_text(code)
    block = r"\n\n```rust\n(.*?)```"
    edit = rf"In `(crates/\S+)`, beside the others, first at the top and then in `(\w+!)`:{block}{block}"
    found = re.findall(edit, text, re.DOTALL)
    assert len(found) == 10
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
    add(tmp_path)
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    packages = [f"--package=dumbbell-{name}" for name in ("header", "proto", "net", "sim")]
    for command in (
        # Sorts the added modules in; the examples themselves are in the house's format already.
        ["fmt", "--all"],
        ["clippy", "--quiet", "--all-targets", *packages, "--", "--deny", "warnings"],
        ["test", "--quiet", "--lib", *packages],
        ["run", "--quiet", "--package=dumbbell-sim", "--example=bench", "scenario.toml"],
    ):
        done = subprocess.run(["cargo", *command], cwd=tmp_path, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"cargo {' '.join(command)}\n{done.stdout}{done.stderr}"
    (tmp_path / "scenario.toml").write_text(HEADROOM)
    command = ["run", "--quiet", "--package=dumbbell-sim", "--example=bench", "scenario.toml"]
    done = subprocess.run(["cargo", *command], cwd=tmp_path, check=True, capture_output=True, text=True)
    link = json.loads(done.stdout)["links"][0]
    # The header comes back to the controller: four flows fill the link to the target of 0.95, and no queue.
    assert link["utilisation"] == pytest.approx(0.95, abs=0.03)
    assert link["queue_mean"] < 5
    for path, code in examples():
        assert (tmp_path / path).read_text() == code, f"{path} is not formatted"
