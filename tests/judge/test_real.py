"""Chapters on real packets: forms that plan, metrics of what the kernel tells, what cannot be had."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from dumbbell import Scenario
from dumbbell.judge import JudgeError, all_chapters, read_chapter, run_judge
from dumbbell.judge.packets import order_of, value
from dumbbell.judge.real import Kernel, kernel_candidate, real_form
from dumbbell.judge.run import study_of
from dumbbell.live.counted import Counted, Order
from dumbbell.study import Metric

CHAPTERS = {chapter.number: chapter for chapter in all_chapters()}
WHOLE = [number for number, chapter in CHAPTERS.items() if chapter.real]

TWO = """
duration = "5s"
warmup = "1s"
topology = { kind = "dumbbell", pairs = 2, rtts = ["20ms", "60ms"] }

[[flows]]
name = "own"
from = "sender0"
to = "receiver0"
transport = { kind = "tcp", controller = "newreno", ecn = true }

[[flows]]
name = "other"
from = "sender1"
to = "receiver1"
start = "2s"
size = "1MB"
transport = { kind = "tcp", controller = "cubic" }

[[flows]]
name = "late"
from = "sender1"
to = "receiver1"
start = "1000s"
transport = { kind = "tcp" }
"""


@pytest.mark.parametrize("number", WHOLE)
def test_forms_for_real_packets_plan(number: int) -> None:
    chapter = real_form(CHAPTERS[number], quick=True)
    study = study_of(chapter, kernel_candidate("bbr"), ["cubic", "newreno"], quick=False)
    assert len(study.seeds) >= 4
    assert chapter.rows
    runs = [run for run in study.runs() if run.seed == 1]
    for run in runs:
        order, groups, (begin, end) = order_of(study.plan(run.settings))
        assert len(order.flows) == len(groups)
        assert 0 <= begin < end


def test_every_chapter_with_a_study_says_what_real_packets_allow() -> None:
    for chapter in CHAPTERS.values():
        if chapter.study is not None:
            assert chapter.real or chapter.real_needs != ("a [real] in the file of the chapter",)
    assert {n for n, chapter in CHAPTERS.items() if not chapter.real} == {8, 10, 18, 21}


def test_flows_become_connections() -> None:
    order, groups, span = order_of(Scenario.from_toml(TWO))
    assert groups == ("own", "other")
    assert span == (1, 5)
    assert [flow.controller for flow in order.flows] == ["reno", "cubic"]
    assert [flow.address for flow in order.flows] == [0, 1]
    assert [flow.size for flow in order.flows] == [None, 1e6]
    assert order.ecn
    assert Order.read(order.write()) == order


def test_ecn_is_on_where_a_chapter_says_so() -> None:
    study = study_of(real_form(CHAPTERS[13], quick=True), kernel_candidate("bbr"), ["cubic"], quick=False)
    runs = [run for run in study.runs() if run.seed == 1]
    asked = {run.point["ecn"]: order_of(study.plan(run.settings)).order.ecn for run in runs}
    assert asked == {"as it comes": False, "on": True}
    # A flow with a transport of its own does not ask for it by that.
    assert not order_of(Scenario.from_toml(TWO, ["flows[0].transport.ecn=false"])).order.ecn


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("flows[0].transport.controller=copa", "the kernel has no copa"),
        ("flows[0].transport={kind='cbr', rate='1Mbit/s'}", "no TCP over left->right"),
        ("topology.access.loss=0.1", "real packets do not meet"),
    ],
)
def test_what_real_packets_lack_is_refused(setting: str, said: str) -> None:
    with pytest.raises(JudgeError, match=said):
        order_of(Scenario.from_toml(TWO, [setting]))


def metric(**source: Any) -> Metric:
    return Metric("m", "m", "", source, "lower")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"table": "links", "link": "left->right", "column": "loss", "factor": 100}, 3.0),
        ({"table": "links", "link": "right->left", "column": "sent_bytes"}, 700),
        ({"table": "runs", "column": "goodput", "factor": 1e-6}, 8 * 4_000_000 / 4 / 1e6),
        ({"table": "runs", "column": "fairness"}, 8**2 / (2 * (6**2 + 2**2))),
        ({"table": "flows", "column": "goodput", "statistic": "min", "counted": False}, 2.0),
        ({"table": "flows", "column": "goodput", "group": "own", "statistic": "sum", "counted": False}, 6.0),
        # That of the first flow, which starts before the warm-up ends, does not count.
        ({"table": "flows", "column": "retransmissions", "statistic": "sum"}, 7),
        ({"table": "flows", "column": "completion_time", "group": "own", "statistic": "p50"}, None),
        ({"table": "flows", "column": "completion_time", "statistic": "p50"}, 1.5),
    ],
)
def test_metrics_of_what_the_kernel_tells(source: dict[str, Any], expected: float | None) -> None:
    ordered = order_of(Scenario.from_toml(TWO))
    counted = Counted(
        ({"loss": 0.03}, {"sent_bytes": 700}),
        (
            {"goodput": 6.0, "delivered": 3e6, "completion_time": None, "retransmissions": 5, "timeouts": 0},
            {"goodput": 2.0, "delivered": 1e6, "completion_time": 1.5, "retransmissions": 7, "timeouts": 0},
        ),
        (),
    )
    found = value(metric(**source), counted, ordered)
    assert found == (expected if expected is None else pytest.approx(expected))


def test_a_chapter_that_cannot_be_had_says_so(tmp_path: Path) -> None:
    found = run_judge(
        kernel_candidate("cubic"), [CHAPTERS[18]], tmp_path / "out", kernel=Kernel(),
        progress=lambda _: nullcontext(lambda _: None),
    )  # fmt: skip
    (entry,) = found.outcomes
    assert (entry.word, entry.failed) == ("not judged", False)
    assert "a receiver that cheats" in entry.why


def test_a_metric_that_the_kernel_does_not_tell_is_a_gap() -> None:
    chapter = real_form(CHAPTERS[19], quick=True)
    assert [row.metric for row in chapter.rows] == ["goodput"]
    assert any("cuts of the window" in need for need in chapter.needs)
    whole = real_form(CHAPTERS[19], quick=False)
    assert whole.study is not None
    assert chapter.study is not None
    assert len(whole.study.seeds) == 2 * len(chapter.study.seeds)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("[real]", "real.seeds: missing; give how many, or `needs`"),
        ("[real]\nseeds = 2", "real.seeds: 2 is out of range"),
        ("[real]\nseeds = 4\naxis = 3", "real.axis: unknown key"),
    ],
)
def test_bad_forms_get_one_line(form: str, said: str, tmp_path: Path) -> None:
    own = Path(all_chapters.__code__.co_filename).parent / "chapters/03-loss.toml"
    text = own.read_text(encoding="utf-8")
    before, rest = text.split("[real]")
    after = rest[rest.index("[[rows]]") :]
    path = tmp_path / own.name
    path.write_text(f"{before}{form}\n\n{after}", encoding="utf-8")
    with pytest.raises(JudgeError, match=said):
        read_chapter(path)


def test_a_chapter_without_a_form_has_no_study() -> None:
    needs = replace(CHAPTERS[3], real=None, real_needs=("a wire",))
    assert real_form(needs, quick=True).needs == ("a wire",)
    assert real_form(needs, quick=True).study is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "who is judged? give NAME, or --kernel NAME"),
        (("cubic", "--kernel", "bbr"), "who is judged? give NAME, or --kernel NAME"),
        (("cubic", "--virtual"), "--virtual: goes with --kernel"),
        (("--kernel", "cubik"), "--kernel: the kernel has no controller 'cubik'; did you mean"),
        (("--kernel", "bbr3"), "--kernel: the kernel has no controller 'bbr3'; did you mean"),
    ],
)
def test_bad_kernels_get_one_line(arguments: tuple[str, ...], said: str, cli: Cli) -> None:
    result = cli("judge", *arguments, "-o", "out")
    assert result.returncode not in (0, 3)
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
