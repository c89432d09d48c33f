"""Environments over steered runs."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db
from dumbbell.errors import DumbbellError

pytest.importorskip("gymnasium", reason="needs the extra gym")

from gymnasium.utils.env_checker import check_env

from dumbbell import gym
from dumbbell.gym import Env, GymError, Linear, Table, VectorEnv, law_text
from dumbbell.gym.signals import SIGNALS


def link(*, pairs=1, duration="3s", **flows):
    return db.scenario(
        duration=duration,
        topology=db.topology.dumbbell(
            pairs=pairs,
            bottleneck=db.network.bottleneck(
                rate="10Mbit/s", delay="10ms", queue=db.queue.droptail(limit="2bdp")
            ),
        ),
        record=db.record(samples=False),
        flows=[db.flows(from_="senders", to="receivers", sampled=False, **flows)],
    )


@pytest.mark.parametrize("action", ["factor", "window", "rate"])
def test_gymnasium_checks_environments(action):
    env = Env(link(), action=action, every="20ms")
    with warnings.catch_warnings():
        if action != "factor":
            # What these decide has a unit: it is not normalised.
            warnings.filterwarnings("ignore", message=".*symmetric and normalized space")
        check_env(env, skip_render_check=True)


def test_gymnasium_checks_many_learners():
    check_env(Env(link(pairs=3), flows=3, every="1rtt"), skip_render_check=True)


def episode(env, seed, move=0.1):
    seen, _ = env.reset(seed=seed)
    found = [seen]
    over = False
    while not over:
        seen, reward, _, over, _ = env.step(np.full(env.action_space.shape, move, dtype=np.float32))
        found.append(np.append(seen, reward))
    return np.concatenate(found)


def test_same_seed_same_episode():
    env = Env(link(jitter="300ms"), every="20ms")
    first = episode(env, 5)
    assert np.array_equal(first, episode(env, 5))
    assert np.array_equal(first, episode(Env(link(jitter="300ms"), every="20ms"), 5))
    assert not np.array_equal(first, episode(env, 6))


def test_vector_runs_are_those_of_single_environments():
    given = {"every": "30ms", "observe": ("throughput", "rtt", "window")}
    env = VectorEnv(link(jitter="300ms"), 3, threads=2, **given)
    seen, _ = env.reset(seed=7)
    rows = [[row] for row in seen]
    for _ in range(40):
        seen, *_ = env.step(np.full((3, 1), 0.05, dtype=np.float32))
        for row, own in zip(seen, rows, strict=True):
            own.append(row)
    alone = VectorEnv(link(jitter="300ms"), 1, threads=1, **given)
    for run, own in enumerate(rows):
        seen, _ = alone.reset(seed=7 + run)
        assert np.array_equal(seen[0], own[0])
        for row in own[1:]:
            seen, *_ = alone.step(np.full((1, 1), 0.05, dtype=np.float32))
            assert np.array_equal(seen[0], row)


def test_ended_runs_begin_anew_with_the_next_step():
    env = VectorEnv(link(duration="100ms"), 2, every="20ms", threads=1)
    env.reset(seed=1)
    still = np.zeros((2, 1), dtype=np.float32)
    ends = [env.step(still)[3].tolist() for _ in range(9)]
    # The reset is the first of five intervals of a run.
    assert [end[0] for end in ends] == [False, False, False, True, False, False, False, False, True]
    assert all(first == second for first, second in ends)


def test_windows_and_rates_are_obeyed():
    env = Env(link(), action="window", every="100ms", observe=("throughput", "window"))
    env.reset(seed=1)
    rates = []
    for _ in range(22):
        seen, *_ = env.step(np.array([6.0], dtype=np.float32))
        rates.append(seen[0])
    # Six segments a round-trip time of 60 ms and some transmissions; 12 intervals are 20 of them.
    assert seen[1] == 6
    assert np.mean(rates[10:]) == pytest.approx(6 * 1448 * 8e-6 / 0.062, rel=0.05)
    env = Env(link(), action="rate", every="100ms", observe=("throughput",))
    env.reset(seed=1)
    for _ in range(20):
        seen, *_ = env.step(np.array([4.0], dtype=np.float32))
    assert seen[0] == pytest.approx(4, rel=0.1)


def test_intervals_are_round_trip_times():
    env = Env(link(), every="2rtt", observe=("seconds", "rtt"))
    env.reset(seed=1)
    lengths, rtts = [], []
    for _ in range(10):
        seen, *_ = env.step(np.zeros(1, dtype=np.float32))
        lengths.append(seen[0])
        rtts.append(seen[1])
    assert lengths[-1] == pytest.approx(2e-3 * rtts[-1], rel=0.2)


def test_signals_say_what_happened():
    env = Env(link(), every="100ms", action="window", observe=tuple(SIGNALS))
    env.reset(seed=1)
    for _ in range(12):
        env.step(np.array([400.0], dtype=np.float32))
    assert env.signals["losses"].max() + env.signals["queueing"].max() > 0
    assert (env.signals["stretch"] >= 1).all()
    assert env.signals["throughput"].item() <= 10.1


def test_reward_may_be_for_each_flow():
    env = Env(link(pairs=2), flows=2, every="50ms", reward=lambda signals: signals["throughput"])
    env.reset(seed=1)
    for _ in range(5):
        _, reward, *_ = env.step(np.zeros(2, dtype=np.float32))
    assert reward == pytest.approx(env.signals["throughput"].mean())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"observe": ("troughput",)}, 'no signal .troughput.; did you mean "throughput"'),
        ({"observe": ()}, "names no signal"),
        ({"action": "jump"}, "no action .jump.; use window, rate, factor"),
        ({"every": "soon"}, "cannot be read; write such as 20ms or 1rtt"),
        ({"every": "0s"}, "0 s are out of range"),
        ({"every": "-1rtt"}, "out of range"),
        ({"learner": "nobody"}, "no group .nobody."),
        ({"flows": 0}, "out of range; give 1 to 1,000"),
        ({"law": Path(db.__file__).parent / "own/laws/aimd.py"}, "the class is not named"),
        ({"law": f"{Path(db.__file__).parent}/own/laws/aimd.py:Aimd"}, "has no field .told."),
    ],
)
def test_bad_environments_are_refused(given, message):
    with pytest.raises(DumbbellError, match=message) as caught:
        Env(link(), **given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (np.array([np.nan]), "is not a number, or is infinite"),
        (np.array([np.inf]), "is not a number, or is infinite"),
        (np.zeros(2), r"an array of shape \(1, 2\) is given, \(1, 1\) is needed"),
        (np.array(["up"]), "is not an array of numbers"),
    ],
)
def test_bad_actions_are_refused(action, message):
    env = Env(link(), every="20ms")
    env.reset(seed=1)
    with pytest.raises(GymError, match=message):
        env.step(action)


def test_steps_need_an_episode():
    env = Env(link(duration="100ms"), every="50ms")
    with pytest.raises(GymError, match=r"call reset\(\) first"):
        env.step(np.zeros(1))
    env.reset(seed=1)
    assert env.step(np.zeros(1))[3]
    with pytest.raises(GymError, match=r"call reset\(\) first"):
        env.step(np.zeros(1))


def test_bad_rewards_are_refused():
    for reward, message in ((lambda _: 1.0, "has shape"), (lambda s: s["acks"] * np.nan, "is not a number")):
        env = Env(link(), every="20ms", reward=reward)
        env.reset(seed=1)
        with pytest.raises(GymError, match=message):
            env.step(np.zeros(1))


def test_policies_become_laws(tmp_path):
    """A law of a policy does what the policy does in an environment, but for when it decides."""
    policy = Linear(("stretch", "losses"), (-0.2, -0.3), 0.26)
    env = Env(link(duration="10s"), observe=policy.observe, every="1rtt")
    seen, _ = env.reset(seed=1)
    over, rates = False, []
    while not over:
        seen, _, _, over, _ = env.step(policy(seen))
        rates.append((env.signals["throughput"].item(), env.signals["queueing"].item()))
    learned = np.array(rates[len(rates) // 2 :]).mean(axis=0)
    path = gym.write_law(policy, tmp_path / "learned.py", "Mine")
    scenario = link(duration="10s").with_("transport", {"kind": "tcp", "controller": f"{path}:Mine"})
    found = scenario.run()
    assert set(found.flows["controller"]) == {"mine"}
    assert found.flows["goodput"][0] * 1e-6 == pytest.approx(learned[0], rel=0.15)


def test_tables_have_a_cell_for_each_part():
    table = Table(("stretch", "losses"), ((1.2, 1.5), (1.0,)), (0.1, 0.0, 0.0, -0.1, -0.2, -0.3))
    assert table.cells([[1.0, 0], [1.2, 0], [1.3, 1], [9, 9]]).tolist() == [0, 2, 3, 5]
    assert table([[1.0, 0], [9, 9]]).tolist() == pytest.approx(np.array([[0.1], [-0.3]]))
    text = law_text(table, "Mine")
    assert "signal_stretch >= 1500" in text
    assert "if cell == 5:" in text


@pytest.mark.parametrize(
    ("observe", "label", "message"),
    [(("seconds",), "Mine", "computes no signal 'seconds'"), (("rtt",), "1x", "is no name of a class")],
)
def test_policies_that_are_no_laws_are_refused(observe, label, message):
    with pytest.raises(GymError, match=message):
        law_text(Linear(observe, (1.0,)), label)
