"""Additive increase under random loss: Mathis, Semke, Mahdavi, Ott, CCR 27(3), 1997, equation 3."""

from __future__ import annotations

import pytest

import dumbbell as db

MSS = 1460
RTT = 0.05


@pytest.mark.parametrize("loss", [0.001, 0.003, 0.01])
@pytest.mark.parametrize("controller", ["reno", "newreno"])
def test_the_square_root_law(controller: str, loss: float) -> None:
    """Without delayed acknowledgements the constant is sqrt(3/2) = 1.22."""
    link = db.network.bottleneck(rate="1Gbit/s", delay="25ms", queue="droptail", loss=loss)
    scenario = db.scenario(
        seed=1,
        duration="1000s",
        warmup="20s",
        topology=db.topology.chain(link=link),
        transport=db.transport.tcp(profile="rfc", controller=controller, sack=True, ack_every=1),
        flows=[db.flows(from_="senders", to="receivers", sampled=False)],
        record=db.record(samples=False, queues="none"),
    )
    goodput = scenario.run().runs["goodput"][0]
    assert goodput == pytest.approx(1.22 * MSS * 8 / (RTT * loss**0.5), rel=0.2)
