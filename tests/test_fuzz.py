"""The harness of the fuzz targets in Python: it tells each fault once, and keeps its input."""

from __future__ import annotations

from pathlib import Path

import pytest

from dumbbell.errors import DumbbellError
from fuzz import folders
from fuzz.run import _failure


def run(tmp_path: Path, cases: int, name: str) -> folders.Tally:
    work, artifacts = tmp_path / f"{name} work", tmp_path / name
    work.mkdir()
    artifacts.mkdir()
    return folders.fuzz("archive", work, artifacts, seconds=600, cases=cases, seed=3, longest=600)


def test_each_fault_is_told_once_and_its_input_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []

    def use(case: Path, _work: Path) -> None:
        seen.append(case.read_bytes())
        if len(seen) in (2, 3):
            raise KeyError("run_id")
        if len(seen) == 4:
            raise DumbbellError("one line\nand another")
        if len(seen) == 5:
            raise DumbbellError("not an archive")

    monkeypatch.setitem(folders.TARGETS, "archive", use)
    tally = run(tmp_path, 6, "first")
    assert (tally.cases, tally.refused) == (6, 1)
    assert [key.partition(" at ")[0] for key in tally.failures] == ["KeyError", "AssertionError"]
    assert {path.name for path in (tmp_path / "first").iterdir()} == {"archive-3-1.zip", "archive-3-3.zip"}
    assert str(tmp_path / "first" / "archive-3-1.zip") in next(iter(tally.failures.values()))
    assert (tmp_path / "first" / "archive-3-1.zip").read_bytes() == seen[1]
    assert len(set(seen)) > 3, "cases should differ"


def test_what_libfuzzer_says_becomes_one_line() -> None:
    log = (
        "#2\tINITED cov: 3 ft: 4\n"
        "thread '<unnamed>' (7) panicked at src/frame.rs:301:25:\n"
        "index out of bounds: the len is 42 but the index is 44\n"
        "==7== ERROR: libFuzzer: deadly signal\n"
        "artifact_prefix='./'; Test unit written to ./crash-b10f\n"
    )
    assert _failure(log) == (
        "thread '<unnamed>' (7) panicked at src/frame.rs:301:25: index out of bounds: the len is 42 but the "
        "index is 44; the input is ./crash-b10f"
    )
    hang = "==7== ERROR: libFuzzer: timeout after 30 seconds\nTest unit written to ./timeout-1\n"
    assert _failure(hang) == "==7== ERROR: libFuzzer: timeout after 30 seconds; the input is ./timeout-1"
