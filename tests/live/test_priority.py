"""Who runs first: end points that had to wait for a processor make a run invalid; root spares them that."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

import dumbbell as db
from dumbbell.live import run_shell
from test_interrupts import cpu

PING = ["ping", "-q", "-c", "100", "-i", "0.02", "100.64.0.1"]
ONE_PROCESSOR = min(os.sched_getaffinity(0))
POLICY = "import os; print(os.sched_getscheduler(0), os.sched_getparam(0).sched_priority, os.nice(0))"


@pytest.fixture
def busy_processor() -> Iterator[None]:
    """One processor that others use all the time."""
    loop = f"import os; os.sched_setaffinity(0, {{{ONE_PROCESSOR}}})\nwhile True: pass"
    loops = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(3)]
    # Starting takes less.
    while not all(cpu(process.pid) > 0.2 for process in loops):
        time.sleep(0.02)
    yield
    for process in loops:
        process.kill()
        process.wait()


@pytest.mark.ping
@pytest.mark.usefixtures("busy_processor")
def test_a_client_that_was_starved_makes_the_run_invalid(link: db.Scenario) -> None:
    # At the back of the queue for a processor that others use all the time. Sleepers may run at once.
    working = f"while :; do :; done & {' '.join(PING)}; kill $!"
    starved = ["taskset", "-c", str(ONE_PROCESSOR), "nice", "-n", "19", "sh", "-c", working]
    fidelity = run_shell(link, starved, keep_priority=True).fidelity
    assert not fidelity["valid"]
    assert [reason for reason in fidelity["reasons"] if reason.startswith("client: one time in a hundred")]
    client, server = fidelity["client"], fidelity["server"]
    assert client["waits"]["p99"] > 1e-3
    assert client["waited"] >= client["waits"]["max"]
    # On a busy machine several waits are counted as one.
    assert sum(bucket["count"] for bucket in client["histogram"]) == client["waits"]["count"] > 0
    assert server["waits"]["count"] == 0, "nothing runs there but the kernel"


@pytest.mark.ping
@pytest.mark.usefixtures("busy_processor")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run before other work")
def test_the_end_points_of_root_go_before_other_work(link: db.Scenario) -> None:
    # The same pings with priority and without: a machine may take the processor from either for a while.
    last = ["taskset", "-c", str(ONE_PROCESSOR), "nice", "-n", "19", *PING]
    first, usual = (run_shell(link, last, keep_priority=keep).fidelity["client"] for keep in (False, True))
    assert first["waits"]["count"] > 0
    assert first["waited"] < usual["waited"] / 4


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run before other work")
@pytest.mark.parametrize(
    ("keep", "expected"), [(False, f"{os.SCHED_RR} 1 -10"), (True, f"{os.SCHED_OTHER} 0 {os.nice(0)}")]
)
def test_end_points_get_real_time_or_keep_what_they_have(
    link: db.Scenario, capfd: pytest.CaptureFixture[str], keep: bool, expected: str
) -> None:
    assert run_shell(link, [sys.executable, "-c", POLICY], keep_priority=keep).status == 0
    assert capfd.readouterr().out.strip() == expected


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run before other work")
def test_an_end_point_that_never_rests_loses_real_time(
    link: db.Scenario, capfd: pytest.CaptureFixture[str]
) -> None:
    # It ends when it is an ordinary process again; a hang is the failure.
    script = "import os\nwhile os.sched_getscheduler(0) != os.SCHED_OTHER: pass\n" + POLICY
    assert run_shell(link, [sys.executable, "-c", script]).status == 0
    assert capfd.readouterr().out.strip() == f"{os.SCHED_OTHER} 0 -10"
