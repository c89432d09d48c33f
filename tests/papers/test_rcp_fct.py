"""The study of RCP, XCP and TCP against processor sharing."""

import csv
import math
import time
from pathlib import Path

import numpy as np
import pytest

from dumbbell import Scenario, papers, theory
from dumbbell.papers.rcp_fct import dynamics, published, reference
from dumbbell.study.metric import evaluate


@pytest.fixture(scope="module")
def study():
    return papers.find_paper("rcp-fct").study()


def test_the_bins_are_those_of_the_digitised_figure(study):
    assert study.by_size.axis.values == tuple(entry.size for entry in reference.bins("rcp"))
    assert reference.published("rcp", [5, 895]).tolist() == [0.204, 0.254]
    assert math.isnan(reference.published("tcp", [4473])[0])


def test_the_lines_are_those_of_the_digitised_figure():
    text = Path(reference.__file__).with_name("rcp-fig6-reference.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    mid = [math.sqrt(float(row["flow_size_lo_pkts"]) * float(row["flow_size_hi_pkts"])) for row in rows]
    half = reference.RTT / 2
    slow = theory.slow_start_line(mid, reference.CAPACITY, reference.RTT)
    for column, line in (("ps_formula_s", reference.sharing(mid) - half), ("slowstart_formula_s", slow)):
        assert line == pytest.approx([float(row[column]) for row in rows], abs=6e-5)


def test_short_flows_take_as_long_as_published(study):
    workload = study.scenario["workloads"][0] | {"stop": "4s"}
    scenario = study.scenario | {"duration": "6s", "workloads": [workload]}
    found = {}
    for arm in study.arms:
        results = Scenario.from_dict(scenario, [*arm.settings, "seed=1"]).run()
        numbers = dict(zip(study.by_size.columns, study.by_size.evaluate(results), strict=True))
        found[arm.name] = np.array([numbers[f"afct_{size}"] for size in reference.sizes(5, 100)])
        ideal = [numbers[f"ps_{size}"] for size in reference.sizes(5, 100)]
        assert (found[arm.name] >= ideal).all()
    published = reference.published("rcp", reference.sizes(5, 100))
    # The bound of the reproduction.
    assert found["rcp"] == pytest.approx(published, rel=0.1)
    assert (found["tcp"] > 1.4 * found["rcp"]).all()
    assert (found["xcp"][8:] > found["tcp"][8:]).all()


def test_a_new_flow_has_its_rate_at_once_under_rcp_only():
    study = next(p for p in papers.all_papers() if p.name == "rcp-fct-newcomer").study()
    early = {}
    for arm in study.arms:
        results = Scenario.from_dict(study.scenario, [*arm.settings, "seed=1"]).run()
        early[arm.name] = evaluate(study.metric("early"), results)
    assert early["rcp"] == pytest.approx(1, abs=0.2)
    assert max(early["tcp"], early["xcp"]) < 0.8


def test_the_studies_of_long_flows_measure_what_they_say():
    found = {paper.name: paper.study() for paper in papers.all_papers()}
    row = found["rcp-fct-row"]
    results = Scenario.from_dict(row.scenario, [*row.arm("rcp").settings, "seed=1"]).run()
    # Two flows share each bottleneck.
    assert evaluate(row.metric("share"), results) == pytest.approx(1, abs=0.05)
    assert evaluate(row.metric("used"), results) > 95
    change = found["rcp-fct-change"]
    part = change.axis("part").settings[2]
    results = Scenario.from_dict(change.scenario, [*part, *change.arm("rcp").settings, "seed=1"]).run()
    times, throughput = results.series("throughput")[0]
    assert throughput[(times > 25) & (times < 39)].max() < 0.51 * dynamics._RATE
    assert 0 < evaluate(change.metric("drained"), results) < 5


@pytest.mark.full
def test_quick_is_quick_and_full_gives_the_verdicts(tmp_path):
    paper = papers.find_paper("rcp-fct")
    start = time.process_time()
    assert papers.reproduce(paper, tmp_path / "out").result.complete
    # A minute on two cores, whatever else they do; all of it in twenty.
    assert time.process_time() - start < 2 * 60
    full = papers.reproduce(paper, tmp_path / "out", quick=False)
    assert time.process_time() - start < 2 * 1200
    verdicts = {claim.id: judgement.verdict for claim, judgement in full.judged}
    assert {claim for claim, verdict in verdicts.items() if verdict != "reproduced"} == {
        "tcp-ten-times", "tcp-longest",
    }  # fmt: skip
    assert {verdicts["tcp-ten-times"], verdicts["tcp-longest"]} == {"not reproduced"}


def test_published_flows_are_those_that_ns2_draws():
    # Printed by ns-2.35: exponential, avg_ 1/10800, seed 4; Pareto, avg_ 25, shape_ 1.2, seed 7.
    gaps = [0.0006123358805, 0.000138728255, 0.000265562629, 0.0000965519441, 0.0000248426690]
    starts, sizes = published.flows(0.00114)
    assert starts == pytest.approx(np.cumsum(gaps), rel=1e-8)
    assert sizes.tolist() == [648, 5, 29, 7, 32]


def test_the_published_tcp_takes_the_published_times_on_its_own_flows():
    """Neither the flows nor the TCP may be another: of NewReno by the RFCs short flows take 5 % less."""
    of_ns2, by_rfcs = (
        np.array([row.ratio for row in published.run(name) if row.size <= 100])
        for name in ("Reno of ns-2", "NewReno by the RFCs")
    )
    assert len(of_ns2) == 16
    assert np.abs(of_ns2 - 1).max() < 0.03
    assert by_rfcs[:6].max() < 0.98


@pytest.mark.full
def test_rcp_takes_the_published_times_on_the_published_flows():
    ratios = np.array([row.ratio for row in published.run("RCP") if row.size <= 2500])
    assert len(ratios) == 30
    assert np.abs(ratios - 1).max() < 0.025


def test_the_profile_of_ns2_opens_with_a_syn():
    """As its one-way agents do: syn_ is true in ns-default.tcl. Short flows take a round trip more."""
    base = papers.find_paper("rcp-fct").study().scenario
    scenario = Scenario.from_dict(base, ["transport.kind=tcp", "transport.profile=ns2"])
    assert scenario.to_dict()["transport"]["handshake"] is True
