"""Judging: chapters are whole, words are right on made numbers and bad laws, bad input gets one line."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

from conftest import Cli
from dumbbell.judge import (
    Chapter,
    Judged,
    JudgeError,
    Outcome,
    Row,
    all_chapters,
    candidate_of,
    outcome,
    read_chapter,
    run_judge,
    write_judge,
)
from dumbbell.judge.run import study_of
from dumbbell.judge.write import WIDTH, table
from dumbbell.own import LawError
from dumbbell.study import Arm, Axis, Metric, Study, StudyResult, run_study
from dumbbell.study.plan import StudyPlan
from test_libraries import compiled

CHAPTERS = {chapter.number: chapter for chapter in all_chapters()}

SMALL = """
number = 1
section = "5.1.3"
title = "A small one"
keyword = "should"
asks = "Does it work?"

[study]
seeds = 4

[study.scenario]
duration = "3s"
transport = { kind = "tcp" }
topology = { kind = "dumbbell" }
flows = [{ from = "senders", to = "receivers", jitter = "50ms" }]
record = { samples = false, queues = "none" }

[[study.axes]]
name = "buffer"
values = [0.2, 1]
set = "topology.bottleneck.queue.limit={value}bdp"

[[study.metrics]]
name = "loss"
unit = "%"
better = "lower"
source = { table = "links", link = "left->right", column = "loss", factor = 100 }

[study.quick]
seeds = 3

[[rows]]
metric = "loss"
by = "difference"
"""


def small(folder: Path, old: str = "", new: str = "") -> Chapter:
    """Return the small chapter, changed."""
    path = folder / "01-small.toml"
    path.write_text(SMALL.replace(old, new) if old else SMALL, encoding="utf-8")
    return read_chapter(path)


def judged(chapter: Chapter, name: str, folder: Path, points: dict[str, list[Any]]) -> Outcome:
    """Run some points of a chapter with few seeds, and return its word."""
    assert chapter.study is not None
    axes = tuple(axis.keeping(points.get(axis.name, axis.values)) for axis in chapter.study.axes)
    fewer = replace(chapter.study, axes=axes, seeds=(1, 2, 3, 4))
    study = study_of(replace(chapter, study=fewer), candidate_of(name), ["cubic", "newreno"], quick=False)
    return outcome(run_study(study, folder / "study"), chapter, "cubic")


def test_there_are_21_chapters_in_order() -> None:
    assert sorted(CHAPTERS) == list(range(1, 22))


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("number", [n for n, chapter in CHAPTERS.items() if chapter.study])
def test_chapters_plan(number: int, quick: bool) -> None:
    study = study_of(CHAPTERS[number], candidate_of("prague"), ["cubic", "newreno"], quick)
    assert len(StudyPlan(study)) > 0


def test_a_chapter_without_runs_says_what_it_needs(tmp_path: Path) -> None:
    needs = replace(CHAPTERS[14], study=None, rows=(), needs=("a breaker of glass",))
    found = run_judge(
        candidate_of("newreno"), [needs], tmp_path / "out", progress=lambda _: nullcontext(lambda _: None)
    )
    assert "not judged" in table(found)
    assert "needs a breaker of glass" in " ".join(table(found).split())


def synthetic(shift: float, seed: int, points: int = 6, seeds: int = 8) -> tuple[StudyResult, Chapter]:
    """Return a result of made numbers: the candidate's are larger by a shift, and noise is of each run."""
    rng = np.random.default_rng(seed)
    places = tuple(range(points))
    axis = Axis("place", "place", "", places, tuple((f"place={p}",) for p in places))
    arms = tuple(Arm(name, name) for name in ("candidate", "cubic", "newreno"))
    metrics = tuple(Metric(n, n, "", {"table": "runs", "column": n}, "lower") for n in ("wait", "loss"))
    study = Study("made", "", "", {}, Path(), (axis,), arms, tuple(range(1, seeds + 1)), metrics)
    rows = [
        {"run_id": f"{s}{p}{a.name}", "arm": a.name, "seed": s, "place": p}
        | {m.name: rng.normal() + shift * (a.name == "candidate") for m in metrics}
        for s in study.seeds
        for p in places
        for a in arms
    ]
    chapter = replace(
        CHAPTERS[2], study=study, rows=tuple(Row(metric.name, "difference") for metric in metrics)
    )
    return StudyResult(study, pa.Table.from_pylist(rows), len(rows), "0"), chapter


def test_words_are_false_at_the_declared_rate() -> None:
    words = Counter(outcome(*synthetic(0.0, seed), "cubic").word for seed in range(200))
    # 5 % of 200, and three standard deviations of a binomial number.
    assert words["more harm"] + words["less harm"] <= 19
    assert words["as reference"] >= 181


def test_real_differences_get_their_word() -> None:
    assert outcome(*synthetic(8.0, 1), "cubic").word == "more harm"
    assert outcome(*synthetic(-8.0, 1), "cubic").word == "less harm"


def test_what_cubic_does_too_is_as_cubic() -> None:
    result, chapter = synthetic(8.0, 1)
    chapter = replace(chapter, rows=tuple(replace(row, against="newreno") for row in chapter.rows))
    assert outcome(result, chapter, "cubic").word == "more harm"
    shifted = result.table.to_pylist()
    for row in shifted:
        if row["arm"] == "cubic":
            row["wait"] += 8.0
            row["loss"] += 8.0
    same = replace(result, table=pa.Table.from_pylist(shifted))
    assert outcome(same, chapter, "cubic").word == "as reference"


def changed(result: StudyResult, change: Callable[[dict[str, Any]], dict[str, float]]) -> StudyResult:
    """Return a result with other numbers in some columns."""
    rows = [row | change(row) for row in result.table.to_pylist()]
    return replace(result, table=pa.Table.from_pylist(rows))


def test_worse_in_one_row_beats_better_in_another() -> None:
    result, chapter = synthetic(8.0, 1)
    mixed = changed(result, lambda row: {"loss": row["loss"] - 16.0 * (row["arm"] == "candidate")})
    found = outcome(mixed, chapter, "cubic")
    assert [row.word for row in found.rows] == ["more harm", "less harm"]
    assert found.word == "more harm"


def test_what_should_be_high_does_harm_when_low() -> None:
    for shift, word in ((8.0, "less harm"), (-8.0, "more harm")):
        result, chapter = synthetic(shift, 1)
        metrics = tuple(replace(metric, better="higher") for metric in result.study.metrics)
        study = replace(result.study, metrics=metrics)
        high = replace(chapter, study=study)
        assert outcome(replace(result, study=study), high, "cubic").word == word


def test_the_largest_difference_decides() -> None:
    result, chapter = synthetic(8.0, 1)
    added = {("candidate", 3): 50.0}
    far = changed(result, lambda row: {"wait": row["wait"] + added.get((row["arm"], row["place"]), 0.0)})
    decided = outcome(far, chapter, "cubic").decided
    assert decided is not None
    assert (decided.label, decided.point) == ("wait", {"place": 3})
    assert decided.finding.estimate.value > 50


@pytest.mark.parametrize(
    ("own", "other", "word"),
    [
        (20.0, 0.0, "more harm"),
        (20.0, 20.0, "as reference"),
        (0.0, 20.0, "less harm"),
        (0.0, 0.0, "as reference"),
        (10.0, 0.0, "not judged"),
    ],
)
def test_a_bound_counts_where_cubic_keeps_it(own: float, other: float, word: str) -> None:
    """Numbers have a standard deviation of 1, and the bound is 10."""
    result, chapter = synthetic(0.0, 1)
    add = {"candidate": own, "cubic": other, "newreno": 0.0}
    moved = changed(result, lambda row: {"wait": row["wait"] + add[row["arm"]]})
    bound = replace(chapter, rows=(Row("wait", "bound", high=10.0, source="test"),))
    assert outcome(moved, bound, "cubic").word == word


def test_arms_are_the_candidate_the_references_and_the_others_alone() -> None:
    study = study_of(CHAPTERS[7], candidate_of("bbr"), ["cubic", "newreno"], quick=False)
    arms = {arm.name: arm.settings for arm in study.arms}
    assert arms == {
        "candidate": ("transport.controller=bbr",),
        "cubic": ("transport.controller=cubic",),
        "newreno": ("transport.controller=newreno",),
        "alone": ("transport.controller=cubic", "flows[0].start=1000s"),
    }
    quick = study_of(CHAPTERS[7], candidate_of("bbr"), ["cubic", "newreno"], quick=True)
    assert len(StudyPlan(quick)) < len(StudyPlan(study)) / 2


def test_a_word_that_chance_may_have_made_has_a_star() -> None:
    """One chapter of 21 is worse by so much that it stands alone, and not among all."""
    chapters, weak = [], 0.0
    for shift in np.arange(0.4, 3.0, 0.1):
        weak = float(shift)
        if outcome(*synthetic(weak, 5), "cubic").word == "more harm":
            break
    for number in range(1, 22):
        result, chapter = synthetic(weak if number == 7 else 0.0, 5 if number == 7 else 100 + number)
        chapters.append(outcome(result, replace(chapter, number=number), "cubic"))
    all_of_them = Judged(candidate_of("bbr"), ("cubic",), False, "0", tuple(chapters))
    alone = Judged(candidate_of("bbr"), ("cubic",), False, "0", (chapters[6],))
    assert alone.stands()[7] is True
    assert all_of_them.stands()[7] is False
    assert "more harm*" in table(all_of_them)
    assert "more harm*" not in table(alone)


def test_one_seed_is_not_judged() -> None:
    found = outcome(*synthetic(8.0, 1, seeds=1), "cubic")
    assert found.word == "not judged"
    assert "n=1" in found.why


def test_cubic_is_as_cubic(tmp_path: Path) -> None:
    chapter = small(tmp_path)
    found = judged(chapter, "cubic", tmp_path, {})
    assert found.word == "as reference"
    assert all(row.finding.estimate.value == 0 for row in found.rows)


def test_harm_is_the_published_formula(tmp_path: Path) -> None:
    from dumbbell.judge.words import with_harm

    points = {"other": ["cubic"], "mix": ["1 v 1"], "link": ["8 Mbit/s, 4 BDP"]}
    chapter = CHAPTERS[7]
    assert chapter.study is not None
    axes = tuple(axis.keeping(points[axis.name]) for axis in chapter.study.axes)
    fewer = replace(chapter, study=replace(chapter.study, axes=axes, seeds=(1, 2)))
    study = study_of(fewer, candidate_of("bbr"), ["cubic", "newreno"], quick=False)
    result = with_harm(run_study(study, tmp_path / "s"), chapter)
    point = result.points()[0]
    has = {
        (metric, arm): result.values(metric, arm, **point)[1]
        for metric in ("goodput", "wait", "harm-goodput", "harm-wait")
        for arm in ("candidate", "alone")
    }
    alone, beside = has["goodput", "alone"], has["goodput", "candidate"]
    assert np.allclose(has["harm-goodput", "candidate"], (alone - beside) / alone)
    alone, beside = has["wait", "alone"], has["wait", "candidate"]
    assert np.allclose(has["harm-wait", "candidate"], (beside - alone) / beside)
    assert np.allclose(has["harm-goodput", "alone"], 0)


LAW = """
#include "controller.h"
struct state {{ uint64_t n; }};
{more}
static void on(void *m, const struct dumbbell_signals *s, struct dumbbell_control *c)
{{
    struct state *own = m; (void)own; (void)s;
    {body}
}}
const struct dumbbell_law dumbbell_law = {{
    .abi = DUMBBELL_ABI, .state_bytes = sizeof(struct state), .needs = {needs}, .name = "bad", .on = on,
    .start = {start} }};
"""

DRAWS = """
static void begin(void *m, const struct dumbbell_random *r)
{ struct dumbbell_random own = *r; ((struct state *)m)->n = dumbbell_draw(&own); }
"""

BAD: dict[str, tuple[str, int, dict[str, list[Any]]]] = {
    # What it does, the chapter that is made for it, and points of that.
    "constant-window": (
        "c->window = 100 * (uint64_t)s->mss;", 3, {"part": ["steady state"], "flows": [4], "buffer": [0.5]},
    ),
    "grows-on-loss": (
        "if (s->event == DUMBBELL_LOSS) c->window += c->window / 2; else c->window += s->acked / 8;",
        3, {"part": ["steady state"], "flows": [1], "buffer": [0.5]},
    ),
    "ignores-timeouts": ("c->window = 100 * (uint64_t)s->mss;", 1, {"case": ["nothing passes"]}),
    "starves-others": (
        "c->window = 300 * (uint64_t)s->mss;",
        7, {"other": ["cubic"], "mix": ["1 v 1"], "link": ["8 Mbit/s, 1 BDP"]},
    ),
    "ended-by-a-breaker": ("c->window = 100 * (uint64_t)s->mss;", 14, {"flows": [16], "buffer": [0.1]}),
    "one-at-a-time": (
        "c->window = (own->n & 7 ? 1 : 60) * (uint64_t)s->mss;",
        4, {"case": ["equal round trips"], "flows": [16]},
    ),
}  # fmt: skip


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", BAD)
def test_bad_laws_fail_the_chapter_made_for_them(name: str, tmp_path: Path) -> None:
    body, number, points = BAD[name]
    draws = "own->n" in body
    source = LAW.format(
        body=body, more=DRAWS if draws else "", start="begin" if draws else "0",
        needs="DUMBBELL_NEEDS_RANDOM" if draws else "0",
    )  # fmt: skip
    library = compiled(tmp_path, source, name)
    found = judged(CHAPTERS[number], str(library), tmp_path, points)
    assert found.word == "more harm", [row.finding for row in found.rows]


def test_a_chapter_that_fails_says_so_and_others_stand(tmp_path: Path) -> None:
    good = small(tmp_path)
    assert good.study is not None
    broken = replace(good, id="02-broken", number=2, study=replace(good.study, name="broken"))
    broken = replace(broken, candidate=("transport.nonsense={controller}",))
    found = run_judge(
        candidate_of("newreno"), [broken, good], tmp_path / "out", quick=True,
        progress=lambda _: nullcontext(lambda _: None),
    )  # fmt: skip
    first, second = found.outcomes
    assert first.failed
    assert first.word == "not judged"
    assert "nonsense" in first.why
    assert second.word != "not judged"
    page = write_judge(found, tmp_path / "out")
    assert "nonsense" in page.read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_law_that_crashes_costs_its_chapter(tmp_path: Path) -> None:
    crash = "c->window = 80 * (uint64_t)s->mss; if (s->event == DUMBBELL_LOSS) __builtin_trap();"
    library = compiled(tmp_path, LAW.format(body=crash, more="", start="0", needs="0"), "crash")
    full = small(tmp_path)
    assert full.study is not None
    fast = {"topology": {"kind": "dumbbell", "bottleneck": {"rate": "100Mbit/s"}}}
    axes = (full.study.axes[0].keeping([1]),)
    calm = replace(full.study, axes=axes, scenario=full.study.scenario | fast)
    found = run_judge(
        candidate_of(str(library)), [full, replace(full, id="02-calm", number=2, study=calm)],
        tmp_path / "out", progress=lambda _: nullcontext(lambda _: None),
    )  # fmt: skip
    first, second = found.outcomes
    assert first.failed
    assert "the law ended the process" in first.why
    assert not second.failed, second.why


def test_what_surrounds_runs_is_told(tmp_path: Path) -> None:
    class Show:
        told: ClassVar[list[tuple[str, int, int]]] = []

        def __call__(self, _now: Any) -> None:
            self.told.append(("runs", 0, 0))

        def stage(self, what: str, done: int, total: int) -> None:
            self.told.append((what, done, total))

    chapter = small(tmp_path)
    for _ in range(2):
        Show.told.clear()
        run_judge(
            candidate_of("newreno"), [chapter], tmp_path / "out", quick=True,
            progress=lambda _: nullcontext(Show()),
        )  # fmt: skip
    # The second time, all runs are there: a user sees the stages alone.
    order = list(dict.fromkeys(what for what, _, _ in Show.told))
    assert order == ["runs planned", "runs", "rows judged", "figures drawn"]
    planned = Show.told[0][2]
    assert planned == len(StudyPlan(study_of(chapter, candidate_of("newreno"), ["cubic", "newreno"], True)))


def test_a_folder_goes_on_and_its_files_agree(tmp_path: Path) -> None:
    reused = []

    def progress(_title: str) -> Any:
        return nullcontext(lambda now: reused.append((now.reused, now.total)))

    for _ in range(2):
        found = run_judge(
            candidate_of("bbr"), [small(tmp_path)], tmp_path / "out", quick=True, progress=progress
        )
        write_judge(found, tmp_path / "out")
    assert reused[0][0] == 0
    assert reused[-1][0] == reused[-1][1] > 0
    text = table(found)
    assert max(map(len, text.splitlines())) <= WIDTH
    kept = json.loads((tmp_path / "out/judge.json").read_text(encoding="utf-8"))
    assert kept["chapters"][0]["word"] in text
    assert kept["chapters"][0]["rows"][0]["finding"]["estimate"]["low"] is not None
    xml = (tmp_path / "out/judge.xml").read_text(encoding="utf-8")
    assert xml.count("<tr>") == 2
    assert (tmp_path / "out/01-small/scenario.toml").is_file()
    assert (tmp_path / "out/01-small/report.html").is_file()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("number = 1", "numbr = 1", "number: missing|numbr: unknown key|is out of range"),
        ('keyword = "should"', 'keyword = "shall"', "keyword: 'shall' is none; did you mean"),
        ('by = "difference"', 'by = "feeling"', r"rows\[0\].by: 'feeling' is none"),
        ('by = "difference"', 'by = "bound"', "give `low` or `high`"),
        ('by = "difference"', 'by = "bound"\nhigh = 3', "who gives the bound"),
        ('by = "difference"', 'by = "harm"', "alone: missing"),
        ('better = "lower"\n', "", "no `better`"),
        ("[[rows]]", "[[study.arms]]\nname = 'x'\n[[rows]]", "the judge makes the arms"),
    ],
)
def test_bad_chapters_get_one_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match=said):
        small(tmp_path, old, new)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cubic", "--against", "cubic,cubic"), "--against: cubic stands there twice"),
        (("cubic", "--chapter", "77"), "there is no chapter 77"),
    ],
)
def test_bad_input_gets_one_line(arguments: tuple[str, ...], said: str, cli: Cli) -> None:
    result = cli("judge", *arguments, "-o", "out")
    assert result.returncode not in (0, 3)
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cubik", "no controller 'cubik'; did you mean"),
        ("", "no controller ''; use one of"),
        ("./none.so", "./none.so: no such file"),
        ("none.py:Mine", "none.py: no such file; give the path of a law"),
        ("mine.py", "mine.py: the class is not named; name mine.py:Mine"),
        ("mine.py:", "mine.py:: the class is not named; name mine.py:Mine"),
        ("mine.py:Other", "mine.py: has no class Other; its laws are Mine"),
        ("empty.py", "empty.py: holds no law; write"),
        ("binary.py:Mine", r"binary.py: not UTF-8 text \(byte 0\); save it as UTF-8"),
    ],
)
def test_unknown_candidates_get_one_line(
    name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    law = "from dumbbell.own import Controller\nclass Mine(Controller):\n"
    law += "    def on_ack(self, ack, control):\n        control.window = 1\n"
    Path("mine.py").write_text(law, encoding="utf-8")
    Path("empty.py").touch()
    Path("binary.py").write_bytes(b"\xff")
    with pytest.raises((JudgeError, LawError), match=said):
        candidate_of(name)


def test_the_page_shows_what_the_command_prints(cli: Cli) -> None:
    page = (Path(__file__).parents[2] / "docs/judge.md").read_text(encoding="utf-8")
    command = next(line for line in page.splitlines() if line.startswith("    $ dumbbell judge"))
    shown = page.split("```\n")[1]
    result = cli(*command.split()[2:])
    assert result.returncode == 3, result.stderr
    assert shown in result.stdout
