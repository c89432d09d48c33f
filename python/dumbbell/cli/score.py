"""`dumbbell score`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from dumbbell.cli import completing
from dumbbell.cli.common import console, json_option, print_json, quiet_option


@click.command()
@click.argument("name", shell_complete=completing.matching(completing.controllers))
@click.option(
    "--set", "drawn", default="train", show_default=True, metavar="SET",
    help="train, held-out, or held-out-YEAR with the salt of a year.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help="Folder for score.json, feedback.txt and the worst networks as scenarios.",
)  # fmt: skip
@json_option
@quiet_option
def score(name: str, drawn: str, output: Path | None, as_json: bool) -> None:
    """Score the controller NAME over 200 networks: throughput, latency, coexistence.

    NAME is a registered controller or a class of your own such as my.py:Mine. Each score is from 0 to 1: the
    lower end of an interval, and the least of its groups of networks. Harm to CUBIC caps all three.
    """
    from dumbbell._files.folder import new_files
    from dumbbell.arena import facts, feedback
    from dumbbell.arena import score as scored
    from dumbbell.arena.write import fill

    # What cannot be written is refused before the runs.
    with nullcontext() if output is None else new_files(output) as part:
        found = scored(name, set=drawn)
        if part is not None:
            fill(found, part)
    if as_json:
        print_json(facts(found))
        return
    out = console()
    for each, mark in found.marks.items():
        capped = ", capped by harm to CUBIC" if mark.is_capped else ""
        out.print(f"{each:<12}{mark.value:.3f}  {mark.group.title}: {mark.estimate.short()}{capped}")
    out.print("")
    out.print(feedback(found))
    if output is not None:
        out.print(f"table and worst networks: {output / 'score.json'}", whole=True)
