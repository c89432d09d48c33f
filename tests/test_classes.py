"""Traffic classes by the builders: queues that hold queues, markers, shared buffers, the table of classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import dumbbell as db
from conftest import Cli
from dumbbell.report import parameters
from dumbbell.study import Study


def scenario(**link: Any) -> db.Scenario:
    """Return two sources that each fill a link of 12 Mbit/s, in two classes."""
    return db.scenario(
        duration="3s",
        warmup="1s",
        transport=db.transport.cbr(rate="12Mbit/s"),
        topology=db.topology.chain(link={"rate": "12Mbit/s", "delay": "1ms", **link}),
        flows=[
            db.flows(name="first", from_="senders", to="receivers"),
            db.flows(name="second", from_="senders", to="receivers", class_=1),
        ],
    )


def test_the_builders_nest_and_the_tables_tell_the_classes() -> None:
    short = db.queue.droptail(limit="10pkt")
    results = scenario(queue=db.queue.strict_priority(classes=[short, short])).run()
    classes = results.classes
    there = classes["link"] == "node0->node1"
    assert classes["class"][there].tolist() == [0, 1]
    assert classes["sent"][there].tolist() == [2000, 0]
    assert classes["loss"][there].tolist() == [0.0, 1.0]
    results = scenario(queue=db.queue.drr(classes=[short, short], weights=[1, 3])).run()
    sent = results.classes["sent"][results.classes["link"] == "node0->node1"]
    np.testing.assert_allclose(sent, [500, 1500], atol=3)


def test_a_report_names_every_queue_within_a_queue(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(
        """
        name = "classes"
        title = "Classes"
        seeds = 2
        metrics = [{ name = "goodput", unit = "bit/s", source = { table = "runs", column = "goodput" } }]
        [scenario]
        duration = "1s"
        flows = [{ from = "senders", to = "receivers" }]
        [scenario.topology]
        kind = "chain"
        link = { rate = "10Mbit/s", delay = "1ms", queue = { kind = "drr", classes = ["codel", "droptail"] } }
        """
    )
    paths = [parameter.path for parameter in parameters(Study.from_file(file))]
    assert "topology.link.queue.classes[0].target" in paths
    assert "topology.link.queue.classes[1].kind" in paths


def test_the_command_shows_classes_and_what_a_node_shares(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "classes.toml"
    file.write_text(
        """
        duration = "1s"
        transport = { kind = "cbr", rate = "12Mbit/s" }
        flows = [{ from = "senders", to = "receivers" }]
        nodes = [{ name = "node0", buffer = { size = "100kB" } }]
        [topology]
        kind = "chain"
        [topology.link]
        rate = "10Mbit/s"
        delay = "1ms"
        queue = "strict-priority"
        marker = { kind = "token-bucket", rate = "4Mbit/s" }
        """
    )
    checked = cli("check", str(file))
    assert "marker token-bucket; shares 100 kB" in " ".join(checked.stdout.split()), checked.stdout
    run = cli("run", str(file))
    assert "Traffic classes" in run.stdout, run.stderr
