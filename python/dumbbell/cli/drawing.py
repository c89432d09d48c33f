"""`dumbbell compare-real --draw`: cells that are drawn, in the kernel and in the simulator."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dumbbell._extras import require
from dumbbell._printing import Text, TextTable
from dumbbell.cli.common import console, echo, number, print_json, refuse_twice, side_console
from dumbbell.errors import DumbbellError
from dumbbell.live.boots import Boots
from dumbbell.live.drawn import CONTROLLERS, cells
from dumbbell.live.kernel import kernel_has

_SHOWN = 10
"""Cells on the screen."""


def draw(
    count: int,
    seed: int,
    controllers: str | None,
    pattern: str | None,
    profile: str,
    output: Path,
    as_json: bool,
    runs: int = 1,
    boots: Boots | None = None,
) -> None:
    """Run what is missing of the cells, and write the page.

    Parameters
    ----------
    count, seed
        Which cells are drawn.
    controllers
        Names of the kernel, separated by commas; ``None`` for all that it has.
    pattern
        Chooses cells by name; ``None`` for all.
    profile
        Whose TCP the simulator runs.
    output
        The folder.
    as_json
        Print ``results.json``.
    runs
        Of each side, in pairs.
    boots
        Run each cell in such a kernel in virtual time, several at once; ``None`` for the kernel that runs.
    """
    for package in ("pyarrow", "scipy"):
        require(package)
    from dumbbell.live import drawn_page, drawn_run, referee

    asked = list(CONTROLLERS) if controllers is None else [name.strip() for name in controllers.split(",")]
    refuse_twice("--controllers", asked)
    # What `make kernel` builds has them all.
    drawn = [name for name in asked if boots or name not in CONTROLLERS or kernel_has(name)]
    missing = {name: "the kernel has none" for name in asked if name not in drawn}
    if missing and not drawn:
        raise DumbbellError(
            f"--controllers: the kernel has none of {', '.join(missing)}; as root, try `modprobe "
            f"tcp_{next(iter(missing))}`"
        )
    chosen = cells(count, seed, drawn, pattern or "*")
    if not chosen:
        raise DumbbellError(f"--cells: no cell of the draw is called {pattern!r}; try '0000-*'")
    out = side_console()
    for name, why in missing.items():
        out.print(f"note: {name} is not drawn: {why}; try `modprobe tcp_{name}`", whole=True)
    referee.open_folder(output, seed, [name for name in CONTROLLERS if name in drawn])
    runner = drawn_run.InVirtualTime(boots, drawn) if boots else referee.Here()
    referee.measure(chosen, output, out.print, runs, runner)
    sides = [
        drawn_page.Side(kernel, *referee.results(chosen, output, kernel, profile, out.print))
        for kernel in referee.kernels(output)
    ]
    options = (
        ("--controllers", controllers is not None, f" {shlex.quote(controllers or '')}"),
        ("--cells", pattern is not None, f" {shlex.quote(pattern or '')}"),
        ("--profile", profile != "linux", f" {profile}"),
        ("--runs", runs > 1, f" {runs}"),
    )
    given = "".join(f" {name}{value}" for name, used, value in options if used)
    command = f"dumbbell compare-real --draw {count} --seed {seed}{given}"
    said = drawn_page.write(output, sides, command, missing)
    if as_json:
        print_json(said)
    else:
        for side in said["kernels"]:
            _print(side)
    for found in sides:
        for line in drawn_page.rests_on(found.results):
            out.print(line, whole=True)
    echo(f"page: {output / 'page.md'}", err=True)


def _print(side: dict[str, Any]) -> None:
    """Print what was found with one kernel, and its worst cells."""
    out = console()
    rows: Sequence[tuple[str | Text, ...]] = [
        (each["what"], each["found"], each["wanted"]) for each in side["answer"]
    ]
    out.print(
        TextTable(f"Linux {side['kernel']}: {len(side['cells'])} cells", ("", "found", "wanted"), (), rows)
    )
    worst = [
        (
            cell["cell"], cell["outside"] or "within", _pair(cell, "completion"), _pair(cell, "share"),
            cell["first_data_packet"] or "none",
        )
        for cell in side["cells"][:_SHOWN]
    ]  # fmt: skip
    if worst:
        heads = ("cell, worst first", "", "completion s", "share", "the first data packet that differs")
        out.print(TextTable("Ours / the kernel's", heads, (), worst))
    for name, reason in side["left_out"].items():
        out.print(f"left out: {name}: {reason}", whole=True)


def _pair(cell: dict[str, Any], name: str) -> str:
    ours, kernel = cell[f"{name}_ours"], cell[f"{name}_kernel"]
    return "" if ours is None else f"{number(ours)} / {number(kernel)}"
