"""RCP over several emulated routers in a row: exact sharing, packets that pass them all, and the page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from conftest import Cli
from dumbbell.live import chain, rcp
from dumbbell.live.named import cell


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
