"""Short shells under faults drawn by lot: whatever happens, the end is a documented one and nothing stays.

`DUMBBELL_SWARM_SEED=N pytest tests/live/test_swarm.py -k one` repeats the case that printed the seed N.
"""

from __future__ import annotations

import os
import random
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import COMMAND_TIMEOUT

ENVIRONMENT = "DUMBBELL_SWARM_SEED"
BASE = int(os.environ.get(ENVIRONMENT) or random.SystemRandom().randrange(1 << 31))

# What a command says of a network that is gone is its own business.
SILENT = "os.dup2(os.open(os.devnull, os.O_WRONLY), 2)"
STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
DAEMON = "os.fork() or (os.setsid(), os.fork() and os._exit(0), time.sleep(1000))"
LISTEN = "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 7777))"
CHATTER = "[(s.sendto(bytes(500), ('100.64.0.1', 7777)), time.sleep(0.005)) for _ in range(80)]"

CLIENTS = {
    "quick": "pass",
    "busy": f"{LISTEN}; {CHATTER}",
    "stubborn": f"{STUBBORN}; {LISTEN}; {CHATTER}",
    "daemon": f"{DAEMON}; {LISTEN}; {CHATTER}",
}
# A server without a port keeps the client waiting for five seconds.
SERVERS = {
    "none": None,
    "quick": "pass",
    "listening": f"{LISTEN}; time.sleep(1000)",
    "stubborn": f"{STUBBORN}; {LISTEN}; time.sleep(1000)",
    "daemon": f"{LISTEN}; {DAEMON}; time.sleep(1000)",
}
FAULTS = ("none", "term", "kill", "stop", "full disk", "date")
VICTIMS = ("emulator", "client", "server", "first of client", "first of server")


@dataclass
class Case:
    """What is run, and what goes wrong."""

    seed: int

    def __post_init__(self) -> None:
        lots = random.Random(self.seed)
        self.client, self.server = lots.choice(list(CLIENTS)), lots.choice(list(SERVERS))
        self.fault, self.victim = lots.choice(FAULTS), lots.choice(VICTIMS)
        self.status, self.delay = lots.choice((0, 1, 77)), lots.uniform(0, 0.6)
        self.results = lots.random() < 0.5

    def expected(self) -> set[int]:
        """Exit statuses that docs/live.md and `dumbbell --help` allow."""
        found = {self.status}
        if self.fault == "full disk":
            return found | {2}
        if self.fault not in ("term", "kill"):
            return found
        number = signal.SIGTERM if self.fault == "term" else signal.SIGKILL
        if self.victim == "emulator":
            # Before the command line has its handlers, the signal itself ends it.
            return found | {-number, 128 + number}
        if self.victim == "client":
            return found | {128 + number}
        if self.victim.startswith("first"):
            # A client whose namespace is killed was killed; without a server there is no run.
            return found | {128 + signal.SIGKILL, 2}
        return found


def program(role: str, body: str, status: int) -> list[str]:
    # Only the emulator's date is false.
    plain = ["env", "-u", "LD_PRELOAD", sys.executable]
    return [*plain, "-c", f"import os, signal, socket, time\n{SILENT}\n{body}\nos._exit({status})  # {role}"]


def processes(mark: str) -> list[int]:
    """The processes that have inherited the mark."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def victims(case: Case, emulator: int, mark: str) -> list[int]:
    if case.victim == "emulator":
        return [emulator]
    firsts, commands = [], []
    for pid in sorted(processes(mark)):
        with suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text()
            # In the namespace of the test, then in its own.
            if status.split("NSpid:")[1].splitlines()[0].split()[1:] == ["1"]:
                firsts.append(pid)
            elif f"# {case.victim}".encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                commands.append(pid)
    # The server's namespace is made first.
    of_role = {"first of server": firsts[:1], "first of client": firsts[1:2]}
    return of_role.get(case.victim, [pid for pid in commands if pid != emulator])


def strike(case: Case, emulator: int, mark: str, offset: Path) -> None:
    time.sleep(case.delay)
    if case.fault == "date":
        offset.write_text("+1d")
    numbers = {"term": signal.SIGTERM, "kill": signal.SIGKILL, "stop": signal.SIGSTOP}
    if case.fault not in numbers:
        return
    struck = victims(case, emulator, mark)
    for pid in struck:
        with suppress(ProcessLookupError):
            os.kill(pid, numbers[case.fault])
    if case.fault == "stop":
        time.sleep(0.2)
        for pid in struck:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def run(case: Case, folder: Path) -> None:
    mark = f"swarm-{os.getpid()}-{case.seed}"
    environment = os.environ | {"SWARM": mark}
    offset = folder / "offset"
    faketime = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if case.fault == "date" and faketime is not None:
        offset.write_text("+0")
        environment |= {
            "LD_PRELOAD": str(faketime), "FAKETIME_TIMESTAMP_FILE": str(offset), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }  # fmt: skip
    command = [sys.executable, "-m", "dumbbell", "shell", "--cbr", "12Mbit/s", "--delay", "5ms"]
    body = SERVERS[case.server]
    if body is not None:
        command += ["--server", f"exec {shlex.join(program('server', body, 0))}"]
    if case.results:
        command += ["-o", str(folder / "out")]
    log = Path("/dev/full") if case.fault == "full disk" else folder / "up.log"
    command += ["--uplink-log", str(log), "--"]
    command += program("client", CLIENTS[case.client], case.status)
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    strike(case, process.pid, mark, offset)
    _, said = process.communicate(timeout=COMMAND_TIMEOUT)
    about = f"{ENVIRONMENT}={case.seed} {vars(case)}\n{said}"
    assert process.returncode in case.expected(), f"{process.returncode}: {about}"
    assert "Traceback" not in said, about
    assert "panicked" not in said, about
    errors = [line for line in said.splitlines() if line.startswith("dumbbell: ")]
    assert len(errors) <= 1, about
    assert bool(errors) or process.returncode != 2, about
    deadline = time.monotonic() + COMMAND_TIMEOUT
    while left := processes(mark):
        assert time.monotonic() < deadline, f"{left}: {about}"
        time.sleep(0.02)
    assert not Path("/sys/class/net/dumbbell0").exists(), about
    killed = case.fault == "kill" and case.victim == "emulator"
    stays = {path.name for path in folder.iterdir() if not (killed and path.name.endswith(".part"))}
    assert stays <= {"out", "up.log", "offset"}, about
    if (folder / "out").exists():
        assert (folder / "out" / "fidelity.json").exists(), about


@pytest.mark.parametrize("number", range(8))
def test_one_of_a_swarm(number: int, tmp_path: Path) -> None:
    print(f"{ENVIRONMENT}={BASE + number}")
    run(Case(BASE + number), tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("number", range(8, 200))
def test_many_of_a_swarm(number: int, tmp_path: Path) -> None:
    test_one_of_a_swarm(number, tmp_path)
