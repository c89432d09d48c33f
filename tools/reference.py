"""Writes docs/reference from the registry: one page for each family of algorithms, one for the scenario.

``python -m tools.reference`` rewrites the pages; a test fails when they differ from what this would write.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.builders import toml

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"

FAMILIES = {
    "topology": "Topologies",
    "path choice": "Choices among equally short paths",
    "queue": "Queue disciplines",
    "router": "Router agents",
    "impairment": "Link impairments",
    "power policy": "Power policies",
    "rate predictor": "Predictors of the arrival rate",
    "transport": "Transports",
    "controller": "Congestion controllers",
    "workload": "Workloads",
    "size": "Distributions of flow sizes",
}
"""Titles; a family that is not listed here has its own name as the title."""

NOTE = "Generated from the registry by `make docs`: change the registry, not this file."


def cell(text: str) -> str:
    """Return text that may stand in a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")


def default(field: dict[str, Any]) -> str:
    """Return the default of a field as a scenario file would show it."""
    if field["required"]:
        return "required"
    return "absent" if field["default"] is None else f"`{toml(field['default'])}`"


def table(fields: list[dict[str, Any]]) -> list[str]:
    """Return the lines of a table of parameters."""
    if not fields:
        return ["No parameters.", ""]
    lines = ["| parameter | type | default | source of the default | meaning |", "|---|---|---|---|---|"]
    for field in fields:
        cells = [f"`{field['name']}`", field["kind"], default(field), field["source"], field["doc"]]
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    return [*lines, ""]


def family_page(family: str, members: list[dict[str, Any]]) -> str:
    """Return the page of a family."""
    lines = [f"# {FAMILIES.get(family, family.capitalize())}", "", NOTE, ""]
    for member in members:
        lines += [f"## `{member['name']}`", "", f"{member['title']}.", ""]
        lines += [f"Reference: {member['reference']}.", "", *table(member["fields"])]
    return "\n".join(lines).rstrip() + "\n"


def scenario_page(tables: dict[str, list[dict[str, Any]]]) -> str:
    """Return the page of the scenario and the tables in it."""
    lines = ["# Scenario", "", NOTE, "", "Rates, times, sizes and limits are text with a unit: "]
    lines[-1] += '`"10Mbit/s"`, `"25ms"`, `"64kB"`, `"42pkt"`, `"2bdp"`.'
    lines.append("")
    for name, fields in tables.items():
        lines += [f"## {name}", "", *table(fields)]
    return "\n".join(lines).rstrip() + "\n"


def generate(registry: dict[str, Any]) -> dict[str, str]:
    """Return the text of every page, by file name."""
    pages = {
        f"{family.replace(' ', '-')}.md": family_page(family, members)
        for family, members in registry["families"].items()
    }
    pages["scenario.md"] = scenario_page(registry["tables"])
    index = ["# Reference", "", NOTE, ""]
    index += [f"- [{text.split(chr(10), 1)[0].removeprefix('# ')}]({name})" for name, text in pages.items()]
    return pages | {"README.md": "\n".join(index) + "\n"}


def main() -> None:
    """Write the pages, and remove those that this has written for families that are gone."""
    from dumbbell import _native

    pages = generate(_native.registry())
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file in FOLDER.glob("*.md"):
        if file.name not in pages and NOTE in file.read_text(encoding="utf-8"):
            file.unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
