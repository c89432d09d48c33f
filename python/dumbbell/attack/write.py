"""What an attack leaves: ``attack.md`` to read, ``attack.json``, and the network as a scenario."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dumbbell import Scenario
from dumbbell._files.folder import new_files
from dumbbell._files.numbers import finite
from dumbbell.attack.mechanism import Mechanism
from dumbbell.attack.network import described
from dumbbell.attack.recorded import FILE
from dumbbell.attack.run import Attack
from dumbbell.live.kernel import NAMES


def write_attack(attack: Attack, folder: Path) -> Path:
    """Write ``attack.md`` and ``attack.json``; return the first.

    If something was found, ``scenario.toml`` has the network, ``recorded.toml`` and ``link.trace`` the same
    with a recorded link, and ``trace.txt`` the packets where it is broken most.

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
        if attack.recorded:
            (part / "recorded.toml").write_text(attack.recorded.scenario, encoding="utf-8")
            (part / FILE).write_text(attack.recorded.link, encoding="utf-8")
        if attack.mechanism:
            start, until = (f"{time:.6f}s" for time in (attack.mechanism.start, attack.mechanism.until))
            scenario = Scenario.from_file(part / "scenario.toml")
            scenario.write_trace({"lines": part / "trace.txt"}, start=start, until=until, limit=None)
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
        "needed": [{"change": change, "margin": margin.to_dict()} for change, margin in attack.needed],
        "mechanism": _mechanism_facts(attack.mechanism) if attack.mechanism else None,
        "recorded": {"broken": attack.recorded.broken, "margin": attack.recorded.margin.to_dict()}
        if attack.recorded
        else None,
        "bounds": [
            {"name": b.name, "low": b.factor.low, "high": b.factor.high, "source": b.source}
            for b in attack.bounds
        ],
    }


def _mechanism_facts(mechanism: Mechanism) -> dict[str, Any]:
    part = {"start": mechanism.start, "until": mechanism.until}
    return {"names": mechanism.names, "facts": asdict(mechanism.facts), "worst": part}


def mechanism_text(mechanism: Mechanism) -> str:
    """Return in a sentence why the property is broken."""
    unnamed = "no rule names the mechanism; see the table and trace.txt"
    return "; ".join(mechanism.names) or unnamed


def _why(attack: Attack) -> list[str]:
    """Return the part of the report about the mechanism."""
    lines = []
    if attack.mechanism:
        facts = attack.mechanism.facts.rows()
        lines += [
            "", "## Mechanism", "", f"{mechanism_text(attack.mechanism)}.", "",
            "| in one run, after the warm-up | |", "|---|---|",
            *(f"| {label} | {value} |" for label, value in facts), "",
            f"It is worst from {attack.mechanism.start:.3g} to {attack.mechanism.until:.3g} s: `trace.txt` "
            "has the packets of that time.",
        ]  # fmt: skip
    if attack.needed:
        lines += ["", "| what is changed | margin |", "|---|---|"]
        lines += [f"| {change} | {margin.text()} |" for change, margin in attack.needed]
    if attack.recorded:
        still = "breaks" if attack.recorded.broken else "does not show that it breaks"
        lines += [
            "", f"`recorded.toml` has `{FILE}`, the link as a source found it that never pauses, instead of "
            f"the rate and the jitter. It {still} the property: margin {attack.recorded.margin.text()}.",
        ]  # fmt: skip
    return lines


def _replay(attack: Attack) -> list[str]:
    """Return the command that repeats the network on real packets; nothing for a library, which cannot."""
    if attack.candidate.foreign:
        return []
    others = (name.replace("_", "-") for name in attack.wanted.controllers)
    names = list(dict.fromkeys((attack.candidate.command, *others)))
    ends = "" if all(name in NAMES for name in names) else " --endpoints user"
    duration = Scenario.from_toml(attack.scenario).explain()["duration"]
    listed = shlex.quote(",".join(names))
    options = f"--virtual --duration {duration:g} --controllers {listed}{ends}"
    told = "The last sends real packets through the link in virtual time, and prints both sides."
    return [f"    dumbbell compare-real scenario.toml {options}", "", told]


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
        lines += _why(attack)
        lines += [
            "",
            "## To repeat",
            "",
            "    dumbbell run scenario.toml",
            "    dumbbell trace scenario.toml --pcapng packets.pcapng",
            "    dumbbell shell scenario.toml",
            *_replay(attack),
        ]
    lines += ["", "## Bounds", "", "| | plausible | source |", "|---|---|---|"]
    for bound in attack.bounds:
        unit = f" {bound.unit}" if bound.unit else ""
        lines.append(
            f"| {bound.label} | {bound.factor.low:g} to {bound.factor.high:g}{unit} | {bound.source} |"
        )
    return "\n".join(lines) + "\n"
