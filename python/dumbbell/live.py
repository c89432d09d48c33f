"""Real packets through the link of a scenario, and the kernel's controllers beside ours.

A *shell* makes two network namespaces, the client's and the server's, joined by one link of a
scenario: the code of the simulator, in real time. Nothing else leads out of them, and nothing of
them stays.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dumbbell import _native
from dumbbell._results import Results, Table
from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError

SERVER = "100.64.0.1"
"""The address of the server in every shell."""

_LONGEST = "100000s"
"""The duration of a scenario made for a shell; the shell ends with its command."""

KERNEL_NAMES = {"newreno": "reno", "cubic": "cubic", "reno": "reno", "bbr": "bbr"}
"""What the kernel calls a controller. Its ``reno`` recovers as NewReno does."""


@dataclass(frozen=True)
class Emulation:
    """What a shell leaves behind."""

    status: int
    """The exit status of the command."""
    results: Results
    """The tables of a simulation; link 0 is the uplink, link 1 the downlink. There are no flows."""
    fidelity: dict[str, Any]
    """How true the emulation was: ``valid``, ``reasons``, and for each way the lateness of packets."""


def run_shell(
    scenario: Scenario,
    command: Sequence[str],
    *,
    server: str | None = None,
    at: str | None = None,
    network_administration: bool = False,
    uplink_log: str | os.PathLike[str] | None = None,
    downlink_log: str | os.PathLike[str] | None = None,
) -> Emulation:
    """Run a command in a namespace behind a link.

    Parameters
    ----------
    scenario
        Where the link comes from. Its flows and workloads are not run.
    command
        Program and arguments. ``DUMBBELL_SERVER`` and ``DUMBBELL_CLIENT`` hold the addresses.
    server
        A command for ``sh``, run at the other end; the client starts when it has opened a port.
    at
        The link; the slowest one on the first path by default.
    network_administration
        Let both commands administer the network of their namespaces, and of nothing else.
    uplink_log, downlink_log
        Logs to write, in the format of Mahimahi.

    Raises
    ------
    ScenarioError
        What is wrong with the link, or what the machine does not allow.
    """
    status, tables, fidelity = _native.shell(
        scenario._native,
        list(command),
        ["sh", "-c", server] if server else [],
        [f"{key}={value}" for key, value in os.environ.items()],
        at,
        network_administration,
        (uplink_log, downlink_log),
    )
    return Emulation(status, Results.of(map(Table, tables), scenario.name), fidelity)


def scenario_of_link(given: Mapping[str, Any], settings: Iterable[str] = ()) -> Scenario:
    """Return a scenario of two nodes and one link.

    Parameters
    ----------
    given
        Of ``cbr``, ``trace``, ``delay``, ``loss``, ``queue``, ``router``, ``mtu``; values as in a scenario.
    settings
        Changes, each ``path=value``.

    Raises
    ------
    ScenarioError
        What is wrong with a value.
    """
    link = {"rate" if key == "cbr" else key: value for key, value in given.items()}
    if "trace" in link:
        link["trace"] = {"file": os.fspath(link["trace"])}
    values = {
        "name": "shell",
        "duration": _LONGEST,
        "topology": {"kind": "chain", "link": link},
        "flows": [{"from": "node0", "to": "node1"}],
    }
    return Scenario.from_dict(values, settings)


@dataclass(frozen=True)
class Check:
    """One thing that live emulation uses."""

    name: str
    works: bool
    detail: str


def checks() -> list[Check]:
    """Return what of this machine live emulation can use, and why not the rest."""
    tun = Path("/dev/net/tun")
    tun_detail = "TUN devices" if os.access(tun, os.R_OK | os.W_OK) else f"{tun} cannot be opened"
    refused = _native.probe()
    rows = [
        Check("linux", sys.platform == "linux", sys.platform),
        Check("tun", os.access(tun, os.R_OK | os.W_OK), tun_detail),
        Check("namespaces", refused is None, refused or "a namespace with a device was made and taken down"),
    ]
    realtime = os.geteuid() == 0
    rows.append(
        Check(
            "priority",
            realtime,
            "packets go before other work"
            if realtime
            else "only root may go before other work; expect more lateness",
        )
    )
    offered = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    controllers = offered.read_text(encoding="ascii").split() if offered.exists() else []
    rows += [
        Check(f"kernel {name}", name in controllers, "congestion control of the kernel's TCP")
        for name in ("cubic", "reno", "bbr")
    ]
    rows += [
        Check(tool, (found := shutil.which(tool)) is not None, found or f"not on the PATH; install {package}")
        for tool, package in (("iperf3", "iperf3"), ("ping", "iputils-ping"))
    ]
    return rows


@dataclass(frozen=True)
class Arm:
    """One side of a comparison, after the warm-up."""

    goodput: float
    """Application bits delivered per second, all flows."""
    queueing_delay: float
    """Mean time in the queue and in transmission (s)."""
    loss: float
    """Share of the packets that arrived at the link and were dropped."""
    utilisation: float
    """Share of the link's rate that was used."""
    valid: bool = True
    """False if the emulation was not true enough."""


@dataclass(frozen=True)
class Comparison:
    """Our controller and the kernel's on one link."""

    controller: str
    simulated: Arm
    kernel: Arm


def compare(scenario: Scenario, controller: str, at: str | None = None) -> Comparison:
    """Run the long flows of a scenario under one controller, in the simulator and on real packets.

    The kernel's flows start together and share one path: that of the first pair through the link.
    Needs iperf3.

    Parameters
    ----------
    scenario
        Its flows without a size are run, as many as there are; its workloads are not.
    controller
        A controller that both sides have: ``cubic``, ``newreno``, ``bbr``.
    at
        The link; the slowest one on the first path by default.

    Raises
    ------
    DumbbellError
        If the scenario has no long flows, the kernel lacks the controller, or iperf3 fails.
    """
    if controller not in KERNEL_NAMES:
        raise DumbbellError(
            f"{controller!r} is not a controller of the kernel; use one of {', '.join(KERNEL_NAMES)}"
        )
    values = scenario.to_dict()
    long = [entry for entry in values["flows"] if entry.get("size") is None]
    if not long:
        raise DumbbellError("the scenario has no flows without a size; add one to [[flows]]")
    transport = {"kind": "tcp", "controller": controller}
    flows = [{**entry, "transport": transport} for entry in long]
    ours = Scenario.from_dict({**values, "flows": flows, "workloads": []})
    simulated = ours.run()
    count = len(simulated.flows)
    run, explained = simulated.runs.row(0), ours.explain()
    kernel, goodput = _iperf3(ours, controller, at, count, run["duration"], run["warmup"])
    name = kernel.fidelity["uplink"]["link"]
    index = [link["name"] for link in explained["links"]].index(name)
    return Comparison(
        controller,
        _arm(simulated.links.row(index), run["goodput"]),
        _arm(kernel.results.links.row(0), goodput, kernel.fidelity["valid"]),
    )


def _arm(link: Mapping[str, Any], goodput: float, valid: bool = True) -> Arm:
    return Arm(goodput, link["sojourn_mean"] or 0.0, link["loss"], link["utilisation"], valid)


def _iperf3(
    scenario: Scenario, controller: str, at: str | None, count: int, duration: float, warmup: float
) -> tuple[Emulation, float]:
    """Run iperf3 through the link; the emulation, and the goodput (bit/s) after the warm-up."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "iperf3.json"
        command = [
            "iperf3", "-c", SERVER, "-C", KERNEL_NAMES[controller], "-P", str(count), "-J",
            "--logfile", str(report),
            "-O", f"{warmup:.0f}", "-t", f"{max(duration - round(warmup), 1):.0f}",
        ]  # fmt: skip
        emulation = run_shell(
            scenario, command, server="exec iperf3 -s -1 >/dev/null 2>&1", at=at, network_administration=True
        )
        text = report.read_text(encoding="utf-8") if report.exists() else "{}"
    found = json.loads(text)
    if emulation.status != 0 or "error" in found:
        raise DumbbellError(f"iperf3 failed ({found.get('error', 'no report')}); see `dumbbell doctor`")
    return emulation, float(found["end"]["sum_received"]["bits_per_second"])
