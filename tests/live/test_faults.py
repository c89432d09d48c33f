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
assert sent > 100, sent
try:
    raw.send(bytes([0x45]) + bytes(20000))
except OSError:
    pass
{ALIVE}
"""
    emulation = run_python(link, script, administer=True)
    assert emulation.status == 0
    # How many find room in the device hangs on when the emulator has its turn.
    assert emulation.fidelity["uplink"]["malformed"] > 20


@pytest.mark.ping
def test_nonsense_from_a_shell_within_is_no_harm(link: db.Scenario) -> None:
    script = f"""
import random, socket
noise = random.Random(2)
def guest():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(300)
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


def peak(pid: int) -> int:
    """The most memory that a process has had, in kB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0])


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
    enough = tmp_path / "enough"
    flood = (
        "import os, socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        f"s.connect(('100.64.0.1', 9))\nwhile not os.path.exists({str(enough)!r}):\n"
        "    for _ in range(1000):\n"
        "        try: s.send(b'x')\n"
        "        except OSError: pass\n"
    )
    shell = [PYTHON, "-m", "dumbbell", "shell", str(scenario), "--", PYTHON, "-c", flood]
    process = subprocess.Popen(shell, stderr=subprocess.PIPE, text=True)
    # In kB: 256 MB of packets, their places in the queue, and the interpreter.
    least, most = 250_000, 500_000
    deadline = time.monotonic() + COMMAND_TIMEOUT
    largest = 0
    while largest < least and time.monotonic() < deadline:
        time.sleep(0.1)
        largest = peak(process.pid)
    # What is full stays so.
    time.sleep(2)
    largest = peak(process.pid)
    enough.touch()
    _, errors = process.communicate(timeout=COMMAND_TIMEOUT)
    assert process.returncode == 0, errors
    assert least < largest < most


def test_a_stopped_emulator_invalidates_its_run(tmp_path: Path) -> None:
    send = (
        "import os, socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "open('started', 'w').close()\n"
        "while not os.path.exists('enough'): s.sendto(bytes(500), ('100.64.0.1', 9)); time.sleep(0.004)"
    )
    process = subprocess.Popen(
        [PYTHON, "-m", "dumbbell", "shell", "--cbr", "12Mbit/s", "--delay", "30ms", "--", PYTHON, "-c", send],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + COMMAND_TIMEOUT
    while not (tmp_path / "started").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    # What is in flight when it stops leaves late: seven packets or so each time. It stops for as long as it
    # runs.
    for _ in range(4):
        began = time.monotonic()
        time.sleep(0.1)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(time.monotonic() - began)
        os.kill(process.pid, signal.SIGCONT)
    (tmp_path / "enough").touch()
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
import os, socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(300)
while not os.path.exists(sys.argv[1]):
    s.sendto(b"x", (os.environ["DUMBBELL_SERVER"], 9999))
    s.recv(99)
    time.sleep(0.01)
"""
STOPPED = r"^%s: its programs were stopped for \d\.\d+ s \(by a signal such as SIGSTOP"


def stopping(program: str, tmp_path: Path) -> str:
    """A command that runs a program and stops it for 40 ms, ten times; then it makes the file `enough`."""
    script, enough = tmp_path / "program.py", tmp_path / "enough"
    script.write_text(program)
    pauses = "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.06; kill -STOP $P; sleep 0.04; kill -CONT $P; done"
    return f"{PYTHON} {script} {enough} & P=$!; ({pauses}; touch {enough}) & wait $P"


def test_a_server_that_was_stopped_makes_the_run_invalid(link: db.Scenario, tmp_path: Path) -> None:
    ask = [PYTHON, "-c", ASK, str(tmp_path / "enough")]
    found = run_shell(link, ask, server=stopping(ECHO, tmp_path))
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
    assert "no packet came to the link: nothing was emulated" in found.fidelity["reasons"]
    assert not found.fidelity["valid"]


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
    # A step counted as time that has passed would be an hour or a day. A busy machine makes times longer, and
    # shorter by less than half.
    assert 1.6 < float(duration) < 3600
    times = [float(found) for found in re.findall(r"time=([\d.]+) ms", replies.read_text())]
    assert len(times) == 80
    assert 20 < min(times) <= max(times) < 3_600_000
