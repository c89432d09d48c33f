"""The folder of a study.

======================================== ==============================================================
file                                     holds
======================================== ==============================================================
``study.json``                           the study as it ran last, and the version of the code
``results/VERSION/catalogue.parquet``    every run that the study needs: id, arm, seed, point
``results/VERSION/shards/*.parquet``     finished runs: id and metrics; the name is the checksum
``manifest-sha256.txt``                  checksums of all that is not a shard, also of reports
======================================== ==============================================================

Shards never change. The store merges small shards into larger ones: it makes the larger one durable before it
removes the small ones. So every finished run is always in at least one shard, and a run in two shards is
counted once. For the same reason, folders of the same study merge by copying.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dumbbell import _system
from dumbbell._files.foreign import NotDataError, inside, parse_json
from dumbbell._files.manifest import MANIFEST
from dumbbell._files.read import opened, read_bytes
from dumbbell.errors import FolderError
from dumbbell.study.errors import StudyError
from dumbbell.study.files import (
    MOST_ENCODED,
    PART,
    DamagedError,
    decode,
    encode,
    make_durably,
    read_shard,
    refusal,
    sync_folder,
    write_durably,
    write_shard,
)
from dumbbell.study.fluid import controls_of
from dumbbell.study.manifest import Manifest, changing
from dumbbell.study.plan import Study, StudyPlan, points_of_runs
from dumbbell.study.stop import StopTracker

FORMAT = 2
"""Of the folder; another number means that this code cannot read it, or would read another experiment.

In a folder of format 1, TCP without a profile is that of the RFCs, not that of Linux."""

_MOST_SMALL = 64
"""So many small shards are merged into one."""

_SMALL = 4096
"""Rows; a shard of more is not merged again while the study runs."""

_FULL = 1 << 18
"""Rows; a shard of more is never merged again."""

_STUDY = b"dumbbell.study"

_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,99}")
"""A version of the code names a folder."""


@dataclass(frozen=True)
class Scan:
    """What the shards of one version hold."""

    table: pa.Table
    """``run_id`` and metrics; each run once."""
    damaged: tuple[Path, ...]
    shards: int


class Store:
    """The results of one version of the code in the folder of a study."""

    def __init__(self, folder: Path, version: str) -> None:
        self.folder = folder
        self.version = version
        self.home = folder / "results" / version
        self.shards = self.home / "shards"
        self._rows: dict[Path, int] = {}

    def write_rows(self, table: pa.Table) -> None:
        """Make finished runs durable; merge shards when there are many."""
        path = write_shard(self.shards, table)
        self._rows[path] = table.num_rows
        self._merge_small()

    def tidy(self) -> None:
        """Merge the shards that others have written, when there are many."""
        for path in self.shards.glob("*.parquet"):
            if path not in self._rows:
                # Gone again, damaged, or being copied here: not for now.
                with contextlib.suppress(FileNotFoundError, pa.ArrowException), opened(path) as file:
                    self._rows[path] = pq.read_metadata(file).num_rows
        self._merge_small()

    def find(self, run_ids: Sequence[str], metric: str | None) -> dict[str, float]:
        """Return those of some runs that are durable, and a metric of each; not-a-number for none."""
        table = self.scan().table
        table = table.filter(pc.is_in(table["run_id"], value_set=pa.array(run_ids, pa.string())))
        values = metric_column(table, metric or "").to_numpy(zero_copy_only=False)
        return dict(zip(table["run_id"].to_pylist(), values.tolist(), strict=True))

    def scan(self) -> Scan:
        """Read all shards."""
        tables, damaged = self._read_all()
        return Scan(_each_once(list(tables.values())), damaged, len(tables))

    def set_aside(self, damaged: tuple[Path, ...]) -> None:
        """Rename damaged shards, so that their runs are made again and nothing is thrown away.

        Raises
        ------
        FolderError
            If the folder cannot be written.
        """
        try:
            for path in damaged:
                path.rename(path.with_suffix(".corrupt"))
            if damaged:
                sync_folder(self.shards)
        except OSError as error:
            raise refusal(error, "finished runs are kept") from None

    def compact(self) -> None:
        """Merge all shards into one, or a few if there are very many rows; where there is room for it."""
        tables, _ = self._read_all()
        with contextlib.suppress(OSError):
            self._replace({path: table for path, table in tables.items() if table.num_rows < _FULL})
            # Of workers that died on the way.
            self.forget_parts()

    def forget_parts(self) -> None:
        """Remove what killed writers left; only for the holder of the lock."""
        # By the names of `write_durably`: those of a report belong to the process that draws it.
        own = f".*.[0-9]*-[0-9]*{PART}"
        for path in (*self.folder.glob(own), *self.home.parent.rglob(own)):
            path.unlink(missing_ok=True)

    def _read_all(self) -> tuple[dict[Path, pa.Table], tuple[Path, ...]]:
        """Return the shards, and those of them that are damaged."""
        while True:
            try:
                return self._read_listed()
            except FileNotFoundError:
                # Merged by another process since the folder was listed: its rows are in a newer shard.
                continue

    def _read_listed(self) -> tuple[dict[Path, pa.Table], tuple[Path, ...]]:
        tables, damaged = {}, []
        for path in sorted(self.shards.glob("*.parquet")):
            try:
                tables[path] = read_shard(inside(self.folder, path))
            except DamagedError:
                damaged.append(path)
            except FileNotFoundError:
                if path.is_symlink():
                    raise FolderError(
                        f"{path}: a link to nothing; fetch the file, or remove the link"
                    ) from None
                raise
        self._rows = {path: table.num_rows for path, table in tables.items()}
        return tables, tuple(damaged)

    def _merge_small(self) -> None:
        small = [path for path, rows in self._rows.items() if rows < _SMALL]
        if len(small) >= _MOST_SMALL:
            # Nothing is lost without it: if the disk is full, the next shard will say so.
            with contextlib.suppress(OSError):
                self._merge(small)

    def _merge(self, paths: list[Path]) -> None:
        tables = {}
        for path in paths:
            try:
                tables[path] = read_shard(path)
            except (FileNotFoundError, DamagedError):
                # Merged by another process: its rows are in a newer shard. Or damaged since it was written:
                # it stays as it is, for the next scan to find.
                del self._rows[path]
        self._replace(tables)

    def _replace(self, tables: Mapping[Path, pa.Table]) -> None:
        """Put one shard in the place of several, which have been read."""
        if len(tables) < 2:
            return
        table = _each_once(list(tables.values()))
        merged = write_shard(self.shards, table.sort_by("run_id"))
        for path in tables:
            if path != merged:
                path.unlink(missing_ok=True)
                del self._rows[path]
        self._rows[merged] = table.num_rows


def _each_once(tables: list[pa.Table]) -> pa.Table:
    """Put tables together; a run that is in several counts once, and must be the same in each."""
    if not tables:
        return pa.table({"run_id": pa.array([], pa.string())})
    table = pa.concat_tables(tables, promote_options="default")
    if pc.count_distinct(table["run_id"]).as_py() == table.num_rows:
        return table
    table = table.group_by(table.column_names, use_threads=False).aggregate([])
    twice = table.num_rows - pc.count_distinct(table["run_id"]).as_py()
    if twice:
        raise StudyError(
            f"{twice} runs are there with two different results; "
            "these folders were not made by the same study and code: keep them apart"
        )
    return table


@contextlib.contextmanager
def open_store(folder: Path, plan: StudyPlan) -> Iterator[Store]:
    """Make or open the folder of a study, for one process at a time.

    Raises
    ------
    FolderError
        If the folder cannot be written, or another process works in it.
    StudyError
        If it holds another study.
    """
    store = Store(folder, plan.version)
    _refuse_other(folder, plan)
    try:
        make_durably(folder)
        lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    except OSError as error:
        raise FolderError(f"{folder}: cannot be written ({error.strerror}); choose another folder") from None
    try:
        _take(lock, folder)
        # Once more: until now another process may have begun its study here.
        _refuse_other(folder, plan)
        try:
            _write_plan(store, plan)
        except OSError as error:
            raise refusal(error, "finished runs are kept") from None
        yield store
    finally:
        os.close(lock)


def _refuse_other(folder: Path, plan: StudyPlan) -> None:
    """Raise if the folder holds another study, or something else."""
    name = _name_of_study(folder)
    if name is not None and name != plan.study.name:
        raise StudyError(
            f"{folder}: holds the study {name!r}, and this is {plan.study.name!r}; choose another folder"
        )
    # With shards it is a study, whatever became of the files that name it: they are made anew.
    if name is None and folder.is_dir() and not any(folder.glob("results/*/shards")):
        # What is left where a process was killed before it could write `study.json`.
        begun = (".lock", ".study.json.", f".{MANIFEST}.", MANIFEST)
        if any(not path.name.startswith(begun) for path in folder.iterdir()):
            raise FolderError(f"{folder}: holds files that are not a study; choose another folder")


def _name_of_study(folder: Path) -> str | None:
    """Return whose folder it is, also where ``study.json`` has been removed because it was damaged."""
    mark = _read_mark(folder)
    if mark is not None and _intact(folder, mark):
        return mark.name
    for version in versions(folder):
        path = inside(folder, folder / "results" / version / "catalogue.parquet")
        with (
            contextlib.suppress(pa.ArrowException, NotDataError, KeyError, TypeError, OSError),
            # Opened here: the name of a folder may be any bytes.
            opened(path) as file,
        ):
            return str(parse_json(pq.read_schema(file).metadata[_STUDY])["name"])
    return None


def _intact(folder: Path, mark: _Mark) -> bool:
    """Whether ``study.json`` has its checksum, as far as there is one."""
    with contextlib.suppress(FolderError):
        Manifest(folder).check(folder / "study.json", mark.data, "")
        return True
    return not (folder / MANIFEST).is_file()


def _take(lock: int, folder: Path) -> None:
    try:
        _system.lock(lock, wait=False)
    except BlockingIOError:
        raise FolderError(
            f"{folder}: another process is running a study here; wait for it, or choose another folder"
        ) from None
    except OSError as error:
        raise FolderError(
            f"{folder}: cannot be locked ({error.strerror}); choose a folder on another file system"
        ) from None


def _write_plan(store: Store, plan: StudyPlan) -> None:
    store.forget_parts()
    study = plan.study.to_dict()
    path = store.folder / "study.json"
    mark = _json({"format": FORMAT, "version": plan.version, "study": study}, indent=2) + b"\n"
    catalogue = encode(plan.catalogue.replace_schema_metadata({_STUDY: _json(study)}))
    home = store.home.relative_to(store.folder).as_posix()
    with changing(store.folder, {"study.json": mark, f"{home}/catalogue.parquet": catalogue}):
        if not path.exists():
            # Before anything else: by this file the folder is known, if the process is killed now.
            write_durably(path, mark)
        make_durably(store.shards)
        _write_if_new(store.home / "catalogue.parquet", catalogue)
        _write_if_new(path, mark)


def _write_if_new(path: Path, data: bytes) -> None:
    if path.is_symlink() or not path.exists() or read_bytes(path, MOST_ENCODED) != data:
        write_durably(path, data)


def _json(value: Any, indent: int | None = None) -> bytes:
    return json.dumps(value, indent=indent, ensure_ascii=False, default=str).encode()


@dataclass(frozen=True)
class _Mark:
    """The content of ``study.json``."""

    name: str
    version: str
    data: bytes


def _read_mark(folder: Path) -> _Mark | None:
    """Return what ``study.json`` says, or ``None`` if there is no such file."""
    path = inside(folder, folder / "study.json")
    try:
        data = read_bytes(path)
        mark = parse_json(data)
        name, version = mark["study"]["name"], mark["version"]
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (IsADirectoryError, NotDataError, KeyError, TypeError):
        raise FolderError(f"{path}: damaged; remove it and run the study again") from None
    if mark.get("format") != FORMAT or not isinstance(name, str) or not isinstance(version, str):
        raise FolderError(
            f"{folder}: has the format of another version of dumbbell; use that, or choose another folder"
        )
    if not _VERSION.fullmatch(version):
        raise FolderError(f"{path}: damaged; remove it and run the study again")
    return _Mark(name, version, data)


def versions(folder: Path) -> list[str]:
    """Return the versions of the code that have results in a folder."""
    return sorted(path.parent.name for path in folder.glob("results/*/catalogue.parquet"))


@dataclass(frozen=True)
class Catalogue:
    """What a folder says of the runs of one version, read and checked."""

    store: Store
    study: Study
    """Opens no file outside the folder."""
    table: pa.Table
    """Columns ``run_id, arm, seed``, one per axis."""
    notes: tuple[str, ...]


def read_catalogue(folder: Path, version: str | None) -> Catalogue:
    """Return the catalogue of a version, by default the latest.

    Its checksum is looked at, and every seed, arm and point, which follow from the study. Run ids follow from
    the files that scenarios name too, which a folder does not hold: `dumbbell verify` makes them anew.

    Raises
    ------
    FolderError
        If there is no study in the folder, no results of that version, or they are damaged.
    """
    mark = _read_mark(folder)
    if mark is None:
        raise FolderError(f"{folder}: no study here; make one with `dumbbell study run`")
    manifest = Manifest(folder)
    store = Store(folder, version or mark.version)
    path = inside(folder, store.home / "catalogue.parquet")
    remedy = "run the study again, finished runs are kept"
    try:
        data = read_bytes(path, MOST_ENCODED)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        known = ", ".join(versions(folder)) or "none at all"
        raise FolderError(
            f"{folder}: no results of version {store.version}; there are {known}; run the study"
        ) from None
    manifest.check(folder / "study.json", mark.data, remedy)
    manifest.check(path, data, remedy)
    listed = [folder / "study.json", *([path] if store.version == mark.version else [])]
    if manifest.sums is not None and not all(map(manifest.knows, listed)):
        raise FolderError(f"{folder / MANIFEST}: does not list the study and its catalogue; {remedy}")
    try:
        table = decode(data)
        study = Study.from_folder(parse_json(table.schema.metadata[_STUDY]), folder)
    except StudyError as error:
        raise FolderError(f"{path}: {error.problems[0]}; {remedy}") from None
    except (DamagedError, NotDataError, KeyError, TypeError) as error:
        raise FolderError(f"{path}: damaged ({error}); {remedy}") from None
    table = table.replace_schema_metadata(None)
    expected = points_of_runs(study)
    if table.column_names != ["run_id", *expected.column_names] or table["run_id"].null_count:
        raise FolderError(f"{path}: its columns are not those of the study; {remedy}")
    for name in expected.column_names:
        if not table[name].equals(expected[name]):
            raise FolderError(f"{path}: its column {name} is not that of the study; {remedy}")
    return Catalogue(store, study, table, tuple(_remarks(manifest)))


def _remarks(manifest: Manifest) -> Iterator[str]:
    """Yield what a reader should know of the checksums of a folder."""
    if manifest.sums is None:
        yield f"no checksums ({MANIFEST}), as earlier versions left it; `dumbbell study run` adds them"
    missing = [name for name in manifest.missing if "/shards/" not in name]
    if missing:
        yield f"listed in {MANIFEST} and not there: {', '.join(missing)}"


@dataclass(frozen=True)
class Selection:
    """What a study has of its shards."""

    table: pa.Table
    """The finished runs that count: the columns of the catalogue, and of the study."""
    finished: NDArray[np.bool_]
    """Of every run by number: whether it is there, counted or not."""
    tracker: StopTracker


def select(study: Study, catalogue: pa.Table, scan: Scan) -> Selection:
    """Join catalogue and shards, in the order of the catalogue."""
    found = pc.index_in(catalogue["run_id"], value_set=scan.table["run_id"].combine_chunks())
    finished = pc.is_valid(found).to_numpy()
    numbers = np.flatnonzero(finished)
    rows = found.filter(pa.array(finished))
    tracker = StopTracker(
        study.stop, len(study.points()), len(study.arms), len(study.seeds), controls_of(study)
    )
    if study.stop is not None:
        values = metric_column(scan.table, study.stop.metric).take(rows).to_numpy(zero_copy_only=False)
        for number, value in zip(numbers.tolist(), values.tolist(), strict=True):
            tracker.add(number, value)
    counted = finished & tracker.mask()
    table = catalogue.filter(pa.array(counted))
    rows = found.filter(pa.array(counted))
    for name in study.columns:
        table = table.append_column(name, metric_column(scan.table, name).take(rows))
    return Selection(table.combine_chunks(), finished, tracker)


def metric_column(table: pa.Table, name: str) -> pa.Array:
    """Return a column of numbers; all null if no shard has it."""
    if name not in table.column_names:
        return pa.nulls(table.num_rows, pa.float64())
    return table[name].combine_chunks()
