"""The packets of both sides of a comparison, and the first of them that differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dumbbell as db
from dumbbell import _native
from dumbbell.errors import DumbbellError
from dumbbell.live import packets
from dumbbell.live.drawn import LINK
from dumbbell.live.packets import Packet, Packets, first_difference

TICK = 0.004
END = 10.0


def data(time: float, seq: int, fate: str = packets.PASSED) -> Packet:
    return Packet(time, seq, 100, 1, "", None, fate)


def ack(time: float, number: int, sack: tuple[int, int] | None = None) -> Packet:
    return Packet(time, 1, 0, number, "", sack)


def differ(ours: list[Packet], kernel: list[Packet], forward: bool = True) -> Any:
    return first_difference({(0, forward): ours}, {(0, forward): kernel}, END, TICK)


def test_equal_packets_do_not_differ() -> None:
    same = [data(0.1, 1), data(0.2, 101)]
    assert differ(same, [data(0.1039, 1), data(0.1961, 101)]) is None


@pytest.mark.parametrize(
    ("ours", "kernel", "what", "place", "time"),
    [
        ([data(1, 1), data(2, 101)], [data(1, 1), data(2.0041, 101)], packets.TIME, 1, 2),
        ([data(1, 1), data(2.0041, 101)], [data(1, 1), data(2, 101)], packets.TIME, 1, 2),
        ([data(1, 1), data(2, 101)], [data(1, 1), data(2, 201)], packets.SEGMENT, 1, 2),
        ([data(1, 1), data(2, 101)], [data(1, 1), data(2, 1)], packets.AGAIN, 1, 2),
        ([data(1, 1), data(2, 1)], [data(1, 1), data(2, 101)], packets.AGAIN, 1, 2),
        ([data(1, 1), data(2, 101, "dropped (full)")], [data(1, 1), data(2, 101)], packets.FATE, 1, 2),
        ([data(1, 1)], [data(1, 1), data(2, 101)], packets.MISSING, 1, 2),
        ([data(1, 1), data(2, 101)], [data(1, 1)], packets.MISSING, 1, 2),
    ],
)
def test_what_differs(ours: list[Packet], kernel: list[Packet], what: str, place: int, time: float) -> None:
    found = differ(ours, kernel)
    assert (found.what, found.place, found.time) == (what, place, time)
    assert f"flow 0, data {place}: " in str(found)


def test_acknowledgements_differ_by_number_and_block() -> None:
    found = differ([ack(1, 101)], [ack(1, 201)], False)
    assert (found.what, found.data) == (packets.ACKNOWLEDGEMENT, False)
    assert differ([ack(1, 101, (201, 301))], [ack(1, 101)], False).what == packets.ACKNOWLEDGEMENT
    assert differ([ack(1, 101, (201, 301))], [ack(1, 101, (201, 301))], False) is None


def test_the_end_of_a_run_counts_for_nothing() -> None:
    assert differ([data(1, 1)], [data(1, 1), data(END - TICK / 2, 101)]) is None
    assert differ([data(1, 1)], [data(1, 1), data(END - 2 * TICK, 101)]) is not None


def test_the_first_of_several_flows_is_told() -> None:
    ours: Packets = {(0, True): [data(3, 1)], (1, True): [data(2, 1)], (1, False): [ack(1, 1)]}
    kernel: Packets = {(0, True): [data(3, 2)], (1, True): [data(2, 2)], (1, False): [ack(1, 2)]}
    found = first_difference(ours, kernel, END, TICK)
    assert found is not None
    assert (found.time, found.flow, found.data) == (1, 1, False)
    only = first_difference(ours, kernel, END, TICK, data_only=True)
    assert only is not None
    assert (only.time, only.flow, only.data) == (2, 1, True)


def test_flows_start_with_their_first_packets_at_the_link() -> None:
    seen: Packets = {(0, True): [data(2, 1), data(3, 2)], (1, True): [], (2, False): [ack(1, 1)]}
    assert packets.starts(seen) == {0: 2}


def test_a_flow_of_one_side_alone_differs() -> None:
    found = first_difference({}, {(2, True): [data(1, 1)]}, END, TICK)
    assert found is not None
    assert (found.flow, found.what, found.ours) == (2, packets.MISSING, "nothing more")


def lossy() -> db.Scenario:
    """Two flows over a small queue, with losses."""
    link = {
        "rate": "5Mbit/s", "delay": "10ms", "loss": 0.01, "queue": {"kind": "droptail", "limit": "9pkt"},
    }  # fmt: skip
    ends = {"from": "node0", "to": "node1"}
    flows = [{**ends, "size": "200kB"}, {**ends, "start": "300ms"}]
    transport = {"kind": "tcp", "profile": "linux"}
    topology = {"kind": "chain", "link": link}
    return db.Scenario.from_dict(
        {"duration": "2s", "seed": 4, "topology": topology, "flows": flows, "transport": transport}
    )


def simulated() -> Packets:
    scenario = lossy()
    return packets.simulated(scenario, LINK, _native.emulated(scenario._native, LINK)["back"])


def test_updates_of_the_window_and_the_end_are_left_out() -> None:
    said = [
        Packet(0.1, 0, 0, 1, "S", None), ack(0.2, 101), ack(0.2001, 101), ack(0.3, 101, (201, 301)),
        ack(0.3001, 101, (201, 301)), ack(0.4, 301), ack(0.5, 302), Packet(0.6, 1, 0, 302, "F", None),
    ]  # fmt: skip
    sent = [
        Packet(0, 0, 0, None, "S", None), ack(0.05, 1), data(0.05, 1), data(0.06, 101), ack(0.2, 1),
        Packet(0.07, 201, 100, 1, "F", None),
    ]  # fmt: skip
    events = [
        ("arrived", "", number, (0, forward), packet)
        for number, (forward, packet) in enumerate(
            [*((True, packet) for packet in sent), *((False, packet) for packet in said)]
        )
    ]
    found = packets._gathered(events)
    assert found[0, True] == [*sent[:4], sent[5]]
    assert found[0, False] == [said[0], said[1], said[3], said[5]]


def shifted(line: dict[str, Any], isn: dict[bool, int], later: float) -> dict[str, Any]:
    """A line of a trace as that of real packets: with initial sequence numbers, and a time of its own."""
    forward = line["way"] == "forward"
    ours, theirs = isn[forward], isn[not forward]
    changed = {"time": line["time"] + later, "seq": (line["seq"] + ours) % 2**32}
    if "ack" in line:
        changed["ack"] = (line["ack"] + theirs) % 2**32
    if "sack" in line:
        changed["sack"] = [[(edge + theirs) % 2**32 for edge in block] for block in line["sack"]]
    return {**line, **changed}


def test_real_packets_are_read_as_simulated_ones(tmp_path: Path) -> None:
    scenario = lossy()
    back = _native.emulated(scenario._native, LINK)["back"]
    scenario.write_trace({"json": tmp_path / "ours"}, links=[LINK, back])
    events = [json.loads(line) for line in (tmp_path / "ours").read_text().splitlines()]
    # Numbers wrap soon, and count from elsewhere.
    isn = {True: 2**32 - 5000, False: 77}
    lines = [json.dumps(shifted(line, isn, 1.5), separators=(",", ":")) for line in events if "way" in line]
    (tmp_path / "real").write_text("\n".join(lines))
    found = packets.real(tmp_path / "real", 1.5)
    ours = simulated()
    assert found.keys() == ours.keys()
    assert {0, 1} == {flow for flow, _ in ours}
    assert first_difference(ours, found, 2.0, 1e-6) is None
    fates = {packet.fate for packet in ours[0, True] + ours[1, True]}
    assert len(fates) >= 3, fates
    assert any(packet.sack for packet in found[1, False])


def test_packets_are_kept_in_parquet(tmp_path: Path) -> None:
    ours = simulated()
    packets.save(ours, tmp_path / "cell.parquet")
    assert packets.load(tmp_path / "cell.parquet") == ours


@pytest.mark.parametrize("content", [None, b"", b"PAR1 and no more", b"x" * 1000])
def test_what_are_no_packets_is_one_line(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "cell.parquet").write_bytes(content)
    with pytest.raises(DumbbellError, match=r"no packets of this cell; remove cell\.json") as error:
        packets.load(tmp_path / "cell.parquet")
    assert "\n" not in str(error.value)
