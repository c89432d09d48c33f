"""Q-learning of a table: 15 cells of queueing and losses, three moves of the window.

    python docs/gym/tabular.py learned.py

Watkins & Dayan, Machine Learning 8, 1992. It learns on 32 links at a time, and writes the table as a law.
"""

import sys

import numpy as np

import dumbbell as db
from dumbbell.gym import Table, VectorEnv, write_law

OBSERVE = ("stretch", "losses")
EDGES = ((1.05, 1.2, 1.5, 2.0), (1.0, 2.0))
MOVES = np.array([-0.3, 0.0, 0.15], dtype=np.float32)
RUNS = 32


def links() -> list[db.Scenario]:
    """Return links of three rates and three round-trip times."""
    return [
        db.scenario(
            duration="10s",
            topology=db.topology.dumbbell(
                bottleneck=db.network.bottleneck(
                    rate=rate, delay=delay, queue=db.queue.droptail(limit="2bdp")
                ),
                access={"rate": "1Gbit/s", "delay": "1ms"},
            ),
            record=db.record(samples=False),
            flows=[db.flows(from_="senders", to="receivers", sampled=False)],
        )
        for rate in ("2Mbit/s", "6Mbit/s", "20Mbit/s")
        for delay in ("5ms", "15ms", "40ms")
    ]


def learn(steps: int, seed: int = 1) -> tuple[Table, list[float]]:
    """Return the greedy table, and the mean reward of each tenth of the steps."""
    env = VectorEnv(links(), RUNS, observe=OBSERVE, every="1rtt", threads=1)
    draw = np.random.default_rng(seed)
    cells = int(np.prod([len(edges) + 1 for edges in EDGES]))
    grid = Table(OBSERVE, EDGES, (0.0,) * cells)
    values = np.zeros((cells, len(MOVES)))
    counts = np.zeros_like(values)
    seen, _ = env.reset(seed=seed)
    here, rewards = grid.cells(seen), []
    fresh = np.zeros(RUNS, dtype=bool)
    for step in range(steps):
        chosen = values[here].argmax(axis=1)
        explore = draw.random(RUNS) < max(0.05, 1 - 2 * step / steps)
        chosen[explore] = draw.integers(len(MOVES), size=RUNS)[explore]
        seen, reward, _, ended, _ = env.step(MOVES[chosen][:, None])
        there = grid.cells(seen)
        target = reward + 0.9 * values[there].max(axis=1)
        # The step after an end begins a run anew: it says nothing.
        for cell, move, aim in zip(here[~fresh], chosen[~fresh], target[~fresh], strict=True):
            counts[cell, move] += 1
            values[cell, move] += (aim - values[cell, move]) / counts[cell, move] ** 0.7
        rewards.append(float(reward[~fresh].mean()))
        here, fresh = there, ended
    table = Table(OBSERVE, EDGES, tuple(float(MOVES[best]) for best in values.argmax(axis=1)))
    return table, [float(part.mean()) for part in np.array_split(np.array(rewards), 10)]


if __name__ == "__main__":
    table, curve = learn(4000)
    print("mean reward:", " ".join(f"{value:.2f}" for value in curve))
    if len(sys.argv) > 1:
        print(write_law(table, sys.argv[1], title="A table that Q-learning has filled."))
