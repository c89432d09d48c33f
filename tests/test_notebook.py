"""What a session of Python or a notebook asks of scenarios, results and figures."""

from __future__ import annotations

import pickle
import sys
from types import SimpleNamespace

import pytest

import dumbbell as db
from dumbbell import _progress
from dumbbell.study import Study


@pytest.fixture(scope="module")
def scenario() -> db.Scenario:
    return db.scenario(
        duration="2s",
        topology=db.topology.dumbbell(pairs=2),
        flows=[db.flows(from_="senders", to="receivers", name="<b>bulk</b>")],
        record=db.record(period="50ms"),
    )


@pytest.fixture(scope="module")
def results(scenario: db.Scenario) -> db.Results:
    return scenario.run()


def test_with_changes_one_value_and_keeps_seed_and_name(scenario):
    other = scenario.with_seed(7).with_("topology.bottleneck.queue", db.queue.codel(target="3ms"))
    assert (other.seed, other.name) == (7, scenario.name)
    assert other.to_dict()["topology"]["bottleneck"]["queue"]["target"] == "3ms"
    assert scenario.to_dict()["topology"]["bottleneck"]["queue"]["kind"] == "droptail"
    short = scenario.with_("topology.bottleneck.queue.limit", "2bdp")
    written = db.Scenario.from_dict(scenario.to_dict(), ["topology.bottleneck.queue.limit=2bdp"])
    assert short.plan_hash == written.plan_hash


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        ("topology.botleneck.rate", "1Mbit/s", 'topology.botleneck: unknown key; did you mean "bottleneck"?'),
        ("flows[3].size", "1kB", "flows[3].size: flows[3]: the list has 1 entries; count from 0"),
        ("a..b", 1, 'a..b: "a..b" is not a path; write keys with dots'),
        ("duration", "ten", "duration: "),
        ("duration", object(), "duration: an object of type object stands here"),
    ],
)
def test_with_names_the_place(scenario, path, value, line):
    with pytest.raises(db.ScenarioError) as error:
        scenario.with_(path, value)
    assert str(error.value).startswith(line)


def test_scenarios_and_results_can_be_compared_and_pickled(scenario, results):
    again = pickle.loads(pickle.dumps(scenario.with_seed(3)))
    assert again == scenario.with_seed(3) != scenario
    assert hash(again) == hash(scenario.with_seed(3))
    assert pickle.loads(pickle.dumps(results)) == results == scenario.run()
    assert results != scenario.with_("duration", "3s").run()
    assert results.flows.provenance == pickle.loads(pickle.dumps(results.flows)).provenance
    packets = scenario.trace(flows=[0], until="200ms").packets
    assert pickle.loads(pickle.dumps(packets)) == packets
    assert (scenario == 1, results.flows == 1) == (False, False)


def test_a_column_that_is_not_there_is_told_with_the_near_ones(results):
    with pytest.raises(db.ColumnError) as error:
        results.flows["godput"]
    assert str(error.value) == "the table flows has no column 'godput'; did you mean \"goodput\"?"
    assert isinstance(error.value, KeyError)
    with pytest.raises(db.ColumnError, match="holds numbers, not labels"):
        results.flows.codes("goodput")


def test_a_notebook_shows_scenarios_results_tables_and_figures(scenario, results):
    for shown in (scenario, results, results.flows):
        page = shown._repr_html_()
        assert page.count("<table>") == page.count("</table>") > 0
        assert "<b>bulk</b>" not in page
    assert "&lt;b&gt;bulk&lt;/b&gt;" in results._repr_html_()
    flows = results.flows._repr_html_()
    assert '<th style="text-align:right">goodput (bit/s)</th>' in flows
    assert '<th style="text-align:left">controller</th>' in flows
    assert "rows more" in results.samples._repr_html_()
    assert results.plot("cwnd")._repr_png_().startswith(b"\x89PNG")


def test_a_notebook_shows_studies_and_their_results(tmp_path):
    study = Study.from_dict(
        {
            "name": "two",
            "title": "<i>Two</i>",
            "scenario": {
                "duration": "1s",
                "topology": {"kind": "dumbbell", "pairs": 1},
                "flows": [{"from": "senders", "to": "receivers", "jitter": "100ms"}],
            },
            "seeds": 2,
            "axes": [
                {
                    "name": "rate",
                    "unit": "Mbit/s",
                    "values": [2, 4],
                    "set": "topology.bottleneck.rate={value}Mbit/s",
                }
            ],
            "arms": [{"name": "cubic", "set": "transport.controller=cubic"}],
            "metrics": [
                {
                    "name": "goodput",
                    "unit": "Mbit/s",
                    "source": {"table": "runs", "column": "goodput", "factor": 1e-6},
                }
            ],
        }
    )
    assert repr(study) == "<Study 'two': 4 runs>"
    page = study._repr_html_()
    assert "&lt;i&gt;Two&lt;/i&gt;" in page
    assert page.count("<table>") == page.count("</table>") == 3
    assert "transport.controller=cubic" in page
    assert "4 runs: 2 seeds each" in page
    result = db.study.run_study(study, tmp_path / "out")
    page = result._repr_html_()
    assert "4 of 4 runs" in page
    # The head, and one row for each rate.
    assert page.count("<tr>") == 3
    assert "goodput (Mbit/s)" in page


class _Cell:
    """A notebook, as far as progress needs one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lines: list[str] = []
        handle = SimpleNamespace(update=self._show)
        module = SimpleNamespace(
            get_ipython=lambda: SimpleNamespace(kernel=True),
            display=SimpleNamespace(display=lambda bundle, **_: self._show(bundle) or handle),
        )
        monkeypatch.setitem(sys.modules, "IPython", module)
        monkeypatch.setitem(sys.modules, "IPython.display", module.display)

    def _show(self, bundle: dict[str, str], **_: object) -> None:
        self.lines.append(bundle["text/plain"])


def test_progress_stands_below_a_cell(scenario, tmp_path, monkeypatch):
    assert _progress.line_of_notebook() is None
    cell = _Cell(monkeypatch)
    db.run_all([scenario, scenario.with_seed(2)])
    assert cell.lines == ["1 of 2 runs", "2 of 2 runs"]
    cell.lines.clear()
    study = Study.from_dict(
        {
            "name": "one",
            "scenario": scenario.to_dict(),
            "seeds": 2,
            "metrics": [{"name": "goodput", "source": {"table": "runs", "column": "goodput"}}],
        }
    )
    db.study.run_study(study, tmp_path / "study")
    assert cell.lines[-1] == "2 of 2 runs"


def test_every_name_of_the_package_is_there():
    assert all(getattr(db, name) is not None for name in db.__all__)
