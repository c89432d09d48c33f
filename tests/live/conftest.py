"""What the live tests share: a reason to skip, and a link with room for errors of a busy machine."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import TypeVar

import pytest

import dumbbell as db
from dumbbell.live import checks, scenario_of_link

T = TypeVar("T")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [
        check for check in checks() if check.name in ("linux", "tun", "namespaces") and not check.works
    ]
    for item in items:
        if "live" not in item.path.parts:
            continue
        if missing:
            item.add_marker(pytest.mark.skip(reason=f"{missing[0].name}: {missing[0].detail}"))
        for tool in ("ping", "iperf3"):
            if item.get_closest_marker(tool) and shutil.which(tool) is None:
                item.add_marker(pytest.mark.skip(reason=f"{tool} is not installed"))


@pytest.fixture
def link() -> db.Scenario:
    return scenario_of_link({"cbr": "12Mbit/s", "delay": "10ms"})


def pairs(*rtts: str, **flow: object) -> db.Scenario:
    """Pairs that share a link with a buffer of one bandwidth-delay product."""
    bottleneck = {"rate": "50Mbit/s", "delay": "5ms", "queue": {"kind": "droptail", "limit": "1bdp"}}
    topology = {
        "kind": "dumbbell", "pairs": len(rtts), "rtts": list(rtts), "bottleneck": bottleneck,
        "access": {"rate": "10Gbit/s"},
    }  # fmt: skip
    flows = [{"from": "senders", "to": "receivers", **flow}]
    return db.Scenario.from_dict({"duration": "3s", "topology": topology, "flows": flows})


def differences(judged: Callable[[], list[str]]) -> list[str]:
    """Return how the first of three samples without a difference differs, or the last one.

    Other work of the machine moves a sample, though each of its runs is valid. Another TCP shows in all of
    them.
    """
    for _ in range(3):
        if not (found := judged()):
            break
    return found


def valid_run(run: Callable[[], T], valid: Callable[[T], bool]) -> T:
    """Run until a run says of itself that it is valid: other work of the machine may make some late."""
    for _ in range(4):
        found = run()
        if valid(found):
            return found
    pytest.skip("the machine is too busy: no run out of four was valid")
