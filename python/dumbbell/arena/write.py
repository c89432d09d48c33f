"""What a score leaves: a table as JSON, a paragraph, and the worst networks as scenarios."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dumbbell import Scenario, _native
from dumbbell._files.folder import new_files
from dumbbell._files.numbers import finite
from dumbbell.arena.feedback import feedback
from dumbbell.arena.networks import distribution
from dumbbell.arena.scoring import Row, Score


def facts(score: Score) -> dict[str, Any]:
    """Return a score as JSON types: scores, groups, harm, networks, the worst, and the paragraph."""
    return {
        "controller": score.entrant.command,
        "name": score.entrant.name,
        "set": score.set,
        "key": score.key,
        "edition": distribution().edition,
        "version": _native.version,
        "scores": {name: mark.value for name, mark in score.marks.items()},
        "decided_by": {name: mark.group.name for name, mark in score.marks.items()},
        "cap": score.cap,
        "groups": [
            {"score": name, "group": group.name, "title": group.title, **estimate.to_dict()}
            for name, group, estimate in score.groups
        ],
        "harm_above_cubic": [
            {"group": group.name, "title": group.title, **estimate.to_dict()}
            for group, estimate in score.harm
        ],
        "networks": [_row(row) for row in score.rows],
        "worst": [row.network.name for row in score.worst()],
        "feedback": feedback(score),
    }


def _row(row: Row) -> dict[str, Any]:
    numbers = row.numbers
    return {
        "network": row.network.name,
        "group": row.network.group.name,
        "seed": row.network.seed,
        **row.network.values,
        "capacity_bps": row.network.capacity,
        "goodput_bps": numbers.own,
        "least_bps": numbers.least,
        "wait_s": numbers.wait,
        "other_bps": numbers.other,
        "harm_above_cubic": row.harm,
        "values": dict(row.values),
        "plan": row.plan,
    }


def write_score(score: Score, folder: Path) -> Path:
    """Write ``score.json``, ``feedback.txt``, the law, and the worst networks; return the first.

    Parameters
    ----------
    score
        What is written.
    folder
        Where to.

    Raises
    ------
    FolderError
        If a file cannot be written.
    """
    with new_files(folder) as part:
        fill(score, part)
    return folder / "score.json"


def fill(score: Score, part: Path) -> None:
    """Write the files of a score into a new folder."""
    text = json.dumps(finite(facts(score)), indent=1, ensure_ascii=False, allow_nan=False)
    entrant = score.entrant
    (part / "score.json").write_text(text + "\n", encoding="utf-8")
    (part / "feedback.txt").write_text(feedback(score) + "\n", encoding="utf-8")
    if entrant.text is not None:
        (part / entrant.command.partition(":")[0]).write_text(entrant.text, encoding="utf-8")
    for place, row in enumerate(score.worst(), 1):
        scenario = Scenario.from_dict(row.network.scenario(entrant.value), base=entrant.folder)
        (part / f"worst-{place}-{row.network.name}.toml").write_text(
            f"# {row.network.text()}\n{scenario.to_toml()}", encoding="utf-8"
        )
