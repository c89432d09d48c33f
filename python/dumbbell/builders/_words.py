"""How builders are called and what their docstrings say, by the registry."""

from __future__ import annotations

import json
import keyword
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 106
"""Columns of a docstring, its indentation apart."""

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def python_type(schema: Mapping[str, Any]) -> str:
    """Return the annotation for the values that a JSON Schema accepts."""
    if "$ref" in schema:
        # A member of a family among the parameters of another member.
        return "str | Mapping[str, Any]"
    if "const" in schema:
        return f"Literal[{json.dumps(schema['const'])}]"
    if "enum" in schema:
        return "Literal[" + ", ".join(map(json.dumps, schema["enum"])) + "]"
    if "anyOf" in schema:
        # A union in a union is one.
        each = (kind for member in schema["anyOf"] for kind in python_type(member).split(" | "))
        return " | ".join(dict.fromkeys(each))
    if schema.get("type") == "array":
        return f"Sequence[{python_type(schema.get('items', {}))}]"
    if schema.get("type") == "object":
        return "Mapping[str, Any]"
    return _SCALARS.get(schema.get("type", ""), "Any")


def python_name(name: str) -> str:
    """Return the nearest Python identifier."""
    name = name.replace("-", "_").replace(" ", "_")
    return f"{name}_" if keyword.iskeyword(name) or name in ("bin", "set") else name


def toml(value: Any) -> str:
    """Return a value as a scenario file would show it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }" if value else "{}"
    return str(value)


def signature(name: str, fields: Sequence[Mapping[str, Any]], returns: str) -> str:
    """Return the head of a builder, in Python: parameters are keyword-only, required ones come first."""
    if not fields:
        return f"def {name}() -> {returns}:"
    each = (
        f"{python_name(field['name'])}: {python_type(field['schema'])}"
        + ("" if field["required"] else " | None = None")
        for field in _ordered(fields)
    )
    return f"def {name}(*, {', '.join(each)}) -> {returns}:"


def docstring(title: str, reference: str, fields: Sequence[Mapping[str, Any]], returns: str) -> str:
    """Return the docstring of a builder: meaning, keys, default and its source for each parameter.

    Parameters
    ----------
    title
        What it makes.
    reference
        Where that is defined; empty for tables.
    fields
        Its parameters, as the registry has them.
    returns
        The name of the type that it returns.
    """
    lines = _wrapped(f"{title[:1].upper()}{title[1:].rstrip('.')}.", 0)
    if reference:
        lines += ["", *_wrapped(f"Reference: {reference.rstrip('.')}.", 0)]
    if fields:
        lines += ["", "Parameters", "----------"]
    for field in _ordered(fields):
        lines.append(python_name(field["name"]))
        lines += _wrapped(_meaning(field), 4)
        lines += _keys(field)
        lines += _wrapped(_default(field), 4)
    result = "The scenario, checked." if returns == "Scenario" else "What to write in a scenario."
    return "\n".join([*lines, "", "Returns", "-------", returns, f"    {result}"])


def _ordered(fields: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return parameters with those before the others that have no default."""
    return sorted(fields, key=lambda field: not field["required"])


def _wrapped(text: str, indent: int) -> list[str]:
    """Return text in lines of the house width."""
    space = " " * indent
    return textwrap.wrap(text, WIDTH, initial_indent=space, subsequent_indent=space, break_on_hyphens=False)


def _meaning(field: Mapping[str, Any]) -> str:
    """Return what a field means, with the unit of a number."""
    unit = field["unit"]
    if not unit:
        return str(field["doc"])
    return f"{field['doc']} {'Dimensionless' if unit == 'dimensionless' else f'Unit: {unit}'}."


def _default(field: Mapping[str, Any]) -> str:
    """Return the default of a field, with its source, as a sentence."""
    if field["required"]:
        return "Required."
    if field["default"] is None:
        return f"Default: {field['source']}."
    return f"Default: ``{toml(field['default'])}`` ({field['source']})."


def _keys(field: Mapping[str, Any]) -> list[str]:
    """Return what stands in a table: its builder and its keys, or the keys one by one."""
    fields = field["fields"]
    if not fields:
        return []
    what = "Tables" if field["kind"] == "list" else "A table"
    if maker := field["builder"]:
        module, name = maker
        # The package offers the builders of scenarios and of their entries at its top.
        place = "dumbbell" if module == "experiment" else f"dumbbell.{module}"
        names = ", ".join(f"``{f['name']}``" for f in fields)
        return _wrapped(f"{what} of ``{place}.{python_name(name)}``: {names}.", 4)
    lines = _wrapped(f"{what} with these keys:", 4)
    for f in fields:
        first, *others = _wrapped(f"- ``{f['name']}``: {f['kind']}. {_meaning(f)} {_default(f)}", 6)
        lines += [first[2:], *others]
    return lines
