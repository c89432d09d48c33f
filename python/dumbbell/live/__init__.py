"""Real packets through the link of a scenario, and the kernel's controllers compared with ours.

A *shell* makes two network namespaces, the client's and the server's, and joins them by one link of a
scenario. The code of the simulator runs this link in real time. Nothing else leads out of the namespaces,
and the kernel removes them when the shell ends.
"""

from dumbbell import _linux as _linux  # First of all.
from dumbbell.live.checks import Check, checks
from dumbbell.live.compare import Arm, Comparison, FlowRun, compare, compare_runs, with_flows
from dumbbell.live.shell import SERVER, Emulation, run_shell, scenario_of_link
from dumbbell.live.udp import Endpoint, LiveRun, receive, replay, run_flows, send

__all__ = [
    "SERVER", "Arm", "Check", "Comparison", "Emulation", "Endpoint", "FlowRun", "LiveRun", "checks",
    "compare", "compare_runs", "receive", "replay", "run_flows", "run_shell", "scenario_of_link", "send",
    "with_flows",
]  # fmt: skip
