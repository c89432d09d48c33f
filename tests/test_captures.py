"""Captures that ``dumbbell trace`` writes, read by tshark, Wireshark's dissector in a terminal."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import dumbbell as db
import forks
from conftest import COMMAND_TIMEOUT

pytestmark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="tshark is not installed (apt-get install tshark)"
)

NETWORK = """
duration = "4s"
flows = [
  {{ from = "node0", to = "node2", size = "2MB" }},
  {{ from = "node0", to = "node2", size = "1MB", start = "200ms" }},
]
transport = {transport}
[topology]
kind = "chain"
hops = 2
link = {{ rate = "10Mbit/s", delay = "10ms", {link} }}
"""
DROPTAIL = 'queue = { kind = "droptail", limit = "20pkt" }'
SCENARIOS = {
    "loss": ('"tcp"', DROPTAIL),
    "loss of rfc": ('{ kind = "tcp", profile = "rfc" }', DROPTAIL),
    "ecn": (
        '{ kind = "tcp", ecn = "classic" }',
        'queue = { kind = "codel", ecn = true, target = "1ms", interval = "20ms" }',
    ),
    "accurate ecn": (
        '{ kind = "tcp", ecn = "accurate" }',
        'queue = { kind = "codel", ecn = true, target = "1ms", interval = "20ms" }',
    ),
    "rcp": ('"rcp"', 'router = "rcp"'),
    "xcp": ('{ kind = "tcp", controller = "xcp" }', 'router = "xcp"'),
    "tfrc": ('"tfrc"', DROPTAIL),
    "lttp": ('"lttp"', DROPTAIL),
    "nada": ('{ kind = "nada", rmin = "2Mbit/s", rmax = "8Mbit/s" }', DROPTAIL),
    "udp": ('{ kind = "cbr", rate = "8Mbit/s" }', DROPTAIL),
}
ERROR, WARNING = 0x80_0000, 0x60_0000
"""How grave what the dissector says of a packet is (Wireshark epan/proto.h: PI_ERROR, PI_WARN)."""

FIRST_PORT = 49_152
"""The port of flow 0 at its source."""


def capture(name: str, tmp_path: Path) -> tuple[Path, Path]:
    """Write a scenario and what its sources see; return both files."""
    transport, link = SCENARIOS[name]
    scenario, file = tmp_path / "scenario.toml", tmp_path / "packets.pcapng"
    scenario.write_text(NETWORK.format(transport=transport, link=link))
    done = forks.completed(["trace", scenario, "--pcapng", file], tmp_path, COMMAND_TIMEOUT)
    assert done.returncode == 0, done.stderr
    return scenario, file


def read(file: Path, shown: str, *fields: str) -> list[list[str]]:
    """Return fields of the packets that a display filter of Wireshark shows."""
    asked = [word for field in fields for word in ("-e", field)]
    command = ["tshark", "-r", str(file), "-Y", shown, "-T", "fields", *asked]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in told.splitlines()]


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_dissector_finds_no_error(name: str, tmp_path: Path) -> None:
    _, file = capture(name, tmp_path)
    packets = read(file, "frame", "ip.version", "_ws.malformed", "_ws.expert.severity", "_ws.expert.message")
    assert len(packets) > 500
    for version, malformed, graveness, message in packets:
        assert (version, malformed) == ("4", ""), message
        found = {int(one) for one in graveness.split(",") if one}
        assert ERROR not in found, message
        # Of warnings, only those that a lossy network explains.
        explained = "out-of-order" in message or "previous segment" in message.lower()
        assert WARNING not in found or explained, message


@pytest.mark.parametrize("name", ["loss", "loss of rfc", "ecn"])
def test_retransmissions_are_those_of_the_table(name: str, tmp_path: Path) -> None:
    """Our table counts data segments that were sent again.

    At the source nothing has overtaken anything: whatever data tshark takes for a retransmission (also a fast
    or a spurious one) or for out of order was sent before.
    """
    scenario, file = capture(name, tmp_path)
    again = "tcp.len > 0 && (tcp.analysis.retransmission || tcp.analysis.out_of_order)"
    theirs = Counter(int(line[0]) - FIRST_PORT for line in read(file, again, "tcp.srcport"))
    flows = db.Scenario.from_file(scenario).run().flows
    ours = {int(flow): int(n) for flow, n in zip(flows["flow"], flows["retransmissions"], strict=True)}
    assert {flow: theirs[flow] for flow in ours} == ours
    if name != "ecn":
        assert min(ours.values()) > 3, "a test of nothing"


@pytest.mark.parametrize(
    ("name", "word", "column", "end"),
    [("loss", "dropped", "dropped", "ms: overflow"), ("ecn", "marked", "marked", "ms")],
)
def test_drops_and_marks_are_comments(name: str, word: str, column: str, end: str, tmp_path: Path) -> None:
    scenario, file = capture(name, tmp_path)
    told = [line[0] for line in read(file, "frame.comment", "frame.comment")]
    links = db.Scenario.from_file(scenario).run().links
    assert len(told) == int(links[column][0]) > 3
    assert all(line.startswith(f"{word} at node0->node1 after ") and line.endswith(end) for line in told)


def test_the_handshake_says_what_the_ends_have_agreed_to(tmp_path: Path) -> None:
    _, file = capture("ecn", tmp_path)
    fields = (
        "tcp.seq_raw",
        "tcp.options.mss_val",
        "tcp.options.wscale.shift",
        "tcp.flags.ece",
        "tcp.flags.cwr",
    )
    syn, answer = read(file, f"tcp.flags.syn == 1 && tcp.port == {FIRST_PORT}", *fields)
    # 32 MiB in 16 bits take a shift of 10. The SYN asks for ECN with both flags, the answer has one (RFC 3168
    # section 6.1.1).
    assert (syn, answer) == (["0", "1460", "0", "1", "1"], ["0", "1460", "10", "1", "0"])
    assert len(read(file, "ip.dsfield.ecn == 2 && tcp.len > 0", "frame.number")) > 500
