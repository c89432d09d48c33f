"""One-way delays and times at links: tables, summaries, metrics, figures, reports."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import Ellipse

import dumbbell as db
from conftest import Cli
from dumbbell import figures
from dumbbell.claims.assertion import assert_run
from dumbbell.errors import NothingToDrawError
from dumbbell.figures.trade_off import Cloud, draw_clouds, figure_of
from dumbbell.report import trade_off, write_run_report
from dumbbell.report.errors import FigureError
from dumbbell.study import Study, run_study

TEXT = """
duration = "4s"
warmup = "1s"
transport = { kind = "tcp", controller = "cubic" }
record = { delays = true, sojourns = "bottlenecks" }
flows = [{ name = "bulk", from = "senders", to = "receivers", stagger = "200ms" }]
[topology]
kind = "dumbbell"
pairs = 2
bottleneck = { rate = "10Mbit/s", delay = "5ms", queue = { kind = "droptail", limit = "30pkt" } }
access = { rate = "100Mbit/s", delay = "1ms" }
"""


@pytest.fixture(scope="module")
def noted() -> db.Results:
    return db.Scenario.from_toml(TEXT).run()


def labels(figure: figures.Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_quantiles_rise_and_agree_with_the_tables(noted: db.Results) -> None:
    table = noted.quantiles
    for metric, subject, columns, of in (
        ("delay", "flow", ("delay_p50", "delay_p95", "delay_p99", "delay_max"), noted.flows),
        ("sojourn", "link", ("sojourn_p50", "sojourn_p95", "sojourn_p99", "sojourn_max"), noted.links),
    ):
        rows = np.flatnonzero((table["metric"] == metric) & (table["subject"] == subject))
        assert rows.size
        for number in np.unique(table["id"][rows]).tolist():
            mine = rows[table["id"][rows] == number]
            shares, values = table["share"][mine], table["value"][mine]
            assert (np.diff(shares) > 0).all()
            assert (np.diff(values) >= 0).all()
            for column, share in zip(columns, (0.5, 0.95, 0.99, 1.0), strict=True):
                assert of[column][number] == values[shares == share][0]


def test_delays_of_packets_are_those_of_the_trace(noted: db.Results) -> None:
    packets = db.Scenario.from_toml(TEXT).trace(flows=[0]).packets
    forward, data = packets["forward"], packets["len"] > 0
    sent = np.flatnonzero(forward & data & (packets["event"] == "sent"))
    there = np.flatnonzero(forward & data & (packets["event"] == "delivered") & (packets["time"] > 1))
    # In this network nothing overtakes: the last sending of a segment is the one that arrives.
    delays = []
    for row in there:
        of_segment = sent[(packets["seq"][sent] == packets["seq"][row]) & (sent < row)]
        delays.append(packets["time"][row] - packets["time"][of_segment[-1]])
    assert noted.flows["delay_max"][0] == pytest.approx(max(delays), abs=1e-9)
    for column, share in (("delay_p50", 0.5), ("delay_p95", 0.95)):
        exact = np.quantile(delays, share, method="inverted_cdf")
        assert noted.flows[column][0] == pytest.approx(exact, rel=1 / 128)


def test_summaries_have_delays_only_where_they_are_noted(noted: db.Results, results: db.Results) -> None:
    group = noted.summary()["groups"][0]
    assert group["delay_p95"]["mean"] == pytest.approx(noted.flows["delay_p95"].mean())
    (link,) = [link for link in noted.summary()["links"] if "sojourn_p95" in link]
    assert link["link"] == "left->right"
    assert not [key for key in results.summary()["groups"][0] if key.startswith("delay")]
    assert assert_run(noted, "links.left->right.sojourn_p95 < 40ms").passed
    assert not assert_run(noted, "groups.bulk.delay_p95.max < 10ms").passed


def test_a_study_takes_quantiles_as_metrics(cli: Cli, tmp_path: Path) -> None:
    metrics = [
        {"name": "delay", "unit": "ms", "source": {"table": "flows", "column": "delay_p95", "factor": 1e3}},
        {
            "name": "wait", "unit": "ms",
            "source": {"table": "links", "link": "left->right", "column": "sojourn_p99", "factor": 1e3},
        },
        {"name": "goodput", "unit": "Mbit/s",
         "source": {"table": "runs", "column": "goodput", "factor": 1e-6}},
    ]  # fmt: skip
    study = Study.from_dict(
        {
            "name": "small", "title": "t", "question": "q", "seeds": 4, "metrics": metrics,
            "scenario": {
                "duration": "3s", "record": {"delays": True, "sojourns": "bottlenecks"},
                "topology": {
                    "kind": "dumbbell", "pairs": 2,
                    "bottleneck": {"rate": "10Mbit/s", "queue": {"kind": "droptail", "limit": "30pkt"}},
                },
                "flows": [{"from": "senders", "to": "receivers", "jitter": "200ms"}],
            },
            "arms": [
                {"name": name, "set": f"transport.controller={name}"} for name in ("newreno", "vegas")
            ],
        }
    )  # fmt: skip
    result = run_study(study, tmp_path / "study")
    for arm, metric in itertools.product(("newreno", "vegas"), ("delay", "wait")):
        values = result.values(metric, arm)[1]
        assert (values > 0).all()
    figure = trade_off(result, "delay", "goodput")
    assert [label.split(" (")[0] for label in labels(figure)] == ["newreno", "vegas"]
    assert "standard deviation of runs" in figure.axes[0].get_xlabel()
    with pytest.raises(FigureError, match=r"no metric 'rate'; it has delay, wait, goodput"):
        trade_off(result, "delay", "rate")
    drawn = ("plot", tmp_path / "study", "-o", tmp_path / "drawn", "--format", "svg", "--trade-off")
    assert cli(*drawn, "wait,goodput").stdout.strip() == str(tmp_path / "drawn" / "trade_off.svg")
    for arguments, line in (
        (("delay",), "--trade-off: needs two metrics; write --trade-off DELAY,RATE"),
        (("delay,rate",), "the study has no metric 'rate'"),
        (("delay,goodput", "--at", "load=3"), "the study has no load = 3; it has no axis"),
        (("delay,goodput", "--only", "queue"), "--trade-off: is of one study"),
    ):
        refused = cli(*drawn, *arguments)
        assert refused.returncode == 2
        assert line in refused.stderr


def test_figures_name_every_flow_and_its_tail(noted: db.Results) -> None:
    assert {"delay", "delay_cdf", "sojourn_cdf"} <= set(figures.usual([noted]))
    cdf = figures.draw("delay_cdf", noted)
    assert [label.split(", 95%")[0] for label in labels(cdf)] == ["flow 0: cubic", "flow 1: cubic"]
    (told, *_) = labels(cdf)
    assert f"95% within {1e3 * noted.flows['delay_p95'][0]:.3g} ms" in told
    over_time = figures.draw("delay", noted)
    assert labels(over_time) == ["flow 0: cubic", "flow 1: cubic"]
    # Where slow start fills the queue, the band is above the line.
    bands = over_time.axes[0].collections
    assert len(bands) == 2
    assert labels(figures.draw("sojourn_cdf", noted))[0].startswith("left → right, 95% within")


def test_what_is_not_noted_is_not_usual_and_says_how(results: db.Results) -> None:
    assert not {"delay", "delay_cdf", "sojourn_cdf"} & set(figures.usual([results]))
    for kind, remedy in (
        ("delay", "record.delays"),
        ("delay_cdf", "record.delays"),
        ("sojourn_cdf", "record.sojourns"),
        ("trade_off", "record.delays"),
    ):
        with pytest.raises(NothingToDrawError, match=remedy):
            figures.draw(kind, results)


def test_the_report_of_a_run_shows_delays(noted: db.Results, tmp_path: Path) -> None:
    page = write_run_report(tmp_path / "report.html", noted).read_text(encoding="utf-8")
    for title in ("One-way delays", "Distribution of one-way delays", "Times at links", "p95 delay ms"):
        assert title in page


def test_runs_of_one_scenario_are_one_design(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(TEXT.replace('stagger = "200ms"', 'jitter = "200ms"'), encoding="utf-8")
    folders = []
    for controller, seed in itertools.product(("cubic", "vegas"), (1, 2, 3)):
        folder = tmp_path / f"{controller}-{seed}"
        settings = ("--set", f"transport.controller={controller}", "--seed", str(seed))
        assert cli("run", file, *settings, "-o", folder, "-q").returncode == 0
        folders.append(folder)
    done = cli("plot", *folders, "-o", tmp_path / "f", "--only", "trade_off", "--format", "svg")
    assert done.returncode == 0, done.stderr
    runs = {folder.name: db.load(folder) for folder in folders}
    assert labels(figures.draw("trade_off", runs)) == ["cubic (n=3)", "vegas (n=3)"]


def test_an_ellipse_ends_where_values_are_not_possible() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(1, 2, 30).clip(0), rng.normal(9.4, 0.5, 30).clip(0, 9.6)
    cloud = Cloud("a", x, y, (0, np.inf), (0, 9.6))
    figure = figure_of(lambda axes: draw_clouds(axes, [cloud], "delay (ms)", "goodput (Mbit/s)"))
    (ellipse,) = [patch for patch in figure.axes[0].patches if isinstance(patch, Ellipse)]
    # The contour itself goes beyond both ends, and what is shown of it does not.
    covariance = np.cov(x, y)
    assert x.mean() - np.sqrt(covariance[0, 0]) < 0
    assert y.mean() + np.sqrt(covariance[1, 1]) > 9.6
    box = ellipse.get_clip_box()
    assert box is not None
    corners = figure.axes[0].transData.inverted().transform(box.corners())
    assert corners[:, 0].min() >= -1e-9
    assert corners[:, 1].max() <= 9.6 + 1e-9
    assert min(figure.axes[0].get_xlim()) >= 0


def test_two_runs_have_no_ellipse() -> None:
    cloud = Cloud("few", np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    figure = figure_of(lambda axes: draw_clouds(axes, [cloud], "x", "y"))
    assert labels(figure) == ["few (n=2, no ellipse)"]
    assert not [patch for patch in figure.axes[0].patches if isinstance(patch, Ellipse)]
