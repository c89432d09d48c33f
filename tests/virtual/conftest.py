"""What the tests in virtual time share: how they run within a kernel, reasons to skip, what may be left."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conftest import Cli
from dumbbell import _native
from dumbbell.errors import DumbbellError
from dumbbell.live import virtual
from real import skip_without_tools

WALL_LIMIT = 1800.0
"""Seconds for all tests of a file within a kernel: on a busy machine, the slowest take a tenth of it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ours = [item for item in items if "virtual" in item.path.parts]
    skip_without_tools(ours)
    try:
        virtual.find()
    except DumbbellError as error:
        for item in ours:
            if not item.get_closest_marker("without_kernel"):
                item.add_marker(pytest.mark.skip(reason=str(error)))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is marked `within` in a kernel in virtual time, with all such tests of its file."""
    if not is_within(pyfuncitem) or _native.is_virtual():
        return None
    chosen = [item for item in pyfuncitem.session.items if item.path == pyfuncitem.path and is_within(item)]
    found = outcomes(tuple(item.nodeid for item in chosen))
    kind, text = found.get(pyfuncitem.name, ("error", "was not run"))
    if kind == "skipped":
        pytest.skip(text)
    if kind != "passed":
        pytest.fail(text, pytrace=False)
    return True


@pytest.fixture
def cli(command: Cli) -> Cli:
    """Commands that start kernels, namespaces or emulators are processes of their own."""
    return command


def is_within(item: pytest.Item) -> bool:
    """Whether a test runs in a kernel."""
    return item.get_closest_marker("within") is not None


@functools.cache
def outcomes(tests: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Run the tests of a file in one kernel; return what became of each, and a message, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "junit.xml")
        # Options of the host's run, such as -m, have chosen the tests. Files are written into memory.
        words = ["-q", "-m", "", "-p", "no:cacheprovider", "--basetemp", "/dev/shm/tests"]
        command = [sys.executable, "-m", "pytest", *words, "--junitxml", str(found), *tests]
        try:
            ran = virtual.run(command, virtual.find(), wall_limit=WALL_LIMIT, outputs=[found])
        except DumbbellError as error:
            return {test.partition("::")[2]: ("error", str(error)) for test in tests}
        print(f"VIRTUAL: {ran.rests_on}; {ran.virtual:.1f} s in {ran.wall:.1f} s")
        return dict(map(read, ElementTree.parse(found).iter("testcase"))) if found.exists() else {}


def read(case: ElementTree.Element) -> tuple[str, tuple[str, str]]:
    """Return the name of a test, what became of it, and its message."""
    name = case.get("name", "")
    for part in case:
        if part.tag in ("failure", "error", "skipped"):
            text = part.get("message", "") if part.tag == "skipped" else part.text or ""
            return name, (part.tag, text)
    return name, ("passed", "")


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
