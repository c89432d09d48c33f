"""Draws one law in the simulator, in our end points and in the kernel: ``python -m tools.three_worlds``.

Needs root, and what `dumbbell doctor` says of kernel laws. Writes docs/figures/three-worlds.svg, and prints
the table of docs/own-controller.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from dumbbell import _native
from dumbbell._scenario import Scenario
from dumbbell.live.compare import Arm, arms_of, kernel_arm, prepared, user_arm
from dumbbell.live.kernel import Flow
from dumbbell.own import laws
from dumbbell.own.kernel import registered

FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "three-worlds.svg"
LAWS = Path(laws.__file__).parent
SECONDS = 30


def scenario(law: str) -> Scenario:
    """Return one flow over 20 Mbit/s, 22 ms and 60 packets."""
    queue = {"kind": "droptail", "limit": "60pkt"}
    values = {
        "duration": f"{SECONDS}s",
        "topology": {"kind": "chain", "link": {"rate": "20Mbit/s", "delay": "11ms", "queue": queue}},
        "flows": [{"from": "node0", "to": "node1"}],
    }
    return prepared(Scenario.from_dict(values), law, "linux")


def arms(law: str) -> dict[str, Arm]:
    """Return what a law came to in each world, and the kernel's own reno in the last."""
    given = scenario(law)
    (simulated,) = arms_of([given], _native.emulated(given._native, None)["link"])
    with registered(law) as called:
        in_kernel = kernel_arm(given, [Flow(0.0)], called, None)[0]
    return {
        "simulator": simulated,
        "our end points": user_arm(given, None)[0],
        "kernel": in_kernel,
        "kernel's own reno": kernel_arm(given, [Flow(0.0)], "reno", None)[0],
    }


def main() -> None:
    """Run all, draw, and print the table."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    law = sys.argv[1] if sys.argv[1:] else f"{LAWS / 'newreno.py'}:NewReno"
    found = arms(law)
    mpl.rcParams |= {"svg.hashsalt": "dumbbell", "svg.fonttype": "none"}
    figure = Figure(figsize=(8, 6), layout="constrained")
    axes = figure.subplots(len(found), 1, sharex=True, sharey=True)
    print("| world | goodput, Mbit/s | sent again | mean window after 5 s, segments | valid |")
    print("|---|---|---|---|---|")
    for axis, (name, arm) in zip(axes, found.items(), strict=True):
        times, window = arm.flows[0].window
        # One point for 50 ms: two round-trip times without a queue.
        axis.plot(times[::50], window[::50], linewidth=1)
        axis.set_title(name, fontsize="small", loc="left")
        axis.set_ylabel("segments")
        steady = window[times > 5]
        row = f"{arm.goodput / 1e6:.2f} | {arm.flows[0].retransmissions} | {np.mean(steady):.0f}"
        print(f"| {name} | {row} | {'yes' if arm.valid else '; '.join(arm.reasons)} |")
    axes[-1].set_xlabel("time, s")
    axes[0].set_xlim(0, SECONDS)
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
