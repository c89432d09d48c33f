"""Controllers on ns-2 and here in the same buffer, and what Westwood is for."""

from __future__ import annotations

import statistics
from itertools import pairwise
from typing import Any

import pytest

import dumbbell as db
from bench.measure import missing
from peers import controllers


@pytest.mark.parametrize("pair", controllers.PAIRS, ids=lambda pair: pair.peer)
def test_goodput_in_a_buffer_of_one_product_is_that_of_ns2(pair: controllers.Pair) -> None:
    if reason := missing("ns", "ns2"):
        pytest.skip(reason)
    controllers.FOLDER.mkdir(parents=True, exist_ok=True)
    quantity, theirs, ours = controllers.compare(pair, "long")[0]
    assert quantity == controllers.GOODPUT
    bound = pair.bounds[0]
    if bound is None:
        # Where the law of ns-2 is another, the difference shows it.
        assert abs(ours / theirs - 1) > 0.02
    else:
        assert ours == pytest.approx(theirs, rel=bound)


def link(controller: str, **more: Any) -> dict[str, Any]:
    """One flow over 10 Mbit/s and 50 ms, with a buffer of one bandwidth-delay product."""
    bottleneck = {
        "rate": "10Mbit/s", "delay": "24ms", "queue": {"kind": "droptail", "limit": "42pkt"},
        "reverse": {"loss": 0.0}, **more,
    }  # fmt: skip
    return {
        "duration": "60s", "warmup": "20s", "record": {"period": "10ms"},
        "transport": {"kind": "tcp", "profile": "rfc", "controller": controller},
        "topology": {
            "kind": "dumbbell", "pairs": 1, "bottleneck": bottleneck,
            "access": {"rate": "1Gbit/s", "delay": "500us"},
        },
        "flows": [{"from": "senders", "to": "receivers"}],
    }  # fmt: skip


@pytest.mark.parametrize("controller", ["westwood", "westwood-plus"])
def test_after_a_loss_westwood_has_what_the_path_holds(controller: str) -> None:
    ((times, sizes),) = db.Scenario.from_dict(link(controller)).run().series("cwnd").values()
    windows = (sizes / 1460)[times > 20].tolist()
    cuts = [after for before, after in pairwise(windows) if after < before - 5]
    # 10 Mbit/s x 50.2 ms, the time of one packet on each link included.
    assert len(cuts) >= 5
    assert statistics.fmean(cuts) == pytest.approx(41.8, rel=0.02)


def test_half_a_percent_of_random_losses_costs_westwood_little() -> None:
    def used(controller: str) -> float:
        runs = (
            db.Scenario.from_dict(link(controller, loss=0.005) | {"seed": seed}).run() for seed in (1, 2, 3)
        )
        return statistics.fmean(run.links.row(0)["utilisation"] for run in runs)

    # Reno: 1.22 / sqrt(0.005) = 17 of 42 packets.
    assert used("newreno") == pytest.approx(0.41, abs=0.05)
    assert used("westwood") > 0.85
    assert used("westwood-plus") > 0.85
