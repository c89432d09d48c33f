"""The study of RCP, XCP and TCP against processor sharing."""

import csv
import math
import time
from pathlib import Path

import numpy as np
import pytest

from dumbbell import Scenario, papers, theory
from dumbbell.papers.rcp_fct import dynamics, plots, published, reference
from dumbbell.study import derive
from dumbbell.study.metric import evaluate
from tests.papers.test_papers import made_up


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
    sizes = [entry.size for entry in reference.bins("rcp") if entry.up_to <= 100]
    workload = study.scenario["workloads"][0] | {"stop": "4s"}
    scenario = study.scenario | {"duration": "6s", "workloads": [workload]}
    found = {}
    for arm in study.arms:
        results = Scenario.from_dict(scenario, [*arm.settings, "seed=1"]).run()
        numbers = dict(zip(study.by_size.columns, study.by_size.evaluate(results), strict=True))
        found[arm.name] = np.array([numbers[f"afct_{size}"] for size in sizes])
        ideal = [numbers[f"ps_{size}"] for size in sizes]
        assert (found[arm.name] >= ideal).all()
    published = reference.published("rcp", sizes)
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


PANELS = {
    # plot.pl of the reproduction: ranges, and curves in the order of the legend.
    "printed-normal": ((1, 2000), (0.1, 10), ["RCP", "TCP", "Processor Sharing", "Slow Start"]),
    "printed-log": ((1, 100_000), (0.1, 10), ["RCP", "TCP", "Processor Sharing", "Slow Start"]),
    # plotdata.py of the reproduction of 2014, and XCP, which the text names.
    "printed-6a": ((0, 2000), (0.1, 100), ["TCP", "XCP", "RCP", "Slow Start", "Processor Sharing"]),
    "printed-6b": ((1000, 100_000), (0.1, 100), ["TCP", "XCP", "RCP", "Slow Start", "Processor Sharing"]),
    "printed-6c": ((0, 2000), (0.1, 100), ["TCP", "XCP", "RCP", "Slow Start", "Processor Sharing"]),
}


def test_plots_have_the_panels_of_the_publications():
    paper = papers.find_paper("rcp-fct")
    result = derive(made_up(paper.study(quick=True), lambda *_: 0.5), paper.derived())
    drawn = {plot.id: plot.draw(result).axes[0] for plot in paper.plots()}
    assert list(drawn) == list(PANELS)
    for name, (x, y, labels) in PANELS.items():
        axes = drawn[name]
        assert (axes.get_xlim(), axes.get_ylim(), axes.get_yscale()) == (x, y, "log")
        assert axes.get_xscale() == ("log" if x[1] == 100_000 else "linear")
        legend = axes.get_legend_handles_labels()[1]
        told = [f"{label}, published" for label in labels if label in ("RCP", "TCP") and name != "printed-6c"]
        assert legend == [*labels, *told]
        ours = axes.get_lines()[labels.index("RCP")]
        assert list(ours.get_xdata()) == [
            entry.size for entry in reference.bins("rcp") if x[0] <= entry.size <= x[1]
        ]
        assert set(ours.get_ydata()) == {0.5}
    # The formulas of the plots end at the receiver: the digitised file has them.
    printed = plots.line_as_printed("Slow Start", np.array([5.0, 1e5]), one_packet=True)
    assert printed == pytest.approx([0.3085, 1.7110], abs=1e-4)
    assert plots.line_as_printed("Processor Sharing", np.array([5.0]), one_packet=True) == pytest.approx(
        0.1502, abs=1e-4
    )


def test_index_has_every_heading_and_picture_of_the_text():
    index = papers.find_paper("rcp-fct").index()
    assert list(dict.fromkeys(row.printed for row in index)) == [
        "Motivation", "Results in the paper", "Subset goal", "Subset motivation", "Our results", "Extension",
        "Critique", "Future work",
    ]  # fmt: skip
    pictures = {row.shows.partition(":")[0]: row.here for row in index if ".png" in row.shows}
    assert list(pictures) == ["original-results.png", "normal-plot.png", "log-plot.png"]
    assert all(any(id_ in PANELS for id_ in here) for here in pictures.values())


def test_published_flows_are_drawn_size_by_size():
    averages = {
        "rcp": (np.array([5.0, 9.0]), np.array([0.2, 0.3])),
        "tcp": (np.array([7.0]), np.array([0.4])),
    }
    for name in ("normal", "log"):
        (axes,) = plots.draw_sizes(name, averages).axes
        x, y, labels = PANELS[f"printed-{name}"]
        assert (axes.get_xlim(), axes.get_ylim()) == (x, y)
        assert axes.get_legend_handles_labels()[1] == labels
        rcp, tcp = axes.get_lines()[:2]
        assert (list(rcp.get_xdata()), list(rcp.get_ydata())) == ([5, 9], [0.2, 0.3])
        assert list(tcp.get_ydata()) == [0.4]


def test_tables_set_published_averages_next_to_ours():
    paper = papers.find_paper("rcp-fct")
    result = derive(made_up(paper.study(quick=True), lambda *_: 0.5), paper.derived())
    tables = {spec.id: spec.make(result) for spec in paper.tables()}
    first = dict(zip(tables["beside"].columns, tables["beside"].rows[0], strict=False))
    assert first["RCP, published"] == "0.204 [0.202, 0.204]"
    assert first["RCP, ratio"] == "2.451"
    assert [row[0] for row in tables["orders"].rows] == [
        "5",
        "10",
        "23",
        "90",
        "448",
        "895",
        "1,789",
        "4,473",
        "8,945",
    ]


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


@pytest.mark.full
def test_the_published_tcp_takes_the_published_times():
    """Neither the flows nor the TCP may be another: of NewReno by the RFCs short flows take 5 % less."""
    of_ns2, by_rfcs = (
        np.array([row.ratio for row in published.beside(name, published.averages(name)) if row.size <= 100])
        for name in ("Reno of ns-2", "NewReno by the RFCs")
    )
    assert len(of_ns2) == 16
    assert np.abs(of_ns2 - 1).max() < 0.03
    assert by_rfcs[:6].max() < 0.98


@pytest.mark.full
def test_rcp_takes_the_published_times_on_the_published_flows():
    ratios = np.array(
        [row.ratio for row in published.beside("RCP", published.averages("RCP")) if row.size <= 2500]
    )
    assert len(ratios) == 30
    assert np.abs(ratios - 1).max() < 0.025


def test_the_profile_of_ns2_opens_with_a_syn():
    """As its one-way agents do: syn_ is true in ns-default.tcl. Short flows take a round trip more."""
    base = papers.find_paper("rcp-fct").study().scenario
    scenario = Scenario.from_dict(base, ["transport.kind=tcp", "transport.profile=ns2"])
    assert scenario.to_dict()["transport"]["handshake"] is True
