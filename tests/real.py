"""What the tests of real packets share, live and in virtual time: networks, and reasons to skip."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from typing import Any

import pytest

import dumbbell as db

DROPTAIL = {"kind": "droptail", "limit": "1bdp"}


def skip_without_tools(items: Iterable[pytest.Item]) -> None:
    """Skip tests that are marked with the name of a program which is not installed."""
    for item in items:
        for tool in ("ping", "iperf3"):
            if item.get_closest_marker(tool) and shutil.which(tool) is None:
                item.add_marker(pytest.mark.skip(reason=f"{tool} is not installed"))


def pairs(*rtts: str, **flow: object) -> db.Scenario:
    """Pairs that share a link with a buffer of one bandwidth-delay product."""
    bottleneck = {"rate": "50Mbit/s", "delay": "5ms", "queue": {"kind": "droptail", "limit": "1bdp"}}
    topology = {
        "kind": "dumbbell", "pairs": len(rtts), "rtts": list(rtts), "bottleneck": bottleneck,
        "access": {"rate": "10Gbit/s"},
    }  # fmt: skip
    flows = [{"from": "senders", "to": "receivers", **flow}]
    return db.Scenario.from_dict({"duration": "3s", "topology": topology, "flows": flows})


def path(rate: str, delay: str, duration: str, **flow: object) -> db.Scenario:
    """Flows over a link with a buffer of one bandwidth-delay product."""
    link = {"rate": rate, "delay": delay, "queue": {"kind": "droptail", "limit": "1bdp"}}
    flows = [{"from": "node0", "to": "node1", **flow}]
    return db.Scenario.from_dict(
        {"duration": duration, "topology": {"kind": "chain", "link": link}, "flows": flows}
    )


def lossy(bottleneck: str, access: str, **more: Any) -> db.Scenario:
    """One pair over a link that loses three packets in a hundred."""
    link = {"rate": bottleneck, "delay": "5ms", "loss": 0.03, **more}
    beside = {"rate": access, "delay": "1ms"}
    topology = {"kind": "dumbbell", "pairs": 1, "bottleneck": link, "access": beside}
    flows = [{"from": "senders", "to": "receivers"}]
    return db.Scenario.from_dict({"duration": "1s", "seed": 8, "topology": topology, "flows": flows})


def one_pair(controller: str, queue: dict[str, Any] = DROPTAIL, **flow: Any) -> db.Scenario:
    """One pair over 10 Mbit/s and 40 ms."""
    return db.Scenario.from_dict(
        {
            "duration": "4s",
            "transport": {"kind": "tcp", "controller": controller},
            "topology": {
                "kind": "dumbbell",
                "pairs": 1,
                "bottleneck": {"rate": "10Mbit/s", "delay": "15ms", "queue": queue},
                "access": {"rate": "1Gbit/s", "delay": "2500us"},
            },
            "flows": [{"from": "senders", "to": "receivers", **flow}],
        }
    )
