"""`dumbbell study` and `dumbbell query` as a user meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Cli
from tests.study.conftest import changed, write_study


def test_run_status_query(cli: Cli, study_file: Path) -> None:
    first = cli("study", "run", study_file, "-o", "out")
    assert first.returncode == 0, first.stderr
    assert first.stderr.splitlines() == ["small: 20 runs, none there yet"]
    assert "Web traffic on a small dumbbell" in first.stdout
    assert "20 of 20 runs finished (2 points x 2 arms x 5 seeds)" in first.stdout
    assert first.stdout.splitlines()[-1] == "results in out"
    assert "INCOMPLETE" not in first.stdout

    second = cli("study", "run", study_file, "-o", "out")
    assert second.stderr.splitlines() == ["small: 20 runs, 20 reused, 0 to make"]
    assert "0 runs made" in second.stdout

    status = cli("study", "status", "out")
    table = first.stdout.split("\n20 runs made")[0]
    assert status.stdout.strip() == table.strip()

    answer = cli("query", "out", "select arm, count(*) as n from runs group by arm order by arm", "--csv")
    assert answer.stdout.splitlines() == ['"arm","n"', '"cubic",10', '"newreno",10']
    shown = cli("query", "out", "select count(*) as n from shards")
    assert shown.stdout.split()[0] == "n"
    assert shown.stdout.split()[-1] == "20"


def test_numbers_are_never_cut(cli: Cli, study_file: Path) -> None:
    columns = ("goodput", "fct_mean", "packets_sent", "packets_delivered", "packets_dropped")
    metrics = [
        {
            "name": name,
            "label": f"long heading of the metric {name}",
            "source": {"table": "runs", "column": name},
        }
        for name in columns
    ]
    write_study(study_file, changed(metrics=metrics))
    told = cli("study", "run", study_file, "-o", "out")
    rows = [line for line in told.stdout.splitlines() if line.startswith((" newreno", " cubic"))]
    assert len(rows) == 4
    for row in rows:
        assert row.count("[") == row.count("]") >= 4
    assert max(map(len, rows)) <= 160


def test_one_seed_has_no_interval(cli: Cli, study_file: Path) -> None:
    write_study(study_file, changed(seeds=1))
    told = cli("study", "run", study_file, "-o", "out")
    assert told.stdout.count("(n=1, no interval)") == 8


def test_a_share_is_stamped_incomplete(cli: Cli, study_file: Path) -> None:
    told = cli("study", "run", study_file, "-o", "out", "--shard", "2/4")
    assert "INCOMPLETE: 5 of 20 runs" in told.stdout
    assert "share 2/4: copy the folders of all shares into one" in told.stdout
    assert "INCOMPLETE: 5 of 20 runs" in cli("study", "status", "out").stdout
    answer = cli("query", "out", "select count(*) as n from runs")
    assert answer.stdout.startswith("INCOMPLETE: 5 of 20 runs\n")
    rows = cli("query", "out", "select count(*) as n from runs", "--csv")
    assert (rows.stdout, rows.stderr) == ('"n"\n5\n', "INCOMPLETE: 5 of 20 runs\n")


def test_all_problems_are_listed(cli: Cli, study_file: Path) -> None:
    axes = [{"name": "load", "values": [0.5, 20, 30], "set": "workloads[0].load={value}"}]
    write_study(study_file, changed(axes=axes))
    told = cli("study", "run", study_file, "-o", "out")
    assert told.returncode == 2
    lines = told.stderr.splitlines()
    assert lines[0] == f"dumbbell: {study_file}: 2 problems"
    assert [line.split(":")[0].strip() for line in lines[1:]] == [
        "load=20.0, arm newreno, cubic",
        "load=30.0, arm newreno, cubic",
    ]
    assert not (study_file.parent / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("study", "run", "none.toml", "-o", "out"), "none.toml: no such file; give the path of a study"),
        (("study", "run", ".", "-o", "out"), ".: it is not a file; give the path of a readable study"),
        (("study", "status", "."), ".: no study here; make one with `dumbbell study run`"),
        (("query", ".", "select 1"), ".: no study here; make one with `dumbbell study run`"),
        (
            ("study", "run", "study.toml", "-o", "out", "--shard", "5/4"),
            "share 5/4: there is no such share; use 1/4 to 4/4",
        ),
        (
            ("study", "run", "study.toml", "-o", "out", "--executor", "slurm"),
            "'slurm' is not an executor; use threads, ray, or ray://host:port",
        ),
        (
            ("study", "run", "study.toml", "-o", "study.toml"),
            "study.toml: cannot be written (Not a directory); choose another folder",
        ),
    ],
)
def test_mistakes(cli: Cli, study_file: Path, arguments: tuple[str, ...], message: str) -> None:
    assert study_file.exists()
    told = cli(*arguments)
    assert told.returncode == 2
    assert told.stderr.splitlines()[-1] == f"dumbbell: {message}"
    assert "Traceback" not in told.stderr


def test_a_folder_that_cannot_be_written(cli: Cli, study_file: Path) -> None:
    # No one may make files there, the superuser neither.
    told = cli("study", "run", study_file, "-o", "/sys/kernel/study")
    assert told.returncode == 2
    assert told.stderr.startswith("dumbbell: /sys/kernel/study: cannot be written (")
