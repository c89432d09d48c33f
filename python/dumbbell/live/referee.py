"""Drawn cells in the kernel and in the simulator, kept in a folder, and what differs."""

from __future__ import annotations

import json
import math
import platform
import statistics
import tempfile
from collections.abc import Callable, Container, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

from dumbbell import _native
from dumbbell._files.foreign import replace_file
from dumbbell._files.numbers import finite
from dumbbell._files.read import read_bytes
from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.live import kept, packets, ticks, virtual
from dumbbell.live.compare import arms_of, prepared, traced_kernel_arm
from dumbbell.live.criteria import Summary
from dumbbell.live.drawn import CONTROLLERS, LINK, VERSION, Cell
from dumbbell.live.lateness import late
from dumbbell.live.packets import Apart, Packets
from dumbbell.live.phases import paired
from dumbbell.stats import Estimate, paired_ratio

COMPLETION, SHARE = 0.05, 0.10
"""How far ours may be from the kernel's, as a part of it: mean completion times, and shares of the link."""

SPREAD = tuple(f"{late}us" for late in range(1, 101))
"""How late packets arrive in the mean in further simulations of a cell outside: does ours vary as much?"""

DRAWS = 20
"""Further simulations of a cell outside, in which controllers that draw numbers draw others."""

PAIRED = "20us"
"""How late packets arrive in the mean in the second and further runs of a cell, on both sides."""

PARTS: Mapping[str, Mapping[str, Any]] = {
    "SACK compression": {"sack_compression": False},
    "quick acknowledgements": {"delayed_acks": "fixed"},
    "segmentation offload": {"segmentation_offload": "off"},
    "the tail loss probe": {"tail_loss_probe": False},
    "HyStart": {"controller.hystart": "off"},
}
"""Parts of our TCP, each with what switches it off: if ours is within the bounds without one, and no other
reason is known, the cell hangs on it."""

_WINDOW = "3932160B"
"""The largest receive window of Linux 6.6 to 6.15: 6 MiB of memory, net.ipv4.tcp_rmem[2], of which five
eighths are data where a packet of 1500 bytes takes 2304."""

_SCALE = 7
"""By how many bits they shift windows: as 6 MiB need, not as the window."""

_PERIOD = 10
"""Milliseconds between samples of both sides. Shares of the link hang on the last one: by 0.2 % at most. In
virtual time, a look at each connection in every millisecond takes longer than all else."""

_DRAW = "draw.json"
_KERNELS = "kernels"
_SCENARIOS = "scenarios"
_QUANTITIES = ("first_drop", "retransmissions", "timeouts", "queueing_delay")


def release() -> str:
    """Return the version of the kernel that runs, such as ``6.12.117``."""
    return platform.release().partition("-")[0]


def open_folder(output: Path, seed: int, controllers: Sequence[str]) -> None:
    """Make a folder of drawn cells, or make sure that one is of this seed and these controllers.

    Raises
    ------
    DumbbellError
        If the folder is something else, or of another draw.
    """
    wanted = {"seed": seed, "controllers": list(controllers), "law": VERSION}
    about = output / _DRAW
    if not about.exists():
        if output.exists() and (not output.is_dir() or any(output.iterdir())):
            raise DumbbellError(f"{output}: this is no folder of drawn cells; give a new folder to -o")
        try:
            (output / _SCENARIOS).mkdir(parents=True, exist_ok=True)
            replace_file(about, (json.dumps(wanted) + "\n").encode())
        except OSError as error:
            raise DumbbellError(f"{output}: {error.strerror}; give another folder to -o") from None
        return
    try:
        found = json.loads(read_bytes(about))
        seed_there, names, law = (
            int(found["seed"]),
            [str(name) for name in found["controllers"]],
            found["law"],
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise DumbbellError(f"{about}: this is no description of a draw; give a new folder to -o") from None
    if law != VERSION:
        raise DumbbellError(
            f"{output}: another version of dumbbell drew its cells, by another law; give a new folder to -o"
        )
    if seed_there != seed:
        raise DumbbellError(
            f"{output}: its cells are of seed {seed_there}; give --seed {seed_there}, or a new folder to -o"
        )
    if names != list(controllers):
        option = f"--controllers {','.join(names)}" if set(names) <= CONTROLLERS.keys() else "others"
        raise DumbbellError(
            f"{output}: its cells were drawn with other controllers; give {option}, or a new folder to -o"
        )


def kernels(output: Path) -> list[str]:
    """Return the versions of the kernels that a folder has runs of, the latest first."""
    folder = output / _KERNELS
    found = [each.name for each in folder.iterdir() if each.is_dir()] if folder.is_dir() else []
    return sorted(found, key=_version, reverse=True)


def _runs_of(output: Path, kernel: str) -> Path:
    """Return the folder of the runs of a kernel, which is there from now on."""
    folder = output / _KERNELS / kernel
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DumbbellError(f"{folder}: {error.strerror}; give another folder to -o") from None
    return folder


def _version(name: str) -> list[tuple[int, str]]:
    return [(int(part) if part.isdecimal() else -1, part) for part in name.split(".")]


def scenario_file(output: Path, cell: Cell) -> Path:
    """Return where the scenario of a cell stands."""
    return output / _SCENARIOS / f"{cell.name}.toml"


@dataclass(frozen=True)
class Result:
    """One cell: a run of the kernel, ours, and the first packet that differs."""

    cell: Cell
    kernel: Summary
    """Also has ``tick``, the resolution of the kernel's timers (s), and ``virtual``, what virtual time rests
    on, or ``None``."""
    ours: Summary
    spread: Sequence[Summary]
    """Runs of ours whose packets arrive a little late; none of a cell within the bounds."""
    first: Apart | None
    """The first packet that differs; ``None`` if all are the same."""
    data: Apart | None
    """The first one with data."""
    without: Mapping[str, Summary] = field(default_factory=dict)
    """Runs of ours without one of :data:`PARTS`, by its name; none if another reason is known."""
    pairs: Sequence[tuple[Summary, Summary]] = ()
    """Further runs of ours and of the kernel, in pairs with one seed: see :func:`varied`."""
    drawn: Sequence[Summary] = ()
    """Runs of ours whose controllers draw other numbers; none if none draws, or if it is within bounds."""
    waits: Mapping[int, str] = field(default_factory=dict)
    """Flows that wait on one side alone: see :func:`dumbbell.live.packets.lone_waits`."""

    @cached_property
    def completion(self) -> float | None:
        """Ours less the kernel's, as a part of the kernel's; ``None`` if no flow with a size has finished."""
        return _relative(*self._completions(self.ours))

    @cached_property
    def shares(self) -> list[float]:
        """The same of the share of the link of each flow without a size; 0 where both have none."""
        pairs = zip(_shares(self.cell, self.ours), _shares(self.cell, self.kernel), strict=True)
        return [_relative(ours, kernel) or 0.0 for ours, kernel in pairs]

    def _completions(
        self, ours: Summary, left_out: Container[int] = (), kernel: Summary | None = None
    ) -> tuple[float, float]:
        """Means over flows that have finished on some side; on the other they take the rest of the run."""
        end = self.cell.duration
        kernel = self.kernel if kernel is None else kernel
        times = [
            tuple(
                end - side["start"] if side["completion_time"] is None else side["completion_time"]
                for side in (a, b)
            )
            for flow, (a, b) in enumerate(zip(ours["flows"], kernel["flows"], strict=True))
            if a["size"] is not None
            and (a["completion_time"], b["completion_time"]) != (None, None)
            and flow not in left_out
        ]
        if not times:
            return 0.0, 0.0
        return statistics.fmean(a for a, _ in times), statistics.fmean(b for _, b in times)

    @property
    def runs(self) -> int:
        """Runs of each side."""
        return 1 + len(self.pairs)

    @cached_property
    def mean_completion(self) -> Estimate | None:
        """Ours / the kernel's, of means over runs, less 1; ``None`` if no flow with a size has finished."""
        found = [self._completions(ours, (), kernel) for ours, kernel in self._all()]
        if not any(b for _, b in found):
            return None
        return _of_means([a for a, _ in found], [b for _, b in found])

    @cached_property
    def mean_shares(self) -> list[Estimate]:
        """The same of each flow without a size."""
        sides = [[_shares(self.cell, run) for run in runs] for runs in zip(*self._all(), strict=True)]
        return [
            _of_means(list(ours), list(kernel))
            for ours, kernel in zip(zip(*sides[0], strict=True), zip(*sides[1], strict=True), strict=True)
        ]

    def _all(self) -> list[tuple[Summary, Summary]]:
        return [(self.ours, self.kernel), *self.pairs]

    @property
    def kernel_varies(self) -> bool:
        """Whether our run lies among those of the kernel, in all that is outside."""
        return bool(self.pairs) and all(self._kernel_varies(what) for what in self.outside)

    def _kernel_varies(self, what: str) -> bool:
        runs = [kernel for _, kernel in self._all()]
        if what == "completion":
            apart = [_relative(*self._completions(self.ours, (), run)) or 0.0 for run in runs]
            return min(apart) <= 0 <= max(apart)
        of_runs = list(zip(*(_shares(self.cell, run) for run in runs), strict=True))
        ours = _shares(self.cell, self.ours)
        return all(
            min(of_runs[i]) <= ours[i] <= max(of_runs[i])
            for i, share in enumerate(self.shares)
            if abs(share) > SHARE
        )

    @cached_property
    def outside(self) -> list[str]:
        """The quantities that differ by more than is allowed."""
        found = []
        if self.completion is not None and abs(self.completion) > COMPLETION:
            found.append("completion")
        if any(abs(share) > SHARE for share in self.shares):
            found.append("share")
        return found

    @property
    def worst(self) -> float:
        """The largest difference in units of what is allowed."""
        shares = [abs(share) / SHARE for share in self.shares]
        return max([abs(self.completion or 0.0) / COMPLETION, *shares])

    @property
    def reason(self) -> str:
        """Why it is outside, as far as it is known."""
        if not self.outside:
            return ""
        if self.kernel_varies:
            return f"the kernel varies as much: {self._range_of_kernel()} in {self.runs} runs"
        if self.varies_with_draws:
            return f"hangs on what {self.cell.controller} draws: {self._range(self.drawn)} with other draws"
        if self.varies:
            late = f"when packets come up to {SPREAD[-1]} late"
            return f"ours varies as much: {self._range(self.spread)} {late}"
        if self.outside == ["completion"] and self.waits:
            rest = _relative(*self._completions(self.ours, self.waits)) or 0.0
            if abs(rest) <= COMPLETION:
                told = ", ".join(f"flow {flow} for {what}" for flow, what in self.waits.items())
                return f"one side alone waits: {told}; within the bounds without"
        decisive = [name for name, run in self.without.items() if not replace(self, ours=run).outside]
        if decisive:
            return f"hangs on {' and on '.join(decisive)}: within the bounds without"
        return f"not known; begins with {self.first.what}" if self.first else "not known"

    @property
    def varies(self) -> bool:
        """Whether the kernel's run lies among ours whose packets come late, in all that is outside."""
        return all(self._varies(what, self.spread) for what in self.outside)

    @property
    def varies_with_draws(self) -> bool:
        """Whether the kernel's run lies among ours whose controllers draw other numbers."""
        return bool(self.drawn) and all(self._varies(what, self.drawn) for what in self.outside)

    def _varies(self, what: str, others: Sequence[Summary]) -> bool:
        """Whether the kernel's run lies among runs of ours, in every flow that is outside."""
        runs = [self.ours, *others]
        if what == "completion":
            apart = [_relative(*self._completions(run)) or 0.0 for run in runs]
            return min(apart) <= 0 <= max(apart)
        of_runs = list(zip(*(_shares(self.cell, run) for run in runs), strict=True))
        kernel = _shares(self.cell, self.kernel)
        return all(
            min(of_runs[i]) <= kernel[i] <= max(of_runs[i])
            for i, share in enumerate(self.shares)
            if abs(share) > SHARE
        )

    def _range(self, others: Sequence[Summary]) -> str:
        runs = (self.ours, *others)
        return self._ranges([self._completions(run)[0] for run in runs], runs)

    def _range_of_kernel(self) -> str:
        runs = [kernel for _, kernel in self._all()]
        return self._ranges([self._completions(self.ours, (), run)[1] for run in runs], runs)

    def _ranges(self, times: Sequence[float], runs: Sequence[Summary]) -> str:
        found = []
        for what in self.outside:
            if what == "completion":
                found.append(f"{min(times):.3g} to {max(times):.3g} s")
            else:
                worst = max(range(len(self.shares)), key=lambda i: abs(self.shares[i]))
                part = [_shares(self.cell, run)[worst] for run in runs]
                found.append(f"shares of {min(part):.3g} to {max(part):.3g}")
        return ", ".join(found)

    def completions(self) -> tuple[float, float] | None:
        """Mean completion times of both sides (s); ``None`` if no flow with a size has finished."""
        return None if self.completion is None else self._completions(self.ours)

    def worst_share(self) -> tuple[int, float, float] | None:
        """The flow whose shares differ most, and its share of both sides; ``None`` if no flow has one."""
        if not self.shares:
            return None
        worst = max(range(len(self.shares)), key=lambda i: abs(self.shares[i]))
        flow = [i for i, size in enumerate(self.cell.sizes) if size is None][worst]
        return flow, _shares(self.cell, self.ours)[worst], _shares(self.cell, self.kernel)[worst]

    def row(self) -> dict[str, Any]:
        """Return the numbers of a table: times in s, shares as parts of the link."""
        completions, share = self.completions(), self.worst_share()
        return {
            "cell": self.cell.name,
            "controller": self.cell.controller,
            "link": self.cell.about,
            "flows": len(self.cell.starts),
            "duration": self.cell.duration,
            "worst": self.worst,
            "outside": ", ".join(self.outside),
            "completion_difference": self.completion,
            "completion_ours": completions and completions[0],
            "completion_kernel": completions and completions[1],
            "share_flow": share and share[0],
            "share_ours": share and share[1],
            "share_kernel": share and share[2],
            **{
                f"{name}_{side}": run[name]
                for name in _QUANTITIES
                for side, run in (("ours", self.ours), ("kernel", self.kernel))
            },
            "first_packet": None if self.first is None else str(self.first),
            "first_data_packet": None if self.data is None else str(self.data),
            "runs": self.runs,
            "mean_completion": self.mean_completion and self.mean_completion.to_dict(),
            "mean_shares": [each.to_dict() for each in self.mean_shares],
            "tolerance": self.kernel["tick"],
            "reason": self.reason,
        }


def _relative(ours: float, kernel: float) -> float | None:
    """The difference as a part of the kernel's; ``None`` where both are zero."""
    if kernel:
        return ours / kernel - 1
    return math.inf if ours else None


def _of_means(ours: Sequence[float], kernel: Sequence[float]) -> Estimate:
    """The ratio of means over pairs, less 1; two sides with nothing are alike."""
    if not any(ours) and not any(kernel):
        return replace(paired_ratio([1.0] * len(ours), [1.0] * len(kernel)), value=0.0, low=None, high=None)
    ratio = paired_ratio(list(ours), list(kernel))
    low, high = ratio.interval or (None, None)
    return replace(
        ratio,
        value=ratio.value - 1,
        low=None if low is None else low - 1,
        high=None if high is None else high - 1,
    )


def varied(scenario: Scenario, place: int) -> Scenario:
    """Return the scenario of one of the runs of a cell; the first is as it was drawn.

    In the others, packets arrive late by a mean of :data:`PAIRED`, and the seed is another one: by it both
    sides draw how late, what is lost, and what queues draw.

    Parameters
    ----------
    scenario
        Of a cell, or made from it.
    place
        Which run, from 0 on.
    """
    if not place:
        return scenario
    return late(scenario, LINK, PAIRED).with_seed((scenario.seed + place) % 2**63)


def _shares(cell: Cell, side: Summary) -> list[float]:
    """The parts of the link that flows without a size have."""
    return [flow["goodput"] / (cell.rate * 1e6) for flow in side["flows"] if flow["size"] is None]


class Runner(Protocol):
    """Runs cells in a kernel."""

    @property
    def version(self) -> str:
        """Of the kernel, such as ``6.12.117``."""

    def make(
        self, cell: Cell, place: int, progress: virtual.Progress, /
    ) -> tuple[Summary, Sequence[str], Packets]:
        """Make a run of a cell.

        Parameters
        ----------
        place
            Which of its runs, from 0 on.
        progress
            Receives how far the run is, and may end it.

        Returns
        -------
        tuple
            What the run came to, and why it is invalid, if it is, as :func:`traced` has them; and the packets
            that reached the link.
        """

    def each(self, runs: Mapping[Cell, Callable[[virtual.Progress], None]]) -> Generator[Cell, None, None]:
        """Run cells, in any order, and yield each when it is done."""


class Here:
    """The kernel that runs, one cell after the other."""

    @property
    def version(self) -> str:
        """Of the kernel."""
        return release()

    def make(
        self, cell: Cell, place: int, _progress: virtual.Progress, /
    ) -> tuple[Summary, Sequence[str], Packets]:
        """Make a run of a cell."""
        with tempfile.TemporaryDirectory() as name:
            trace = Path(name, "trace")
            found, reasons, origin = traced(cell, place, trace)
            return found, reasons, packets.real(trace, origin)

    def each(self, runs: Mapping[Cell, Callable[[virtual.Progress], None]]) -> Generator[Cell, None, None]:
        """Run one after the other."""
        for cell, run in runs.items():
            run(virtual.Progress())
            yield cell


def traced(cell: Cell, place: int, trace: Path) -> tuple[Summary, Sequence[str], float]:
    """Make a run of a cell in the kernel that runs, and leave a trace.

    Returns
    -------
    tuple
        What the run came to, with the kernel's version, its tick (s) and what virtual time rests on; why it
        is invalid, if it is; and time 0 of the flows in the time of the trace (s).
    """
    given = varied(prepared(cell.scenario(), cell.ours, "linux", _PERIOD), place)
    arm, origin = traced_kernel_arm(given, cell.flows, cell.ours, LINK, trace)
    about = {"kernel": release(), "tick": ticks.of_kernel(), "virtual": virtual.rests_on()}
    return {**finite(arm.summary()), **about}, arm.reasons, origin


def measure(
    cells: Sequence[Cell],
    output: Path,
    note: Callable[[str], object] = lambda _: None,
    runs: int = 1,
    runner: Runner | None = None,
) -> None:
    """Run a kernel for every cell with too few valid runs of it: see :func:`dumbbell.live.kept.measure`.

    Each cell also leaves the packets that reached its link in the first run, and its scenario. Further runs
    are :func:`varied`.

    Parameters
    ----------
    runner
        Which kernel runs them; by default :class:`Here`.
    """
    runner = runner or Here()
    folder = _runs_of(output, runner.version)

    def run(cell: Cell, progress: virtual.Progress) -> None:
        def make(cell: Cell) -> tuple[Summary, Sequence[str]]:
            place = len(kept.read(folder, cell, _check)[0])
            found, reasons, seen = runner.make(cell, place, progress)
            if not reasons and not place:
                packets.save(seen, _packets(folder, cell))
            return found, reasons

        replace_file(scenario_file(output, cell), cell.scenario().to_toml().encode())
        kept.measure([cell], folder, runs, make, _check)

    missing = [cell for cell in cells if len(kept.read(folder, cell, _check)[0]) < runs]
    if len(missing) < len(cells):
        note(f"{len(cells) - len(missing)} of {len(cells)} cells were there")
    done = 0
    try:
        # Closed at once: what still runs ends with it.
        with closing(runner.each({cell: partial(run, cell) for cell in missing})) as finished:
            for cell in finished:
                done += 1
                there, invalid = kept.read(folder, cell, _check)
                verdict = "valid" if there else f"INVALID ({invalid[-1]})"
                note(f"{done} of {len(missing)}: {cell.name}, {verdict}")
    finally:
        if done < len(missing):
            note(f"{done} of {len(missing)} cells are finished and kept, the same command goes on from there")


def _packets(folder: Path, cell: Cell) -> Path:
    return folder / f"{cell.name}.parquet"


def _check(run: Summary, cell: Cell) -> None:
    """Refuse what is no summary of the cell."""
    if len(run["flows"]) != len(cell.starts) or not run["tick"] > 0:
        raise ValueError
    if not isinstance(run["virtual"], str | None):
        raise TypeError
    if run["virtual"] is not None:
        int(run["virtual"].rpartition(", seed ")[2])
    for name in _QUANTITIES:
        if run[name] is not None and not run[name] >= 0:
            raise ValueError
    for flow, size in zip(run["flows"], cell.sizes, strict=True):
        time = flow["completion_time"]
        if not (flow["goodput"] >= 0 and flow["start"] >= 0 and (time is None or time > 0)):
            raise ValueError
        if (flow["size"] is None) != (size is None):
            raise ValueError


def results(
    cells: Sequence[Cell],
    output: Path,
    kernel: str,
    profile: str = "linux",
    note: Callable[[str], object] = lambda _: None,
) -> tuple[list[Result], list[tuple[Cell, str]]]:
    """Simulate every cell that has a run of a kernel, and find the first packet that differs.

    Parameters
    ----------
    cells, output
        As for :func:`measure`.
    kernel
        One of :func:`kernels`.
    profile
        Whose TCP the simulator runs.
    note
        Receives a line now and then.

    Returns
    -------
    tuple
        The results, worst first, and the cells that were left out, each with the reason.
    """
    folder = output / _KERNELS / kernel
    found: list[Result] = []
    left_out: list[tuple[Cell, str]] = []
    for place, cell in enumerate(cells):
        runs, invalid = kept.read(folder, cell, _check)
        if not runs:
            left_out.append((cell, invalid[-1] if invalid else "not run"))
            continue
        if place and place % _SILENCE == 0:
            note(f"Linux {kernel}: simulated {place} of {len(cells)} cells")
        found.append(_result(folder, cell, runs, profile))
    return sorted(found, key=lambda result: (-result.worst, result.cell.name)), left_out


_SILENCE = 50
"""Cells between lines of progress: in virtual time, no clock tells how long simulations take."""


def _result(folder: Path, cell: Cell, kernels: Sequence[Summary], profile: str) -> Result:
    kernel = kernels[0]
    in_virtual_time = kernel["virtual"] is not None
    given = prepared(
        cell.scenario(), cell.ours, _profile(profile, kernel["kernel"]), _PERIOD, in_virtual_time
    )
    seen = packets.load(_packets(folder, cell))
    ticking = ticks.started(ticks.ticking(given, kernel["tick"]), packets.starts(seen), in_virtual_time)
    given = paired(_windowed(ticking, kernel["kernel"]), seen, LINK)
    ours, *others = _summaries([varied(given, place) for place in range(len(kernels))])
    back = _native.emulated(given._native, LINK)["back"]
    sides = packets.simulated(given, LINK, back), seen
    first, data = (
        packets.first_difference(*sides, cell.duration, kernel["tick"], only) for only in (False, True)
    )
    pairs = list(zip(others, kernels[1:], strict=True))
    result = Result(cell, kernel, ours, [], first, data, pairs=pairs)
    if not result.outside:
        return result
    # The seed stays, so that the same packets are lost.
    spread = _summaries([late(given, LINK, by) for by in SPREAD])
    redrawn = [_with(given, {"controller.draws": n + 1, "controller.phases": []}) for n in range(DRAWS)]
    drawn = _summaries(redrawn) if redrawn[0] != given else []
    result = replace(result, spread=spread, drawn=drawn, waits=packets.lone_waits(*sides))
    if result.kernel_varies or result.varies_with_draws or result.varies:
        return result
    parts = {name: _with(given, values) for name, values in PARTS.items()}
    runs = _summaries(list(parts.values()))
    return replace(result, without=dict(zip(parts, runs, strict=True)))


def _profile(profile: str, release: str) -> str:
    """Return the profile of a kernel, such as 6.1.192. Any profile but ``linux`` stays."""
    return "linux-6.1" if profile == "linux" and _older(release, 6, 6) else profile


def _older(release: str, *than: int) -> bool:
    return tuple(number for number, _ in _version(release)[:2]) < than


def _windowed(given: Scenario, release: str) -> Scenario:
    """Return the scenario with the largest receive window of a kernel, 6.6 or later."""
    if _older(release, 6, 6) or not _older(release, 6, 16):
        return given
    table = given.to_dict()
    for flow in table["flows"]:
        flow["transport"] |= {"receive_window": _WINDOW, "window_scale": _SCALE}
    return Scenario.from_dict(table)


def _with(given: Scenario, values: Mapping[str, Any]) -> Scenario:
    """A scenario with other values of its TCP; the same where its controller knows no such key."""
    table = given.to_dict()
    for flow in table["flows"]:
        for key, value in values.items():
            *path, name = key.split(".")
            of = flow["transport"][path[0]] if path else flow["transport"]
            if name in of:
                of[name] = value
    return Scenario.from_dict(table)


def _summaries(scenarios: Sequence[Scenario]) -> list[Summary]:
    return [arm.summary() for arm in arms_of(scenarios, LINK)]
