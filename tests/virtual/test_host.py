"""RCP end points at a desired rate, in virtual time, where they have all the processor they want."""

from __future__ import annotations

import pytest

from dumbbell.live import host

pytestmark = pytest.mark.within


@pytest.mark.parametrize("size", [100, 1500])
def test_end_points_reach_the_desired_rate(size: int) -> None:
    run = host.host_run(size, 10, 0.5)
    # Of the run, a round trip is the handshake's; clocks of paced packets are whole nanoseconds.
    assert run.reached == pytest.approx(10, rel=1e-3)
    assert run.again == 0
