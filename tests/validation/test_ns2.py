"""The same works and queues on ns-2 and here, within the bounds of `make peers`."""

from __future__ import annotations

import pytest

from bench.measure import TESTED, engine, missing
from bench.works import Work, works
from peers import incast, published, queues
from peers.compare import BOUNDS, compare


@pytest.fixture(scope="module")
def program() -> str:
    if reason := missing("ns", "ns2"):
        pytest.skip(reason)
    return engine(TESTED)


W1, W2, W4S = works()


@pytest.mark.parametrize(
    "work", [W1, W2, pytest.param(W4S, marks=pytest.mark.full)], ids=lambda work: work.name
)
def test_the_physics_agree(work: Work, program: str) -> None:
    rows, _, _ = compare(program, work)
    bounded = [row for row in rows if row.bound is not None]
    assert {row.quantity for row in bounded} == BOUNDS.keys() & {row.quantity for row in rows}
    assert [str(row) for row in bounded if row.broken] == []


@pytest.mark.parametrize("queue", queues.QUEUES, ids=lambda queue: queue.name)
def test_queues_agree_on_the_same_arrivals(queue: queues.Queue, program: str) -> None:
    rows = queues.compare(program, queue)
    assert [str(row) for row in rows if row.broken] == []
    # Where the law of ns-2 is another, the difference shows it.
    assert queue.bounded or any(abs(row.difference) > queues.BOUNDS[row.quantity] for row in rows)


@pytest.mark.parametrize("rounds", incast.ALL, ids=str)
def test_incast_rounds_agree_with_ns2(rounds: incast.Rounds, program: str) -> None:
    rows = incast.compare(program, rounds)
    assert [str(row) for row in rows if row.broken] == []
    # Where it does, the difference shows it.
    assert rounds.bounded or any(abs(row.difference) > incast.BOUND for row in rows)


@pytest.mark.parametrize("kind", published.SETTINGS)
def test_tcp_and_xcp_agree_on_the_published_flows(kind: str, program: str) -> None:
    rows = published.compare(program, kind)
    assert rows[0].peer > 10_000
    assert [str(row) for row in rows if row.broken] == []
