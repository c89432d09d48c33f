"""The figure of a comparison, with one flow and with many."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

from conftest import Cli
from dumbbell.live import Arm, Comparison, FlowRun
from dumbbell.live.beside import draw, write
from real import pairs

LINE = np.array([0.0, 1.0]), np.array([1e6, 2e6])


def arm(flows: int) -> Arm:
    flow = FlowRun(0.0, None, None, 1e6, 0, 0, LINE, LINE)
    return Arm([flow] * flows, 1e6, 0.0, 0.0, 0.01, 0.0, np.array([0.5, 0.75]), LINE)


def labels(axes: list[Axes], name: str) -> list[str]:
    return [text for each in axes if (text := getattr(each, f"get_{name}")())]


@pytest.mark.parametrize(
    ("flows", "columns", "legend"),
    [
        (1, 1, ["cubic, kernel", "cubic, simulated", "drop"]),
        (2, 1, ["cubic, kernel", "cubic, simulated", "flow 0", "flow 1", "drop"]),
        (4, 2, ["flow 0", "flow 1", "flow 2", "flow 3", "drop"]),
        (30, 2, [*(f"flow {i}" for i in range(28)), "drop"]),
    ],
)
def test_every_line_of_the_figure_can_be_told_from_the_others(
    flows: int, columns: int, legend: list[str]
) -> None:
    figure = draw(Comparison("cubic", arm(flows), arm(flows)))
    assert len(figure.axes) == 3 * columns
    assert [text.get_text() for text in figure.legends[0].get_texts()] == legend
    assert labels(figure.axes, "ylabel") == ["received in order (MB)", "window (segments)", "queue (packets)"]
    assert set(labels(figure.axes, "xlabel")) == {"time (s)"}
    for panel in figure.axes[:columns]:
        looks = {(line.get_color(), line.get_linestyle(), line.get_linewidth()) for line in panel.get_lines()}
        assert len(looks) == min(len(panel.get_lines()), 28)
    if columns == 2:
        assert [panel.get_title(loc="left") for panel in figure.axes[:2]] == [
            "cubic, kernel",
            "cubic, simulated",
        ]
        assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()


def test_what_is_invalid_or_alone_is_drawn_and_called_so(tmp_path: Path) -> None:
    alone = Comparison("bbr", None, replace(arm(1), valid=False))
    figure = draw(alone)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["bbr, kernel, INVALID", "drop"]
    both = Comparison("cubic", arm(2), arm(2))
    write(tmp_path, [[alone], [both, both]])
    found = {file.name for file in tmp_path.iterdir()}
    assert {"bbr.png", "cubic-0.png", "cubic-1.svg", "comparison.json"} <= found


def test_numbers_that_are_missing_are_null_in_json(tmp_path: Path) -> None:
    write(tmp_path, [[Comparison("cubic", arm(1), replace(arm(1), rtt=float("nan")))]])

    def refuse(word: str) -> None:
        raise AssertionError(word)

    found = json.loads((tmp_path / "comparison.json").read_text(), parse_constant=refuse)
    assert (found["cubic"]["kernel"]["rtt"], found["cubic"]["simulated"]["rtt"]) == (None, 0.01)


@pytest.mark.parametrize("runs", [1, 2])
def test_the_command_answers_in_json_what_its_folder_has(cli: Cli, tmp_path: Path, runs: int) -> None:
    (tmp_path / "two.toml").write_text(pairs("20ms", "40ms", size="100kB").to_toml())
    done = cli(
        "compare-real", "two.toml", "--controllers", "cubic", "--duration", "1", "--runs", str(runs),
        "-o", "out", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["runs"] == json.loads((tmp_path / "out/comparison.json").read_text())
    assert list(found["runs"]) == (["cubic"] if runs == 1 else ["cubic-0", "cubic-1"])
    each = [run["kernel"]["goodput"] for run in found["runs"].values() if run["kernel"]["valid"]]
    # A busy machine makes runs that are in no mean.
    if not each:
        assert found["means"] == []
        return
    goodput = found["means"][0]
    assert (goodput["controller"], goodput["quantity"]) == ("cubic", "goodput Mbit/s")
    assert goodput["kernel"] == pytest.approx(sum(each) / len(each) / 1e6)
    assert (goodput["kernel_sd"] is None) == (len(each) == 1)
