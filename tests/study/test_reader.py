"""Study files: what they may say, and what is said about those that are wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from dumbbell import _native, registry
from dumbbell.study import Study, StudyError
from dumbbell.study.metric import STATISTICS
from dumbbell.study.sizes import EACH
from tests.study.conftest import STUDY, changed, write_study


def values_of(given: Any) -> tuple[Any, ...]:
    axis = {"name": "load", "values": given, "set": "workloads[0].load={value}"}
    return Study.from_dict(changed(axes=[axis])).axes[0].values


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ([0.1, 2], (0.1, 2.0)),
        ([1, 2], (1, 2)),
        (["a", "b"], ("a", "b")),
        ({"start": 0.1, "stop": 0.5, "step": 0.1}, (0.1, 0.2, 0.3, 0.4, 0.5)),
        ({"start": 5, "stop": 1, "step": -2}, (5, 3, 1)),
        ({"start": 0, "stop": 1, "count": 5}, (0.0, 0.25, 0.5, 0.75, 1.0)),
        ({"start": 1, "stop": 1000, "count": 4, "scale": "log"}, (1.0, 10.0, 100.0, 1000.0)),
    ],
)
def test_values_of_an_axis(given: Any, values: tuple[Any, ...]) -> None:
    found = values_of(given)
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


def test_linked_axis_sets_several_paths() -> None:
    axes = [
        {"name": "rate", "values": [1, 10], "set": ["a={value}Mbit/s", "b=-{value}"]},
        {"name": "path", "values": ["near", "far"], "settings": [["d=1ms"], ["d=50ms", "e=2"]]},
    ]
    study = Study.from_dict(changed(axes=axes))
    assert study.axes[0].settings == (("a=1Mbit/s", "b=-1"), ("a=10Mbit/s", "b=-10"))
    assert list(study.grid())[3] == (
        {"rate": 10, "path": "far"},
        ("a=10Mbit/s", "b=-10", "d=50ms", "e=2"),
    )


@pytest.mark.parametrize(
    ("given", "seeds"), [(3, (1, 2, 3)), ([4, 2], (4, 2)), ({"first": 7, "count": 2}, (7, 8))]
)
def test_seeds(given: Any, seeds: tuple[int, ...]) -> None:
    assert Study.from_dict(changed(seeds=given)).seeds == seeds


def test_what_is_written_reads_back() -> None:
    stop = {"metric": "fct", "absolute": 0.5, "confidence": 0.9, "minimum": 3}
    study = Study.from_dict(changed(stop=stop))
    assert Study.from_dict(study.to_dict()) == study


def test_toml_file_with_its_scenario_in_another(tmp_path: Path) -> None:
    write_study(tmp_path / "base.toml", STUDY["scenario"])
    write_study(tmp_path / "study.toml", changed(scenario="base.toml", name=None))
    study = Study.from_file(tmp_path / "study.toml")
    assert study.scenario == STUDY["scenario"]
    # A file that is called as they all are says less than its folder.
    assert study.name == tmp_path.name


def test_python_file_with_a_function_as_metric(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from dataclasses import replace\n"
        "from dumbbell.study import Metric, Study\n"
        "SCALE = 1000\n"
        "def longest(results):\n"
        "    return SCALE * results.flows['completion_time'].max()\n"
        f"study = Study.from_dict({STUDY!r})\n"
        "study = replace(study, metrics=(Metric('longest', 'longest', 'ms', longest),))\n"
    )
    before = [run.id for run in Study.from_file(path).runs()]
    assert before == [run.id for run in Study.from_file(path).runs()]
    path.write_text(path.read_text().replace("SCALE = 1000", "SCALE = 1"))
    after = [run.id for run in Study.from_file(path).runs()]
    assert not set(before) & set(after), "a metric that computes something else is another run"


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"seed": 3}, 'seed: unknown key; did you mean "seeds"?'),
    "no name": ({"name": None}, "name: missing name; add `name = ...`"),
    "bad name": ({"name": "a b"}, 'name: "a b" is not a name; use letters, digits, - and _, a letter first'),
    "no scenario": (
        {"scenario": None},
        "scenario: missing scenario; give the path of a scenario file, or write a [scenario] table",
    ),
    "no metrics": ({"metrics": None}, "metrics: the study measures nothing; add [[metrics]]"),
    "negative seed": (
        {"seeds": [-1]},
        "seeds: not a list of 1 to 10,000 whole numbers from 0; "
        "give how many, a list, or { first = 1, count = 20 }",
    ),
    "same seed": (
        {"seeds": [1, 1]},
        "seeds: holds the same seed twice; leave one of them out: it would count twice",
    ),
    "no seeds": ({"seeds": 0}, "seeds: 0 are not seeds; give how many, a list, or { first = 1, count = 20 }"),
    "axis sets nothing": (
        {"axes": [{"name": "x", "values": [1]}]},
        'axes[0]: the axis sets nothing; add set = "path={value}", or settings with one list for each value',
    ),
    "value unused": (
        {"axes": [{"name": "x", "values": [1], "set": "seed=2"}]},
        "axes[0].set: does not use the value; write {value} where it belongs: "
        'set = "topology.bottleneck.rate={value}Mbit/s"',
    ),
    "mixed values": (
        {"axes": [{"name": "x", "values": [1, "a"], "set": "y={value}"}]},
        "axes[0].values: mixes numbers and other things; give numbers only, or texts only",
    ),
    "twice the same value": (
        {"axes": [{"name": "x", "values": [1, 1], "set": "y={value}"}]},
        "axes[0].values: holds the same value twice; leave one of them out",
    ),
    "endless range": (
        {"axes": [{"name": "x", "values": {"start": 0, "stop": 1, "step": 0}, "set": "y={value}"}]},
        "axes[0].values: gives 0 values; correct start, stop and step",
    ),
    "log of zero": (
        {
            "axes": [
                {
                    "name": "x",
                    "values": {"start": 0, "stop": 1, "count": 3, "scale": "log"},
                    "set": "y={value}",
                }
            ]
        },
        'axes[0].values: a log scale needs numbers above zero; use "linear" or "log"',
    ),
    "reserved": (
        {"axes": [{"name": "seed", "values": [1], "set": "seed={value}"}]},
        "axes[0].name: 'seed' is a column of every study; choose another name",
    ),
    "two arms of a name": (
        {"arms": [{"name": "a"}, {"name": "a"}]},
        "arms[1].name: a second 'a'; choose another name",
    ),
    "no setting": (
        {"arms": [{"name": "a", "set": "cubic"}]},
        'arms[0].set: "cubic" is not a setting; write "path=value", or a list of these',
    ),
    "unknown column": (
        {"metrics": [{"name": "x", "source": {"table": "runs", "column": "godput"}}]},
        'metrics[0].source.column: runs has no column of numbers "godput"; did you mean "goodput"?',
    ),
    "unknown table": (
        {"metrics": [{"name": "x", "source": {"table": "samples"}}]},
        'metrics[0].source.table: "samples" is not a table of results that metrics come from; '
        "use one of runs, links, flows, transfers, classes, drops, states",
    ),
    "no link": (
        {"metrics": [{"name": "x", "source": {"table": "links", "column": "loss"}}]},
        'metrics[0].source.link: missing link; add link = "left->right"; `dumbbell check` lists the links',
    ),
    "shares of classes": (
        {"metrics": [{"name": "x", "source": {"table": "classes", "link": "left->right", "column": "loss"}}]},
        "metrics[0].source.class: shares and means of classes such as loss do not add up; "
        "name a class, or take the column from the table `links`",
    ),
    "unknown statistic": (
        {"metrics": [{"name": "x", "source": {"table": "flows", "column": "size", "statistic": "mode"}}]},
        'metrics[0].source.statistic: "mode" is not one of mean, sum, count, min, max, p50, p90, p95, p99; '
        "use one of mean, sum, count, min, max, p50, p90, p95, p99",
    ),
    "stop at what": (
        {"stop": {"metric": "nope", "relative": 0.1}},
        "stop.metric: 'nope' is not a metric of the study; use one of fct, loss",
    ),
    "stop when": (
        {"stop": {"metric": "fct"}},
        "stop: no half-width to reach; give either relative = 0.05 or absolute, above zero",
    ),
    "too many runs": (
        {
            "seeds": 10000,
            "axes": [{"name": "x", "values": {"start": 1, "stop": 51, "step": 1}, "set": "y={value}"}],
        },
        "axes: 1,020,000 runs are above the limit of 1,000,000; split the study",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_each_mistake_has_its_message(case: str) -> None:
    changes, message = WRONG[case]
    with pytest.raises(StudyError) as caught:
        Study.from_dict(changed(**changes))
    assert caught.value.problems == (message,)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(StudyError) as caught:
        Study.from_dict(changed(seeds=0, sneeds=1, arms=[{"name": "9"}], metrics=[{"name": "x"}]))
    assert len(caught.value.problems) == 4


def test_mistakes_of_every_part_are_reported_with_places() -> None:
    """Also those that stand between parts, whatever else is wrong."""
    axes = [
        {"name": "x", "values": {"start": 1, "stop": 2, "step": 1, "count": 2}, "set": "a={value}"},
        {"name": "x", "values": [1], "set": "a={value}", "unit": 3},
    ]
    by_size = {"packet": 0, "up_to": [1], "metrics": [{"name": "s", "source": {"column": "size", "ech": 1}}]}
    source = {"table": "states", "link": "left->right", "statistic": "share", "state": "paus"}
    given = changed(
        sneeds=1,
        seeds=[2**40, True],
        axes=axes,
        arms=[{"name": "a"}, {"name": "a", "set": 3}],
        metrics=[{"name": "run_id", "source": source}],
        by_size=by_size,
        stop={"metric": "nope", "relative": 0.1, "confidence": 95},
    )
    with pytest.raises(StudyError) as caught:
        Study.from_dict(given)
    assert caught.value.problems == (
        'sneeds: unknown key; did you mean "seeds"?',
        "seeds: not a list of 1 to 10,000 whole numbers from 0; "
        "give how many, a list, or { first = 1, count = 20 }",
        "axes[0].values: both `step` and `count` are given; "
        "write { start, stop, step }, or { start, stop, count }",
        "axes[1].unit: an integer stands where a string is needed; put it in quotes",
        'arms[1].set: 3 is not a setting; write "path=value", or a list of these',
        'metrics[0].source.state: "paus" is not a state; did you mean "pause"?',
        'by_size.metrics[0].source.ech: unknown key; did you mean "each"?',
        "stop.confidence: 95 is not a confidence; use 0.95, for example",
        "axes[1].name: a second 'x'; choose another name",
        "metrics[0].name: 'run_id' is a column of every study; choose another name",
        "arms[1].name: a second 'a'; choose another name",
        "stop.metric: 'nope' is not a metric of the study; use one of run_id",
    )


def test_a_scenario_that_cannot_be_read_is_told_with_the_rest(tmp_path: Path) -> None:
    write_study(tmp_path / "study.toml", changed(scenario="nowhere.toml", seeds=0))
    with pytest.raises(StudyError) as caught:
        Study.from_file(tmp_path / "study.toml")
    seeds, scenario = caught.value.problems
    assert "study.toml: seeds: 0 are not seeds" in seeds
    assert scenario.endswith("there is no such file; give the path of a readable scenario file")


def test_a_function_stays_a_function_and_a_mapping_is_a_table() -> None:
    def longest(results: Any) -> float:
        return float(results.flows["completion_time"].max())

    metrics = [*STUDY["metrics"], {"name": "longest", "source": longest}]
    study = Study.from_dict(MappingProxyType(changed(metrics=metrics)))
    assert study.metric("longest").source is longest
    assert study.metrics[0].source == STUDY["metrics"][0]["source"], "as it was written: ids hang on it"


def test_the_words_of_the_language_can_be_computed() -> None:
    fields = {table["name"]: table["fields"] for table in registry()["study"]}

    def words(table: str, key: str) -> list[str]:
        (field,) = (field for field in fields[table] if field["name"] == key)
        return list(field["schema"]["enum"])

    assert words('source with table = "flows"', "statistic") == list(STATISTICS)
    assert words("source of a metric by size", "statistic") == list(STATISTICS)
    assert words("source of a metric by size", "each") == list(EACH)


def test_the_schema_knows_every_key_and_holds_the_scenario() -> None:
    schema = _native.study_schema()
    assert set(schema["properties"]) == {field["name"] for field in registry()["study"][0]["fields"]}
    assert schema["required"] == ["scenario"]
    assert schema["$defs"]["scenario"]["properties"]["duration"]
    references = set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(schema)))
    assert references <= set(schema["$defs"])


@pytest.mark.parametrize("text", ["name = ", "\udcff", "[[name]]\n"])
def test_a_file_that_is_no_study(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(StudyError, match=r"broken\.toml: "):
        Study.from_file(path)
