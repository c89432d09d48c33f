"""The worked examples of CONTRIBUTING.md compile, obey the laws of their families, and run.

All are added at once to one copy of the sources. It stays in the target folder, so that a file that has not
changed is not compiled again. Our crates are compiled without optimisation: their tests are short.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "target"
COPY = TARGET / "contributing"

CRATES = ("core", "header", "trace", "net", "proto", "sim")
"""The crates that the examples touch, and those below them."""
PACKAGES = [f"--package=dumbbell-{name}" for name in ("header", "net", "proto", "sim")]

ENGINE = "contributed"
"""The name of the engine with the examples: the other tests run the one without."""

LAWS = ("laws::", "every_header::", "size::tests::")
"""Tests of all members of a family."""

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


def tree(folder: Path) -> dict[Path, bytes]:
    """Return what stands in the files of a folder."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def place(made: Path, folder: Path) -> None:
    """Make a folder hold the same files as another; those that do keep their times."""
    wanted, there = tree(made), tree(folder)
    for path in there.keys() - wanted.keys():
        (folder / path).unlink()
    for path, content in wanted.items():
        if there.get(path) != content:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)


def cargo(*command: str, folder: Path = COPY, **environment: str) -> str:
    """Run cargo in the copy, with the target folder of the sources: it has most crates of others."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET), "CARGO_INCREMENTAL": "0", **environment}
    done = subprocess.run(
        ["cargo", *command], cwd=folder, check=False, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, f"cargo {' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the copy of the sources with all examples."""
    made = tmp_path_factory.mktemp("contributing")
    for name in ("Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml", "rust-toolchain.toml"):
        shutil.copy(ROOT / name, made)
    for name in ("crates", "bench", "scenarios"):
        shutil.copytree(ROOT / name, made / name, ignore=shutil.ignore_patterns("__pycache__"))
    # Its laws run a controller of this page.
    (made / "docs").mkdir()
    shutil.copy(ROOT / "docs/own-c-controller.md", made / "docs")
    add(made)
    engines = made / "crates" / "sim" / "examples"
    (engines / "bench.rs").rename(engines / f"{ENGINE}.rs")
    profile = "[profile.test.package]\n"
    manifest = (made / "Cargo.toml").read_text()
    assert profile in manifest
    plain = "".join(f"dumbbell-{name} = {{ opt-level = 0, debug = false }}\n" for name in CRATES)
    (made / "Cargo.toml").write_text(manifest.replace(profile, profile + plain))
    # Sorts the added modules in; the examples themselves are in the house's format already.
    cargo("fmt", "--all", folder=made)
    for path, code in examples():
        assert (made / path).read_text() == code, f"{path} is not formatted"
    place(made, COPY)
    return COPY


@pytest.fixture(scope="module")
def engine(copy: Path) -> Path:
    """Build the engine with all examples."""
    cargo(
        "build",
        "--locked",
        "--quiet",
        "--profile=test",
        "--package=dumbbell-sim",
        f"--example={ENGINE}",
        folder=copy,
    )
    return TARGET / "debug" / "examples" / ENGINE


def ran(engine: Path, scenario: str, folder: Path, *settings: str) -> Any:
    """Return what the engine prints of a scenario."""
    path = folder / "scenario.toml"
    path.write_text(scenario)
    done = subprocess.run([engine, path, *settings], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_there_are_sixteen_examples() -> None:
    assert len(examples()) == 16


def test_the_examples_pass_their_tests_and_the_laws(copy: Path) -> None:
    modules = [re.sub(r".*/src/|\.rs$", "", path).replace("/", "::") + "::" for path, _ in examples()]
    # An eighth of the cases: all of them are tried by `make full`.
    told = cargo(
        "test", "--locked", "--lib", *PACKAGES, "--", *LAWS, *modules, folder=copy, PROPTEST_CASES="32"
    )
    for name in (
        "every_header::headroom::survives_packing",
        "controller::laws::every_controller_obeys_its_laws",
        "controller::binomial::tests::a_loss_takes_half_the_root_of_the_window",
        "controller::maxrate::tests::the_largest_rate_is_forgotten_after_ten_rounds",
        "impairment::bursts::tests::losses_come_in_bursts",
        "queue::laws::every_discipline_conserves_packets_and_order",
        "power::laws::every_policy_obeys_the_laws_of_the_port",
        "workload::size::tests::sample_means_agree_with_stated_means",
    ):
        assert f"test {name} ... ok" in told


@pytest.mark.full
def test_the_examples_break_no_other_test_and_no_lint(copy: Path) -> None:
    cargo(
        "clippy", "--locked", "--quiet", "--all-targets", *PACKAGES, "--", "--deny", "warnings", folder=copy
    )
    cargo("test", "--locked", "--quiet", "--lib", *PACKAGES, folder=copy)


def test_all_examples_run_together(engine: Path, tmp_path: Path) -> None:
    results = ran(engine, SCENARIO, tmp_path)
    assert results["flows_completed"] > 10


def test_the_model_that_paces_fills_the_link_and_not_the_queue(engine: Path, tmp_path: Path) -> None:
    queues = {}
    for controller in ("maxrate", "cubic"):
        results = ran(engine, LONG_QUEUE, tmp_path, f"transport.controller={controller}")
        link = next(link for link in results["links"] if link["link"] == "left->right")
        assert link["utilisation"] > 0.95, controller
        queues[controller] = link["queue_mean"]
    assert queues["maxrate"] < 0.5 * BDP < 2 * BDP < queues["cubic"]


def test_the_header_comes_back_to_the_controller(engine: Path, tmp_path: Path) -> None:
    # Four flows fill the link to the target of 0.95, and no queue.
    link = ran(engine, HEADROOM, tmp_path)["links"][0]
    assert link["utilisation"] == pytest.approx(0.95, abs=0.03)
    assert link["queue_mean"] < 5


def test_the_class_that_is_protected_loses_nothing(engine: Path, tmp_path: Path) -> None:
    # What is lost is not protected, as long as there is enough of it.
    classes = ran(engine, TWO_CLASSES, tmp_path)["classes"]
    arrived, dropped = ([row[key] for row in classes[:2]] for key in ("arrived", "dropped"))
    packets = 15 * 18e6 / 8 / 1500
    assert sum(arrived) == pytest.approx(packets, abs=2)
    assert arrived[0] == pytest.approx(packets / 3, abs=2)
    assert dropped == [0, pytest.approx(packets * 8 / 18, rel=0.01)]


def test_parallel_paths_are_all_taken(engine: Path, tmp_path: Path) -> None:
    # All paths have the same number of hops, and differ in delay: a flow takes one, or each packet its own.
    used = {}
    for paths in ("single", "ecmp", "spray"):
        # The engine prints the links that carried something.
        sent = {
            row["link"]: row["sent"] for row in ran(engine, PARALLEL, tmp_path, f"paths={paths}")["links"]
        }
        used[paths] = [sent.get(f"left->middle{i}", 0) for i in range(4)]
    assert used["single"] == [200, 0, 0, 0]
    assert sorted(used["ecmp"]) in ([0, 0, 0, 200], [0, 0, 100, 100])
    assert used["spray"] == [50, 50, 50, 50]


def test_quenched_sources_slow_down_before_the_queue_is_full(engine: Path, tmp_path: Path) -> None:
    lost = {}
    for agent in ("", ", agent = 'periodic-quench'"):
        links = ran(engine, QUENCHED, tmp_path, f"nodes=[{{ name = 'left'{agent} }}]")["links"]
        lost[bool(agent)] = next(link["loss"] for link in links if link["link"] == "left->right")
    assert lost[True] < 0.5 * lost[False]
    assert lost[False] > 0.001
