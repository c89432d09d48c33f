"""The same works on ns-2 and here: goodput, loss and completion times within the bounds of `make peers`."""

from __future__ import annotations

import pytest

from bench.measure import engine, missing
from bench.works import Work, works
from peers.compare import BOUNDS, compare


@pytest.fixture(scope="module")
def program() -> str:
    if reason := missing("ns", "ns2"):
        pytest.skip(reason)
    return engine()


W1, W2, W4S = works()


@pytest.mark.parametrize(
    "work", [W1, W2, pytest.param(W4S, marks=pytest.mark.full)], ids=lambda work: work.name
)
def test_the_physics_agree(work: Work, program: str) -> None:
    rows, _, _ = compare(program, work)
    bounded = [row for row in rows if row.bound is not None]
    assert {row.quantity for row in bounded} == BOUNDS.keys() & {row.quantity for row in rows}
    assert [str(row) for row in bounded if row.broken] == []
