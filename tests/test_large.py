"""Large input takes time in proportion, and is answered in short lines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dumbbell as db
from dumbbell.errors import ScenarioError

HEAD = """
duration = "1ms"
topology = { kind = "dumbbell", pairs = 2 }
transport = "cbr"
record = { samples = false, queues = "none" }
"""


def test_thirty_thousand_tables_of_flows_are_shown_in_part(tmp_path: Path) -> None:
    file = tmp_path / "many.toml"
    entry = '[[flows]]\nfrom = "sender0"\nto = "receiver0"\ncount = 2\n'
    file.write_text(HEAD + entry * 30_000, encoding="utf-8")
    for command in ("check", "run"):
        done = subprocess.run(
            [sys.executable, "-m", "dumbbell", command, str(file)],
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0
        # Fewer lines than one for each table: the rest is in `explain` and `summary.json`.
        assert done.stdout.count("\n") < 200
        assert "of 30000)" in done.stdout
    results = db.Scenario.from_file(file).run()
    groups = results.summary()["groups"]
    assert [group["group"] for group in groups] == [f"flows{i}" for i in range(30_000)]
    assert all(group["flows"] == 2 for group in groups)


def test_rows_of_groups_are_those_of_each_label() -> None:
    scenario = db.Scenario.from_toml(
        HEAD + '[[flows]]\nname = "b"\nfrom = "senders"\nto = "receivers"\nstart = "10us"\n'
        '[[flows]]\nname = "a"\nfrom = "senders"\nto = "receivers"\nstagger = "100us"\n'
    )
    flows = scenario.run().flows
    found = {label: rows.tolist() for label, rows in flows.groups("group")}
    assert list(found) == ["a", "b"]
    assert found == {"a": [0, 3], "b": [1, 2]}


def test_what_a_user_wrote_is_quoted_in_part() -> None:
    huge = "q" * 3_000_000
    values: dict[str, Any] = {"duration": "1s", "topology": "dumbbell"}
    flows = [{"from": huge, "to": "receivers"}]
    for wrong in ({huge: 1}, {"duration": huge}, {"topology": huge}, {"flows": flows}):
        with pytest.raises(ScenarioError) as caught:
            db.Scenario.from_dict(values | {"flows": [{"from": "senders", "to": "receivers"}]} | wrong)
        assert len(str(caught.value)) < 1300


def test_a_dictionary_that_holds_itself_is_refused() -> None:
    values: dict[str, Any] = {"duration": "1s"}
    values["topology"] = values
    with pytest.raises(ScenarioError, match="stand within each other"):
        db.Scenario.from_dict(values)
