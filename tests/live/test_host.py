"""RCP end points at a desired rate, and what a packet costs."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from conftest import Cli
from dumbbell.live import host
from dumbbell.stats import mean


def test_packets_of_both_ends_have_a_cost() -> None:
    runs = [host.host_run(size, 2000, 0.3) for size in (100, 1500)]
    for run in runs:
        assert run.reached > 0
        # No system call takes less than 50 ns, and no packet here a millisecond of a processor.
        assert 0.05 < run.sender < 1000
        assert 0.05 < run.receiver < 1000
    # The observation of the text: the costs are those of packets, not of their bytes.
    small, large = runs
    assert small.sender / 100 > large.sender / 1500


def test_costs_are_extrapolated_to_lines() -> None:
    cost = host.Cost("router", 1000, mean([2.0, 2.0, 2.0]))
    # 10 Gbit/s are 1.25 million packets of 1000 bytes a second.
    assert cost.cores(10, 1000).value == pytest.approx(2.5)
    assert cost.cores(100, 1000).value == pytest.approx(25)
    (row, other) = host.cost_rows([host.Cost("law", None, mean([1.0, 3.0]))], [1000, 500])
    assert (row["us"], row["packets_per_second"], row["cores_10G"]) == pytest.approx((2, 5e5, 2.5))
    assert other["cores_10G"] == pytest.approx(5)
    assert row["cores_10G_low"] < 2.5 < row["cores_10G_high"]


def test_the_router_of_the_emulator_has_a_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all packets of a flow, and no less than one system call each."""
    monkeypatch.setattr(host, "_THROUGH", 0.5)
    (cell,) = host.measure_router([1000], 1)
    assert 0.5 < cell.rcp[0] < 2000
    assert 0.5 < cell.plain[0] < 2000


def test_the_page_says_what_ends_reach_and_what_packets_cost(cli: Cli, tmp_path: Path) -> None:
    done = cli(
        "rcp-host", "-o", "page", "--sizes", "100,1500", "--rates", "5", "--seconds", "0.2", "--runs", "2",
        "--no-router", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    places = [(row["size"], row["desired"]) for row in found["rates"]]
    assert places == [(100, 5), (100, None), (1500, 5), (1500, None)]
    for row in found["rates"]:
        assert row["reached"] > 0
        assert row["share"] is None or row["share"] == pytest.approx(row["reached"] / 5)
        # On a busy machine one of the two may not count: a single run has no interval.
        low, high = row["reached_low"], row["reached_high"]
        assert (row["runs"] == 1 and low is high is None) or low <= row["reached"] <= high
    parts = {row["part"] for row in found["costs"]}
    assert parts == {host.SENDER, host.RECEIVER, host.LAW, host.ENGINE}
    for row in found["costs"]:
        expected = row["us"] * 10e9 / 8 / row["size"] * 1e-6
        assert math.isclose(row["cores_10G"], expected, rel_tol=1e-9)
    with (tmp_path / "page/rates.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["reached"]) for row in rows] == [row["reached"] for row in found["rates"]]
    page = (tmp_path / "page/page.md").read_text()
    assert "## Rate against packet size" in page
    assert "as fast as it can" in page
    assert (tmp_path / "page/host.png").is_file()
