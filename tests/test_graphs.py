"""Networks from graphs."""

import json

import pytest

from dumbbell import Scenario
from dumbbell.graphs import GraphError, from_networkx, read_graph

networkx = pytest.importorskip("networkx", reason="the import of graphs needs networkx: the extra `graphs`")


def triangle():
    graph = networkx.Graph()
    graph.add_edge("a", "b", rate="10Mbit/s", delay="5ms")
    graph.add_edge("b", "c", rate="2Mbit/s", queue="codel")
    graph.add_edge("a", "c")
    graph.nodes["a"]["group"] = "west"
    return graph


def planned(topology):
    flows = [{"from": "a", "to": "c", "size": "10kB"}]
    return Scenario.from_dict({"duration": "1s", "topology": topology, "flows": flows}).explain()


def test_a_graph_is_a_network_with_its_attributes_and_groups():
    topology = from_networkx(triangle(), rate="1Mbit/s", delay="1ms")
    links = {link["name"]: link for link in planned(topology)["links"]}
    assert len(links) == 6
    assert (links["a->b"]["rate"], links["a->b"]["delay"]) == (10e6, 0.005)
    assert (links["b->c"]["rate"], links["b->c"]["queue"]) == (2e6, "codel")
    assert (links["c->a"]["rate"], links["c->a"]["delay"]) == (1e6, 0.001)
    assert topology["groups"] == [{"name": "west", "nodes": ["a"]}]


def test_edges_of_a_directed_graph_are_links_one_way():
    graph = networkx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")])
    names = [link["name"] for link in planned(from_networkx(graph, rate="1Mbit/s"))["links"]]
    assert names == ["a->b", "b->c", "c->a"]


def test_files_of_each_format_give_the_same_network(tmp_path):
    graph = triangle()
    networkx.write_graphml(graph, tmp_path / "net.graphml")
    values = networkx.node_link_data(graph, edges="edges")
    (tmp_path / "net.json").write_text(json.dumps(values), encoding="utf-8")
    networkx.write_edgelist(graph, tmp_path / "net.edgelist")
    expected = from_networkx(graph, rate="1Mbit/s")
    for name in ("net.graphml", "net.json", "net.edgelist"):
        found = read_graph(tmp_path / name, rate="1Mbit/s")
        if name == "net.edgelist":
            expected = {key: value for key, value in expected.items() if key != "groups"}
        assert found == expected, name


def edges(*lines):
    return networkx.parse_edgelist(lines)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (networkx.Graph, "the graph has no nodes; add some"),
        (
            lambda: networkx.Graph([("a", "b"), ("c", "d")]),
            "the graph is not connected: no way from 'a' to 'c'; add edges",
        ),
        (
            lambda: networkx.DiGraph([("a", "b"), ("c", "a"), ("b", "c"), ("a", "d")]),
            "the graph is not connected: no way from 'd' to 'a'; add edges",
        ),
        (
            lambda: networkx.MultiGraph([("a", "b"), ("b", "a")]),
            "edge 'a' - 'b': several edges between these nodes; keep one",
        ),
        (lambda: networkx.Graph([("a", "a")]), "edge 'a' - 'a': it leads from a node to itself; remove it"),
        (
            lambda: edges("a b {'rate': '10ms'}"),
            "edge 'a' - 'b': rate: \"ms\" is not a unit of a rate; use one of bit/s, kbit/s, Mbit/s, Gbit/s, "
            'Tbit/s, bps, kbps, Kbps, Mbps, Gbps, Tbps, B/s, kB/s, MB/s, GB/s, for example "10Mbit/s"',
        ),
        (
            lambda: edges("a b {'delay': 5}"),
            "edge 'a' - 'b': delay: an integer is not a duration; write it as a string with a unit, "
            'for example "25ms"',
        ),
    ],
)
def test_what_is_no_network_is_refused_in_one_line(graph, message):
    with pytest.raises(GraphError) as refused:
        from_networkx(graph(), rate="1Mbit/s")
    assert str(refused.value) == message


def test_an_edge_needs_a_rate():
    with pytest.raises(GraphError, match=r"^edge 'a' - 'b': has no attribute \"rate\"; add one such as"):
        from_networkx(edges("a b"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("net.dot", "graph {}", "no known format; name it: graphml, json or edgelist"),
        ("net.json", "[1]", 'the JSON is no object; write {"nodes": [...], "edges": [...]}'),
        ("net.json", "{", "no graph in the format json"),
        ("net.graphml", "<a", "no graph in the format graphml"),
        ("net.edgelist", "a b {'rate': ", "no graph in the format edgelist"),
        ("net.edgelist", "a b\nb a", "line 2: 'b' and 'a' are joined on line 1 already; keep one"),
    ],
)
def test_a_file_that_is_no_graph_is_refused_in_one_line(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GraphError) as refused:
        read_graph(path, rate="1Mbit/s")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.filterwarnings("default")
def test_what_networkx_would_guess_is_refused(tmp_path):
    path = tmp_path / "net.graphml"
    key = '<key id="d0" for="edge" attr.name="rate"/>'
    edge = '<edge source="a" target="b"><data key="d0">1Mbit/s</data></edge>'
    nodes = '<node id="a"/><node id="b"/>'
    path.write_text(
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{key}'
        f'<graph edgedefault="undirected">{nodes}{edge}</graph></graphml>'
    )
    with pytest.raises(GraphError, match="no graph in the format graphml: No key type for id d0"):
        read_graph(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(GraphError, match=r"there is no such file; name a file with a graph$"):
        read_graph(tmp_path / "net.json")
