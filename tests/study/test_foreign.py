"""Folders and files of studies that others have made: hostile until parsed."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dumbbell.archive.pack import _beside
from dumbbell.errors import DumbbellError, FolderError
from dumbbell.report import default_figures, write_report
from dumbbell.study import Study, StudyError, StudyResult, run_study, store
from dumbbell.study.files import DamagedError, decode, encode
from dumbbell.study.manifest import MANIFEST
from tests.study.conftest import STUDY, changed, shards

Damage = Callable[[Path], object]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study with its report."""
    folder = tmp_path_factory.mktemp("made") / "out"
    result = run_study(Study.from_dict(STUDY), folder)
    write_report(folder / "report.html", result, (), default_figures(result.study))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "out")
    return tmp_path / "out"


def one_line(error: Exception) -> None:
    lines = error.problems if isinstance(error, StudyError) else [str(error)]
    for line in lines:
        assert line.isprintable(), line
        assert "; " in line


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a study, each list and table too."""
    yield path
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _places(entry, (*path, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _places(entry, (*path, index))


def _put(values: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    values = copy.deepcopy(values)
    place = values
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = new
    return values


def _deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


WRONG: list[Any] = [
    None, True, -1, 0, 2**63, 10**400, 1.5, float("nan"), float("inf"), "", "a", "a\x00b", "\x1b]0;x\x07",
    "a\u202eb", "\ud800", "x" * 100_000, [], [[]], [{}], [None], {}, {"a": {}}, {"kind": []}, _deep(70),
    _deep(1000), [1, "a"], {"function": 1, "fingerprint": []},
]  # fmt: skip
"""What may stand where something else should."""


def test_every_wrong_value_anywhere_is_told_or_taken() -> None:
    full = Study.from_dict(changed(stop={"metric": "fct", "relative": 0.1}, seeds=[1, 2])).to_dict()
    full["by_size"] = {
        "packet": 1448,
        "up_to": [5, 50],
        "metrics": [{"name": "afct", "source": {"column": "completion_time"}}],
    }
    tried = refused = 0
    for path in list(_places(full)):
        for wrong in WRONG:
            values = _put(full, path, wrong)
            for read in (Study.from_dict, lambda v: Study.from_folder(v, ".")):
                tried += 1
                try:
                    study = read(values)
                    if path[:1] == ("scenario",) and isinstance(values, dict):
                        study.plan(["seed=0"])
                except DumbbellError as error:
                    refused += 1
                    one_line(error)
    assert tried > 3000
    assert refused > tried / 2


def _rewritten(folder: Path, change: Callable[[pa.Table], pa.Table], path: Path) -> None:
    """Change a table, and leave no checksum that tells."""
    path.write_bytes(encode(change(pq.read_table(path))))
    (folder / MANIFEST).unlink()


def _catalogue(folder: Path) -> Path:
    (path,) = folder.glob("results/*/catalogue.parquet")
    return path


def _seeds(change: Callable[[int], Any]) -> Callable[[pa.Table], pa.Table]:
    return lambda t: t.set_column(2, "seed", pa.array([change(seed) for seed in t["seed"].to_pylist()]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(["seed"]), "its columns are not those of the study"),
        (_seeds(float), "its column seed"),
        (_seeds(lambda seed: seed + 1), "its column seed"),
        (lambda t: t.set_column(1, "arm", pa.array(["x" * 10_000] * t.num_rows)), "a text in its column arm"),
        (lambda t: t.set_column(1, "arm", pa.array([["a"]] * t.num_rows)), "its column arm holds list"),
        (lambda t: t.slice(1), "its column arm is not that of the study"),
        (lambda t: t.replace_schema_metadata(None), "damaged"),
        (lambda t: t.replace_schema_metadata({"dumbbell.study": b"[" * 100_000}), "more than 80 tables"),
        (lambda t: t.replace_schema_metadata({"dumbbell.study": b'{"axes": []}'}), "name: missing name"),
    ],
)  # fmt: skip
def test_a_catalogue_that_is_none(folder: Path, change: Callable[[pa.Table], pa.Table], message: str) -> None:
    _rewritten(folder, change, _catalogue(folder))
    with pytest.raises(FolderError, match=message) as caught:
        StudyResult.load(folder)
    one_line(caught.value)
    assert "catalogue.parquet: " in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[" * 100_000, b"{}", b"[]", b'{"study": 1}', b'{"format": 2, "study": {"name": NaN}}',
        b'{"format": 2, "version": "../../x", "study": {"name": "small"}}', b'"\\ud800"', b"\xff",
        b'{"format": 2, "version": "1", "study": {"name": "small", "seeds": 1' + b"0" * 5000 + b"}}",
    ],
)  # fmt: skip
def test_a_study_json_that_is_none(folder: Path, data: bytes) -> None:
    (folder / "study.json").write_bytes(data)
    with pytest.raises(FolderError, match=r"study\.json: |another version of dumbbell") as caught:
        StudyResult.load(folder)
    one_line(caught.value)


def test_a_table_that_claims_more_rows_than_it_has_bytes_for(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    chunk = pa.table({"run_id": pa.array(["a"] * (1 << 20)), "x": pa.nulls(1 << 20, pa.float64())})
    with pq.ParquetWriter(path, chunk.schema, compression="zstd") as writer:
        for _ in range(17):
            writer.write_table(chunk)
    assert path.stat().st_size < 1 << 20
    with pytest.raises(DamagedError, match="it claims 17,825,792 rows"):
        decode(path.read_bytes())


def test_files_of_others_stay_closed(folder: Path, tmp_path: Path) -> None:
    """Links that lead out of the folder, in whatever place."""
    secret = tmp_path / "secret"
    secret.mkdir()
    for name in ("study.json", MANIFEST, "results", str(_catalogue(folder).relative_to(folder))):
        place = folder / name
        kept = place.rename(secret / "kept")
        place.symlink_to(kept)
        with pytest.raises(FolderError, match="a link that leads out of") as caught:
            StudyResult.load(folder)
        one_line(caught.value)
        place.unlink()
        kept.rename(place)
    assert StudyResult.load(folder).complete
    shutil.rmtree(folder / "data")
    (secret / "runs.parquet").write_text("mine")
    (folder / "data").symlink_to(secret)
    result = StudyResult.load(folder)
    with pytest.raises(FolderError, match="a link that leads out of"):
        write_report(folder / "report.html", result)
    (folder / "data").unlink()
    (folder / "data").mkdir()
    (folder / "data" / "runs.parquet").symlink_to(secret / "runs.parquet")
    with pytest.raises(FolderError, match="is in the way"):
        write_report(folder / "report.html", result)
    assert (secret / "runs.parquet").read_text() == "mine"


@pytest.mark.parametrize("name", ["absolute", "../secret.csv", "link.csv"])
def test_a_scenario_of_others_opens_nothing_outside(tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("root:x:0:0:root\n")
    home = tmp_path / "home"
    home.mkdir()
    (home / "link.csv").symlink_to(secret)
    file = str(secret) if name == "absolute" else name
    workload = {"kind": "trace", "name": "web", "file": file}
    values = changed(scenario={**STUDY["scenario"], "workloads": [workload]}, axes=None)
    study = Study.from_folder({**values, "axes": []}, home)
    with pytest.raises(StudyError, match="lies outside") as caught:
        study.runs()
    assert "root" not in str(caught.value).replace(str(tmp_path), "")
    # One's own may.
    with pytest.raises(StudyError, match="fields instead of"):
        Study.from_dict({**values, "axes": []}, home).runs()


def test_the_scenario_of_others_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "scenario.toml").write_text("secret")
    with pytest.raises(StudyError, match="scenario: is not a table"):
        Study.from_folder(changed(scenario="scenario.toml"), tmp_path)


def test_every_flip_is_found_or_changes_nothing(made: Path) -> None:
    """Bits of every file of a folder: what a reader is told stays the same, or the flip is told."""
    chosen = random.Random(20261121)
    before = _answer(made)
    found = 0
    files = [path for path in sorted(made.rglob("*")) if path.is_file() and path.name != ".lock"]
    assert len(files) >= 7
    for path in files:
        data = path.read_bytes()
        for _ in range(40):
            flipped = bytearray(data)
            place = chosen.randrange(8 * len(data))
            flipped[place // 8] ^= 1 << place % 8
            path.write_bytes(flipped)
            try:
                after = _answer(made)
            except DumbbellError as error:
                found += 1
                one_line(error)
            else:
                # Damaged shards are named in the notes, and their runs count as missing.
                assert after == before or "INCOMPLETE" in after[0] or "not there" in after[0]
                found += after != before
        path.write_bytes(data)
    assert found == 40 * len(files)


def _answer(folder: Path) -> tuple[str, str]:
    """What the folder says, and what would be packed of it."""
    result = StudyResult.load(folder)
    beside = {name: path.read_bytes() for name, path in _beside(folder).items() if isinstance(path, Path)}
    return f"{result.stamp} {result.notes}", f"{result.study} {result.table.to_pydict()} {hash(str(beside))}"


def test_a_killed_change_leaves_a_folder_that_opens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checksums of before and after both hold while the study's files are replaced."""

    class KilledError(BaseException):
        pass

    write = store.write_durably
    longer = Study.from_dict(changed(seeds=7))
    for moment in range(2):
        calls = iter(range(9))

        def killed(path: Path, data: bytes, moment: int = moment, calls: Iterator[int] = calls) -> None:
            if next(calls) == moment:
                raise KilledError
            write(path, data)

        monkeypatch.setattr(store, "write_durably", killed)
        with pytest.raises(KilledError):
            run_study(longer, folder)
        monkeypatch.undo()
        assert StudyResult.load(folder).finished == 20
    assert run_study(longer, folder).finished == 28
    assert StudyResult.load(folder).notes == ()


def test_folders_of_earlier_versions_open(folder: Path) -> None:
    (folder / MANIFEST).unlink()
    result = StudyResult.load(folder)
    assert result.complete
    assert "no checksums" in result.notes[0]
    assert run_study(Study.from_dict(STUDY), folder).notes == ()
    assert StudyResult.load(folder).notes == ()


def test_the_catalogue_and_the_mark_are_made_anew(folder: Path) -> None:
    table = pq.read_table(_catalogue(folder))
    seeds = pa.array([seed + 100 for seed in table["seed"].to_pylist()])
    _catalogue(folder).write_bytes(encode(table.set_column(2, "seed", seeds)))
    mark = folder / "study.json"
    mark.write_text(mark.read_text().replace('"small"', '"smell"'))
    with pytest.raises(FolderError, match=r"study\.json: changed since it was written, or damaged"):
        StudyResult.load(folder)
    assert run_study(Study.from_dict(STUDY), folder).finished == 20
    assert StudyResult.load(folder).notes == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("study.json", r"study\.json: damaged; remove it and run the study again"),
        ("results/*/catalogue.parquet", "no results of version .*; run the study"),
        ("results/*", "no results of version .*; run the study"),
    ],
)
def test_a_file_where_a_folder_belongs_and_the_reverse(folder: Path, name: str, words: str) -> None:
    (place,) = folder.glob(name)
    if place.is_dir():
        shutil.rmtree(place)
        place.write_bytes(b"")
    else:
        place.unlink()
        place.mkdir()
    with pytest.raises(FolderError, match=words):
        StudyResult.load(folder)


def test_shards_outlive_the_mark_and_the_catalogue(folder: Path) -> None:
    """A damaged ``study.json`` is to be removed, as its refusal says; the catalogue may be gone as well."""
    expected = StudyResult.load(folder).table
    (folder / "study.json").unlink()
    _catalogue(folder).write_bytes(b"PAR1")
    assert run_study(Study.from_dict(STUDY), folder).table.equals(expected)


def test_the_manifest_is_that_of_sha256sum(made: Path) -> None:
    listed = {line.split("  ")[1] for line in (made / MANIFEST).read_text().splitlines()}
    there = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    assert there - listed == {".lock", MANIFEST, *(p.relative_to(made).as_posix() for p in shards(made))}
    assert listed <= there
    name = json.loads((made / "study.json").read_bytes())["study"]["name"]
    assert name == "small"
