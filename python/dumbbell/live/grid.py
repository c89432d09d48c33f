"""The grid "our TCP beside the kernel's": runs of the kernel, which are kept, and ours beside them."""

from __future__ import annotations

import json
import platform
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dumbbell._files.foreign import replace_file
from dumbbell.errors import DumbbellError
from dumbbell.live.cells import LINK, Cell
from dumbbell.live.compare import kernel_arm, prepared, simulated_arm

_ATTEMPTS = 3
"""Runs until one is valid."""

Summary = dict[str, Any]
"""What :meth:`Arm.summary` returns."""


@dataclass(frozen=True)
class Criterion:
    """One quantity, and how far ours may be from the kernel's: as a share, or by a count."""

    title: str
    share: float
    count: float = 0.0

    def excess(self, ours: float | None, kernel: float | None) -> float | None:
        """Return the difference in units of what is allowed; ``None`` if neither side has the quantity."""
        if ours is None and kernel is None:
            return None
        if ours is None or kernel is None:
            return float("inf")
        allowed = max(self.share * abs(kernel), self.count)
        difference = abs(ours - kernel)
        return difference / allowed if allowed else (float("inf") if difference else 0.0)


CRITERIA = {
    "completion_time": Criterion("completion s", 0.15),
    "first_drop": Criterion("first drop s", 0.10),
    "first_cut": Criterion("first cut, segments", 0.10),
    "retransmissions": Criterion("resent", 0.30, 10),
    "timeouts": Criterion("timeouts", 0.0),
    "share": Criterion("share of flow 0", 0.10),
}


def quantity(name: str, arm: Summary) -> float | None:
    """Return one quantity of a summary."""
    if name == "first_cut":
        cut = arm["flows"][0]["first_cut"]
        return cut and float(cut[1])
    if name == "share":
        total = sum(flow["goodput"] for flow in arm["flows"])
        return arm["flows"][0]["goodput"] / total if len(arm["flows"]) > 1 and total else None
    return None if arm[name] is None else float(arm[name])


@dataclass(frozen=True)
class Result:
    """One cell: ours, and the valid runs of the kernel."""

    cell: Cell
    ours: Summary
    kernel: Sequence[Summary]
    excess: dict[str, float | None] = field(init=False)

    def __post_init__(self) -> None:
        found = {
            name: criterion.excess(quantity(name, self.ours), self.median(name))
            for name, criterion in CRITERIA.items()
        }
        object.__setattr__(self, "excess", found)

    def median(self, name: str) -> float | None:
        """The median of the kernel's runs; ``None`` if most of them lack the quantity."""
        values = [value for arm in self.kernel if (value := quantity(name, arm)) is not None]
        return statistics.median(values) if 2 * len(values) > len(self.kernel) else None

    @property
    def worst(self) -> float:
        """The largest difference in units of what is allowed."""
        return max((value for value in self.excess.values() if value is not None), default=0.0)

    @property
    def outside(self) -> list[str]:
        """The quantities that differ by more than is allowed."""
        return [name for name, value in self.excess.items() if value is not None and value > 1]

    @property
    def reason(self) -> str:
        """Why they differ, as far as it is known."""
        if not self.outside:
            return ""
        spread = [CRITERIA[name].title for name in self.outside if self._within_runs(name)]
        causes = [text for text, applies in _CAUSES if applies(self)]
        if spread:
            causes.append(f"the kernel's own runs differ as much ({', '.join(spread)})")
        return "; ".join(causes)

    def _within_runs(self, name: str) -> bool:
        """Whether ours lies between runs of the kernel, or is as far from one as they are from each other."""
        ours = quantity(name, self.ours)
        values = [value for arm in self.kernel if (value := quantity(name, arm)) is not None]
        if len(values) < len(self.kernel):
            return ours is None or bool(values)
        return ours is not None and min(values) <= ours <= max(values) and min(values) < max(values)


_FAST = 50
_BURST = 10
"""Round-trip times (ms) up to which windows leave in bursts of ten segments and more at 50 Mbit/s (Linux
net/ipv4/tcp_output.c, tcp_tso_autosize)."""


def _starts_otherwise(result: Result) -> bool:
    return bool({"first_drop", "first_cut"} & set(result.outside))


def _bursts(result: Result) -> bool:
    return _starts_otherwise(result) and result.cell.rate >= _FAST and result.cell.round_trip <= _BURST


_CAUSES: tuple[tuple[str, Callable[[Result], bool]], ...] = (
    ("the kernel sends bursts of many segments (TSO)", _bursts),
)


def open_folder(output: Path) -> Path:
    """Return the folder of the runs of a grid, within its output, and make both if they are missing.

    Raises
    ------
    DumbbellError
        If the output is something else.
    """
    folder = output / "cells"
    if output.exists() and not folder.is_dir() and (not output.is_dir() or any(output.iterdir())):
        raise DumbbellError(f"{output}: this is no folder of a grid; give a new folder to -o")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DumbbellError(f"{folder}: {error.strerror}; give another folder to -o") from None
    return folder


def measure(
    cells: Iterable[Cell], folder: Path, repeats: int, note: Callable[[str], object] = lambda _: None
) -> None:
    """Run the kernel for every cell that has too few runs, and write each cell when it is done.

    Parameters
    ----------
    cells
        What to run.
    folder
        Exists; takes ``NAME.json`` for each cell. Runs that it has are kept, of this kernel or of another.
    repeats
        Valid runs of each cell. One that declares itself invalid is made again, up to three times.
    note
        Told about each cell.

    Raises
    ------
    DumbbellError
        If a file there is none of a cell, or the kernel refuses a controller.
    """
    for cell in cells:
        path = folder / f"{cell.name}.json"
        runs, invalid = _read(path, cell)
        if len(runs) >= repeats:
            continue
        given = prepared(cell.scenario(), cell.controller, "linux")
        while len(runs) < repeats:
            for _ in range(_ATTEMPTS):
                arm, _ = kernel_arm(given, cell.flows, cell.controller, LINK)
                if arm.valid:
                    break
                invalid.append("; ".join(arm.reasons))
            else:
                break
            runs.append({**arm.summary(), "kernel": platform.release().partition("-")[0]})
        replace_file(path, (json.dumps({"runs": runs, "invalid": invalid}) + "\n").encode())
        note(f"{cell.name}: {len(runs)} valid, {len(invalid)} invalid")


def _read(path: Path, cell: Cell) -> tuple[list[Summary], list[str]]:
    """The runs of a cell, and why others were invalid."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        for run in found["runs"]:
            _check(run, cell)
        return list(found["runs"]), [str(reason) for reason in found["invalid"]]
    except FileNotFoundError:
        return [], []
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise DumbbellError(f"{path}: this is no cell of the grid; remove it, and it is run again") from None


def _check(run: Summary, cell: Cell) -> None:
    """Refuse what is no summary: the file may be anybody's."""
    if len(run["flows"]) != cell.count or not isinstance(run["kernel"], str):
        raise ValueError
    for name in CRITERIA:
        value = quantity(name, run)
        if value is not None and not value >= 0:
            raise ValueError


def results(
    cells: Iterable[Cell], folder: Path, profile: str = "linux"
) -> tuple[list[Result], list[tuple[Cell, str]]]:
    """Simulate every cell that has runs of the kernel.

    Returns
    -------
    tuple
        The results, worst first, and the cells that were left out, each with the reason.
    """
    found, left_out = [], []
    for cell in cells:
        runs, invalid = _read(folder / f"{cell.name}.json", cell)
        if not runs:
            left_out.append((cell, invalid[-1] if invalid else "not run"))
            continue
        given = prepared(cell.scenario(), cell.controller, profile)
        found.append(Result(cell, simulated_arm(given, given.run(), LINK).summary(), runs))
    return sorted(found, key=lambda result: (-result.worst, result.cell.name)), left_out
