"""RCP over several emulated routers in a row: exact sharing, packets that pass them all, and the page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from conftest import Cli
from dumbbell import theory
from dumbbell.live import chain, rcp
from dumbbell.live.fluid import max_min, sharing
from dumbbell.live.named import cell


def test_rates_are_max_min_fair() -> None:
    # Flows of class i cross the links from i on.
    assert max_min([2, 1, 1], [6, 9, 10]) == [2.5, 2.5, 2.5], "the last link is the bottleneck of all"
    assert max_min([4, 1, 1], [4, 9, 10]) == [1, 3, 3], "the first link limits its own"
    assert max_min([1, 0, 3], [6, 9, 10]) == [2.5, 0, 2.5]
    assert max_min([0, 0], [6, 9]) == [0, 0]


def test_sharing_on_one_link_is_processor_sharing() -> None:
    rng = np.random.default_rng(1)
    starts, work = np.sort(rng.random(300) * 10), rng.exponential(1, 300)
    found = sharing(starts, work, np.zeros(300), [40.0])
    assert found == pytest.approx(theory.processor_sharing(starts, work, 40.0), abs=1e-9)


def test_sharing_in_a_row_gives_what_others_leave() -> None:
    # The first flow has the 4 of its own link for 10 s, the second the other 6 of the last one.
    found = sharing([0.0, 0.0], [40.0, 60.0], [0, 1], [4.0, 10.0])
    assert found == pytest.approx([10, 10])
    # Alone from 5 s on, the second would have all: 6 x 5 + 10 x 3.
    assert sharing([0.0, 0.0], [20.0, 60.0], [0, 1], [4.0, 10.0]) == pytest.approx([5, 8])


def test_every_link_of_a_chain_has_the_load() -> None:
    for routers in (1, 2, 3):
        hops, scenario = rcp.hops(12, routers), rcp.scenario(12, 10, routers)
        assert hops[-1].rate == 12
        assert sum(hop.delay for hop in hops) == pytest.approx(rcp.DELAY)
        offered = 0.0
        for workload, hop in zip(scenario.to_dict()["workloads"], hops, strict=True):
            offered += workload["load"] * hop.rate
            assert offered == pytest.approx(rcp.LOAD * hop.rate)


@pytest.mark.parametrize("routers", [2, 3])
def test_flows_pass_all_routers_of_their_way(routers: int) -> None:
    links = rcp.hops(12, routers)
    simulation = rcp.scenario(12, 1, routers).run()
    found = chain.run(links, rcp.MTU, simulation.flows, 12)
    enters = chain.entered(simulation.flows)
    assert set(enters.tolist()) == set(range(routers))
    assert np.isfinite(found.completion_time).all()
    # Each emulator carries the packets of all flows that enter before it or at it.
    payload = rcp.MTU - 76
    packets = np.ceil(simulation.flows["size"] / payload)
    for number, emulation in enumerate(found.emulations):
        link = emulation.links.row(0)
        assert link["rate"] == links[number].rate * 1e6
        assert link["sent"] >= packets[enters <= number].sum() + (enters <= number).sum()


def test_the_page_has_a_column_for_each_way(cli: Cli, tmp_path: Path) -> None:
    done = cli("rcp-real", "-o", "page", "--rates", "12", "--routers", "2", "--duration", "1", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [(row["routers"], row["crossed"]) for row in rows] == [(2, 2), (2, 1)]
    assert all(row["fct_live_low"] is None for row in rows), "one run has no interval"
    with (tmp_path / "page/flows.csv").open() as file:
        flows = list(csv.DictReader(file))
    assert {flow["crossed"] for flow in flows} == {"1", "2"}
    page = (tmp_path / "page/report.html").read_text()
    assert "12 Mbit/s, 2 of 2 routers" in page
    assert (tmp_path / "page/figures/completion-12M-2.png").is_file()
    assert (tmp_path / "page/12M-2/1/link2").is_dir()


def test_intervals_are_written_where_there_are_any() -> None:
    assert cell({"x": 1.5, "x_low": 1.0, "x_high": 2.0}, "x") == "1.5 [1, 2]"
    assert cell({"x": 1.5, "x_low": None, "x_high": None}, "x") == "1.5"
    assert cell({"x": None, "x_low": None, "x_high": None}, "x") == "-"
