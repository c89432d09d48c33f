"""The qlog of a trace in the form that qvis opens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dumbbell as db
from dumbbell.formats import FormatError, qvis_of


def numbers(events: list[dict], name: str) -> list[int]:
    return [event["data"]["header"]["packet_number"] for event in events if event["name"] == name]


def test_acknowledgements_name_packets(tmp_path: Path, cli) -> None:
    scenario = db.scenario(
        duration="4s",
        topology=db.topology.dumbbell(pairs=1, bottleneck=db.network.bottleneck(rate="8Mbit/s", loss=0.02)),
        flows=[db.flows(from_="senders", to="receivers", size="1MB")],
    )
    source = tmp_path / "run.sqlog"
    scenario.write_trace({"qlog": source})
    done = cli("convert", source, "-o", tmp_path / "run.qlog")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("run.qlog: 1 flows\n")
    whole = json.loads((tmp_path / "run.qlog").read_text())
    # What the loader of qvis asks for.
    assert (whole["qlog_version"], whole["qlog_format"]) == ("0.3", "JSON")
    (trace,) = whole["traces"]
    events = trace["events"]
    assert trace["title"] == "flow 0: sender0 to receiver0, cubic"
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)
    sent, lost = numbers(events, "transport:packet_sent"), set(numbers(events, "recovery:packet_lost"))
    assert sent == list(range(len(sent)))
    acked = [
        number
        for event in events
        if event["name"] == "transport:packet_received"
        for frame in event["data"]["frames"]
        for first, last in frame["acked_ranges"]
        for number in range(first, last + 1)
    ]
    assert len(lost) > 5
    # Each packet with data was lost or acknowledged, once; the opening and the closing carry none.
    assert len(acked) == len(set(acked))
    assert not set(acked) & lost
    sizes = {
        event["data"]["header"]["packet_number"]: event["data"]["frames"][0]["length"]
        for event in events
        if event["name"] == "transport:packet_sent"
    }
    assert {number for number, size in sizes.items() if size > 0} <= set(acked) | lost
    assert sum(sizes[number] for number in acked) == pytest.approx(1e6, rel=0.01)
    windows = [event["data"] for event in events if event["name"] == "recovery:metrics_updated"]
    assert max(data.get("congestion_window", 0) for data in windows) > 14_480


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "it is no sequential qlog; make one with `dumbbell trace --qlog`"),
        ('\x1e{"qlog_version": "0.3"}\n', "it is no sequential qlog"),
        ("\x1e[1]\n", "record 1 is no object of JSON"),
        ("\x1e{HEAD}\n\x1e{", "record 2 is no object of JSON"),
        ("\x1e{HEAD}\n", "no flow is in it"),
        ('\x1e{HEAD}\n\x1e{"name": "a"}', "record 2 is none of a trace of dumbbell"),
        (
            '\x1e{HEAD}\n\x1e{"time": 0, "group_id": 1, "name": "dumbbell:packet_sent", '
            '"data": {"direction": "forward", "header": []}}',
            "record 2 is none of a trace of dumbbell",
        ),
    ],
)
def test_a_bad_qlog_is_one_line(tmp_path: Path, text: str, line: str) -> None:
    path = tmp_path / "a.sqlog"
    path.write_text(text.replace("{HEAD}", '{"file_schema": "urn:ietf:params:qlog:file:sequential"}'))
    with pytest.raises(FormatError) as error:
        qvis_of(path)
    assert str(error.value).startswith(f"{path}: ")
    assert line in str(error.value)
    assert "\n" not in str(error.value)
