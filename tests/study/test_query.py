"""Questions in SQL: what they can reach, what they may take, and how they end."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Cli
from dumbbell.study import Study, StudyError, run_study
from dumbbell.study import query as module
from dumbbell.study.query import ask, query

ENDLESS = "select count(*) from range(100000000000) a, range(100000) b"

STUBBORN = "select levenshtein(repeat('a', 400000), repeat('b', 400000))"
"""One call, within which DuckDB does not look whether it is interrupted."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of two runs."""
    study = Study.from_dict(
        {
            "name": "asked",
            "seeds": 2,
            "scenario": {
                "duration": "1s",
                "topology": "dumbbell",
                "transport": {"kind": "tcp"},
                "flows": [{"from": "senders", "to": "receivers"}],
            },
            "arms": [{"name": "cubic", "set": "transport.controller=cubic"}],
            "metrics": [{"name": "goodput", "source": {"table": "runs", "column": "goodput"}}],
        }
    )
    place = tmp_path_factory.mktemp("query") / "out"
    run_study(study, place)
    return place


def content(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to '{}/study.json'",
        "copy runs to '{}/new.csv'",
        "explain analyze copy runs to '{}/new.csv'",
        "export database '{}/new'",
        "attach '{}/new.db'",
        "attach ':memory:' as other",
        "select * from read_text('/etc/hostname')",
        "select * from read_csv('{}/study.json')",
        "select * from '{}/study.json'",
        "select * from glob('/*')",
        "select * from sniff_csv('{}/study.json')",
        "select * from duckdb_secrets()",
        "install httpfs",
        "load httpfs",
        "set memory_limit = '100GB'",
        "set enable_external_access = true",
        "create table mine as select 1",
        "drop table runs",
        "insert into runs select * from runs",
        "select 1; select 2",
        "call duckdb_settings()",
        "prepare p as select 1",
        "begin",
        "",
        "select '\udcff'",
        "select * from folder",
    ],
)
def test_a_question_reaches_the_tables_and_nothing_else(folder: Path, sql: str) -> None:
    before = content(folder)
    with pytest.raises(StudyError, match=r"^query: .*") as caught:
        query(folder, sql.replace("{}", str(folder)))
    assert "\n" not in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert content(folder) == before


def test_a_missing_table_is_reported_with_those_there(folder: Path) -> None:
    with pytest.raises(StudyError, match=r"Table with name nope does not exist; use one of runs, \w+"):
        query(folder, "select * from nope")


@pytest.mark.parametrize(
    "sql",
    [
        "from runs",
        "with one as (select 1) select * from one",
        "describe runs",
        "show tables",
        "summarize runs",
        "pivot runs on arm using avg(goodput)",
        "values (1), (2)",
        "explain select * from runs",
        "select r.run_id from runs r join catalogue using (run_id) join shards using (run_id)",
    ],
)
def test_every_form_of_question_is_answered(folder: Path, sql: str) -> None:
    assert query(folder, sql).num_rows > 0


@pytest.mark.parametrize(
    "sql",
    [
        "select repeat('x', 3000000000) as text",
        "select length(repeat('x', 3000000000)) as n",
        "select list(range) as everything from range(1000000000)",
        "select list_sum(range(500000000)) as n",
        "select range from range(300000000) order by hash(range)",
    ],
)
def test_a_question_that_needs_too_much_memory_says_so(folder: Path, sql: str) -> None:
    with pytest.raises(StudyError, match=r"^query: needs more than 2 GiB of memory beside the tables; "):
        query(folder, sql)


def test_an_answer_of_any_length_comes_piece_by_piece(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ask(folder, "select * from range(100000000000)") as answer:
        rows = 0
        for piece in answer:
            rows += piece.num_rows
            if rows > 1_000_000:
                break
    assert answer.schema.names == ["range"]
    monkeypatch.setattr(module, "MOST_BYTES", 1 << 20)
    with pytest.raises(StudyError, match=r"^query: the answer is larger than 1,048,576 bytes; "):
        query(folder, "select * from range(100000000000)")


def test_an_error_half_way_through_the_answer_is_told(folder: Path) -> None:
    with (
        pytest.raises(StudyError, match=r"^query: .*half way"),
        ask(folder, "select if(range = 900000, error('half way'), range) from range(1000000)") as answer,
    ):
        list(answer)


@pytest.mark.parametrize("sql", [ENDLESS, STUBBORN])
@pytest.mark.parametrize(("number", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
def test_a_signal_ends_a_question_at_once(folder: Path, sql: str, number: signal.Signals, word: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", "query", folder, sql], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    child = _child(process.pid)
    time.sleep(1)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (128 + number, "", f"dumbbell: {word}\n")
    assert not child.exists()


def test_a_question_dies_with_the_one_who_asks(folder: Path) -> None:
    process = subprocess.Popen([sys.executable, "-m", "dumbbell", "query", folder, ENDLESS])
    child = _child(process.pid)
    process.kill()
    process.wait(timeout=60)
    deadline = time.monotonic() + 60
    # Killed at once; whoever adopts it may take its time to take note.
    while child.exists() and "\nState:\tZ" not in (child / "status").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _child(pid: int) -> Path:
    """The process that answers, once it has the question."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children and b"sql.py" in Path(f"/proc/{children[0]}/cmdline").read_bytes():
            time.sleep(0.5)
            return Path(f"/proc/{children[0]}")
        time.sleep(0.02)
    raise AssertionError("no process that answers")


def test_long_answers_on_the_command_line(cli: Cli, folder: Path, tmp_path: Path) -> None:
    shown = cli("query", folder, "select range, repeat('x', 5000) as long from range(100000000000)")
    assert shown.returncode == 0, shown.stderr
    assert "the first 60 rows; --csv or --json writes all" in shown.stdout
    assert "xx…" in shown.stdout
    assert "x" * 1001 not in shown.stdout.replace("\n", "").replace(" ", "")
    refused = cli("query", folder, "--csv", "select [1, 2] as pair")
    assert refused.returncode == 2
    assert refused.stderr.startswith("dumbbell: --csv: Unsupported Type:list")
    line = f"{sys.executable} -m dumbbell query {folder} --csv 'from range(100000000000)' | head -n 2"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False,
        env=dict(os.environ),
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ('"range"\n0\n', "")


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ("1 as a, 2 as a", ["a", "a_1"]),
        ("1 as a, 2 as a, 3 as a_1, 4 as a", ["a", "a_2", "a_1", "a_3"]),
        ("1, 1", ["1", "1_1"]),
        ("x.seed, y.seed", ["seed", "seed_1"]),
    ],
)
def test_columns_of_one_name_stay_apart(folder: Path, cli: Cli, columns: str, names: list[str]) -> None:
    sql = f"select {columns} from runs x join runs y on x.seed = y.seed order by x.seed limit 1"
    assert query(folder, sql).column_names == names
    shown, csv, lines = (cli("query", folder, sql, *form) for form in ((), ("--csv",), ("--json",)))
    assert [done.returncode for done in (shown, csv, lines)] == [0, 0, 0], shown.stderr
    assert shown.stdout.split()[: len(names)] == names
    assert csv.stdout.splitlines()[0] == ",".join(f'"{name}"' for name in names)
    assert list(json.loads(lines.stdout)) == names
