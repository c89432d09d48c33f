"""Figures."""

from __future__ import annotations

import io
import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from fontTools.subset import Options
from fontTools.ttLib import TTFont
from matplotlib import font_manager

import dumbbell as db
from conftest import SCENARIO
from dumbbell import figures
from dumbbell.figures import style
from dumbbell.figures.series import limits_of, link_lines

KINDS = ("cwnd", "rate", "rtt", "queue", "drops", "fct_cdf", "fct_size")
"""Those of a run that asks for nothing."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_draws_every_format_the_same_each_time(
    kind: str, results: db.Results, tmp_path: Path
) -> None:
    first = db.figures.save(db.figures.draw(kind, results), tmp_path / "a")
    second = db.figures.save(db.figures.draw(kind, results), tmp_path / "b")
    assert [path.suffix for path in first] == [".png", ".svg", ".pdf"]
    for path, again in zip(first, second, strict=True):
        assert path.stat().st_size > 2000
        assert path.read_bytes() == again.read_bytes()


def fonts_of(pdf: bytes) -> list[tuple[TTFont, dict[int, int]]]:
    """Return the fonts of a PDF file, each with the glyph of each character that the file shows of it."""
    objects = dict(re.findall(rb"(\d+) 0 obj\n(.*?)\nendobj", pdf, re.DOTALL))

    def behind(key: bytes, text: bytes) -> bytes:
        found = re.search(key + rb" (\d+) 0 R", text)
        assert found is not None
        return objects[found[1]]

    def stream(text: bytes) -> bytes:
        return zlib.decompress(text.partition(b"stream\n")[2])

    fonts = []
    for text in objects.values():
        if b"/CIDFontType2" in text:
            glyphs = stream(behind(b"/CIDToGIDMap", text))
            found = {n: int.from_bytes(glyphs[2 * n : 2 * n + 2]) for n in range(len(glyphs) // 2)}
            font = TTFont(io.BytesIO(stream(behind(b"/FontFile2", behind(b"/FontDescriptor", text)))))
            fonts.append((font, {n: glyph for n, glyph in found.items() if glyph}))
    return fonts


def test_fonts_in_a_pdf_hold_the_glyphs_of_their_text(results: db.Results, tmp_path: Path) -> None:
    whole = TTFont(font_manager.findfont("DejaVu Sans"))
    names, usual = whole.getBestCmap(), list(Options._drop_tables_default)

    def outline(font: TTFont, name: str) -> list[tuple[int, int]]:
        return list(font["glyf"][name].getCoordinates(font["glyf"])[0])

    for title in ("x", "Ωж", "y"):
        figure = db.figures.draw("cwnd", results)
        figure.axes[0].set_title(title)
        (path,) = db.figures.save(figure, tmp_path / "a", ("pdf",))
        shown = set()
        for font, glyphs in fonts_of(path.read_bytes()):
            assert {"glyf", "head", "hmtx"} <= set(font.keys())
            assert not set(font.keys()) & {"GSUB", "GPOS", "GDEF"}
            # A number that is no character stands for two of them, such as fl.
            for number, glyph in glyphs.items():
                if number in names:
                    shown.add(chr(number))
                    assert outline(font, font.getGlyphName(glyph)) == outline(whole, names[number])
        assert set(title) <= shown
    assert Options._drop_tables_default == usual


@pytest.mark.parametrize("kind", KINDS)
def test_axes_say_what_they_show_and_in_which_unit(kind: str, results: db.Results) -> None:
    (axes,) = db.figures.draw(kind, results).axes
    for label in (axes.get_xlabel(), axes.get_ylabel()):
        assert label.endswith(")") or label == "share of flows"
    assert axes.has_data()


def test_several_runs_share_scales_and_one_legend(results: db.Results) -> None:
    figure = db.figures.draw("cwnd", {"one": results, "two": results})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["one", "two"]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert len(figure.legends) == 1
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "flow 0: bulk, cubic",
        "flow 1: bulk, cubic",
    ]


def test_runs_of_one_line_share_a_panel_with_the_buffer(results: db.Results) -> None:
    (axes,) = db.figures.draw("queue", {"one": results, "two": results}).axes
    assert axes.get_legend_handles_labels()[1] == ["buffer 8 packets", "one", "two"]
    (axes,) = db.figures.draw("queue", results).axes
    assert axes.get_legend_handles_labels()[1] == ["buffer 8 packets", "left → right"]
    (axes,) = db.figures.draw("rate", results).axes
    assert "capacity 2 Mbit/s" in axes.get_legend_handles_labels()[1]


def test_rates_of_ports_are_drawn_beside_throughputs() -> None:
    power = "topology.bottleneck.power={ policy = 'practra', rates = ['1Mbit/s', '2Mbit/s'] }"
    results = db.Scenario.from_toml(SCENARIO, [power, "record.period=10ms"]).run()
    for runs in (results, {"one": results, "two": results}):
        (axes,) = db.figures.draw("port_rate", runs).axes
        assert axes.get_ylabel() == "rate of the port under power control (Mbit/s)"
        assert len(axes.get_lines()) == (1 if runs is results else 2)
        drawn = axes.get_lines()[0].get_ydata()
        assert np.array_equal(np.multiply(drawn, 1e6), results.series("rate")[0][1])
    with pytest.raises(db.NothingToDrawError, match="no port is under power control"):
        db.figures.draw("port_rate", db.Scenario.from_toml(SCENARIO).run())


def test_throughput_stays_below_the_link_and_holes_are_steps() -> None:
    lossy = ["flows[0].count=1", "workloads=[]", "topology.bottleneck.loss=0.01", "record.period=10ms"]
    results = db.Scenario.from_toml(SCENARIO, lossy).run()
    # Over a period, what is in order exceeds the link: many packets waited for one.
    assert results.series("goodput")[0][1].max() > 2 * 2e6
    (axes,) = db.figures.draw("rate", results).axes
    assert axes.get_ylabel() == "throughput over 0.3 s (Mbit/s)"
    capacity, throughput = axes.lines
    assert 0.9 * 2 < throughput.get_ydata().max() <= capacity.get_ydata()[0] == 2
    (axes,) = db.figures.draw("goodput", results).axes
    assert axes.get_ylabel() == "data delivered in order (MB)"
    delivered = axes.lines[0].get_ydata()
    assert delivered[0] == 0
    assert (np.diff(delivered) >= 0).all()
    assert delivered[-1] == pytest.approx(results.flows["delivered"][0] / 1e6)


@pytest.mark.parametrize(
    ("queue", "limits"),
    [
        ({"kind": "codel"}, ["buffer 1000 packets", "target 5 ms"]),
        ({"kind": "pie", "limit": "100pkt"}, ["buffer 100 packets", "target 15 ms"]),
        ("red", ["buffer 200 packets", "min_threshold 5 packets", "max_threshold 15 packets"]),
        ({"kind": "threshold", "threshold": "15kB"}, ["buffer 100 kB", "threshold 10 packets"]),
        ({"kind": "token-bucket-filter", "queue": "pi"}, ["buffer 200 packets", "target 50 packets"]),
        ("droptail", []),
        # Each of its queues has a length of its own.
        ({"kind": "drr", "classes": ["red", "codel"]}, ["buffer 1200 packets"]),
    ],
)
def test_queues_show_the_thresholds_of_their_discipline(queue: object, limits: list[str]) -> None:
    results = db.Scenario.from_toml(SCENARIO).with_("topology.bottleneck.queue", queue).run()
    lines = link_lines(results, "queue")
    found = limits_of(results, "queue", lines)
    assert [f"{limit.name} {limit.written}" for limit in found] == limits
    # Where lines come near, the figure shows them.
    (axes,) = db.figures.draw("queue", results).axes
    largest = max(values.max() for _, _, values in lines)
    shown = sum(limit.value < 2 * largest for limit in found)
    assert len(axes.get_legend_handles_labels()[1]) == shown + len(lines)


def test_lines_of_throughput_have_the_same_windows() -> None:
    late = ["flows[0].count=3", "flows[0].stagger=1.234s", "workloads=[]", "record.period=10ms"]
    (axes,) = db.figures.draw("rate", db.Scenario.from_toml(SCENARIO, late).run()).axes
    flows = [line.get_xdata() for line in axes.lines[1:]]
    # Of windows of 0.3 s, 26 are whole in 8 s; each line begins with the window in which its flow starts.
    assert [round(float(times[0]), 9) for times in flows] == [0.0, 1.2, 2.4]
    assert [round(float(times[-1]), 9) for times in flows] == [7.8] * 3
    assert all(np.isin(np.round(times, 9), np.round(flows[0], 9)).all() for times in flows)


def test_a_wait_is_no_length_at_a_rate_that_changes() -> None:
    codel = db.Scenario.from_toml(SCENARIO).with_("topology.bottleneck.queue", "codel")
    steps = codel.with_("topology.bottleneck.rate_changes", [{"at": "1s", "rate": "1Mbit/s"}])
    names = [
        [limit.name for limit in limits_of(results, "queue", link_lines(results, "queue"))]
        for results in (codel.run(), steps.run())
    ]
    assert names == [["buffer", "target"], ["buffer"]]


def test_a_changing_capacity_is_drawn_over_time(tmp_path: Path) -> None:
    alone = ["flows[0].count=1", "workloads=[]"]
    steady = db.Scenario.from_toml(SCENARIO, alone)
    changes = [{"at": "2s", "rate": "8Mbit/s"}, {"at": "5s", "rate": "1Mbit/s"}]
    stepped = steady.with_("topology.bottleneck.rate_changes", changes).run()
    (axes,) = db.figures.draw("rate", stepped).axes
    capacity, throughput = axes.lines
    assert capacity.get_label() == "capacity"
    at = np.interp([1.0, 4.0, 7.0], capacity.get_xdata(), capacity.get_ydata())
    assert at.tolist() == [2, 8, 1]
    # What was on its way at a change arrives in the next window.
    could = np.maximum(capacity.get_ydata(), np.roll(capacity.get_ydata(), 1))
    assert (throughput.get_ydata() <= 1.02 * could).all()
    # A recording of ten minutes, of which the first seconds are run: a packet each 6 ms, later each 100 ms.
    times = [*range(6, 12_000, 6), *range(12_000, 600_001, 100)]
    (tmp_path / "recorded.trace").write_text("\n".join(map(str, times)), encoding="utf-8")
    settings = [*alone, "topology.bottleneck.trace.file=recorded.trace"]
    recorded = db.Scenario.from_toml(SCENARIO, settings, base=tmp_path).run()
    assert recorded.links["rate"].min() < 0.2e6
    recorded.save(tmp_path / "out")
    # The folder of results does not hold the recording.
    (axes,) = db.figures.draw("rate", db.load(tmp_path / "out")).axes
    capacity, throughput = axes.lines
    assert capacity.get_label() == "capacity"
    assert np.abs(capacity.get_ydata() - 2.0).max() < 0.05
    assert (throughput.get_ydata() <= 1.02 * capacity.get_ydata()).all()


def test_one_flow_is_named() -> None:
    results = db.Scenario.from_toml(SCENARIO, ["flows[0].count=1", "workloads=[]"]).run()
    for kind in ("cwnd", "rtt", "goodput"):
        figure = db.figures.draw(kind, results)
        (legend,) = figure.legends
        assert [text.get_text() for text in legend.get_texts()] == ["flow 0: cubic"], kind


def test_lines_of_runs_are_not_hidden_by_limits_of_others() -> None:
    home = db.Scenario.from_file(Path(__file__).parents[1] / "scenarios" / "bufferbloat-droptail.toml")
    codel = home.with_("topology.bottleneck.queue", "codel")
    figure = db.figures.draw("queue", {"droptail": home.run(), "codel": codel.run()})
    (axes,) = figure.axes
    # The limit of CoDel, 1000 packets, is far from its line; the target of 5 ms lies on it.
    labels = axes.get_legend_handles_labels()[1]
    assert labels == ["droptail: buffer 500 packets", "droptail", "codel"]
    assert axes.get_ylim()[1] < 600
    # The line of CoDel stands clear of the axis: a point is a 72nd of an inch.
    figure.draw_without_rendering()
    heights = axes.transData.transform([(0.0, value) for value in axes.lines[2].get_ydata()])[:, 1]
    assert (heights.min() - axes.bbox.y0) * 72 / figure.dpi > 2


def test_lines_survive_grey_print(results: db.Results) -> None:
    (axes,) = db.figures.draw("cwnd", results).axes
    styles = [line.get_linestyle() for line in axes.lines]
    assert len(set(map(str, styles))) == len(styles) == 2


def test_the_network_is_drawn_from_senders_to_receivers() -> None:
    figure = db.figures.draw_topology(db.Scenario.from_toml(SCENARIO))
    (axes,) = figure.axes
    places = {text.get_text(): text.xy[0] for text in axes.texts}
    assert places["sender0"] == 0 < places["left"] < places["right"] < places["receiver0"]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend[0].startswith("2 Mbit/s, ")
    assert "links)" in legend[1]
    scenarios = Path(__file__).parents[1] / "scenarios"
    for name in ("parking-lot", "fat-tree-permutation"):
        figure = db.figures.draw_topology(db.Scenario.from_file(scenarios / f"{name}.toml"))
        assert figure.axes[0].has_data()


@pytest.mark.parametrize(("name", "kind"), [("udp-mix", "rate"), ("assured-service", "queue")])
def test_a_legend_has_room_in_its_figure(name: str, kind: str) -> None:
    scenario = db.Scenario.from_file(Path(__file__).parents[1] / "scenarios" / f"{name}.toml")
    figure = db.figures.draw(kind, scenario.with_("warmup", "0s").with_("duration", "5s").run())
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert len(legend.get_texts()) >= 5
    for text in legend.get_texts():
        extent = text.get_window_extent()
        assert extent.x0 >= 0
        assert extent.x1 <= figure.bbox.x1


def test_many_flows_lose_their_names_and_gain_a_mean() -> None:
    settings = ["flows[0].count=30", "flows[0].stagger=10ms", "topology.bottleneck.queue.limit=1000pkt"]
    results = db.Scenario.from_toml(SCENARIO, settings).run()
    (axes,) = db.figures.draw("cwnd", results).axes
    assert axes.get_legend_handles_labels()[1] == ["mean of 30"]


@pytest.mark.parametrize("kind", ["cwnd", "rate", "rtt", "queue", "drops"])
def test_without_samples_the_reason_is_given(kind: str) -> None:
    results = db.Scenario.from_toml(SCENARIO, ["record.samples=false"]).run()
    with pytest.raises(db.NothingToDrawError, match="was sampled"):
        db.figures.draw(kind, results)


def test_without_completed_flows_the_reason_is_given() -> None:
    results = db.Scenario.from_toml(SCENARIO, ["workloads=[]"]).run()
    for kind in ("fct_cdf", "fct_size"):
        with pytest.raises(db.NothingToDrawError, match="no flow with a size completed"):
            db.figures.draw(kind, results)


def test_flows_of_one_size_and_time_still_have_labelled_axes() -> None:
    alone = ["workloads=[]", "flows[0].size=4kB", "flows[0].stagger=3s"]
    figure = db.figures.draw("fct_size", db.Scenario.from_toml(SCENARIO, alone).run())
    figure.draw_without_rendering()
    for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis):
        low, high = axis.get_view_interval()
        assert any(
            low <= tick.get_loc() <= high and tick.label1.get_text() for tick in axis.get_major_ticks()
        )


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(ValueError, match='did you mean "cwnd"'):
        db.figures.draw("cwmd", None)


def test_the_distribution_ends_at_one(results: db.Results) -> None:
    (axes,) = db.figures.draw("fct_cdf", results).axes
    (line,) = axes.lines
    times, shares = line.get_data()
    assert shares[-1] == 1
    assert (np.diff(times) >= 0).all()
    assert times[-1] == np.nanmax(results.flows["completion_time"][results.flows["counted"]])


def test_a_sweep_shows_mean_and_range() -> None:
    figure = db.figures.sweep([0.2, 0.4], [("loss", [[1.0, 3.0], [2.0, 4.0]])], "load", "loss (%)")
    (container,) = figure.axes[0].containers
    np.testing.assert_allclose(container.lines[0].get_ydata(), [2, 3])
    low, high = container.lines[1]
    np.testing.assert_allclose(low.get_ydata(), [1, 2])
    np.testing.assert_allclose(high.get_ydata(), [3, 4])


def test_a_figure_is_laid_out_once_for_all_formats(results, tmp_path, monkeypatch):
    figure = figures.draw("cwnd", results)
    engine = figure.get_layout_engine()
    laid_out = []
    execute = engine.execute
    monkeypatch.setattr(engine, "execute", lambda drawn: (laid_out.append(drawn), execute(drawn))[1])
    style.save(figure, tmp_path / "cwnd")
    assert laid_out == [figure]
    assert figure.get_layout_engine() is engine
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".pdf", ".png", ".svg"]
