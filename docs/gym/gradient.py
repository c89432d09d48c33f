"""A policy gradient in NumPy: a linear policy with Gaussian moves of the window.

    python docs/gym/gradient.py learned.py

REINFORCE with a baseline (Williams, Machine Learning 8, 1992; Sutton & Barto, 2018, section 13.4).
"""

import sys

import numpy as np
from tabular import links

from dumbbell.gym import Linear, VectorEnv, write_law

OBSERVE = ("stretch", "losses", "timeouts")
RUNS, HORIZON, SPREAD = 64, 40, 0.15
SCALE = np.array([1.0, 1.0, 1.0])


def learn(updates: int, seed: int = 1, rate: float = 0.02) -> tuple[Linear, list[float]]:
    """Return the policy, and the mean reward of each update."""
    env = VectorEnv(links(), RUNS, observe=OBSERVE, every="1rtt", threads=1)
    draw = np.random.default_rng(seed)
    weights = np.zeros(len(OBSERVE) + 1)
    curve = []
    for update in range(updates):
        seen, _ = env.reset(seed=seed * 100_000 + update * RUNS)
        features, noises, rewards = [], [], []
        for _ in range(HORIZON):
            feature = np.concatenate([np.minimum(seen / SCALE, 5) - [1, 0, 0], np.ones((RUNS, 1))], axis=1)
            noise = SPREAD * draw.standard_normal(RUNS)
            seen, reward, *_ = env.step(np.clip(feature @ weights + noise, -1, 1)[:, None].astype(np.float32))
            features.append(feature)
            noises.append(noise)
            rewards.append(reward)
        gains = np.array(rewards)
        # What comes after a move, discounted; less the mean of all runs at that time.
        returns = np.zeros_like(gains)
        ahead = np.zeros(RUNS)
        for step in reversed(range(HORIZON)):
            ahead = gains[step] + 0.8 * ahead
            returns[step] = ahead
        advantage = returns - returns.mean(axis=1, keepdims=True)
        advantage /= advantage.std() + 1e-9
        slope = (
            np.einsum("tr,tr,trk->k", advantage, np.array(noises) / SPREAD, np.array(features)) / gains.size
        )
        weights += rate * slope
        curve.append(float(gains[HORIZON // 2 :].mean()))
    slopes = weights[:-1] / SCALE
    return Linear(OBSERVE, tuple(map(float, slopes)), float(weights[-1] - slopes[0])), curve


if __name__ == "__main__":
    policy, curve = learn(150)
    print("mean reward:", " ".join(f"{value:.2f}" for value in curve[:: len(curve) // 10]))
    if len(sys.argv) > 1:
        print(policy.weights, policy.bias)
        print(write_law(policy, sys.argv[1], title="A linear policy that a gradient has found."))
