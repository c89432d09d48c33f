"""The learners of docs/gym learn, and what they have learned runs as a law."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import dumbbell as db

pytest.importorskip("gymnasium", reason="needs the extra gym")

LEARNERS = Path(__file__).parents[2] / "docs/gym"


@pytest.fixture(autouse=True)
def learners(monkeypatch):
    monkeypatch.syspath_prepend(LEARNERS)


def test_table_learns_to_keep_queues_short(tmp_path):
    import tabular

    from dumbbell.gym import write_law

    table, curve = tabular.learn(600)
    assert curve[-1] > curve[0] + 1
    path = write_law(table, tmp_path / "learned.py")
    scenario = tabular.links()[4].with_("transport", {"kind": "tcp", "controller": f"{path}:Learned"})
    assert scenario.run().flows["goodput"][0] > 1e6


def test_gradient_improves_a_linear_policy():
    import gradient

    policy, curve = gradient.learn(15)
    assert curve[-1] > curve[0] + 0.5
    assert policy.bias > 0


def test_policy_over_cubic_beats_cubic_alone():
    done = subprocess.run(
        [sys.executable, LEARNERS / "orca.py", "12"], capture_output=True, text=True, check=True, cwd=LEARNERS
    )
    alone, both = map(float, re.findall(r"(?:alone|policy) ([\d.-]+)", done.stdout))
    assert both > alone


def test_law_beneath_a_policy_is_cubic():
    """Without a policy it takes as much of a link as the built-in one."""
    scenario = db.scenario(
        duration="20s",
        topology=db.topology.dumbbell(),
        record=db.record(samples=False),
        flows=[db.flows(from_="senders", to="receivers", sampled=False)],
    )
    goodputs = [
        scenario.with_("transport", {"kind": "tcp", "controller": name}).run().flows["goodput"][0]
        for name in (f"{LEARNERS / 'orca.py'}:Orca", "cubic")
    ]
    assert goodputs[0] == pytest.approx(goodputs[1], rel=0.05)
