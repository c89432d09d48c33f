"""Every output of every command: what is no regular file is written to or refused, and stays what it is."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

import dumbbell as db
import forks
from conftest import COMMAND_TIMEOUT, SCENARIO
from dumbbell._files import manifest
from dumbbell._files.folder import new_file
from dumbbell._files.foreign import replace_file
from dumbbell.cli import cli as commands
from dumbbell.errors import FolderError
from dumbbell.live import checks
from dumbbell.own.laws import aimd
from dumbbell.study.files import write_durably
from test_cli import every_command

INPUTS = {"--base", "--program", "--trace"}
"""Options that name what is read."""

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root may make devices")

ONE_PACKET = "import socket, time; socket.socket(type=2).sendto(b'1', ('100.64.0.1', 9)); time.sleep(0.2)"
"""What a shell runs: a link without packets has nothing to tell."""

LIVE = all(check.works for check in checks() if check.name in ("linux", "tun", "namespaces"))


@dataclass(frozen=True)
class Command:
    """A command with outputs."""

    words: tuple[str, ...]
    files: tuple[str, ...] = ()
    """Options that name files."""
    folder: str = ""
    """The option that names a folder."""
    after: tuple[str, ...] = ()
    """Words that come last."""
    port: int = 0
    """Of UDP; it goes on until it is interrupted."""
    stops: tuple[str, ...] = ()
    """Kinds of places that end it although files could be written there."""
    ending: str = ""
    """Of the name of a file, if that says what it becomes."""


OUTPUTS = {
    "attack": Command(("attack", "newreno", "--property", "goodput > 0"), folder="--output"),
    "arena submit": Command(("arena", "submit", "newreno"), folder="--output"),
    "assert": Command(("assert", "run", "run.goodput > 9bit/s"), ("--junit",)),
    "compare-real": Command(("compare-real", "small.toml"), folder="--output"),
    "convert": Command(("convert", "run"), ("--output",), ending=".flent"),
    "examples": Command(("examples", "four-flows-newreno"), ("--output",)),
    "export": Command(("export", "mine.py:Aimd", "--to", "c"), ("--output",)),
    "incast-real": Command(("incast-real",), folder="--output"),
    "judge": Command(("judge", "newreno", "--chapter", "14"), folder="--output"),
    "manual": Command(("manual",), folder="--output"),
    "pack": Command(("pack", "run"), ("--output",)),
    "packetdrill": Command(
        ("packetdrill", "scripts", "--program", "/bin/true", "--jobs", "1"), ("--output",)
    ),
    "plot": Command(("plot", "run", "--only", "queue", "--format", "svg"), folder="--output"),
    "rcp-host": Command(("rcp-host",), folder="--output"),
    "rcp-real": Command(("rcp-real",), folder="--output"),
    "recv": Command(("recv", "--port", "52437"), ("--events",), "--output", port=52437),
    "report": Command(("report", "run"), ("--output",), stops=("device", "stream")),
    "reproduce": Command(("reproduce", "campus-web"), folder="--output"),
    "run": Command(("run", "small.toml"), folder="--output"),
    "score": Command(("score", "newreno"), folder="--output"),
    "send": Command(
        ("send", "--to", "127.0.0.1:52438", "--size", "1kB"), ("--events",), "--output", port=52438
    ),
    "shell": Command(
        ("shell", "--cbr", "10Mbit/s"),
        ("--uplink-log", "--downlink-log", "--lines", "--json", "--pcapng", "--qlog", "--perfetto"),
        "--output",
        after=("--", sys.executable, "-c", ONE_PACKET),
        stops=("stream",),
    ),
    "study run": Command(("study", "run", "study.toml"), folder="--output"),
    "study search": Command(("study", "search", "search.toml"), folder="--output"),
    "trace": Command(("trace", "small.toml", "--until", "2s"), ("--pcapng", "--qlog", "--perfetto")),
    "trump-real": Command(("trump-real",), folder="--output"),
}
"""By name, every command that writes."""

ELSEWHERE = {"playground", "traces"}
"""Need a page that not every machine can build, and the network: `test_playground.py`, `test_traces.py`."""

NEEDS_LINKS = {"shell"}
"""Commands that emulate a link before they look at their files."""

STUDY = """
seeds = 1
scenario = "small.toml"
arms = [{ name = "cubic", set = "transport.controller=cubic" }]
axes = [{ name = "pairs", values = [1], set = "topology.pairs={value}" }]
metrics = [{ name = "goodput", source = { table = "runs", column = "goodput" } }]
"""

SEARCH = """
study = "study.toml"
seeds = 1
readings = 2
local = 0
best = 1
fresh = { first = 11, count = 1 }
factors = [{ name = "rate", low = 1, high = 4, set = "topology.bottleneck.rate={value}Mbit/s" }]
targets = [{ metric = "goodput", value = 1e6, at = { pairs = 1 } }]
"""


@pytest.fixture(scope="module")
def home(results: db.Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the commands read."""
    home = tmp_path_factory.mktemp("home")
    (home / "small.toml").write_text(SCENARIO)
    (home / "study.toml").write_text(STUDY)
    (home / "search.toml").write_text(SEARCH)
    (home / "mine.py").write_text(Path(aimd.__file__).read_text(encoding="utf-8"))
    (home / "scripts").mkdir()
    (home / "scripts" / "one.pkt").write_text("+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n")
    results.save(home / "run")
    return home


def test_every_output_is_tested_below() -> None:
    found = {}
    for name, command in every_command(commands):
        if name in ELSEWHERE:
            continue
        options = {p.opts[-1] for p in command.params if isinstance(p.type, click.Path)}
        if written := {option for option in options if option.startswith("-")} - INPUTS:
            found[name] = written
    tested = {name: {*c.files, *filter(None, [c.folder])} for name, c in OUTPUTS.items()}
    assert found == tested, "an output is missing in OUTPUTS, or a new input in INPUTS"


def sends_or_receives(port: int) -> bool:
    tables = (Path("/proc/net", name).read_text(encoding="ascii") for name in ("udp", "udp6"))
    return any(f":{port:04X} " in table for table in tables)


def outcome(home: Path, name: str, outputs: dict[str, Path]) -> tuple[int, list[str]]:
    """Run a command; return its status and the lines of its standard error that are messages."""
    command = OUTPUTS[name]
    options = [word for option, place in outputs.items() for word in (option, str(place))]
    return ended(home, name, [*command.words, *options, *command.after], Path(os.devnull))


def ended(home: Path, name: str, words: Sequence[str | Path], out: Path) -> tuple[int, list[str]]:
    """Run the words of a command, whose standard output is appended to a file; return as :func:`outcome`."""
    port = OUTPUTS[name].port
    with tempfile.NamedTemporaryFile() as err:
        process = forks.Fork(words, home, out, Path(err.name))
        if port:
            # What is refused ends by itself.
            while not sends_or_receives(port) and process.status() is None:
                time.sleep(0.05)
            time.sleep(0.5)
            if process.status() is None:
                os.kill(process.pid, signal.SIGINT)
        status = process.end(COMMAND_TIMEOUT)
        text = err.read().decode()
    assert status is not None, (name, "does not end")
    assert "Traceback" not in text, (name, text)
    assert status != 70, (name, text)
    said = [line for line in text.splitlines() if line.startswith("dumbbell: ")]
    return status, [line for line in said if "has not answered" not in line]


def usable() -> list[str]:
    return [name for name in OUTPUTS if LIVE or name not in NEEDS_LINKS]


def in_turn(run: object, names: list[str]) -> None:
    """Run the commands, two at a time."""
    assert callable(run)
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(run, name) for name in names]:
            done.result()


def special(kind: str, path: Path) -> Path:
    match kind:
        case "device":
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        case "full device":
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        case "disk":
            # Number 0 of the kind "none": nothing can be behind it.
            os.mknod(path, stat.S_IFBLK | 0o600, os.makedev(0, 0))
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as made:
                # The name of a socket is short.
                here = os.open(path.parent, os.O_RDONLY)
                made.bind(f"/proc/self/fd/{here}/{path.name}")
                os.close(here)
        case "folder":
            path.mkdir()
        case _:
            path.write_text("dear diary")
    return path


def same(path: Path, before: os.stat_result) -> bool:
    now = path.lstat()
    return (now.st_mode, now.st_ino, now.st_rdev) == (before.st_mode, before.st_ino, before.st_rdev)


def named(name: str, option: str) -> str:
    """Return what the file of an option is called."""
    return option.strip("-") + OUTPUTS[name].ending


def places(tmp_path: Path, name: str, options: tuple[str, ...], kind: str) -> Iterator[tuple[str, Path]]:
    folder = tmp_path / name.replace(" ", "-")
    folder.mkdir()
    for option in options:
        yield option, special(kind, folder / named(name, option))


def kinds(tried: Sequence[str], others: Sequence[str]) -> pytest.MarkDecorator:
    """Kinds of places: every command meets some in ``make test``, and the others in ``make full``."""
    slow = [pytest.param(kind, marks=pytest.mark.full) for kind in others]
    return pytest.mark.parametrize("kind", [*tried, *slow])


@ROOT
@kinds(["device", "pipe", "file"], ["full device", "disk", "socket", "folder"])
def test_no_file_takes_the_place_of_what_is_none(home: Path, tmp_path: Path, kind: str) -> None:
    def run(name: str) -> None:
        command = OUTPUTS[name]
        made = dict(places(tmp_path, name, command.files, kind))
        before = {path: path.lstat() for path in made.values()}
        begun = time.monotonic()
        status, said = outcome(home, name, made)
        assert all(same(path, was) for path, was in before.items()), (name, said)
        for path in made.values():
            assert set(path.parent.iterdir()) == set(made.values()), name
        if kind == "file":
            assert all(path.read_text() == "dear diary" for path in made.values())
        written = kind == "device" and "device" not in command.stops
        # A shell says that it has no trace, and ends as its command did.
        refused = 1 if name == "shell" and kind == "full device" and status != 2 else 2
        assert status == (0 if written else refused) or (written and command.port > 0), (name, status, said)
        assert len(said) == (0 if status == 0 else 1), (name, said)
        assert time.monotonic() - begun < COMMAND_TIMEOUT / 4, name

    # An example goes into a folder.
    left_out = {"examples"} if kind == "folder" else set()
    in_turn(run, [name for name in usable() if OUTPUTS[name].files and name not in left_out])


@ROOT
@kinds(["device"], ["full device", "pipe", "socket", "file"])
def test_no_folder_takes_the_place_of_what_is_none(home: Path, tmp_path: Path, kind: str) -> None:
    def run(name: str) -> None:
        made = dict(places(tmp_path, name, (OUTPUTS[name].folder,), kind))
        ((option, path),) = made.items()
        before = path.lstat()
        status, said = outcome(home, name, {option: path})
        assert same(path, before), name
        assert (status, len(said)) == (2, 1), (name, said)
        assert path.parent.name in said[0], said
        assert list(path.parent.iterdir()) == [path], name

    in_turn(run, [name for name in usable() if OUTPUTS[name].folder])


NO_EMPTY_FILE = {"convert", "examples", "report"}
"""Commands that take an empty file for one of somebody else."""


@pytest.mark.parametrize("there", [False, True], ids=["to nothing", "to an empty file"])
def test_a_link_stays_and_its_target_is_written(home: Path, tmp_path: Path, there: bool) -> None:
    def run(name: str) -> None:
        command = OUTPUTS[name]
        folder = tmp_path / name
        (folder / "deep").mkdir(parents=True)
        links = {}
        targets = []
        for option in command.files:
            links[option] = folder / named(name, option)
            targets.append(folder / "deep" / named(name, option))
            links[option].symlink_to(Path("deep") / named(name, option))
            if there:
                targets[-1].touch()
        outcome(home, name, links)
        assert all(link.is_symlink() for link in links.values()), name
        # Logs of nothing that came are empty.
        sizes = {target.name: target.stat().st_size for target in targets}
        assert all(size for name, size in sizes.items()), (name, sizes)
        assert set(folder.iterdir()) == {folder / "deep", *links.values()}, name
        assert not list(folder.rglob("*.part")), name

    left_out = NO_EMPTY_FILE if there else set()
    in_turn(run, [name for name in usable() if OUTPUTS[name].files and name not in left_out])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no folder of streams")
def test_a_stream_is_appended_to(home: Path, tmp_path: Path) -> None:
    """``-o /dev/fd/1 >> file``: what the file holds stays, and no file takes the place of the stream."""
    for name in [name for name in usable() if OUTPUTS[name].files and not OUTPUTS[name].port]:
        command = OUTPUTS[name]
        kept = tmp_path / name
        kept.write_text("dear diary\n")
        place = tmp_path / f"{name} stream{command.ending}"
        place.symlink_to("/dev/fd/1")
        words = [*command.words, command.files[-1], place, *command.after]
        status, said = ended(home, name, words, kept)
        assert place.is_symlink()
        data = kept.read_bytes()
        assert data.startswith(b"dear diary\n"), name
        if "stream" in command.stops:
            continue
        assert status == 0, (name, said)
        assert len(data) > 100, name


def test_a_pipe_gets_the_bytes_that_a_file_gets(home: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, option in (("trace", "--pcapng"), ("pack", "--output"), ("assert", "--junit")):
        reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE)
        outcome(home, name, {option: tmp_path / name})
        deadline = time.monotonic() + 60
        status, said = outcome(home, name, {option: tmp_path / "pipe"})
        while status == 2 and "nobody reads this pipe" in said[0] and time.monotonic() < deadline:
            # `cat` has not begun.
            status, said = outcome(home, name, {option: tmp_path / "pipe"})
        assert (status, said) == (0, [])
        assert reader.communicate(timeout=60)[0] == (tmp_path / name).read_bytes()


def test_a_reader_that_goes_is_one_line(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def write() -> None:
        with new_file(pipe, lambda _: False, False) as part:
            part.write_bytes(b"x" * 1_000_000)
            os.close(end)

    with pytest.raises(FolderError, match="pipe: its reader has gone before the end"):
        write()
    assert pipe.is_fifo()


@ROOT
def test_files_in_folders_take_no_device_and_no_link(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("dear diary")
    for kind in ("device", "pipe", "socket", "disk", "folder", "link"):
        place = tmp_path / kind
        if kind == "link":
            place.symlink_to("target")
        else:
            special(kind, place)
        before = place.lstat()
        for write in (replace_file, write_durably):
            with pytest.raises(FolderError, match=f"{place}: is a"):
                write(place, b"data")
        assert same(place, before)
    assert {path.name for path in tmp_path.iterdir()} == {
        "target", "device", "pipe", "socket", "disk", "folder", "link",
    }  # fmt: skip
    assert (tmp_path / "target").read_text() == "dear diary"


@ROOT
def test_a_manifest_is_written_through_nothing(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("dear diary")
    (tmp_path / manifest.PART).symlink_to("target")
    manifest.write(tmp_path, {"a": frozenset({"0" * 64})})
    assert (tmp_path / "target").read_text() == "dear diary"
    place = tmp_path / manifest.MANIFEST
    assert manifest.read(tmp_path) == {"a": frozenset({"0" * 64})}
    place.unlink()
    special("device", place)
    with pytest.raises(FolderError, match=f"{place}: is a device"):
        manifest.write(tmp_path, {})
    assert place.is_char_device()


@ROOT
def test_figures_follow_links_and_spare_devices(results: db.Results, tmp_path: Path) -> None:
    figure = results.plot("queue")
    (tmp_path / "a.svg").symlink_to("b.svg")
    db.figures.save(figure, tmp_path / "a", ["svg"])
    assert (tmp_path / "a.svg").is_symlink()
    assert (tmp_path / "b.svg").stat().st_size > 1000
    special("device", tmp_path / "d.svg")
    with pytest.raises(FolderError, match=r"d.svg: is a device"):
        db.figures.save(figure, tmp_path / "d", ["svg"])


@ROOT
def test_tables_follow_links_and_spare_devices(results: db.Results, tmp_path: Path) -> None:
    (tmp_path / "t.parquet").symlink_to("u.parquet")
    (tmp_path / "u.parquet").touch()
    results.runs.write_parquet(tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").is_symlink()
    assert (tmp_path / "u.parquet").stat().st_size > 1000
    for kind in ("device", "pipe"):
        place = special(kind, tmp_path / f"{kind}.parquet")
        before = place.lstat()
        with pytest.raises(OSError, match="not a regular file"):
            results.runs.write_parquet(place)
        assert same(place, before)
