"""RCP in virtual time: the page, and senders that wait for a rate or for anybody at all."""

from __future__ import annotations

import contextlib
import csv
import json
import random
import socket
import struct
import threading
import time
from pathlib import Path

import pytest

import dumbbell as db
from conftest import COMMAND_TIMEOUT, Cli
from dumbbell.live import run_flows, send
from dumbbell.live.udp import scenario_of_flows

HEADER = struct.Struct(">HBBIIIQIIQQ")
NO_LIMIT = 2**64 - 1
REF, DATA = 3, 5


def test_the_page_tells_real_from_simulated(cli: Cli, tmp_path: Path) -> None:
    done = cli("rcp-real", "--virtual", "-o", "page", "--rates", "12", "--duration", "2", "--json")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "page/table.csv").open() as file:
        rows = list(csv.DictReader(file))
    told = [{k: "" if v is None else str(v) for k, v in row.items()} for row in json.loads(done.stdout)]
    assert told == rows
    assert [(float(row["rate"]), row["routers"], row["crossed"]) for row in rows] == [(12, "1", "1")]
    for row in rows:
        assert row["valid"] == "True"
        assert row["completed_live"] == row["completed_simulated"] == row["flows"]
        assert float(row["not_taken"]) == 0
        # The acknowledgement has half a round trip to go, and a packet's time.
        assert 20 < float(row["sender_minus_receiver"]) < 20.1
        assert float(row["fct_sharing"]) < float(row["fct_live"])
        assert float(row["fct_live"]) == pytest.approx(float(row["fct_simulated"]), rel=0.05)
    flows = db.load(tmp_path / "page/12M/1/live").flows
    assert flows["counted"].sum() == int(rows[0]["flows"]) < len(flows)
    page = (tmp_path / "page/report.html").read_text()
    assert "RCP on real packets" in page
    assert "<strong>INVALID" not in page


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


@pytest.mark.within
def test_a_sender_recovers_from_rate_zero_and_counts_nonsense() -> None:
    receiver = Receiver(rate=0)
    resumed = threading.Timer(3.0, lambda: setattr(receiver, "rate", 1_000_000))
    begun = time.monotonic()
    resumed.start()
    ends = send(scenario_of_flows("30kB"), receiver.address)
    receiver.close()
    row = ends.results.flows.row(0)
    assert row["failure"] == ""
    data = [at - begun for at, kind in receiver.arrived if kind == DATA]
    probes = [at - begun for at, kind in receiver.arrived if kind == REF]
    # Probes are no further apart than a second and 10 % of jitter; then it goes on at once.
    assert 3.0 <= data[0] < 3.0 + 1.1
    assert 3 <= len(probes) <= 15
    # Two pieces of nonsense for every answer at least: too short, and too short by one.
    assert ends.counts["malformed"] >= 2 * (len(probes) + 1)


@pytest.mark.within
def test_a_sender_to_nobody_says_so_and_gives_up(cli: Cli) -> None:
    done = cli("send", "--to", "127.0.0.1:9", "--size", "1kB")
    said = done.stderr.splitlines()
    assert done.returncode == 2
    for line, seconds in zip(said, (1, 2, 4), strict=False):
        assert line == f"dumbbell: 127.0.0.1:9 has not answered for {seconds} s; still trying"
    assert len(said) == 4
    assert said[3].startswith("dumbbell: 127.0.0.1:9: nobody listens at this port; start `dumbbell recv`")


@pytest.mark.within
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
    # Ten times a second.
    assert len(found) == pytest.approx(80, abs=2)


@pytest.mark.within
def test_no_router_on_the_way_is_a_failure_with_a_reason() -> None:
    receiver = Receiver(rate=NO_LIMIT)
    ends = send(scenario_of_flows("1kB"), receiver.address)
    receiver.close()
    assert ends.results.flows["failure"].tolist() == ["no-rate"]


@pytest.mark.within
def test_flows_of_a_scenario_take_the_simulated_times() -> None:
    link = {"rate": "12Mbit/s", "delay": "10ms", "router": "rcp"}
    flows = {"from": "node0", "to": "node1", "size": "100kB", "count": 3, "stagger": "500ms"}
    topology = {"kind": "chain", "link": link}
    scenario = db.Scenario.from_dict(
        {"duration": "5s", "transport": "rcp", "topology": topology, "flows": [flows]}
    )
    live, ours = run_flows(scenario).results.flows, scenario.run().flows
    assert live["start"].tolist() == ours["start"].tolist()
    # A router reckons rates once a round trip, from when its first packet comes.
    assert live["completion_time"] == pytest.approx(ours["completion_time"], abs=0.020)
    # The sender knows half a round trip later.
    assert live["sender_completion_time"] - live["completion_time"] == pytest.approx(0.010, abs=1e-3)
