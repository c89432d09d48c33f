"""RCP through routers in a row, in virtual time: a busy machine changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.live import chain, rcp


@pytest.mark.within
@pytest.mark.parametrize("routers", [2, 3])
def test_flows_take_no_less_than_their_round_trips(routers: int) -> None:
    simulation = rcp.scenario(12, 1, routers).run()
    found = chain.run(rcp.hops(12, routers), rcp.MTU, simulation.flows, 12)
    assert found.reasons == []
    crossed = rcp.DELAY * (1 - chain.entered(simulation.flows) / routers)
    # A round trip for the rate, and the way of the last packet.
    assert (found.completion_time > 3 * crossed).all()
    # The sender knows half a round trip later.
    assert (found.sender_completion_time - found.completion_time > crossed).all()


def test_flows_through_two_routers_take_the_simulated_times(cli: Cli, tmp_path: Path) -> None:
    done = cli(
        "rcp-real", "--virtual", "-o", "page", "--rates", "4", "--routers", "2", "--duration", "3", "--json"
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [(row["crossed"], row["valid"]) for row in rows] == [(2, True), (1, True)]
    # Microseconds, where a live emulator has up to a millisecond.
    assert all(row["late_p99"] < 0.01 for row in rows)
    for row in rows:
        assert row["completed_live"] == row["completed_simulated"] == row["flows"] > 0
        # That of the means, over flows of Pareto sizes, follows the largest.
        assert row["median_ratio"] == pytest.approx(1, abs=0.02)
        assert row["live_over_simulated"] == pytest.approx(1, abs=0.05)
    simulated = db.load(tmp_path / "page/4M-2/1/simulation").flows
    again = rcp.scenario(4, 3, 2).run().flows
    assert np.array_equal(simulated["completion_time"], again["completion_time"], equal_nan=True)
    fidelity = json.loads((tmp_path / "page/4M-2/1/fidelity.json").read_text())
    assert fidelity["virtual"].startswith("Linux 6.")
    assert "VIRTUAL: Linux 6." in (tmp_path / "page/report.html").read_text()
