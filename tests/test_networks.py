"""Networks of other tools become scenarios that run; what is wrong with a file is one line."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest

import dumbbell as db
from dumbbell.formats import FormatError, read_network

TIERS = """# Two pods of two racks of two hosts.
Nodes 8
Tiers 3
Podsize 4

Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Queue_Down 100000
Downlink_Latency_ns 1000
Switch_Latency_ns 50

Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 4
Queue_Down 200000
Queue_Up 300000
Downlink_Latency_ns 1000
Bundle 1

Tier 2
Downlink_speed_Gbps 25
Radix_Down 4
Downlink_Latency_ns 5000
Bundle 2
"""
SPINE = """Nodes 4
Tiers 2
Podsize 4
Tier 0
Downlink_speed_Gbps 10
Downlink_Latency_ns 500
Radix_Down 2
Radix_Up 3
Tier 1
Downlink_speed_Gbps 10
Downlink_Latency_ns 500
Radix_Down 2
"""
HPCC = "5 2 4\n3 4\n0 3 100Gbps 1us 0\n1 3 25Gbps 1us 0.01\n2 4 100Gbps 0.001ms 0\n3 4 400Gbps 1000ns 0.0\n"


@pytest.fixture
def write(tmp_path: Path):
    def put(name: str, text: str | bytes) -> Path:
        place = tmp_path / name
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return place

    return put


def links_of(network) -> dict[str, dict]:
    scenario = db.Scenario.from_dict(
        {
            "duration": "1ms",
            "topology": dict(network.topology),
            "flows": [{"from": network.hosts[0], "to": network.hosts[-1]}],
        }
    )
    return {link["name"]: link for link in scenario.explain()["links"]}


def test_tiers_of_htsim_are_wired_as_it_wires_them(write) -> None:
    network = read_network(write("a.topo", TIERS))
    links = links_of(network)
    assert network.hosts == tuple(f"host{k}" for k in range(8))
    # 8 hosts, 4 racks with 2 switches above each, and 4 of these with 2 of the 4 cores.
    assert len(links) == 2 * (8 + 8 + 8)
    assert {name for name in links if name.startswith("agg3->core")} == {"agg3->core1", "agg3->core3"}
    assert {name for name in links if name.startswith("tor1->")} == {
        "tor1->host2", "tor1->host3", "tor1->agg0", "tor1->agg1",
    }  # fmt: skip
    # Two links of 25 Gbit/s are one of 50; a switch delays what enters it.
    assert links["agg0->core0"]["rate"] == 50e9
    assert [links[name]["delay"] for name in ("host0->tor0", "tor0->host0", "agg0->tor0", "tor0->agg0")] == [
        1050e-9, 1000e-9, 1050e-9, 1000e-9,
    ]  # fmt: skip
    limits = [links[name]["buffer_bytes"] for name in ("tor0->host0", "agg0->tor0", "agg0->core0")]
    assert limits == [100_000, 200_000, 300_000]
    assert network.notes == ("a bundle of links is one link with their rates together",)


def test_two_tiers_of_htsim_are_leaves_and_spines(write) -> None:
    links = links_of(read_network(write("a.topo", SPINE)))
    assert len(links) == 2 * (4 + 6)
    assert {"tor1->spine0", "tor1->spine1", "tor1->spine2", "host3->tor1"} <= links.keys()


def test_a_topology_of_hpcc_has_hosts_switches_and_losses(write) -> None:
    network = read_network(write("topology.txt", HPCC + "9 9 extra"), "hpcc-topology")
    links = links_of(network)
    assert network.hosts == ("0", "1", "2")
    assert links["3->4"]["rate"] == 400e9
    assert links["4->2"]["delay"] == 1e-6
    lossy = [link for link in network.topology["links"] if "loss" in link]
    assert [(link["from"], link["loss"], link["reverse"]) for link in lossy] == [("1", 0.01, {"loss": 0.01})]
    assert network.notes[1] == "line 7 comes after the 4 links that the file counts: it is left out"


def test_a_network_runs_with_the_flows_of_its_simulator(write, tmp_path: Path, cli) -> None:
    done = cli("convert", write("a.topo", SPINE), "-o", tmp_path / "net.toml")
    assert (done.returncode, done.stderr) == (0, "")
    assert "net.toml: 9 nodes, of which 4 may send; 20 links; the file has no sizes of queues" in done.stdout
    matrix = write("a.cm", "0->3 start 0 size 5000\n2->0 start 1000000 size 7000\n")
    done = cli("convert", matrix, "-o", tmp_path / "flows.csv", "--same-hosts")
    assert "2 flows within 1e-06 s; their ends as in the file" in done.stdout
    assert (tmp_path / "flows.csv").read_text().splitlines()[1:] == [
        "0.000000000,host0,host3,5000",
        "0.000001000,host2,host0,7000",
    ]
    values = tomllib.loads((tmp_path / "net.toml").read_text())
    assert values["flows"] == [{"from": "host0", "to": "host3"}]
    del values["flows"]
    values["workloads"] = [{"kind": "trace", "file": str(tmp_path / "flows.csv")}]
    results = db.Scenario.from_dict(values).run()
    assert sorted(results.flows["size"]) == [5000, 7000]
    assert all(results.flows["completion_time"] > 0)


def test_a_graph_becomes_a_scenario(tmp_path: Path, cli) -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([("west", "mid"), ("mid", "east")])
    graph.edges["west", "mid"]["rate"] = "2Mbit/s"
    networkx.write_graphml(graph, tmp_path / "net.graphml")
    out = tmp_path / "net.toml"
    done = cli("convert", tmp_path / "net.graphml", "-o", out)
    assert done.returncode == 2
    assert 'has no attribute "rate"' in done.stderr
    assert "--rate" in done.stderr
    cli("convert", tmp_path / "net.graphml", "-o", out, "--rate", "5Mbit/s", "--delay", "3ms")
    plan = {link["name"]: link for link in db.Scenario.from_file(out).explain()["links"]}
    assert plan["west->mid"]["rate"] == 2e6
    assert (plan["mid->east"]["rate"], plan["mid->east"]["delay"]) == (5e6, 3e-3)
    networkx.write_graphml(networkx.Graph([("a", "b\x7f")]), tmp_path / "odd.graphml")
    done = cli("convert", tmp_path / "odd.graphml", "-o", tmp_path / "odd.toml", "--rate", "5Mbit/s")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "odd.graphml: no network for a scenario: topology.nodes[1]" in done.stderr
    assert db.Scenario.from_file(out).run().runs.row(0)["goodput"] > 1e6


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.topo", "", "it has no `Tiers 2` or `Tiers 3`"),
        ("a.topo", "Nodes 8\nNodes 9\n", "line 2: nodes stands twice; keep one"),
        ("a.topo", "Nodes\n", "line 1: 'nodes' has no value"),
        ("a.topo", "hello 5\n", "line 1 is none of a topology of htsim"),
        ("a.topo", "Tier 3\n", "line 1: tier 3; there are 0, 1 and 2"),
        ("a.topo", SPINE.replace("Radix_Up 3\n", ""), "tier 0 has no radix_up"),
        ("a.topo", SPINE.replace("Nodes 4", "Nodes 5"), "5 nodes, 4 in a pod and 2 at a ToR"),
        ("a.topo", SPINE + "Bundle 2\n", "radix_up of tier 0 is 3, no multiple of the bundle of 2 in tier 1"),
        ("a.topo", SPINE.replace("Radix_Up 3", "Radix_Up 999999"), "more than the limit of 200,000 links"),
        ("a.topo", TIERS.replace("Radix_Down 4", "Radix_Down 5"), "radix_down of tier 2 is 5, but 4 links"),
        ("a.topo", b"\xff", "it is not text in UTF-8"),
        ("t.hpcc-topology", "", "it ends before all that it counts"),
        ("t.hpcc-topology", "2 0 999999999\n", "or above the limit of 200,000 links"),
        ("t.hpcc-topology", "2 0 1\n0 7 1Gbps 1us 0", "line 2: node 7 of 2"),
        ("t.hpcc-topology", "2 0 1\n0 1 fast 1us 0", "line 2: 'fast' stands where a rate is needed"),
        ("t.hpcc-topology", "2 0 1\n0 1 1Gbps 1us 2", "line 2: '2' stands where a share is needed"),
        ("t.hpcc-topology", "2 1 1\n0\n0 1 1Gbps 1us 0", "fewer than two hosts are in it"),
        ("a.graphml", "<graphml>", "no graph in the format graphml"),
        ("a.dot", "graph {}", "its name tells no network; --format names one of htsim-topology,"),
    ],
)
def test_a_bad_network_is_one_line(write, name: str, text: str | bytes, line: str) -> None:
    place = write(name, text)
    chosen = "hpcc-topology" if name.endswith(".hpcc-topology") else None
    with pytest.raises(FormatError) as error:
        read_network(place, chosen)
    assert str(error.value).startswith(f"{place}: ")
    assert line in str(error.value)
    assert "\n" not in str(error.value)


def test_no_numbers_break_the_reader(write) -> None:
    """Whatever the numbers of a file are, it is a network or is refused."""
    draw = random.Random(5)
    refused = 0
    for _ in range(300):
        source, chosen = draw.choice([(TIERS, None), (SPINE, None), (HPCC, "hpcc-topology")])
        words = source.split(" ")
        words[draw.randrange(len(words))] = draw.choice(["0", "1", "7", "65536", "10" * 7, "-1", "x"])
        place = write("a.topo", " ".join(words))
        try:
            network = read_network(place, chosen)
            assert len(network.hosts) > 1
        except FormatError:
            refused += 1
    assert 100 < refused < 300
