"""How much memory a run may take."""

from __future__ import annotations

from pathlib import Path

from dumbbell import _system

SHARE = 0.75
"""Of the memory that is free: the rest is for the tables on their way to files, and for other programs."""

_MEMINFO = Path("/proc/meminfo")
_STATUS = Path("/proc/self/status")
_OWN_GROUP = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")


def limit_of_run(given: int | None = None, at_a_time: int = 1) -> int:
    """Return the bytes that each of so many runs at a time may take.

    Parameters
    ----------
    given
        For all of them together; by default :data:`SHARE` of what the machine, the control group of the
        process and its own limits leave.
    at_a_time
        Runs that go on at the same time. Each has its part, so that none is cut short by another.
    """
    total = int(available() * SHARE) if given is None else given
    return max(total // at_a_time, 1)


def available() -> int:
    """Return the bytes that this process can still get."""
    return max(min(_of_machine(), *_of_groups(), _of_process()), 0)


def _of_machine() -> int:
    free = _kilobytes(_MEMINFO, "MemAvailable")
    # Without /proc: all there is.
    return free if free is not None else _system.memory()


def _of_groups() -> list[int]:
    """What the control group of the process and those above it leave (version 2, then version 1)."""
    try:
        lines = _OWN_GROUP.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    left = []
    for line in lines:
        _, controllers, own = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        root = _GROUPS / controllers
        limit, used = (
            ("memory.limit_in_bytes", "memory.usage_in_bytes")
            if controllers
            else ("memory.max", "memory.current")
        )
        folder = root / own.lstrip("/")
        for group in (folder, *folder.parents):
            most, now = _number(group / limit), _number(group / used)
            if most is not None and now is not None:
                left.append(most - now)
            if group == root:
                break
    return left


def _of_process() -> int:
    """What RLIMIT_AS leaves."""
    most = _system.address_space()
    used = _kilobytes(_STATUS, "VmSize")
    return 2**63 if most is None else most - (used or 0)


def _number(path: Path) -> int | None:
    """Return the number in a file; ``None`` for no file, and for the word ``max``."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _kilobytes(path: Path, name: str) -> int | None:
    try:
        with path.open(encoding="utf-8") as file:
            found = next((line for line in file if line.startswith(f"{name}:")), None)
    except OSError:
        return None
    return None if found is None else int(found.split()[1]) * 1024
