"""RCP end points: through emulated routers, against a receiver of our own making, and replayed."""

from __future__ import annotations

import contextlib
import csv
import json
import random
import socket
import struct
import sys
import threading
import time
from pathlib import Path

import pytest

import dumbbell as db
from conftest import COMMAND_TIMEOUT, Cli
from dumbbell.live import receive, replay, run_flows, send
from dumbbell.live.udp import scenario_of_flows

HEADER = struct.Struct(">HBBIIIQIIQQ")
NO_LIMIT = 2**64 - 1
SYN, SYNACK, REF, DATA = 1, 2, 3, 5


def test_flows_pass_two_routers_and_their_logs_replay(cli: Cli, tmp_path: Path) -> None:
    inner = ["shell", "--cbr", "40Mbit/s", "--delay", "5ms", "--router", "rcp", "--"]
    python = [sys.executable, "-m", "dumbbell"]
    done = cli(
        "shell", "--cbr", "20Mbit/s", "--delay", "5ms", "--router", "rcp",
        "--server", f"exec {sys.executable} -m dumbbell recv -o received --events received.log", "--",
        *python, *inner, *python, "send", "--size", "200kB", "--count", "4", "--gap", "50ms", "-o", "sent",
        "--events", "sent.log",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sent, received = db.load(tmp_path / "sent").flows, db.load(tmp_path / "received").flows
    assert len(sent) == len(received) == 4
    # The receiver has the last byte half a round trip before the sender knows.
    assert (sent["sender_completion_time"] - received["completion_time"] > 0.010).all()
    assert (received["delivered"] == 200_000).all()
    assert (sent["rtt_min"] >= 0.020).all()
    compared = 0
    for log, scenario in (("sent.log", tmp_path / "sent/scenario.toml"), ("received.log", None)):
        found = replay(tmp_path / log, db.Scenario.from_file(scenario) if scenario else None)
        assert found["difference"] is None
        compared += found["packets"]
    # 141 packets a flow and its SYN, and as many answers.
    assert compared >= 2 * 4 * 142


def test_the_flows_of_a_scenario_have_both_completion_times(tmp_path: Path) -> None:
    scenario = db.Scenario.from_dict(
        {
            "duration": "30s",
            "transport": "rcp",
            "topology": {
                "kind": "chain",
                "link": {"rate": "12Mbit/s", "delay": "10ms", "router": "rcp"},
            },
            "flows": [{"from": "node0", "to": "node1", "size": "100kB", "count": 3, "stagger": "500ms"}],
        }
    )
    run = run_flows(scenario)
    simulated = scenario.run()
    live, ours = run.results.flows, simulated.flows
    assert live["start"].tolist() == ours["start"].tolist()
    assert (live["completion_time"] < live["sender_completion_time"]).all()
    assert run.results.runs.row(0)["flows_completed"] == 3
    assert run.counts["receiver"]["malformed"] == 0
    assert run.results.links.row(0)["sent"] > 3 * 71
    # As of any run, the tables can be written and read.
    run.results.save(tmp_path / "out")
    read = db.load(tmp_path / "out")
    assert read.flows["completion_time"].tolist() == live["completion_time"].tolist()
    assert read.provenance == run.results.provenance == simulated.provenance


def test_the_page_tells_real_from_simulated(cli: Cli, tmp_path: Path) -> None:
    done = cli("rcp-real", "-o", "page", "--rates", "12", "--duration", "2", "--json")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "page/table.csv").open() as file:
        rows = list(csv.DictReader(file))
    told = [{k: "" if v is None else str(v) for k, v in row.items()} for row in json.loads(done.stdout)]
    assert told == rows
    assert [(float(row["rate"]), row["routers"], row["crossed"]) for row in rows] == [(12, "1", "1")]
    for row in rows:
        assert row["completed_live"] == row["completed_simulated"] == row["flows"]
        assert float(row["not_taken"]) == 0
        # Other work of the machine may make a run late, which it then says; never early.
        assert float(row["sender_minus_receiver"]) >= 20
        assert float(row["fct_sharing"]) < float(row["fct_live"])
    flows = db.load(tmp_path / "page/12M/1/live").flows
    assert flows["counted"].sum() == int(rows[0]["flows"]) < len(flows)
    page = (tmp_path / "page/report.html").read_text()
    assert "RCP on real packets" in page
    assert ("<strong>INVALID" in page) == any(row["valid"] == "False" for row in rows)


class Receiver(threading.Thread):
    """Answers every packet with the rate of the moment, and sends nonsense in between."""

    def __init__(self, rate: int) -> None:
        super().__init__(daemon=True)
        self.rate = rate
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(COMMAND_TIMEOUT)
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.arrived: list[tuple[float, int]] = []
        self.next = 0
        self.start()

    def run(self) -> None:
        noise = random.Random(1)
        # The end: the socket is closed here, or the sender's is there.
        with contextlib.suppress(OSError):
            while True:
                self.answer(noise)

    def answer(self, noise: random.Random) -> None:
        packet, sender = self.socket.recvfrom(65536)
        magic, kind, flags, flow, seq, _, _, rtt, total, ts, _ = HEADER.unpack(packet[:48])
        self.arrived.append((time.monotonic(), kind & 15))
        if kind & 15 == DATA and seq == self.next:
            self.next += 1
        answer = HEADER.pack(magic, kind + 1, flags, flow, seq, self.next, self.rate, rtt, total, ts, 0)
        self.socket.sendto(answer, sender)
        for junk in (b"", noise.randbytes(47), noise.randbytes(2000), b"\x52\x43\x16" + noise.randbytes(60)):
            self.socket.sendto(junk, sender)

    def close(self) -> None:
        self.socket.close()


def test_a_sender_recovers_from_rate_zero_and_counts_nonsense() -> None:
    receiver = Receiver(rate=0)
    resumed = threading.Timer(3.0, lambda: setattr(receiver, "rate", 1_000_000))
    resumed.start()
    begun = time.monotonic()
    ends = send(scenario_of_flows("30kB"), receiver.address)
    receiver.close()
    row = ends.results.flows.row(0)
    assert row["failure"] == ""
    data = [at - begun for at, kind in receiver.arrived if kind == DATA]
    probes = [at - begun for at, kind in receiver.arrived if kind == REF]
    # Probes are no further apart than a second and 10 % of jitter; then it goes on at once.
    assert 3.0 <= data[0] <= 3.0 + 1.1 + 0.5
    assert 3 <= len(probes) <= 15
    # Two pieces of nonsense for every answer at least: too short, and too short by one.
    assert ends.counts["malformed"] >= 2 * (len(probes) + 1)


def test_a_flow_that_nobody_answers_fails_and_says_so(cli: Cli, tmp_path: Path) -> None:
    scenario = tmp_path / "flows.toml"
    scenario.write_text(
        """
duration = "10s"
transport = { kind = "rcp", syn_timeout = "50ms", retries = 2 }
[topology]
kind = "chain"
link = { router = "rcp" }
[[flows]]
from = "node0"
to = "node1"
size = "1kB"
"""
    )
    done = cli("send", scenario, "--to", "127.0.0.1:9", "-o", "out")
    assert done.returncode == 1
    assert "failed: 1 flows: unanswered" in done.stderr
    assert db.load(tmp_path / "out").flows["failure"].tolist() == ["unanswered"]


def test_a_sender_to_nobody_says_so_and_gives_up_where_the_port_is_closed(cli: Cli) -> None:
    done = cli("send", "--to", "127.0.0.1:9", "--size", "1kB")
    said = done.stderr.splitlines()
    assert done.returncode == 2
    for line, seconds in zip(said, (1, 2, 4), strict=False):
        assert line == f"dumbbell: 127.0.0.1:9 has not answered for {seconds} s; still trying"
    assert len(said) == 4
    assert said[3].startswith("dumbbell: 127.0.0.1:9: nobody listens at this port; start `dumbbell recv`")


def test_a_sender_goes_on_asking_where_packets_vanish() -> None:
    # Bound, so that nothing comes back, and never read.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
        deaf.bind(("127.0.0.1", 0))
        found: list[float] = []
        port = deaf.getsockname()[1]
        send(
            scenario_of_flows("1kB"),
            f"127.0.0.1:{port}",
            stopped=lambda: found[-1:] > [8.0],
            unanswered=found.append,
        )
    assert found == sorted(found)
    assert len(found) > 20


def test_no_router_on_the_way_is_a_failure_with_a_reason() -> None:
    receiver = Receiver(rate=NO_LIMIT)
    ends = send(scenario_of_flows("1kB"), receiver.address)
    receiver.close()
    assert ends.results.flows["failure"].tolist() == ["no-rate"]


def test_a_receiver_takes_a_flood_of_nonsense() -> None:
    stopped = threading.Event()
    found: list[db.live.Endpoint] = []
    thread = threading.Thread(
        target=lambda: found.append(receive(52_431, same_clock=True, stopped=stopped.is_set))
    )
    thread.start()
    noise, port = random.Random(2), ("127.0.0.1", 52_431)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(0.1)
        syn = HEADER.pack(0x5243, 0x10 | SYN, 0, 7, 0, 0, NO_LIMIT, 0, 1, time.monotonic_ns(), 0)
        for _ in range(100):
            # Until the receiver is there.
            client.sendto(syn, port)
            try:
                answer = HEADER.unpack(client.recv(100))
                break
            except OSError:
                continue
        assert answer[1] & 15 == SYNACK
        for i in range(20_000):
            size = (0, 1, 47, 48, 49, 1400, 60_000)[i % 7]
            client.sendto(noise.randbytes(size) if i % 2 else b"\x52\x43\x15" + bytes(max(size - 3, 0)), port)
        data = HEADER.pack(0x5243, 0x10 | DATA, 1, 7, 0, 0, NO_LIMIT, 0, 1, time.monotonic_ns(), 0)
        time.sleep(0.3)
        client.sendto(data + bytes(100), port)
        time.sleep(0.3)
    stopped.set()
    thread.join(COMMAND_TIMEOUT)
    ends = found[0]
    assert ends.counts["malformed"] > 1_000
    assert ends.results.flows.row(0)["delivered"] == 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["send"], "no receiver; give --to ADDRESS"),
        (["send", "--to", "no.such.host.invalid"], "give an address"),
        (["send", "--to", "127.0.0.1:99999"], "'99999' is not a port"),
        (["send", "--to", "[::1]:http"], "'http' is not a port"),
        (["send", "--to", "127.0.0.1", "--size", "many"], "size: "),
        (["send", "--to", "127.0.0.1", "--count", "0"], "--count"),
        (["recv", "--port", "0"], "--port"),
        (["replay", "nothing"], "nothing: "),
        (["replay", sys.executable], f"{sys.executable}: line 1: this is no log"),
    ],
)
def test_bad_input_is_one_line(cli: Cli, arguments: list[str], message: str) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
