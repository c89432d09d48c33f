"""Writes the list of the papers that come with the package: ``python -m tools.papers``.

``dumbbell papers`` shows it; a test fails when it differs from what this would write.
"""

from __future__ import annotations

import json
from pathlib import Path

from dumbbell.papers import all_papers

LISTED = Path(__file__).resolve().parent.parent / "python" / "dumbbell" / "papers" / "listed.json"


def generate() -> str:
    """Return the papers as JSON: name, title, and how many claims, quick runs and full runs each has."""
    rows: list[dict[str, str | int]] = []
    for paper in all_papers():
        quick, full = (
            len(study.points()) * len(study.arms) * len(study.seeds)
            for study in (paper.study(quick=True), paper.study())
        )
        rows.append(
            {
                "name": paper.name,
                "title": paper.study().title,
                "claims": len(paper.claims()),
                "quick_runs": quick,
                "full_runs": full,
            }
        )
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the list."""
    LISTED.write_text(generate(), encoding="utf-8")


if __name__ == "__main__":
    main()
