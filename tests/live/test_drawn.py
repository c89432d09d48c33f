"""Cells that are drawn: their law, runs that are kept, what differs, and the page."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from dumbbell import _native
from dumbbell._files.numbers import finite
from dumbbell.errors import DumbbellError
from dumbbell.live import drawn_page, endpoints, packets, phases, referee, ticks, virtual
from dumbbell.live.agreement import agreements, first_differences
from dumbbell.live.compare import arms_of, prepared
from dumbbell.live.criteria import Summary
from dumbbell.live.drawn import CONTROLLERS, DISTRIBUTION, LINK, Cell, cells
from dumbbell.live.kernel import NAMES
from dumbbell.live.packets import Apart, Packet, Packets
from dumbbell.live.referee import Result

ROOT = Path(__file__).parents[2]
ALL = list(CONTROLLERS)
SOME = ["cubic", "reno"]

CELL = Cell(1, 7, "cubic", 10.0, 20.0, "droptail", 1.0, 0.0, 6.0, (0.0, 0.5), (100_000, None))


def test_a_cell_is_the_same_however_many_are_drawn() -> None:
    assert cells(30, 5, ALL)[:3] == cells(3, 5, ALL)
    assert cells(3, 6, ALL) != cells(3, 5, ALL)
    assert cells(30, 5, ALL, "0007-*") == [cells(30, 5, ALL)[7]]


def test_fewer_controllers_change_only_the_controller() -> None:
    every, some = cells(200, 3, ALL), cells(200, 3, SOME)
    for one, other in zip(every, some, strict=True):
        assert replace(one, controller=other.controller) == other
        assert one.controller not in SOME or one == other
    assert {cell.controller for cell in some} == set(SOME)


def test_the_law_has_not_changed_without_its_number() -> None:
    # What this says, folders of earlier versions hold. Another law has another drawn.VERSION.
    cell = cells(8, 1, ALL)[7]
    assert (cell.name, cell.about) == ("0007-cubic-droptail-x3", "2.25 Mbit/s, 147 ms, 0.219 BDP")
    assert (cell.starts, cell.sizes) == ((0.0, 0.058, 2.13), (21400, 69500, 126000))
    assert (cell.scenario().seed, cell.duration) == (1313663399, 7.34)


def test_cells_are_drawn_as_the_table_says() -> None:
    every = cells(2000, 11, ALL)
    counts = Counter(cell.controller for cell in every)
    assert counts.keys() == set(ALL)
    assert all(abs(count / 2000 - 1 / 13) < 0.025 for count in counts.values()), counts
    queues = Counter(cell.queue for cell in every)
    assert queues.keys() == {"droptail", "codel", "fq-codel", "pie", "dualpi2"}
    assert queues["droptail"] / 2000 == pytest.approx(0.6, abs=0.05)
    assert Counter(len(cell.starts) for cell in every)[1] / 2000 == pytest.approx(0.3, abs=0.05)
    assert {len(cell.starts) for cell in every} == set(range(1, 9))
    assert sum(cell.loss == 0 for cell in every) / 2000 == pytest.approx(0.7, abs=0.05)
    sizes = [size for cell in every for size in cell.sizes]
    assert sum(size is None for size in sizes) / len(sizes) == pytest.approx(0.4, abs=0.03)
    for quantity, low, high in (("rate", 1, 100), ("round_trip", 4, 200), ("duration", 5, 20)):
        values = [getattr(cell, quantity) for cell in every]
        assert low <= min(values) < 1.05 * low, quantity
        assert 0.95 * high < max(values) <= high, quantity
    rates = sorted(cell.rate for cell in every)
    assert rates[1000] == pytest.approx(10, rel=0.15), "log-uniform"
    for cell in every:
        packets_of_product = cell.rate * 1e3 * cell.round_trip / 12000
        if cell.buffer is not None:
            assert cell.buffer <= 4.01 or cell.buffer * packets_of_product <= 4.1
            assert cell.buffer >= 0.2
            assert cell.buffer * packets_of_product >= 3.9
        assert cell.starts[0] == 0
        assert list(cell.starts) == sorted(cell.starts)
        assert cell.starts[-1] <= cell.duration / 3 + 1e-3
        assert cell.rate * 1e6 * cell.duration <= 1.01 * 60_000 * 12_000
        most = min(cell.rate * 1e6 / 8 * cell.duration / 2, 20e6)
        assert sum(size or 0 for size in cell.sizes) <= 1.01 * most
        assert all(size is None or size >= 10_000 for size in cell.sizes)
        assert 0 <= cell.loss <= 0.03


def test_every_cell_is_a_scenario() -> None:
    for cell in cells(40, 2, ALL):
        given = prepared(cell.scenario(), cell.ours, "linux")
        about = _native.emulated(given._native, LINK)
        assert (about["link"], about["unmet"]) == (LINK, [])
        link = given.explain()["links"][0]
        assert link["queue"] == cell.queue
        if cell.buffer is not None:
            assert link["buffer_packets"] >= 4
        assert NAMES[cell.ours] == cell.controller


def test_the_law_stands_in_the_documentation() -> None:
    page = (ROOT / "docs/kernel.md").read_text()
    for line in drawn_page.distribution():
        assert line in page, line
    assert len(DISTRIBUTION) == 10


# ---- What differs ------------------------------------------------------------------------------------------


def summary(completion: float | None = 1.0, goodput: float = 5e6, drop: float | None = 0.3) -> dict[str, Any]:
    """Of :data:`CELL`: a flow with a size, and one without."""
    flows = [
        {"start": 0.0, "size": 100_000.0, "completion_time": completion, "goodput": 1e6},
        {"start": 0.5, "size": None, "completion_time": None, "goodput": goodput},
    ]
    about = {"first_drop": drop, "retransmissions": 3, "timeouts": 0, "queueing_delay": 0.01}
    return {"flows": flows, **about, "tick": 0.004, "virtual": None, "kernel": "6.12.1"}


def result(number: int, ours: dict[str, Any], kernel: dict[str, Any], *spread: Any, **more: Any) -> Result:
    cell = replace(CELL, number=number, **more)
    apart = Apart(0.5, 0, True, 3, packets.TIME, "seq=1 len=100 at 0.5000 s", "nothing more")
    return Result(cell, kernel, ours, spread, apart, apart)


def test_completion_and_shares_are_relative_to_the_kernels() -> None:
    found = result(1, summary(1.1, 4e6), summary(1.0, 5e6))
    assert found.completion == pytest.approx(0.1)
    assert found.shares == pytest.approx([-0.2])
    assert found.worst_share() == (1, pytest.approx(0.4), pytest.approx(0.5))
    assert found.outside == ["completion", "share"]
    assert found.worst == pytest.approx(2.0)
    near = result(1, summary(1.049, 5.49e6), summary(1.0, 5e6))
    assert (near.outside, near.reason) == ([], "")


def test_an_unfinished_flow_takes_the_rest_of_the_run() -> None:
    assert result(1, summary(None), summary(3.0)).completion == pytest.approx(1.0)
    assert result(1, summary(3.0), summary(None)).completion == pytest.approx(-0.5)
    late = [summary(None), summary(1.0)]
    for side in late:
        side["flows"][0]["start"] = 4.0
    assert result(1, *late).completion == pytest.approx(1.0), "two seconds are left"
    neither = result(1, summary(None), summary(None))
    assert (neither.completion, neither.completions(), neither.outside) == (None, None, [])


def test_a_share_that_the_kernel_lacks_is_worst() -> None:
    found = result(1, summary(goodput=5e6), summary(goodput=0.0))
    assert found.worst == math.inf
    assert result(1, summary(goodput=0.0), summary(goodput=0.0)).shares == [0.0]


def test_the_reason_is_that_ours_varies_as_much() -> None:
    kernel = summary(1.0)
    assert result(1, summary(1.2), kernel).reason == f"not known; begins with {packets.TIME}"
    varies = result(1, summary(1.2), kernel, summary(1.1), summary(0.9))
    assert varies.reason == "ours varies as much: 0.9 to 1.2 s when packets come up to 100us late"
    assert result(1, summary(1.2), kernel, summary(1.1)).reason.startswith("not known")
    # Both quantities have to vary.
    both = result(1, summary(1.2, 4e6), summary(1.0, 5e6), summary(0.9, 4e6))
    assert both.reason.startswith("not known")


def test_the_reason_is_what_the_controller_draws() -> None:
    found = replace(result(1, summary(1.2), summary(1.0)), drawn=[summary(1.1), summary(0.9)])
    draws = f"hangs on what {CELL.controller} draws: 0.9 to 1.2 s with other draws"
    assert found.reason == draws
    # Late packets say less.
    assert replace(found, spread=[summary(0.9)]).reason == draws
    assert replace(found, drawn=[summary(1.1)]).reason.startswith("not known")


def test_controllers_that_draw_draw_other_numbers() -> None:
    def draws(controller: str) -> list[dict[str, Any]]:
        given = referee._with(prepared(CELL.scenario(), controller, "linux"), {"controller.draws": 3})
        return [flow["transport"]["controller"] for flow in given.to_dict()["flows"]]

    assert {controller["draws"] for controller in draws("bbr")} == {3}
    assert all("draws" not in controller for controller in draws("cubic"))


def test_the_reason_is_a_part_without_which_ours_is_within() -> None:
    parts = {"HyStart": summary(1.01), "SACK compression": summary(1.3)}
    found = replace(result(1, summary(1.2), summary(1.0)), without=parts)
    assert found.reason == "hangs on HyStart: within the bounds without"
    # That ours varies as much says more.
    assert replace(found, spread=[summary(0.9)]).reason.startswith("ours varies")
    assert replace(found, without={"HyStart": summary(1.2)}).reason.startswith("not known")


def test_the_reason_is_a_wait_of_one_side() -> None:
    def flow(*sent: tuple[float, int, str]) -> Packets:
        return {
            (0, True): [
                Packet(time, seq, 0 if flags else 100, None, flags, None) for time, seq, flags in sent
            ]
        }

    once = flow((0.0, 0, "S"), (0.1, 1, ""), (0.11, 101, ""))
    assert packets.lone_waits(once, once) == {}
    lost = flow((0.0, 0, "S"), (1.0, 0, "S"), (1.1, 1, ""))
    assert packets.lone_waits(once, lost) == {0: "a lost SYN in the kernel's"}
    late = flow((0.0, 0, "S"), (0.1, 1, ""), (0.31, 1, ""))
    assert packets.lone_waits(late, once) == {0: "a timeout in ours"}
    soon = flow((0.0, 0, "S"), (0.1, 1, ""), (0.15, 1, ""))
    assert packets.lone_waits(soon, once) == {}
    found = replace(result(1, summary(2.0), summary(1.0)), waits={0: "a lost SYN in ours"})
    assert found.reason == "one side alone waits: flow 0 for a lost SYN in ours; within the bounds without"
    assert replace(found, waits={1: "a timeout in ours"}).reason.startswith("not known")


def pair(ours: tuple[float, float], kernel: tuple[float, float]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two summaries, each of a completion time and a goodput."""
    return summary(*ours), summary(*kernel)


def test_means_over_runs_have_intervals() -> None:
    first = result(1, summary(1.2, 5e6), summary(1.0, 5e6))
    assert (first.runs, first.mean_shares[0].value) == (1, 0.0)
    assert first.mean_completion is not None
    assert first.mean_completion.interval is None
    found = replace(first, pairs=[pair((0.9, 4e6), (1.0, 4.2e6)), pair((1.0, 6e6), (1.1, 6.2e6))])
    assert found.mean_completion is not None
    assert found.mean_completion.value == pytest.approx(0.0)
    low, high = found.mean_completion.interval or (0, 0)
    assert low < -0.1 < 0.1 < high
    share = found.mean_shares[0]
    assert share.value == pytest.approx(15 / 15.4 - 1)
    # The single run is outside, the means are not; the interval of the share is narrow, for runs are pairs.
    (of_all, _) = agreements([found])
    assert (of_all.within.value, of_all.mean_within.value) == (0.0, 1.0)
    assert (of_all.mean_shares.value, of_all.undecided) == (1.0, 0)
    (of_all, _) = agreements([first])
    assert of_all.undecided == 1, "one run decides nothing"


def test_shares_that_nobody_has_are_alike() -> None:
    found = replace(result(1, summary(1.0, 0.0), summary(1.0, 0.0)), pairs=[pair((1, 0), (1, 0))])
    assert (found.mean_shares[0].value, found.mean_shares[0].interval) == (0.0, None)


def test_the_reason_is_that_the_kernel_varies_as_much() -> None:
    far = replace(result(1, summary(1.2), summary(1.0), summary(0.9)), pairs=[pair((1.0, 5e6), (1.3, 5e6))])
    assert far.reason == "the kernel varies as much: 1 to 1.3 s in 2 runs"
    near = replace(far, pairs=[pair((1.0, 5e6), (1.1, 5e6))])
    assert near.reason.startswith("ours varies as much")
    shares = replace(result(1, summary(1.0, 4e6), summary()), pairs=[pair((1.0, 5e6), (1.0, 3e6))])
    assert shares.reason == "the kernel varies as much: shares of 0.3 to 0.5 in 2 runs"


def test_further_runs_come_late_and_have_other_seeds() -> None:
    given = prepared(CELL.scenario(), "cubic", "linux")
    assert referee.varied(given, 0) is given
    second, third = (referee.varied(given, place) for place in (1, 2))
    assert [each.seed - given.seed for each in (second, third)] == [1, 2]
    (jitter,) = second.explain()["links"][0]["impairments"]
    assert "20 us" in str(jitter) or "2e-05" in str(jitter) or "20us" in str(jitter)


def test_a_part_is_switched_off_in_every_flow() -> None:
    given = prepared(CELL.scenario(), "cubic", "linux")
    for name, values in referee.PARTS.items():
        flows = referee._with(given, values).to_dict()["flows"]
        assert all(flow["transport"] != given.to_dict()["flows"][0]["transport"] for flow in flows), name
    other = prepared(CELL.scenario(), "vegas", "linux")
    flows = referee._with(other, referee.PARTS["HyStart"]).to_dict()["flows"]
    assert "hystart" not in str(flows)


@pytest.mark.parametrize(
    ("kernel", "profile", "window"),
    [
        ("6.1.192", "linux-6.1", 3_145_728),
        ("6.5.13", "linux-6.1", 3_145_728),
        ("6.6.0", "linux", 3_932_160),
        ("6.16.1", "linux", 33_554_432),
    ],
)
def test_a_kernel_is_compared_with_the_tcp_of_its_time(kernel: str, profile: str, window: int) -> None:
    given = prepared(CELL.scenario(), "cubic", referee._profile("linux", kernel))
    (flow, *_) = referee._windowed(given, kernel).to_dict()["flows"]
    assert flow["transport"]["profile"] == profile
    assert _native.parse_size(flow["transport"]["receive_window"], "receive_window") == window
    assert referee._profile("rfc", kernel) == "rfc"


def test_agreements_are_per_controller_and_possible() -> None:
    near = [result(i, summary(1.01), summary(1.0)) for i in range(12)]
    far = [result(i, summary(1.2, 4e6), summary(1.0, 5e6), controller="bbr") for i in range(12, 20)]
    of_all, bbr, cubic = agreements(near + far)
    assert [each.controller for each in (of_all, bbr, cubic)] == ["all", "bbr", "cubic"]
    assert [each.cells for each in (of_all, bbr, cubic)] == [20, 8, 12]
    assert cubic.completion.value == pytest.approx(0.01)
    assert bbr.signed.value == pytest.approx(0.2)
    assert (cubic.within.value, bbr.within.value, of_all.within.value) == (1.0, 0.0, 0.6)
    for each in (of_all, bbr, cubic):
        for part in (each.within, each.shares):
            low, high = part.interval or (-1, 2)
            assert 0 <= low <= part.value <= high <= 1
            assert high - low > 0.1
    assert math.exp(bbr.ratio.value) == pytest.approx(0.8)


def test_faster_cells_are_not_within_either() -> None:
    of_all, _ = agreements([result(i, summary(0.8), summary(1.0)) for i in range(3)])
    assert (of_all.completion.value, of_all.within.value) == (pytest.approx(0.2), 0.0)


def test_the_interval_of_shares_counts_cells() -> None:
    def sides() -> tuple[dict[str, Any], dict[str, Any]]:
        ours, kernel = summary(), summary()
        for side in (ours, kernel):
            side["flows"] += [dict(side["flows"][1]) for _ in range(3)]
        return ours, kernel

    of_all, _ = agreements([result(i, *sides()) for i in range(5)])
    assert (of_all.flows, of_all.shares.n, of_all.shares.value) == (20, 5, 1.0)


def test_one_cell_has_no_interval() -> None:
    of_all, _ = agreements([result(1, summary(1.01), summary(1.0))])
    assert (of_all.completion.interval, of_all.ratio.interval) == (None, None)
    empty = agreements([])
    assert [each.n for each in (empty[0].completion, empty[0].within, empty[0].shares)] == [0, 0, 0]


def test_kinds_of_first_differences_are_counted() -> None:
    one = result(1, summary(1.2), summary(1.0))
    none = replace(result(2, summary(), summary()), first=None, data=None)
    assert first_differences([one, one, none]) == [(packets.TIME, 2, 2), ("nothing", 1, 0)]


# ---- Runs that are kept ------------------------------------------------------------------------------------


class Kernel(referee.Here):
    """Stands in for the kernel: our TCP with another controller, and its packets."""

    version = "6.12.1"

    def __init__(self, controller: str | None = None, stops_after: int = 10**6, valid: bool = True) -> None:
        self.controller, self.stops_after, self.valid, self.runs = controller, stops_after, valid, 0

    def make(
        self, cell: Cell, place: int, _progress: virtual.Progress, /
    ) -> tuple[Summary, Sequence[str], Packets]:
        if self.runs == self.stops_after:
            raise KeyboardInterrupt
        self.runs += 1
        given = prepared(cell.scenario(), self.controller or cell.ours, "linux", referee._PERIOD)
        given = ticks.ticking(referee.varied(given, place), ticks.of_kernel())
        (arm,) = arms_of([given], LINK)
        back = _native.emulated(given._native, LINK)["back"]
        reasons = () if self.valid else ("uplink: | *late*",)
        about = {"kernel": self.version, "tick": ticks.of_kernel(), "virtual": None}
        found = replace(arm, valid=self.valid, reasons=reasons)
        return {**finite(found.summary()), **about}, reasons, packets.simulated(given, LINK, back)


SMALL = [
    replace(cell, duration=5.0, starts=cell.starts[:2], sizes=(50_000, None)[: len(cell.starts[:2])])
    for cell in cells(12, 4, SOME)
    if cell.rate < 12
][:4]


def run(kernel: Kernel, output: Path, notes: list[str] | None = None) -> None:
    referee.measure(SMALL, output, (notes if notes is not None else []).append, runner=kernel)


def test_equal_sides_do_not_differ(tmp_path: Path) -> None:
    referee.open_folder(tmp_path / "out", 4, SOME)
    run(Kernel(), tmp_path / "out")
    found, left_out = referee.results(SMALL, tmp_path / "out", "6.12.1")
    assert left_out == []
    assert [(each.first, each.outside, each.worst) for each in found] == [(None, [], 0.0)] * len(SMALL)
    apart, _ = referee.results(SMALL, tmp_path / "out", "6.12.1", "rfc")
    assert all(each.first is not None for each in apart), "another TCP is seen"


def test_a_killed_draw_goes_on_where_it_stopped(tmp_path: Path) -> None:
    out = tmp_path / "out"
    referee.open_folder(out, 4, SOME)
    stopped: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run(Kernel(stops_after=2), out, stopped)
    assert stopped[-1].startswith(f"2 of {len(SMALL)} cells are finished and kept, the same command goes on")
    first = sorted(path.name for path in (out / "kernels/6.12.1").iterdir())
    assert first == sorted(f"{cell.name}.{end}" for cell in SMALL[:2] for end in ("json", "parquet"))
    kernel, notes = Kernel(), list[str]()
    run(kernel, out, notes)
    assert kernel.runs == len(SMALL) - 2
    assert notes[0] == f"2 of {len(SMALL)} cells were there"
    assert notes[1] == f"1 of {len(SMALL) - 2}: {SMALL[2].name}, valid"
    again = Kernel()
    run(again, out)
    assert again.runs == 0
    assert {path.stem for path in (out / "scenarios").iterdir()} == {cell.name for cell in SMALL}


def test_further_runs_are_pairs_and_come_on_top(tmp_path: Path) -> None:
    out = tmp_path / "out"
    referee.open_folder(out, 4, SOME)
    run(Kernel(), out)
    kernel = Kernel()
    referee_runs = 3
    referee.measure(SMALL, out, runs=referee_runs, runner=kernel)
    assert kernel.runs == 2 * len(SMALL), "one was there"
    found, left_out = referee.results(SMALL, out, "6.12.1")
    assert left_out == []
    for each in found:
        assert each.runs == referee_runs
        # Our TCP stands in for the kernel: pairs are equal, and differ from each other.
        for ours, theirs in each.pairs:
            assert finite(ours)["flows"] == theirs["flows"], each.cell.name
        assert each.pairs[0][0]["flows"] != each.pairs[1][0]["flows"] != each.ours["flows"]
    side = drawn_page.Side("6.12.1", found, left_out)
    said = drawn_page.write(out, [side], "dumbbell compare-real --draw 4 --runs 3", {})
    answers = {each["what"]: each["found"] for each in said["kernels"][0]["answer"]}
    assert answers["means of 3 runs: cells with completion within 5 %"].startswith("100 %")
    assert "; means " in (out / "page.md").read_text()
    assert "mean_shares" not in (out / "table.csv").read_text().splitlines()[0]


def test_an_invalid_cell_is_left_out_with_the_reason(tmp_path: Path) -> None:
    out = tmp_path / "out"
    referee.open_folder(out, 4, SOME)
    notes: list[str] = []
    run(Kernel(valid=False), out, notes)
    assert notes[0].endswith("INVALID (uplink: | *late*)")
    found, left_out = referee.results(SMALL, out, "6.12.1")
    assert not list(out.rglob("*.parquet"))
    assert (found, [reason for _, reason in left_out]) == ([], ["uplink: | *late*"] * len(SMALL))
    said = drawn_page.write(out, [drawn_page.Side("6.12.1", found, left_out)], "dumbbell", {})
    assert said["kernels"][0]["left_out"][SMALL[0].name] == "uplink: | *late*"
    assert f"- {SMALL[0].name}: uplink:    late" in (out / "page.md").read_text()


def test_the_page_has_the_worst_cell_first(tmp_path: Path) -> None:
    out = tmp_path / "out"
    referee.open_folder(out, 4, SOME)
    run(Kernel("ledbat"), out)
    found, left_out = referee.results(SMALL, out, "6.12.1")
    assert [each.worst for each in found] == sorted((each.worst for each in found), reverse=True)
    assert found[0].outside
    assert found[0].spread
    sides = [drawn_page.Side(kernel, found, left_out) for kernel in referee.kernels(out)]
    said = drawn_page.write(out, sides, "dumbbell compare-real --draw 4", {"bic": "the kernel has none"})
    page = (out / "page.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| 0")]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [each.cell.name for each in found]
    assert "**" in rows[0]
    assert str(found[0].data) in rows[0]
    assert "Not drawn: bic (the kernel has none)." in page
    assert json.loads((out / "results.json").read_text()) == said
    worst = said["kernels"][0]["cells"][0]
    assert worst["cell"] == found[0].cell.name
    assert worst["first_data_packet"].startswith(f"flow {worst['first_data']['flow']}, data ")
    assert (out / worst["scenario"]).is_file()
    assert len((out / "table.csv").read_text().splitlines()) == 1 + len(SMALL)


def test_the_scenario_of_a_cell_repeats_it(tmp_path: Path) -> None:
    import dumbbell as db

    out = tmp_path / "out"
    referee.open_folder(out, 4, SOME)
    run(Kernel(), out)
    cell = SMALL[0]
    given = db.Scenario.from_file(referee.scenario_file(out, cell))
    assert (
        prepared(given, cell.ours, "linux").plan_hash
        == prepared(cell.scenario(), cell.ours, "linux").plan_hash
    )
    assert drawn_page.repeat(cell) == (
        f"dumbbell compare-real scenarios/{cell.name}.toml --controllers {cell.ours} --duration 5"
    )


# ---- Bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"seed": 2, "controllers": ["cubic", "reno"], "law": 1}', "are of seed 2; give --seed 2, or a new"),
        (
            '{"seed": 1, "controllers": ["cubic"], "law": 1}',
            "with other controllers; give --controllers cubic, or a new",
        ),
        (
            '{"seed": 1, "controllers": ["\\u001b"], "law": 1}',
            "with other controllers; give others, or a new",
        ),
        (
            '{"seed": 1, "controllers": ["cubic", "reno"], "law": 0}',
            "by another law; give a new folder to -o",
        ),
        ('{"seed": "x", "controllers": [], "law": 1}', "this is no description of a draw"),
        ('{"seed": 1, "controllers": 3, "law": 1}', "this is no description of a draw"),
        ('{"seed": 1}', "this is no description of a draw; give a new folder to -o"),
        ("[" * 100_000, "this is no description of a draw"),
        ("3", "this is no description of a draw"),
    ],
)
def test_a_folder_of_another_draw_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "draw.json").write_text(text)
    with pytest.raises(DumbbellError) as error:
        referee.open_folder(tmp_path, 1, SOME)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(DumbbellError, match=r"this is no folder of drawn cells; give a new folder to -o"):
        referee.open_folder(tmp_path, 1, SOME)


@pytest.mark.parametrize(
    "change",
    [
        {"tick": 0}, {"tick": "x"}, {"flows": []}, {"flows": [7, 8]}, {"retransmissions": -1},
        {"virtual": 3}, {"first_drop": "soon"},
    ],
)  # fmt: skip
def test_a_file_that_is_no_cell_is_one_line(tmp_path: Path, change: dict[str, Any]) -> None:
    folder = tmp_path / "kernels/6.12.1"
    folder.mkdir(parents=True)
    text = {"runs": [{**summary(), **change}], "invalid": []}
    (folder / f"{CELL.name}.json").write_text(json.dumps(text))
    with pytest.raises(DumbbellError, match=r"no runs of the cell; remove the file") as error:
        referee.results([CELL], tmp_path, "6.12.1")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--draw", "0"], "--draw"),
        (["--draw", "3", "--seed", "-1"], "--seed"),
        (["--draw", "x"], "--draw"),
        (
            ["--draw", "3", "--controllers", "swift"],
            "--controllers: 'swift' is not drawn; use some of cubic, ",
        ),
        (["--draw", "3", "--controllers", "cubic,cubic"], "cubic stands there twice"),
        (["--draw", "3", "--controllers", ""], "--controllers: '' is not drawn"),
        (["--draw", "3", "--cells", "9*"], "--cells: no cell of the draw is called '9*'"),
        (["--draw", "3", "--quick"], "--quick: does not go with --draw; leave one out"),
        (["--draw", "3", "--grid"], "--draw: does not go with --grid; leave one out"),
        (["--draw", "3", "--set", "seed=3"], "--set: goes with FILE, and --draw has links and flows"),
        (["two.toml", "--draw", "3"], "--draw: the draw has its own links; leave the scenario out"),
        (["two.toml", "--seed", "3"], "--seed: belongs to --draw; change that of FILE with --set seed=N"),
        (
            ["--draw", "3", "-o", "other"],
            "other: its cells are of seed 2; give --seed 2, or a new folder to -o",
        ),
    ],
)
def test_bad_input_is_one_line(cli: Cli, tmp_path: Path, words: list[str], message: str) -> None:
    referee.open_folder(tmp_path / "other", 2, SOME)
    done = cli("compare-real", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.splitlines()[-1].startswith("dumbbell: ")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "kernel-drawn").exists()


def test_a_draw_without_a_folder_names_one() -> None:
    from dumbbell.cli.live import _name_folder

    for grid, drawn, name in ((False, 3, "kernel-drawn"), (True, None, "kernel-grid"), (False, None, None)):
        given = {"grid": grid, "draw": drawn, "output": None}
        _name_folder(given)
        assert given["output"] == (name and Path(name))
    given = {"grid": False, "draw": 3, "output": Path("mine")}
    _name_folder(given)
    assert given["output"] == Path("mine")


def test_a_controller_that_the_kernel_lacks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from dumbbell.cli import drawing

    monkeypatch.setattr(drawing, "kernel_has", lambda name: name == "cubic")
    monkeypatch.setattr(
        drawing, "cells", lambda *given: [cell for cell in SMALL if given[2] == ["cubic"]][:1]
    )
    monkeypatch.setattr(referee, "Here", Kernel)
    drawing.draw(1, 4, "cubic,bic", None, "linux", tmp_path / "out", True)
    said = capsys.readouterr()
    assert json.loads(said.out)["not_drawn"] == {"bic": "the kernel has none"}
    assert json.loads((tmp_path / "out/draw.json").read_text())["controllers"] == ["cubic"]
    assert "note: bic is not drawn: the kernel has none; try `modprobe tcp_bic`" in said.err
    with pytest.raises(DumbbellError, match=r"the kernel has none of bic; as root, try `modprobe tcp_bic`"):
        drawing.draw(1, 4, "bic", None, "linux", tmp_path / "none", True)


def test_flows_of_virtual_runs_start_as_late_as_those_of_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    given = prepared(CELL.scenario(), "cubic", "linux")
    starts = [flow["start"] for flow in given.to_dict()["flows"]]
    assert ticks.started(given) == given
    monkeypatch.setattr(_native, "is_virtual", lambda: True)
    late = [flow["start"] for flow in ticks.started(given).to_dict()["flows"]]
    before, after = ([_native.parse_time(text, "start") for text in texts] for texts in (starts, late))
    assert after == pytest.approx([start + endpoints.START[True] for start in before], abs=1e-9)
    # A flow that was seen starts when it was.
    seen = ticks.started(given, {0: before[0] + 1.736e-6}).to_dict()["flows"]
    found = [_native.parse_time(flow["start"], "start") for flow in seen]
    assert found == pytest.approx([before[0] + 1.736e-6, *after[1:]], abs=1e-10)


def test_a_paced_packet_leaves_before_what_arrives_with_it_is_read() -> None:
    # Of two packets at the pacing rate, the acknowledgement of the first lets one leave, and that of the
    # second comes when the next is due. Linux 6.12 in virtual time: 1.282764 ms between bursts from then on.
    (cell,) = cells(51, 471260271, ALL, "0050-bbr-*")
    given = prepared(cell.scenario(), cell.ours, "linux", 10, True)
    back = _native.emulated(given._native, LINK)["back"]
    data = packets.simulated(given, LINK, back)[0, True]
    assert [packet.seq for packet in data[70:75:2]] == [98465, 101361, 104257]
    assert data[72].time - data[70].time == pytest.approx(1.282764e-3, abs=1e-9)


def test_phases_are_those_with_which_packets_agree_longest() -> None:
    # What each flow draws, one at each second; the second of flow 1 does not show.
    drawn = [[2, 5, 0], [7, 3, 4]]

    def agreement(known: Sequence[Sequence[int]], until: float) -> Apart | None:
        for place in range(3):
            for flow in (0, 1):
                own = known[flow][place] if place < len(known[flow]) else 6
                time = place + 1.0 + flow / 2
                if own != drawn[flow][place] and (flow, place) != (1, 1) and time < until:
                    return Apart(time, flow, True, 0, "another time", "", "")
        return None

    first, second = phases.found([[], []], agreement, 10.0)
    assert first == drawn[0]
    assert [second[0], second[2]] == [7, 4]
    # Where no phase helps, something else differs.
    assert phases.found([[]], lambda *_: Apart(1.0, 0, True, 0, "", "", ""), 10.0) == [[]]


def test_controllers_without_phases_are_left_as_they_are() -> None:
    given = prepared(CELL.scenario(), "cubic", "linux", 10, True)
    assert phases.paired(given, {}, LINK) == given
