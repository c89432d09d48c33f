"""The queues of Linux, in user mode, and ours: within the bounds of `make peers-kernel`."""

from __future__ import annotations

import pytest

from peers import kernel


@pytest.mark.full
def test_queues_agree_with_those_of_the_kernel_on_the_same_arrivals() -> None:
    if reason := kernel.missing():
        pytest.skip(reason)
    rows = list(kernel.compare(240))
    assert len(rows) == 3 * len(kernel.QUEUES)
    assert [str(row) for row in rows if row.broken] == []


def test_a_difference_beyond_the_bound_is_seen() -> None:
    rows = [kernel.Row("PIE", kernel.WAIT, 0.1, own, 0.001) for own in (0.1, 0.109, 0.111, float("nan"))]
    assert [row.broken for row in rows] == [False, False, True, True]
    assert not kernel.Row("PIE", kernel.LOSS, 0.2, 0.209, 0.001).broken
    assert kernel.Row("PIE", kernel.LOSS, 0.2, 0.211, 0.001).broken
