"""What commands write: whole or not at all, and never in the place of what they have not written."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import dumbbell as db
from conftest import LONG, Cli
from dumbbell._files import manifest
from dumbbell._files.folder import new_file, new_files, new_folder, refuse_file
from dumbbell.errors import FolderError
from dumbbell.live import run_shell, scenario_of_link
from dumbbell.live.udp import receive

Content = dict[str, bytes]


def content(folder: Path) -> Content:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def out(results: db.Results, tmp_path: Path) -> Path:
    return results.save(tmp_path / "out")


def test_the_manifest_is_one_that_sha256sum_checks(out: Path) -> None:
    checked = subprocess.run(
        ["sha256sum", "--check", "--strict", manifest.MANIFEST], cwd=out, capture_output=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.count(b": OK\n") == len(names(out)) - 1


@pytest.mark.parametrize(
    "change",
    [
        lambda out: (out / "notes.txt").write_text("dear diary"),
        lambda out: (out / "analysis.py").write_text("print(1)"),
        lambda out: (out / "figures").mkdir() or (out / "figures/mine.png").write_text("drawn by hand"),
        lambda out: (out / "figures").mkdir() or (out / "figures/cwnd.png").write_text("drawn by hand"),
        lambda out: (out / "empty").mkdir(),
        lambda out: (out / "scenario.toml").write_text("# changed by hand"),
        lambda out: (out / "link").symlink_to("/etc"),
        lambda out: (out / ".hidden").write_text("secret"),
    ],
    ids=range(8),
)
def test_force_never_removes_what_is_the_users(
    cli: Cli, scenario_file: Path, out: Path, change: Callable[[Path], object]
) -> None:
    change(out)
    before = content(out)
    done = cli("run", scenario_file, "-o", "out", "--force")
    assert done.returncode == 2
    assert "is not as dumbbell has written it; move it away, or choose another folder" in done.stderr
    assert done.stderr.count("\n") == 1
    assert content(out) == before
    assert names(out.parent) == {"out", scenario_file.name}


def test_force_replaces_figures_and_results_of_ours(cli: Cli, scenario_file: Path, out: Path) -> None:
    assert cli("plot", "out", "--only", "cwnd", "--format", "png").returncode == 0
    assert (out / "figures/cwnd.png").is_file()
    done = cli("run", scenario_file, "-o", "out", "--force", "--seed", "9")
    assert done.returncode == 0, done.stderr
    assert not (out / "figures").exists()
    assert names(out.parent) == {"out", scenario_file.name}


def test_folders_without_a_manifest_are_known_by_their_names(
    cli: Cli, scenario_file: Path, out: Path
) -> None:
    assert cli("plot", "out", "--only", "cwnd").returncode == 0
    (out / manifest.MANIFEST).unlink()
    (out / "notes.txt").write_text("dear diary")
    assert cli("run", scenario_file, "-o", "out", "--force").returncode == 2
    (out / "notes.txt").unlink()
    # Figures may be drawn again, and adopt what is there.
    assert cli("plot", "out", "--only", "cwnd,queue").returncode == 0
    (out / "figures/queue.png").write_text("drawn by hand")
    assert cli("run", scenario_file, "-o", "out", "--force").returncode == 2
    (out / "figures/queue.png").unlink()
    # Tables that are younger than manifests.
    for younger in ("transfers", "classes", "allocations", "controller_states", "estimates", "quantiles"):
        (out / f"{younger}.parquet").unlink()
    assert cli("run", scenario_file, "-o", "out", "--force").returncode == 0
    assert names(out.parent) == {"out", scenario_file.name}


def test_a_folder_behind_a_link_is_replaced_where_it_is(
    cli: Cli, scenario_file: Path, out: Path, tmp_path: Path
) -> None:
    (tmp_path / "deep").mkdir()
    out.rename(tmp_path / "deep/real")
    out.symlink_to("deep/real")
    assert cli("run", scenario_file, "-o", "out", "--force", "--seed", "9").returncode == 0
    assert out.is_symlink()
    assert names(tmp_path / "deep") == {"real"}
    assert db.load(out).provenance["seed"] == "9"


def test_what_came_in_the_way_during_the_run_costs_neither(results: db.Results, out: Path) -> None:
    def replace() -> None:
        with new_folder(out, True) as part:
            results.write(part)
            (out / "notes.txt").write_text("dear diary")

    with pytest.raises(FolderError, match=r"notes.txt: .*kept in .*out-2\)"):
        replace()
    assert (out / "notes.txt").read_text() == "dear diary"
    assert len(db.load(out).flows) == len(db.load(out.with_name("out-2")).flows) == len(results.flows)
    assert names(out.parent) == {"out", "out-2"}


def killed_at(step: str, folder: Path) -> None:
    """Replace results in a process that is killed at a call of `Path.rename`."""
    code = (
        "import os, pathlib, sys\nimport dumbbell as db\n"
        "from dumbbell._files import manifest\n"
        f"results = db.load({str(folder)!r})\n"
        "def die(*_): os.kill(os.getpid(), 9)\n"
        "rename = pathlib.Path.rename\n"
        "calls = []\n"
        "def counted(self, to):\n"
        "    calls.append(to)\n"
        f"    if len(calls) == 2 and {step!r} == 'between': die()\n"
        "    return rename(self, to)\n"
        "pathlib.Path.rename = counted\n"
        f"if {step!r} == 'after': manifest.remove = die\n"
        f"if {step!r} == 'writing': manifest.of = die\n"
        f"results.save({str(folder)!r}, force=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("step", ["writing", "between", "after"])
def test_a_killed_replacement_loses_nothing_and_leaves_nothing(
    cli: Cli, scenario_file: Path, out: Path, results: db.Results, step: str
) -> None:
    killed_at(step, out)
    assert len(names(out.parent)) > 1
    # Whoever reads the folder next finds results there.
    assert len(db.load(out).flows) == len(results.flows)
    assert cli("run", scenario_file, "-o", "out", "--force").returncode == 0
    assert names(out.parent) == {"out", scenario_file.name}


def test_parts_of_running_and_of_locked_writers_stay(out: Path, results: db.Results) -> None:
    import fcntl

    mine = out.with_name(f".out.{os.getppid()}.part")
    mine.mkdir()
    locked = out.with_name(".out.999999999.part")
    locked.mkdir()
    dead = out.with_name(".out.999999998.part")
    dead.mkdir()
    other = out.with_name(".other.999999998.part")
    other.mkdir()
    lock = os.open(locked, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    results.save(out, force=True)
    os.close(lock)
    assert names(out.parent) == {"out", mine.name, locked.name, other.name}


def test_a_killed_run_leaves_a_part_that_the_next_one_removes(
    cli: Cli, scenario_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "long.toml").write_text(LONG)
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", "run", "long.toml", "-o", "out"], cwd=tmp_path
    )
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob(".out.*.part")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.kill()
    process.wait(timeout=60)
    assert cli("run", scenario_file, "-o", "out").returncode == 0
    assert names(tmp_path) == {"out", "long.toml", scenario_file.name}


@pytest.mark.usefixtures("out")
def test_figures_replace_only_figures(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures/cwnd.png").write_text("drawn by hand")
    done = cli("plot", "out", "--only", "queue,cwnd", "-o", "pictures")
    assert done.returncode == 2
    assert "pictures/cwnd.png: is in the way" in done.stderr
    assert content(tmp_path / "pictures") == {"cwnd.png": b"drawn by hand"}
    assert cli("plot", "out", "--only", "queue", "-o", "pictures").returncode == 0
    assert cli("plot", "out", "--only", "queue", "-o", "pictures").returncode == 0
    (tmp_path / "pictures/queue.svg").write_text("improved by hand")
    assert cli("plot", "out", "--only", "queue", "-o", "pictures").returncode == 2
    assert (tmp_path / "pictures/queue.svg").read_text() == "improved by hand"


def test_figures_on_a_full_disk_are_one_line_and_nothing(out: Path) -> None:
    before = content(out)
    done = subprocess.run(
        [sys.executable, "-m", "dumbbell", "plot", "out"], cwd=out.parent, capture_output=True, text=True,
        timeout=300, check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)),
        env={**os.environ, "MPLCONFIGDIR": str(out.parent / "matplotlib")},
    )  # fmt: skip
    assert done.returncode == 2
    assert "the disk is full; free some space and give the same command again" in done.stderr
    assert "Traceback" not in done.stderr
    assert content(out) == before
    assert {path.name for path in out.iterdir() if path.is_dir()} == set()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
@pytest.mark.parametrize("command", ["plot", "run", "report"])
def test_a_full_disk_is_one_line_and_leaves_nothing(
    cli: Cli, scenario_file: Path, results: db.Results, tmp_path: Path, command: str
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], check=False)
    if mounted.returncode:
        pytest.skip("no disk can be mounted here")
    try:
        if command == "report":
            study(disk / "out")
        elif command == "plot":
            results.save(disk / "out")
        room = shutil.disk_usage(disk).free
        (disk / "ballast").write_bytes(b"x" * max(room - 30_000, 0))
        before = content(disk)
        words = [scenario_file, "-o", "disk/out"] if command == "run" else ["disk/out"]
        done = cli(command, *words)
        assert done.returncode == 2, done.stdout
        assert "the disk is full; free some space and give the same command again" in done.stderr
        assert done.stderr.count("\n") == 1
        assert content(disk) == before
        assert not list(disk.rglob("*.part"))
    finally:
        subprocess.run(["umount", disk], check=True)


def study(folder: Path) -> None:
    from dumbbell.study import Study, run_study

    values = {
        "name": "tiny",
        "seeds": 2,
        "scenario": {
            "duration": "1s",
            "topology": "dumbbell",
            "transport": {"kind": "tcp"},
            "flows": [{"from": "senders", "to": "receivers"}],
        },
        "axes": [{"name": "pairs", "values": [1, 2], "set": "topology.pairs={value}"}],
        "arms": [{"name": "cubic", "set": "transport.controller=cubic"}],
        "metrics": [{"name": "goodput", "source": {"table": "runs", "column": "goodput"}}],
    }
    run_study(Study.from_dict(values), folder)


def test_reports_replace_only_reports(cli: Cli, tmp_path: Path) -> None:
    study(tmp_path / "out")
    home = tmp_path / "home"
    (home / "data").mkdir(parents=True)
    (home / "data/runs.parquet").write_text("my own runs")
    before = content(home)
    done = cli("report", "out", "-o", "home/report.html")
    assert done.returncode == 2
    assert "home/data/runs.parquet: is in the way" in done.stderr
    assert content(home) == before
    assert cli("report", "out").returncode == 0
    # A report of a version that had no manifests.
    (tmp_path / "out" / manifest.MANIFEST).unlink()
    assert cli("report", "out").returncode == 0
    assert cli("report", "out").returncode == 0
    (tmp_path / "out/report.html").write_text("<p>by hand")
    assert cli("report", "out").returncode == 2
    assert (tmp_path / "out/report.html").read_text() == "<p>by hand"


@pytest.mark.usefixtures("out")
def test_archives_replace_only_archives(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "thesis.zip").write_text("all of it")
    for force in ([], ["--force"]):
        done = cli("pack", "out", "-o", "thesis.zip", *force)
        assert done.returncode == 2
        assert done.stderr == "dumbbell: thesis.zip: was not written by this command; choose another name\n"
    assert (tmp_path / "thesis.zip").read_text() == "all of it"
    assert cli("pack", "out", "-o", "a.zip").returncode == 0
    assert cli("pack", "out", "-o", "a.zip").returncode == 2
    (tmp_path / ".a.zip.999999999.part").write_text("left by a killed process")
    assert cli("pack", "out", "-o", "a.zip", "--force").returncode == 0
    assert names(tmp_path) == {"out", "thesis.zip", "a.zip"}


def test_logs_of_real_packets_replace_only_logs(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("dear diary")
    link = scenario_of_link({"cbr": "1Mbit/s"})
    for force in (False, True):
        for name in ("uplink_log", "downlink_log"):
            with pytest.raises(FolderError, match=r"notes.txt: was not written by this command"):
                run_shell(link, ["true"], force=force, **{name: notes})
        with pytest.raises(FolderError, match=r"notes.txt: was not written by this command"):
            receive(52431, events=notes, force=force, stopped=lambda: True)
    assert notes.read_text() == "dear diary"
    events = tmp_path / "events.log"
    receive(52431, events=events, stopped=lambda: True)
    with pytest.raises(FolderError, match=r"events.log: is there already; .* --force"):
        receive(52431, events=events, stopped=lambda: True)
    receive(52431, events=events, force=True, stopped=lambda: True)
    receive(52431, events="/dev/null", stopped=lambda: True)


def test_a_file_in_the_way_stops_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("mine")

    def write() -> None:
        with new_files(tmp_path) as part:
            for name in "abc":
                (part / name).write_text(name)

    with pytest.raises(FolderError, match=r"/b: is in the way"):
        write()
    assert content(tmp_path) == {"b": b"mine"}


def test_files_killed_on_their_way_may_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(text: str) -> None:
        with new_files(tmp_path) as part:
            for name in "ab":
                (part / name).write_text(text)

    write("old")
    replace = Path.replace

    def fail(self: Path, target: Path) -> Path:
        if target.name == "b":
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        write("new")
    monkeypatch.undo()
    assert [(tmp_path / name).read_text() for name in "ab"] == ["new", "old"]
    write("newest")
    assert [(tmp_path / name).read_text() for name in "ab"] == ["newest", "newest"]
    assert names(tmp_path) == {"a", "b", manifest.MANIFEST}


def test_names_of_any_bytes_are_listed(tmp_path: Path) -> None:
    odd = ["back\\slash", "\udcff", "two  spaces"]
    for text in ("old", "new"):
        with new_files(tmp_path) as part:
            for name in odd:
                (part / name).write_text(text)
    assert set(manifest.of(tmp_path)) == {*odd, manifest.MANIFEST}
    for name in ("line\nbreak", "\x1b[2J"):
        with pytest.raises(FolderError, match="its name holds U\\+00"), new_files(tmp_path) as part:
            (part / name).write_text("new")


def test_a_hostile_manifest_leads_nowhere(out: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    listed = dict(manifest.read(out) or {})
    for name in ("../victim", str(victim)):
        listed[name] = frozenset({manifest.digest(victim)})
    manifest.write(out, listed)
    db.load(out).save(out, force=True)
    assert victim.read_text() == "precious"


def test_special_files_are_written_as_they_are(tmp_path: Path) -> None:
    refuse_file(Path("/dev/null"), lambda _: False, False)
    with pytest.raises(FolderError, match="is a folder"):
        refuse_file(tmp_path, lambda _: True, True)
    with new_file(tmp_path / "file", lambda _: False, False) as part:
        part.write_text("x")
    assert content(tmp_path) == {"file": b"x"}


def test_make_clean_keeps_results_and_a_venv_of_the_users(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parent.parent / "Makefile", tmp_path)
    for name in ("out/mine", "target", "build", ".setup", ".venv/mine", "python", "tests", "crates"):
        (tmp_path / name).mkdir(parents=True)
    clean = ["make", "-C", str(tmp_path), "clean"]
    refused = subprocess.run(clean, capture_output=True, text=True, timeout=120, check=False)
    assert refused.returncode == 2
    assert "dumbbell: .venv was not made by make: move it away" in refused.stderr
    assert (tmp_path / ".venv/mine").is_dir()
    (tmp_path / ".venv/made-by-make").touch()
    assert subprocess.run(clean, capture_output=True, timeout=120, check=False).returncode == 0
    assert names(tmp_path) == {"Makefile", "out", "python", "tests", "crates"}
    assert (tmp_path / "out/mine").is_dir()


def test_pages_of_the_reference_go_but_no_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tools import reference

    monkeypatch.setattr(reference, "FOLDER", tmp_path)
    (tmp_path / "notes.md").write_text("dear diary")
    (tmp_path / "family-that-is-gone.md").write_text(f"# Gone\n\n{reference.NOTE}\n")
    reference.main()
    assert {"notes.md", "README.md"} <= names(tmp_path)
    assert "family-that-is-gone.md" not in names(tmp_path)
