"""Compare the kernel's controllers with ours, on one link."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dumbbell import _native
from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.live.shell import SERVER, Emulation, run_shell

KERNEL_NAMES = {"newreno": "reno", "cubic": "cubic", "reno": "reno", "bbr": "bbr"}
"""What the kernel calls a controller. Its ``reno`` recovers as NewReno does."""


@dataclass(frozen=True)
class Arm:
    """One side of a comparison, after the warm-up."""

    goodput: float
    """Application bits delivered per second, all flows."""
    queueing_delay: float
    """Mean time in the queue and in transmission (s)."""
    rtt: float
    """Mean of the senders' smoothed round-trip times (s)."""
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
    simulated: Arm | None
    """``None`` for a controller that only the kernel has."""
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
        ``cubic``, ``newreno`` or ``bbr``; only the kernel runs one that the simulator lacks.
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
    ours = controller in {entry["name"] for entry in _native.registry()["families"]["controller"]}
    # The kernel sends timestamps (RFC 7323), twelve bytes in each segment.
    transport = {"kind": "tcp", "controller": controller if ours else "newreno", "timestamps": True}
    flows = [{**entry, "transport": transport} for entry in long]
    given = Scenario.from_dict({**values, "flows": flows, "workloads": []})
    simulated = given.run()
    run = simulated.runs.row(0)
    emulation, goodput, rtt = _iperf3(
        given, controller, at, len(simulated.flows), run["duration"], run["warmup"]
    )
    name = emulation.fidelity["uplink"]["link"]
    index = [link["name"] for link in given.explain()["links"]].index(name)
    counted = [values[times >= run["warmup"]] for times, values in simulated.series("rtt").values()]
    return Comparison(
        controller,
        _arm(simulated.links.row(index), run["goodput"], float(np.concatenate(counted).mean()))
        if ours
        else None,
        _arm(emulation.results.links.row(0), goodput, rtt, emulation.fidelity["valid"]),
    )


def _arm(link: Mapping[str, Any], goodput: float, rtt: float, valid: bool = True) -> Arm:
    return Arm(goodput, link["sojourn_mean"] or 0.0, rtt, link["loss"], link["utilisation"], valid)


def _iperf3(
    scenario: Scenario, controller: str, at: str | None, count: int, duration: float, warmup: float
) -> tuple[Emulation, float, float]:
    """Run iperf3 through the link; the emulation, goodput (bit/s) after the warm-up, mean RTT (s)."""
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
    end = found["end"]
    rtts = [stream["sender"]["mean_rtt"] * 1e-6 for stream in end["streams"]]
    return emulation, float(end["sum_received"]["bits_per_second"]), float(np.mean(rtts))
