"""What new chapters are made of, in whole runs: steps of the delay, breakers, receivers that cheat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dumbbell as db

BASE: dict[str, Any] = {
    "duration": "20s",
    "transport": {"kind": "tcp"},
    "record": {"samples": False, "queues": "none"},
    "topology": {
        "kind": "dumbbell", "pairs": 2, "access": {"rate": "10Gbit/s", "delay": "5ms"},
        "bottleneck": {"rate": "10Mbit/s", "delay": "15ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
    },
    "flows": [{"name": "own", "from": "sender0", "to": "receiver0", "size": "1MB"}],
}  # fmt: skip


def run(*settings: str) -> db.Results:
    return db.Scenario.from_dict(BASE, settings).run()


def steps(text: str) -> str:
    return f"topology.bottleneck.impairments=[{{ kind = 'delay-steps', steps = [{text}] }}]"


def test_a_step_from_the_start_is_a_longer_link() -> None:
    # The buffer is given in packets: one in BDP would know of the longer link.
    limit = "topology.bottleneck.queue.limit=40pkt"
    stepped = run(limit, steps("{ at = '0s', extra = '40ms' }")).flows["completion_time"][0]
    longer = run(limit, "topology.bottleneck.delay=55ms", "topology.bottleneck.reverse.delay=15ms")
    assert stepped == longer.flows["completion_time"][0]
    assert stepped > run(limit).flows["completion_time"][0]


def test_a_step_down_in_a_run_lowers_the_smallest_round_trip() -> None:
    # Two segments at a time meet no queue.
    window = "flows[0].transport={ kind = 'tcp', receive_window = '3kB' }"
    two = steps("{ at = '0s', extra = '60ms' }, { at = '500ms', extra = '0s' }")
    after = run(two, window).flows["rtt_min"][0]
    before = run(steps("{ at = '0s', extra = '60ms' }"), window).flows["rtt_min"][0]
    assert before - after == pytest.approx(0.06, abs=0.002)


def test_a_breaker_ends_what_does_not_yield() -> None:
    source = "transport = { kind = 'cbr', rate = '20Mbit/s' }"
    fast = f"flows=[{{ name = 'own', from = 'sender0', to = 'receiver0', {source} }}]"
    breaker = "nodes=[{ name = 'left', agent = 'circuit-breaker' }]"
    free, ended = run(fast), run(fast, breaker)
    link = list(ended.links["link"]).index("left->right")
    assert free.links["dropped_law"][link] == 0
    # Half of 20 s at 20 Mbit/s is lost; the breaker opens after 3 s.
    packets = ended.links["arrived"][link]
    assert ended.links["dropped_law"][link] == pytest.approx(packets * 17 / 20, rel=0.01)
    calm = run(breaker)
    assert calm.flows["delivered"][0] == 1_000_000
    assert calm.links["dropped_law"][link] == 0


@pytest.mark.parametrize("cheat", ["ahead = 0.5", "hide_losses = true"])
def test_a_receiver_that_hides_losses_takes_from_an_honest_one(cheat: str) -> None:
    own = "{ name = 'own', from = 'sender0', to = 'receiver0' }"
    cheats = f"flows[0].transport={{ kind = 'tcp', cheat = {{ {cheat} }} }}"

    # One pair of flows in step says little: in eight, the other flow starts at eight times.
    def goodputs(*more: str) -> tuple[float, float]:
        pairs = []
        for start in ("0s", "50ms", "100ms", "250ms", "400ms", "700ms", "1s", "1.5s"):
            other = f"{{ name = 'honest', from = 'sender1', to = 'receiver1', start = '{start}' }}"
            pairs.append(run(f"flows=[{own}, {other}]", "warmup=5s", *more).flows["goodput"])
        return tuple(np.mean(pairs, axis=0))

    honest, cheated = goodputs(), goodputs(cheats)
    assert honest[1] > 2.5e6
    assert cheated[1] < 0.5 * honest[1]
    assert cheated[0] > honest[0]
