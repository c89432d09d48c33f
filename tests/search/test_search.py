"""The search over readings: it finds what made the numbers, resumes, and refuses bad files in one line."""

from __future__ import annotations

import json
import math
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import dumbbell.papers
from conftest import Cli
from dumbbell.errors import DumbbellError
from dumbbell.search import Search, SearchError, Target, run_search
from dumbbell.search.objective import MOST, of_target
from dumbbell.study import Progress

STUDY: dict[str, Any] = {
    "name": "link",
    "scenario": {
        "duration": "2s",
        "topology": {"kind": "dumbbell", "pairs": 1},
        "transport": {"kind": "tcp"},
        "flows": [{"from": "senders", "to": "receivers", "jitter": "20ms"}],
        "record": {"samples": False, "queues": "none"},
    },
    "seeds": 2,
    "arms": [
        {"name": "cubic", "set": "transport.controller=cubic"},
        {"name": "newreno", "set": "transport.controller=newreno"},
    ],
    "metrics": [
        {"name": "goodput", "source": {"table": "runs", "column": "goodput"}},
        {"name": "lost", "source": {"table": "runs", "column": "packets_dropped"}},
        {"name": "complete", "source": {"table": "flows", "column": "completion_time", "statistic": "mean"}},
    ],
}

SEARCH = """
study = "study.toml"
seeds = 2
first = 1
readings = 16
local = 16
best = 2
fresh = { first = 101, count = 3 }

[[factors]]
name = "rate"
low = 2
high = 20
set = "topology.bottleneck.rate={value}Mbit/s"

[[factors]]
name = "delay"
low = 5
high = 40
integer = true
set = "topology.bottleneck.delay={value}ms"

[[factors]]
name = "queue"
values = ["droptail", "codel"]
set = "topology.bottleneck.queue={value}"

[[targets]]
metric = "goodput"
value = 7.5e6
within = 1.05

[[targets]]
metric = "goodput"
arm = "cubic"
over = "newreno"
value = 1.0
"""


def toml(values: dict[str, Any]) -> str:
    """Write the few kinds of values that a study here has."""

    def one(value: Any) -> str:
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{key} = {one(entry)}" for key, entry in value.items()) + " }"
        if isinstance(value, list):
            return "[" + ", ".join(map(one, value)) + "]"
        return json.dumps(value)

    return "".join(f"{key} = {one(value)}\n" for key, value in values.items())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(toml(STUDY))
    (tmp_path / "search.toml").write_text(SEARCH)
    return tmp_path


def test_search_finds_what_made_the_number(home: Path) -> None:
    search = Search.from_file(home / "search.toml")
    result = run_search(search, home / "out")
    assert result.readings == 32
    assert [entry.seeds for entry in result.fresh] == [3, 3]
    rate, delay, queue = result.winner.values
    # The link carries 8 Mbit/s or a little more where 7.5 arrive, headers and slow start apart.
    assert isinstance(rate, float)
    assert 7.5 < rate < 10
    assert isinstance(delay, int)
    assert queue in ("droptail", "codel")
    assert result.winner.cost.within(search.targets) == 2
    assert next(iter(result.shares())) == "rate"
    assert result.verdict == (
        "fit: the best of 32 readings makes 2 of 2 published numbers within their factors at 3 fresh seeds"
    )


def test_search_goes_on_where_it_was(home: Path) -> None:
    search = Search.from_file(home / "search.toml")
    told: list[Progress] = []
    first = run_search(search, home / "out", progress=told.append)
    assert sum(entry.done for entry in told[-1:]) > 0
    told.clear()
    again = run_search(search, home / "out", progress=told.append)
    assert all(entry.done == 0 for entry in told)
    assert again.tried == first.tried
    assert again.fresh == first.fresh


def test_command_writes_verdict_and_report(home: Path, cli: Cli) -> None:
    done = cli("study", "search", "search.toml", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "fit: the best of 32 readings" in done.stdout
    facts = json.loads((home / "out" / "search.json").read_text())
    assert facts["readings"] == 32
    assert {entry["stage"] for entry in facts["tried"]} == {"sobol", "best", "local"}
    assert "## What matters" in (home / "out" / "search.md").read_text()
    assert (home / "out" / "search.svg").stat().st_size > 2000


def block(page: str) -> str:
    text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8")
    found = re.search(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


def test_the_search_of_the_guide(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "buffers.toml").write_text(block("studies.md"))
    (tmp_path / "readings.toml").write_text(block("search.md"))
    assert len(Search.from_file(tmp_path / "readings.toml").study.points()) == 1, (
        "of the axis, what targets name"
    )
    done = cli("study", "search", "readings.toml", "-o", "out/readings")
    assert done.returncode == 0, done.stderr
    assert "fit: the best of 24 readings makes 2 of 2 published numbers" in done.stdout


def test_the_generator_of_trump_is_one_that_its_search_may_find() -> None:
    folder = Path(dumbbell.papers.__file__).parent / "trump_rbcc"
    search = Search.from_file(folder / "generator.toml")
    assert len(search.targets) == 25
    for factor in search.factors:
        ((setting,),) = factor.templates
        value: Any = tomllib.loads((folder / "study.toml").read_text())["scenario"]
        for key in setting.partition("=")[0].replace("[0]", ".0").split("."):
            value = value[int(key)] if key == "0" else value[key]
        (number,) = re.findall(r"[\d.]+", str(value))
        assert factor.low < float(number) < factor.high, factor.name


def test_cost_is_the_distance_in_factors() -> None:
    target = Target("lost", "base", 10.0, within=2.0)
    assert [of_target(target, made) for made in (10, 20, 5, 40)] == pytest.approx([0, 1, 1, 2])
    assert of_target(target, 0) == of_target(target, math.nan) == of_target(target, 1e9) == MOST


def refused(home: Path, old: str, new: str) -> str:
    assert old in SEARCH
    (home / "search.toml").write_text(SEARCH.replace(old, new))
    with pytest.raises(DumbbellError) as caught:
        run_search(Search.from_file(home / "search.toml"), home / "out")
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{home}/", "")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("low = 2\n", "low = 30\n", "factors[0].low: 30 is not below `high`, 20; put the lower first"),
        ("topology.bottleneck.rate=", "topology.bottleneck.speed=", "unknown key"),
        ("value = 7.5e6", "value = 0", "targets[0].value: 0 published"),
        ("value = 7.5e6", "value = nan", "targets[0].value: nan is out of range; give a number"),
        ("rate={value}Mbit/s", "rate=5Mbit/s", "factors[0].set: {value} stands nowhere; write path={value}"),
        ('metric = "goodput"\nvalue', 'metric = "lst"\nvalue', "targets[0].metric: the study 'link' has"),
        ('arm = "cubic"', 'arm = "cubick"', 'has no arm \'cubick\'; did you mean "cubic"?'),
        ("value = 7.5e6", "at = { x = 1 }\nvalue = 7.5e6", "targets[0]: the study 'link' has no axis 'x'"),
        ("readings = 16", "readins = 16", 'readins: unknown key; did you mean "readings"?'),
        ("first = 101", "first = 2", "fresh: seed 2 is one of `seeds`"),
        ('name = "delay"', 'name = "rate"', "factors: two are called 'rate'; rename one"),
        ('name = "delay"', 'name = "a.b"', "a.b"),
        ('values = ["droptail", "codel"]', 'values = ["codel", "codel"]', "a value stands there twice"),
        ('values = ["droptail", "codel"]', 'values = ["codel"]', "two or more numbers or texts are a choice"),
        ("within = 1.05", "within = 1.0", "targets[0].within: 1 holds nothing; give a factor above 1"),
        ('study = "study.toml"', 'study = "nothing.toml"', "nothing.toml"),
        ('study = "study.toml"', 'paper = "nothing"', "nothing: no such paper"),
        ('study = "study.toml"', "", "give one of `study"),
        ("fresh = { first = 101, count = 3 }", "", "fresh"),
    ],
)  # fmt: skip
def test_bad_searches_are_refused_in_one_line(home: Path, old: str, new: str, message: str) -> None:
    assert message in refused(home, old, new)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            'metric = "goodput"\nover = "cubic"\nvalue = 2.0',
            r"the objective is 1\.\d+ for all 16 readings: no factor acts",
        ),
        ('metric = "goodput"\nvalue = 7.5e12', "is 5 for all 16 readings: each misses each"),
        # No flow of endless data is ever complete.
        ('metric = "complete"\nvalue = 1.0', "no run gave a number for any target"),
    ],
)
def test_objective_that_nothing_moves_is_refused(home: Path, target: str, message: str) -> None:
    targets = SEARCH.index("[[targets]]")
    (home / "search.toml").write_text(f"{SEARCH[:targets]}[[targets]]\n{target}\n")
    with pytest.raises(SearchError, match=message):
        run_search(Search.from_file(home / "search.toml"), home / "out")
