"""`dumbbell attack`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from dumbbell.cli import completing
from dumbbell.cli.asserting import NOT_SO
from dumbbell.cli.common import (
    console,
    json_option,
    memory_option,
    print_json,
    quiet_option,
    tell_of_library,
    workers_option,
)


@click.command()
@click.argument("name", shell_complete=completing.matching(completing.controllers))
@click.option("--property", "text", required=True, help='Such as "goodput >= 0.5 * cubic.goodput".')
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder; by default attack-NAME.")
@click.option(
    "--bound", "narrower", multiple=True, metavar="NAME=LOW..HIGH",
    help="Narrower bounds of networks, such as jitter=0..5. May be repeated.",
)  # fmt: skip
@click.option(
    "--networks", type=click.IntRange(8, 1 << 14), default=64, show_default=True,
    help="Networks of the first search; as many again from the worst on.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**31), default=1, show_default=True, help="Of the search.")
@workers_option
@memory_option
@json_option
@quiet_option
def attack(
    name: str,
    text: str,
    output: Path | None,
    narrower: tuple[str, ...],
    networks: int,
    seed: int,
    workers: int | None,
    memory: int | None,
    as_json: bool,
) -> None:
    """Search for a plausible network in which the controller NAME breaks a property, and shrink it.

    A property is a comparison of metrics, which may be those of another controller in the same network. The
    exit status is 3 if it was broken. Runs that the output folder holds already are not made again.
    """
    from dumbbell.attack import parse_property, plausible, run_attack, write_attack
    from dumbbell.attack.write import mechanism_text, verdict
    from dumbbell.cli.progress import study_progress
    from dumbbell.judge import candidate_of

    candidate = candidate_of(name)
    if candidate.foreign:
        tell_of_library(name)
    wanted, bounds = parse_property(text), plausible(narrower)
    folder = output or Path(f"attack-{candidate.name}")
    with study_progress(f"attack on {candidate.name}") as show:
        found = run_attack(
            candidate, wanted, bounds, folder, networks=networks, seed=seed, workers=workers, memory=memory,
            stage=show.stage,
        )  # fmt: skip
    report = write_attack(found, folder)
    if as_json:
        print_json(json.loads((folder / "attack.json").read_text(encoding="utf-8")))
    else:
        out = console()
        out.print(verdict(found))
        if found.mechanism:
            out.print(f"why: {mechanism_text(found.mechanism)}")
        if found.shrunk:
            for bound in found.bounds:
                out.print(f"  {bound.text(found.shrunk[bound.name])}")
            for label, level in found.levels:
                out.print(f"  {label}: {level.text()}")
        out.print(f"report: {report}", whole=True)
    if found.broken:
        sys.exit(NOT_SO)
