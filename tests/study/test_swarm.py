"""Random faults, one after another: whatever happens to the folder of a study, one quiet run makes it whole.

A seed gives the sequence of faults. It stands in the message of a failed test, with the steps so far;
``DUMBBELL_SWARM_SEED=7 pytest tests/study/test_swarm.py`` repeats it, as far as the machine's timing lets it.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dumbbell.errors import DumbbellError
from dumbbell.study import Study, StudyResult, run_study
from tests.conftest import COMMAND_TIMEOUT
from tests.study.conftest import STUDY, changed, content, shards, write_study

SWARM = changed(seeds=40, scenario=STUDY["scenario"] | {"duration": "200s"})
"""160 runs of some 10 ms."""

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

DONE, REFUSED = 0, 2

CHILD = """
import os, resource, select

slow, most = float(os.environ["SWARM_SLOW"]), int(os.environ["SWARM_FILE_BYTES"])
if slow:
    synchronise = os.fsync

    def fsync(descriptor):
        # Not by `time.sleep`, which fails where the clock is faked.
        select.select([], [], [], slow)
        synchronise(descriptor)

    os.fsync = fsync
if most:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
"""
"""What a child does before anything else: its disk is slow, or takes no files of more than some bytes."""

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


@dataclass
class Swarm:
    """A folder, and what has happened to it."""

    chance: random.Random
    home: Path
    """Of everything that is not the study's."""
    disk: Path
    """Of the folder: a disk of its own where that can be had."""
    seed: int
    log: list[str] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    """Runs that were finished and that nobody has damaged since."""

    def __post_init__(self) -> None:
        self.folder = self.disk / "out"
        self.file = self.home / "study.toml"
        write_study(self.file, SWARM)
        (self.home / "child").mkdir()
        (self.home / "child" / "sitecustomize.py").write_text(CHILD)

    def told(self) -> str:
        """What to print when a test fails."""
        return "\n  ".join([f"DUMBBELL_SWARM_SEED={self.seed}", *self.log])

    # Processes.

    def start(self, *, slow: float = 0, most: int = 0, shares: bool = True) -> subprocess.Popen[str]:
        """Start the study, with one to three workers, sometimes a share of it only."""
        command = [sys.executable, "-m", "dumbbell", "study", "run", self.file, "-o", self.folder]
        command += ["--workers", str(self.chance.randint(1, 3))]
        if shares and self.chance.random() < 0.3:
            command += ["--shard", f"{self.chance.randint(1, 2)}/2"]
        path = os.pathsep.join([str(self.home / "child"), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = os.environ | {
            "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1",
            "SWARM_SLOW": str(slow), "SWARM_FILE_BYTES": str(most),
        }  # fmt: skip
        if FAKETIME is not None and self.chance.random() < 0.3:
            offset = self.home / "offset"
            offset.write_text("+0")
            environment |= {
                "LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(offset), "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }  # fmt: skip
        self.log.append(f"start {' '.join(map(str, command[6:]))} slow={slow} most={most}")
        return subprocess.Popen(
            list(map(os.fspath, command)),
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self, process: subprocess.Popen[str], *sent: signal.Signals) -> int:
        """Wait for a process to end, and hold it to what it may say and how it may end."""
        _, told = process.communicate(timeout=COMMAND_TIMEOUT)
        code = process.returncode
        last = told.strip().rpartition("\n")[2]
        self.log.append(f"ended with {code}: {last}")
        assert "Traceback" not in told, f"{self.told()}\n{told}"
        assert "Exception ignored" not in told, f"{self.told()}\n{told}"
        # Before its handlers are there, it dies of the signal itself; a shell calls that 128 and the number.
        known = {DONE, REFUSED, *(-number for number in sent), *(128 + number for number in sent)}
        assert code in known, f"{self.told()}\n{told}"
        if code == REFUSED:
            assert last.startswith("dumbbell: "), self.told()
        self.look()
        return code

    def pause(self) -> None:
        """Wait until the process is somewhere between its first line and its end."""
        time.sleep(self.chance.choice((0, 0.3, 0.6, 0.9, 1.2)) + self.chance.uniform(0, 0.3))
        (self.home / "offset").write_text(self.chance.choice(("+0", "+1d", "-1h", "-30d")))

    def look(self) -> None:
        """Hold the folder to what it held before."""
        try:
            there = set(StudyResult.load(self.folder).table["run_id"].to_pylist())
        except DumbbellError:
            return
        assert self.kept <= there, f"finished runs were lost\n{self.told()}"
        self.kept = there

    # Faults.

    def ended_by_a_signal(self) -> None:
        process = self.start(slow=self.chance.choice((0, 0, 0.2)))
        self.pause()
        sent = [self.chance.choice(SIGNALS) for _ in range(self.chance.choice((1, 1, 1, 2)))]
        for number in sent:
            if number == signal.SIGINT:
                # Before our handlers are there, Python answers it with a traceback.
                wait_for_handlers(process)
            self.log.append(number.name)
            process.send_signal(number)
            time.sleep(self.chance.choice((0, 0.1)))
        self.end(process, *sent)

    def undisturbed(self) -> None:
        self.end(self.start())

    def quiet(self) -> None:
        """Run all of the study, once."""
        assert self.end(self.start(shares=False)) == DONE, self.told()

    def full_disk(self) -> None:
        """The disk of its own is full; or no file may be larger than some bytes."""
        if self.disk.is_mount() and self.chance.random() < 0.7:
            ballast, left = self.disk / "ballast", self.chance.choice((0, 4096, 16384))
            with contextlib.suppress(OSError):
                ballast.write_bytes(bytes(max(0, shutil.disk_usage(self.disk).free - left)))
            self.log.append(f"{shutil.disk_usage(self.disk).free} bytes are free")
            self.end(self.start())
            ballast.unlink()
        else:
            self.end(self.start(most=self.chance.choice((100, 3000, 9000))))

    def two_at_once(self) -> None:
        both = [self.start(slow=0.1), self.start()]
        codes = [self.end(process) for process in both]
        assert DONE in codes, self.told()

    def copied(self) -> None:
        """Copied while it runs, as by ``cp -r``; and back, after it was killed or while it runs."""
        process = self.start(slow=self.chance.choice((0, 0.1)))
        self.pause()
        copy = self.home / "copy"
        copy_what_stays(self.folder, copy)
        if self.chance.random() < 0.5:
            process.kill()
            self.end(process, signal.SIGKILL)
            copy_what_stays(copy, self.folder)
        else:
            copy_what_stays(copy, self.folder)
            self.end(process)
        shutil.rmtree(copy, ignore_errors=True)

    def damaged_shard(self) -> None:
        for victim in shards(self.folder)[:: self.chance.randint(1, 3)]:
            damage(self.chance, victim, self.log)
            self.kept = set()

    def damaged_catalogue(self) -> None:
        for victim in self.folder.glob("results/*/catalogue.parquet"):
            damage(self.chance, victim, self.log)

    def damaged_mark(self) -> None:
        """What the refusal of a damaged ``study.json`` says to do."""
        mark = self.folder / "study.json"
        if mark.exists():
            mark.write_bytes(mark.read_bytes()[:-40])
            self.log.append("study.json cut")
            assert self.end(self.start()) == REFUSED, self.told()
            mark.unlink()
            self.quiet()

    def step(self) -> None:
        faults = (
            self.ended_by_a_signal, self.ended_by_a_signal, self.ended_by_a_signal, self.full_disk,
            self.two_at_once, self.copied, self.copied, self.damaged_shard, self.damaged_catalogue,
            self.damaged_mark, self.undisturbed,
        )  # fmt: skip
        fault = self.chance.choice(faults)
        self.log.append(f"-- {fault.__name__}")
        fault()


def wait_for_handlers(process: subprocess.Popen[str]) -> None:
    """Wait until a process catches SIGTERM, as Python alone does not, or has ended."""
    status = Path(f"/proc/{process.pid}/status")
    end = time.monotonic() + COMMAND_TIMEOUT
    while process.poll() is None and time.monotonic() < end:
        caught = re.search(r"^SigCgt:\s*(\w+)", status.read_text(), re.MULTILINE)
        if caught is not None and int(caught[1], 16) >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.01)


def copy_what_stays(source: Path, target: Path) -> None:
    """Copy a folder file by file; what goes on the way is left out."""
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        try:
            if path.is_dir():
                place.mkdir(parents=True, exist_ok=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
        except OSError:
            continue


def damage(chance: random.Random, victim: Path, log: list[str]) -> None:
    data = bytearray(victim.read_bytes())
    kind = chance.choice(("cut", "flip", "empty", "gone"))
    log.append(f"{victim.name} {kind}")
    if kind == "gone":
        victim.unlink()
        return
    if kind == "flip" and data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    victim.write_bytes({"cut": data[: chance.randrange(len(data) + 1)], "flip": data, "empty": b""}[kind])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same study, undisturbed."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    run_study(Study.from_dict(SWARM), folder)
    return folder


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of half a megabyte, where this machine lets tests mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", folder]
    mounted = os.geteuid() == 0 and not subprocess.run(command, capture_output=True, check=False).returncode
    yield folder
    if mounted:
        subprocess.run(["umount", folder], check=True)


def swarm(home: Path, disk: Path, whole: Path, seed: int, steps: int) -> None:
    """Go through some faults, then let the study come to its end, and compare."""
    chosen = Swarm(random.Random(seed), home, disk, seed)
    for _ in range(steps):
        chosen.step()
    chosen.log.append("-- at last")
    chosen.quiet()
    assert content(chosen.folder) == content(whole), chosen.told()
    assert [path.name for path in shards(chosen.folder)] == [path.name for path in shards(whole)], (
        chosen.told()
    )
    assert not list(chosen.folder.rglob("*.part")), chosen.told()


def given_seed(default: int) -> int:
    return int(os.environ.get("DUMBBELL_SWARM_SEED", default))


def test_whatever_happens_a_quiet_run_makes_it_whole(tmp_path: Path, disk: Path, whole: Path) -> None:
    swarm(tmp_path, disk, whole, given_seed(7), 5)


@pytest.mark.full
@pytest.mark.parametrize("number", range(10))
def test_long_sequences_of_faults(tmp_path: Path, disk: Path, whole: Path, number: int) -> None:
    # Other ones each time: the seed is in the message.
    swarm(tmp_path, disk, whole, given_seed(random.SystemRandom().randrange(10**6)) + number, 15)
