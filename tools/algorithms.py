"""Writes docs/algorithms: for each algorithm a page of what it is, where it is from, and how we know.

``python -m tools.algorithms`` rewrites the pages from the registry and docs/evidence, the line that
``dumbbell describe`` shows, and with ``--figures`` the figures of the controllers. An algorithm without
evidence gets a warning. A test fails when the pages differ from what this would write.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tools.evidence import BEDS, FAMILIES, ROOT, Evidence, EvidenceError, all_evidence, keys, missing
from tools.reference import rows

FOLDER = ROOT / "docs" / "algorithms"
FIGURES = FOLDER / "figures"
SHIPPED = ROOT / "python" / "dumbbell" / "_evidence.json"
"""What `dumbbell describe` shows: the package has no docs."""

NOTE = "Generated from the registry and docs/evidence by `make docs`: change those, not this file."

_LAWS = {
    "controller": "crates/proto/src/controller/laws.rs",
    "queue": "crates/net/src/queue/laws.rs",
}
"""Tests that every member of the family passes."""


def number(value: float) -> str:
    """Return a number with five digits at most."""
    return f"{value:.5g}"


def of(value: float, unit: str) -> str:
    """Return a number with its unit."""
    return f"{number(value)} {'' if unit == 'share' else unit}".strip()


def described(evidence: Evidence | None) -> str:
    """Return one line on the best witness."""
    if evidence is None:
        return "no evidence yet"
    best = evidence.best
    if best is None:
        return "none: nobody else's numbers have been compared with ours"
    ours, theirs = of(best.ours, best.unit), of(best.theirs, best.unit)
    return f"{best.who}, {best.what}: {ours} here, {theirs} there ({best.difference})"


def page(family: str, member: dict[str, Any], evidence: Evidence | None) -> str:
    """Return the page of an algorithm."""
    name = member["name"]
    lines = [f"# `{name}` ({family})", "", NOTE, "", "## What it is", ""]
    lines += [evidence.what if evidence else f"{member['title']}.", ""]
    lines += [f"Parameters: [reference](../reference/{family}.md#{name}).", ""]
    if family == "controller" and (FIGURES / f"{name}.svg").exists():
        lines += [f"![window and queue of {name}](figures/{name}.svg)", ""]
        lines += [f"One flow alone: {BEDS[evidence.bed if evidence else 'wide-area']}.", ""]
    lines += ["## Where from", "", f"{evidence.reference if evidence else member['reference']}.", ""]
    if evidence and evidence.choices:
        lines += ["What that leaves open, and where we differ:", ""]
        lines += [*(f"- {choice}" for choice in evidence.choices), ""]
    lines += ["## How we know", ""]
    if evidence is None:
        wanted = f"[`docs/evidence/{family}-{name}.toml`](../../CONTRIBUTING.md#evidence)"
        return "\n".join([*lines, f"**Warning: no evidence yet.** Write {wanted}.", ""])
    if evidence.tests:
        checks = [[f"`{check.name}`", check.catches] for check in evidence.tests]
        lines += rows(("test", "the fault that it fails on"), checks)
    if family in _LAWS:
        lines += [f"Every {family} passes the laws of its family, `{_LAWS[family]}`.", ""]
    if not evidence.witnesses:
        return "\n".join([*lines, "**No witness**: nobody else's numbers have been compared with ours.", ""])
    cells = [
        [
            row.who, row.what, of(row.ours, row.unit), of(row.theirs, row.unit), row.difference,
            f"`{row.command}`" if row.command else "",
        ]
        for row in evidence.witnesses
    ]  # fmt: skip
    lines += rows(("witness", "what", "ours", "theirs", "difference", "again by"), cells)
    return "\n".join(lines).rstrip() + "\n"


def index(families: dict[str, list[dict[str, Any]]], known: dict[str, Evidence]) -> str:
    """Return the page that lists all algorithms with their best witness."""
    lines = ["# Algorithms: how we know", "", NOTE, ""]
    lines += [
        "A page for each algorithm: what it is, where it is from, what tests it, and whose numbers it has",
        "been compared with. Of all that the best witness has, the line shows what differs most.",
        "",
    ]
    for family in FAMILIES:
        lines += [f"## {family.capitalize()}", ""]
        cells = []
        for member in families[family]:
            name = member["name"]
            evidence = known.get(f"{family}-{name}")
            best = evidence.best if evidence else None
            tests = str(len(evidence.tests)) if evidence else "no evidence yet"
            witness = [best.who, best.what, best.difference] if best else ["none", "", ""]
            cells.append([f"[`{name}`]({family}-{name}.md)", tests, *witness])
        lines += rows(("name", "tests of its own", "best witness", "what differs most", "difference"), cells)
    return "\n".join(lines).rstrip() + "\n"


def generate(registry: dict[str, Any], known: dict[str, Evidence]) -> dict[str, str]:
    """Return the text of every page, by file name."""
    families = {family: registry["families"][family] for family in FAMILIES}
    pages = {
        f"{family}-{member['name']}.md": page(family, member, known.get(f"{family}-{member['name']}"))
        for family, members in families.items()
        for member in members
    }
    return pages | {"README.md": index(families, known)}


def shipped(registry: dict[str, Any], known: dict[str, Evidence]) -> str:
    """Return what `dumbbell describe` shows, as JSON: by family and name, a line."""
    lines = {
        family: {
            member["name"]: described(known.get(f"{family}-{member['name']}"))
            for member in registry["families"][family]
        }
        for family in FAMILIES
    }
    return json.dumps(lines, indent=1, ensure_ascii=False) + "\n"


def write(folder: Path, pages: dict[str, str]) -> None:
    """Write the pages, and remove those that this has written for algorithms that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.md"):
        if file.name not in pages and NOTE in file.read_text(encoding="utf-8"):
            file.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


def main() -> int:
    """Command line."""
    from dumbbell import _native
    from tools.algorithm_figures import draw

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", action="store_true", help="draw the figures of controllers anew")
    figures, registry = parser.parse_args().figures, _native.registry()
    try:
        known = all_evidence()
        for warning in missing(keys(registry), known):
            print(f"warning: {warning}", file=sys.stderr)
    except EvidenceError as error:
        print(f"docs/evidence: {error}", file=sys.stderr)
        return 2
    if figures:
        names = [member["name"] for member in registry["families"]["controller"]]
        beds = {key: evidence.bed for key, evidence in known.items()}
        draw(FIGURES, {name: beds.get(f"controller-{name}", "wide-area") for name in names})
    write(FOLDER, generate(registry, known))
    SHIPPED.write_text(shipped(registry, known), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
