"""Reports of single runs: what happened, over time, to each flow, and what was dropped where."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db
from dumbbell.errors import FolderError
from dumbbell.report import run as module
from dumbbell.report import write_run_report
from tests.conftest import SCENARIO, Cli


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, results: db.Results) -> Path:
    folder = tmp_path_factory.mktemp("run")
    results.save(folder / "small")
    return write_run_report(folder / "small" / "report.html", results)


@pytest.fixture(scope="module")
def page(written: Path) -> str:
    return written.read_text(encoding="utf-8")


def cells(page: str, table: str) -> list[list[str]]:
    """Return the rows of a table of the page."""
    part = page[page.index(f'id="table-{table}"') :]
    body = part[part.index("<tbody>") : part.index("</tbody>")]
    return [
        [html.unescape(text) for text in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    ]


def test_time_series_and_completion_times_are_drawn(page: str, written: Path) -> None:
    assert re.findall(r'<figure id="figure-(\w+)"', page) == [
        "cwnd", "rate", "rtt", "queue", "drops", "fct_cdf", "fct_size", "topology",
    ]  # fmt: skip
    assert page.count("data:image/svg+xml;base64,") == 8
    links = re.findall(r'href="(figures/[^"]+)"', page)
    assert len(links) == 16
    assert all((written.parent / link).stat().st_size > 0 for link in links)


def test_every_flow_has_a_row(page: str, results: db.Results) -> None:
    rows = cells(page, "flows")
    assert [row[0] for row in rows] == [str(flow) for flow in results.flows["flow"]]
    assert [int(row[10]) for row in rows] == results.flows["dropped"].tolist()


def test_says_what_was_dropped_where(page: str, results: db.Results) -> None:
    losing = {
        row["link"].replace("->", " → "): row
        for row in map(results.links.row, range(len(results.links)))
        if row["dropped"]
    }
    rows = cells(page, "losses")
    assert {row[0] for row in rows} == set(losing)
    assert losing
    for row in rows:
        told = [int(text.replace(",", "")) for text in (row[3], *row[5:])]
        columns = ("dropped", "dropped_overflow", "dropped_law", "dropped_random")
        assert told == [losing[row[0]][column] for column in columns]
    recorded = sum(int(row[2].replace(",", "")) for row in cells(page, "reasons"))
    assert recorded == len(results.drops) > 0
    worst = max(losing.values(), key=lambda row: row["dropped"])
    assert f"sent: {worst['link'].replace('->', ' → ')} {worst['dropped']:,} (" in page


def test_same_results_same_bytes(tmp_path: Path, results: db.Results, written: Path) -> None:
    again = write_run_report(tmp_path / "report.html", results)
    assert again.read_bytes() == written.read_bytes()


def test_names_are_escaped_and_nothing_is_asked_of_the_network(tmp_path: Path, results: db.Results) -> None:
    page = write_run_report(tmp_path / "report.html", replace(results, name="<b>&")).read_text()
    assert "<h1>&lt;b&gt;&amp;</h1>" in page
    # The data of the figures, uPlot, ours and that of this page: a name brings none.
    assert page.count("<script") == 4
    outside = re.findall(r"""(?:src|href|action)=["']?([^"'> ]+)""", page)
    assert all(link.startswith(("data:", "#", "figures/")) for link in outside)


def test_what_cannot_be_drawn_says_why(tmp_path: Path) -> None:
    text = """
        duration = "2s"
        topology = { kind = "dumbbell", pairs = 2 }
        flows = [{ from = "senders", to = "receivers" }]
        record = { samples = false }
    """
    page = write_run_report(tmp_path / "report.html", db.Scenario.from_toml(text).run()).read_text()
    assert re.findall(r'<figure id="figure-(\w+)"', page) == ["topology"]
    assert "Congestion windows: not drawn: no flow was sampled for cwnd" in page
    assert len(cells(page, "flows")) == 2


def test_long_tables_are_cut_and_say_so(
    tmp_path: Path, results: db.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_ROWS", 5)
    page = write_run_report(tmp_path / "report.html", results).read_text()
    assert len(cells(page, "flows")) == 5
    assert f"The first 5 of {len(results.flows)}; <code>flows.parquet</code> has all." in page


def test_a_run_that_was_cut_short_is_stamped(tmp_path: Path) -> None:
    flood = """
        duration = "20s"
        transport = { kind = "cbr", rate = "1Gbit/s" }
        flows = [{ from = "node0", to = "node1" }]
        [topology]
        kind = "chain"
        link = { rate = "100Mbit/s", delay = "1ms", queue = "droptail" }
    """
    with pytest.raises(db.MemoryLimitError) as caught:
        db.Scenario.from_toml(flood).run(memory=20_000_000)
    page = write_run_report(tmp_path / "report.html", caught.value.results).read_text()
    assert "<strong>CUT SHORT</strong>" in page


def test_the_command_takes_a_run_or_a_study(cli: Cli, written: Path, tmp_path: Path) -> None:
    folder = written.parent
    done = cli("report", str(folder), "-o", str(tmp_path / "page.html"))
    assert (done.returncode, done.stdout) == (0, f"report: {tmp_path / 'page.html'}\n")
    for arguments, said in (
        (
            (str(tmp_path / "nothing"),),
            f"{tmp_path / 'nothing'}: no such folder; give that of a run or of a study",
        ),
        ((str(folder), "--base", "."), "--base: the report of a run reads no other files; leave it out"),
    ):
        refused = cli("report", *arguments)
        assert refused.returncode == 2
        assert refused.stderr == f"dumbbell: {said}\n"


def test_numbers_that_are_not_there_are_dashes(tmp_path: Path, results: db.Results) -> None:
    def gaps(table: db.Table, *names: str) -> db.Table:
        return table.with_columns(**{name: np.full(len(table), np.nan) for name in names})

    links = gaps(results.links, "utilisation", "loss", "queue_mean", "queue_p99")
    runs = gaps(results.runs, "goodput", "duration", "warmup")
    page = write_run_report(tmp_path / "report.html", replace(results, links=links, runs=runs)).read_text()
    assert "<strong>Goodput:</strong> - Mbit/s, measured from - s to - s" in page
    assert "was used - % of the time. Its queue held - packets on average." in page


def test_drops_at_a_link_that_is_not_there_are_refused(tmp_path: Path, results: db.Results) -> None:
    text = """
        duration = "1s"
        transport = { kind = "cbr", rate = "20Mbit/s" }
        flows = [{ from = "node9", to = "node0" }]
        record = { drops = true }
        [topology]
        kind = "chain"
        hops = 9
        link = { rate = "10Mbit/s", delay = "1ms", queue = { kind = "droptail", limit = "5pkt" } }
    """
    chain = db.Scenario.from_toml(text).run()
    assert chain.drops["link"].min() >= len(results.links), "drops happen at the first link of the long way"
    replace(results, drops=chain.drops).save(tmp_path / "out")
    with pytest.raises(FolderError, match=r"drops\.parquet: drops of a link that is not there"):
        db.load(tmp_path / "out")


def test_says_whether_another_seed_gives_other_numbers(tmp_path: Path, page: str) -> None:
    def note(text: str) -> str:
        return html.unescape(re.sub(r"</?code>", "`", re.findall(r'<p class="note">(.*?)</p>', text)[0]))

    assert note(page).startswith("One run is one sample: another seed gives other numbers (arrivals, sizes")
    still = ["workloads=[]", "flows[0].stagger=0s", "duration=2s"]
    fixed = db.Scenario.from_toml(SCENARIO, still)
    assert fixed.explain()["draws"] == []
    ours, other = fixed.run().flows, fixed.with_seed(9).run().flows
    assert ours["goodput"].tolist() == other["goodput"].tolist()
    text = write_run_report(tmp_path / "fixed" / "report.html", fixed.run()).read_text(encoding="utf-8")
    assert note(text) == "Nothing is drawn at random: any seed gives the same numbers."
    # Without the file that the scenario names, nobody knows.
    (tmp_path / "recorded.trace").write_text("6\n12\n", encoding="utf-8")
    needs = [*still, "topology.bottleneck.trace.file=recorded.trace"]
    recorded = db.Scenario.from_toml(SCENARIO, needs, base=tmp_path).run()
    text = write_run_report(tmp_path / "recorded" / "report.html", recorded).read_text(encoding="utf-8")
    assert "`dumbbell check` of the scenario says" in note(text)
