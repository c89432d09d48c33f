"""Archives of others: bombs, names, lies about sizes, and studies that were falsified."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import stat
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dumbbell import load
from dumbbell.archive import ArchiveError, files, pack, verify
from dumbbell.archive.files import MANIFEST, read_zip, write_zip
from dumbbell.errors import FolderError
from dumbbell.study.files import encode
from tests.archive.test_verify import _rewritten
from tests.unprinted import unprinted

Contents = dict[str, bytes]


@pytest.fixture(scope="module")
def contents(
    archive: Path, study_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Contents]:
    """Of an archive whose figures for print hold words, here and in what verifies it."""
    assert archive.is_file(), "that of all tests is made before, with its drawings"
    with unprinted():
        yield _contents(pack(study_folder, tmp_path_factory.mktemp("unprinted") / "study.zip"))


def _contents(archive: Path) -> Contents:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist() if name != MANIFEST}


def one_line(error: Exception) -> None:
    assert str(error).isprintable()
    assert "; " in str(error)


def refused(path: Path, message: str) -> None:
    with pytest.raises(ArchiveError, match=message) as caught:
        verify(path)
    assert str(caught.value).startswith(f"{path}: ")
    one_line(caught.value)
    assert "dumbbell-verify" not in str(caught.value)


def test_a_bomb_is_refused_by_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        with target.open("zeros", "w") as file:
            for _ in range(64):
                file.write(bytes(1 << 20))
        target.writestr(MANIFEST, "")
    assert path.stat().st_size < 1 << 17
    refused(path, r"unpacks to more than 16,777,216 bytes")


def test_a_bomb_that_lies_is_refused_while_it_unpacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit holds for what is written, whatever the headers say."""
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("zeros", bytes(64 << 20))
        target.writestr(MANIFEST, "")
    # Both headers say one byte.
    data = path.read_bytes().replace(struct.pack("<L", 64 << 20), struct.pack("<L", 1))
    path.write_bytes(data)
    refused(path, "not a usable ZIP file")
    # And where the reader of ZIP files believed it.
    monkeypatch.setattr(files, "SMALL", 1 << 20)
    monkeypatch.setattr(files, "_check_entries", lambda *_: None)
    write_zip(path, {"a": bytes(8 << 20)}, force=True)
    folder = tmp_path / "unpacked"
    folder.mkdir()
    with pytest.raises(ArchiveError, match="unpacks to more than"):
        read_zip(path, folder)
    assert sum(file.stat().st_size for file in folder.rglob("*")) <= 2 << 20


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../x", "leads out of it"), ("/x", "leads out of it"), ("a/../../x", "leads out of it"),
        ("a\\b", "leads out of it"), ("a//b", "leads out of it"), ("./a", "leads out of it"),
        ("a/", "leads out of it"),
        ("STUDY.json", "twice"), ("study.json/x", "that of a file and of a folder"),
        ("x" * 300, "no name of a file"), ("a\nb", "no name of a file"), ("a\x1b]0;x", "no name of a file"),
        ("a\u202eb", "no name of a file"), ("more", "more is not in the manifest"),
    ],
)  # fmt: skip
def test_names_that_are_none(archive: Path, tmp_path: Path, name: str, message: str) -> None:
    refused(_rewritten(archive, tmp_path / "bad.zip", lambda files: files.update({name: b"x"})), message)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.zip"]


def test_links_and_foreign_packing(archive: Path, tmp_path: Path) -> None:
    link = zipfile.ZipInfo("inputs/x")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    for entry, kind, message in (
        (link, zipfile.ZIP_STORED, "which is a link or a device"),
        (zipfile.ZipInfo("inputs/y"), zipfile.ZIP_LZMA, "packed otherwise than by"),
    ):
        path = tmp_path / "bad.zip"
        shutil.copy(archive, path)
        with zipfile.ZipFile(path, "a") as target:
            target.writestr(entry, "/etc/passwd", kind)
        refused(path, message)


def test_entries_that_lie_within_another(archive: Path, tmp_path: Path) -> None:
    """One piece of compressed data that several names share (a bomb without nesting)."""
    data = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as opened:
        first, second = opened.infolist()[:2]
        start = opened.start_dir
    # The offset of the second in the central directory becomes that of the first.
    place = data.index(struct.pack("<L", second.header_offset), start)
    data[place : place + 4] = struct.pack("<L", first.header_offset)
    (tmp_path / "bad.zip").write_bytes(data)
    refused(tmp_path / "bad.zip", "lies within")


def test_too_many_files(tmp_path: Path) -> None:
    write_zip(tmp_path / "many.zip", {str(number): b"" for number in range(files.MOST_FILES)})
    refused(tmp_path / "many.zip", "10,001 files are above the limit of 10,000")


def _changed(contents: Contents, tmp_path: Path, change: Callable[[Contents], object]) -> Path:
    """The archive with changed files and a manifest that fits them."""
    files = dict(contents)
    change(files)
    write_zip(tmp_path / "changed.zip", files, force=True)
    return tmp_path / "changed.zip"


def _table(files: Contents, part: str) -> tuple[str, pa.Table]:
    (name,) = (name for name in files if part in name)
    return name, pq.read_table(pa.BufferReader(files[name]))


def _column(files: Contents, part: str, column: str, change: Callable[[list[Any]], list[Any]]) -> None:
    """Change a column of a table; a shard gets the name of its new bytes."""
    name, table = _table(files, part)
    values = pa.array(change(table[column].to_pylist()), table.schema.field(column).type)
    table = table.set_column(table.column_names.index(column), column, values)
    data = encode(table)
    del files[name]
    if "/shards/" in name:
        name = f"{name.rpartition('/')[0]}/{hashlib.sha256(data).hexdigest()[:32]}.parquet"
    files[name] = data


def _study(files: Contents, change: Callable[[dict[str, Any]], object], both: bool = True) -> None:
    """Change the study where it stands: in `study.json`, and in the catalogue."""
    mark = json.loads(files["study.json"])
    change(mark["study"])
    files["study.json"] = json.dumps(mark, indent=2, ensure_ascii=False).encode() + b"\n"
    if both:
        name, table = _table(files, "catalogue.parquet")
        files[name] = encode(
            table.replace_schema_metadata({"dumbbell.study": json.dumps(mark["study"]).encode()})
        )


def _swap(values: list[Any]) -> list[Any]:
    return [values[1], values[0], *values[2:]]


def _rows_exchanged(files: Contents) -> None:
    """Exchange the ids of two runs with different goodput; shards hold runs as they ended."""
    goodput = _table(files, "/shards/")[1]["goodput"].to_pylist()
    other = next(row for row, value in enumerate(goodput) if value != goodput[0])

    def exchange(ids: list[Any]) -> list[Any]:
        ids[0], ids[other] = ids[other], ids[0]
        return ids

    _column(files, "/shards/", "run_id", exchange)


def _other_seed(files: Contents) -> None:
    _study(files, lambda study: study.update(seeds=[99, *study["seeds"][1:]]))
    _column(files, "catalogue.parquet", "seed", lambda seeds: [99 if seed == 1 else seed for seed in seeds])


def _arms_exchanged(files: Contents) -> None:
    def exchange(study: dict[str, Any]) -> None:
        first, second = study["arms"]
        first["set"], second["set"] = second["set"], first["set"]

    _study(files, exchange)


def _arm_renamed(files: Contents) -> None:
    _study(files, lambda study: study["arms"][0].update(name="reno"))
    rename = lambda arms: ["reno" if arm == "newreno" else arm for arm in arms]  # noqa: E731
    _column(files, "catalogue.parquet", "arm", rename)


FALSE: dict[str, tuple[Callable[[Contents], object], str]] = {
    "a value": (
        lambda f: _column(f, "/shards/", "goodput", lambda v: [v[0] * 1.5, *v[1:]]),
        "data/runs.parquet: the column goodput is not that of the runs",
    ),
    "a value in the table beside": (
        lambda f: _column(f, "data/runs.parquet", "goodput", lambda v: [v[0] * 1.5, *v[1:]]),
        "data/runs.parquet: the column goodput is not that of the runs",
    ),
    "rows exchanged": (
        _rows_exchanged,
        "data/runs.parquet: the column goodput is not that of the runs",
    ),
    "ids exchanged": (
        lambda f: _column(f, "catalogue.parquet", "run_id", _swap),
        "catalogue.parquet: NewReno, load = 0.3, seed 1: run_id is not that of this run",
    ),
    "a seed": (_other_seed, "catalogue.parquet: NewReno, load = 0.3, seed 99: run_id is not that"),
    "arms exchanged": (_arms_exchanged, "catalogue.parquet: NewReno, load = 0.3, seed 1: run_id is not that"),
    "an arm renamed": (_arm_renamed, "data/runs.parquet: the column arm is not that of the runs"),
    "a label": (
        lambda f: _study(f, lambda s: s["arms"][0].update(label="CUBIC")),
        "report.html: not what the runs give",
    ),
    "the scenario": (
        lambda f: _study(f, lambda s: s["scenario"].update(duration="4s")),
        "catalogue.parquet: NewReno, load = 0.3, seed 1: run_id is not that of this run",
    ),
    "study.json alone": (
        lambda f: _study(f, lambda s: s.update(title="Other"), both=False),
        "study.json: not the study of the catalogue",
    ),
    "the report": (
        lambda f: f.update({"report.html": f["report.html"].replace(b"A small study", b"A small fraud")}),
        "report.html: not what the runs give",
    ),
    "a figure": (
        lambda f: f.update({"figures/goodput.png": f["figures/events.png"]}),
        "figures/goodput.png: not what the runs give",
    ),
    "the citations": (
        lambda f: f.update({"CITATIONS.bib": f["CITATIONS.bib"].replace(b"RFC", b"RFD")}),
        "CITATIONS.bib: not what the runs give",
    ),
    "no citations": (lambda f: f.pop("CITATIONS.bib"), "CITATIONS.bib: is missing"),
}  # fmt: skip


@pytest.mark.parametrize("case", FALSE)
def test_what_was_falsified_is_named_and_never_bit_equal(
    contents: Contents, tmp_path: Path, case: str
) -> None:
    """Also with a manifest and names of shards that fit."""
    change, message = FALSE[case]
    found = verify(_changed(contents, tmp_path, change), sample=1)
    assert found.outcome == "different"
    assert any(line.startswith(message) for line in found.differences), found.differences


def test_a_seed_in_the_catalogue_alone_is_refused(contents: Contents, tmp_path: Path) -> None:
    path = _changed(
        contents, tmp_path, lambda f: _column(f, "catalogue.parquet", "seed", lambda s: [99, *s[1:]])
    )
    refused(path, r"catalogue\.parquet: its column seed is not that of the study")


def test_every_flip_of_an_archive_is_found(archive: Path, tmp_path: Path) -> None:
    """Of a bit anywhere, or it changes nothing that is read."""
    chosen = random.Random(20261121)
    data = archive.read_bytes()
    bad, once, again = tmp_path / "bad.zip", tmp_path / "once", tmp_path / "again"
    once.mkdir()
    read_zip(archive, once)
    whole = {path.relative_to(once): path.read_bytes() for path in once.rglob("*") if path.is_file()}
    found = 0
    for _ in range(300):
        flipped = bytearray(data)
        place = chosen.randrange(8 * len(data))
        flipped[place // 8] ^= 1 << place % 8
        bad.write_bytes(flipped)
        again.mkdir()
        try:
            read_zip(bad, again)
        except ArchiveError as error:
            found += 1
            one_line(error)
        else:
            now = {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()}
            assert now == whole
        shutil.rmtree(again)
    assert found > 250


def test_versions_are_compared(archive: Path, contents: Contents, tmp_path: Path) -> None:
    assert verify(archive, sample=1).versions == ()

    def older(files: Contents) -> None:
        lines = files["lock/requirements.txt"].decode().splitlines()
        changed = ["numpy==1.0.1" if line.startswith("numpy==") else line for line in lines]
        files["lock/requirements.txt"] = "\n".join(changed).encode()

    found = verify(_changed(contents, tmp_path, older), sample=1)
    assert found.versions == (f"numpy 1.0.1, here {np.__version__}",)
    assert "report.html, figures: made with other versions" in found.unchecked
    for name, data in (
        ("lock/dumbbell.json", b"[]"), ("lock/requirements.txt", b"numpy"),
        ("lock/Cargo.lock", b"package = 1"),
    ):  # fmt: skip
        refused(_changed(contents, tmp_path, lambda f, n=name, d=data: f.update({n: d})), "lock/: damaged")


def test_run_archives_that_were_falsified(run_folder: Path, tmp_path: Path) -> None:
    path = pack(run_folder, tmp_path / "run.zip", base=run_folder.parent)
    with zipfile.ZipFile(path) as opened:
        files = {name: opened.read(name) for name in opened.namelist() if name != MANIFEST}
    summary = json.loads(files["summary.json"])
    summary["run"]["goodput"] *= 2
    changed = {**files, "summary.json": json.dumps(summary).encode()}
    write_zip(tmp_path / "a.zip", changed, force=True)
    assert verify(tmp_path / "a.zip").differences == ("summary.json: not what the tables give",)
    for data, message in (
        (b"[" * 100_000, "more than 80 tables or lists"), (b'{"name": 1}', "not a text of one line"),
        (b"[]", "summary.json: it has no name"),
    ):  # fmt: skip
        write_zip(tmp_path / "a.zip", {**files, "summary.json": data}, force=True)
        refused(tmp_path / "a.zip", message)
    for name, data, message in (
        ("runs.parquet", files["flows.parquet"], "not the table runs of this version: the column"),
        ("links.parquet", files["links.parquet"][:100], "not a usable Parquet file"),
        ("scenario.toml", b"\xff", "not UTF-8"),
        ("scenario.toml", files["scenario.toml"].replace(b'"flows.csv"', b'"/etc/hostname"'), "lies outside"),
    ):
        write_zip(tmp_path / "a.zip", {**files, name: data}, force=True)
        refused(tmp_path / "a.zip", message)


def test_every_flip_of_a_table_of_a_run_is_one_line(run_folder: Path, tmp_path: Path) -> None:
    """Behind the manifest, too: what reads tables takes anything or says one line."""
    folder = tmp_path / "run"
    shutil.copytree(run_folder, folder)
    chosen = random.Random(7)
    for path in sorted(folder.glob("*.parquet")):
        data = path.read_bytes()
        for _ in range(60):
            flipped = bytearray(data)
            for _ in range(chosen.choice((1, 1, 4))):
                flipped[chosen.randrange(len(data))] = chosen.randrange(256)
            path.write_bytes(flipped)
            try:
                load(folder).summary()
            except FolderError as error:
                one_line(error)
        path.write_bytes(data)
