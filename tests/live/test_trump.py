"""TRUMP over UDP through emulated RBCC routers: the command, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import dumbbell as db
from conftest import Cli


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_command_writes_both_sides(cli: Cli, tmp_path: Path, form: tuple[str, ...]) -> None:
    done = cli("trump-real", "-o", "out", "--rates", "16", "--no-quench", *form)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out/routers.csv").open() as file:
        routers = list(csv.DictReader(file))
    assert [(row["router"], row["to"]) for row in routers] == [
        ("left", "right"), ("left", "hosts"), ("right", "left"), ("right", "hosts")
    ]  # fmt: skip
    assert all(row["real_quenches"] == row["simulated_quenches"] == "0" for row in routers)
    assert len(db.load(tmp_path / "out/16M/live").flows) == 4
    if not form:
        assert "Routers: real, simulated" in done.stdout
        return
    found = json.loads(done.stdout)
    assert [{key: str(value) for key, value in row.items()} for row in found["routers"]] == routers
    assert [row["flow"] for row in found["flows"]] == ["first", "second", "modest", "late"]
    assert all(isinstance(row["valid"], bool) for row in found["flows"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shell", "--cbr", "1Mbit/s", "--agent", "rbbc", "--", "true"], 'did you mean "rbcc"?'),
        (
            ["shell", "--cbr", "1Mbit/s", "--agent", "source-quench", "--", "true"],
            "source quench has no wire form",
        ),
        (
            ["shell", "--cbr", "1Mbit/s", "--agent", "rbcc", "--set", "nodes[0].agent.alpha=0", "--", "true"],
            "alpha: 0 is no factor that leaves bandwidth; give a number above 0, at most 1",
        ),
        (
            [
                "shell",
                "--cbr",
                "1Mbit/s",
                "--agent",
                "rbcc",
                "--set",
                "nodes[0].agent.threshold=0",
                "--",
                "true",
            ],
            "threshold: a single packet that waits would be above it; give 1 or more",
        ),
        (
            ["recv", "--transport", "trump", "--set", "transport.selacksize=17"],
            "selacksize: an acknowledgement cannot report 17 packets; give a number from 1 to 16",
        ),
        (
            ["send", "--transport", "trump", "--to", "127.0.0.1", "--set", "transport.selacksize=0"],
            "selacksize: an acknowledgement cannot report 0 packets; give a number from 1 to 16",
        ),
        (["send", "--transport", "tfrc", "--to", "127.0.0.1"], "--transport"),
        (["recv", "two.toml", "--transport", "trump"], "--transport: there is a scenario already"),
        (["shell", "apart.toml", "--", "true"], 'there is no way from "a" to "d"'),
        (["send", "apart.toml", "--to", "127.0.0.1"], 'there is no way from "a" to "d"'),
        (["trump-real", "-o", "x", "--rates", "eight"], "--rates: 'eight' are no numbers"),
        (["trump-real", "-o", "x", "--rates", "0"], "--rates: '0'"),
        (["trump-real", "-o", "x", "--rates", "8,2,8.0"], "--rates: 8 stands there twice; name each once"),
        (["rcp-real", "-o", "x", "--routers", "0"], "--routers: '0': a chain has 1 to 5 routers; give 2,3"),
        (["rcp-real", "-o", "x", "--routers", "2,9"], "--routers: '2,9': a chain has 1 to 5 routers"),
        (["rcp-real", "-o", "x", "--routers", "2,2"], "--routers: 2 stands there twice; name each once"),
        (["rcp-host", "-o", "x", "--sizes", "0"], "--sizes: 0: headers alone take 76 B of a packet; give 77"),
        (["rcp-host", "-o", "x", "--sizes", "100,65522"], "--sizes: 65522: beyond the MTU of the devices"),
        (["rcp-host", "-o", "x", "--sizes", "small"], "--sizes: 'small' are no numbers of bytes"),
        (["rcp-host", "-o", "x", "--rates", "10,0"], "--rates: '10,0': a source wants 0.01 to 100000 Mbit/s"),
        (["rcp-host", "-o", "x", "--rates", "nan"], "--rates: 'nan': a source wants 0.01 to 100000 Mbit/s"),
        (["rcp-real", "-o", "x", "--rates", "12,12"], "--rates: 12 stands there twice; name each once"),
        (["send", "mixed.toml", "--to", "127.0.0.1"], '"tfrc", which has no end points over UDP'),
    ],
)
def test_bad_input_is_one_line(cli: Cli, tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "apart.toml").write_text(
        """
duration = "1s"
transport = "trump"
nodes = [{ name = "b", agent = "rbcc" }]
flows = [{ from = "a", to = "d" }]
[topology]
kind = "graph"
nodes = ["a", "b", "c", "d"]
links = [{ from = "a", to = "b", rate = "1Mbit/s" }, { from = "c", to = "d", rate = "1Mbit/s" }]
"""
    )
    (tmp_path / "mixed.toml").write_text(
        """
duration = "1s"
topology = "dumbbell"
transport = "tfrc"
flows = [{ from = "senders", to = "receivers", size = "1kB" }]
"""
    )
    done = cli(*arguments)
    assert done.returncode == 2
    assert message in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 or "--transport" in message
