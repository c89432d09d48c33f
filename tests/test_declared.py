"""What the extension declares is what Python shows: no list of it stands anywhere else."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from pathlib import Path

import pytest

import dumbbell as db
from conftest import SCENARIO
from dumbbell import _declared, _native
from dumbbell._files import manifest as _manifest

STUB = Path(_native.__file__).with_name("_native.pyi")


def test_results_have_the_tables_and_columns_that_are_declared(results: db.Results) -> None:
    declared = _native.declarations()["results"]
    assert [table.name for table in results.tables] == [table["name"] for table in declared]
    fields = [field.name for field in dataclasses.fields(results)]
    assert fields == [*(table["name"] for table in declared), "name"]
    for table, about in zip(results.tables, declared, strict=True):
        assert table.doc == about["doc"]
        columns = [(column["name"], column["unit"], column["doc"]) for column in about["columns"]]
        assert [(column.name, column.unit, column.doc) for column in table.columns] == columns
        for column in about["columns"]:
            assert (table[column["name"]].dtype.kind == "U") == (column["kind"] == "label")


def test_the_reference_lists_every_series_and_every_reason() -> None:
    page = (STUB.parents[2] / "docs" / "reference" / "results.md").read_text(encoding="utf-8")
    for name, series in _declared.SERIES.items():
        assert f"| `{name}` | {series.of} | {series.unit} |" in page
    for names in _native.declarations()["labels"].values():
        assert all(f"| `{entry['name']}` | {entry['doc']} |" in page for entry in names)


@pytest.mark.parametrize(
    ("series", "settings"),
    [
        ("predicted", ["topology.bottleneck.power={}"]),
        ("rate", ["topology.bottleneck.power={}"]),
        ("offered", ["topology.bottleneck.router=rcp", "transport={kind='rcp'}"]),
        ("throughput", []),
        ("received", []),
    ],
)
def test_every_series_is_declared_and_can_be_drawn(series: str, settings: list[str]) -> None:
    results = db.Scenario.from_toml(SCENARIO, ["record.period=100ms", *settings]).run()
    assert set(results.samples["metric"].tolist()) <= set(_declared.SERIES)
    assert results.series(series)
    (axes,) = db.figures.draw(series, results).axes
    assert "bit/s" in axes.get_ylabel()


def test_the_stub_of_the_extension_names_what_is_there() -> None:
    body = ast.parse(STUB.read_text(encoding="utf-8")).body
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    values = {
        node.target.id
        for node in body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    public = {name for name in dir(_native) if not name.startswith("_")}
    assert public == {*functions, *classes, *values}
    for name, node in functions.items():
        assert _stubbed(node) == list(inspect.signature(getattr(_native, name)).parameters), name
    for name, node in classes.items():
        found = getattr(_native, name)
        methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        there = {key for key in vars(found) if not key.startswith("_")}
        assert {key for key in methods if not key.startswith("_")} == there, name
        for key in there:
            attribute = inspect.getattr_static(found, key)
            if callable(getattr(found, key)) and not inspect.isgetsetdescriptor(attribute):
                taken = list(inspect.signature(getattr(found, key)).parameters)
                assert _stubbed(methods[key]) == taken, f"{name}.{key}"


def _stubbed(node: ast.FunctionDef) -> list[str]:
    arguments = node.args
    return [entry.arg for entry in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def test_a_newer_table_without_manifest_is_not_our_own(
    tmp_path: Path,
) -> None:
    """The list of what older versions wrote is history: a new table does not stand in it."""
    for name in ("runs.parquet", "scenario.toml", "summary.json", "transfers.parquet"):
        (tmp_path / name).write_text("x")
    assert _manifest.is_results(tmp_path)
    assert _manifest.foreign(tmp_path) == "transfers.parquet"
