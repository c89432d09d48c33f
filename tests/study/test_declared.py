"""Claims, figures and further studies of a study file, and what is said about wrong ones."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from dumbbell import _native
from dumbbell.claims import Level, Ratio, claims_of, declared
from dumbbell.errors import UnknownNameError
from dumbbell.report import Measured, Reference, figures_of, index_of, report_problems
from dumbbell.study import Study, StudyError
from tests.conftest import Cli
from tests.study.conftest import changed

CLAIM: dict[str, Any] = {
    "id": "faster",
    "statement": "CUBIC is faster.",
    "metric": "fct",
    "rule": {"kind": "order", "arms": ["cubic", "newreno"], "at": {"load": 0.6}},
}
FIGURE: dict[str, Any] = {"id": "times", "title": "Completion time", "x": "load", "metric": "fct"}


def study(**changes: Any) -> Study:
    return Study.from_dict(changed(**changes))


def claim(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in (CLAIM | changes).items() if value is not None}


def rule(**changes: Any) -> dict[str, Any]:
    return claim(rule={key: value for key, value in (CLAIM["rule"] | changes).items() if value is not None})


def figure(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in (FIGURE | changes).items() if value is not None}


def test_claims_and_figures_are_those_of_the_file() -> None:
    level = {"kind": "level", "arm": "cubic", "high": 1, "at": {"load": [0.3, 0.6]}}
    found = claims_of(study(claims=[CLAIM, claim(id="short", rule=level, ours="a second is short")]))
    assert [entry.id for entry in found] == ["faster", "short"]
    assert found[0].source == "our question"
    assert found[1].rule == Level("cubic", high=1.0, at={"load": (0.3, 0.6)})
    assert found[1].bound == {"by": "ours", "reason": "a second is short"}
    references = [
        {"label": "limit", "y": 2},
        {"label": "published", "y": [1, 2], "x": [0.3, 0.6], "source": "[X]", "marks": True},
        {"label": "loss", "metric": "loss", "arm": "cubic"},
    ]
    (drawn,) = figures_of(study(figures=[figure(references=references, x_range=[0, 1], answers=True)]))
    assert drawn.references == (
        Reference("limit", (2.0,)),
        Reference("published", (1.0, 2.0), (0.3, 0.6), "[X]", marks=True),
        Measured("loss", "loss", "cubic"),
    )
    assert (drawn.x_range, drawn.answers) == ((0.0, 1.0), True)


def test_an_entry_may_be_written_once_for_many() -> None:
    ratio = {
        "kind": "ratio",
        "arm": "{arm}",
        "over": "newreno",
        "high": "{at.most}",
        "at": {"load": "{at.load}"},
    }
    many = claim(
        id="{arm}-{at.load}",
        statement="{arm} at {at.load}.",
        rule=ratio,
        reason={"*-0.3": "few flows", "cubic-0.6": ""},
    )
    places = [{"load": 0.3, "most": 2}, {"load": 0.6, "most": 1.5}]
    given = study(claims=[many | {"for": [{"arm": ["cubic"]}, {"at": places}]}])
    found = claims_of(given)
    assert [entry.id for entry in found] == ["cubic-0.3", "cubic-0.6"]
    assert found[1].rule == Ratio("cubic", "newreno", high=1.5, at={"load": 0.6})
    assert [entry.reason for entry in found] == ["few flows", ""]
    drawn = figures_of(
        study(figures=[figure(id="{m}", metric="{m}", answers="lo*") | {"for": {"m": ["fct", "loss"]}}])
    )
    assert [(spec.id, spec.answers) for spec in drawn] == [("fct", False), ("loss", True)]


def test_a_companion_is_the_study_with_changes() -> None:
    given = study(
        claims=[CLAIM, claim(id="other")],
        figures=[figure(arms=["newreno", "cubic"]), figure(id="alone", arms=["newreno"])],
        sources={"duration": "section 1"},
        companions=[
            {
                "name": "slow",
                "title": "Slow",
                "seeds": {"first": 101, "count": 3},
                "change": {"topology": {"bottleneck": {"rate": "1Mbit/s", "queue": {"kind": "codel"}}}},
                "remove": ["warmup", "topology.pairs"],
                "axes": [
                    {"name": "load", "values": [0.3]},
                    {"name": "p", "values": [1], "set": "topology.pairs={value}"},
                ],
                "arms": ["cubic", {"name": "vegas", "set": "transport.controller=vegas"}],
                "metrics": ["*", "!loss"],
                "claims": ["*", "!other"],
                "figures": ["*"],
                "sources": {"topology.pairs": "the axis"},
                "quick": {"seeds": 1, "axes": {"load": [0.3]}, "change": {"duration": "1s"}},
            }
        ],
    )
    slow = given.companion("slow")
    assert (slow.name, slow.title, slow.question) == ("small-slow", "Slow", given.question)
    assert slow.seeds == (101, 102, 103)
    topology = given.scenario["topology"]
    assert slow.scenario == {
        **{key: value for key, value in given.scenario.items() if key != "warmup"},
        # Another kind of queue takes the place of the old one, limit and all.
        "topology": {
            "kind": "dumbbell",
            "bottleneck": topology["bottleneck"] | {"rate": "1Mbit/s", "queue": {"kind": "codel"}},
        },
    }
    assert [axis.values for axis in slow.axes] == [(0.3,), (1,)]
    assert slow.axes[0].settings == given.axes[0].settings[:1]
    assert [arm.name for arm in slow.arms] == ["cubic", "vegas"]
    assert [metric.name for metric in slow.metrics] == ["fct"]
    assert [entry.id for entry in claims_of(slow)] == ["faster"]
    assert [(spec.id, spec.arms) for spec in figures_of(slow)] == [("times", ("cubic",))]
    assert slow.declared.sources == {"duration": "section 1", "topology.pairs": "the axis"}
    quick = slow.quick()
    assert (quick.seeds, quick.scenario["duration"]) == ((101,), "1s")
    with pytest.raises(
        UnknownNameError, match=r"the study 'small' has no companion 'slwo'; did you mean \"slow\"\?"
    ):
        given.companion("slwo")


def test_a_scenario_of_its_own_has_all_its_sources() -> None:
    scenario = study().scenario | {"duration": "3s"}
    own = {"name": "own", "scenario": scenario, "sources": {"duration": "choice"}}
    found = study(sources={"warmup": "section 1"}, companions=[own]).companion("own")
    assert found.scenario["duration"] == "3s"
    assert (found.declared.sources, found.declared.own_scenario) == ({"duration": "choice"}, True)


def test_parts_may_stand_in_files_that_it_includes(tmp_path: Path) -> None:
    (tmp_path / "more.toml").write_text(
        '[[figures]]\nid = "times"\ntitle = "Times"\nx = "load"\nmetric = "fct"\n'
        '[[index]]\nprinted = "Figure 1"\nshows = "Times"\nhere = ["times"]\n'
    )
    values = changed(include=["more.toml"], claims=[CLAIM])
    found = Study.from_dict(values, tmp_path)
    assert [spec.id for spec in figures_of(found)] == ["times"]
    assert [row.printed for row in index_of(found)] == ["Figure 1"]
    with pytest.raises(
        StudyError, match=r"include: .*absent.toml: there is no such file; give the name of a"
    ):
        Study.from_dict(values | {"include": ["absent.toml"]}, tmp_path)
    (tmp_path / "more.toml").write_text(
        "[[figures]]\nid = 'a b'\ntitle = 'T'\nx = 'load'\nmetric = 'fct'\nnotes = 'N'\n"
    )
    with pytest.raises(StudyError) as caught:
        Study.from_dict(values, tmp_path)
    assert list(caught.value.problems) == [
        'more.toml: figures[0].notes: unknown key; did you mean "note"?',
        'more.toml: figures[0].id: "a b" is not a name; use letters, digits, - and _, a letter first',
    ]


def test_the_folder_of_a_study_keeps_its_claims() -> None:
    given = study(
        claims=[CLAIM], figures=[FIGURE], sources={"duration": "section 1"}, companions=[{"name": "x"}]
    )
    again = Study.from_folder(json.loads(json.dumps(given.to_dict())), "/nowhere")
    assert claims_of(again) == claims_of(given)
    assert figures_of(again) == figures_of(given)
    assert again.declared.sources == given.declared.sources
    assert again.companions == ()


SYNTAX = [
    (
        {"claims": [rule(kind="ordr")]},
        'claims[0].rule.kind: "ordr" is not a rule; did you mean "order"?',
    ),
    (
        {"claims": [claim(rule={"arms": ["cubic", "newreno"]})]},
        "claims[0].rule.kind: missing kind of rule; use one of level, ratio, difference, order, monotone, "
        "crossing",
    ),
    ({"claims": [claim(id=None)]}, "claims[0].id: missing name; add `id = ...`"),
    ({"claims": [CLAIM, CLAIM]}, "claims: 2 have the id 'faster'; rename all but one"),
    ({"figures": [FIGURE, FIGURE]}, "figures: 2 have the id 'times'; rename all but one"),
    (
        {"companions": [{"name": "a"}, {"name": "a"}]},
        "companions: 2 have the name 'a'; rename all but one",
    ),
    (
        {"claims": [claim(id="{x}")]},
        'claims[0].id: "{x}" is not an id; use letters, digits, -, _ and points, a letter first',
    ),
    (
        {"claims": [claim(statement="Two\nlines.")]},
        "claims[0].statement: the text holds the control character U+000A; write text without control "
        "characters",
    ),
    (
        {"claims": [claim(statement="With {x}.")]},
        "claims[0].statement: {x} stands for nothing; name its values in `for`, or leave the braces out",
    ),
    (
        {"claims": [claim(rule={"kind": "level", "arm": "cubic"})]},
        "claims[0].rule: without bounds no data could break the claim; give low, high or both",
    ),
    (
        {"claims": [claim(rule={"kind": "level", "arm": "cubic", "low": 2, "high": 1})]},
        "claims[0].rule.low: nothing lies between 2 and 1; put the lower first",
    ),
    (
        {"claims": [rule(arms=["cubic", "cubic"])]},
        "claims[0].rule.arms: no order of two or more different arms; name the lowest first",
    ),
    (
        {"claims": [claim(ours="a guess")]},
        "claims[0].ours: the rule has no bound that could be ours; leave it out",
    ),
    (
        {"figures": [figure(references=[{"label": "a", "y": [1, 2]}])]},
        "figures[0].references[0]: 0 x and 2 y; give as many of each, or one y alone",
    ),
    (
        {"figures": [figure(references=[{"label": "a", "metric": "fct"}])]},
        "figures[0].references[0]: neither numbers nor a metric of an arm; give y, or metric and arm",
    ),
    (
        {"figures": [figure(relative_to="cubic", factor=2)]},
        "figures[0].relative_to: a ratio has no unit; leave factor and unit out",
    ),
    (
        {"index": [{"printed": "Figure 1", "shows": "Times"}]},
        "index[0]: points nowhere; name what shows it, or say in `note` why nothing does",
    ),
    (
        {"companions": [{"name": "a", "scenario": {}, "change": {}}]},
        "companions[0].change: the scenario is its own; write it there",
    ),
    (
        {"quick": {"axes": {"load": 0.3}}},
        "quick.axes.load: not a list of values; give some of the axis in [brackets]",
    ),
    (
        {"sources": {"a": {"b": "c"}}},
        "sources.a: a table stands where a text is needed; put the whole name in quotes",
    ),
]


@pytest.mark.parametrize(("changes", "words"), SYNTAX, ids=[words.split(";")[0][:50] for _, words in SYNTAX])
def test_what_the_file_says_wrongly(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(StudyError) as caught:
        study(**changes)
    assert list(caught.value.problems) == [words]


NAMES = [
    (
        {"claims": [claim(metric="fact")]},
        "claim 'faster': metric: the study has no metric 'fact'; did you mean \"fct\"?",
    ),
    (
        {"claims": [rule(arms=["cubic", "newren"])]},
        "claim 'faster': rule.arms: the study has no arm 'newren'; did you mean \"newreno\"?",
    ),
    (
        {"claims": [rule(at={"laod": 0.3})]},
        "claim 'faster': rule: the study has no axis 'laod'; did you mean \"load\"?",
    ),
    (
        {"claims": [rule(at={"load": [0.3, 0.5]})]},
        "claim 'faster': rule: at.load: 0.5 is not a value of the axis; use one of 0.3, 0.6",
    ),
    (
        {"claims": [claim(reason={"fast*": "a", "slow*": "b"})]},
        "claim 'faster': reason: no id is 'slow*'; use one of faster",
    ),
    (
        {"claims": [claim(reason={"fast*": "a", "*er": "b"})]},
        "claim 'faster': reason: 'fast*' and '*er' speak of it; let one do so",
    ),
    (
        {"figures": [figure(x="laod")]},
        "figure 'times': the study has no axis 'laod'; did you mean \"load\"?",
    ),
    (
        {"figures": [figure(arms=["cubik"])]},
        "figure 'times': the study has no arm 'cubik'; did you mean \"cubic\"?",
    ),
    (
        {"figures": [figure(answers="other")]},
        "figure 'times': answers: no figure is called 'other'; use one of times",
    ),
]


@pytest.mark.parametrize(("changes", "words"), NAMES, ids=[words.split(";")[0][:50] for _, words in NAMES])
def test_what_it_names_must_be_there(changes: dict[str, Any], words: str) -> None:
    assert report_problems(study(**changes))[:1] == [words]


def test_a_figure_leaves_no_axis_open() -> None:
    more = {"name": "pairs", "values": [2, 3], "set": "topology.pairs={value}"}
    given = study(axes=[*changed()["axes"], more], figures=[FIGURE])
    assert report_problems(given) == [
        "figure 'times': the axis 'pairs' is open; give its value in `at`, one of 2, 3"
    ]


COMPANIONS = [
    ({"axes": ["laod"]}, "axes: the study has none that is called 'laod'; did you mean \"load\"?"),
    (
        {"axes": [{"name": "laod", "values": [0.3]}]},
        "axes: the study has no axis 'laod'; did you mean \"load\"?",
    ),
    (
        {"axes": [{"name": "load", "values": [0.5]}]},
        "axes: 0.5 is not a value of the axis 'load'; give some of 0.3, 0.6",
    ),
    ({"arms": ["cubik"]}, "arms: the study has none that is called 'cubik'; did you mean \"cubic\"?"),
    ({"claims": ["fast*"]}, "claims: the study has none that is called 'fast*'; remove it"),
    ({"remove": ["drain"]}, "remove: the scenario has no 'drain'; leave it out"),
    ({"by_size": ["mean"]}, "by_size: the study has no metrics by size; give a table"),
]


@pytest.mark.parametrize(
    ("changes", "words"), COMPANIONS, ids=[words.split(";")[0][:50] for _, words in COMPANIONS]
)
def test_a_companion_changes_what_is_there(changes: dict[str, Any], words: str) -> None:
    given = study(companions=[{"name": "a"} | changes])
    with pytest.raises(StudyError) as caught:
        given.companion("a")
    assert list(caught.value.problems) == [f"companions: a: {words}"]


def test_a_command_tells_it_in_one_line(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    values = changed(companions=[{"name": "a", "axes": ["laod"]}])
    text = _toml(values)
    (tmp_path / "mine.toml").write_text(text)
    assert not file.exists()
    for words in (("study", "run", "mine.toml", "-o", "out"), ("check", "mine.toml")):
        done = cli(*words)
        assert (done.returncode, done.stderr) == (
            2,
            "dumbbell: mine.toml: companions: a: axes: the study has none that is called 'laod'; "
            'did you mean "load"?\n',
        )
    assert not (tmp_path / "out").exists()


def _toml(values: dict[str, Any]) -> str:
    """The values as TOML, each on one line."""

    def text(value: Any) -> str:
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{key} = {text(entry)}" for key, entry in value.items()) + " }"
        if isinstance(value, list):
            return "[" + ", ".join(map(text, value)) + "]"
        return json.dumps(value)

    return "".join(f"{key} = {text(value)}\n" for key, value in values.items())


def test_check_says_what_a_study_holds(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        _toml(changed(claims=[CLAIM], figures=[FIGURE], companions=[{"name": "a", "arms": ["cubic"]}]))
    )
    done = cli("check", "mine.toml")
    assert done.returncode == 0, done.stderr
    assert re.search(r"small +2 +2 +5 +20 +1 +1$", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"small-a +2 +1 +5 +10 +0 +0$", done.stdout, re.MULTILINE), done.stdout


def test_editors_know_the_tables() -> None:
    schema = _native.study_schema()["properties"]
    assert {"claims", "figures", "index", "companions", "quick", "sources", "include"} <= set(schema)
    entry, block = schema["claims"]["items"]["anyOf"]
    assert {"id", "statement", "rule", "for"} <= set(entry["properties"])
    assert block["required"] == ["each"]


def test_every_kind_of_rule_has_its_class() -> None:
    entry, _ = _native.study_schema()["properties"]["claims"]["items"]["anyOf"]
    kinds = {
        kind["properties"]["kind"]["const"]: set(kind["properties"])
        for kind in entry["properties"]["rule"]["anyOf"]
    }
    assert kinds.keys() == declared._RULES.keys()
    for kind, keys in kinds.items():
        assert keys - {"kind"} == {field.name for field in fields(declared._RULES[kind])}, kind
