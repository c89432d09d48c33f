"""Bounds of claims say whose they are."""

import re

import pytest

from dumbbell.claims import Claim, Level, Order
from dumbbell.papers import all_papers

PAPERS = all_papers()


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_sources_that_speak_of_our_bounds_are_marked(paper):
    for claim in paper.claims():
        if claim.bound is None:
            continue
        ours = re.search(r"\bours\b|\bour (bound|question|rule)|bounds of the reproduction", claim.source)
        assert not ours or claim.bound["by"] == "ours", (claim.id, claim.source)


def test_a_rule_without_a_number_has_no_bound():
    assert Claim("x", "X.", "somebody", "delay", Order(("a", "b"))).bound is None
    published = Claim("x", "X.", "somebody", "delay", Level("a", high=1))
    assert (published.bound, published.bound_text()) == ({"by": "source"}, "")
    asked = Claim("x", "X.", "our question", "delay", Level("a", high=1))
    assert asked.bound == {"by": "ours", "reason": "our question"}
    chosen = Claim("x", "X.", "somebody", "delay", Level("a", high=1), ours="1 stands for little")
    assert chosen.bound_text() == "The bound is ours: 1 stands for little."
