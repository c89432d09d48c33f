"""Commands in virtual time: exact times, equal boots, the kernel's TCP, and what the commands may do."""

from __future__ import annotations

import filecmp
import importlib.util
import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from conftest import Cli
from dumbbell.live import counted, virtual

LINK = """
duration = "60s"

[topology]
kind = "chain"
link = { rate = "12Mbit/s", delay = "20ms", queue = { kind = "droptail", limit = "1bdp" } }

[[flows]]
from = "node0"
to = "node1"
size = "1MB"
"""
"""The first case of docs/kernel.md."""

ECHO = (
    "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.bind(('100.64.0.1', 7000))\n"
    "while True: s.sendto(*s.recvfrom(100))"
)
"""A server that sends back what comes."""

TRIPS = (
    "import socket, time; s = socket.socket(type=socket.SOCK_DGRAM); s.connect(('100.64.0.1', 7000))\n"
    "for _ in range(5): t = time.monotonic(); s.send(b'x'); s.recv(1); print(time.monotonic() - t)"
)
"""A client that measures how long that takes."""


@pytest.fixture
def link(tmp_path: Path) -> Path:
    path = tmp_path / "link.toml"
    path.write_text(LINK, encoding="utf-8")
    return path


def verdict(stderr: str) -> str:
    """Return the line that says what the results rest on."""
    (line,) = [line for line in stderr.splitlines() if line.startswith("VIRTUAL: ")]
    return line


def test_packets_take_their_time_exactly(cli: Cli, tmp_path: Path, link: Path) -> None:
    words = ("--server", f'python3 -c "{ECHO}"', "--", "python3", "-c", TRIPS)
    done = cli("shell", link, "--virtual", "-o", "out", *words)
    assert done.returncode == 0, done.stderr
    # A byte in UDP over IPv4 has 29 bytes: at 12 Mbit/s and over 20 ms each way.
    exact = 2 * (0.020 + 29 * 8 / 12e6)
    trips = [float(line) for line in done.stdout.splitlines()]
    assert len(trips) == 5
    # A packet counts as sent with the event before it, which is at most 100 ns earlier (docs/virtual.md).
    assert all(exact - 1e-7 < trip < exact + 1e-6 for trip in trips), trips
    fidelity = json.loads((tmp_path / "out" / "fidelity.json").read_text(encoding="utf-8"))
    assert fidelity["valid"], fidelity["reasons"]
    assert fidelity["virtual"] in verdict(done.stderr)
    for way in ("uplink", "downlink"):
        assert fidelity[way]["lateness"]["max"] < 1e-6
        assert fidelity[way]["unread"]["max"] < 1e-6


def test_two_boots_give_equal_bytes(cli: Cli, tmp_path: Path, link: Path) -> None:
    found = []
    for folder in ("one", "two"):
        words = ("--controllers", "cubic,bbr", "--size", "500kB", "--json", "-o", folder)
        done = cli("compare-real", link, "--virtual", *words)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout)
    assert found[0] == found[1]
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    same, differ, _ = filecmp.cmpfiles(tmp_path / "one", tmp_path / "two", names, shallow=False)
    assert (differ, sorted(same)) == ([], names)


def test_a_kernel_finds_all_modules_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = Path(importlib.util.cache_from_source(counted.__file__))
    compiled.unlink(missing_ok=True)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    virtual._compile.cache_clear()
    assert virtual.run(["true"], virtual.find()).status == 0
    assert compiled.exists()


def test_another_seed_gives_other_bytes(cli: Cli, link: Path) -> None:
    ports = [
        cli(
            "shell", link, "--virtual", "--kernel-seed", str(seed), "--", "python3", "-c",
            "import os; print(os.urandom(8).hex())",
        ).stdout
        for seed in (1, 1, 2)
    ]  # fmt: skip
    assert ports[0] == ports[1] != ports[2]


def test_the_kernels_tcp_does_what_it_does_live(cli: Cli, link: Path) -> None:
    done = cli("compare-real", link, "--virtual", "--controllers", "cubic,newreno", "--json")
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)["runs"]
    cubic, reno = (runs[name]["kernel"] for name in ("cubic", "newreno"))
    assert cubic["valid"], cubic["reasons"]
    assert cubic["completion_time"] == pytest.approx(0.805, abs=0.001)
    assert (cubic["retransmissions"], cubic["timeouts"]) == (5, 0)
    assert cubic["flows"][0]["first_cut"][1] == 86
    assert reno["completion_time"] == pytest.approx(0.805, abs=0.001)
    # 76 live. Nanoseconds of the emulator decide about a few: 76 when it was 1 us late, 79 since it is not.
    assert reno["retransmissions"] == pytest.approx(76, abs=5)


@pytest.mark.iperf3
def test_a_link_faster_than_the_machine_is_exact(cli: Cli, tmp_path: Path) -> None:
    done = cli(
        "shell", "--cbr", "40Gbit/s", "--delay", "50us", "--virtual", "-o", "out", "--server", "iperf3 -s -1",
        "--", "iperf3", "-c", "100.64.0.1", "-n", "50M", "-J",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    fidelity = json.loads((tmp_path / "out" / "fidelity.json").read_text(encoding="utf-8"))
    assert fidelity["valid"], fidelity["reasons"]
    assert fidelity["uplink"]["lateness"]["max"] < 1e-5


def test_streams_and_status_pass_through(cli: Cli, link: Path) -> None:
    script = r"printf 'a\000b\n'; printf 'no end' >&2; exit 7"
    done = cli("shell", link, "--virtual", "--", "sh", "-c", script)
    assert done.returncode == 7
    assert done.stdout == "a\0b\n"
    assert done.stderr.startswith("no end")


def test_files_are_written_with_the_results_only(cli: Cli, tmp_path: Path, link: Path) -> None:
    inside, beside = tmp_path / "inside", tmp_path / "beside"
    for folder in (inside, beside):
        folder.mkdir()
    tries = [beside / "new", Path.home() / "dumbbell-wrote", Path("/tmp/dumbbell-wrote")]
    script = "; ".join(f"echo x > {path} && echo {path}" for path in [inside / "new", *tries])
    done = cli("shell", link, "--virtual", "-o", inside / "out", "--", "sh", "-c", f"{script}; true")
    assert done.returncode == 0, done.stderr
    assert str(inside / "new") in done.stdout.splitlines()
    assert (inside / "new").read_text(encoding="utf-8") == "x\n"
    assert (inside / "out" / "fidelity.json").is_file()
    assert not any(path.exists() for path in tries)


def test_send_and_recv_run_within_a_virtual_shell(cli: Cli, link: Path) -> None:
    dumbbell = (sys.executable, "-m", "dumbbell")
    words = ("--server", shlex.join([*dumbbell, "recv", "--transport", "tcp", "--virtual"]), "--")
    sender = (*dumbbell, "send", "--transport", "tcp", "--size", "100kB", "--virtual")
    done = cli("shell", link, "--virtual", *words, *sender)
    assert done.returncode == 0, done.stderr
    # Flows, completed ones, and their mean completion time in ms.
    assert re.search(r"^ sent +1 +1 +[0-9.]+ ", done.stderr, re.MULTILINE), done.stderr


@pytest.mark.without_kernel
def test_an_end_point_alone_is_refused(cli: Cli) -> None:
    done = cli("recv", "--virtual")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "give it to the `dumbbell shell`" in done.stderr


def test_the_doctor_names_the_kernel(cli: Cli) -> None:
    rows = [row for row in json.loads(cli("doctor", "--json").stdout) if row["name"].startswith("virtual")]
    assert any(row["works"] and re.search(r"Linux 6\.\d+\.\d+", row["detail"]) for row in rows)
