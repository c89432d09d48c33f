"""What the live tests share: a reason to skip, and a link.

They ask for nothing that a busy machine may break: no times, rates or shares. Such tests run in virtual time,
in tests/virtual.
"""

from __future__ import annotations

import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.live import checks, scenario_of_link
from real import skip_without_tools


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ours = [item for item in items if "live" in item.path.parts]
    skip_without_tools(ours)
    missing = [
        check for check in checks() if check.name in ("linux", "tun", "namespaces") and not check.works
    ]
    for item in ours if missing else []:
        item.add_marker(pytest.mark.skip(reason=f"{missing[0].name}: {missing[0].detail}"))


@pytest.fixture
def link() -> db.Scenario:
    return scenario_of_link({"cbr": "12Mbit/s", "delay": "10ms"})


@pytest.fixture
def cli(command: Cli) -> Cli:
    """Commands that start kernels, namespaces or emulators are processes of their own."""
    return command
