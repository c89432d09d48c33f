"""The queues of Linux, in user mode, and ours: within the bounds of `make peers-kernel`."""

from __future__ import annotations

import pytest

from peers import kernel


@pytest.mark.full
def test_queues_agree_with_those_of_the_kernel() -> None:
    if reason := kernel.missing():
        pytest.skip(reason)
    rows = list(kernel.compare(240))
    assert len(rows) == 3 * len(kernel.QUEUES)
    assert [str(row) for row in rows if row.verdict == "BROKEN"] == []


def test_a_difference_beyond_the_bound_is_seen() -> None:
    def verdict(quantity: str, *own: float) -> str:
        return kernel.Row("PIE", quantity, [0.2] * len(own), list(own)).verdict

    assert verdict(kernel.WAIT, 0.2, 0.201, 0.202) == ""
    assert verdict(kernel.WAIT, 0.219, 0.220, 0.221) == "unsure", "the mean is on the bound"
    assert verdict(kernel.WAIT, 0.223, 0.224, 0.225) == "BROKEN"
    assert verdict(kernel.WAIT, 0.2, float("nan"), 0.2) == "BROKEN"
    assert verdict(kernel.LOSS, 0.209, 0.209, 0.209) == ""
    assert verdict(kernel.LOSS, 0.211, 0.211, 0.211) == "BROKEN"
    assert not kernel.Row("CoDel", kernel.LOSS, [0.2] * 3, [0.3] * 3, judged=False).verdict
