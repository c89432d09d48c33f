"""The table of lines that the tests reach."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools import reached
from tools.reached import File, of_crate, of_package, table


def test_the_table_adds_up_and_names_the_least_reached() -> None:
    files = [
        File(Path("crates/core/src/time.rs"), 999, 1000),
        File(Path("crates/core/src/deep/er.rs"), 30, 60),
        File(Path("crates/net/src/link.rs"), 20, 100),
        File(Path("crates/net/src/small.rs"), 0, reached.SMALL - 1),
    ]
    rows = [line.split() for line in table("Rust", files, of_crate).splitlines()]
    assert rows[:4] == [
        ["Rust", "lines", "reached"],
        ["core", "1060", "97.0", "%"],
        ["net", "119", "16.8", "%"],
        ["all", "1179", "88.9", "%"],
    ]
    assert [row[0] for row in rows[6:]] == [
        "crates/net/src/link.rs", "crates/core/src/deep/er.rs", "crates/core/src/time.rs"
    ]  # fmt: skip
    assert rows[-1][2] == "99.9", "one line is missing"
    nearly = [File(Path("crates/core/src/time.rs"), 9999, 10_000)]
    assert "99.9 %" in table("Rust", nearly, of_crate), "rounded down"


def test_a_file_belongs_to_the_folder_below_the_package() -> None:
    places = ["python/dumbbell/_scenario.py", "python/dumbbell/study/plan.py", "python/dumbbell/live/a/b.py"]
    assert [of_package(Path(place)) for place in places] == ["(itself)", "study", "live"]


def test_files_of_crates_count_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {"lines": {"covered": 3, "count": 4}}
    names = ["crates/net/src/link.rs", "crates/net/tests/laws.rs", "fuzz/targets/a.rs"]
    places = [str(reached.ROOT / name) for name in names]
    files = [{"filename": place, "summary": lines} for place in [*places, "/elsewhere/crates/net/src/x.rs"]]
    told = json.dumps({"data": [{"files": files}]})

    def run(*_command: object, **_how: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 0, told)

    monkeypatch.setattr(subprocess, "run", run)
    found = reached.read_rust("llvm-profdata", "llvm-cov", [Path("one"), Path("two")])
    assert found == [File(Path("crates/net/src/link.rs"), 3, 4)]


def test_without_llvm_one_line_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reached.shutil, "which", lambda _: None)
    monkeypatch.setattr(reached, "llvm", lambda: "22")
    assert reached.main() == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "llvm-profdata-22 is missing, and reads what the crates count: apt-get install llvm-22"
    ]


def test_the_wrapper_counts_what_rustc_compiles(tmp_path: Path) -> None:
    told = tmp_path / "told"
    compiler = tmp_path / "rustc"
    program = f"import sys\nopen({str(told)!r}, 'w').write(' '.join(sys.argv[1:]))\n"
    compiler.write_text(f"#!{sys.executable}\n{program}")
    compiler.chmod(0o755)
    wrapper = reached.ROOT / "tools" / "counting-rustc.sh"
    subprocess.run([wrapper, compiler, "--crate-name", "a", "src/lib.rs"], check=True)
    assert told.read_text() == "--crate-name a src/lib.rs -C instrument-coverage"
