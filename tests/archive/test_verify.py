"""Archived runs made again: bit-equal, within interval, different; and archives that are no good."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dumbbell as db
from dumbbell.archive import ArchiveError, pack, verify
from dumbbell.archive.files import MANIFEST, write_zip
from dumbbell.study import Metric, Study, StudyResult, run_study
from tests.unprinted import unprinted


@pytest.fixture
def no_print() -> Iterator[None]:
    with unprinted():
        yield


def _slightly(value: float) -> float:
    return value * (1 + 1e-9)


def _wildly(value: float) -> float:
    return value + 1e12


def _tampered(study_folder: Path, tmp_path: Path, change: Callable[[pa.Table], pa.Table]) -> Path:
    """An archive of a study whose results are not what its runs give."""
    folder = tmp_path / "changed"
    shutil.copytree(study_folder, folder)
    (shard,) = folder.glob("results/*/shards/*.parquet")
    table = change(pq.read_table(shard))
    shard.unlink()
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    data = sink.getvalue().to_pybytes()
    (shard.parent / f"{hashlib.sha256(data).hexdigest()[:32]}.parquet").write_bytes(data)
    return pack(folder, tmp_path / "changed.zip")


def _goodput(new: Callable[[float], float]) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        values = [new(value) for value in table["goodput"].to_pylist()]
        return table.set_column(table.column_names.index("goodput"), "goodput", pa.array(values))

    return change


def test_untouched_is_bit_equal(archive: Path, study_result: StudyResult) -> None:
    seen: list[tuple[int, int]] = []
    found = verify(archive, sample=5, progress=lambda done, total: seen.append((done, total)))
    assert found.outcome == "bit-equal"
    assert found.runs == study_result.finished == 16
    assert len({check.run for check in found.checks}) == 5
    assert seen == [(number, 5) for number in range(1, 6)]
    assert found.then == found.now
    # One of each fifth of the runs, which stand seed by seed: of the first and of the last in any case.
    assert {check.run.rpartition(" ")[2] for check in found.checks} >= {"1", "4"}


def test_all_runs(archive: Path) -> None:
    found = verify(archive, sample=None)
    assert len(found.checks) == 16
    assert found.outcome == "bit-equal"


@pytest.mark.usefixtures("no_print")
def test_small_change_is_within_interval(study_folder: Path, tmp_path: Path) -> None:
    found = verify(_tampered(study_folder, tmp_path, _goodput(_slightly)), sample=None)
    assert {check.outcome for check in found.checks} == {"within interval"}
    assert all("goodput was " in check.detail and "events" not in check.detail for check in found.checks)


@pytest.mark.usefixtures("no_print")
def test_large_change_is_different(study_folder: Path, tmp_path: Path) -> None:
    assert verify(_tampered(study_folder, tmp_path, _goodput(_wildly)), sample=3).outcome == "different"


@pytest.mark.usefixtures("no_print")
def test_a_missing_value_is_different(study_folder: Path, tmp_path: Path) -> None:
    def change(table: pa.Table) -> pa.Table:
        return table.set_column(
            table.column_names.index("goodput"), "goodput", pa.nulls(table.num_rows, pa.float64())
        )

    found = verify(_tampered(study_folder, tmp_path, change), sample=1)
    assert found.outcome == "different"
    assert "goodput was absent" in found.checks[0].detail


def test_run_with_a_file(run_folder: Path, tmp_path: Path) -> None:
    path = pack(run_folder, tmp_path / "run.zip", base=run_folder.parent)
    assert verify(path).outcome == "bit-equal"


def test_run_of_another_scenario_is_different(run_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(run_folder, folder)
    scenario = folder / "scenario.toml"
    scenario.write_text(scenario.read_text().replace('duration = "4s"', 'duration = "3s"'))
    found = verify(pack(folder, tmp_path / "run.zip", base=run_folder.parent))
    assert found.outcome == "different"
    assert "runs.duration" in found.checks[0].detail


def _rewritten(archive: Path, path: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    with zipfile.ZipFile(archive) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    change(files)
    with zipfile.ZipFile(path, "w") as target:
        for name, data in files.items():
            target.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda files: files.update({"study.json": b"{}"}), "study.json was changed since it was packed"),
        (lambda files: files.pop("study.json"), "study.json is missing"),
        (lambda files: files.update({"more": b""}), "more is not in the manifest"),
        (lambda files: files.pop(MANIFEST), "not an archive of dumbbell"),
        (lambda files: files.update({"../more": b""}), "a name that leads out of it"),
        (lambda files: files.update({"/tmp/more": b""}), "a name that leads out of it"),
    ],
)
def test_changed_archives(
    archive: Path, tmp_path: Path, change: Callable[[dict[str, bytes]], None], message: str
) -> None:
    path = _rewritten(archive, tmp_path / "bad.zip", change)
    with pytest.raises(ArchiveError, match=message):
        verify(path)
    assert list(tmp_path.iterdir()) == [path]


def test_every_truncation_and_flip_is_one_clear_error(archive: Path, tmp_path: Path) -> None:
    data = archive.read_bytes()
    bad = tmp_path / "bad.zip"
    for length in range(0, len(data), len(data) // 12):
        bad.write_bytes(data[:length])
        with pytest.raises(ArchiveError, match=r"bad\.zip: ") as error:
            verify(bad)
        assert "\n" not in str(error.value)
    # The local header of the first file: its content begins within the first kilobyte.
    flipped = bytearray(data)
    flipped[400] ^= 0xFF
    bad.write_bytes(flipped)
    with pytest.raises(ArchiveError, match=r"bad\.zip: "):
        verify(bad)


def test_not_an_archive(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("no")
    for path, message in (
        (tmp_path / "none.zip", "no such file"),
        (tmp_path, "is a folder"),
        (tmp_path / "text.zip", "not a usable ZIP file"),
    ):
        with pytest.raises(ArchiveError, match=message):
            verify(path)
    write_zip(tmp_path / "empty.zip", {"a": b""})
    with pytest.raises(ArchiveError, match="holds neither a study nor a run"):
        verify(tmp_path / "empty.zip")


def test_command_line(archive: Path, study_folder: Path, tmp_path: Path, cli: Callable[..., object]) -> None:
    def run(*arguments: object) -> CompletedProcess[str]:
        done = cli(*map(str, arguments))
        assert isinstance(done, CompletedProcess)
        assert "Traceback" not in done.stderr
        return done

    packed = run("pack", study_folder, "-o", "run.zip")
    assert packed.returncode == 0, packed.stderr
    assert (tmp_path / "run.zip").read_bytes() == archive.read_bytes()
    again = run("pack", study_folder, "-o", "run.zip")
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1
    assert run("pack", study_folder, "-o", "run.zip", "--force").returncode == 0
    verified = run("verify", "run.zip", "--sample", 2)
    assert verified.returncode == 0, verified.stderr
    assert "bit-equal: 2 of 16 runs made again" in verified.stdout
    for change, code in ((_slightly, 3), (_wildly, 4)):
        folder = tmp_path / str(code)
        folder.mkdir()
        changed = _tampered(study_folder, folder, _goodput(change))
        assert run("verify", changed, "--sample", 1).returncode == code
    (tmp_path / "bad.zip").write_bytes(b"PK")
    bad = run("verify", "bad.zip")
    assert bad.returncode == 2
    assert bad.stderr.startswith("dumbbell: bad.zip: ")
    assert bad.stderr.count("\n") == 1


def test_archive_tells_nothing_of_this_machine(archive: Path) -> None:
    """No path of this machine is in it."""
    with zipfile.ZipFile(archive) as opened:
        text = json.dumps({name: opened.read(name).decode("latin-1") for name in opened.namelist()})
    assert str(Path.home()) not in text
    assert str(Path(__file__).parent) not in text


def _half(results: db.Results) -> float:
    return float(results.runs["goodput"][0]) / 2


def test_functions_are_not_archived(tmp_path: Path) -> None:
    (tmp_path / "flows.csv").write_text("0.1,sender0,receiver0,20000\n")
    values = {
        "name": "functions",
        "scenario": {
            "duration": "2s",
            "topology": {"kind": "dumbbell", "pairs": 1},
            "workloads": [{"kind": "trace", "name": "web", "file": "flows.csv"}],
        },
        "metrics": [{"name": "goodput", "source": {"table": "runs", "column": "goodput"}}],
    }
    study = Study.from_dict(values, tmp_path)
    half = Metric("half", "half of it", "bit/s", _half)
    for name, metrics in (("both", (*study.metrics, half)), ("one", (half,))):
        run_study(replace(study, metrics=metrics), tmp_path / name)
        pack(tmp_path / name, tmp_path / f"{name}.zip", base=tmp_path)
    found = verify(tmp_path / "both.zip")
    assert found.outcome == "bit-equal"
    assert "Python functions, which are not archived: half" in found.unchecked
    with pytest.raises(ArchiveError, match="by Python functions only"):
        verify(tmp_path / "one.zip")
