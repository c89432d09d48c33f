"""Files of flent and iperf3, next to runs in one figure."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.figures.measured import MeasurementError, is_measurement, read_measurement

FLENT = {
    "version": 4,
    "x_values": [0.0, 0.2, 0.4, 0.6],
    "results": {
        "Ping (ms) ICMP": [10.5, 11.0, None, 30.0],
        "TCP upload": [1.5, 2.5, 2.0, None],
        "TCP upload avg": [1.5, 2.5, 2.0, 1.0],
        "TCP upload::tcp_cwnd": [10, 11, 12, 13],
        "CPU": [0.1, 0.2, 0.3, 0.4],
    },
    "metadata": {
        "NAME": "tcp_upload",
        "SERIES_META": {
            "Ping (ms) ICMP": {"UNITS": "ms"},
            "TCP upload": {"UNITS": "Mbits/s"},
            "CPU": {"UNITS": "load"},
        },
    },
}
"""In the form of version 4 of flent's files, as its documentation describes it."""


def stream(end: float, **more: Any) -> dict[str, Any]:
    return {"socket": 5, "start": end - 1, "end": end, "seconds": 1.0, "bits_per_second": 9e6} | more


IPERF3 = {
    "start": {"version": "iperf 3.12"},
    "intervals": [
        {"streams": [stream(end, snd_cwnd=60_000, rtt=25_000)], "sum": {"bits_per_second": 9e6}}
        for end in (1.0, 2.0, 3.0)
    ],
    "end": {},
}


def written(path: Path, data: Any) -> Path:
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" and not isinstance(data, bytes) else text)
    return path


def test_flent_gives_rates_and_round_trip_times(tmp_path: Path) -> None:
    for name in ("a.flent.gz", "a.flent"):
        found = read_measurement(written(tmp_path / name, FLENT))
        assert found.tool == "flent"
        ((label, times, rates),) = found.series["received"]
        assert (label, times.tolist(), rates.tolist()) == ("TCP upload", [0.0, 0.2, 0.4], [1.5e6, 2.5e6, 2e6])
        ((label, times, rtts),) = found.series["rtt"]
        assert times.tolist() == [0.0, 0.2, 0.6]
        assert rtts.tolist() == pytest.approx([0.0105, 0.011, 0.03])


def test_iperf3_gives_windows_of_its_sender_too(tmp_path: Path) -> None:
    found = read_measurement(written(tmp_path / "a.json", IPERF3))
    assert found.tool == "iperf3"
    assert [line[2].tolist() for line in found.series["received"]] == [[9e6] * 3]
    assert found.series["rtt"][0][2].tolist() == pytest.approx([0.025] * 3)
    assert [line[2].tolist() for line in found.series["cwnd"]] == [[60_000.0] * 3]


def deep(levels: int) -> bytes:
    return b'{"intervals": ' + b"[" * levels + b"]" * levels + b"}"


@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        ("a.json", b"", "not JSON"),
        ("a.json", b"[1]", "no table at its top"),
        ("a.json", {"x": 1}, "neither `x_values` and `results` of flent nor `intervals` of iperf3"),
        ("a.json", {"error": "unable to connect\x1b[31m"}, "iperf3 ended with an error: unable to connect"),
        ("a.json", {"intervals": 7}, "`intervals` is not a list"),
        ("a.json", {"intervals": [{"streams": [{"socket": "x"}]}]}, "a stream without `socket`"),
        ("a.json", {"intervals": [{"streams": [stream(1.0, rtt="soon")]}]}, "where a number should be"),
        ("a.json", {"intervals": [{"streams": [stream(1.0, bits_per_second=-1)]}]}, "where a time, a rate"),
        ("a.json", {"intervals": [{"streams": [stream(10**400)]}]}, "more than 63 bits"),
        ("a.json", {"intervals": []}, "without rates, round-trip times or windows"),
        ("a.json", b'{"intervals": [{"streams": [{"socket": 1, "end": NaN}]}]}', "no measurement"),
        ("a.json", deep(100_000), "no measurement"),
        ("a.flent", {**FLENT, "x_values": [1.0]}, "has 4 values, `x_values` has 1"),
        ("a.flent", {**FLENT, "results": []}, "`results` is not a table"),
        ("a.flent", {**FLENT, "results": {f"TCP {i}": [1.0] * 4 for i in range(300)}}, "more than 200 lines"),
        ("a.flent.gz", b"\x1f\x8bnothing", "does not decompress"),
        ("a.flent.gz", gzip.compress(json.dumps(FLENT).encode())[:-20], "damaged"),
        ("a.flent.gz", gzip.compress(b" " * (70 << 20), 9), "above the limit"),
    ],
)
def test_hostile_files_get_one_line(name: str, data: Any, line: str, tmp_path: Path) -> None:
    file = written(tmp_path / name, data)
    with pytest.raises(MeasurementError) as caught:
        read_measurement(file)
    message = str(caught.value)
    assert line in message
    assert "\n" not in message
    assert "\x1b" not in message
    assert len(message) < 400


def test_names_are_text(tmp_path: Path) -> None:
    results = {"TCP <b>$x$\x1b[31m" + "a" * 500: [1.0, 2.0, 3.0, 4.0]}
    found = read_measurement(written(tmp_path / "a.flent", {**FLENT, "results": results}))
    ((label, *_),) = found.series["received"]
    assert len(label) <= 60
    assert "\x1b" not in label
    db.figures.save(db.figures.draw("rate", {"x": found}), tmp_path / "drawn", ("svg",))


def test_runs_and_measurements_share_a_panel(results: db.Results, tmp_path: Path) -> None:
    flent = read_measurement(written(tmp_path / "a.flent.gz", FLENT))
    iperf3 = read_measurement(written(tmp_path / "b.json", IPERF3))
    runs: dict[str, Any] = {"simulated": results, "lab": flent, "iperf3": iperf3}
    for kind, names in {
        "rate": ["simulated, flow 0: bulk, cubic", "simulated, flow 1: bulk, cubic", "lab", "iperf3"],
        "cwnd": ["simulated, flow 0: bulk, cubic", "simulated, flow 1: bulk, cubic", "iperf3"],
    }.items():
        figure = db.figures.draw(kind, runs)
        assert len(figure.axes) == 1
        assert [text.get_text() for text in figure.legends[0].get_texts()] == names
    with pytest.raises(db.NothingToDrawError, match="have cwnd, rate, rtt only"):
        db.figures.draw("queue", runs)


def test_plot_takes_files_of_other_tools(cli: Cli, scenario_file: Path, tmp_path: Path) -> None:
    run, file = tmp_path / "run", written(tmp_path / "a.flent.gz", FLENT)
    assert cli("run", scenario_file, "-o", run, "-q").returncode == 0
    shown = tmp_path / "shown"
    done = cli("plot", run, file, "-o", shown, "--format", "svg")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in shown.iterdir()} >= {"rate.svg", "rtt.svg", "cwnd.svg"}
    alone = cli("plot", file, "-o", tmp_path / "alone", "--format", "svg", "--only", "rate")
    assert alone.returncode == 0, alone.stderr
    for arguments, line in (
        ((run, file), "files of other tools need a folder for their figures; give --output"),
        ((file, "-o", shown, "--flow", "0"), "--flow is for one run; give one folder"),
        ((tmp_path / "none.json", "-o", shown), "none.json"),
    ):
        refused = cli("plot", *arguments)
        assert refused.returncode == 2
        assert line in refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1


def test_a_folder_is_no_measurement(tmp_path: Path) -> None:
    (tmp_path / "run.json").mkdir()
    assert not is_measurement(tmp_path / "run.json")
    assert is_measurement(tmp_path / "a.flent.gz")
    assert not is_measurement(tmp_path / "net.toml")
