"""Builders: functions made from the registry, and the stubs that describe them to editors."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import pickle
import subprocess
import sys
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import dumbbell as db
from dumbbell.builders._words import python_name
from tools.builders import PACKAGE, generate, stale

MODULES = sorted(path.stem for path in (PACKAGE / "builders").glob("*.pyi"))


def module(name: str) -> ModuleType:
    return importlib.import_module(f"dumbbell.builders.{name}")


def described(name: str) -> Iterator[ast.FunctionDef]:
    """Yield the functions of a stub."""
    text = (PACKAGE / "builders" / f"{name}.pyi").read_text(encoding="utf-8")
    return (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))


def test_stubs_are_those_of_the_registry() -> None:
    files = generate(db.registry())
    for name, text in files.items():
        written = (PACKAGE / name).read_text(encoding="utf-8")
        assert written == text, f"{name} is out of date; run `python tools/builders.py`"
    assert stale(files) == [], "remove what is written no more: run `python tools/builders.py`"


@pytest.mark.parametrize("name", MODULES)
def test_stubs_and_builders_say_the_same(name: str) -> None:
    stubs = {node.name: node for node in described(name)}
    assert sorted(stubs) == module(name).__all__
    for builder, node in stubs.items():
        made = getattr(module(name), builder)
        assert inspect.getdoc(made) == ast.get_docstring(node)
        told = {
            each.arg: (ast.unparse(each.annotation) if each.annotation else "", value is not None)
            for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        }
        parameters = inspect.signature(made).parameters.values()
        assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in parameters)
        assert told == {
            each.name: (ast.unparse(ast.parse(each.annotation)), each.default is None) for each in parameters
        }
        assert made.__annotations__["return"] == ast.unparse(node.returns or ast.Constant(None))
        typing.get_type_hints(made)


def test_every_algorithm_has_a_builder_that_the_parser_takes() -> None:
    registry = db.registry()
    for entry in registry["modules"]:
        for member in registry["families"].get(entry["family"], []):
            builder = getattr(getattr(db, entry["name"]), python_name(member["name"]))
            assert len(inspect.signature(builder).parameters) == len(member["fields"])
            if not any(field["required"] for field in member["fields"]):
                assert builder() == {"kind": member["name"]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"token_bucket\(\) missing 1 required keyword-only argument: 'rate'"),
        ({"rat": "1Mbit/s"}, r"token_bucket\(\) got an unexpected keyword argument 'rat'"),
    ],
)
def test_wrong_arguments_name_the_builder(arguments: dict[str, str], message: str) -> None:
    token_bucket: Any = db.marker.token_bucket
    with pytest.raises(TypeError, match=message):
        token_bucket(**arguments)


def test_arguments_have_names_only() -> None:
    codel: Any = db.queue.codel
    with pytest.raises(TypeError, match=r"codel\(\) takes 0 positional arguments but 1 was given"):
        codel("5ms")


def test_an_unknown_builder_is_named() -> None:
    with pytest.raises(AttributeError, match=r"'dumbbell\.builders\.queue' has no attribute 'code'"):
        db.queue.code  # type: ignore[attr-defined]  # noqa: B018


def test_builders_are_found_by_their_names() -> None:
    from dumbbell.builders.network import bottleneck

    assert bottleneck is db.network.bottleneck
    assert pickle.loads(pickle.dumps(db.queue.codel)) is db.queue.codel
    assert copy.deepcopy(db.queue.codel) is db.queue.codel
    assert (db.queue.codel.__module__, db.queue.codel.__qualname__) == ("dumbbell.builders.queue", "codel")
    assert {"codel", "fq_codel"} <= set(dir(db.queue))
    assert "Queue disciplines" in (db.queue.__doc__ or "")


def test_help_shows_parameters_units_and_sources() -> None:
    program = "import dumbbell as db; help(db.controller.newreno); help(db.queue)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "newreno(*, increase: 'float | None' = None" in told
    assert "Unit: segments." in told
    assert "Default: ``" in told
    assert "fq_codel(*, " in told


def test_a_builder_is_made_when_it_is_first_used() -> None:
    program = (
        "import sys; import dumbbell as db; assert 'dumbbell.builders' not in sys.modules;"
        "queue = db.queue; assert 'codel' not in vars(queue); queue.codel(); assert 'codel' in vars(queue);"
        "assert 'red' not in vars(queue)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
