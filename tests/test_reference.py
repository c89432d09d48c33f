"""The reference pages are what the registry says, and say of every parameter what a user asks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

import dumbbell as db
from dumbbell import _native
from dumbbell.cli import cli
from tools import examples
from tools.reference import FOLDER, anchor, generate


@pytest.fixture(scope="module")
def registry() -> dict[str, Any]:
    return db.registry()


def test_the_pages_follow_from_the_registry(registry):
    written = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.md")}
    assert written == generate(registry, _native.aliases()), "run `make docs`"


def entries(registry: dict[str, Any]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    for family, members in registry["families"].items():
        yield from ((family, member["name"], member["fields"]) for member in members)
    yield from (("table", name, fields) for name, fields in registry["tables"].items())


def routers(registry: dict[str, Any]) -> list[str]:
    return [member["name"] for member in registry["families"]["router"]]


def test_examples_give_required_parameters_and_routers() -> None:
    number = {"required": True, "default": None, "schema": {"type": "string"}}
    fields = [number | {"name": name, "kind": "size"} for name in ("min", "max")]
    (place, entries) = examples.example("size", "triangular", fields)[-1]
    assert place == "workloads[]"
    assert entries["size"] == {"kind": "triangular", "min": "10kB", "max": "20kB"}
    asked = examples.example("controller", "headroom", [], ["headroom"])
    assert asked[0] == ("topology.bottleneck", {"router": "headroom"})
    assert examples.example("controller", "headroom", [], ["rcp"])[0][0] == "transport.controller"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in examples.FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("folder")
def test_every_example_runs(registry):
    pages = generate(registry, _native.aliases())
    written = [
        block for text in pages.values() for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    ]
    known = [examples.written(examples.example(*entry, routers(registry))) for entry in entries(registry)]
    assert sorted(known) == sorted(block for block in written if block != examples.FRAME)
    assert len(known) > 140
    for text in known:
        try:
            db.Scenario.from_dict(examples.scenario(text)).run()
        except db.DumbbellError as error:
            pytest.fail(f"{error}; say in tools/examples.py what this lacks:\n{text}")


def slips(value: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the value with a wrong letter in one key, for each key of each table in it: path, key, value."""
    if isinstance(value, list):
        for i, entry in enumerate(value):
            for path, key, wrong in slips(entry):
                above = f"[{i}].{path}" if path else f"[{i}]"
                yield above, key, [wrong if j == i else other for j, other in enumerate(value)]
    if isinstance(value, dict):
        for name, entry in value.items():
            if len(name) > 4:
                yield "", name, {f"{k}x" if k == name else k: v for k, v in value.items()}
            for path, key, wrong in slips(entry):
                below = f"{name}{path}" if path.startswith("[") or not path else f"{name}.{path}"
                yield below, key, value | {name: wrong}


@pytest.mark.usefixtures("folder")
def test_a_slip_in_a_key_of_any_table_is_told_with_the_near_key(registry):
    for family, name, fields in entries(registry):
        *others, (place, inner) = examples.example(family, name, fields, routers(registry))
        inside = examples.PLACES[f"table {name}" if family == "table" else family][1]
        for path, key, table in slips(inner[inside] if inside else inner):
            text = examples.written([*others, (place, inner | {inside: table} if inside else table)])
            with pytest.raises(db.ScenarioError) as error:
                db.Scenario.from_dict(examples.scenario(text))
            above = ".".join(re.escape(part) for part in (place, inside, path) if part)
            # The entry may stand behind others of its list.
            above = above.replace(re.escape("[]"), r"\[\d+\]") + r"\." * bool(above)
            line = rf'{above}{key}x: unknown key; did you mean "{key}"\?'
            assert re.fullmatch(line, str(error.value)), (family, name, path, key, str(error.value))


def every_field(registry: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    def inside(place: str, fields: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
        for field in fields:
            path = f"{place}.{field['name']}"
            yield path, field
            yield from inside(path, field["fields"])

    for family, members in registry["families"].items():
        for member in members:
            yield from inside(f"{family} {member['name']}", member["fields"])
    for name, fields in registry["tables"].items():
        yield from inside(name, fields)
    for table in registry["study"]:
        yield from inside(f"study {table['name']}", table["fields"])


def is_number(schema: dict[str, Any]) -> bool:
    """Tell whether a bare number may stand there, or a list of them."""
    if "anyOf" in schema:
        return any(map(is_number, schema["anyOf"]))
    if schema.get("type") == "array":
        return is_number(schema.get("items", {}))
    return schema.get("type") in ("number", "integer")


def test_every_number_has_a_unit_or_is_said_to_have_none(registry):
    # A probability and a class say by their type what they are.
    plain = ("probability", "class")
    wrong = [
        path
        for path, field in every_field(registry)
        if bool(field["unit"]) != (is_number(field["schema"]) and field["kind"] not in plain)
    ]
    assert wrong == [], 'write the unit after the type: `weight: f64 as "dimensionless" = ...`'


def test_every_table_leads_to_its_keys(registry):
    pages = generate(registry, _native.aliases())
    fields = dict(every_field(registry))
    for path, field in fields.items():
        assert field["fields"] or "table" not in field["kind"], path
    trace = fields["topology dumbbell.bottleneck.trace"]
    assert [key["name"] for key in trace["fields"]] == ["file", "opportunity", "overhead"]
    assert "| `trace` | [table](scenario.md#trace) |" in pages["scenario.md"]
    assert "| `adaptive.interval` | duration |" in pages["queue.md"]
    links = {link for text in pages.values() for link in re.findall(r"\]\((\w+\.md#[\w-]+)\)", text)}
    assert len(links) > 20
    for link in links:
        page, _, place = link.partition("#")
        heads = re.findall(r"^## `?(.*?)`?$", pages[page], re.MULTILINE)
        assert place in map(anchor, heads), link


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("trace", ["file", "opportunity", "overhead"]),
        ("flows", ["from", "to", "size"]),
        ("rate-grid", ["levels", "spacing", "ratio"]),
        ("red", ["adaptive.interval", "adaptive.target_delay"]),
        ("strict-priority", ["caps[].rate"]),
    ],
)
def test_describe_shows_the_keys_of_tables(name, keys):
    told = CliRunner().invoke(cli, ["describe", name])
    assert told.exit_code == 0, told.output
    assert set(keys) <= {line.split()[0] for line in told.stdout.splitlines() if line.strip()}
    entries = json.loads(CliRunner().invoke(cli, ["describe", name, "--json"]).stdout)
    assert all("unit" in field for entry in entries for field in entry["fields"])


def test_describe_lists_the_keys_of_the_same_table_once():
    told = CliRunner().invoke(cli, ["describe", "dumbbell"]).stdout
    paths = [line.split()[0] for line in told.splitlines() if line.strip()]
    assert "bottleneck.power.model.static_share" in paths
    assert "access.power.model.static_share" not in paths
    assert "`bottleneck.power`" in told


def test_builders_tell_what_stands_in_a_table():
    told = " ".join((db.network.bottleneck.__doc__ or "").split())
    assert "A table of ``dumbbell.network.trace``: ``file``, ``opportunity``, ``overhead``." in told
    assert "Tables of ``dumbbell.network.rate_change``: ``at``, ``rate``." in told
    assert "- ``interval``: duration." in (db.queue.red.__doc__ or "")
    assert "Unit: segments." in (db.controller.newreno.__doc__ or "")
    link = db.network.bottleneck(rate_changes=[db.network.rate_change(at="1s", rate="2Mbit/s")])
    flows = [db.flows(from_="senders", to="receivers")]
    scenario = db.scenario(duration="1s", topology=db.topology.dumbbell(bottleneck=link), flows=flows)
    assert scenario.to_dict()["topology"]["bottleneck"]["rate_changes"][0]["rate"] == "2Mbit/s"
