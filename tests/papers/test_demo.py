"""The demonstration, with a study of a second."""

from click.testing import CliRunner

from dumbbell import demo, papers


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
