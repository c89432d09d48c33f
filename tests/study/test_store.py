"""The folder: what is reused, what is kept apart, what is found damaged, what is refused."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dumbbell import Results
from dumbbell.errors import FolderError
from dumbbell.study import Metric, Progress, Study, StudyError, StudyResult, run_study
from dumbbell.study import plan as plan_module
from dumbbell.study.files import read_shard, write_durably, write_shard
from dumbbell.study.maker import Maker
from dumbbell.study.metric import evaluate
from dumbbell.study.plan import StudyPlan
from dumbbell.study.query import query
from dumbbell.study.store import Store
from dumbbell.study.threads import next_count
from dumbbell.study.writer import as_table
from tests.study.conftest import changed, content, shards


def first_report(study: Study, folder: Path) -> Progress:
    """Run a study and return what it said when it started."""
    reports: list[Progress] = []
    run_study(study, folder, progress=reports.append)
    last = reports[-1]
    assert last.total == last.reused + last.done
    return reports[0]


def shards_of(store: Store) -> list[Path]:
    return sorted(store.shards.glob("*.parquet"))


def test_table_holds_what_the_runs_gave(study: Study, tmp_path: Path) -> None:
    result = run_study(study, tmp_path / "out")
    assert result.complete
    assert result.stamp is None
    assert result.table.column_names == ["run_id", "arm", "seed", "load", "fct", "loss"]
    maker = Maker(study)
    for run, row in zip(study.runs(), result.table.to_pylist(), strict=True):
        fct, loss = maker(run)
        assert row == {
            "run_id": run.id, "arm": run.arm, "seed": run.seed, **run.point, "fct": fct, "loss": loss
        }  # fmt: skip


def test_tables_of_studies_are_compressed_as_those_of_runs(
    study: Study, results: Results, tmp_path: Path
) -> None:
    run_study(study, tmp_path / "out")
    results.save(tmp_path / "run")
    used: dict[str, set[str]] = {}
    for path in tmp_path.rglob("*.parquet"):
        about = pq.ParquetFile(path).metadata
        groups = [about.row_group(i) for i in range(about.num_row_groups)]
        columns = [group.column(i).compression for group in groups for i in range(group.num_columns)]
        used.setdefault(path.name, set()).update(columns)
    assert len(used) > 10
    assert set().union(*used.values()) == {"SNAPPY"}, used


def test_metrics_from_tables_make_no_results(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_: object) -> None:
        raise AssertionError("of 16 objects, which are made under the interpreter lock")

    monkeypatch.setattr(Results, "of", made)
    maker = Maker(study)
    assert all(len(maker(run)) == 2 for run in study.runs())


def test_values_and_pairs(study: Study, tmp_path: Path) -> None:
    result = run_study(study, tmp_path / "out")
    seeds, values = result.values("fct", "cubic", load=0.3)
    rows = [r for r in result.table.to_pylist() if r["arm"] == "cubic" and r["load"] == 0.3]
    assert seeds.tolist() == [1, 2, 3, 4, 5] == [row["seed"] for row in rows]
    assert values.tolist() == [row["fct"] for row in rows]
    a, b = result.paired("fct", "newreno", "cubic", load=0.3)
    assert a.tolist() == result.values("fct", "newreno", load=0.3)[1].tolist()
    assert b.tolist() == values.tolist()
    for wrong in ({"load": 0.4}, {}, {"load": 0.3, "other": 1}):
        with pytest.raises(KeyError):
            result.values("fct", "cubic", **wrong)
    with pytest.raises(KeyError):
        result.values("nope", "cubic", load=0.3)


def test_arms_see_the_same_arrivals(tmp_path: Path) -> None:
    count = {"table": "flows", "column": "size", "statistic": "sum", "counted": False}
    study = Study.from_dict(changed(metrics=[{"name": "bytes", "source": count}]))
    result = run_study(study, tmp_path / "out")
    a, b = result.paired("bytes", "newreno", "cubic", load=0.6)
    assert a.tolist() == b.tolist()
    assert len(set(a.tolist())) > 1


def test_a_second_time_reuses_everything(study: Study, tmp_path: Path) -> None:
    run_study(study, tmp_path / "out")
    before = shards(tmp_path / "out")
    assert len(before) == 1
    assert first_report(study, tmp_path / "out") == Progress(20, 20, 0, pytest.approx(0, abs=1), ())
    assert shards(tmp_path / "out") == before


def test_a_longer_study_reuses_the_shorter(study: Study, tmp_path: Path) -> None:
    run_study(study, tmp_path / "out")
    longer = Study.from_dict(changed(seeds=7))
    assert first_report(longer, tmp_path / "out").reused == 20
    run_study(longer, tmp_path / "fresh")
    assert content(tmp_path / "out") == content(tmp_path / "fresh")
    # And back: what is too much is kept, and not counted.
    report = first_report(study, tmp_path / "out")
    assert report.reused == 20
    assert report.notes == ("8 runs of earlier forms of this study are kept, and not counted",)
    assert StudyResult.load(tmp_path / "out").finished == 20


def test_arms_that_come_to_the_same_share_their_runs(tmp_path: Path) -> None:
    arms = [{"name": name, "set": "transport.controller=cubic"} for name in ("a", "b")]
    study = Study.from_dict(changed(arms=arms))
    assert first_report(study, tmp_path / "out").total == 10
    result = StudyResult.load(tmp_path / "out")
    assert (result.finished, result.expected) == (20, 20)
    a, b = result.paired("fct", "a", "b", load=0.6)
    assert a.tolist() == b.tolist()


def test_other_versions_of_the_code_are_kept_apart(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_module, "code_version", lambda: "0.0.1-old")
    run_study(study, tmp_path / "out")
    monkeypatch.undo()
    report = first_report(study, tmp_path / "out")
    assert report.reused == 0
    assert report.notes == (
        "results of other versions of the code are kept apart, and not reused: 0.0.1-old",
    )
    new, old = StudyResult.load(tmp_path / "out"), StudyResult.load(tmp_path / "out", "0.0.1-old")
    assert new.version != old.version == "0.0.1-old"
    assert not set(new.table["run_id"].to_pylist()) & set(old.table["run_id"].to_pylist())
    assert new.table.drop("run_id").equals(old.table.drop("run_id"))
    assert new.notes == ("results of other versions of the code are kept apart: 0.0.1-old",)
    with pytest.raises(FolderError, match=r"no results of version 3; there are 0\.0\.1-old, "):
        StudyResult.load(tmp_path / "out", "3")


@pytest.mark.parametrize("count", [2, 4])
def test_shares_merge_by_copying(study: Study, tmp_path: Path, count: int) -> None:
    for index in range(1, count + 1):
        part = run_study(study, tmp_path / f"part{index}", share=(index, count))
        assert not part.complete
        assert part.stamp == f"INCOMPLETE: {part.finished} of 20 runs"
        shutil.copytree(tmp_path / f"part{index}", tmp_path / "merged", dirs_exist_ok=True)
    run_study(study, tmp_path / "whole")
    assert content(tmp_path / "merged") == content(tmp_path / "whole")
    # Once more over it, from a copy of one: nothing counts twice.
    shutil.copytree(tmp_path / "part1", tmp_path / "merged", dirs_exist_ok=True)
    assert first_report(study, tmp_path / "merged").reused == 20
    assert shards(tmp_path / "merged")[0].name == shards(tmp_path / "whole")[0].name


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_shard_is_set_aside_and_made_again(study: Study, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "out"
    for index in (1, 2):
        run_study(study, tmp_path / f"part{index}", share=(index, 2))
        shutil.copytree(tmp_path / f"part{index}", folder, dirs_exist_ok=True)
    expected = content(folder)
    victim = shards(folder)[0]
    data = bytearray(victim.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    victim.write_bytes({"cut": data[:-20], "flip": data, "empty": b""}[damage])
    seen = StudyResult.load(folder)
    assert seen.finished == 10
    assert "1 damaged shards are not read; run the study again" in seen.notes
    report = first_report(study, folder)
    assert report.reused == 10
    assert report.notes == ("1 damaged shards were set aside as *.corrupt; their runs are made again",)
    assert victim.with_suffix(".corrupt").exists()
    assert content(folder) == expected


def test_a_shard_damaged_while_the_study_runs_is_left_out(tmp_path: Path) -> None:
    store = Store(tmp_path, "1")
    store.shards.mkdir(parents=True)
    for number in range(3):
        store.write_rows(pa.table({"run_id": [str(number)], "x": [1.0]}))
    victim = shards_of(store)[1]
    victim.write_bytes(victim.read_bytes()[:-1])
    store.tidy()
    store._merge(list(store._rows))
    scan = store.scan()
    assert (scan.damaged, scan.table.num_rows, scan.shards) == ((victim,), 2, 1)


def test_a_shard_that_another_process_has_merged(tmp_path: Path) -> None:
    ours, theirs = Store(tmp_path, "1"), Store(tmp_path, "1")
    ours.shards.mkdir(parents=True)
    for number in range(4):
        ours.write_rows(pa.table({"run_id": [str(number)], "x": [1.0]}))
    theirs.compact()
    ours._merge(list(ours._rows))
    ours.tidy()
    assert list(ours._rows.values()) == [4]
    assert ours.scan().table["run_id"].to_pylist() == ["0", "1", "2", "3"]


def test_a_damaged_shard_is_written_over_by_the_same_rows(tmp_path: Path) -> None:
    table = pa.table({"run_id": ["1"], "x": [1.0]})
    path = write_shard(tmp_path, table)
    path.write_bytes(b"damaged")
    assert write_shard(tmp_path, table) == path
    assert read_shard(path).equals(table)


def test_a_link_to_nothing_is_told(study: Study, tmp_path: Path) -> None:
    run_study(study, tmp_path / "out", share=(1, 2))
    (shards(tmp_path / "out")[0].parent / "annexed.parquet").symlink_to(tmp_path / "elsewhere")
    for call in (lambda: run_study(study, tmp_path / "out"), lambda: StudyResult.load(tmp_path / "out")):
        with pytest.raises(FolderError, match=r"annexed\.parquet: a link to nothing; fetch the file, or"):
            call()


def test_a_damaged_catalogue_is_made_anew(study: Study, tmp_path: Path) -> None:
    run_study(study, tmp_path / "out")
    (catalogue,) = (tmp_path / "out").glob("results/*/catalogue.parquet")
    catalogue.write_bytes(b"PAR1")
    with pytest.raises(FolderError, match="damaged; run the study again, finished runs are kept"):
        StudyResult.load(tmp_path / "out")
    assert first_report(study, tmp_path / "out").reused == 20


def test_a_damaged_mark_is_made_anew(study: Study, tmp_path: Path) -> None:
    run_study(study, tmp_path / "out")
    mark = tmp_path / "out" / "study.json"
    mark.write_bytes(mark.read_bytes()[:100])
    with pytest.raises(FolderError, match=r"study\.json: damaged; remove it and run the study again"):
        run_study(study, tmp_path / "out")
    mark.unlink()
    with pytest.raises(StudyError, match="holds the study 'small', and this is 'other'"):
        run_study(Study.from_dict(changed(name="other")), tmp_path / "out")
    assert first_report(study, tmp_path / "out").reused == 20


@pytest.mark.parametrize("moment", range(11))
def test_killed_while_the_folder_is_made(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """Ended before each step that makes a file or folder durable, the same command goes on."""

    class KilledError(BaseException):
        pass

    synchronise, calls = os.fsync, iter(range(99))

    def fsync(descriptor: int) -> None:
        if next(calls) == moment:
            raise KilledError
        synchronise(descriptor)

    # A killed process removes nothing.
    monkeypatch.setattr(Path, "unlink", lambda *_args, **_keys: None)
    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(KilledError):
        run_study(study, tmp_path / "deep" / "out", workers=1)
    monkeypatch.undo()
    assert run_study(study, tmp_path / "deep" / "out").complete
    assert not list(tmp_path.rglob(".*.part"))


def test_another_study_is_refused(study: Study, tmp_path: Path) -> None:
    run_study(study, tmp_path / "out")
    before = content(tmp_path / "out")
    with pytest.raises(StudyError, match="holds the study 'small', and this is 'other'; choose another"):
        run_study(Study.from_dict(changed(name="other")), tmp_path / "out")
    assert content(tmp_path / "out") == before


def test_two_different_results_for_one_run_are_refused(study: Study, tmp_path: Path) -> None:
    run_study(study, tmp_path / "out")
    (shard,) = shards(tmp_path / "out")
    table = read_shard(shard)
    forged = table.set_column(1, "fct", pa.array([9.0] * table.num_rows))
    write_shard(shard.parent, forged)
    with pytest.raises(StudyError, match="20 runs are there with two different results"):
        StudyResult.load(tmp_path / "out")


def test_a_folder_of_other_things_is_refused(study: Study, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(FolderError, match="holds files that are not a study; choose another folder"):
        run_study(study, tmp_path)
    with pytest.raises(FolderError, match=r"cannot be written \(Not a directory\)"):
        run_study(study, tmp_path / "thesis.tex" / "out")
    with pytest.raises(FolderError, match="no study here; make one with `dumbbell study run`"):
        StudyResult.load(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_in_use_is_refused(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    run_study(study, folder, share=(1, 2))
    with (folder / ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(FolderError, match="another process is running a study here"):
            run_study(study, folder)
    assert run_study(study, folder).complete


@pytest.mark.parametrize("other", [1, 99])
def test_a_folder_of_another_format_is_refused(study: Study, tmp_path: Path, other: int) -> None:
    run_study(study, tmp_path / "out")
    mark = tmp_path / "out" / "study.json"
    mark.write_text(json.dumps(json.loads(mark.read_text()) | {"format": other}))
    for call in (lambda: run_study(study, tmp_path / "out"), lambda: StudyResult.load(tmp_path / "out")):
        with pytest.raises(FolderError, match="has the format of another version of dumbbell"):
            call()


def test_a_folder_that_cannot_be_locked(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(FolderError, match=r"cannot be locked .* choose a folder on another file system"):
        run_study(study, tmp_path / "out")


@pytest.mark.parametrize("share", [(0, 2), (3, 2)])
def test_a_share_that_is_none(study: Study, tmp_path: Path, share: tuple[int, int]) -> None:
    with pytest.raises(StudyError, match="there is no such share; use 1/2 to 2/2"):
        run_study(study, tmp_path / "out", share=share)


def test_full_disk(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From some moment on nothing can be written; what was finished by then is reused."""
    folder = tmp_path / "out"
    run_study(study, folder, share=(1, 4))
    synchronise = os.fsync

    def full(descriptor: int) -> None:
        if threading.current_thread().name == "writer":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        synchronise(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FolderError) as caught:
        run_study(study, folder)
    monkeypatch.undo()
    assert str(caught.value).startswith(f"{shards(folder)[0].parent}: the disk is full; free some space and ")
    assert "finished runs are kept" in str(caught.value)
    assert not list(folder.rglob(".*.part"))
    assert StudyResult.load(folder).finished == 5
    assert run_study(study, folder).complete
    run_study(study, tmp_path / "whole")
    assert content(folder) == content(tmp_path / "whole")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 128 kB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", folder]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let tests mount")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_full_disk_for_real(study: Study, disk: Path) -> None:
    run_study(study, disk / "out", share=(1, 2))
    (disk / "ballast").write_bytes(b"0" * (shutil.disk_usage(disk).free - 4096))
    with pytest.raises(FolderError, match="the disk is full"):
        run_study(Study.from_dict(changed(seeds=100)), disk / "out")
    assert StudyResult.load(disk / "out").finished >= 10
    (disk / "ballast").unlink()
    assert run_study(study, disk / "out").complete


def test_read_only_disk(study: Study, disk: Path) -> None:
    run_study(study, disk / "out", share=(1, 2))
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    for folder in (disk / "out", disk / "new"):
        with pytest.raises(
            FolderError, match=rf"{folder}: cannot be written \(Read-only file system\); choose"
        ):
            run_study(study, folder)
    assert StudyResult.load(disk / "out").finished == 10
    assert query(disk / "out", "select count(*) as n from runs").to_pylist() == [{"n": 10}]
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    assert run_study(study, disk / "out").complete


def test_folder_that_becomes_read_only(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_study(study, tmp_path / "out")
    shards(tmp_path / "out")[0].write_bytes(b"damaged")

    def rename(path: Path, _target: Path) -> Path:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(FolderError, match=r"shards: cannot be written \(Read-only file system\); mend that"):
        run_study(study, tmp_path / "out")


def test_a_failing_function_names_its_run(study: Study, tmp_path: Path) -> None:
    def fails(_results: object) -> float:
        raise IndexError("nothing there")

    broken = replace(study, metrics=(Metric("mine", "mine", "", fails),))
    with pytest.raises(StudyError, match=r"metric mine: IndexError: nothing there, in the run with work"):
        run_study(broken, tmp_path / "out")


def test_runs_that_ended_before_a_failure_are_kept(study: Study, tmp_path: Path) -> None:
    made: list[object] = []

    def fails(results: Results) -> float:
        if len(made) == 11:
            raise IndexError("nothing there")
        made.append(results)
        return 1.0

    broken = replace(study, metrics=(Metric("mine", "mine", "", fails),))
    # The ids depend on what the function uses.
    plan = StudyPlan(broken)
    ended = sorted(plan.run(number).id for number in range(11))
    with pytest.raises(StudyError, match="metric mine"):
        run_study(broken, tmp_path / "out", workers=1)
    assert sorted(Store(tmp_path / "out", plan.version).scan().table["run_id"].to_pylist()) == ended


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_leaves_the_same_bytes(study: Study, tmp_path: Path, workers: int) -> None:
    alone = tmp_path / "alone"
    store = Store(alone, StudyPlan(study).version)
    store.shards.mkdir(parents=True)
    maker = Maker(study)
    rows = [(run.id, maker(run)) for run in study.runs()]
    expected = write_shard(store.shards, as_table(rows, study.columns))
    run_study(study, tmp_path / "out", workers=workers)
    (shard,) = shards(tmp_path / "out")
    assert (shard.name, shard.read_bytes()) == (expected.name, expected.read_bytes())


def test_a_thread_takes_more_runs_the_shorter_they_are() -> None:
    assert next_count(1, 0.0001) == 2, "not many at once, before it is known what they take"
    assert next_count(64, 0.0064) == 64, "nor more than so many"
    assert next_count(8, 0.04) == 4
    assert next_count(1, 5.0) == 1


def test_what_a_killed_writer_leaves_goes(study: Study, tmp_path: Path) -> None:
    run_study(study, tmp_path / "out", share=(1, 2))
    (shards(tmp_path / "out")[0].parent / ".abc.parquet.1-2.part").write_bytes(b"half")
    run_study(study, tmp_path / "out")
    assert not list((tmp_path / "out").rglob(".*.part"))


def test_what_a_report_writes_meanwhile_stays(study: Study, tmp_path: Path) -> None:
    run_study(study, tmp_path / "out", share=(1, 2))
    (tmp_path / "out" / ".figures.123.part").mkdir()
    (tmp_path / "out" / ".report.html.123.part").write_bytes(b"half")
    run_study(study, tmp_path / "out")
    assert len(list((tmp_path / "out").glob(".*.part"))) == 2


def test_a_file_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_durably(tmp_path / "a", b"first")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "broken")))
    with pytest.raises(OSError, match="broken"):
        write_durably(tmp_path / "a", b"second")
    monkeypatch.undo()
    assert (tmp_path / "a").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_many_small_shards_are_merged(tmp_path: Path) -> None:
    store = Store(tmp_path, "1")
    store.shards.mkdir(parents=True)
    # More than twice as many shards as there may be: they are merged, and merged again with the first ones.
    ids = [f"{number:032}" for number in range(300)]
    for index in range(0, 300, 2):
        pair = pa.table({"run_id": ids[index : index + 2], "x": [float(index), None]})
        store.write_rows(pair)
        assert len(list(store.shards.iterdir())) <= 64
        assert store.scan().table.num_rows == index + 2
    store.compact()
    scan = store.scan()
    assert scan.shards == 1
    assert scan.table["run_id"].to_pylist() == ids


def test_sql(study: Study, tmp_path: Path) -> None:
    result = run_study(study, tmp_path / "out")
    answer = query(tmp_path / "out", "select arm, avg(fct) as fct from runs where load = 0.3 group by arm")
    for row in answer.to_pylist():
        assert row["fct"] == pytest.approx(result.values("fct", row["arm"], load=0.3)[1].mean(), rel=1e-12)
    for table in ("runs", "catalogue", "shards"):
        assert query(tmp_path / "out", f"select count(*) as n from {table}").to_pylist() == [{"n": 20}]
    with pytest.raises(StudyError, match="query: "):
        query(tmp_path / "out", "select nothing from nowhere")


def test_a_function_metric_can_be_analysed_after_loading(study: Study, tmp_path: Path) -> None:
    measured = replace(study, metrics=(Metric("flows", "flows", "", lambda r: len(r.flows)),))
    run_study(measured, tmp_path / "out")
    loaded = StudyResult.load(tmp_path / "out")
    assert loaded.values("flows", "cubic", load=0.3)[1].min() > 0
    with pytest.raises(StudyError, match="was a function; give the study as its Python file"):
        evaluate(loaded.study.metrics[0], None)  # type: ignore[arg-type]
