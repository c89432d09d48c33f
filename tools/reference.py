"""Writes docs/reference from the registry: pages for families, scenarios, studies and results.

``python -m tools.reference`` rewrites the pages; a test fails when they differ from what this would write.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from dumbbell.builders._words import toml
from tools.examples import FRAME, example, written

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"

NOTE = "Generated from the registry by `make docs`: change the registry, not this file."


def contents(fields: list[dict[str, Any]]) -> str:
    """Return what tells a table from others: its keys with all that is said of them."""
    return json.dumps(fields, sort_keys=True)


def cell(text: str) -> str:
    """Return text that may stand in a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")


def default(field: dict[str, Any]) -> str:
    """Return the default of a field as a scenario file would show it."""
    if field["required"]:
        return "required"
    return "absent" if field["default"] is None else f"`{toml(field['default'])}`"


def meaning(field: dict[str, Any]) -> str:
    """Return what a field means, with the words that it takes."""
    schema = field["schema"]
    # Words that may be written as true and false, too, are the first of several.
    words = schema.get("anyOf", [schema])[0].get("enum", []) if field["kind"] == "word" else []
    listed = f" One of {', '.join(f'`{word}`' for word in words)}." if words else ""
    return str(field["doc"]) + listed


def rows(head: tuple[str, ...], cells: list[list[str]]) -> list[str]:
    """Return the lines of a Markdown table, and an empty one."""
    body = [f"| {' | '.join(map(cell, line))} |" for line in (head, *cells)]
    return [body[0], "|---" * len(head) + "|", *body[1:], ""]


def type_of(field: dict[str, Any], places: dict[str, str]) -> str:
    """Return the type of a field: the unit of a number, the place of the keys of a table."""
    kind = str(field["kind"])
    if field["unit"]:
        return f"{kind} ({field['unit']})"
    if place := places.get(contents(field["fields"])) if field["fields"] else None:
        return f"[{kind}]({place})"
    return kind


def table(fields: list[dict[str, Any]], places: dict[str, str]) -> list[str]:
    """Return the lines of a table of parameters, with the keys of tables that have no place of their own."""
    if not fields:
        return ["No parameters.", ""]
    head = ("parameter", "type", "default", "source of the default", "meaning")
    cells: list[list[str]] = []

    def add(fields: list[dict[str, Any]], above: str) -> None:
        for f in fields:
            path = above + f["name"]
            cells.append([f"`{path}`", type_of(f, places), default(f), f["source"], meaning(f)])
            if contents(f["fields"]) not in places:
                add(f["fields"], path + ("[]." if f["kind"] == "list" else "."))

    add(fields, "")
    return rows(head, cells)


def places_of(tables: dict[str, list[dict[str, Any]]], page: str) -> dict[str, str]:
    """Return where on a page tables have their keys, by their contents."""
    return {contents(fields): f"{page}#{anchor(name)}" for name, fields in tables.items()}


def anchor(heading: str) -> str:
    """Return the anchor that renderers of Markdown give to a heading."""
    kept = (c for c in heading.lower() if c.isalnum() or c in " -_")
    return "".join(kept).replace(" ", "-")


EXAMPLES = [
    "The examples go into a scenario such as this one:",
    "",
    "```toml",
    *FRAME.splitlines(),
    "```",
    "",
]
"""What stands above the entries of a page with examples."""


def shown(family: str, name: str, fields: list[dict[str, Any]], routers: Collection[str] = ()) -> list[str]:
    """Return the lines of an example."""
    return ["```toml", *written(example(family, name, fields, routers)).splitlines(), "```", ""]


def family_page(
    family: str, title: str, members: list[dict[str, Any]], places: dict[str, str], routers: Collection[str]
) -> str:
    """Return the page of a family."""
    lines = [f"# {title}", "", NOTE, "", *EXAMPLES]
    for member in members:
        lines += [f"## `{member['name']}`", "", f"{member['title']}.", ""]
        lines += [f"Reference: {member['reference']}.", ""]
        if member["name"] == "tcp":
            lines += ["Rule by rule: [tcp.md](../tcp.md).", ""]
        lines += table(member["fields"], places)
        lines += shown(family, member["name"], member["fields"], routers)
        for profile in member["profiles"]:
            lines += [f"### Profile `{profile['name']}`", "", f"{profile['title']}.", ""]
            settings = [[f"`{s['name']}`", f"`{toml(s['value'])}`", s["source"]] for s in profile["settings"]]
            if settings:
                lines += rows(("parameter", "value", "source"), settings)
            else:
                lines += ["Its values are the defaults above.", ""]
    return "\n".join(lines).rstrip() + "\n"


def scenario_page(tables: dict[str, list[dict[str, Any]]], places: dict[str, str]) -> str:
    """Return the page of the scenario and the tables in it."""
    lines = ["# Scenario", "", NOTE, "", "Rates, times, sizes and limits are text with a unit: "]
    lines[-1] += '`"10Mbit/s"`, `"25ms"`, `"64kB"`, `"42pkt"`, `"2bdp"`.'
    lines += ["", *EXAMPLES]
    for name, fields in tables.items():
        lines += [f"## {name}", "", *table(fields, places), *shown("table", name, fields)]
    return "\n".join(lines).rstrip() + "\n"


def study_page(tables: list[dict[str, Any]], places: dict[str, str]) -> str:
    """Return the page of study files: every table in one."""
    lines = ["# Study", "", NOTE, ""]
    lines += ["A study file in TOML, or a dictionary in Python. [Studies](../studies.md) has an example.", ""]
    for entry in tables:
        lines += [f"## {entry['name']}", "", entry["doc"], "", *table(entry["fields"], places)]
    return "\n".join(lines).rstrip() + "\n"


def results_page(registry: dict[str, Any]) -> str:
    """Return the page of what a run leaves behind: tables, series, and the names in columns of labels."""
    lines = ["# Results", "", NOTE, ""]
    lines += [
        "Each table is a Parquet file of its name. An empty cell of the unit stands for counts and labels.",
        "",
    ]
    for table in registry["results"]:
        lines += [f"## {table['name']}", "", table["doc"], ""]
        columns = [[f"`{c['name']}`", c["kind"], c["unit"], c["doc"]] for c in table["columns"]]
        lines += rows(("column", "values", "unit", "meaning"), columns)
    lines += ["## Series", "", "What the column `metric` of `samples` names.", ""]
    series = [[f"`{s['name']}`", s["of"], s["unit"], s["doc"]] for s in registry["series"]]
    lines += rows(("series", "of a", "unit", "meaning"), series)
    for what, names in registry["labels"].items():
        lines += [f"## {what.capitalize()}", ""]
        lines += rows(("name", "meaning"), [[f"`{name['name']}`", name["doc"]] for name in names])
    return "\n".join(lines).rstrip() + "\n"


Alias = tuple[str, str, list[str], tuple[str, str]]
"""A name that others use, what it is, the settings that give it, family and name of what describes it."""


def aliases_page(aliases: list[Alias]) -> str:
    """Return the page of other names."""
    lines = ["# Other names", "", NOTE, ""]
    lines += [
        "What papers, kernels and tools call a thing, and what scenarios say: `dumbbell describe` has both.",
        "",
    ]
    cells = []
    for name, title, settings, (family, place) in aliases:
        page = "scenario" if family == "table" else family.replace(" ", "-")
        written = " ".join(f"`--set {setting}`" for setting in settings)
        cells.append([f"`{name}`", title, written, f"[{place}]({page}.md#{anchor(place)})"])
    return "\n".join([*lines, *rows(("name", "what it is", "settings", "where"), cells)]).rstrip() + "\n"


def generate(registry: dict[str, Any], aliases: list[Alias]) -> dict[str, str]:
    """Return the text of every page, by file name."""
    titles = {entry["family"]: entry["title"] for entry in registry["modules"]}
    places = places_of(registry["tables"], "scenario.md")
    routers = [member["name"] for member in registry["families"]["router"]]
    pages = {
        f"{family.replace(' ', '-')}.md": family_page(family, titles[family], members, places, routers)
        for family, members in registry["families"].items()
    }
    pages["scenario.md"] = scenario_page(registry["tables"], places)
    of_studies = places_of({entry["name"]: entry["fields"] for entry in registry["study"]}, "study.md")
    pages["study.md"] = study_page(registry["study"], of_studies)
    pages["results.md"] = results_page(registry)
    pages["aliases.md"] = aliases_page(aliases)
    index = ["# Reference", "", NOTE, ""]
    index += [f"- [{text.split(chr(10), 1)[0].removeprefix('# ')}]({name})" for name, text in pages.items()]
    return pages | {"README.md": "\n".join(index) + "\n"}


def main() -> None:
    """Write the pages, and remove those that this has written for families that are gone."""
    from dumbbell import _native

    pages = generate(_native.registry(), _native.aliases())
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file in FOLDER.glob("*.md"):
        if file.name not in pages and NOTE in file.read_text(encoding="utf-8"):
            file.unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
