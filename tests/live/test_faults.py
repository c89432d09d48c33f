"""Faults: floods, nonsense, a stopped emulator. It goes on within its memory and says what was not true."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dumbbell as db
from conftest import COMMAND_TIMEOUT
from dumbbell.live import run_shell

PYTHON = sys.executable

ALIVE = """
import subprocess, sys
sys.exit(subprocess.run(["ping", "-c", "2", "-i", "0.1", "-q", "100.64.0.1"]).returncode)
"""


def run_python(link: db.Scenario, script: str, administer: bool = False) -> db.live.Emulation:
    return run_shell(link, [PYTHON, "-c", script], network_administration=administer)


@pytest.mark.ping
def test_nonsense_on_the_device_is_counted_and_dropped(link: db.Scenario) -> None:
    script = f"""
import random, socket
noise = random.Random(1)
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(("dumbbell0", 0x0800))
v4 = bytes([0x45, 0, 0, 40]) + bytes(16)
def any_length():
    return noise.randbytes(noise.randrange(1, 1499))
sent = 0
for packet in [
    b"\\x00", b"\\x45", v4[:19], v4, bytes([0x4f]) + v4[1:], bytes([0x41]) + v4[1:],
    bytes([0x45, 0, 0, 19]) + bytes(16), bytes([0x45, 0, 255, 255]) + bytes(1400),
    bytes([0x60]) + bytes(38), bytes([0x60, 0, 0, 0, 255, 255, 17, 1]) + bytes(32),
    *(any_length() for _ in range(2000)),
    *(bytes([noise.choice((0x45, 0x4f, 0x60))]) + any_length() for _ in range(2000)),
]:
    try:
        sent += raw.send(packet) > 0
    except OSError:
        pass
assert sent > 3000, sent
try:
    raw.send(bytes([0x45]) + bytes(20000))
except OSError:
    pass
{ALIVE}
"""
    emulation = run_python(link, script, administer=True)
    assert emulation.status == 0
    assert emulation.fidelity["uplink"]["malformed"] > 1000


@pytest.mark.ping
def test_nonsense_from_a_shell_within_is_no_harm(link: db.Scenario) -> None:
    script = f"""
import random, socket
noise = random.Random(2)
def guest():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(1)
    s.connect("\\0dumbbell shell")
    return s
guests = [guest()]
for size in (1, 2, 5, 6, 19, 20, 1500, 1501, 9000, 60000) * 20:
    guests[0].send(noise.randbytes(size))
for _ in range(300):
    guests[0].send(b"\\0")
for _ in range(200):
    try:
        guests.append(guest())
        guests[-1].send(b"\\0")
    except OSError:
        break
for g in guests:
    g.close()
{ALIVE}
"""
    emulation = run_python(link, script)
    assert emulation.status == 0
    assert emulation.fidelity["uplink"]["malformed"] > 50


def test_a_flood_into_an_endless_queue_holds_bounded_memory(tmp_path: Path) -> None:
    # Small packets, each in a buffer of a whole one: what counts is the memory, not the bytes of the packets.
    scenario = tmp_path / "endless.toml"
    scenario.write_text(
        """
duration = "100s"
[topology]
kind = "chain"
link = { rate = "1Mbit/s", delay = "1ms", queue = { kind = "droptail", limit = "100000000pkt" } }
[[flows]]
from = "node0"
to = "node1"
"""
    )
    flood = (
        "import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "s.connect(('100.64.0.1', 9)); end = time.monotonic() + 6\n"
        "while time.monotonic() < end:\n"
        "    for _ in range(100):\n"
        "        try: s.send(b'x')\n"
        "        except OSError: pass\n"
    )
    # Of a process of its own, so that its largest child is none of another test.
    count = (
        "import resource, subprocess, sys\n"
        f"done = subprocess.run(sys.argv[1:], timeout={COMMAND_TIMEOUT})\n"
        "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    shell = [PYTHON, "-m", "dumbbell", "shell", str(scenario), "--", PYTHON, "-c", flood]
    done = subprocess.run([PYTHON, "-c", count, *shell], capture_output=True, text=True, check=True)
    status, largest = map(int, done.stdout.split()[-2:])
    assert status == 0, done.stderr
    # In kB: 256 MB of packets, their places in the queue, and the interpreter.
    assert 100_000 < largest < 500_000


def test_an_emulator_that_was_stopped_says_that_its_run_is_invalid(tmp_path: Path) -> None:
    send = (
        "import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "open('started', 'w').close()\n"
        "for _ in range(400): s.sendto(bytes(500), ('100.64.0.1', 9)); time.sleep(0.004)"
    )
    process = subprocess.Popen(
        [PYTHON, "-m", "dumbbell", "shell", "--cbr", "12Mbit/s", "--delay", "30ms", "--", PYTHON, "-c", send],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + COMMAND_TIMEOUT
    while not (tmp_path / "started").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    # What is in flight when it stops leaves late: seven packets or so each time.
    for _ in range(4):
        time.sleep(0.1)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(0.1)
        os.kill(process.pid, signal.SIGCONT)
    _, errors = process.communicate(timeout=COMMAND_TIMEOUT)
    assert process.returncode == 0
    assert "INVALID: uplink: one packet in a hundred left" in errors


ECHO = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 9999))
while True:
    s.sendto(*s.recvfrom(99))
"""
ASK = """
import os, socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(1)
for i in range(60):
    s.sendto(b"x", (os.environ["DUMBBELL_SERVER"], 9999))
    s.recv(99)
    time.sleep(0.01)
"""
STOPPED = r"^%s: its programs were stopped for \d\.\d+ s \(by a signal such as SIGSTOP"


def stopping(program: str, tmp_path: Path) -> str:
    """A command that runs a program and stops it for 40 ms, again and again."""
    script = tmp_path / "program.py"
    script.write_text(program)
    pauses = "while sleep 0.06; do kill -STOP $P || break; sleep 0.04; kill -CONT $P; done 2>/dev/null"
    return f"{PYTHON} {script} & P=$!; ({pauses}) & wait $P"


def test_a_server_that_was_stopped_makes_the_run_invalid(link: db.Scenario, tmp_path: Path) -> None:
    found = run_shell(link, [PYTHON, "-c", ASK], server=stopping(ECHO, tmp_path))
    assert found.status == 0
    assert not found.fidelity["valid"]
    assert any(re.match(STOPPED % "server", reason) for reason in found.fidelity["reasons"])
    assert found.fidelity["server"]["stopped"] > 0.1
    assert found.fidelity["client"]["stopped"] == 0.0


def test_a_client_that_was_stopped_makes_the_run_invalid(link: db.Scenario, tmp_path: Path) -> None:
    (tmp_path / "echo.py").write_text(ECHO)
    server = f"exec {PYTHON} {tmp_path / 'echo.py'}"
    found = run_shell(link, ["sh", "-c", stopping(ASK, tmp_path)], server=server)
    assert found.status == 0
    assert any(re.match(STOPPED % "client", reason) for reason in found.fidelity["reasons"])


@pytest.mark.ping
def test_a_program_without_a_socket_may_be_stopped(link: db.Scenario) -> None:
    # As an editor that somebody has put aside: no packet waits for it.
    found = run_shell(link, ["sh", "-c", "sleep 9 & kill -STOP $!; sleep 0.2; ping -c 1 100.64.0.1"])
    assert found.status == 0
    assert found.fidelity["client"]["stopped"] == 0.0


def test_a_run_without_packets_is_invalid(link: db.Scenario) -> None:
    # The kernels report multicast listeners meanwhile, which concerns their own links alone.
    found = run_shell(link, ["sleep", "1"])
    assert found.fidelity["reasons"] == ["no packet came to the link: nothing was emulated"]
    assert not found.fidelity["valid"]


def test_a_server_that_fails_at_once_makes_the_run_invalid(link: db.Scenario) -> None:
    found = run_shell(link, [PYTHON, "-c", "print()"], server="exec nothing-of-this-name 2>/dev/null")
    reason = "server: its command ended with status 127 before the client's began"
    assert reason in found.fidelity["reasons"]


@pytest.mark.ping
def test_a_step_of_the_date_changes_nothing(tmp_path: Path) -> None:
    faketime = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if faketime is None:
        pytest.skip("faketime is not installed")
    offset, replies = tmp_path / "offset", tmp_path / "replies"
    offset.write_text("+0")
    # A day on, an hour back, each while packets are on their way; only the emulator's date is false.
    steps = f"sleep 0.5; echo +1d > {offset}; sleep 0.5; echo -1h > {offset}; wait"
    ping = f"env -u LD_PRELOAD ping -n -c 80 -i 0.02 100.64.0.1 > {replies}"
    false_date = {
        "LD_PRELOAD": str(faketime),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    program = "import time; from dumbbell.live import run_shell, scenario_of_link\n"
    program += "began, scenario = time.time(), scenario_of_link({'cbr': '12Mbit/s', 'delay': '20ms'})\n"
    program += f"found = run_shell(scenario, ['sh', '-c', '{ping} & {steps}'])\n"
    program += "print(found.status, found.results.runs.row(0)['duration'], time.time() - began)"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | false_date,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT,
        check=True,
    )
    status, duration, by_date = run.stdout.split()
    assert (status, float(by_date) < -3000) == ("0", True)
    # A step counted as time that has passed would be an hour or a day.
    assert 1.6 < float(duration) < 3600
    times = [float(found) for found in re.findall(r"time=([\d.]+) ms", replies.read_text())]
    assert len(times) == 80
    assert min(times) >= 40
    assert max(times) < 3_600_000
