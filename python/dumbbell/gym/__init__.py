"""Environments for reinforcement learning: the flows of a scenario learn, decision by decision.

Needs the extra ``gym``. One :class:`Env` has one run, a :class:`VectorEnv` many: a step of all of them is one
call. The page ``docs/gym.md`` shows how policies are learned and become laws, which run everywhere.

Examples
--------
>>> import dumbbell as db
>>> from dumbbell.gym import Env
>>> scenario = db.scenario(
...     duration="10s",
...     topology=db.topology.dumbbell(),
...     flows=[db.flows(from_="senders", to="receivers")],
... )
>>> env = Env(scenario, observe=("throughput", "queueing"), action="factor", every="50ms")
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
>>> observation.shape
(2,)
"""

from dumbbell.gym.env import Env, VectorEnv
from dumbbell.gym.errors import GymError
from dumbbell.gym.policy import Linear, Policy, Table, law_text, write_law
from dumbbell.gym.signals import SIGNALS, Signal
from dumbbell.gym.steered import ACTIONS, remy

__all__ = [
    "ACTIONS",
    "SIGNALS",
    "Env",
    "GymError",
    "Linear",
    "Policy",
    "Signal",
    "Table",
    "VectorEnv",
    "law_text",
    "remy",
    "write_law",
]
