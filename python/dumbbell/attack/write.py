"""What an attack leaves: ``attack.md`` to read, ``attack.json``, and the network as a scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dumbbell._files.folder import new_files
from dumbbell._files.numbers import finite
from dumbbell.attack.network import described
from dumbbell.attack.run import Attack


def write_attack(attack: Attack, folder: Path) -> Path:
    """Write ``attack.md``, ``attack.json`` and, if something was found, ``scenario.toml``; return the first.

    Parameters
    ----------
    attack
        What was found.
    folder
        Where its runs are.

    Raises
    ------
    FolderError
        If a file cannot be written.
    """
    text = json.dumps(finite(facts(attack)), indent=1, ensure_ascii=False, allow_nan=False)
    with new_files(folder) as part:
        (part / "attack.md").write_text(markdown(attack), encoding="utf-8")
        (part / "attack.json").write_text(text + "\n", encoding="utf-8")
        if attack.scenario:
            (part / "scenario.toml").write_text(attack.scenario, encoding="utf-8")
    return folder / "attack.md"


def verdict(attack: Attack) -> str:
    """Return in a sentence whether the property was broken."""
    name, wanted = attack.candidate.name, attack.wanted.text
    if attack.broken and attack.margin is not None:
        return (
            f"{name} breaks {wanted}: margin {attack.margin.text()} at seeds that the search has not seen; "
            f"distance to the nearest ordinary network {attack.distance:.2g}"
        )
    least = f"the least margin of {attack.tried} plausible networks is {attack.worst:.3g}"
    if attack.found:
        least += ", which fresh seeds do not confirm"
    return f"nothing found: {name} keeps {wanted}; {least}"


def facts(attack: Attack) -> dict[str, Any]:
    """Return what was found as JSON types."""
    return {
        "candidate": attack.candidate.name,
        "property": attack.wanted.text,
        "broken": attack.broken,
        "verdict": verdict(attack),
        "tried": attack.tried,
        "refused": attack.refused,
        "empty": attack.empty,
        "worst_margin": attack.worst,
        "shrinking_steps": attack.steps,
        "found": described(attack.bounds, attack.found) if attack.found else None,
        "shrunk": described(attack.bounds, attack.shrunk) if attack.shrunk else None,
        "distance": attack.distance,
        "margin": attack.margin.to_dict() if attack.margin else None,
        "levels": {label: level.to_dict() for label, level in attack.levels},
        "bounds": [
            {"name": b.name, "low": b.factor.low, "high": b.factor.high, "source": b.source}
            for b in attack.bounds
        ],
    }


def markdown(attack: Attack) -> str:
    """Return the report."""
    lines = [f"# {attack.candidate.name}: {attack.wanted.text}", "", f"{verdict(attack)}.", ""]
    lines.append(
        f"{attack.tried} networks tried, {attack.refused} refused as no valid scenarios, "
        f"{attack.empty} without a value. A margin is the difference of both sides over their sum: below 0 "
        "where the property is broken."
    )
    if attack.shrunk and attack.found:
        lines += [
            "",
            "## The network",
            "",
            "| | as found | shrunk | ordinary | plausible |",
            "|---|---|---|---|---|",
        ]
        for was, now in zip(
            described(attack.bounds, attack.found), described(attack.bounds, attack.shrunk), strict=True
        ):
            ends = "..".join(f"{end:g}" for end in now["plausible"])
            unit = f" {now['unit']}" if now["unit"] else ""
            cells = (
                now["name"], f"{was['value']:.4g}{unit}", f"{now['value']:.4g}{unit}",
                "yes" if now["ordinary"] else "no", ends,
            )  # fmt: skip
            lines.append(f"| {' | '.join(cells)} |")
        lines += ["", "## There, at fresh seeds", ""]
        lines += [f"- {label}: {level.text()}" for label, level in attack.levels]
        lines += [
            "",
            "## To repeat",
            "",
            "    dumbbell run scenario.toml",
            "    dumbbell trace scenario.toml --pcapng packets.pcapng",
            "    dumbbell shell scenario.toml",
        ]
    lines += ["", "## Bounds", "", "| | plausible | source |", "|---|---|---|"]
    for bound in attack.bounds:
        unit = f" {bound.unit}" if bound.unit else ""
        lines.append(
            f"| {bound.label} | {bound.factor.low:g} to {bound.factor.high:g}{unit} | {bound.source} |"
        )
    return "\n".join(lines) + "\n"
