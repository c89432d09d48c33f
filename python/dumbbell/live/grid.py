"""The grid "our TCP beside the kernel's": runs of the kernel, which are kept, and ours beside them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dumbbell.live import kept
from dumbbell.live.cells import Cell
from dumbbell.live.compare import kernel_arm, prepared, simulated_arms
from dumbbell.live.criteria import CRITERIA, Summary, Verdict, quantity, values

SIMULATED = 10
"""Simulations of a cell with several flows, whose shares hang on single drops. One flow alone needs one."""


@dataclass(frozen=True)
class Result:
    """One cell: our runs, and the valid runs of the kernel."""

    cell: Cell
    ours: Sequence[Summary]
    kernel: Sequence[Summary]
    share: Verdict | None = field(init=False)
    """What is said of the share of flow 0; ``None`` for a flow alone."""
    excess: dict[str, float | None] = field(init=False)

    def __post_init__(self) -> None:
        share = CRITERIA["share"].judge(values("share", self.ours), values("share", self.kernel))
        apart = {"completion_time": self._apart(), "share": share.excess if share else None}
        excess = {
            name: apart[name] if name in apart else criterion.excess(*self._medians(name))
            for name, criterion in CRITERIA.items()
        }
        object.__setattr__(self, "share", share)
        object.__setattr__(self, "excess", excess)

    def _medians(self, name: str) -> tuple[float | None, float | None]:
        return median(name, self.ours), median(name, self.kernel)

    def _apart(self) -> float | None:
        """How far medians of completion times are apart at least, in units of what is allowed.

        A flow that has not finished counts as one that takes the whole run: it takes longer. Where most flows
        of both sides have not finished, or have no size, nothing is known.
        """
        ours, kernel = self._completion(self.ours), self._completion(self.kernel)
        if min(ours, kernel) >= self.cell.duration:
            return None
        return CRITERIA["completion_time"].excess(ours, kernel)

    def _completion(self, runs: Sequence[Summary]) -> float:
        times = [arm["completion_time"] for arm in runs]
        return statistics.median(self.cell.duration if time is None else time for time in times)

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
        single = [name for name in self.outside if name != "share"]
        spread = [CRITERIA[name].title for name in single if self._within_runs(name)]
        causes = [text for text, applies in _CAUSES if applies(self)]
        if spread:
            causes.append(f"the kernel's own runs differ as much ({', '.join(spread)})")
        return "; ".join(causes)

    def _within_runs(self, name: str) -> bool:
        """Whether ours lies between runs of the kernel, or is as far from one as they are from each other."""
        ours, kernel = median(name, self.ours), values(name, self.kernel)
        if len(kernel) < len(self.kernel):
            return ours is None or bool(kernel)
        return ours is not None and min(kernel) <= ours <= max(kernel) and min(kernel) < max(kernel)


def median(name: str, runs: Sequence[Summary]) -> float | None:
    """Return the median of one quantity; ``None`` if most runs lack it."""
    found = values(name, runs)
    return statistics.median(found) if 2 * len(found) > len(runs) else None


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


def measure(
    cells: Iterable[Cell], folder: Path, repeats: int, note: Callable[[str], object] = lambda _: None
) -> None:
    """Run the kernel for every cell that has too few runs: see :func:`dumbbell.live.kept.measure`."""
    kept.measure(cells, folder, repeats, _run, _check, note)


def _run(cell: Cell) -> tuple[Summary, Sequence[str]]:
    given = prepared(cell.scenario(), cell.controller, "linux")
    arm, _ = kernel_arm(given, cell.flows, cell.controller, cell.link)
    return arm.summary(), arm.reasons


def _check(run: Summary, cell: Cell) -> None:
    """Refuse what is no summary."""
    if len(run["flows"]) != cell.count:
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
        runs, invalid = kept.read(folder, cell, _check)
        if not runs:
            left_out.append((cell, invalid[-1] if invalid else "not run"))
            continue
        given = prepared(cell.scenario(), cell.controller, profile)
        ours = simulated_arms(given, cell.link, SIMULATED if cell.count > 1 else 1)
        found.append(Result(cell, [arm.summary() for arm in ours], runs))
    return sorted(found, key=lambda result: (-result.worst, result.cell.name)), left_out
