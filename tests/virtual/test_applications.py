"""Applications that write and read by a schedule, on the kernel's TCP as on ours."""

from __future__ import annotations

import pytest

import dumbbell as db
from dumbbell import _native
from dumbbell.live import compare
from dumbbell.live.compare import prepared
from dumbbell.live.kernel import Flow, run_kernel
from real import path

TICK = 0.004
"""Timers of the kernel end on one (s)."""


def flow(**flow: object) -> db.Scenario:
    """One flow over 10 Mbit/s and 40 ms."""
    return path("10Mbit/s", "20ms", "4s", **flow)


def completions(scenario: db.Scenario) -> tuple[float, float]:
    """Ours and the kernel's."""
    found = compare(scenario, "cubic")
    assert found.real.valid, found.real.reasons
    assert found.simulated is not None
    ours, kernel = found.simulated.completion_time, found.real.completion_time
    assert ours is not None
    assert kernel is not None
    return ours, kernel


@pytest.mark.within
def test_the_kernel_is_written_to_at_the_rate_of_the_scenario() -> None:
    # 300 kB at 2 Mbit/s: 1.2 s, and a round trip before. All at once they take half of that.
    scenario = flow(size="300kB", application={"kind": "rate", "rate": "2Mbit/s"})
    ours, kernel = completions(scenario)
    assert 1.18 < ours < 1.3
    assert kernel == pytest.approx(ours, abs=TICK)


@pytest.mark.within
def test_the_kernel_is_read_from_when_the_scenario_says() -> None:
    actions = [{"at": "2s", "bytes": "1B"}]
    ours, kernel = completions(flow(size="500kB", reader={"kind": "listed", "actions": actions}))
    assert ours > 2
    # Probes of the closed window end on a tick, and delayed acknowledgements.
    assert kernel == pytest.approx(ours, abs=2 * TICK)


@pytest.mark.within
def test_closed_windows_are_probed_as_often_as_the_kernel_does() -> None:
    scenario = flow(size="500kB", reader={"kind": "listed", "actions": [{"at": "3s", "bytes": "1B"}]})
    given = prepared(scenario, "cubic", "linux")
    row = given.run().flows.row(0)
    # The first packets: SYN and the acknowledgement of the SYN-ACK; the last: that of the receiver's FIN.
    segments = -(-500_000 // 1448) + row["retransmissions"]
    probes = row["packets_sent"] - segments - 3
    [(writes, reads)] = _native.applications(given._native)
    run = run_kernel(given, [Flow(0.0, 500e3, 0, writes, reads)], "cubic")
    assert run.emulation.fidelity["valid"]
    assert run.counters["receive"]["TCPToZeroWindowAdv"] == 1
    assert run.counters["send"]["TCPWinProbe"] >= 3
    assert probes == run.counters["send"]["TCPWinProbe"]


@pytest.mark.without_kernel
def test_an_application_that_acts_too_often_is_one_line() -> None:
    scenario = flow(application={"kind": "rate", "rate": "800Mbit/s", "piece": "1kB"})
    with pytest.raises(db.errors.DumbbellError, match=r"more than 100000 times; give larger pieces"):
        compare(scenario, "cubic")
