"""`dumbbell shell --kernel-controller`: TCP of both ends has the law until the command ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dumbbell.errors import DumbbellError
from dumbbell.live.kernel import kernel_has
from dumbbell.own import kernel
from tests.own.laws import NEWRENO
from tools import kernel_cubic

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
LACKS = kernel.lacks()
pytestmark = pytest.mark.skipif(LACKS is not None, reason=f"no laws in this kernel: {LACKS}")

# Sends what the sockets take for two seconds, and tells controllers and the largest window in segments.
CLIENT = """
import os, socket, struct, time
end = socket.create_connection((os.environ["DUMBBELL_SERVER"], 5001))
begun, most, least = time.monotonic(), 0, 1 << 30
while time.monotonic() - begun < 2:
    end.sendall(bytes(20_000))
    window = struct.unpack_from("<I", end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192), 80)[0]
    most = max(most, window)
    if time.monotonic() - begun > 1:
        least = min(least, window)
print(end.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode(), most, least)
"""
SERVER = """
import socket
with socket.create_server(("", 5001)) as server:
    end, _ = server.accept()
    while end.recv(1 << 16):
        pass
"""


def dumbbell(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_both_ends_have_the_law_until_the_command_ends(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text(NEWRENO, encoding="utf-8")
    (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    (tmp_path / "client.py").write_text(CLIENT, encoding="utf-8")
    before = AVAILABLE.read_text(encoding="ascii")
    queue = 'topology.link.queue={kind="droptail",limit="40pkt"}'
    server = f"cat /proc/sys/net/ipv4/tcp_congestion_control; exec {sys.executable} {tmp_path / 'server.py'}"
    done = dumbbell(
        "shell", "--cbr", "20Mbit/s", "--delay", "10ms", "--set", queue,
        "--kernel-controller", f"{tmp_path / 'law.py'}:NewReno", "--server", server,
        "--", sys.executable, str(tmp_path / "client.py"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "law.py:NewReno is own_newreno in the kernel until the command ends; licence: GPL" in done.stderr
    default, name, most, least = done.stdout.split()
    assert (default, name) == ("own_newreno", "own_newreno")
    # The path holds 34 packets and the queue 40: windows grow to their sum, and half of it remains.
    assert 70 <= int(most) <= 160
    assert 25 <= int(least) <= 0.75 * int(most)
    assert AVAILABLE.read_text(encoding="ascii") == before


FIXED = """
from dumbbell.own import Controller, param


class Fixed(Controller):
    size: int = param(10, ge=1, le=100)

    def on_ack(self, ack, control):
        control.window = self.size * ack.mss
"""


def test_the_kernel_has_the_parameters_that_are_given(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text(FIXED, encoding="utf-8")
    (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    (tmp_path / "client.py").write_text(CLIENT, encoding="utf-8")
    done = dumbbell(
        "shell", "--cbr", "20Mbit/s", "--delay", "10ms",
        "--kernel-controller", f"{tmp_path / 'law.py'}:Fixed(size=23)",
        "--server", f"exec {sys.executable} {tmp_path / 'server.py'}",
        "--", sys.executable, str(tmp_path / "client.py"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    name, most, least = done.stdout.split()
    assert (name, int(most), int(least)) == ("own_fixed", 23, 23)


def test_a_bad_parameter_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text(FIXED, encoding="utf-8")
    law = f"{tmp_path / 'law.py'}:Fixed(size=200)"
    done = dumbbell("shell", "--cbr", "20Mbit/s", "--kernel-controller", law, "--", "true")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith("law.py: size is 200, and 100 is the most; give 100 or less")


@pytest.mark.full
def test_cubic_as_a_law_runs_like_that_of_linux() -> None:
    # Its times are real ones, so that a busy machine can fail it.
    if not kernel_has("cubic"):
        pytest.skip("this kernel has no cubic")
    bed = next(iter(kernel_cubic.BEDS))
    try:
        found = kernel_cubic.pairs(bed, 2, 8, seed=7)
    except DumbbellError as error:
        pytest.skip(f"the machine is too busy for real time: {error}")
    goodput, resent, queue = (
        [sum(of(getattr(pair, which)) for pair in found) for which in ("law", "own")]
        for of in kernel_cubic.MEASURES.values()
    )
    # Of pairs of 20 s the law is within 0.001, one segment and 0.5 % of Linux's own.
    assert goodput[0] == pytest.approx(goodput[1], rel=0.01)
    assert resent[0] == pytest.approx(resent[1], abs=8)
    assert queue[0] == pytest.approx(queue[1], rel=0.03)


def test_a_refused_law_leaves_the_command_alone(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text(NEWRENO.replace("ack.flight // 2", "ack.fligt // 2"), encoding="utf-8")
    mark = tmp_path / "ran"
    law = f"{tmp_path / 'law.py'}:NewReno"
    done = dumbbell("shell", "--cbr", "20Mbit/s", "--kernel-controller", law, "--", "touch", str(mark))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith("law.py:12:20: ack has no field fligt; did you mean flight?")
    assert not mark.exists()


def test_virtual_time_takes_no_law(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text(NEWRENO, encoding="utf-8")
    law = f"{tmp_path / 'law.py'}:NewReno"
    done = dumbbell("shell", "--cbr", "20Mbit/s", "--virtual", "--kernel-controller", law, "--", "true")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "a kernel in virtual time takes no controllers from programs" in line
    assert line.endswith("leave out --virtual")
