"""Shells: packets pass, statuses and signals too, and nothing stays."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dumbbell as db
from conftest import COMMAND_TIMEOUT, Cli
from dumbbell.live import run_shell

PYTHON = sys.executable


def processes_with(mark: str) -> set[int]:
    """The processes whose command line has the mark, but for this one."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.add(int(entry.name))
            except OSError:
                continue
    return found


@pytest.mark.ping
def test_ipv6_and_fragments_pass(link: db.Scenario) -> None:
    for arguments in (["fd64::1"], ["-s", "4000", "100.64.0.1"]):
        assert run_shell(link, ["ping", "-c", "2", "-i", "0.1", "-q", *arguments]).status == 0


@pytest.mark.ping
def test_shells_nest(cli: Cli) -> None:
    inner = ["shell", "--cbr", "50Mbit/s", "--delay", "10ms", "--"]
    done = cli(*inner, PYTHON, "-m", "dumbbell", *inner, "ping", "-c", "3", "-i", "0.1", "100.64.0.1")
    assert "3 received" in done.stdout, done.stderr


def test_a_command_has_no_capabilities_and_no_way_out(link: db.Scenario, tmp_path: Path) -> None:
    script = f"""
import socket
from pathlib import Path
status = Path("/proc/self/status").read_text()
Path({str(tmp_path / "status")!r}).write_text(status)
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
except OSError as error:
    Path({str(tmp_path / "error")!r}).write_text(str(error.errno))
"""
    assert run_shell(link, [PYTHON, "-c", script]).status == 0
    fields = dict(line.split(":\t", 1) for line in (tmp_path / "status").read_text().splitlines())
    # For the superuser, the right to make a shell within the shell (31, CAP_SETFCAP) and no other.
    assert int(fields["CapEff"], 16) & ~(1 << 31) == 0
    assert fields["NoNewPrivs"] == "1"
    assert (tmp_path / "error").read_text() == "101", "network is unreachable"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has other users to become")
def test_a_program_of_root_may_go_on_as_another_user(link: db.Scenario) -> None:
    # What tcpdump does once it has opened its device; here the user is nobody.
    become = "os.initgroups('nobody', 65534); os.setgid(65534); os.setuid(65534)"
    script = f"import os; {become}; assert os.getresuid() == (65534,) * 3"
    assert run_shell(link, [PYTHON, "-c", script], network_administration=True).status == 0
    assert run_shell(link, [PYTHON, "-c", script]).status != 0, "not without being asked"


def test_the_exit_status_is_that_of_the_command(cli: Cli) -> None:
    for script, status in (("exit 3", 3), ("kill -9 $$", 137)):
        assert cli("shell", "--cbr", "12Mbit/s", "--", "sh", "-c", script).returncode == status
    done = cli("shell", "--cbr", "12Mbit/s", "--", "no-such-program")
    assert done.returncode == 127
    assert "dumbbell: no-such-program: " in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_when_dumbbell_is_killed(tmp_path: Path, number: signal.Signals) -> None:
    mark = f"mark-{os.getpid()}-{number}"
    script = f"import time; open('started', 'w').close(); time.sleep(1000)  # {mark}"
    command = [
        PYTHON, "-m", "dumbbell", "shell", "--cbr", "12Mbit/s", "--",
        "sh", "-c", f"{PYTHON} -c \"{script}\" & wait",
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + COMMAND_TIMEOUT
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    process.wait(COMMAND_TIMEOUT)
    while (left := processes_with(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left


def test_ctrl_c_is_for_the_command(tmp_path: Path) -> None:
    script = (
        "import time; open('started', 'w').close()\ntry: time.sleep(1000)\nexcept KeyboardInterrupt: exit(5)"
    )
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(tmp_path)
        arguments = [PYTHON, "-m", "dumbbell", "shell", "--cbr", "12Mbit/s", "--", PYTHON, "-c", script]
        os.execv(PYTHON, arguments)
    deadline = time.monotonic() + COMMAND_TIMEOUT
    while not (tmp_path / "started").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.write(terminal, b"\x03")
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 5


def test_a_port_under_power_control_keeps_its_account(cli: Cli, tmp_path: Path) -> None:
    scenario = tmp_path / "port.toml"
    scenario.write_text(
        """
duration = "1s"
warmup = "200ms"
[topology]
kind = "chain"
link = { rate = "10Mbit/s", delay = "5ms", power = { policy = "practra", rates = { levels = 10 } } }
[[flows]]
from = "node0"
to = "node1"
"""
    )
    send = "import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    # A tenth of a second at 4 Mbit/s, a tenth of nothing: the rate changes after the warm-up too.
    send += "for i in range(250):\n"
    send += " s.sendto(bytes(972), ('100.64.0.1', 9))\n time.sleep(0.002 if i % 50 else 0.1)"
    # Options may come before or after the scenario.
    done = cli("shell", scenario, "-o", "out", "--", PYTHON, "-c", send)
    assert done.returncode == 0, done.stderr
    results = db.load(tmp_path / "out")
    up, states = results.links.row(0), results.states
    rows = [row for row in map(states.row, range(len(states))) if row["link"] == up["link"]]
    run = results.runs.row(0)
    counted = run["duration"] - run["warmup"]
    assert up["power"] == "practra"
    assert up["transitions"] > 0
    # Every instant after the warm-up is spent in one state, and energy is power by time.
    assert sum(row["time"] for row in rows) == pytest.approx(counted, rel=1e-6)
    assert sum(row["time"] * row["power"] for row in rows) == pytest.approx(up["energy"], rel=1e-6)
    # Offered at most 4 Mbit/s of 10, the port scales down.
    assert up["energy"] < 0.9 * counted


@pytest.mark.ping
def test_logs_and_tables_are_written(cli: Cli, tmp_path: Path) -> None:
    # 500 bytes and headers.
    done = cli(
        "shell", "--cbr", "12Mbit/s", "--delay", "5ms", "--uplink-log", "up.log", "-o", "out", "--",
        "ping", "-c", "1", "-s", "500", "100.64.0.1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [line for line in (tmp_path / "up.log").read_text().splitlines() if not line.startswith("#")]
    events = [line.split() for line in lines if " # " not in line]
    assert ["+", "532"] in [event[1:] for event in events]
    assert [event[2] for event in events if event[1] == "-"].count("532") == 1
    times = [int(line.split()[0]) for line in lines]
    assert times == sorted(times)
    results = db.load(tmp_path / "out")
    assert results.links.row(0)["sent"] >= 1
    assert (tmp_path / "out/fidelity.json").exists()


def test_bad_input_is_one_line(cli: Cli) -> None:
    for arguments, message in (
        (["shell", "--", "true"], "neither a scenario nor a link"),
        (["shell", "--cbr", "12Mbit", "--", "true"], "topology.link.rate: "),
        (["shell", "--cbr", "12Mbit/s", "--at", "a->b", "--", "true"], "--at: no data crosses a link"),
        (["shell", "--trace", "none", "--", "true"], "cannot read "),
        (["shell", "--cbr", "12Mbit/s", "--router", "xcp", "--", "true"], "XCP has no wire form: "),
    ):
        done = cli(*arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("dumbbell: ")
        assert message in done.stderr
        assert done.stderr.count("\n") == 1


def test_doctor_tells_what_works(cli: Cli) -> None:
    done = cli("doctor")
    assert done.returncode == 0
    for name in ("tun", "namespaces", "iperf3", "kernel cubic"):
        assert name in done.stdout
