"""What the tests in virtual time share: a reason to skip, and the processes and folders that may be left."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dumbbell.errors import DumbbellError
from dumbbell.live import virtual


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    try:
        virtual.find()
    except DumbbellError as error:
        missing = pytest.mark.skip(reason=str(error))
        for item in items:
            if "virtual" in item.path.parts and not item.get_closest_marker("without_kernel"):
                item.add_marker(missing)


def left_of(pid: int) -> list[str]:
    """Return what is left of a launcher of this number: processes of kernels, and their folders."""
    found = [str(path) for path in Path("/dev/shm").glob(f"dumbbell-virtual-{pid}-*")]
    found += [str(path) for path in Path("/tmp").glob(f"dumbbell-virtual-{pid}-*")]
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                where = os.readlink(entry / "cwd")  # noqa: PTH115
            except OSError:
                continue
            if f"dumbbell-virtual-{pid}-" in where:
                found.append(f"process {entry.name}")
    return found
