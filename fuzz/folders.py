"""Fuzz targets in Python: archives, the folders of studies, graphs, and the rules of `dumbbell assert`.

What reads them is written in C (zipfile, json, pyarrow), where the coverage of Python sees nothing, and most
of it stands behind checksums. So mutations are not guided by coverage; they know the structure: entries of a
ZIP file, keys of JSON, columns of Parquet. Checksums are mended most of the time. Whatever comes, the answer
is a result or a ``DumbbellError`` of one line.

``python -m fuzz.folders archive --seconds 20 --seed 1``; the same seed makes the same cases.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import hashlib
import io
import json
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import dumbbell as db
from dumbbell._files.manifest import MANIFEST
from dumbbell._progress import Progress
from dumbbell.archive import pack, verify
from dumbbell.claims.assertion import assert_run, assert_study
from dumbbell.errors import DumbbellError
from dumbbell.graphs import read_graph
from dumbbell.study import Study, StudyResult, run_study
from dumbbell.study.query import query

SCENARIO: dict[str, Any] = {
    "duration": "1s",
    "transport": "tcp",
    "topology": {"kind": "dumbbell", "pairs": 1, "bottleneck": {"rate": "2Mbit/s"}},
    "workloads": [
        {"kind": "trace", "name": "web", "file": "flows.csv"},
    ],
}

STUDY: dict[str, Any] = {
    "name": "small",
    "scenario": SCENARIO,
    "seeds": 2,
    "axes": [{"name": "delay", "values": [1, 2], "set": "topology.bottleneck.delay={value}ms"}],
    "arms": [{"name": name, "set": f"transport.controller={name}"} for name in ("newreno", "cubic")],
    "metrics": [{"name": "goodput", "source": {"table": "runs", "column": "goodput"}}],
}

GRAPHS: dict[str, str] = {
    "graph.json": json.dumps(
        {
            "directed": False, "multigraph": False, "graph": {},
            "nodes": [{"id": "a", "group": "senders"}, {"id": "b"}, {"id": "c", "group": "receivers"}],
            "edges": [
                {"source": "a", "target": "b", "rate": "10Mbit/s", "delay": "5ms", "queue": "codel"},
                {"source": "b", "target": "c", "queue": {"kind": "droptail", "limit": "20pkt"}},
            ],
        }
    ),
    "graph.edgelist": "a b {'rate': '10Mbit/s', 'delay': '5ms'}\nb c {'queue': 'codel'}  # the second\n",
    "graph.graphml": """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="edge" attr.name="rate" attr.type="string"/>
<key id="d1" for="node" attr.name="group" attr.type="string"><default>senders</default></key>
<graph edgedefault="directed"><node id="a"/><node id="b"><data key="d1">receivers</data></node>
<edge source="a" target="b"><data key="d0">10Mbit/s</data></edge></graph></graphml>
""",
}  # fmt: skip

RULES = """goodput: cubic / newreno >= 0.5 at delay = 1
goodput: cubic - newreno <= 1e6
goodput: newreno > cubic
goodput: cubic >= 1000
totals.goodput > 1Mbit/s
links.left->right.utilisation <= 99%
groups.web.completion_time.mean < 2s
"""

TRACE = "0.1,sender0,receiver0,20000\n0.5,sender0,receiver0,4000\n"

Files = dict[str, bytes]


class EnoughError(DumbbellError):
    """A run that takes longer than a case may."""


def bounded_runs() -> None:
    """End every run at its first report of progress: a mutated scenario may ask for years."""
    run = db.Scenario.run

    def enough(*_: object) -> None:
        raise EnoughError("enough of this run")

    def bounded(
        scenario: db.Scenario, progress: Progress | None = None, memory: int | None = None
    ) -> db.Results:
        return run(scenario, enough if progress is None else progress, memory)

    db.Scenario.run = bounded  # type: ignore[assignment,method-assign]


def seeds(work: Path) -> dict[str, list[Files]]:
    """Make what mutations start from: by target, files by name."""
    (work / "flows.csv").write_text(TRACE)
    study = Study.from_dict(STUDY, work)
    made = work / "study"
    run_study(study, made, workers=1)
    (made / ".lock").unlink()
    db.Scenario.from_dict(SCENARIO, base=work).run().save(work / "run")
    archives = []
    for folder in ("study", "run"):
        path = pack(work / folder, work / f"{folder}.zip", base=work)
        with zipfile.ZipFile(path) as archive:
            archives.append({name: archive.read(name) for name in archive.namelist() if name != MANIFEST})
    files = {
        path.relative_to(made).as_posix(): path.read_bytes() for path in made.rglob("*") if path.is_file()
    }
    return {
        "archive": archives,
        "catalogue": [files],
        "graph": [{name: text.encode()} for name, text in GRAPHS.items()],
        "rule": [{f"{i}.txt": rule.encode()} for i, rule in enumerate(RULES.splitlines())],
    }


# Mutations of content.


def mutate(chance: random.Random, name: str, data: bytes, other: bytes) -> bytes:
    """Change the content of a file in a way that suits it, or in any way."""
    suited = {".json": mutate_json, ".parquet": mutate_parquet}.get(Path(name).suffix)
    if suited is not None and chance.random() < 0.7:
        return suited(chance, data)
    return mutate_bytes(chance, data, other)


def mutate_bytes(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Flip bits, cut, repeat, splice."""
    for _ in range(chance.choice((1, 1, 2, 8))):
        at, to = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        kind = chance.randrange(6)
        if kind == 0 and data:
            changed = bytearray(data)
            changed[at % len(data)] ^= 1 << chance.randrange(8)
            data = bytes(changed)
        elif kind == 1:
            data = data[:at]
        elif kind == 2:
            data = data[:at] + data[to:]
        elif kind == 3:
            data = data[:to] + data[at : min(to, at + 64)] * chance.randrange(1, 20) + data[to:]
        elif kind == 4:
            start = chance.randrange(len(other) + 1)
            data = data[:at] + other[start : start + 200] + data[to:]
        else:
            data = data[:at] + chance.randbytes(chance.randrange(1, 9)) + data[to:]
    return data


ODD: list[Any] = [
    None, True, -1, 0, 1e308, float("nan"), float("inf"), 2**63, 10**40, "", "\0", "\ud800", "../..",
    "x" * 5000, [], {}, [[[]]], {"": {}}, "1e999s", "9" * 400, "{value}", "{0.__class__}", "run_id", "seed",
    "arm", "/etc/hostname",
]  # fmt: skip


def mutate_json(chance: random.Random, data: bytes) -> bytes:
    """Replace, remove, double or rename one value somewhere in a document."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return mutate_bytes(chance, data, data)
    places: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        keys = (
            list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
        )
        for key in keys:
            places.append((value, key))
            walk(value[key])

    walk(document)
    if not places or chance.random() < 0.02:
        document = chance.choice(ODD)
    else:
        holder, key = chance.choice(places)
        kind = chance.randrange(5)
        if kind == 0:
            del holder[key]
        elif kind == 1:
            source, there = chance.choice(places)
            if (there in source) if isinstance(source, dict) else (there < len(source)):
                holder[key] = json.loads(json.dumps(source[there]))
        elif kind == 2 and isinstance(holder, dict):
            holder[chance.choice(("", "name", "kind", "file", "set", "x" * 300, "column"))] = holder.pop(key)
        elif kind == 2 and isinstance(holder, list):
            holder.extend(holder * chance.randrange(1, 4))
        elif kind == 3 and isinstance(holder[key], int | float):
            holder[key] = chance.choice(
                (-holder[key], holder[key] * 10**6, holder[key] + 0.5, str(holder[key]))
            )
        else:
            holder[key] = chance.choice(ODD)
    text = json.dumps(document, indent=chance.choice((None, 2)))
    if chance.random() < 0.02:
        text = "[" * 100_000 + text
    return text.encode("utf-8", "surrogatepass")


def mutate_parquet(chance: random.Random, data: bytes) -> bytes:
    """Change a table: columns gone, doubled, of other types, with nulls; rows gone or doubled; metadata."""
    try:
        table = pq.read_table(pa.BufferReader(data), use_threads=False)
    except (pa.ArrowException, OSError):
        return mutate_bytes(chance, data, data)
    kind = chance.randrange(9)
    index = chance.randrange(max(1, table.num_columns))
    name = table.column_names[index] if table.num_columns else ""
    rows = table.num_rows
    if kind == 0 and table.num_columns:
        table = table.remove_column(index)
    elif kind == 1 and table.num_columns:
        names = list(table.column_names)
        names[index] = chance.choice(("", "run_id", "x", "seed", "goodput", "\0"))
        table = table.rename_columns(names)
    elif kind == 2 and table.num_columns:
        column = chance.choice(
            [
                pa.nulls(rows), pa.array([""] * rows), pa.array([b"\xff"] * rows), pa.array([[1.0]] * rows),
                pa.array([{"a": 1}] * rows), pa.array([True] * rows), pa.array(range(rows)),
                pa.array([float("nan")] * rows), pa.array([2**62] * rows),
                pa.array([0] * rows, pa.timestamp("ns")), pa.array(["x"] * rows).dictionary_encode(),
            ]
        )  # fmt: skip
        table = table.set_column(index, name, column)
    elif kind == 3:
        table = table.slice(chance.randrange(rows + 1), chance.randrange(rows + 1))
    elif kind == 4:
        table = pa.concat_tables([table] * chance.choice((2, 50)))
    elif kind == 5 and rows:
        order = [chance.randrange(rows) for _ in range(rows)]
        table = table.take(order)
    elif kind == 6 and table.num_columns:
        values: list[Any] = table.column(index).to_pylist()
        if values:
            values[chance.randrange(len(values))] = None
        table = table.set_column(index, name, pa.array(values, table.schema.field(index).type))
    elif kind == 7:
        metadata = dict(table.schema.metadata or {})
        for key, value in metadata.items():
            metadata[key] = mutate_json(chance, value) if chance.random() < 0.8 else b"\xff\xfe"
        table = table.replace_schema_metadata(metadata if chance.random() < 0.9 else None)
    else:
        table = table.append_column("extra", pa.array(range(rows)))
    sink = pa.BufferOutputStream()
    try:
        pq.write_table(table, sink, compression=chance.choice(("zstd", "none")))
    except (pa.ArrowException, ValueError):
        return mutate_bytes(chance, data, data)
    return bytes(sink.getvalue())


def mutated(chance: random.Random, files: Files) -> Files:
    """Change one file or a few, or their names; mend the names of shards, which are checksums."""
    files = dict(files)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        if not files:
            break
        name = chance.choice(sorted(files))
        if chance.random() < 0.5:
            # What decides stands in few files.
            name = chance.choice(
                [n for n in sorted(files) if n.endswith((".json", ".parquet", ".toml"))] or [name]
            )
        kind = chance.random()
        if kind < 0.05:
            del files[name]
        elif kind < 0.1:
            files[chance.choice(ODD_NAMES)] = files[name]
        elif kind < 0.13:
            files[name] = files[chance.choice(sorted(files))]
        else:
            data = mutate(
                chance, name, files.pop(name), files[chance.choice(sorted(files))] if files else b""
            )
            if "/shards/" in name and chance.random() < 0.9:
                name = f"{name.rpartition('/')[0]}/{hashlib.sha256(data).hexdigest()[:32]}.parquet"
            files[name] = data
    if MANIFEST in files and chance.random() < 0.9:
        # A folder lists the checksums of what is no shard.
        listed = {line.partition("  ")[2] for line in files[MANIFEST].decode(errors="replace").splitlines()}
        files[MANIFEST] = manifest({name: data for name, data in files.items() if name in listed})
    return files


def manifest(files: Files) -> bytes:
    """Return the checksums of files, as ``sha256sum`` prints them."""
    lines = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items())
    return "".join(lines).encode("utf-8", "surrogatepass")


ODD_NAMES = (
    "../out", "/abs", "a/../../b", "study.json/x", "results/x/catalogue.parquet", "results/..", "con\nsole",
    "x" * 300, "a\\b", "results/0/shards/0.parquet", "é" * 90, "study.json.", " ", "scenario.toml",
    "study.json", ".lock", "-rf",
)  # fmt: skip


# Targets: a case as one file, and what is asked of it.


def zipped(chance: random.Random, files: Files) -> bytes:
    """Return an archive; in most cases with a right manifest, sometimes damaged as a ZIP file."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", chance.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            if chance.random() < 0.01:
                # A symbolic link, a device, a folder.
                info.external_attr = chance.choice((0o120777, 0o060666, 0o040755)) << 16
            archive.writestr(info, data)
        listed = manifest(files)
        if chance.random() < 0.1:
            listed = mutate_bytes(chance, listed, b"")
        if chance.random() < 0.98:
            archive.writestr(MANIFEST, listed)
    data = sink.getvalue()
    return mutate_bytes(chance, data, data) if chance.random() < 0.25 else data


def use_archive(case: Path, _work: Path) -> None:
    """Verify an archive."""
    verify(case, sample=1, workers=1)


def use_catalogue(case: Path, work: Path) -> None:
    """Load, question and go on with the folder of a study."""
    folder = work / "folder"
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(case) as archive:
        for name in archive.namelist():
            # Some of the odd names are no names here.
            with contextlib.suppress(OSError):
                archive.extract(name, folder)
    uses: list[Callable[[], object]] = [
        lambda: loaded(StudyResult.load(folder)),
        lambda: query(folder, "select arm, count(*), avg(goodput) from runs group by arm"),
        lambda: run_study(Study.from_dict(STUDY, work), folder, workers=1),
    ]
    # Whatever one of them refuses, the others are asked too.
    found = [refused(use) for use in uses]
    if all(found):
        raise DumbbellError("refused three times")


def loaded(result: StudyResult) -> None:
    """Ask for what a report asks for."""
    for metric in result.study.metrics:
        for arm in result.study.arms:
            for point in result.study.points():
                result.values(metric.name, arm.name, **point)


def use_graph(case: Path, work: Path) -> None:
    """Read a graph, and plan a scenario on it."""
    for path in content(case, work):
        topology = read_graph(path, rate="10Mbit/s")
        names = [
            node["name"] if isinstance(node, dict) else node for node in topology.get("nodes", ["a", "b"])
        ]
        flows = [{"from": names[0], "to": names[-1]}] if names else []
        db.Scenario.from_dict({"duration": "1s", "topology": topology, "flows": flows}).to_toml()


def use_rule(case: Path, work: Path) -> None:
    """Assert what a rule says, of a study and of a run."""
    study = StudyResult.load(work / "study")
    run = db.load(work / "run")
    for path in content(case, work):
        # Arguments of a command have no bytes that are no text.
        rule = path.read_bytes().decode("utf-8", "surrogateescape")
        if refused(lambda: assert_study(study, rule)) and refused(lambda: assert_run(run, rule)):  # noqa: B023
            raise DumbbellError("refused twice")


def content(case: Path, work: Path) -> list[Path]:
    """Return the files of a case, whose names are as they were."""
    folder = work / "files"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    paths = []
    with zipfile.ZipFile(case) as archive:
        for i, name in enumerate(archive.namelist()):
            path = folder / f"{i}{Path(name).suffix[:9]}"
            with contextlib.suppress(OSError, ValueError):
                path.write_bytes(archive.read(name))
                paths.append(path)
    return paths


TARGETS: dict[str, Callable[[Path, Path], None]] = {
    "archive": use_archive,
    "catalogue": use_catalogue,
    "graph": use_graph,
    "rule": use_rule,
}


def refused(use: Callable[[], object]) -> bool:
    """Ask for something; return whether it was refused, and raise if that took more or less than one line."""
    try:
        use()
    except DumbbellError as error:
        text = str(error)
        if not text.strip() or len(text.splitlines()) > 1:
            raise AssertionError(f"not one line: {text!r}") from error
        return True
    return False


def write_case(target: str, chance: random.Random, files: Files, path: Path) -> None:
    """Write a case: an archive, or the files of a folder in one."""
    if target == "archive":
        path.write_bytes(zipped(chance, mutated(chance, files)))
        return
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in mutated(chance, files).items():
            archive.writestr(zipfile.ZipInfo(name), data)


def place(error: BaseException) -> str:
    """Return what an error is and where it came up: the same for all cases that meet the same fault."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/dumbbell/" in frame.filename] or frames
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {ours[-1].name}" if ours else "?"
    return f"{type(error).__name__} at {where}"


@dataclass
class Tally:
    """What came out of some cases."""

    cases: int = 0
    refused: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    """One for each fault: its message and the file that holds the input, by place."""


def fuzz(
    target: str, work: Path, artifacts: Path, *, seconds: float, cases: int, seed: int, longest: float
) -> Tally:
    """Run cases until the time is over or so many are done.

    Parameters
    ----------
    target
        One of `TARGETS`.
    work, artifacts
        Folders: for files on the way, and for inputs that went wrong.
    seconds, cases
        When to end.
    seed
        Of all cases.
    longest
        Seconds after which a case counts as hung: the process ends, and its input stays.
    """
    starts = seeds(work)[target]
    end = time.monotonic() + seconds
    tally = Tally()
    while time.monotonic() < end and tally.cases < cases:
        # Each case has a seed of its own, so that it can be made again alone.
        chance = random.Random(f"{target} {seed} {tally.cases}")
        case = artifacts / f"{target}-{seed}-{tally.cases}.zip"
        write_case(target, chance, chance.choice(starts), case)
        tally.cases += 1
        faulthandler.dump_traceback_later(longest, exit=True)
        try:
            tally.refused += refused(partial(TARGETS[target], case, work))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            # Panics of the engine are no `Exception`.
            if place(error) not in tally.failures:
                tally.failures[place(error)] = f"{' '.join(str(error).split())[:200]}; the input is {case}"
                continue
        finally:
            faulthandler.cancel_dump_traceback_later()
        case.unlink()
    return tally


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.folders")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--case", type=Path, help="only this one, as an earlier call left it")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--cases", type=int, default=sys.maxsize)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--artifacts", type=Path, default=Path(), help="where an input stays that went wrong")
    parser.add_argument("--longest", type=float, default=30, help="seconds for one case")
    asked = parser.parse_args()
    bounded_runs()
    with tempfile.TemporaryDirectory(prefix="dumbbell-fuzz-") as name:
        work = Path(name)
        if asked.case is not None:
            seeds(work)
            TARGETS[asked.target](asked.case, work)
            return 0
        limits = {key: getattr(asked, key) for key in ("seconds", "cases", "seed", "longest")}
        tally = fuzz(asked.target, work, asked.artifacts, **limits)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{tally.cases} cases, {tally.refused} refused, {megabytes} MB")
    for where, what in tally.failures.items():
        print(f"{where}: {what}")
    return int(bool(tally.failures))


if __name__ == "__main__":
    sys.exit(main())
