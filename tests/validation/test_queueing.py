"""Mean waits of single queues against closed forms (Kleinrock, Queueing Systems, volume 1)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dumbbell as db

RATE = 100e6
"""bit/s."""


def mean_wait(flows: db.Scenario) -> tuple[float, float]:
    """Return mean wait (s) and utilisation of the first link."""
    link = flows.run().links.row(0)
    # The transmission of the mean packet that was sent is no wait.
    service = link["sent_bytes"] * 8 / link["sent"] / RATE
    return link["sojourn_mean"] - service, link["utilisation"]


def one_link(duration: float, flow: dict[str, object], mtu: str = "1500B") -> db.Scenario:
    link = db.network.bottleneck(rate="100Mbit/s", delay="1ms", queue="droptail", mtu=mtu)
    return db.scenario(
        seed=1,
        duration=f"{duration}s",
        topology=db.topology.chain(link=link),
        flows=[flow],
        record=db.record(samples=False, queues="none"),
    )


@pytest.mark.parametrize("load", [0.3, 0.6, 0.9, pytest.param(0.95, marks=pytest.mark.full)])
def test_md1(load: float) -> None:
    """Poisson arrivals of equal packets: W = rho S / (2 (1 - rho)), section 5.6."""
    service = 1000 * 8 / RATE
    packets = 1e6 / (1 - load) ** 2
    source = db.transport.poisson(rate=f"{load * RATE:.0f}bit/s", packet_size=1000)
    flow = db.flows(from_="senders", to="receivers", transport=source, sampled=False)
    wait, utilisation = mean_wait(one_link(packets * service / load, flow))
    assert utilisation == pytest.approx(load, rel=0.005)
    assert wait == pytest.approx(load * service / (2 * (1 - load)), rel=0.02)


@pytest.mark.parametrize("load", [0.3, 0.6])
def test_mm1(load: float, tmp_path: Path) -> None:
    """Poisson arrivals of packets of exponential size: W = rho S / (1 - rho), section 3.2."""
    mean, packets = 4000.0, 1_000_000
    service = mean * 8 / RATE
    rng = np.random.default_rng(1)
    times = np.cumsum(rng.exponential(service / load, packets))
    # Below a header no packet exists: that concerns 0.7 % of them and changes the mean by 3e-5 of itself.
    sizes = np.clip(np.round(rng.exponential(mean, packets)), 28, 65535).astype(int)
    file = tmp_path / "packets.csv"
    np.savetxt(file, np.column_stack([times, sizes]), fmt=["%.9f", "%d"], delimiter=",")
    flow = db.flows(from_="senders", to="receivers", transport="replay", packets=str(file), sampled=False)
    wait, utilisation = mean_wait(one_link(float(times[-1]), flow, mtu="65535B"))
    assert utilisation == pytest.approx(load, rel=0.005)
    assert wait == pytest.approx(load * service / (1 - load), rel=0.02)
