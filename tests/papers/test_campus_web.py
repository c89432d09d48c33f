"""The study of campus web traffic itself."""

import time

import pytest

from dumbbell import papers


@pytest.mark.full
def test_quick_is_quick_and_full_gives_the_verdicts(tmp_path):
    paper = papers.find_paper("campus-web")
    start = time.process_time()
    quick = papers.reproduce(paper, tmp_path / "out")
    # A minute on two cores, whatever else they do.
    assert time.process_time() - start < 2 * 60
    assert quick.result.complete
    full = papers.reproduce(paper, tmp_path / "out", quick=False)
    verdicts = {claim.id: judgement.verdict for claim, judgement in full.judged}
    assert verdicts == {
        "rises-newreno": "reproduced",
        "rises-cubic": "reproduced",
        "controllers-within-5-percent": "reproduced",
        "tails-within-5-percent": "reproduced",
        "newreno-faster-under-load": "reproduced",
        "cubic-loses-more": "inconclusive",
        "little-loss": "reproduced",
        "anchor": "not reproduced",
    }
