"""Files of other tools become links and flows; what is wrong with one is a line."""

from __future__ import annotations

import gzip
import json
import random
import struct
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db
from dumbbell.formats import FormatError, Piece, flows_of, link_of, link_of_pieces, read, towards

CLIENT, SERVER = b"\x0a\0\0\1", b"\x0a\0\0\2"


def segment(source: bytes, destination: bytes, number: int, payload: int, flags: int = 0x10) -> bytes:
    """Return the head of a segment of TCP over IPv4, cut off before its data."""
    tcp = struct.pack(">HHIIBBHHH", 1000, 80, number % 2**32, 0, 5 << 4, flags, 65535, 0, 0)
    return struct.pack(">BBHHHBBH", 0x45, 0, 40 + payload, 0, 0, 64, 6, 0) + source + destination + tcp


def datagram_6(payload: int) -> bytes:
    udp = struct.pack(">HHHH", 5000, 5001, 8 + payload, 0)
    return struct.pack(">IHBB", 6 << 28, 8 + payload, 17, 64) + bytes(15) + b"\1" + bytes(15) + b"\2" + udp


def pcap(frames: list[tuple[float, bytes]], kind: int = 101, order: str = "<") -> bytes:
    head = struct.pack(f"{order}IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 96, kind)
    return head + b"".join(
        struct.pack(f"{order}IIII", int(time), round(time % 1 * 1e6), len(frame), len(frame)) + frame
        for time, frame in frames
    )


@pytest.fixture
def path(tmp_path: Path):
    def write(name: str, data: bytes | str) -> Path:
        place = tmp_path / name
        place.write_bytes(data if isinstance(data, bytes) else data.encode())
        return place

    return write


def test_what_is_sent_again_counts_once(path) -> None:
    start = 2**32 - 1500  # The numbers go round.
    data = [segment(SERVER, CLIENT, start + n, 1000) for n in (0, 1000, 1000, 3000, 2000)]
    frames = [(10 + k / 100, frame) for k, frame in enumerate(data)]
    frames.insert(0, (9.5, segment(CLIENT, SERVER, 7, 0, flags=0x02)))
    for order in "<>":
        packets = read(path("a.pcap", pcap(frames, order=order)))
        assert [round(packet.time, 6) for packet in packets] == [0, 0.5, 0.51, 0.52, 0.53, 0.54]
        (flow,) = flows_of(packets)
        assert (flow.source, flow.destination, flow.size) == ("10.0.0.2", "10.0.0.1", 4000)
        assert flow.start == pytest.approx(0.5)


def test_tags_and_version_6_are_read(path) -> None:
    tagged = bytes(12) + b"\x81\0\0\5\x86\xdd" + datagram_6(200)
    arp = bytes(12) + b"\x08\x06" + bytes(28)
    (packet,) = read(path("a.pcap", pcap([(0, arp), (1, tagged)], kind=1)))
    assert (packet.source, packet.destination, packet.size, packet.payload) == ("::1", "::2", 248, 200)


def test_a_traced_run_comes_back(tmp_path: Path) -> None:
    """Sizes and the rate of the link are those of the run that was captured."""
    scenario = db.scenario(
        duration="4s",
        topology=db.topology.dumbbell(pairs=2, bottleneck=db.network.bottleneck(rate="8Mbit/s")),
        flows=[db.flows(from_="senders", to="receivers", size="1MB", name="two")],
    )
    results = scenario.run()
    file = tmp_path / "run.pcapng"
    scenario.write_trace({"pcapng": file}, capture="destinations")
    packets = read(file)
    assert sorted(flow.size for flow in flows_of(packets)) == list(results.flows["size"])
    times = [int(line) for line in link_of([p for p in packets if p.destination >= "10.0.0.5"]).splitlines()]
    rate = 12_000 * len(times) / times[-1] * 1e3
    assert rate == pytest.approx(8e6, rel=0.1)


def test_a_link_runs(path, tmp_path: Path, cli) -> None:
    intervals = [{"sum": {"start": k, "end": k + 1, "bytes": 1e6 if k % 2 else 5e5}} for k in range(4)]
    source = path("iperf.json", json.dumps({"intervals": intervals}))
    done = cli("convert", source, "-o", tmp_path / "link.trace")
    assert done.stdout.endswith("link.trace: 4 s, 6 Mbit/s in the mean\n")
    lines = np.array([int(line) for line in (tmp_path / "link.trace").read_text().split()])
    assert np.histogram(lines, bins=[0, 1000, 2000, 3000, 4001])[0].tolist() == pytest.approx(
        [333, 667, 333, 667], abs=1
    )
    results = db.scenario(
        duration="8s",
        warmup="2s",
        topology=db.topology.dumbbell(
            pairs=1,
            bottleneck=db.network.bottleneck(trace=db.network.trace(file=str(tmp_path / "link.trace"))),
        ),
        flows=[db.flows(from_="senders", to="receivers")],
    ).run()
    assert results.runs.row(0)["goodput"] == pytest.approx(6e6 * 1448 / 1500, rel=0.02)
    again = cli("convert", source, "-o", tmp_path / "link.trace")
    assert again.returncode == 2
    assert again.stderr.endswith("link.trace: is there already; name another file\n")


def test_flent_has_series(path) -> None:
    values = {
        "x_values": [0, 1, 2, 3],
        "results": {"Ping (ms) ICMP": [1, 2, 3, 4], "TCP download": [None, 12, 24, 12], "up": [1, 1, 1, 1]},
    }
    packed = gzip.compress(json.dumps(values).encode())
    # A value is the rate of the second before it.
    pieces = [(piece.begin, piece.size) for piece in read(path("a.flent.gz", packed))]
    assert pieces == [(0, 1.5e6), (1, 3e6), (2, 1.5e6)]
    assert [piece.size for piece in read(path("a.flent", json.dumps(values)), series="up")] == [125e3] * 3
    with pytest.raises(FormatError, match=r"no series 'down'; --series names one of Ping \(ms\) ICMP, TCP"):
        read(path("a.flent.gz", packed), series="down")


def test_lists_of_other_simulators(path) -> None:
    flows = read(
        path("a.cm", "Nodes 16\nConnections 2\n3->1 id 1 start 2000000 size 5000\n0->2 start 0 size 7\n")
    )
    assert [(f.start, f.source, f.destination, f.size) for f in flows] == [
        (0, "0", "2", 7),
        (2e-6, "3", "1", 5000),
    ]
    flows = read(path("flow.txt", "2\n0 1 3 100 50000 2.5\n4 1 3 100 60000 2.0\n"), "hpcc")
    assert [(f.start, f.source, f.size) for f in flows] == [(2.0, "4", 60000), (2.5, "0", 50000)]
    lines = [
        f"{event} {0.1 + k / 100:.2f} 2 3 tcp 1040 ------- 1 0.0 3.0 {number} {k}"
        for k, (event, number) in enumerate([("+", 0), ("r", 0), ("r", 1), ("r", 1), ("d", 2), ("r", 2)])
    ]
    (flow,) = flows_of(read(path("out.tr", "\n".join(lines))))
    assert (flow.source, flow.destination, flow.size) == ("0", "3", 3000)


def test_flows_become_pairs_that_run(path, tmp_path: Path, cli) -> None:
    source = path("a.cm", "".join(f"{k}->9 start {k * 10**9} size {1000 * (k + 1)}\n" for k in range(5)))
    done = cli("convert", source, "-o", tmp_path / "flows.csv", "--pairs", "3")
    assert "5 flows within 0.004 s; give the dumbbell pairs = 3" in done.stdout
    lines = (tmp_path / "flows.csv").read_text().splitlines()
    assert lines[:2] == ["start,source,destination,size", "0.000000000,sender0,receiver0,1000"]
    assert lines[4] == "0.003000000,sender0,receiver0,4000"
    results = db.scenario(
        duration="5s",
        topology=db.topology.dumbbell(pairs=3),
        workloads=[db.workload.trace(file=str(tmp_path / "flows.csv"))],
    ).run()
    assert sorted(results.flows["size"]) == [1000, 2000, 3000, 4000, 5000]


def test_a_list_of_hpcc_ends_where_it_says(path) -> None:
    """Lists that are published hold more lines than they count, for another day."""
    first, *more = "2 1 3 100 200 2\n", "3 1 3 100 300 2\n", "4 1 broken\n"
    (flow,) = read(path("flow.txt", "1\n" + first + "".join(more)), "hpcc")
    assert flow.size == 200
    with pytest.raises(FormatError, match="the first line counts 2 flows, and 1 are listed"):
        read(path("flow.txt", "2\n" + first), "hpcc")


@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        ("a.pcap", b"", "it is no capture"),
        ("a.pcap", b"\xd4\xc3\xb2\xa1", "the capture ends within its head"),
        (
            "a.pcap",
            pcap([(0, segment(CLIENT, SERVER, 0, 9))])[:-3],
            "the capture ends within a packet, at byte 40",
        ),
        ("a.pcap", pcap([(0, b"x")], kind=147), "frames of the link type 147 are not read"),
        ("a.pcapng", b"\x0a\x0d\x0d\x0a" + b"\xff" * 20, "the block at byte 0 has a length of"),
        ("a.json", b"[1", "not JSON"),
        ("a.json", b"{}", "it has no intervals"),
        ("a.json", b'{"intervals": [{"sum": {"start": "a"}}]}', "'a' stands where a number is needed"),
        ("a.json", b'{"intervals": [7]}', "intervals[0] has no sum"),
        ("a.flent.gz", b"\x1f\x8bno", "damaged: it does not decompress"),
        (
            "a.flent.gz",
            gzip.compress(b" " * (70 << 20)),
            "above the limit of 67,108,864 bytes when decompressed",
        ),
        ("a.flent", b'{"results": {"download": [1]}, "x_values": []}', "'download' has 1 values at 0 times"),
        ("a.tr", b"hello\n", "line 1 is none of a trace of ns-2"),
        ("a.tr", b"\xff", "it is not text in UTF-8"),
        ("a.cm", b"0->1 start 0 trigger 4 size 5\n", "line 1: a flow waits for another"),
        ("a.cm", b"0->1 size 5\n", "line 1: the flow has no start, or no size"),
        ("a.cm", b"0->1 start nan size 5\n", "line 1: 'nan' stands where a time is needed"),
        ("a.cm", b"0->1 start 0 size 99999999999999999\n", "stands where a whole number is needed"),
        ("a.hpcc", b"", "its name tells no format; --format names one of capture,"),
    ],
)
def test_a_bad_file_is_one_line(path, name: str, data: bytes, line: str) -> None:
    with pytest.raises(FormatError) as error:
        read(path(name, data))
    assert str(error.value).startswith(f"{path(name, data)}: ")
    assert line in str(error.value)
    assert "\n" not in str(error.value)


def test_wrong_wishes_are_one_line(path, tmp_path: Path, cli) -> None:
    one = path("a.pcap", pcap([(0, segment(CLIENT, SERVER, 0, 9))]))
    for words, line in [
        (
            (one, "-o", "x.txt"),
            "x.txt: a recorded link ends with .trace, a list of flows with .csv, a network with .toml, the",
        ),
        ((one, "-o", "x.trace"), "too few bytes to make a link; record for longer"),
        ((one, "-o", "x.csv", "--to", "a"), "no packets go to 'a'; --to names one of 10.0.0.2"),
        ((one, "-o", "x.csv", "--format", "pcap"), "'pcap' is no format;"),
        ((tmp_path / "gone.pcap", "-o", "x.csv"), "No such file or directory; name a file of capture"),
        ((path("a.cm", "0->1 start 0 size 5\n"), "-o", "x.trace"), "it holds flows, and no link"),
        ((path("e.pcap", pcap([])), "-o", "x.trace"), "no packets of IP are in it"),
    ]:
        done = cli("convert", *words)
        assert done.returncode == 2
        assert done.stderr.startswith("dumbbell: ")
        assert line in done.stderr
        assert done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("x.*"))


def test_pieces_are_bounded() -> None:
    with pytest.raises(FormatError, match="more than the limit of 5,000,000 lines"):
        link_of_pieces([Piece(0, 1, 1e30)])
    with pytest.raises(FormatError, match="the piece from 1 to 0 s has 5 bytes"):
        link_of_pieces([Piece(1, 0, 5)])


def test_no_bytes_break_the_reader() -> None:
    """Whatever a capture says, it is read or refused."""
    from dumbbell.formats import capture

    draw = random.Random(5)
    whole = [
        pcap([(k, bytes(12) + b"\x08\0" + segment(CLIENT, SERVER, k, 50)) for k in range(4)], kind=1),
        pcap([(k, datagram_6(30)) for k in range(4)]),
    ]
    refused = 0
    for _ in range(4000):
        data = bytearray(draw.choice(whole))
        for _ in range(draw.randint(1, 6)):
            data[draw.randrange(len(data))] = draw.choice([0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)])
        data = data[: draw.randint(0, len(data))] if draw.random() < 0.3 else data
        try:
            packets = capture.packets(bytes(data))
            towards(packets, None)
            flows_of(packets)
        except FormatError:
            refused += 1
    assert 500 < refused < 3900


def test_a_run_becomes_a_file_of_flent(tmp_path: Path, cli) -> None:
    scenario = db.scenario(
        duration="5s",
        topology=db.topology.dumbbell(pairs=2),
        flows=[db.flows(from_="senders", to="receivers", stagger="1s")],
    )
    results = scenario.run()
    results.save(tmp_path / "out")
    done = cli("convert", tmp_path / "out", "-o", tmp_path / "run.flent.gz")
    assert (done.returncode, done.stderr) == (0, "")
    # Its own reader reads it, and the bytes that it tells are those of the flow.
    first, second = (
        sum(piece.size for piece in read(tmp_path / "run.flent.gz", series=f"TCP download::{k}"))
        for k in (1, 2)
    )
    delivered = results.flows["delivered"]
    assert first == pytest.approx(delivered[0], rel=0.05)
    assert second == pytest.approx(delivered[1], rel=0.05)
    values = json.loads(gzip.decompress((tmp_path / "run.flent.gz").read_bytes()))
    assert values["metadata"]["NAME"] == "tcp_ndown"
    assert {len(series) for series in values["results"].values()} == {len(values["x_values"])}
    lines = db.figures.read_measurement(tmp_path / "run.flent.gz").series["received"]
    assert [(name, len(times)) for name, times, _ in lines] == [
        (f"TCP download::{number + 1}", len(times))
        for number, (times, _) in results.series("goodput").items()
    ]
    link = cli("convert", tmp_path / "out", "-o", tmp_path / "b.trace")
    assert link.returncode == 2
    assert link.stderr.endswith("out: a folder of results becomes a file of flent; write -o FILE.flent.gz\n")
    gone = cli("convert", tmp_path / "gone", "-o", tmp_path / "b.flent.gz")
    assert (gone.returncode, gone.stderr.count("\n")) == (2, 1)
    scenario.with_("record.samples", False).run().save(tmp_path / "none")
    none = cli("convert", tmp_path / "none", "-o", tmp_path / "b.flent.gz")
    assert "the run has no samples of goodput; set record.samples = true" in none.stderr
