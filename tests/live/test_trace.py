"""Traces of real packets: the same lines, captures and qlog as of simulated ones."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.live import run_shell, scenario_of_link

BYTES = 300_000
SERVE = """
import socket
listener = socket.create_server(("", 5001))
connection, _ = listener.accept()
while connection.recv(65536):
    pass
connection.sendall(b"done")
"""
SEND = f"""
import os, socket, time
connection = socket.create_connection((os.environ["DUMBBELL_SERVER"], 5001))
connection.sendall(bytes({BYTES}))
connection.shutdown(socket.SHUT_WR)
assert connection.recv(9) == b"done"
connection.close()
time.sleep(0.4)
"""
CHATTER = "ping -q -c 20 -i 0.01 $DUMBBELL_SERVER >/dev/null; exit {}"
"""A command of many events: all that it sends comes back before it ends."""


def lossy() -> db.Scenario:
    queue = {"kind": "droptail", "limit": "10pkt"}
    return scenario_of_link({"cbr": "10Mbit/s", "delay": "10ms", "loss": 0.02, "queue": queue})


def transfer(tmp_path: Path, scenario: db.Scenario, **traces: Path) -> db.live.Emulation:
    (tmp_path / "serve.py").write_text(SERVE)
    server = f"{sys.executable} {tmp_path / 'serve.py'}"
    emulation = run_shell(scenario, [sys.executable, "-c", SEND], server=server, traces=traces)
    assert (emulation.status, emulation.untraced) == (0, None)
    return emulation


def tshark(file: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        ["tshark", "-r", str(file), *arguments], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.splitlines()


def test_lines_tell_of_every_drop_and_come_in_the_order_of_time(tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    emulation = transfer(tmp_path, lossy(), lines=lines)
    head, *events = (line.split() for line in lines.read_text().splitlines())
    assert head[:4] == ["time_s", "event", "place", "flow"]
    assert len(events) == emulation.events
    times = [float(event[0]) for event in events]
    assert times == sorted(times)
    happened = [(event[1], event[2]) for event in events]
    for index, name in enumerate(("node0->node1", "node1->node0")):
        link = emulation.results.links.row(index)
        assert happened.count(("dropped", name)) == link["dropped"]
        assert happened.count(("arrived", name)) == link["arrived"]
        assert happened.count(("left", name)) == link["sent"]
    up = emulation.results.links.row(0)
    reasons = [event[-1] for event in events if event[1] == "dropped" and event[2] == "node0->node1"]
    assert up["dropped_random"] > 0
    assert reasons.count("reason=random-loss") == up["dropped_random"]
    run = emulation.results.runs.row(0)
    ends = [what for what, _ in happened]
    assert ends.count("sent") == run["total_sent"]
    assert ends.count("delivered") + ends.count("returned") == run["total_delivered"]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_the_dissector_finds_no_error_and_drops_have_comments(tmp_path: Path) -> None:
    capture, qlog, tracks = tmp_path / "c.pcapng", tmp_path / "q.sqlog", tmp_path / "p.perfetto"
    emulation = transfer(tmp_path, lossy(), pcapng=capture, qlog=qlog, perfetto=tracks)
    # Checksums too: a TUN device hands out whole packets.
    bad = "_ws.malformed || _ws.expert.severity == 8388608"
    check = ("-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE")
    assert not tshark(capture, *check, "-Y", bad)
    dropped = tshark(capture, "-Y", 'ip.src == 100.64.0.2 && frame.comment contains "dropped"')
    assert len(dropped) == emulation.results.links.row(0)["dropped"]
    payload = tshark(capture, "-Y", "tcp.dstport == 5001", "-T", "fields", "-e", "tcp.ack", "-e", "tcp.seq")
    assert max(int(line.split()[-1]) for line in payload if line.split()) >= BYTES
    # The date, not a time of a run.
    assert float(tshark(capture, "-c", "1", "-T", "fields", "-e", "frame.time_epoch")[0]) > 1.7e9
    records = [json.loads(text) for text in qlog.read_text().split("\x1e") if text]
    assert records[0]["file_schema"]
    assert sum(record.get("name", "").startswith("dumbbell:") for record in records) > 100
    assert tracks.stat().st_size > 1000


def test_a_run_without_a_trace_has_the_same_tables(tmp_path: Path) -> None:
    traced = transfer(tmp_path, lossy(), lines=tmp_path / "lines")
    without = transfer(tmp_path, lossy())
    assert without.events is None
    assert traced.results.links.columns == without.results.links.columns
    assert traced.results.runs.columns == without.results.runs.columns


@pytest.mark.ping
def test_beyond_the_limit_there_is_no_trace(cli: Cli, tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    for status, seen in ((7, 7), (0, 1)):
        done = cli(
            "shell", "--cbr", "10Mbit/s", "--lines", str(lines), "--limit", "10", "--",
            "sh", "-c", CHATTER.format(status),
        )  # fmt: skip
        assert done.returncode == seen
        assert "dumbbell: no trace is written: more than 10 events" in done.stderr
        assert f"status {status}" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_refused_before_the_command_runs(cli: Cli, tmp_path: Path) -> None:
    there, ran = tmp_path / "there", tmp_path / "ran"
    there.write_text("mine\n")
    for file in (there, tmp_path / "no" / "folder" / "x"):
        done = cli("shell", "--cbr", "10Mbit/s", "--pcapng", str(file), "--", "touch", str(ran))
        assert done.returncode != 0
        assert len(done.stderr.splitlines()) == 1
        assert str(file) in done.stderr
        assert not ran.exists()
    assert there.read_text() == "mine\n"


def test_files_of_a_trace_are_replaced_where_that_is_asked_for(cli: Cli, tmp_path: Path) -> None:
    forms = ("lines", "json", "pcapng", "qlog", "perfetto")
    files = [argument for form in forms for argument in (f"--{form}", str(tmp_path / form))]
    for options, status in (((), 0), ((), 2), (("--force",), 0)):
        done = cli("shell", "--cbr", "10Mbit/s", *files, *options, "--", "true")
        assert done.returncode == status, done.stderr
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(forms)
    assert "lines: " in done.stderr


@pytest.mark.ping
def test_a_full_disk_ends_the_trace_and_not_the_command(tmp_path: Path) -> None:
    code = f"""
import resource, signal
from pathlib import Path
from dumbbell.live import run_shell, scenario_of_link
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
link = scenario_of_link({{"cbr": "10Mbit/s"}})
traces = {{"lines": Path({str(tmp_path / "lines")!r})}}
done = run_shell(link, ["sh", "-c", {CHATTER.format(7)!r}], traces=traces)
print(done.status, done.untraced)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == f"7 {tmp_path / 'lines'}: File too large\n", done.stderr
    assert list(tmp_path.iterdir()) == []
