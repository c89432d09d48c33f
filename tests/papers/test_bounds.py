"""Bounds of claims say whose they are."""

import re
from fnmatch import fnmatchcase

import pytest

from dumbbell.claims import Claim, Level, Order
from dumbbell.papers.paper import Paper, all_papers

PAPERS = all_papers()


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_sources_that_speak_of_our_bounds_are_marked(paper):
    for claim in paper.claims():
        if claim.bound is None:
            continue
        ours = re.search(r"\bours\b|\bour (bound|question|rule)|bounds of the reproduction", claim.source)
        assert not ours or claim.bound["by"] == "ours", (claim.id, claim.source)


@pytest.mark.parametrize("paper", [p for p in PAPERS if p.companion is None], ids=lambda paper: paper.name)
def test_every_mark_speaks_of_a_claim_with_a_bound(paper):
    claims = [
        (entry.companion.name if entry.companion else "", claim)
        for entry in (paper, *paper.companions())
        for claim in entry.claims()
    ]
    for what, why in paper._optional("bounds.py", "OURS", tuple):
        spoken_of = [
            claim
            for study, claim in claims
            if fnmatchcase(f"{study}/{claim.id}" if "/" in what else claim.id, what)
        ]
        assert any(claim.bound == {"by": "ours", "reason": why} for claim in spoken_of), what


def test_a_rule_without_a_number_has_no_bound():
    assert Claim("x", "X.", "somebody", "delay", Order(("a", "b"))).bound is None
    published = Claim("x", "X.", "somebody", "delay", Level("a", high=1))
    assert (published.bound, published.bound_text()) == ({"by": "source"}, "")
    asked = Claim("x", "X.", "our question", "delay", Level("a", high=1))
    assert asked.bound == {"by": "ours", "reason": "our question"}
    chosen = Claim("x", "X.", "somebody", "delay", Level("a", high=1), ours="1 stands for little")
    assert chosen.bound_text() == "The bound is ours: 1 stands for little."


def test_a_paper_of_ones_own_may_mark_its_bounds(tmp_path):
    (tmp_path / "claims.py").write_text(
        "from dumbbell.claims import Claim, Level\n"
        'CLAIMS = (Claim("x", "X.", "y", "z", Level("a", high=1)),)\n'
    )
    assert Paper(tmp_path).claims()[0].bound == {"by": "source"}
    (tmp_path / "bounds.py").write_text('OURS = (("x*", "a guess"),)\n')
    assert Paper(tmp_path).claims()[0].bound == {"by": "ours", "reason": "a guess"}
