"""The demonstration, with a study of a second."""

import re
import shutil

from click.testing import CliRunner

from dumbbell import demo, papers
from tests.unprinted import unprinted


def test_demo_ends_with_its_report(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "find_paper", lambda _name: papers.find_paper(folder))
    output = tmp_path / "demo"
    done = CliRunner().invoke(demo.demo, ["-o", str(output)])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == f"Report: {output / 'campus-web' / 'report.html'}"
    assert (output / "campus-web" / "report.html").is_file()
    assert sorted(path.name for path in (output / "figures").glob("*.png")) == [
        "long_cwnd.png", "long_queue.png", "long_rate.png",
    ]  # fmt: skip
    again = CliRunner().invoke(demo.demo, ["-o", str(output)])
    assert again.exit_code == 0, again.output
    assert "12 reused" in again.output


def test_demo_answers_its_question(tmp_path, monkeypatch):
    paper = shutil.copytree(papers.find_paper("campus-web").folder, tmp_path / "campus_web")
    text = (paper / "study.toml").read_text()
    quick = "[quick]\nseeds = 5\n"
    assert quick in text
    (paper / "study.toml").write_text(text.replace(quick, f"{quick}axes = {{ load = [0.8, 0.9] }}\n"))
    monkeypatch.setattr(demo, "find_paper", lambda _name: papers.find_paper(paper))
    monkeypatch.setattr(demo, "run_long_flows", lambda _output: [])
    with unprinted():
        shown = CliRunner().invoke(demo.demo, ["-o", str(tmp_path / "demo")]).stdout
    question, answer, claims = (
        shown.index(text)
        for text in ("How long do the flows", "NewReno is better (lower) than CUBIC", "Claims;")
    )
    assert question < answer < claims
    # The words of the table's columns, each column as a text of its own.
    rows = re.split(r"^ (?=\S)", shown[claims:], flags=re.MULTILINE)
    not_reproduced = [row for row in rows if " not reproduced " in row]
    assert not_reproduced, shown
    assert all("Why: " in row for row in not_reproduced)
