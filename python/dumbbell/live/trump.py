"""TRUMP on real packets through emulated RBCC routers, compared with the simulation of the same scenario."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell._scenario import Scenario
from dumbbell.live.udp import HEADERS, LiveRun, run_flows

if TYPE_CHECKING:
    from dumbbell._results import Results

_ATTEMPTS = 3

# Flows begin when the programs run. The first has the link alone, then shares it; one wants less than its
# share.
_FLOWS = (("first", 0, 4e6, 1), ("second", 1, 2e6, 2), ("modest", 0, 4e5, 3), ("late", 1, 5e5, 4))
"""Name, pair, bytes and start (s) at 8 Mbit/s; at other rates sizes are in proportion."""


def scenario(rate: float, quench: bool = True, settings: Iterable[str] = ()) -> Scenario:
    """Return the scenario: four messages over a link of `rate` Mbit/s between two RBCC routers.

    The routers have the parameters that the thesis recommends. Headers are as long as on the wire.
    `settings` are changes, each ``path=value``.
    """
    queue = {"kind": "droptail", "limit": "15000B"}
    agent = {"kind": "rbcc", "threshold": 4, "alpha": 0.4, "quench": quench, "quench_size": HEADERS}
    access = {"rate": "1Gbit/s", "delay": "5ms"}
    flows: list[dict[str, Any]] = [
        {
            "name": name, "from": f"sender{pair}", "to": f"receiver{pair}", "size": f"{size * rate / 8:.0f}B",
            "start": f"{start}s",
        }
        for name, pair, size, start in _FLOWS
    ]  # fmt: skip
    modest = next(flow for flow in flows if flow["name"] == "modest")
    modest["transport"] = {"kind": "trump", "header": HEADERS, "desired": f"{rate / 8:g}Mbit/s"}
    values = {
        "name": f"trump-{rate:g}M",
        "duration": "60s",
        "transport": {"kind": "trump", "header": HEADERS},
        "nodes": [{"name": ["left", "right"], "agent": agent}],
        "topology": {
            "kind": "dumbbell", "pairs": 2, "access": access,
            "bottleneck": {
                "rate": f"{rate:g}Mbit/s", "delay": "10ms", "queue": queue, "reverse": {"queue": queue},
            },
        },
        "flows": flows,
        "record": {"period": "100ms"},
    }  # fmt: skip
    return Scenario.from_dict(values, settings)


@dataclass(frozen=True)
class Beside:
    """One scenario on real packets and in simulation."""

    rate: float
    """Of the link in Mbit/s."""
    live: LiveRun
    simulated: Results

    def flows(self) -> list[dict[str, Any]]:
        """Return completion times (s) and rates (Mbit/s) of each flow, both ways, and the quotient."""
        both = (self.live.results.flows, self.simulated.flows)
        rows = []
        for number in range(len(both[1])):
            real, ours = (flows.row(number) for flows in both)
            times = [row["completion_time"] or float("nan") for row in (real, ours)]
            rows.append(
                {
                    "rate": self.rate,
                    "flow": ours["group"],
                    "real": times[0],
                    "simulated": times[1],
                    "real_over_simulated": times[0] / times[1],
                    "real_rate": ours["size"] * 8e-6 / times[0],
                    "simulated_rate": ours["size"] * 8e-6 / times[1],
                    "real_delay_sd": real["delay_sd"],
                    "simulated_delay_sd": ours["delay_sd"],
                    "valid": self.live.fidelity["valid"],
                }
            )
        return rows

    def routers(self) -> list[dict[str, Any]]:
        """Return what each router counted at the links between the routers and beyond them, both ways.

        The emulator takes the links from a router to its hosts for one.
        """
        rows = []
        for router, place in (
            ("left", "->right"),
            ("left", "hosts"),
            ("right", "->left"),
            ("right", "hosts"),
        ):
            row: dict[str, Any] = {"rate": self.rate, "router": router, "to": place.removeprefix("->")}
            for side, results in (("real", self.live.results), ("simulated", self.simulated)):
                table = results.allocations
                between = [str(link).endswith(("left->right", "right->left")) for link in table["link"]]
                mine = [
                    table.row(i)
                    for i, (name, inner) in enumerate(zip(table["router"], between, strict=True))
                    if name == router and inner == (place != "hosts")
                ]
                for key in ("hits", "misses", "updates", "quenches"):
                    row[f"{side}_{key}"] = sum(found[key] for found in mine)
            rows.append(row)
        return rows


def measure(rate: float, quench: bool = True, told: Callable[[str], None] = lambda _: None) -> Beside:
    """Run the scenario of a link of `rate` Mbit/s both ways.

    On real packets it runs up to three times, until a run is valid; the last one counts.
    """
    described = scenario(rate, quench)
    simulated = described.run()
    told(f"{rate:g} Mbit/s: {simulated.flows['completion_time'].max() + 4:.0f} s on real packets")
    for _ in range(_ATTEMPTS):
        live = run_flows(described)
        if live.fidelity["valid"]:
            break
    return Beside(rate, live, simulated)


def tables(runs: list[Beside]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all flows and of all routers."""
    return {
        "flows": [row for run in runs for row in run.flows()],
        "routers": [row for run in runs for row in run.routers()],
    }


def write(folder: Path, runs: list[Beside]) -> None:
    """Write the tables of all runs, and the results of each, into an existing folder."""
    for name, rows in tables(runs).items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
    for run in runs:
        for side, results in (("live", run.live.results), ("simulated", run.simulated)):
            results.save(folder / f"{run.rate:g}M" / side)
